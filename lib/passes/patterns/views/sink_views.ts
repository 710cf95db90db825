// SPDX-License-Identifier: Apache-2.0
import { volume } from "../../../layout/extents.ts";
import { tileCount } from "../../../layout/tile_shape.ts";
import type { TtnnOp } from "../../../ttnn/op.ts";
import { sameShape, type TensorValue, type TtnnValue } from "../../../ttnn/value.ts";
import { replacing, type RewritePattern } from "../../rewrite_pattern.ts";
import { ELEMENTWISE_OPS, recompute, ROWWISE } from "../elementwise_ops.ts";
import { isPlain } from "../matching.ts";
import { anyView, applyView, FARTHEST, isUndone, type View } from "./view.ts";
import { elementwiseSources, rowwiseSources, SMALL } from "./view_sources.ts";

/**
 * Moves reshapes and permutes of the operands of an elementwise (or row-wise) op to its result, where views
 * meet their inverses and cancel (tt-mlir: `TTIREraseInverseOps`). Not applied if the unviewed tensor has
 * more tiles than the view, unless that saves permutes. An operand without such a view gets the inverse view,
 * if that already exists or halves the tiles of the op.
 */
export const sinkViews: RewritePattern = sinkingPattern("none", viewOf, isWorth);

/**
 * {@linkcode sinkViews} for views with a single reader, and only to as few tiles: fewer cases than here, as
 * in upstream.
 */
export const sinkViewsAsUpstream: RewritePattern = sinkingPattern(
  "only-upstream",
  (operand, op, result) =>
    operand.uses.keys().every((user) => user === op) ? viewOf(operand, op, result) : undefined,
  (view, result) => tileCount(view.source.type.shape) <= tileCount(result.type.shape),
);

function sinkingPattern(
  upstream: RewritePattern["upstream"],
  viewAt: typeof viewOf,
  isWorthIt: typeof isWorth,
): RewritePattern {
  return replacing({
    name: "sink-views",
    upstream,
    keepsFunctions: true,
    roots: [
      ...ROWWISE,
      ...ELEMENTWISE_OPS,
    ],
    replace: (op, site, result) => {
      if (!op.operands.every((_, index) => isPlain(op.operandType(index)))) return undefined;
      if (!isPlain(result.type)) return undefined;
      const operands = op.tensorOperands;
      const view = operands.map((operand) => viewAt(operand, op, result)).find((found) =>
        found !== undefined
      );
      if (view === undefined || !isWorthIt(view, result)) return undefined;
      const sources = ROWWISE.has(op.name)
        ? rowwiseSources(op, operands, view)
        : elementwiseSources(operands, view, result, site);
      if (sources === undefined) return undefined;
      const { shape } = view.source.type;
      const computed = recompute(site, sources, { shape, dataType: result.type.dataType });
      return applyView(site, computed, { ...view, shape: result.type.shape });
    },
  });
}

/** If a permute is undone, the source may have up to this many times the view's tiles. */
const MOST_PADDING = 4;

/**
 * Whether an op should run on a view's source: on as few tiles, or on more tiles if that removes two
 * permutes.
 */
function isWorth(view: View, result: TensorValue): boolean {
  const [own, viewed] = [tileCount(view.source.type.shape), tileCount(result.type.shape)];
  return own <= viewed ||
    view.permutation !== undefined && own <= MOST_PADDING * viewed && isUndone(result, view);
}

/**
 * The view that produces an operand of the result's shape, if it has no other readers or all of them let it
 * sink.
 */
function viewOf(operand: TensorValue, op: TtnnOp, result: TensorValue): View | undefined {
  const view = anyView(operand);
  if (view === undefined || !sameShape(operand, result)) return undefined;
  const isOwn = operand.uses.keys().every((user) => user === op);
  return isOwn || isUndone(operand, view) && isLetGo(operand) ? view : undefined;
}

/**
 * Whether all readers of a tensor are elementwise ops of that tensor, of tensors derived from it, or of small
 * operands: a view of it then sinks through all of them (`x · clamp(x + 3)`).
 */
function isLetGo(value: TensorValue): boolean {
  return value.uses.keys().every((user) =>
    ELEMENTWISE_OPS.has(user.name) && user.operands.every((operand, index) => {
      const other = user.tensorOperand(index);
      return other !== undefined &&
        (operand === value || volume(other.type.shape) <= SMALL * volume(value.type.shape) ||
          isMadeOf(other, value));
    })
  );
}

/** Whether elementwise ops derive a value from another. */
function isMadeOf(value: TtnnValue, source: TtnnValue, steps: number = 0): boolean {
  const op = value.producer;
  return op !== undefined && steps < FARTHEST && ELEMENTWISE_OPS.has(op.name) &&
    op.operands.some((operand) => operand === source || isMadeOf(operand, source, steps + 1));
}
