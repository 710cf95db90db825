// SPDX-License-Identifier: Apache-2.0
import { type DataType, elementBytes } from "../../layout/data_type.ts";
import { volume } from "../../layout/extents.ts";
import { physicalExtent, roundUp } from "../../layout/make_layout.ts";
import { DEFAULT_TILE, isSharded, pagesOf } from "../../layout/ttnn_layout.ts";
import { picksTiles } from "../../programs/data_movement/embedding.ts";
import { shardExtent, shardMisfit } from "../../programs/shard_spec.ts";
import type { InvalidConstraints } from "../op_model.ts";
import { placeIn, placeOutput } from "../place_output.ts";
import { type ConstraintQuery, defineRule, type RuleContext, type RulesOf } from "../rule.ts";
import { asProgramTensor, type Tensor } from "../tensor.ts";
import {
  accept,
  acceptOne,
  describeTensor,
  isRefusal,
  refuseLayout,
  refuseOperand,
  type RuleAnswer,
} from "../verdict.ts";
import { missingOperand, operandAt } from "./program.ts";

const INDEX_FORMATS = "must be u32 or bf16";

function isIndexFormat({ layout: { dataType } }: Tensor): boolean {
  return dataType === "u32" || dataType === "bf16";
}

function evaluateEmbedding(query: ConstraintQuery, context: RuleContext): RuleAnswer {
  const { op, hint } = query;
  const indices = operandAt(query, 0);
  const table = operandAt(query, 1);
  const shape = op.results[0]?.shape;
  if (shape === undefined) return missingOperand(op, 0);
  if (indices.shape.length > 2) {
    return refuseOperand(
      op,
      "embedding/index-rank",
      0,
      indices,
      "must have one or two dimensions: others are lost",
    );
  }
  if (indices.shape.length === 1 && indices.layout.tile !== undefined) {
    return refuseOperand(op, "embedding/index-line", 0, indices, "would give a row per pair of indices");
  }
  if (!isIndexFormat(indices)) return refuseOperand(op, "embedding/index-format", 0, indices, INDEX_FORMATS);
  if (table.shape.length > 4 || table.shape.slice(0, -2).some((extent) => extent !== 1)) {
    return refuseOperand(
      op,
      "embedding/table-shape",
      1,
      table,
      "must be one matrix, of four dimensions at most",
    );
  }
  for (const [index, operand] of [indices, table].entries()) {
    if (!isSharded(operand.layout)) continue;
    return refuseLayout(op, "embedding/sharded", `${describeTensor(index, operand)} must be interleaved`);
  }
  // The table is untilized first, as bf16; the result is tilized if tiles are requested.
  const dataType: DataType = "bf16";
  if (table.layout.dataType !== dataType && table.layout.dataType !== "bfp_bf8") {
    return refuseLayout(op, "embedding/format", `${describeTensor(1, table)} must be bf16 or bfp_bf8`);
  }
  const page = pagesOf(hint ?? table.layout);
  const paged = { shape, dataType, tile: page === "tile" ? DEFAULT_TILE : undefined };
  const output = hint === undefined
    ? placeIn(op, context, paged, indices.layout)
    : placeOutput(query, context, { whenNull: indices.layout, page, dataType });
  if (isRefusal(output)) return output;
  return shardFault(query, indices, table, output, context) ?? accept({ outputs: [output] }, context);
}

/** Shards must divide the result evenly; only height shards can be row-major. */
function shardFault(
  { op }: ConstraintQuery,
  indices: Tensor,
  table: Tensor,
  { shape, layout }: Tensor,
  { chip }: RuleContext,
): InvalidConstraints | undefined {
  if (!isSharded(layout)) return undefined;
  const say = (rule: string, fault: string) => refuseLayout(op, `embedding/${rule}`, fault);
  const isHigh = layout.memoryLayout === "height_sharded";
  const isWide = layout.memoryLayout === "width_sharded";
  const [rows, columns] = shardExtent(layout);
  const width = table.shape.at(-1) ?? 1;
  if (layout.tile !== undefined && !isHigh && width % columns !== 0) {
    return say("columns", `rows of ${width} are not cut into shards of ${columns} columns`);
  }
  if (picksTiles(asProgramTensor(indices), asProgramTensor(table), layout.tile !== undefined)) {
    const count = volume(indices.shape);
    return !isWide && count % rows !== 0
      ? say("rows", `${count} rows are not cut into shards of ${rows}`)
      : undefined;
  }
  if (indices.layout.tile !== undefined && layout.tile !== undefined && !isWide) {
    const [high, wide] = physicalExtent(indices.shape, indices.layout.tile);
    if (high * wide % rows !== 0) {
      return say("rows", `${high}x${wide} indices in tiles are not cut into shards of ${rows}`);
    }
  }
  if (!isHigh && (indices.layout.tile === undefined || layout.tile === undefined)) {
    return say("row-shards", "without tiled indices and a tiled result, shards must be height shards");
  }
  const row = width * elementBytes(layout.dataType);
  if (isHigh && roundUp(row, chip.l1Alignment) !== roundUp(row, chip.dramAlignment)) {
    return say("row-alignment", `rows of ${row} bytes are no multiples of a word of DRAM`);
  }
  const misfit = shardMisfit(layout, shape, undefined);
  return misfit === undefined ? undefined : say("row-shards", `rows do not fit the shards: ${misfit}`);
}

/** The fault of operands that the program of `embedding_bw` cannot read (`ttnn:backend-0-81-1`). */
function backwardFault(query: ConstraintQuery): InvalidConstraints | undefined {
  const [indices, gradient] = [operandAt(query, 0), operandAt(query, 2)];
  const say = (operand: number, rule: string, fault: string) =>
    refuseOperand(query.op, `embedding/${rule}`, operand, operandAt(query, operand), fault);
  if (indices.layout.tile !== undefined) return say(0, "index-pages", "must be row-major");
  if (!isIndexFormat(indices)) return say(0, "index-format", INDEX_FORMATS);
  if ((indices.shape.at(-1) ?? 1) % 32 !== 0) {
    return say(0, "index-columns", "must have columns of whole tiles");
  }
  if (gradient.layout.tile === undefined) return say(2, "gradient-pages", "must be tiled");
  if (!["bf16", "bfp_bf8"].includes(gradient.layout.dataType)) {
    return say(2, "gradient-format", "must be bf16 or bfp_bf8");
  }
  return gradient.shape.length === 4 && gradient.shape[0] === 1 && gradient.shape[1] === 1
    ? undefined
    : say(2, "gradient-shape", "must be one matrix, of four dimensions");
}

export const EMBEDDING_RULES: RulesOf<"embedding" | "embedding_bw"> = {
  /**
   * Rule of `embedding`: table and indices tiled or row-major; NULL gives the memory of the indices and the
   * page layout of the table.
   */
  embedding: defineRule({ strategy: { hints: "non_sharded" }, evaluate: evaluateEmbedding }),
  /** Rule of `embedding_bw`: the result is in the gradient's memory. */
  embedding_bw: defineRule({
    strategy: { hints: "non_sharded" },
    evaluate: (query, context) =>
      backwardFault(query) ??
        acceptOne(placeOutput(query, context, { whenNull: operandAt(query, 2).layout }), context),
  }),
};
