// SPDX-License-Identifier: Apache-2.0
import { REDUCE } from "../../../ops/attributes/reduction.ts";
import { normalDim, sameExtents, volume } from "../../../layout/extents.ts";
import type { TtnnOp } from "../../../ttnn/op.ts";
import type { TensorValue } from "../../../ttnn/value.ts";
import type { PassContext } from "../../graph_pass.ts";
import { tensorType } from "../../../ttnn/tensor_type.ts";
import { type PassBuilder, replacing, type RewritePattern } from "../../rewrite_pattern.ts";
import { ELEMENTWISE_OPS, recompute } from "../elementwise_ops.ts";
import { isPlain, madeBy, reshapeMicroseconds } from "../matching.ts";
import { REDUCTIONS } from "./reduce_views.ts";

/** Least predicted saving of a merge in µs; smaller ones are within the error of the prices. */
const LEAST_SAVED_US = 3;

/**
 * Keeps the pixel rows and columns in the single dimension that a convolution returns, instead of splitting
 * them, if all users treat them equally: means over all pixels, and factors per image and channel, as in
 * squeeze-and-excite. Applied only if the surrounding reshapes become cheaper.
 */
export const mergePixels: RewritePattern = replacing({
  name: "merge-pixels",
  upstream: "none",
  roots: ["ttnn.reshape"],
  replace: (op, site, split) => {
    const source = op.tensorOperand(0);
    if (source === undefined || !isPlain(source.type) || !isPlain(split.type)) return undefined;
    const { shape } = split.type;
    // The rows of the last dimension stay as they are.
    if (shape.at(-1) !== source.type.shape.at(-1) || split.uses.size === 0) return undefined;
    const users = [...split.uses.keys()];
    for (let first = 0; first + 2 < shape.length; first++) {
      const run: DimensionRun = { first, end: first + 2, shape };
      // Whether the pixels of a single image are merged, `choose-row-forms` decides.
      if (shape.slice(run.first, run.end).includes(1) || volume(shape.slice(0, first)) === 1) continue;
      if (!users.every((user) => mayMerge(user, split, run))) continue;
      if (!pays(source, split, users, run, site.context)) continue;
      const merged = site.reshape(source, mergedShape(run, shape));
      return new Map(
        users.map((user) => [user.tensorResultAt(0), mergedUser(site.at(user), split, merged, run)]),
      );
    }
    return undefined;
  },
});

/** Adjacent dimensions that become one, in the shape of the split tensor. */
interface DimensionRun {
  readonly first: number;
  readonly end: number;
  readonly shape: readonly number[];
}

/** The run in its last place, preceded by ones, so that ranks and broadcast operands stay. */
function mergedShape({ first, end }: DimensionRun, shape: readonly number[]): readonly number[] {
  const extents = shape.slice(first, end);
  return [
    ...shape.slice(0, first),
    ...extents.slice(1).map(() => 1),
    volume(extents),
    ...shape.slice(end),
  ];
}

/** Whether an op computes the same if the run is one dimension. */
function mayMerge(user: TtnnOp, split: TensorValue, run: DimensionRun): boolean {
  const result = user.tensorResult;
  if (result === undefined || user.results.length !== 1 || !isPlain(result.type)) return false;
  if (user.name === "ttnn.reshape") return true;
  if (REDUCTIONS.includes(user.name)) {
    const dims = reducedDims(user, run.shape.length);
    const inside = dims.filter((dim) => dim >= run.first && dim < run.end);
    return dims.length > 0 && !dims.includes(run.shape.length - 1) &&
      (inside.length === 0 || inside.length === run.end - run.first);
  }
  if (!ELEMENTWISE_OPS.has(user.name) || !sameExtents(result.type.shape, run.shape)) return false;
  return user.tensorOperands.length === user.operands.length &&
    user.tensorOperands.every((operand) =>
      operand === split || (isPlain(operand.type) && isEquivalent(operand.type.shape, run))
    );
}

