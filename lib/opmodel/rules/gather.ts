// SPDX-License-Identifier: Apache-2.0
import { readAttributes } from "../../ops/attributes/read_attributes.ts";
import { GATHER } from "../../ops/attributes/movement.ts";
import { normalDim, swapExtents } from "../../layout/extents.ts";
import { isSharded, pagesOf } from "../../layout/ttnn_layout.ts";
import { gatheredRows, gatherFillFault, gatherPrograms } from "../../programs/data_movement/gather.ts";
import { derivedShards } from "../../programs/shard_spec.ts";
import type { InvalidConstraints } from "../op_model.ts";
import { placeIn, placeOutput } from "../place_output.ts";
import { type ConstraintQuery, defineRule, type OpRule, type RuleContext, type RulesOf } from "../rule.ts";
import { asProgramTensor, type Tensor } from "../tensor.ts";
import { accept, isRefusal, refuseLayout, refuseOperand, type Verdict } from "../verdict.ts";
import { launchOf, operandAt } from "./program.ts";

/**
 * Rule of ops that read their input by index: the result has the input's pages, and without hint the input's memory,
 * shards included.
 */
function indexedRule(isGather: boolean): OpRule {
  return defineRule({
    evaluate: (query, context) => {
      const input = operandAt(query, 0);
      const refused = isGather ? refusesGather(query, context) : refusesScatter(query);
      if (refused !== undefined) return refused;
      const indices = query.operands[1];
      // A result that is permuted back is in the memory of the indices, regardless of the hint.
      const index = isGather && permutes(query) ? indices : undefined;
      const output = placeOutput(query, context, {
        whenNull: index?.layout ?? input.layout,
        nullShards: "kept",
        page: pagesOf(input.layout),
        ...(index === undefined ? {} : { hint: null }),
        ...(isGather && indices !== undefined
          ? { withoutSpec: (hint, tensor) => derivedShards(context.chip, indices, tensor, hint) }
          : {}),
      });
      if (isRefusal(output)) return output;
      return checkPermuted(query, context, output) ??
        accept({ outputs: [output], ...gatheredAsAsked(query, context, output) }, context);
    },
  });
}

/** Operands that `ttnn.gather` refuses (`ttnn:backend-0-81-1`). */
function refusesGather(query: ConstraintQuery, context: RuleContext): InvalidConstraints | undefined {
  const [input, indices] = [operandAt(query, 0), operandAt(query, 1)];
  if (input.shape.length === 1) {
    return refuseLayout(query.op, "gather/line", "operands need two dimensions or more");
  }
  if (!["u32", "u16"].includes(indices.layout.dataType)) {
    return refuseOperand(query.op, "gather/index-format", 1, indices, "must be u32 or u16");
  }
  if (pagesOf(indices.layout) !== pagesOf(input.layout)) {
    return refuseOperand(query.op, "gather/index-pages", 1, indices, "must have the input's pages");
  }
  const dim = dimOf(query, input.shape.length);
  const gathered = gatheredRows(asProgramTensor(input), asProgramTensor(indices), dim);
  const unfilled = gatherFillFault(gathered);
  if (unfilled !== undefined) return refuseLayout(query.op, "gather/fill", unfilled);
  // Rows and matrices that no index refers to are cut off in the operand's memory.
  const { dataType, tile } = input.layout;
  const cut = placeIn(query.op, context, { shape: gathered.rows.shape, dataType, tile }, input.layout);
  return isRefusal(cut) ? cut : undefined;
}

/** Layouts that `ttnn.scatter` refuses as source or target (`ttnn:backend-0-81-1`). */
function refusesScatter({ op, operands }: ConstraintQuery): InvalidConstraints | undefined {
  const sharded = operands.findIndex((operand) => operand !== undefined && isSharded(operand.layout));
  if (sharded >= 0) return refuseLayout(op, "scatter/sharded", `operand ${sharded} is sharded`);
  const input = operands[0]?.layout;
  return input?.dataType === "f32" && input.tile !== undefined
    ? refuseLayout(op, "scatter/f32-tiles", "an f32 operand must be row-major")
    : undefined;
}

function dimOf({ op }: ConstraintQuery, rank: number): number {
  return normalDim(readAttributes(op, GATHER).dim, rank);
}

/** The programs of a gather without a final permute, with the result in the requested memory. */
function gatheredAsAsked(
  query: ConstraintQuery,
  context: RuleContext,
  output: Tensor,
): Pick<Verdict, "launched"> {
  const { op, hint } = query;
  if (op.name !== "ttnn.gather" || hint === undefined) return {};
  const launched = gatherPrograms(launchOf(query, [output]), context, hint);
  return { launched: () => launched };
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
function checkPermuted(
  query: ConstraintQuery,
  context: RuleContext,
  output: Tensor,
): InvalidConstraints | undefined {
  const rank = output.shape.length;
  if (!permutes(query)) return undefined;
  const dim = dimOf(query, rank);
  // The gathered tensor is in the requested memory before it is permuted back.
  const gathered = { shape: output.shape, layout: query.hint ?? operandAt(query, 0).layout };
  for (const { shape, layout } of [...query.operands, gathered].filter((tensor) => tensor !== undefined)) {
    const { dataType, tile } = layout;
    const permuted = { shape: swapExtents(shape, dim, rank - 1), dataType, tile };
    const placed = placeIn(query.op, context, permuted, layout);
    if (isRefusal(placed)) return placed;
  }
  return undefined;
}

export const GATHER_RULES: RulesOf<"gather" | "scatter"> = {
  gather: indexedRule(true),
  scatter: indexedRule(false),
};
