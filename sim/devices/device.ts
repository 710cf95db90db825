// SPDX-License-Identifier: Apache-2.0
import type { Architecture, ChipDescription } from "../../lib/device/chip_description.ts";
import { type Diagnostic, DiagnosticError } from "../../lib/diagnostics/diagnostic.ts";
import { DEVICE_SCHEMA, type DeviceSection, type SectionValues } from "./device_schema.ts";

/** How a constant is known: `stated` by a maker's document, `measured`, `fitted` by `calibrate`, or a `guess`. */
export type ConstantKind = "stated" | "measured" | "fitted" | "guess";

/** One constant of a device file. */
export interface DeviceConstant {
  /** Never negative. */
  readonly value: number;
  /** The unit that {@linkcode DEVICE_SCHEMA} demands for this constant. */
  readonly unit: string;
  /** Document, file or table that the value is from. */
  readonly source: string;
  /** How far to trust it. */
  readonly kind: ConstantKind;
  /** Of a fitted constant: the value that its source gave before, from which `calibrate` starts. */
  readonly prior?: number;
}

/** Constants of a device file by section and name. */
export type DeviceConstants = Readonly<Record<string, Readonly<Record<string, DeviceConstant>>>>;

/** A chip as the simulator sees it: plain numbers for the kernels, the constants with their sources for people. */
export type Device =
  & { readonly [Section in DeviceSection]: SectionValues<Section> }
  & {
    readonly name: string;
    readonly architecture: Architecture;
    readonly summary: string;
    readonly constants: DeviceConstants;
  };

/** A device file: `tilewright.device/1`. */
export interface DeviceFile {
  /** Changes when older files would be misread. */
  readonly schema: "tilewright.device/1";
  /** Name for `--device` and for messages. */
  readonly name: string;
  /** Must be that of the file that it extends. */
  readonly architecture: Architecture;
  /** One line for `devices`. */
  readonly summary: string;
  /** Name of the file whose constants this one starts from. */
  readonly extends?: string;
  /** Its own constants, which win over inherited ones. */
  readonly constants: DeviceConstants;
}

const KINDS: readonly string[] = ["stated", "measured", "fitted", "guess"] satisfies readonly ConstantKind[];

/**
 * Checks a parsed device file.
 *
 * @param file name to show in errors
 * @param json what `JSON.parse` returned
 * @throws {DiagnosticError} with every finding at once: missing fields, wrong types, unknown sections or names, wrong units
 */
