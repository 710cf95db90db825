// SPDX-License-Identifier: Apache-2.0
import { type Command, options } from "../command.ts";
import { MODULE, OUTPUT, SPLIT_INPUT_FILE } from "./shared_options.ts";

/** `print`: parse and print back. */
export const print: Command = {
  name: "print",
  load: () => import("../run/print.ts" satisfies string),
  summary: "Parse a file and print it back, unchanged or in generic form",
  positionals: "[FILE]",
  options: options(
    "generic — Print every op in generic form, as mlir-opt --allow-unregistered-dialect accepts it",
    OUTPUT,
    MODULE,
    SPLIT_INPUT_FILE,
  ),
  examples: [
    "print testdata/models/mnist.mlir — Checks the syntax; prints the same bytes",
    "print --generic testdata/models/mnist.mlir — For tools that do not know the ttnn and ttcore dialects",
  ],
};
