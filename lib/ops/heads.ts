// SPDX-License-Identifier: Apache-2.0
import { MERGE_HEADS_DECODE, SPLIT_HEADS, SPLIT_HEADS_DECODE } from "./attributes/attention.ts";
import { readAttributes } from "./attributes/read_attributes.ts";
import { defineOps, type OpDefinition } from "./definition.ts";
import type { InferredShape, ShapedOp } from "./shape_inference.ts";

export type HeadsFamily = "concat_heads" | "concat_heads_decode" | "split_heads" | "create_heads_decode";

/** Ops that merge the heads of attention into one row, and split it into heads. */
export const HEADS: readonly OpDefinition<HeadsFamily>[] = [
  ...defineOps("concatenate_heads", "concat_heads", "heads", {
    inferShape: ({ operands: [input] }) => merged(input),
    deviceOperation: "NLPConcatHeadsDeviceOperation",
  }),
  ...defineOps("nlp_concat_heads", "concat_heads", "heads", {
    inferShape: ({ operands: [input] }) => {
      const [batch, ...row] = merged(input) ?? [];
      return batch === undefined ? undefined : [batch, 1, ...row];
    },
    deviceOperation: "NLPConcatHeadsDeviceOperation",
  }),
  ...defineOps("nlp_concat_heads_decode", "concat_heads_decode", "heads", {
    attributes: MERGE_HEADS_DECODE,
    deviceOperation: "NLPConcatHeadsDecodeDeviceOperation",
  }),
  // Queries, keys and values in one tensor, or the queries and a second tensor of keys and values. The second op has rows
  // in a dimension of their own.
  ...defineOps("split_query_key_value_and_split_heads nlp_create_qkv_heads", "split_heads", "heads", {
    attributes: SPLIT_HEADS,
    operands: ["activation", "activation?"],
    results: 3,
    inferShape: queries,
    deviceOperation: "NlpCreateHeadsDeviceOperation",
  }),
  ...defineOps("nlp_create_qkv_heads_decode", "create_heads_decode", "heads", {
    attributes: SPLIT_HEADS_DECODE,
    operands: ["activation", "activation?"],
    results: 3,
    deviceOperation: "NLPCreateQKVHeadsDecodeDeviceOperation",
  }),
];

function merged(input: readonly number[] | undefined): readonly number[] | undefined {
  if (input?.length !== 4) return undefined;
  const [batch = 1, heads = 1, rows = 1, width = 1] = input;
  return [batch, rows, heads * width];
}

function queries(op: ShapedOp): InferredShape {
  const [input, keysAndValues] = op.operands;
  if (input === undefined || input.length < 3 || input.length > 4) return undefined;
  const { num_heads: heads, num_kv_heads: keyHeads = heads } = readAttributes(op, SPLIT_HEADS);
  const [batch = 1, rows = 1, width = 1] = input.length === 4 ? input.toSpliced(1, 1) : input;
  return [batch, heads, rows, width / (keysAndValues === undefined ? heads + 2 * keyHeads : heads)];
}