/** Whether a tensor has the whole run or extent 1 in all of it, ranks aligned at the end. */
function isEquivalent(shape: readonly number[], { first, end, shape: whole }: DimensionRun): boolean {
  const skipped = whole.length - shape.length;
  const own = whole.slice(first, end).map((_, index) => shape[first + index - skipped] ?? 1);
  return own.every((extent) => extent === 1) || (skipped === 0 && sameExtents(own, whole.slice(first, end)));
}

function reducedDims(op: TtnnOp, rank: number): readonly number[] {
  return (op.read(REDUCE).dim_arg ?? []).map((dim) => normalDim(dim, rank));
}

/** Whether the surrounding reshapes cost less with the run merged. */
function pays(
  source: TensorValue,
  split: TensorValue,
  users: readonly TtnnOp[],
  run: DimensionRun,
  context: PassContext,
): boolean {
  const typed = (value: TensorValue, shape: readonly number[]) =>
    tensorType(context.chip, shape, value.type.dataType);
  const reshape = (value: TensorValue, from: readonly number[], to: readonly number[]): number =>
    reshapeMicroseconds(typed(value, from), typed(value, to), context);
  const merged = mergedShape(run, run.shape);
  let saved = reshape(split, source.type.shape, run.shape) - reshape(split, source.type.shape, merged);
  for (const user of users) {
    const result = user.tensorResult;
    if (result === undefined) return false;
    if (user.name === "ttnn.reshape") {
      saved += reshape(result, run.shape, result.type.shape) - reshape(result, merged, result.type.shape);
      continue;
    }
    if (REDUCTIONS.includes(user.name)) continue;
    for (const operand of user.tensorOperands) {
      if (operand === split || !sameExtents(operand.type.shape, run.shape)) continue;
      const below = madeBy(operand, "reshape")?.tensorOperand(0);
      saved -= below !== undefined && operand.onlyUser === user
        ? reshape(operand, below.type.shape, merged) - reshape(operand, below.type.shape, run.shape)
        : reshape(operand, run.shape, merged);
    }
    const readers = [...result.uses.keys()];
    const others = readers.filter(({ name }) => name !== "ttnn.reshape");
    if (others.length > 0 || readers.length === 0) saved -= reshape(result, merged, run.shape);
    for (const { name, tensorResult } of readers) {
      if (name !== "ttnn.reshape" || tensorResult === undefined) continue;
      const { shape } = tensorResult.type;
      saved += reshape(result, run.shape, shape) - reshape(result, merged, shape);
    }
  }
  return saved >= LEAST_SAVED_US;
}

/** What an op of the split tensor makes, by way of the merged tensor. */
function mergedUser(
  site: PassBuilder,
  split: TensorValue,
  merged: TensorValue,
  run: DimensionRun,
): TensorValue {
  const { anchor: user } = site;
  const { shape, dataType } = user.tensorResultAt(0).type;
  if (user.name === "ttnn.reshape") return site.reshape(merged, shape);
  if (REDUCTIONS.includes(user.name)) {
    const dims = reducedDims(user, run.shape.length);
    const left = dims.some((dim) => dim >= run.first && dim < run.end)
      ? [...dims.filter((dim) => dim < run.first || dim >= run.end), run.end - 1].sort((a, b) => a - b)
      : dims;
    const extents = merged.type.shape.map((extent, dim) => (left.includes(dim) ? 1 : extent));
    const properties = user.propertiesWith({ dim_arg: left, keep_dim: true });
    return site.reshape(site.tensor(user.name, [merged], { shape: extents, dataType }, properties), shape);
  }
  const operands = user.tensorOperands.map((operand) =>
    operand === split
      ? merged
      : sameExtents(operand.type.shape, run.shape)
      ? site.reshape(operand, merged.type.shape)
      : mergedOperand(site, operand, run)
  );
  return site.reshape(recompute(site, operands, { shape: merged.type.shape, dataType }), shape);
}

/** An operand that broadcasts, over the run or over other dimensions. */
function mergedOperand(site: PassBuilder, operand: TensorValue, run: DimensionRun): TensorValue {
  const { shape } = operand.type;
  const isWhole = shape.length === run.shape.length &&
    sameExtents(shape.slice(run.first, run.end), run.shape.slice(run.first, run.end));
  return isWhole ? site.reshape(operand, mergedShape(run, shape)) : operand;
}
