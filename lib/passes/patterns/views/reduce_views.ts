// SPDX-License-Identifier: Apache-2.0
import { REDUCE } from "../../../ops/attributes/reduction.ts";
import { PERMUTE } from "../../../ops/attributes/movement.ts";
import { movesOnlyOnes, normalDim, volume } from "../../../layout/extents.ts";
import type { TtnnOp } from "../../../ttnn/op.ts";
import type { TensorValue } from "../../../ttnn/value.ts";
import { tensorType } from "../../../ttnn/tensor_type.ts";
import { type PassBuilder, replacing, type RewritePattern } from "../../rewrite_pattern.ts";
import { isPlain, madeBy } from "../matching.ts";
import { ELEMENTWISE_OPS } from "../elementwise_ops.ts";
import { anyView, isUndone } from "./view.ts";

/** Reductions in which the order of the reduced elements does not matter. */
export const REDUCTIONS: readonly string[] = ["max", "mean", "min", "sum"].map((name) => `ttnn.${name}`);

/**
 * Reduces the operand of a permute instead of its result and permutes the smaller result: the mean of an
 * image over height and width then moves channels instead of pixels (tt-mlir: `TTIREraseInverseOps`). Applies
 * if the permute has one user, or is undone.
 */
export const reduceBelowPermute: RewritePattern = replacing({
  name: "reduce-below-permute",
  upstream: "level-0",
  roots: REDUCTIONS,
  replace: (op, site, result) => {
    const found = reductionOf(op);
    const permute = madeBy(op.operands[0], "permute");
    const source = permute?.tensorOperand(0);
    if (found === undefined || permute === undefined || source === undefined || !isPlain(source.type)) {
      return undefined;
    }
    if (!mayGo(found.operand, op) || source.type.dataType !== found.operand.type.dataType) return undefined;
    const order = permute.read(PERMUTE).permutation;
    const dims = found.dims.map((dim) => order[dim] ?? dim).sort((a, b) => a - b);
    const reduced = reduce(site, op, source, dims, found.keepsDims);
    // Remaining dimensions of the source, in their order before the permute and after it.
    const left = found.keepsDims ? source.type.shape.map((_, dim) => dim) : without(source.type.shape, dims);
    const permuted = order.filter((dim) => left.includes(dim)).map((dim) => left.indexOf(dim));
    return movesOnlyOnes(reduced.type.shape, permuted)
      ? site.reshape(reduced, result.type.shape)
      : site.tensor("ttnn.permute", [reduced], result.type, { permutation: permuted });
  },
});

/**
 * Reduces adjacent dimensions of a reshape, except the last, as one: merged image rows of a convolution
 * are not re-tiled first.
 */
export const reduceMergedDimensions: RewritePattern = replacing({
  name: "reduce-merged-dimensions",
  upstream: "level-0",
  roots: REDUCTIONS,
  replace: (op, site, result) => {
    const found = reductionOf(op);
    const source = madeBy(op.operands[0], "reshape")?.tensorOperand(0);
    const [first = 0, ...others] = found?.dims ?? [];
    const areNeighbours = others.length > 0 && others.every((dim, index) => dim === first + 1 + index);
    if (found === undefined || source === undefined || !areNeighbours || !isPlain(source.type)) {
      return undefined;
    }
    const { shape, dataType } = found.operand.type;
    // Merging with the last dimension would change the rows themselves.
    const end = first + 1 + others.length;
    if (found.operand.onlyUser !== op || source.type.dataType !== dataType || end >= shape.length) {
      return undefined;
    }
    const merged = [...shape.slice(0, first), volume(shape.slice(first, end)), ...shape.slice(end)];
    const reduced = reduce(site, op, site.reshape(source, merged), [first], found.keepsDims);
    return site.reshape(reduced, result.type.shape);
  },
});

interface ReducedView {
  readonly operand: TensorValue;
  /** Reduced dimensions, ascending. */
  readonly dims: readonly number[];
  readonly keepsDims: boolean;
}

/** A reduction of some dimensions of a tiled, DRAM interleaved tensor; else `undefined`. */
export function reductionOf(op: TtnnOp): ReducedView | undefined {
  const [operand, result] = [op.tensorOperand(0), op.tensorResult];
  if (operand === undefined || result === undefined || op.operands.length !== 1) return undefined;
  if (!isPlain(operand.type) || !isPlain(result.type) || volume(operand.type.shape) === 0) return undefined;
  const rank = operand.type.shape.length;
  const dims = (op.read(REDUCE).dim_arg ?? []).map((dim) => normalDim(dim, rank)).sort((a, b) => a - b);
  const keepsDims = op.read(REDUCE).keep_dim ?? false;
  return dims.length === 0 || dims.length === rank ? undefined : { operand, dims, keepsDims };
}

/** Whether a view has one reader, or only reductions and elementwise ops before its inverse. */
function mayGo(value: TensorValue, reduction: TtnnOp): boolean {
  if (value.onlyUser === reduction) return true;
  const view = anyView(value);
  return view !== undefined && isUndone(value, view) &&
    value.uses.keys().every(({ name }) => REDUCTIONS.includes(name) || ELEMENTWISE_OPS.has(name));
}

function without(shape: readonly number[], dims: readonly number[]): readonly number[] {
  return shape.map((_, dim) => dim).filter((dim) => !dims.includes(dim));
}

/** The same reduction over other dimensions of another tensor. */
export function reduce(
  site: PassBuilder,
  op: TtnnOp,
  source: TensorValue,
  dims: readonly number[],
  keepsDims: boolean,
): TensorValue {
  const { shape } = source.type;
  const extents = keepsDims
    ? shape.map((extent, dim) => dims.includes(dim) ? 1 : extent)
    : without(shape, dims).map((dim) => shape[dim] ?? 1);
  const type = tensorType(site.chip, extents, op.tensorResult?.type.dataType ?? source.type.dataType);
  return site.op(op.name, [source], type, op.propertiesWith({ dim_arg: dims, keep_dim: keepsDims }));
}
