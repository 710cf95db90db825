// SPDX-License-Identifier: Apache-2.0
import { readAttributes } from "../../ops/attributes/read_attributes.ts";
import { GATHER } from "../../ops/attributes/movement.ts";
import { normalDim, swapExtents } from "../../layout/extents.ts";
import { isSharded, pagesOf } from "../../layout/ttnn_layout.ts";
import { gatheredRows, gatherFillFault, gatherPrograms } from "../../programs/data_movement/gather.ts";
import { derivedShards } from "../../programs/shard_spec.ts";
import { placeIn, placeOutput } from "../place_output.ts";
import { type ConstraintQuery, defineRule, type OpRule, type RulesOf } from "../rule.ts";
import { asProgramTensor, type Tensor } from "../tensor.ts";
import { refuseConfig, refuseLayout, refuseOperand } from "../verdict.ts";
import { demandFormat, launchOf, operandAt } from "./program.ts";

/**
 * Rule of ops that read their input by index: the result has the input's pages, and without hint the input's memory,
 * shards included.
 */
function indexedRule(isGather: boolean): OpRule {
  return defineRule({
    evaluate: (query) => {
      const input = operandAt(query, 0);
      if (isGather) checkGather(query);
      else checkScatter(query);
      const indices = query.operands[1];
      // A result that is permuted back is in the memory of the indices, regardless of the hint.
      const index = isGather && permutes(query) ? indices : undefined;
      const output = placeOutput(query, {
        whenNull: index?.layout ?? input.layout,
        nullShards: "kept",
        page: pagesOf(input.layout),
        ...(index === undefined ? {} : { hint: null }),
        ...(isGather && indices !== undefined
          ? { withoutSpec: (hint, tensor) => derivedShards(query.chip, indices, tensor, hint) }
          : {}),
      });
      checkPermuted(query, output);
      if (!isGather || query.hint === undefined) return { outputs: [output] };
      // Without a final permute, the result is in the requested memory.
      const launched = gatherPrograms(launchOf(query, [output]), query, query.hint);
      return { outputs: [output], launched: () => launched };
    },
  });
}

/** Refuses operands that `ttnn.gather` does not take (`ttnn:backend-0-81-1`). */
function checkGather(query: ConstraintQuery): void {
  const [input, indices] = [operandAt(query, 0), operandAt(query, 1)];
  if (input.shape.length === 1) {
    refuseLayout(query, "gather/line", "operands need two dimensions or more");
  }
  demandFormat(query, 1, ["u32", "u16"], "gather/index-format");
  if (pagesOf(indices.layout) !== pagesOf(input.layout)) {
    refuseOperand(query, 1, "gather/index-pages", "must have the input's pages");
  }
  const dim = dimOf(query, input.shape.length);
  if (input.shape[dim] === undefined) {
    refuseConfig(query, "gather/dimension", `dimension ${dim} of ${input.shape.length}`);
  }
  const gathered = gatheredRows(asProgramTensor(input), asProgramTensor(indices), dim);
  const unfilled = gatherFillFault(gathered);
  if (unfilled !== undefined) refuseLayout(query, "gather/fill", unfilled);
  // Rows and matrices that no index refers to are cut off in the operand's memory.
  const { dataType, tile } = input.layout;
  placeIn(query, { shape: gathered.rows.shape, dataType, tile }, input.layout);
}

/** Refuses layouts that `ttnn.scatter` does not take as source or target (`ttnn:backend-0-81-1`). */
function checkScatter(query: ConstraintQuery): void {
  const { operands } = query;
  const sharded = operands.findIndex((operand) => operand !== undefined && isSharded(operand.layout));
  if (sharded >= 0) refuseLayout(query, "scatter/sharded", `operand ${sharded} is sharded`);
  const input = operands[0]?.layout;
  if (input?.dataType === "f32" && input.tile !== undefined) {
    refuseLayout(query, "scatter/f32-tiles", "an f32 operand must be row-major");
  }
}

function dimOf({ op }: ConstraintQuery, rank: number): number {
  return normalDim(readAttributes(op, GATHER).dim, rank);
}

/** Whether an op indexes a dimension other than the last. */
function permutes(query: ConstraintQuery): boolean {
  const rank = operandAt(query, 0).shape.length;
  return dimOf(query, rank) !== rank - 1;
}

/**
 * Dimensions other than the last go through permuted copies in the same memories, whose shards must hold
 * them.
 */
function checkPermuted(query: ConstraintQuery, output: Tensor): void {
  const rank = output.shape.length;
  if (!permutes(query)) return;
  const dim = dimOf(query, rank);
  // The gathered tensor is in the requested memory before it is permuted back.
  const gathered = { shape: output.shape, layout: query.hint ?? operandAt(query, 0).layout };
  for (const { shape, layout } of [...query.operands, gathered].filter((tensor) => tensor !== undefined)) {
    const { dataType, tile } = layout;
    placeIn(query, { shape: swapExtents(shape, dim, rank - 1), dataType, tile }, layout);
  }
}

export const GATHER_RULES: RulesOf<"gather" | "scatter"> = {
  gather: indexedRule(true),
  scatter: indexedRule(false),
};
