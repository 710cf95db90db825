// SPDX-License-Identifier: Apache-2.0
import { type Architecture, isArchitecture } from "../../lib/device/chip_description.ts";
import { isRecord } from "../../lib/diagnostics/diagnostic.ts";
import { mapValues } from "./constants.ts";
import { DEVICE_SCHEMA } from "./device_schema.ts";

const UNITS: Readonly<Record<string, Readonly<Record<string, string>>>> = DEVICE_SCHEMA;

/**
 * The short form of a device file written out: if `extends` names a chip, only what differs must be given, and a
 * constant may be a plain number. `{"extends": "p150", "constants": {"clock": {"aiclk": 1000}}}` is a whole file; its
 * constants count as guesses from this file.
 *
 * @param file name of the file, used as the name of the device if the file gives none
 * @param architectureOf architecture of a bundled chip; throws for an unknown one
 */
export function completeDeviceFile(
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
    return isRecord(given) ? { unit: UNITS[section]?.[name], source: file, kind: "guess", ...given } : given;
  });
}
