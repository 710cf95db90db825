// SPDX-License-Identifier: Apache-2.0
import { normalDim, volume } from "../../../layout/extents.ts";
import { ALL_GATHER, MESH_PARTITION, REDUCE_SCATTER } from "../../../ops/attributes/collective.ts";
import type { Properties, TtnnOp } from "../../../ttnn/op.ts";
import type { TensorValue, TtnnTensorType } from "../../../ttnn/value.ts";
import type { PassContext } from "../../graph_pass.ts";
import { tensorType } from "../../../ttnn/tensor_type.ts";
import { replacing, type RewritePattern } from "../../rewrite_pattern.ts";
import { isPlain, predictedMicroseconds, reshapeMicroseconds } from "../matching.ts";
import { anyView, applyView, isUndone, type View } from "./view.ts";

/** The attribute with the concatenated or split dimension of a collective. */
interface ExchangedDimension {
  readonly of: (op: TtnnOp) => number | undefined;
  readonly moved: (dim: number) => Properties;
}

/** Collectives that views may move through; `undefined` for those without a dimension. */
const EXCHANGES: ReadonlyMap<string, ExchangedDimension | undefined> = new Map<
  string,
  ExchangedDimension | undefined
>([
  ["ttnn.all_gather", {
    of: (op) => op.read(ALL_GATHER).all_gather_dim,
    moved: (all_gather_dim) => ({ all_gather_dim }),
  }],
  ["ttnn.reduce_scatter", {
    of: (op) => op.read(REDUCE_SCATTER).scatter_dim,
    moved: (scatter_dim) => ({ scatter_dim }),
  }],
  ["ttnn.mesh_partition", { of: (op) => op.read(MESH_PARTITION).dim, moved: (dim) => ({ dim }) }],
  ["ttnn.all_reduce", undefined],
  ["ttnn.all_reduce_async", undefined],
]);

/**
 * Moves a view after a collective: the chips exchange the tensor below the view, because rows that do not
 * fill tiles are sent with padding. Applied if that is predicted faster, with the view behind it or, if the view
 * meets its inverse there, without both; a permute only in that case.
 */
export const sinkViewsThroughCollective: RewritePattern = replacing({
  name: "sink-views-through-collective",
  upstream: "none",
  roots: [...EXCHANGES.keys()],
  replace: (op, site, result) => {
    const { context } = site;
    const exchange = exchangeOf(op);
    const view = exchange === undefined ? undefined : anyView(exchange.operand);
    if (exchange === undefined || view === undefined || exchange.operand.onlyUser !== op) return undefined;
    const { operand } = exchange;
    const moved = exchangeOn(exchange, view.source.type, dimensionBelow(view, exchange), context);
    const producer = operand.producer;
    if (moved === undefined || producer === undefined) return undefined;
    const isMet = isUndone(result, view);
    if (view.permutation !== undefined && !isMet) return undefined;
    const before = known(predictedMicroseconds(producer, context)) +
      known(predictedMicroseconds(op, context));
    const behind = isMet
      ? -inverseMicroseconds(result, context)
      : reshapeMicroseconds(moved.type, result.type, context);
    if (!(moved.microseconds + behind < before)) return undefined;
    const received = site.op(op.name, [view.source], moved.type, moved.properties);
    const { permutation } = view;
    return applyView(site, received, { shape: result.type.shape, permutation });
  },
});

/** Predicted µs of the views that read a result directly and cancel with the moved view. */
function inverseMicroseconds(result: TensorValue, context: PassContext): number {
  return result.uses.keys()
    .filter(({ name }) => name === "ttnn.reshape" || name === "ttnn.permute")
    .reduce((sum, user) => sum + known(predictedMicroseconds(user, context)), 0);
}

/** A collective of tiled DRAM interleaved tensors. */
interface CollectiveExchange {
  readonly op: TtnnOp;
  readonly operand: TensorValue;
  readonly result: TensorValue;
  /** Dimension that is concatenated or split; `undefined` for sums of whole tensors. */
  readonly dim: number | undefined;
}

function exchangeOf(op: TtnnOp): CollectiveExchange | undefined {
  const [operand, result] = [op.tensorOperand(0), op.tensorResult];
  if (!EXCHANGES.has(op.name) || operand === undefined || result === undefined) return undefined;
  if (op.operands.length !== 1 || !isPlain(operand.type) || !isPlain(result.type)) return undefined;
  const named = EXCHANGES.get(op.name);
  const written = named?.of(op);
  if (named !== undefined && written === undefined) return undefined;
  const dim = written === undefined ? undefined : normalDim(written, operand.type.shape.length);
  return { op, operand, result, dim };
}

/**
 * The concatenated or split dimension below a view; `"all"` for collectives without one; `undefined` if a
 * reshape mixes it with others.
 */
function dimensionBelow(
  { source, permutation }: View,
  { dim, operand }: CollectiveExchange,
): number | "all" | undefined {
  if (dim === undefined) return "all";
  if (permutation !== undefined) return permutation[dim];
  const [from, to] = [operand.type.shape, source.type.shape];
  const behind = volume(from.slice(dim + 1));
  const below = to.findIndex((extent, own) => extent === from[dim] && volume(to.slice(own + 1)) === behind);
  return below < 0 ? undefined : below;
}

/** A shape scaled along one dimension by the ratio of the extents of `to` and `from`. */
function scaled(
  shape: readonly number[],
  at: number,
  from: TensorValue,
  to: TensorValue,
  dim: number,
): readonly number[] {
  const extent = (shape[at] ?? 1) * (to.type.shape[dim] ?? 1) / (from.type.shape[dim] ?? 1);
  return shape.with(at, extent);
}

/** A collective of a tensor of another shape. */
interface MovedExchange {
  readonly type: TtnnTensorType;
  readonly properties: ReadonlyMap<string, string>;
  /** Predicted time. */
  readonly microseconds: number;
}

function exchangeOn(
  exchange: CollectiveExchange,
  sent: TtnnTensorType,
  below: number | "all" | undefined,
  context: PassContext,
): MovedExchange | undefined {
  const { op, operand, result, dim } = exchange;
  if (below === undefined) return undefined;
  const named = EXCHANGES.get(op.name);
  let { properties } = op;
  let attributes = op.attributeMap();
  let extents = sent.shape;
  if (below !== "all" && dim !== undefined && named !== undefined) {
    extents = scaled(extents, below, operand, result, dim);
    const moved = named.moved(below);
    properties = op.propertiesWith(moved);
    attributes = op.attributesWith(moved);
  }
  const type = tensorType(context.chip, extents, result.type.dataType);
  const question = { name: op.name, operands: [sent], results: [type], attributes };
  const microseconds = context.microseconds(question);
  return microseconds === undefined ? undefined : { type, properties, microseconds };
}

/** An unknown time counts as none. */
function known(microseconds: number | undefined): number {
  return microseconds ?? 0;
}
