// SPDX-License-Identifier: Apache-2.0
import { readAttributes } from "../../ops/attributes/read_attributes.ts";
import { REDUCE } from "../../ops/attributes/reduction.ts";
import { normalDim } from "../../layout/extents.ts";
import type { OpLaunch, UnaryLaunch } from "../op_launch.ts";
import { inOrder, type OpPrograms, unknownPrograms } from "../program.ts";
import { layoutOf } from "../program_tensor.ts";
import { reduceRowMajor, reductionKind } from "./reduce_programs.ts";
import { planReduction, type ReductionContext } from "./reduction_plan.ts";

/** Sums, means, maxima and minima: the steps of {@linkcode planReduction}. */
export function reductionPrograms(op: UnaryLaunch, context: ReductionContext): OpPrograms {
  const { input, output } = op;
  const dims = reducedDims(op, input.shape.length);
  if (!input.tiled) return inOrder(reduceRowMajor(input, output, dims, context.chip));
  const kind = reductionKind(op.name);
  if (kind === undefined) return unknownPrograms(op.name, "it is no reduction that is known");
  const plan = planReduction({
    kind,
    operand: input,
    dims,
    shape: output.shape,
    asked: layoutOf(output),
  }, context);
  return "fault" in plan ? unknownPrograms(op.name, plan.fault) : plan.launched;
}

/**
 * The reduced dimensions, ascending: the named ones, or all, including unit dimensions
 * (`ttnn:backend-0-81-1`).
 */
export function reducedDims(
  op: Pick<OpLaunch, "attributes">,
  rank: number,
): readonly number[] {
  const all = Array.from({ length: rank }, (_, dim) => dim);
  const named = readAttributes(op, REDUCE).dim_arg?.map((dim) => normalDim(dim, rank)) ?? [];
  return named.length === 0 ? all : all.filter((dim) => named.includes(dim));
}
