// SPDX-License-Identifier: Apache-2.0
import type { Command } from "../command.ts";
import { JSON_OUTPUT } from "./shared_options.ts";

/** `audit`: how far the models agree with recorded facts. */
export const audit: Command = {
  name: "audit",
  summary: "Compare the op model with recorded answers of the real backend",
  positionals: "op-model",
  arity: [1, 1],
  options: [
    {
      name: "data",
      kind: "string",
      value: "FILE",
      description: "Recorded rows, in the schema of op-model-expectations.json",
    },
    {
      name: "device",
      kind: "string",
      value: "NAME",
      default: "n150",
      description: "Chip that the rows were recorded on",
    },
    JSON_OUTPUT,
  ],
  examples: [
    {
      command: "audit op-model --data op-model-expectations.json",
      description: "Agreement per op family, and every miss",
    },
    {
      command: "audit op-model --data op-model-expectations.json --json",
      description: "The same as one JSON object",
    },
  ],
  notes: [
    "Validity is compared with the newest backend where that is on record; byte figures with the backend of November " +
    "2025 that they were recorded on. docs/op-model.md explains every miss on the known rows.",
  ],
  load: () => import("../run/audit.ts"),
};
