// SPDX-License-Identifier: Apache-2.0
import type { Command } from "../command.ts";
import { JSON_OUTPUT, MODULE } from "./shared_options.ts";

/** `ops`: coverage of the rule book. */
export const ops: Command = {
  name: "ops",
  summary: "List the ops that have rules, or those of a file that have none",
  positionals: "",
  arity: [0, 0],
  options: [
    {
      name: "uncovered",
      kind: "string",
      value: "FILE",
      description: "List the ops of this file that have no rule; - is standard input",
    },
    MODULE,
    JSON_OUTPUT,
  ],
  examples: [
    { command: "ops", description: "Every op with its cost class" },
    {
      command: "ops --uncovered testdata/models/mnist.mlir",
      description:
        "Ops that stay as the file has them, with how often they occur; exit code 1 when there are any",
    },
  ],
};
