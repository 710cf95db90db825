// SPDX-License-Identifier: Apache-2.0
import { type DataType, elementBytes } from "../../layout/data_type.ts";
import { volume } from "../../layout/extents.ts";
import { physicalExtent, roundUp } from "../../layout/make_layout.ts";
import { DEFAULT_TILE, isSharded, pagesOf } from "../../layout/ttnn_layout.ts";
import { picksTiles } from "../../programs/data_movement/embedding.ts";
import { shardExtent, shardMisfit } from "../../programs/shard_spec.ts";
import { placeIn, placeOutput, resultAt } from "../place_output.ts";
import { type ConstraintQuery, defineRule, type RulesOf } from "../rule.ts";
import { asProgramTensor, type Tensor } from "../tensor.ts";
import { refuseLayout, refuseOperand, type Verdict } from "../verdict.ts";
import { demand, demandFormat, operandAt } from "./program.ts";

const INDEX_FORMATS: readonly DataType[] = ["u32", "bf16"];

function evaluateEmbedding(query: ConstraintQuery): Verdict {
  const { hint } = query;
  const indices = operandAt(query, 0);
  const table = operandAt(query, 1);
  const { shape } = resultAt(query);
  if (indices.shape.length > 2) {
    refuseOperand(query, 0, "embedding/index-rank", "must have one or two dimensions: others are lost");
  }
  if (indices.shape.length === 1 && indices.layout.tile !== undefined) {
    refuseOperand(query, 0, "embedding/index-line", "would give a row per pair of indices");
  }
  demandFormat(query, 0, INDEX_FORMATS, "embedding/index-format");
  if (table.shape.length > 4 || table.shape.slice(0, -2).some((extent) => extent !== 1)) {
    refuseOperand(query, 1, "embedding/table-shape", "must be one matrix, of four dimensions at most");
  }
  demand(query, 0, "interleaved", "embedding/sharded");
  demand(query, 1, "interleaved", "embedding/sharded");
  // The table is untilized first, as bf16; the result is tilized if tiles are requested.
  demandFormat(query, 1, ["bf16", "bfp_bf8"], "embedding/format");
  const dataType: DataType = "bf16";
  const page = pagesOf(hint ?? table.layout);
  const paged = { shape, dataType, tile: page === "tile" ? DEFAULT_TILE : undefined };
  const output = hint === undefined
    ? placeIn(query, paged, indices.layout)
    : placeOutput(query, { whenNull: indices.layout, page, dataType });
  if (isSharded(output.layout)) checkShards(query, indices, table, output);
  return { outputs: [output] };
}

/** Shards must divide the result evenly; only height shards can be row-major. */
function checkShards(
  query: ConstraintQuery,
  indices: Tensor,
  table: Tensor,
  { shape, layout }: Tensor,
): void {
  const { chip } = query;
  const say = (rule: string, fault: string) => refuseLayout(query, `embedding/${rule}`, fault);
  const isHigh = layout.memoryLayout === "height_sharded";
  const isWide = layout.memoryLayout === "width_sharded";
  const [rows, columns] = shardExtent(layout);
  const width = table.shape.at(-1) ?? 1;
  if (layout.tile !== undefined && !isHigh && width % columns !== 0) {
    say("columns", `rows of ${width} are not cut into shards of ${columns} columns`);
  }
  if (picksTiles(asProgramTensor(indices), asProgramTensor(table), layout.tile !== undefined)) {
    const count = volume(indices.shape);
    if (!isWide && count % rows !== 0) say("rows", `${count} rows are not cut into shards of ${rows}`);
    return;
  }
  if (indices.layout.tile !== undefined && layout.tile !== undefined && !isWide) {
    const [high, wide] = physicalExtent(indices.shape, indices.layout.tile);
    if (high * wide % rows !== 0) {
      say("rows", `${high}x${wide} indices in tiles are not cut into shards of ${rows}`);
    }
  }
  if (!isHigh && (indices.layout.tile === undefined || layout.tile === undefined)) {
    say("row-shards", "without tiled indices and a tiled result, shards must be height shards");
  }
  const row = width * elementBytes(layout.dataType);
  if (isHigh && roundUp(row, chip.l1Alignment) !== roundUp(row, chip.dramAlignment)) {
    say("row-alignment", `rows of ${row} bytes are no multiples of a word of DRAM`);
  }
  const misfit = shardMisfit(layout, shape, undefined);
  if (misfit !== undefined) say("row-shards", `rows do not fit the shards: ${misfit}`);
}

/** Operands that the program of `embedding_bw` can read (`ttnn:backend-0-81-1`); the result is in the gradient's memory. */
function evaluateBackward(query: ConstraintQuery): Verdict {
  const [indices, gradient] = [operandAt(query, 0), operandAt(query, 2)];
  demand(query, 0, "row-major", "embedding/index-pages");
  demandFormat(query, 0, INDEX_FORMATS, "embedding/index-format");
  if ((indices.shape.at(-1) ?? 1) % 32 !== 0) {
    refuseOperand(query, 0, "embedding/index-columns", "must have columns of whole tiles");
  }
  demand(query, 2, "tiled", "embedding/gradient-pages");
  demandFormat(query, 2, ["bf16", "bfp_bf8"], "embedding/gradient-format");
  const [outer, inner] = gradient.shape;
  if (gradient.shape.length !== 4 || outer !== 1 || inner !== 1) {
    refuseOperand(query, 2, "embedding/gradient-shape", "must be one matrix, of four dimensions");
  }
  return { outputs: [placeOutput(query, { whenNull: gradient.layout })] };
}

export const EMBEDDING_RULES: RulesOf<"embedding" | "embedding_bw"> = {
  /**
   * Rule of `embedding`: table and indices tiled or row-major; NULL gives the memory of the indices and the
   * page layout of the table.
   */
  embedding: defineRule({ strategy: { hints: "non_sharded" }, evaluate: evaluateEmbedding }),
  embedding_bw: defineRule({ strategy: { hints: "non_sharded" }, evaluate: evaluateBackward }),
};
