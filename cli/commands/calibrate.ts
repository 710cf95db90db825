// SPDX-License-Identifier: Apache-2.0
import type { Command } from "../command.ts";

/** `calibrate`: fits the simulator's constants to measurements. */
export const calibrate: Command = {
  name: "calibrate",
  summary: "Fit the simulator's constants to measurements and write the device files",
  positionals: "",
  arity: [0, 0],
  options: [
    {
      name: "data",
      kind: "string",
      value: "FILE",
      repeatable: true,
      description: "Measured rows, in the schema of measured-perf.json or measured-ops-2.json; repeatable",
    },
    {
      name: "output",
      short: "o",
      kind: "string",
      value: "FOLDER",
      description:
        "Folder that holds devices and microbenchmarks, usually sim; without it nothing is written",
    },
    {
      name: "folds",
      kind: "number",
      value: "N",
      default: 5,
      description: "Folds of held-back rows for the published errors",
    },
    {
      name: "seed",
      kind: "number",
      value: "N",
      default: 1,
      description: "Decides folds and which rows stand for groups that have more than their share",
    },
  ],
  examples: [
    {
      command: "calibrate --data measured-perf.json",
      description: "Print the constants that would be written, and the errors on held-back rows",
    },
    {
      command: "calibrate --data measured-perf.json -o sim",
      description: "Write them",
    },
  ],
  notes: [
    "Every fit starts from the values that the constants' sources give (`prior` in the device files), so that running it " +
    "again on the same data changes nothing.",
  ],
};
