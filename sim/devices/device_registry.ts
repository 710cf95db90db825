// SPDX-License-Identifier: Apache-2.0
import type { Architecture } from "../../lib/device/chip_description.ts";
import { DiagnosticError } from "../../lib/diagnostics/diagnostic.ts";
import { buildDevice, type Device, type DeviceFile, parseDeviceFile } from "./device.ts";
import blackhole from "./architecture/blackhole.json" with { type: "json" };
import wormhole from "./architecture/wormhole_b0.json" with { type: "json" };
import n150June2025 from "./n150-2025-06.json" with { type: "json" };
import n150 from "./n150.json" with { type: "json" };
import n300 from "./n300.json" with { type: "json" };
import n300TensixDispatch from "./n300-tensix-dispatch.json" with { type: "json" };
import p100 from "./p100.json" with { type: "json" };
import p150 from "./p150.json" with { type: "json" };
import p150Harvested from "./p150-harvested.json" with { type: "json" };
import p150OneColumnHarvested from "./p150-one-column-harvested.json" with { type: "json" };

const ARCHITECTURE_FILES: ReadonlyMap<string, unknown> = new Map<string, unknown>([
  ["wormhole_b0", wormhole],
  ["blackhole", blackhole],
]);

const DEVICE_FILES: ReadonlyMap<string, unknown> = new Map<string, unknown>([
  ["n150", n150],
  ["n300", n300],
  ["n300-tensix-dispatch", n300TensixDispatch],
  ["p100", p100],
  ["p150", p150],
  ["p150-one-column-harvested", p150OneColumnHarvested],
  ["p150-harvested", p150Harvested],
  ["n150-2025-06", n150June2025],
]);

/** Names of the bundled devices, in the order in which they are shown. */
export const DEVICE_NAMES: readonly string[] = [...DEVICE_FILES.keys()];

/** Bundled device files as parsed JSON, by their path under `sim/devices`: architectures first. */
export const DEVICE_FILE_JSON: ReadonlyMap<string, unknown> = new Map<string, unknown>([
  ...[...ARCHITECTURE_FILES].map(([name, json]) => [`architecture/${name}.json`, json] as const),
  ...[...DEVICE_FILES].map(([name, json]) => [`${name}.json`, json] as const),
]);

const built: Map<string, Device> = new Map();

/**
 * Returns a bundled device.
 *
 * @example
 * ```ts
 * import { chipDescription, getDevice } from "@tilewright/tilewright";
 * import { assertEquals } from "@std/assert";
 *
 * assertEquals(chipDescription(getDevice("n150")).architecture, "wormhole_b0");
 * ```
 *
 * @throws {DiagnosticError} for an unknown name
 */
export function getDevice(name: string): Device {
  const known = built.get(name);
  if (known !== undefined) return known;
  const json = DEVICE_FILES.get(name);
  if (json === undefined) {
    throw new DiagnosticError([{
      code: "device/unknown",
      severity: "error",
      message: `Cannot find device ${JSON.stringify(name)}: devices are ${DEVICE_NAMES.join(", ")}`,
    }]);
  }
  const device = loadDevice(`${name}.json`, json);
  built.set(name, device);
  return device;
}

/**
 * Builds a device from parsed JSON, a user's own or a bundled one. `extends` may name an architecture
 * (`wormhole_b0`, `blackhole`) or a bundled device.
 *
 * @example
 * ```ts
 * import { getDevice, loadDevice } from "@tilewright/tilewright";
 * import { assertEquals } from "@std/assert";
 *
 * const device = loadDevice("slow.json", {
 *   schema: "tilewright.device/1",
 *   name: "slow-n150",
 *   architecture: "wormhole_b0",
 *   summary: "An n150 at half its clock",
 *   extends: "n150",
 *   constants: { clock: { aiclk: { value: 500, unit: "MHz", source: "an example", kind: "guess" } } },
 * });
 * assertEquals(device.clock.aiclk, 500);
 * assertEquals(device.l1.size, getDevice("n150").l1.size);
 * ```
 *
 * @param file name to show in errors
 * @throws {DiagnosticError} when the file is no valid device
 */
export function loadDevice(file: string, json: unknown): Device {
  const parsed = parseDeviceFile(file, json);
  if (parsed.extends === undefined) return buildDevice(parsed);
  return buildDevice(parsed, baseOf(file, parsed.extends, parsed.architecture));
}

function baseOf(file: string, name: string, architecture: Architecture): DeviceFile {
  const architectureFile = ARCHITECTURE_FILES.get(name);
  let base: DeviceFile | undefined;
  if (architectureFile !== undefined) {
    base = parseDeviceFile(`${name}.json`, architectureFile);
  } else if (DEVICE_FILES.has(name)) {
    base = { schema: "tilewright.device/1", ...getDevice(name) };
  }
  if (base === undefined || base.architecture !== architecture) {
    const names = [...ARCHITECTURE_FILES.keys(), ...DEVICE_NAMES].join(", ");
    throw new DiagnosticError([{
      code: "device/invalid",
      severity: "error",
      message: `Cannot read device ${file}: "extends" must name one of ${names} of the same architecture, ` +
        `not ${JSON.stringify(name)}`,
    }]);
  }
  return base;
}