export function parseDeviceFile(file: string, json: unknown): DeviceFile {
  const findings: Diagnostic[] = [];
  const report = (message: string) =>
    findings.push({
      code: "device/invalid",
      severity: "error",
      message: `Cannot read device ${file}: ${message}`,
    });

  if (!isRecord(json)) {
    report("the file must hold one JSON object");
    throw new DiagnosticError(findings);
  }
  if (json.schema !== "tilewright.device/1") {
    report(`"schema" must be "tilewright.device/1", not ${JSON.stringify(json.schema)}`);
  }
  for (const field of ["name", "summary"]) {
    if (typeof json[field] !== "string" || json[field] === "") report(`"${field}" must be a text`);
  }
  const architecture = json.architecture;
  if (architecture !== "wormhole_b0" && architecture !== "blackhole") {
    report(`"architecture" must be "wormhole_b0" or "blackhole", not ${JSON.stringify(architecture)}`);
  }
  if (json.extends !== undefined && typeof json.extends !== "string") {
    report(`"extends" must be a device's name`);
  }
  const constants: Record<string, Record<string, DeviceConstant>> = {};
  if (!isRecord(json.constants)) {
    report(`"constants" must be an object of sections`);
  } else {
    for (const [section, entries] of Object.entries(json.constants)) {
      const units = unitsOf(section);
      if (units === undefined) {
        report(`section "${section}" is not known; sections are ${Object.keys(DEVICE_SCHEMA).join(", ")}`);
        continue;
      }
      if (!isRecord(entries)) {
        report(`section "${section}" must be an object of constants`);
        continue;
      }
      const read: Record<string, DeviceConstant> = {};
      for (const [name, entry] of Object.entries(entries)) {
        const unit = units[name];
        const place = `${section}.${name}`;
        if (unit === undefined) {
          report(`constant "${place}" is not known; names are ${Object.keys(units).join(", ")}`);
          continue;
        }
        if (!isRecord(entry)) {
          report(`constant "${place}" must be {"value", "unit", "source", "kind"}`);
          continue;
        }
        const { value, source, kind, prior } = entry;
        if (typeof value !== "number" || !Number.isFinite(value) || value < 0) {
          report(`"${place}.value" must be a number that is not negative, not ${JSON.stringify(value)}`);
        } else if (entry.unit !== unit) {
          report(`"${place}.unit" must be "${unit}", not ${JSON.stringify(entry.unit)}`);
        } else if (typeof source !== "string" || source === "") {
          report(`"${place}.source" must say where the value is from`);
        } else if (!isConstantKind(kind)) {
          report(`"${place}.kind" must be one of ${KINDS.join(", ")}, not ${JSON.stringify(kind)}`);
        } else if (prior !== undefined && (typeof prior !== "number" || !Number.isFinite(prior))) {
          report(`"${place}.prior" must be a number, not ${JSON.stringify(prior)}`);
        } else {
          read[name] = { value, unit, source, kind, ...(prior === undefined ? {} : { prior }) };
        }
      }
      constants[section] = read;
    }
  }
  if (findings.length > 0 || (architecture !== "wormhole_b0" && architecture !== "blackhole")) {
    throw new DiagnosticError(findings);
  }
  const base = {
    schema: "tilewright.device/1",
    name: `${json.name}`,
    architecture,
    summary: `${json.summary}`,
  } as const;
  return typeof json.extends === "string"
    ? { ...base, extends: json.extends, constants }
    : { ...base, constants };
}

/**
 * Builds a device from its file and the file that it extends.
 *
 * @param file the device's own file
 * @param base file named by `extends`, if any
 * @throws {DiagnosticError} when a constant of the schema is given by neither
 */
export function buildDevice(file: DeviceFile, base?: DeviceFile): Device {
  const constants: Record<string, Readonly<Record<string, DeviceConstant>>> = {};
  const missing: string[] = [];
  for (const [name, units] of Object.entries(DEVICE_SCHEMA)) {
    const merged = { ...base?.constants[name], ...file.constants[name] };
    constants[name] = merged;
    missing.push(
      ...Object.keys(units).filter((key) => merged[key] === undefined).map((key) => `${name}.${key}`),
    );
  }
  const incomplete = () =>
    new DiagnosticError([{
      code: "device/incomplete",
      severity: "error",
      message: `Cannot build device ${file.name}: no value for ${missing.join(", ")}; ` +
        `give them or name a device in "extends"`,
    }]);
  if (missing.length > 0) throw incomplete();
  const section = <Section extends DeviceSection>(name: Section): SectionValues<Section> => {
    const values: Record<string, number> = {};
    for (const [key, constant] of Object.entries(constants[name] ?? {})) values[key] = constant.value;
    if (!isComplete(name, values)) throw incomplete();
    return values;
  };
  return {
    name: file.name,
    architecture: file.architecture,
    summary: file.summary,
    constants,
    grid: section("grid"),
    clock: section("clock"),
    l1: section("l1"),
    dram: section("dram"),
    noc: section("noc"),
    tensix: section("tensix"),
    stream: section("stream"),
    conv: section("conv"),
    matmul: section("matmul"),
    sfpu: section("sfpu"),
    dispatch: section("dispatch"),
    ethernet: section("ethernet"),
    accuracy: section("accuracy"),
  };
}

