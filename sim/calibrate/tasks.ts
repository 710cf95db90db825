// SPDX-License-Identifier: Apache-2.0
import * as v from "valibot";
import { ARCHITECTURES } from "../../lib/device/chip_description.ts";
import type { CalibrationTask } from "./calibrate.ts";
import bundled from "./tasks.json" with { type: "json" };

/** Report groups, each with the most rows that it may bring. */
const GROUPS = v.record(v.string(), v.number());

/** Ranges by `section.name`, with a note where the range is not plain. */
const RANGES = v.record(v.string(), v.tupleWithRest([v.number(), v.number()], v.string()));

/** Sets of groups and of constants that several fits share, and the fits: on the rows of an architecture or a device. */
const FILE = v.object({
  groups: v.record(v.string(), GROUPS),
  constants: v.record(v.string(), RANGES),
  tasks: v.array(v.object({
    name: v.string(),
    architecture: v.picklist(ARCHITECTURES),
    device: v.exactOptional(v.string()),
    groups: v.array(v.union([v.string(), GROUPS])),
    constants: v.array(v.union([v.string(), RANGES])),
  })),
});

type Sets<Entry> = Readonly<Record<string, Readonly<Record<string, Entry>>>>;

/** The entries of a list of records and names of records, in order. @throws {RangeError} for an unknown name */
function entriesOf<Entry>(parts: readonly (string | Sets<Entry>[string])[], sets: Sets<Entry>) {
  return parts.flatMap((part) => {
    const record = typeof part === "string" ? sets[part] : part;
    if (record === undefined) throw new RangeError(`Cannot read the tasks: they have no set ${part}`);
    return Object.entries(record);
  });
}

const { groups: groupSets, constants: constantSets, tasks } = v.parse(FILE, bundled);

/** Every fit, in the order in which they build on each other. */
export const CALIBRATION_TASKS: readonly CalibrationTask[] = tasks.map(
  ({ name, groups, constants, ...place }) => ({
    ...place,
    name: `${name} ${place.device ?? place.architecture}`,
    groups: Object.fromEntries(entriesOf(groups, groupSets)),
    constants: entriesOf(constants, constantSets).map(([path, [min, max]]) => {
      const [section = "", constant = ""] = path.split(".");
      return { section, name: constant, min, max };
    }),
  }),
);
