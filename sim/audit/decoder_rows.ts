// SPDX-License-Identifier: Apache-2.0
import { decoderNamed } from "./decoder_architecture.ts";
import { decoderPassMicroseconds } from "./decoder_step.ts";
import { type MeasuredRow, numberOf, textOf } from "./measured_row.ts";
import { type AuditRow, excluding } from "./row_model.ts";

/** Bundled devices that the chips of a system are, by its name. */
const CHIPS: readonly (readonly [RegExp, string])[] = [
  [/^n150(\/WH)?$/, "n150"],
  [/^(n300|T3000|T3K)$|^(QuietBox|LoudBox)( WH)?$/, "n300"],
  [/^p100a?$/, "p100"],
  [/^p150[abc]?( ?x ?\d)?$|^(QuietBox|LoudBox) BH$/, "p150-13x10"],
  [/^p300[abc]?$|^QuietBox 2/, "p300"],
];

/** Whole models: language models are composed from their published configuration, others need their graph. */
export function decoderRow(row: MeasuredRow): AuditRow {
  const group = row.group;
  const excluded = excluding(group, row.device);
  const name = row.op.startsWith("falcon7b") ? "Falcon-7B" : textOf(row.shapes, "model");
  const model = decoderNamed(name);
  if (model === undefined) return excluded("the graph of the model is not in the row");
  const device = CHIPS.find(([pattern]) => pattern.test(row.device))?.[1];
  if (device === undefined) return excluded("the chip is not modelled");
  const us = numberOf(row.measured, "us");
  const users = numberOf(row.shapes, "batch");
  const cached = numberOf(row.shapes, "kv_len");
  const prompt = row.op.endsWith("prefill") ? numberOf(row.shapes, "seq") : 1;
  if (us === undefined || users === undefined || cached === undefined || prompt === undefined) {
    return excluded("batch, length or time is missing");
  }
  if (row.quality !== "") return excluded(`flagged: ${row.quality}`);
  // Copies of a model beside each other share the users.
  const copies = Number(/\bDP(\d+)\b/.exec(name)?.[1] ?? 1);
  const pass = {
    ...model,
    users: Math.max(1, Math.round(users / copies)),
    newTokens: prompt,
    cachedTokens: cached,
    // Falcon's demo is of the time before weights were sharded over the banks.
    sharded: prompt === 1 && !name.startsWith("Falcon"),
  };
  // Demos measure on the host, which reads the logits and chooses the next tokens.
  const onHost = row.basis.includes("host");
  const logits = onHost ? users * model.architecture.vocabulary : 0;
  return {
    status: "modelled",
    group,
    device,
    configuration: [group, row.device, row.op, name, users, prompt, cached].join(" "),
    table: [row.device, name].join(" "),
    measured: us,
    unit: "us",
    predict: (chip) => decoderPassMicroseconds(pass, chip) + logits * chip.sampling.logitHost / 1000,
  };
}
