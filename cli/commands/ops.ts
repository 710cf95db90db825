// SPDX-License-Identifier: Apache-2.0
import { type Command, options } from "../command.ts";
import { JSON_OUTPUT, MODULE } from "./shared_options.ts";

/** `ops`: coverage of the rule book. */
export const ops: Command = {
  name: "ops",
  load: () => import("../run/ops.ts" satisfies string),
  summary: "List the ops that have rules, or those of a file that have none",
  positionals: "",
  options: options(
    "uncovered FILE — List the ops of this file that have no rule; - is standard input",
    MODULE,
    JSON_OUTPUT,
  ),
  examples: [
    "ops — Every op with its cost class",
    "ops --uncovered testdata/models/mnist.mlir — Ops that stay as the file has them, with how often they occur; exit code 1 when there are any",
  ],
};
