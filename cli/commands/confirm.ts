// SPDX-License-Identifier: Apache-2.0
import { type Command, options } from "../command.ts";
import { DECISION_OPTIONS, POLICY } from "./policy_options.ts";
import { JSON_OUTPUT, RUN_OPTIONS } from "./shared_options.ts";

const { default: _auto, ...AS_WRITTEN } = POLICY;

/** `confirm`: whether a program runs on the real backend. */
export const confirm: Command = {
  name: "confirm",
  load: () => import("../run/confirm.ts" satisfies string),
  summary: "Run a program op by op on ttnn's own host code on a mock device, beside our model of it",
  positionals: "[FILE]",
  options: options(
    {
      ...AS_WRITTEN,
      description: `Decide layouts first, by a policy; default: as written. ${POLICY.description}`,
    },
    ...RUN_OPTIONS,
    "all — A row for every op; otherwise for those that do not run, or of which our model differs",
    "setup — Make the environment with ttnn in the cache folder (350 MB), and exit",
    JSON_OUTPUT,
    ...DECISION_OPTIONS,
  ),
  examples: [
    "confirm testdata/models/mnist.mlir — The file as written: does every op run, with the layouts that it declares?",
    "confirm testdata/models/resnet50.mlir --policy greedy --device p150 — The plan of a policy",
    "confirm testdata/models/mnist.mlir --all --json — Every op, for scripts",
    "confirm --setup — Once: a virtual environment in the cache folder",
  ],
  notes: [
    "The op validation, output layouts, programs, circular buffers and addresses are those of the installed ttnn; kernels do not run, so values and times are not checked.",
    "It needs Python 3.10 or 3.12 with ttnn: the environment of --setup, or the one that TILEWRIGHT_TTNN names. Nothing is written outside of the cache folder ($TILEWRIGHT_CACHE, else ~/.cache/tilewright).",
    "Exit code 1 when the backend refuses an op, results are not as declared, or not every op was asked; differences between our model and the backend alone are none.",
  ],
};
