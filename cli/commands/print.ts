// SPDX-License-Identifier: Apache-2.0
import type { Command } from "../command.ts";
import { MODULE, OUTPUT, SPLIT_INPUT_FILE } from "./shared_options.ts";

/** `print`: parse and print back. */
export const print: Command = {
  name: "print",
  summary: "Parse a file and print it back, unchanged or in generic form",
  positionals: "[FILE]",
  arity: [0, 1],
  options: [
    {
      name: "generic",
      kind: "boolean",
      description: "Print every op in generic form, as mlir-opt --allow-unregistered-dialect accepts it",
    },
    OUTPUT,
    MODULE,
    SPLIT_INPUT_FILE,
  ],
  examples: [
    {
      command: "print testdata/models/mnist.mlir",
      description: "Checks the syntax; prints the same bytes",
    },
    {
      command: "print --generic testdata/models/mnist.mlir",
      description: "For tools that do not know the ttnn and ttcore dialects",
    },
  ],
};
