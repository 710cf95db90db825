// SPDX-License-Identifier: Apache-2.0
import { type Command, options } from "../command.ts";
import { DEVICE_OPTIONS, JSON_OUTPUT, MODULE, SPLIT_INPUT_FILE } from "./shared_options.ts";

/** `lint`: errors in a file, found without running anything. */
export const lint: Command = {
  name: "lint",
  load: () => import("../run/lint.ts" satisfies string),
  summary: "Check SSA, types, layouts, device bounds and deallocation of a file",
  positionals: "[FILE]",
  options: options(
    ...DEVICE_OPTIONS,
    "strict — Treat warnings as errors",
    JSON_OUTPUT,
    MODULE,
    SPLIT_INPUT_FILE,
  ),
  examples: [
    "lint testdata/models/mnist.mlir — Silent and exit code 0 when nothing is wrong",
    "lint --strict testdata/models/mnist.mlir — Also fails on warnings, such as unusual layouts",
  ],
  notes: [
    "TTIR is also lowered: contradicting shapes are errors, ops without a lowering are warnings.",
    "Ops of TTNN that no rule covers are warnings.",
    "Ops of TTNN that break a rule of the backend are errors, on the device of the options or of the file.",
    "Exit code 1 when there are errors (with --strict: or warnings), 3 when the file cannot be parsed.",
  ],
};
