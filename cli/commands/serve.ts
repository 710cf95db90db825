// SPDX-License-Identifier: Apache-2.0
import { type Command, options } from "../command.ts";
import { DEVICE_OPTIONS, JSON_OUTPUT } from "./shared_options.ts";

/** `serve`: the op model for a compiler, over a pipe. */
export const serve: Command = {
  name: "serve",
  load: () => import("../run/serve.ts" satisfies string),
  summary: "Answer a compiler's op model queries on standard input, one JSON object per line",
  positionals: "",
  options: options(
    ...DEVICE_OPTIONS.filter(({ name }) => name === "device").map((spec) => ({
      ...spec,
      description:
        "Chip to answer for, or a device JSON of your own; default: the one that hello describes, else n150",
    })),
    "stats — Print on standard error at the end how many lines were answered, and how fast",
    { ...JSON_OUTPUT, description: "With --stats: as one JSON object" },
  ),
  examples: [
    "serve — Answer for the chip that the compiler describes",
    "serve --device p150 --stats — For a p150, with statistics at the end",
  ],
  notes: [
    "For a tt-mlir without tt-metal: TTMLIR_OPMODEL_CMD='tilewright serve' ttmlir-opt … . docs/serve.md describes queries and replies; serve ends with standard input.",
  ],
};
