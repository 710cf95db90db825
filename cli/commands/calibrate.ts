// SPDX-License-Identifier: Apache-2.0
import { type Command, options } from "../command.ts";
import { JSON_OUTPUT, RUN_OPTIONS } from "./shared_options.ts";

/** `calibrate`: fits the simulator's constants to measurements. */
export const calibrate: Command = {
  name: "calibrate",
  load: () => import("../run/calibrate.ts" satisfies string),
  summary: "Fit the simulator's constants to measurements and write the device files",
  positionals: "[MODEL]",
  options: options(
    "data FILE (repeatable) — Measurements, as audit cost-model --data takes them; repeatable",
    "profile FILE — The profiler's CSV of a run of MODEL: fit the device to it and write a device file that extends the bundled one",
    ...RUN_OPTIONS,
    "output PATH (short o) — Folder that holds devices and microbenchmarks, usually sim; with --profile, the device file; without it nothing is written",
    JSON_OUTPUT,
    "folds N (from 2, default 5) — Folds of held-out rows for the published errors",
    "seed N (from 0, default 1) — Decides folds and which rows stand for groups that have more than their share",
  ),
  examples: [
    "calibrate --data measured-perf.json — Print the constants that would be written, and the errors on held-out rows",
    "calibrate --data measured-perf.json -o sim — Write them",
    "calibrate testdata/models/mnist.mlir --profile testdata/profiles/mnist.csv -o my-chip.json — Fit the chip to your own run; then use --device ./my-chip.json",
  ],
  notes: [
    "Every fit starts from the values that the constants' sources give (`prior` in the device files), so that running it again on the same data changes nothing.",
  ],
};
