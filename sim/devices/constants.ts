// SPDX-License-Identifier: Apache-2.0
import { type Architecture, ARCHITECTURES, isArchitecture } from "../../lib/device/chip_description.ts";
import { type Diagnostic, DiagnosticError, inputError, isRecord } from "../../lib/diagnostics/diagnostic.ts";

/** Kind of a constant: `stated` by a vendor document, `measured`, `fitted` by `calibrate`, or a `guess`. */
export type ConstantKind = "stated" | "measured" | "fitted" | "guess";

/** One constant of a device file. */
export interface DeviceConstant {
  /** In `unit`; never negative. */
  readonly value: number;
  /** The unit that the schema requires for this constant. */
  readonly unit: string;
  /** Document, file or table that is the source of the value. */
  readonly source: string;
  /** How far to trust it. */
  readonly kind: ConstantKind;
  /** For a fitted constant, in `unit`: the value from its source, from which `calibrate` starts. */
  readonly prior?: number;
}

/** Constants of a device file by section and name. */
export type DeviceConstants = Readonly<Record<string, Readonly<Record<string, DeviceConstant>>>>;

/** Plain numbers by section and name. */
export type ConstantValues = Readonly<Record<string, Readonly<Record<string, number>>>>;

/** By section and name the unit of every constant of a kind of file, and what it is where the name does not say it. */
export type ConstantUnits = Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>;

/** The numbers of a kind of file. */
export type Sections<Units extends ConstantUnits> = {
  readonly [Section in keyof Units]: Readonly<Record<keyof Units[Section], number>>;
};

/** A file of constants: of a device, or of microbenchmarks. */
export interface ConstantFile<Schema extends string> {
  /** Changes if older files would be misread. */
  readonly schema: Schema;
  /** Name for `--device` and for messages. */
  readonly name: string;
  /** Must equal that of the extended file. */
  readonly architecture: Architecture;
  /** One line for `devices`. */
  readonly summary: string;
  /** Name of the file whose constants this one starts from. */
  readonly extends?: string;
  /** Its own constants, which override inherited ones. */
  readonly constants: DeviceConstants;
}

/** Units that are counted. */
const WHOLE_UNITS: ReadonlySet<string> = new Set(["cores", "count", "tiles"]);

/** Units whose values must not be zero. */
const POSITIVE_UNITS: ReadonlySet<string> = new Set(["cores", "MHz", "GB/s"]);

/** All kinds. */
export const CONSTANT_KINDS: readonly ConstantKind[] = ["stated", "measured", "fitted", "guess"];

/**
 * Checks a parsed file of constants.
 *
 * @param file name to show in errors
 * @param json what `JSON.parse` returned
 * @param units sections and names that the file may give, with their units
 * @throws {DiagnosticError} with every finding at once: missing fields, wrong types, unknown sections or names, wrong units
 */
export function parseConstantFile<Schema extends string>(
  file: string,
  json: unknown,
  schema: Schema,
  units: ConstantUnits,
): ConstantFile<Schema> {
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
  if (json.extends === undefined && json.schema === undefined) {
    report(
      'it needs at least a chip to start from, such as {"extends": "p150", "constants": {"clock": {"aiclk": 1000}}}',
    );
    throw new DiagnosticError(findings);
  }
  if (json.schema !== schema) report(`"schema" must be "${schema}", not ${JSON.stringify(json.schema)}`);
  for (const field of ["name", "summary"]) {
    if (typeof json[field] !== "string" || json[field] === "") report(`"${field}" must be a text`);
  }
  const { architecture } = json;
  if (!isArchitecture(architecture)) {
    const names = ARCHITECTURES.map((name) => JSON.stringify(name)).join(" or ");
    report(`"architecture" must be ${names}, not ${JSON.stringify(architecture)}`);
  }
  if (json.extends !== undefined && typeof json.extends !== "string") {
    report(`"extends" must be a device's name`);
  }
  const constants = parseSections(json.constants, units, report);
  if (findings.length > 0 || !isArchitecture(architecture)) throw new DiagnosticError(findings);
  return {
    schema,
    name: `${json.name}`,
    architecture,
    summary: `${json.summary}`,
    ...(typeof json.extends === "string" ? { extends: json.extends } : {}),
    constants,
  };
}

function parseSections(
  json: unknown,
  units: ConstantUnits,
  report: (message: string) => void,
): DeviceConstants {
  const constants: Record<string, Record<string, DeviceConstant>> = {};
  if (!isRecord(json)) {
    report(`"constants" must be an object of sections`);
    return constants;
  }
  for (const [section, entries] of Object.entries(json)) {
    const cached = units[section];
    if (cached === undefined) {
      report(`section "${section}" is not known; sections are ${Object.keys(units).join(", ")}`);
    } else if (!isRecord(entries)) {
      report(`section "${section}" must be an object of constants`);
    } else {
      const read: Record<string, DeviceConstant> = {};
      for (const [name, entry] of Object.entries(entries)) {
        const [unit] = cached[name] ?? [];
        if (unit === undefined) {
          report(
            `constant "${section}.${name}" is not known; names are ${Object.keys(cached).join(", ")}`,
          );
          continue;
        }
        const constant = parseConstant(entry, unit, `${section}.${name}`);
        if (typeof constant === "string") report(constant);
        else read[name] = constant;
      }
      constants[section] = read;
    }
  }
  return constants;
}

