// SPDX-License-Identifier: Apache-2.0
import bundled from "./devices.json" with { type: "json" };
import { type Architecture, ARCHITECTURES, isArchitecture } from "../../lib/device/chip_description.ts";
import { type DiagnosticError, inputError, isRecord } from "../../lib/diagnostics/diagnostic.ts";
import {
  type ConstantUnits,
  type DeviceConstant,
  type DeviceConstants,
  inheritConstants,
  mapValues,
} from "./constants.ts";
import { DEVICE_SCHEMA } from "./device_schema.ts";
import { ARCHITECTURE_FILES } from "./architecture_files.ts";
import { buildDevice, type Device, type DeviceFile, parseDeviceFile } from "./device.ts";

const UNITS: ConstantUnits = DEVICE_SCHEMA;

/**
 * The short form of a device file written out: if `extends` names a chip, only what differs must be given, and a
 * constant may be a plain number. `{"extends": "p150", "constants": {"clock": {"aiclk": 1000}}}` is a whole file; its
 * constants count as guesses from this file.
 *
 * @param file name of the file, used as the name of the device if the file gives none
 * @param architectureOf architecture of a bundled chip; throws for an unknown one
 */
function completeDeviceFile(
  file: string,
  json: unknown,
  architectureOf: (name: string) => Architecture,
): unknown {
  if (!isRecord(json) || typeof json.extends !== "string") return json;
  const { extends: base, constants = {} } = json;
  return {
    schema: "tilewright.device/1",
    name: file.replace(/^.*[\\/]/s, "").replace(/\.jsonc?$/, ""),
    architecture: isArchitecture(base) ? base : architectureOf(base),
    summary: `${base} with constants of its own`,
    ...json,
    constants: isRecord(constants)
      ? mapValues(constants, (section, name) => completed(file, section, name))
      : constants,
  };
}

function completed(file: string, entries: unknown, section: string): unknown {
  if (!isRecord(entries)) return entries;
  return mapValues(entries, (entry, name) => {
    const given = typeof entry === "number" ? { value: entry } : entry;
    return isRecord(given)
      ? { unit: UNITS[section]?.[name]?.[0], source: file, kind: "guess", ...given }
      : given;
  });
}

/** Files of the bundled devices as parsed JSON, by name. */
const DEVICE_FILES: ReadonlyMap<string, unknown> = new Map<string, unknown>(
  bundled.map((file) => [file.name, file]),
);

/** Names of the bundled devices, in the order in which they are shown. */
export const DEVICE_NAMES: readonly string[] = [...DEVICE_FILES.keys()];

const built: Map<string, Device> = new Map();

/**
 * Returns a bundled device.
 *
 * @example
 * ```ts
 * import { getDevice } from "@tilewright/tilewright";
 * import { chipDescription } from "@tilewright/tilewright/device";
 * import { assertEquals } from "@std/assert";
 *
 * assertEquals(chipDescription(getDevice("n150")).architecture, "wormhole_b0");
 * ```
 *
 * @throws {DiagnosticError} for an unknown name
 */
export function getDevice(name: string): Device {
  return built.getOrInsertComputed(name, () => {
    const json = DEVICE_FILES.get(name);
    if (json === undefined) {
      throw inputError(
        "device/unknown",
        `Cannot find device ${JSON.stringify(name)}: devices are ${DEVICE_NAMES.join(", ")}`,
      );
    }
    return loadDevice(`${name}.json`, json);
  });
}

/**
 * Builds a device from parsed JSON, a user's own or a bundled one. `extends` may name an architecture (`wormhole_b0`,
 * `blackhole`, `quasar`) or a bundled device; such a file needs to give only what differs, see {@linkcode completeDeviceFile}.
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
 * @throws {DiagnosticError} if the file is not a valid device
 */
export function loadDevice(file: string, json: unknown): Device {
  const whole = completeDeviceFile(file, json, (name) => {
    if (!DEVICE_FILES.has(name)) throw unknownBase(file, name);
    return getDevice(name).architecture;
  });
  const parsed = parseDeviceFile(file, whole);
  if (parsed.extends === undefined) return buildDevice(parsed);
  return buildDevice(parsed, baseOf(file, parsed.extends, parsed.architecture));
}

function baseOf(
  file: string,
  name: string,
  architecture: Architecture,
): Pick<DeviceFile, "constants" | "mesh"> {
  const base = isArchitecture(name)
    ? ofArchitecture(name)
    : DEVICE_FILES.has(name)
    ? getDevice(name)
    : undefined;
  if (base === undefined || base.architecture !== architecture) {
    throw unknownBase(file, name);
  }
  return base;
}

/** Constants that the devices of a family share. Those that it takes from another family are marked as guesses. */
function ofArchitecture(name: Architecture): Pick<DeviceFile, "architecture" | "constants" | "mesh"> {
  const own = parseDeviceFile(`${name}.json`, ARCHITECTURE_FILES[name].constants);
  if (own.extends === undefined || !isArchitecture(own.extends)) return own;
  const guesses = asGuesses(ofArchitecture(own.extends).constants, own.extends);
  return { ...own, constants: inheritConstants(DEVICE_SCHEMA, guesses, own.constants) };
}

function asGuesses(constants: DeviceConstants, from: Architecture): DeviceConstants {
  const guess = ({ value, unit }: DeviceConstant): DeviceConstant => ({
    value,
    unit,
    source: `as ${from}'s`,
    kind: "guess",
  });
  return mapValues(constants, (section) => mapValues(section, guess));
}

function unknownBase(file: string, name: string): DiagnosticError {
  const names = [...ARCHITECTURES, ...DEVICE_NAMES].join(", ");
  return inputError(
    "device/invalid",
    `Cannot read device ${file}: "extends" must name one of ${names} of the same architecture, ` +
      `not ${JSON.stringify(name)}`,
  );
}
