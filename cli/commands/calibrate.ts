// SPDX-License-Identifier: Apache-2.0
import type { Command } from "../command.ts";
import { JSON_OUTPUT, RUN_OPTIONS } from "./shared_options.ts";

/** `calibrate`: fits the simulator's constants to measurements. */
export const calibrate: Command = {
  name: "calibrate",
  summary: "Fit the simulator's constants to measurements and write the device files",
  positionals: "[MODEL]",
  arity: [0, 1],
  options: [
    {
      name: "data",
      kind: "string",
      value: "FILE",
      repeatable: true,
      description: "Measurements, as audit cost-model --data takes them; repeatable",
    },
    {
      name: "profile",
      kind: "string",
      value: "FILE",
      description:
        "The profiler's CSV of a run of MODEL: fit the device to it and write a device file that extends the bundled one",
    },
    ...RUN_OPTIONS,
    {
      name: "output",
      short: "o",
      kind: "string",
      value: "PATH",
      description:
        "Folder that holds devices and microbenchmarks, usually sim; with --profile, the device file; without it nothing is written",
    },
    JSON_OUTPUT,
    {
      name: "folds",
      kind: "number",
      value: "N",
      from: 2,
      default: 5,
      description: "Folds of held-out rows for the published errors",
    },
    {
      name: "seed",
      kind: "number",
      value: "N",
      from: 0,
      default: 1,
      description: "Decides folds and which rows stand for groups that have more than their share",
    },
  ],
  examples: [
    {
      command: "calibrate --data measured-perf.json",
      description: "Print the constants that would be written, and the errors on held-out rows",
    },
    {
      command: "calibrate --data measured-perf.json -o sim",
      description: "Write them",
    },
    {
      command: "calibrate testdata/models/mnist.mlir --profile testdata/profiles/mnist.csv -o my-chip.json",
      description: "Fit the chip to your own run; then use --device ./my-chip.json",
    },
  ],
  notes: [
    "Every fit starts from the values that the constants' sources give (`prior` in the device files), so that running it " +
    "again on the same data changes nothing.",
  ],
};
