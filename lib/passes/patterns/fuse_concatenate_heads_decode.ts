// SPDX-License-Identifier: Apache-2.0
import { makeAttributes } from "../../ops/attributes/print_attributes.ts";
import { MERGE_HEADS_DECODE } from "../../ops/attributes/attention.ts";
import { tensorType } from "../../ttnn/tensor_type.ts";
import type { RewritePattern } from "../rewrite_pattern.ts";
import { madeBy } from "./matching.ts";
import { PassBuilder } from "../pass_builder.ts";

/**
 * Ops allowed between decode attention and its output projection: a guard of users without keys, a typecast.
 */
const BEHIND_ATTENTION: readonly string[] = ["where", "typecast"];

/** Users whose rows the result has: fewer come back among as many, which no declared type says (`ttnn:backend-0-81-1`). */
const USERS = 32;

/**
 * Merged heads of one position per user, `[1, users, heads, size]`, after decode attention →
 * `nlp_concat_heads_decode` (tt-mlir:ttnn-fusing). It reads each user on its own core and writes each head to
 * its own core.
 */
export const fuseConcatenateHeadsDecode: RewritePattern = {
  name: "fuse-concatenate-heads-decode",
  upstream: "level-1",
  roots: ["ttnn.reshape"],
  rewrite: (op, body, context) => {
    const input = op.tensorOperand(0);
    const result = op.tensorResult;
    if (input === undefined || result === undefined || !isDecodeAttention(op.operands[0])) return false;
    const [one, users = 1, heads = 1, size = 1, ...more] = input.type.shape;
    const width = heads * size;
    const rows = result.type.shape.slice(0, -1);
    const merges = one === 1 && more.length === 0 && result.type.shape.at(-1) === width &&
      users === USERS && rows.at(-1) === users && heads <= 32 && size % 32 === 0;
    if (!merges) return false;
    const { dataType } = input.type;
    const perUser = tensorType(context.chip, input.type.shape, dataType, {
      bufferType: "l1",
      memoryLayout: "height_sharded",
      grid: [users, 1],
    });
    const perHead = tensorType(context.chip, [1, 1, users, width], dataType, {
      bufferType: "l1",
      memoryLayout: "width_sharded",
      grid: [1, heads],
    });
    const name = "ttnn.nlp_concat_heads_decode";
    const question = { name, operands: [perUser], results: [perHead] };
    if (
      !context.isLegal({ ...question, attributes: makeAttributes(MERGE_HEADS_DECODE, { num_heads: heads }) })
    ) return false;
    const site = new PassBuilder(body, op, context);
    const moved = site.op("ttnn.to_memory_config", [input], perUser);
    const merged = site.op(name, [moved], perHead, { num_heads: heads });
    body.replaceAllUses(result, site.reshape(merged, result.type.shape));
    return true;
  },
};

function isDecodeAttention(value: Parameters<typeof madeBy>[0]): boolean {
  const name = "scaled_dot_product_attention_decode";
  if (madeBy(value, name, `paged_${name}`) !== undefined) return true;
  const between = madeBy(value, ...BEHIND_ATTENTION);
  return between?.operands.some(isDecodeAttention) ?? false;
}
