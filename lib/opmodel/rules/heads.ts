// SPDX-License-Identifier: Apache-2.0
import { isSharded } from "../../layout/ttnn_layout.ts";
import { readInteger } from "../../dialect/attribute_values.ts";
import { queryHeads, transposesKeys } from "../../ops/heads.ts";
import { intern, placeOutput, shardedLayout, units } from "../place_output.ts";
import { DEFAULT_TILE } from "../../layout/ttnn_layout.ts";
import { type ConstraintQuery, defineRule, type RuleContext, type RulesOf } from "../rule.ts";
import type { TensorShape } from "../../ops/op_signature.ts";
import type { Tensor } from "../tensor.ts";
import { accept, describeTensor, isRefusal, refuse, refuseConfig, refuseLayout } from "../verdict.ts";
import { missingOperand, operandAt, wantsShards } from "./program.ts";

const HEADS = "tt-metal:heads";

/** A result spread over this many cores; refused if the chip has fewer. */
function spread(
  query: ConstraintQuery,
  context: RuleContext,
  { shape, dataType }: TensorShape,
  cores: number,
  memoryLayout: "height_sharded" | "width_sharded",
): Tensor | ReturnType<typeof refuse> {
  if (cores > context.cores) {
    return refuse(
      "unsupported_config",
      "heads/cores",
      `${query.op.name} needs ${cores} cores, the chip has ${context.cores}`,
      HEADS,
    );
  }
  const [rows, columns] = units(shape, DEFAULT_TILE);
  const high = memoryLayout === "height_sharded";
  const layout = shardedLayout(
    context,
    dataType,
    { bufferType: "l1", memoryLayout },
    high ? [cores, 1] : [1, cores],
    high ? [Math.ceil(rows / cores), columns] : [rows, Math.ceil(columns / cores)],
  );
  return intern(shape, layout, context);
}

/** The rules of heads. */
export const HEADS_RULES: RulesOf<
  "concat_heads" | "concat_heads_decode" | "split_heads" | "create_heads_decode"
> = {
  /** Rule of `concatenate_heads` and `nlp_concat_heads`: a row of tiles of all heads in and out. */
  concat_heads: defineRule({
    strategy: { hints: "non_sharded", inputs: ["not_sharded"], exploresReshards: false },
    evaluate: (query, context) => {
      const input = operandAt(query, 0);
      if (input.shape.length !== 4 || input.layout.tile === undefined) {
        return refuseLayout(
          query.op,
          "heads/input",
          `${describeTensor(0, input)} must be a tiled tensor of rank 4`,
          HEADS,
        );
      }
      if (isSharded(input.layout) && input.layout.memoryLayout === "width_sharded") {
        return refuseLayout(
          query.op,
          "heads/width-sharded",
          `${describeTensor(0, input)} must not be width sharded`,
          HEADS,
        );
      }
      const output = placeOutput(query, context, { whenNull: input.layout });
      if (isRefusal(output)) return output;
      return accept({ outputs: [output] }, context);
    },
  }),
  /** Rule of `nlp_concat_heads_decode`: height-sharded in, width-sharded out with one core per head. */
  concat_heads_decode: defineRule({
    strategy: { hints: "null", inputs: ["any"], exploresReshards: false },
    evaluate: (query, context) => {
      const input = operandAt(query, 0);
      if (input.layout.memoryLayout !== "height_sharded") {
        return refuseLayout(
          query.op,
          "heads/decode-input",
          `${describeTensor(0, input)} must be height sharded`,
          HEADS,
        );
      }
      const result = query.op.results[0];
      const heads = readInteger(query.op.attributes, "num_heads") ?? 1;
      if (result === undefined) return missingOperand(query.op, 0);
      const output = spread(query, context, result, heads, "width_sharded");
      if (isRefusal(output)) return output;
      return accept({ outputs: [output] }, context);
    },
  }),
  /**
   * Rule of `split_query_key_value_and_split_heads` and `nlp_create_qkv_heads`: three results of one kind.
   */
  split_heads: defineRule({
    strategy: { hints: "null", inputs: ["any"], exploresReshards: false },
    evaluate: (query, context) => {
      const input = operandAt(query, 0);
      if (input.layout.tile === undefined) {
        return refuseLayout(query.op, "heads/tile", `${describeTensor(0, input)} must be tiled`, HEADS);
      }
      const apart = query.op.operands.length > 1 ? operandAt(query, 1) : undefined;
      if (apart !== undefined && apart.shape.at(-2) !== input.shape.at(-2)) {
        return refuse(
          "unsupported_config",
          "heads/rows",
          `${describeTensor(1, apart)} must have as many rows as the queries, ${input.shape.at(-2)}`,
          HEADS,
        );
      }
      const size = query.op.results[0]?.shape.at(-1) ?? 0;
      if (size % 32 !== 0) {
        return refuseConfig(query.op, "heads/size", `heads of ${size} are not whole tiles`, HEADS);
      }
      const transposesKey = transposesKeys(query.op.attributes);
      if (isSharded(input.layout) && transposesKey) {
        return refuseLayout(
          query.op,
          "heads/transpose-sharded",
          "a sharded operand cannot transpose its keys",
          HEADS,
        );
      }
      const heads = queryHeads(query.op.attributes) ?? 1;
      const keyHeads = readInteger(query.op.attributes, "num_kv_heads") ?? heads;
      const columns = isSharded(input.layout) ? input.layout.gridShape[1] ?? 1 : 1;
      if (heads % columns !== 0 || keyHeads % columns !== 0) {
        return refuseLayout(
          query.op,
          "heads/shards",
          `${
            describeTensor(0, input)
          } has ${columns} columns of shards, which take no whole heads of ${heads} and ${keyHeads}`,
          HEADS,
        );
      }
      if (!isSharded(input.layout) && wantsShards(query)) {
        return refuseLayout(
          query.op,
          "heads/interleaved",
          "results of an interleaved operand are interleaved",
          HEADS,
        );
      }
      const outputs: Tensor[] = [];
      for (let result = 0; result < query.op.results.length; result++) {
        const output = placeOutput(query, context, {
          result,
          whenNull: query.hint ?? input.layout,
          ...(result === 0 ? {} : { hint: null }),
        });
        if (isRefusal(output)) return output;
        outputs.push(output);
      }
      return accept({ outputs }, context);
    },
  }),
  /** Rule of `nlp_create_qkv_heads_decode`: one core per user, no circular buffers, height-sharded results. */
  create_heads_decode: defineRule({
    strategy: { hints: "null", inputs: ["any"], exploresReshards: false },
    evaluate: (query, context) => {
      const outputs: Tensor[] = [];
      for (const result of query.op.results) {
        if (result === undefined) continue;
        const users = result.shape.at(-3) ?? 1;
        const output = spread(query, context, result, users, "height_sharded");
        if (isRefusal(output)) return output;
        outputs.push(output);
      }
      return accept({ outputs }, context);
    },
  }),
};