/** One constant, or what is wrong with it. */
function parseConstant(entry: unknown, unit: string, place: string): DeviceConstant | string {
  if (!isRecord(entry)) {
    return `constant "${place}" must be a number of ${unit} where the file extends a chip, ` +
      `or {"value", "unit", "source", "kind"}, not ${JSON.stringify(entry)}`;
  }
  const { value, source, kind, prior } = entry;
  if (typeof value !== "number" || !Number.isFinite(value) || value < 0) {
    return `"${place}.value" must be a number that is not negative, not ${JSON.stringify(value)}`;
  }
  if (WHOLE_UNITS.has(unit) && !Number.isSafeInteger(value)) {
    return `"${place}.value" must be a whole number of ${unit}, not ${value}`;
  }
  if (value === 0 && POSITIVE_UNITS.has(unit)) return `"${place}.value" cannot be 0 ${unit}`;
  if (entry.unit !== unit) return `"${place}.unit" must be "${unit}", not ${JSON.stringify(entry.unit)}`;
  if (typeof source !== "string" || source === "") {
    return `"${place}.source" must say where the value is from`;
  }
  if (!isConstantKind(kind)) {
    return `"${place}.kind" must be one of ${CONSTANT_KINDS.join(", ")}, not ${JSON.stringify(kind)}`;
  }
  if (prior === undefined) return { value, unit, source, kind };
  if (typeof prior !== "number" || !Number.isFinite(prior)) {
    return `"${place}.prior" must be a number, not ${JSON.stringify(prior)}`;
  }
  return { value, unit, source, kind, prior };
}

/** Constants of a file on top of those that it inherits, in the order of the sections of `units`. */
export function inheritConstants(
  units: ConstantUnits,
  base: DeviceConstants,
  own: DeviceConstants,
): DeviceConstants {
  return Object.fromEntries(Object.keys(units).map((name) => [name, { ...base[name], ...own[name] }]));
}

/**
 * The plain numbers of constants.
 *
 * @param name whose constants they are, for the error
 * @throws {DiagnosticError} if one that `units` requires is missing
 */
export function constantValues<Units extends ConstantUnits>(
  name: string,
  units: Units,
  constants: DeviceConstants,
): Sections<Units> {
  const values: Record<string, Record<string, number>> = {};
  const missing: string[] = [];
  for (const [section, names] of Object.entries(units)) {
    const read: Record<string, number> = values[section] = {};
    for (const key of Object.keys(names)) {
      const constant = constants[section]?.[key];
      if (constant === undefined) missing.push(`${section}.${key}`);
      else read[key] = constant.value;
    }
  }
  if (!isComplete(units, values, missing)) {
    throw inputError(
      "device/incomplete",
      `Cannot build device ${name}: no value for ${missing.join(", ")}; ` +
        `give them or name a device in "extends"`,
    );
  }
  return values;
}

/**
 * Constants with some values replaced.
 *
 * @param changes new values by section and name
 * @param source where the new values are from
 * @throws {RangeError} for an unknown section or name
 */
export function replaceConstants(
  constants: DeviceConstants,
  changes: ConstantValues,
  source: string,
  kind: ConstantKind,
): DeviceConstants {
  const replaced: Record<string, Readonly<Record<string, DeviceConstant>>> = { ...constants };
  for (const [section, values] of Object.entries(changes)) {
    const merged: Record<string, DeviceConstant> = { ...constants[section] };
    for (const [name, value] of Object.entries(values)) {
      const old = merged[name];
      if (old === undefined) {
        throw new RangeError(`Cannot change constant ${section}.${name}: it does not exist`);
      }
      if (old.value !== value) merged[name] = { ...old, value, source, kind };
    }
    replaced[section] = merged;
  }
  return replaced;
}

function isComplete<Units extends ConstantUnits>(
  _units: Units,
  _values: unknown,
  missing: readonly string[],
): _values is Sections<Units> {
  return missing.length === 0;
}

function isConstantKind(value: unknown): value is ConstantKind {
  return CONSTANT_KINDS.some((kind) => kind === value);
}

/** A record with each value mapped. */
export function mapValues<Value, Mapped>(
  record: Readonly<Record<string, Value>>,
  map: (value: Value, key: string) => Mapped,
): Record<string, Mapped> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value, key)]));
}
