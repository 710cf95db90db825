// SPDX-License-Identifier: Apache-2.0
import { type KernelArchitecture, kernelsOf } from "../../lib/device/chip_description.ts";
import {
  type ConstantFile,
  type ConstantKind,
  type ConstantValues,
  constantValues,
  inheritConstants,
  parseConstantFile,
  replaceConstants,
  type Sections,
} from "../devices/constants.ts";
import { buildDevice, type Device } from "../devices/device.ts";
import { getDevice } from "../devices/device_registry.ts";
import blackhole from "./constants/blackhole.json" with { type: "json" };
import n150June2025 from "./constants/n150-2025-06.json" with { type: "json" };
import p300In2025 from "./constants/p300-2025.json" with { type: "json" };
import wormhole from "./constants/wormhole_b0.json" with { type: "json" };
import { MICROBENCHMARK_SCHEMA } from "./microbenchmark_schema.ts";

/** A device with its microbenchmark constants. */
export type MeasuredDevice = Device & Sections<typeof MICROBENCHMARK_SCHEMA>;

/** Looks up a measured device by name. */
export type MeasuredDeviceLookup = (name: string) => MeasuredDevice;

export type MicrobenchmarkFile = ConstantFile<"tilewright.microbenchmarks/1">;

const ARCHITECTURE_MICROBENCHMARKS: Readonly<Record<KernelArchitecture, MicrobenchmarkFile>> = {
  wormhole_b0: parseMicrobenchmarks("wormhole_b0.json", wormhole),
  blackhole: parseMicrobenchmarks("blackhole.json", blackhole),
};

/**
 * Devices of benchmarks that were run with other software, by the name that measurements know them under: a bundled device, whose
 * constants they keep, and the microbenchmark constants in which they differ from the architecture's.
 */
const SOFTWARE_REVISIONS: ReadonlyMap<
  string,
  { readonly device: string; readonly file: MicrobenchmarkFile }
> = new Map([
  ["n150-2025-06", { device: "n150", file: parseMicrobenchmarks("n150-2025-06.json", n150June2025) }],
  ["p300-2025", { device: "p300", file: parseMicrobenchmarks("p300-2025.json", p300In2025) }],
]);

/** Every bundled file of microbenchmark constants. */
export const MICROBENCHMARK_FILES: readonly MicrobenchmarkFile[] = [
  ...Object.values(ARCHITECTURE_MICROBENCHMARKS),
  ...[...SOFTWARE_REVISIONS.values()].map(({ file }) => file),
];

/**
 * A bundled device, or one of the benchmarks' own, with its microbenchmark constants.
 *
 * @example
 * ```ts
 * import { getMeasuredDevice } from "@tilewright/tilewright/audit";
 * import { assert } from "@std/assert";
 *
 * const newest = getMeasuredDevice("n150");
 * assert(getMeasuredDevice("n150-2025-06").dispatcher.base > newest.dispatcher.base);
 * ```
 *
 * @throws {DiagnosticError} for an unknown name
 */
export function getMeasuredDevice(name: string): MeasuredDevice {
  return measured.getOrInsertComputed(name, () => {
    const revision = SOFTWARE_REVISIONS.get(name);
    const device = getDevice(revision?.device ?? name);
    const shared = ARCHITECTURE_MICROBENCHMARKS[kernelsOf(device.architecture)].constants;
    const own = revision === undefined
      ? shared
      : inheritConstants(MICROBENCHMARK_SCHEMA, shared, revision.file.constants);
    return measuredDevice({ ...device, name, constants: { ...device.constants, ...own } });
  });
}

/**
 * A measured device with some constants replaced, its own or those of microbenchmarks.
 *
 * @param changes new values by section and name
 * @param source where the new values are from
 * @throws {RangeError} for a section or name that neither schema knows
 */
export function withMeasuredConstants(
  device: MeasuredDevice,
  changes: ConstantValues,
  source: string,
  kind: ConstantKind,
): MeasuredDevice {
  return measuredDevice({ ...device, constants: replaceConstants(device.constants, changes, source, kind) });
}

const measured: Map<string, MeasuredDevice> = new Map();

/** Reads the numbers of both schemas from constants that hold both. */
function measuredDevice(
  device: Pick<Device, "name" | "architecture" | "summary" | "constants">,
): MeasuredDevice {
  const { name, constants } = device;
  return { ...buildDevice(device), ...constantValues(name, MICROBENCHMARK_SCHEMA, constants), constants };
}

function parseMicrobenchmarks(file: string, json: unknown): MicrobenchmarkFile {
  return parseConstantFile(file, json, "tilewright.microbenchmarks/1", MICROBENCHMARK_SCHEMA);
}
