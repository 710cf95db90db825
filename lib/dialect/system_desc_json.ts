// SPDX-License-Identifier: Apache-2.0

/**
 * The system descriptor that `ttrt` queries from boards, as JSON: what `ttrt read --section system_desc` prints of a
 * `.ttsys` file. It has the fields of a `ttcore.system_desc` (tt-mlir:system-descriptors).
 */

import * as v from "valibot";
import { type Architecture, isArchitecture } from "../device/chip_description.ts";
import { OPTIONAL_FIELDS, type OptionalField, type SystemChip } from "./system_desc.ts";

const COUNT = v.pipe(v.number(), v.integer(), v.minValue(0));

const CHIP = v.object({
  arch: v.pipe(
    v.string(),
    v.toLowerCase(),
    v.custom<Architecture>(isArchitecture, "is not a known architecture"),
  ),
  grid_size: v.object({ y: COUNT, x: COUNT }),
  l1_size: COUNT,
  l1_unreserved_base: COUNT,
  ...v.object(Object.fromEntries(OPTIONAL_FIELDS.map(([, name]) => [name, v.optional(COUNT)]))).entries,
});

const DESCRIPTOR = v.object({
  chip_descs: v.pipe(v.array(CHIP), v.minLength(1)),
  chip_desc_indices: v.optional(v.array(COUNT), []),
});

/** With what `ttrt` says of itself around it. */
const FILE = v.union([
  v.pipe(v.object({ system_desc: DESCRIPTOR }), v.transform(({ system_desc }) => system_desc)),
  DESCRIPTOR,
]);

/** Whether a JSON value is meant to be a system descriptor. */
export function isSystemDescJson(json: unknown): boolean {
  return typeof json === "object" && json !== null && ("system_desc" in json || "chip_descs" in json);
}

/**
 * The chips of a system descriptor in JSON, one entry per chip of the system.
 *
 * @returns what is wrong with it, where it is none
 */
export function systemChipsOfJson(json: unknown): readonly SystemChip[] | string {
  const read = v.safeParse(FILE, json);
  if (!read.success) {
    const [issue] = read.issues.flatMap((each) => each.issues ?? [each]);
    const path = issue === undefined ? "" : v.getDotPath(issue) ?? "";
    return `its system_desc is not understood${path === "" ? "" : ` at ${path}`}: ${issue?.message ?? ""}`;
  }
  const { chip_descs, chip_desc_indices } = read.output;
  const chips = chip_descs.map((chip): SystemChip => {
    const optional: Partial<Record<OptionalField, number>> = {};
    for (const [key, name] of OPTIONAL_FIELDS) {
      const value = new Map<string, unknown>(Object.entries(chip)).get(name);
      if (typeof value === "number") optional[key] = value;
    }
    return {
      architecture: chip.arch,
      workerGrid: { rows: chip.grid_size.y, columns: chip.grid_size.x },
      l1Size: chip.l1_size,
      l1UnreservedBase: chip.l1_unreserved_base,
      ...optional,
    };
  });
  const used = chip_desc_indices.map((index) => chips[index]);
  return used.length === 0 || used.includes(undefined) ? chips : used.filter((chip) => chip !== undefined);
}
