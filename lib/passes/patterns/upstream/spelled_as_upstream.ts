// SPDX-License-Identifier: Apache-2.0
import { PERMUTE, SLICE } from "../../../ops/attributes/movement.ts";
import { MATMUL } from "../../../ops/attributes/matmul.ts";
import { inversePermutation, transposition, withLeadingOnes } from "../../../layout/extents.ts";
import { InvariantValues } from "../../invariant_values.ts";
import { PassBuilder, replacing, type RewritePattern } from "../../rewrite_pattern.ts";
import { isPlain } from "../matching.ts";
import { ELEMENTWISE_OPS } from "../elementwise_ops.ts";

/**
 * Reshapes a broadcast operand to the result's rank, as upstream does before it moves views (tt-mlir:
 * `TTIRExplicateTMs`). Kernels need no such reshape.
 */
export const explicateRanks: RewritePattern = {
  name: "explicate-ranks",
  option: "enable-erase-inverse-ops-pass",
  upstream: "only-upstream",
  roots: [...ELEMENTWISE_OPS],
  rewrite: (op, body, context) => {
    const rank = op.tensorResult?.type.shape.length ?? 0;
    const index = op.operands.findIndex((_, at) => {
      const type = op.operandType(at);
      return type !== undefined && isPlain(type) && type.shape.length < rank;
    });
    const operand = op.tensorOperand(index);
    if (operand === undefined) return false;
    const padded = withLeadingOnes(operand.type.shape, rank);
    body.setOperand(op, index, new PassBuilder(body, op, context).reshape(operand, padded));
    return true;
  },
};

/**
 * Permutes an operand before a matmul that reads it transposed: upstream's permutes stay unless const-eval
 * absorbs them.
 */
export const permuteFactors: RewritePattern = {
  name: "permute-factors",
  upstream: "only-upstream",
  roots: ["ttnn.matmul", "ttnn.linear"],
  rewrite: (op, body, context) => {
    for (const [index, flag] of [[0, "transpose_a"], [1, "transpose_b"]] as const) {
      const factor = op.tensorOperand(index);
      if (factor === undefined || !op.read(MATMUL)[flag] || !isPlain(factor.type)) {
        continue;
      }
      if (InvariantValues.of(body).has(factor)) continue;
      const { shape } = factor.type;
      const transposed = new PassBuilder(body, op, context).permute(factor, transposition(shape.length));
      body.setOperand(op, index, transposed);
      op.set({ [flag]: false });
      return true;
    }
    return false;
  },
};

/**
 * Slices a tensor before its permute if only slices read the permuted one, and permutes each slice, as
 * upstream's level 0 does.
 */
export const permuteSlices: RewritePattern = replacing({
  name: "permute-slices",
  option: "enable-erase-inverse-ops-pass",
  upstream: "only-level-0",
  roots: ["ttnn.permute"],
  replace: (op, site, permuted) => {
    const source = op.tensorOperand(0);
    if (source === undefined || !isPlain(source.type)) return undefined;
    const slices = [...permuted.uses.keys()];
    if (slices.length < 2 || slices.some(({ name }) => name !== "ttnn.slice_static")) return undefined;
    const permutation = op.read(PERMUTE).permutation;
    const back = inversePermutation(permutation);
    const before = (list: readonly number[]): readonly number[] => back.map((dim) => list[dim] ?? 0);
    return new Map(slices.map((slice) => {
      const here = site.at(slice);
      const { begins, ends, step } = slice.read(SLICE);
      const properties = { begins: before(begins), ends: before(ends), step: before(step) };
      const cut = here.inferred("ttnn.slice_static", [source], properties);
      return [slice.tensorResultAt(0), here.permute(cut, permutation)];
    }));
  },
});