/** What legality and memory need to know of a device. */
export function chipDescription(device: Device): ChipDescription {
  return {
    name: device.name,
    architecture: device.architecture,
    workerGrid: { rows: device.grid.workerRows, columns: device.grid.workerColumns },
    l1Size: device.l1.size,
    l1UnreservedBase: device.l1.unreservedBase,
    l1SmallSize: device.l1.smallSize,
    dramBanks: device.dram.banks,
    dramBankSize: device.dram.bankSize,
    dramUnreservedBase: device.dram.unreservedBase,
    dramUnreservedEnd: device.dram.unreservedEnd,
    l1Alignment: device.l1.alignment,
    dramAlignment: device.dram.alignment,
    pcieAlignment: device.dram.pcieAlignment,
    dstTiles: device.tensix.dstTiles,
    circularBuffers: device.l1.circularBuffers,
  };
}

/**
 * A device with the memory map and grid of a chip description, for inputs that carry their own `ttcore.system_desc`.
 * DRAM bandwidth follows the number of banks; everything else stays.
 *
 * @throws {DiagnosticError} when the description is of another architecture
 */
export function withChipDescription(device: Device, chip: ChipDescription): Device {
  if (chip.architecture !== device.architecture) {
    throw new DiagnosticError([{
      code: "device/architecture-mismatch",
      severity: "error",
      message:
        `Cannot use the system description of a ${chip.architecture} chip with device ${device.name}: ` +
        `it is a ${device.architecture} chip; choose another --device`,
    }]);
  }
  const bankShare = chip.dramBanks / device.dram.banks;
  const changes: Readonly<Record<string, Readonly<Record<string, number>>>> = {
    grid: { workerRows: chip.workerGrid.rows, workerColumns: chip.workerGrid.columns },
    l1: {
      size: chip.l1Size,
      unreservedBase: chip.l1UnreservedBase,
      smallSize: chip.l1SmallSize,
      alignment: chip.l1Alignment,
      circularBuffers: chip.circularBuffers,
    },
    dram: {
      banks: chip.dramBanks,
      bankSize: chip.dramBankSize,
      unreservedBase: chip.dramUnreservedBase,
      unreservedEnd: chip.dramUnreservedEnd,
      alignment: chip.dramAlignment,
      pcieAlignment: chip.pcieAlignment,
      ...(bankShare === 1 ? {} : {
        peakBandwidth: device.dram.peakBandwidth * bankShare,
      }),
    },
    tensix: { dstTiles: chip.dstTiles },
  };
  return withConstants(device, changes, `system description ${chip.name}`, "stated");
}

/**
 * A device with some constants replaced.
 *
 * @param changes new values by section and name
 * @param source where the new values are from
 * @throws {RangeError} for a section or name that the schema does not know
 */
export function withConstants(
  device: Device,
  changes: Readonly<Record<string, Readonly<Record<string, number>>>>,
  source: string,
  kind: ConstantKind,
): Device {
  const constants: Record<string, Readonly<Record<string, DeviceConstant>>> = { ...device.constants };
  for (const [section, values] of Object.entries(changes)) {
    const merged: Record<string, DeviceConstant> = { ...constants[section] };
    for (const [name, value] of Object.entries(values)) {
      const old = merged[name];
      if (old === undefined) {
        throw new RangeError(`Cannot change constant ${section}.${name}: it does not exist`);
      }
      if (old.value !== value) merged[name] = { ...old, value, source, kind };
    }
    constants[section] = merged;
  }
  const { name, architecture, summary } = device;
  return buildDevice({ schema: "tilewright.device/1", name, architecture, summary, constants });
}

function isComplete<Section extends DeviceSection>(
  section: Section,
  values: Readonly<Record<string, number>>,
): values is SectionValues<Section> {
  return Object.keys(DEVICE_SCHEMA[section]).every((key) => values[key] !== undefined);
}

function unitsOf(section: string): Readonly<Record<string, string>> | undefined {
  return Object.entries(DEVICE_SCHEMA).find(([name]) => name === section)?.[1];
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isConstantKind(value: unknown): value is ConstantKind {
  return typeof value === "string" && KINDS.includes(value);
}
