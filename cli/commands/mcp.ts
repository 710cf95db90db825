// SPDX-License-Identifier: Apache-2.0
import { type Command, option, options } from "../command.ts";

/** Default of `--max-bytes`: what fits a conversation several times. */
export const DEFAULT_MAX_BYTES = 40_000;

/** `mcp`: tools for agents. */
export const mcp: Command = {
  name: "mcp",
  load: () => import("../run/mcp.ts" satisfies string),
  summary: "Serve the commands that answer questions to agents (Model Context Protocol)",
  positionals: "",
  options: options(
    "root FOLDER (repeatable) — Read files below FOLDER only, links resolved first; default: the working folder",
    "write FOLDER (repeatable) — Allow tools to write files below FOLDER; without it nothing is written",
    option(
      "max-bytes N",
      "Bound every answer, as JSON with its remarks: what takes least time is left out, and it says so",
      { from: 6000, default: DEFAULT_MAX_BYTES },
    ),
  ),
  examples: ["mcp --root testdata/models — Tools over the bundled models, on standard input and output"],
  notes: [
    "For a client's configuration: command tilewright, arguments mcp --root FOLDER. It ends when standard input does. What tools take and answer is in the schemas that they list: options and --json of the commands of their names. Environment and configuration files are not read.",
  ],
};
