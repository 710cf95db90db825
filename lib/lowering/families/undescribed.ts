// SPDX-License-Identifier: Apache-2.0
import { readAttributes } from "../../ops/attributes/read_attributes.ts";
import { definitionOf } from "../../ops/op_book.ts";
import type { FunctionLowering } from "../function_lowering.ts";
import type { LoweringRule, LoweringRules } from "../lowering_rule.ts";
import type { TtirOp } from "../ttir_op.ts";

/**
 * Kernels whose programs are not known: they are written as upstream writes them (tt-mlir:resolve-composites), run as in
 * the text, and are named as unchecked.
 */
export const UNDESCRIBED: LoweringRules = {
  "ttir.chunk_gated_delta_rule": { lower: gatedDeltaRule },
  "ttir.indexer_score": kernel("indexer_score", 3, ["chunk_start_idx", "cluster_axis"]),
  "ttir.indexer_score_dsa": kernel("indexer_score_dsa", 3, ["chunk_start_idx", "cluster_axis"]),
  "ttir.cumulative": kernel("cumulative", 1, ["dim", "reduction", "reverse"]),
  "ttir.mulhi": kernel("mulhi", 2, []),
  "ttir.reduce_bitwise_and": kernel("reduce_bitwise_and", 1, ["dim_arg", "keep_dim"]),
  "ttir.reduce_bitwise_or": kernel("reduce_bitwise_or", 1, ["dim_arg", "keep_dim"]),
  "ttir.reduce_bitwise_xor": kernel("reduce_bitwise_xor", 1, ["dim_arg", "keep_dim"]),
  "ttir.rng_bit_generator": kernel("rng_bit_generator", 1, ["philox"]),
  "ttir.sparse_sdpa": kernel("sparse_sdpa", 3, ["k_chunk_size", "scale", "v_dim"]),
  "ttir.topk_large_indices": kernel("topk_large_indices", 1, ["k"]),
};

/** @param properties arguments of the kernel: values as the op declares them, those of any type as the source spells them */
function kernel(name: string, operands: number, properties: readonly string[]): LoweringRule {
  const declared = definitionOf(`ttnn.${name}`).attributes ?? {};
  return {
    operands,
    lower: (op, f) => {
      const given = properties.flatMap((key) => {
        const attribute = op.attribute(key);
        return attribute === undefined ? [] : [[key, attribute] as const];
      });
      const read = readAttributes({ name, attributes: new Map(given) }, declared);
      const valueOf = (key: string) => {
        const value = read[key];
        return typeof value === "object" && "kind" in value ? op.attributeText(key) : value;
      };
      const values = Object.fromEntries(given.map(([key]) => [key, valueOf(key)]));
      f.replaceMany(op, name, f.operandsFrom(op, 0), values);
    },
  };
}

/** Operands that are always there: query, key, value, gate, step size. */
const DELTA_RULE_OPERANDS = 5;

/** Flags of the operands that follow. */
const DELTA_RULE_FLAGS = ["has_initial_state", "has_eye", "has_tril", "has_ones", "has_masks"] as const;

/** Linear attention whose state forgets and is corrected, chunk by chunk. */
function gatedDeltaRule(op: TtirOp, f: FunctionLowering): void {
  const present = DELTA_RULE_FLAGS.map((flag) => Number(op.flag(flag)));
  const operands = f.operandsFrom(op, 0);
  if (operands.length !== present.reduce((sum, one) => sum + one, DELTA_RULE_OPERANDS)) {
    throw op.error("operands and what the op says of them do not match", "operands");
  }
  const scale = op.float("scale");
  f.replaceMany(op, "chunk_gated_delta_rule", operands, {
    chunk_size: op.attributeText("chunk_size") ?? "64 : ui32",
    operandSegmentSizes: [...new Array<number>(DELTA_RULE_OPERANDS).fill(1), ...present],
    output_final_state: op.flag("output_final_state"),
    output_head_major: op.flag("output_head_major"),
    scale,
    use_qk_l2norm: op.flag("use_qk_l2norm"),
  });
}
