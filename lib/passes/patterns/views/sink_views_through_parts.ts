// SPDX-License-Identifier: Apache-2.0
import { CONCAT, PERMUTE } from "../../../ops/attributes/movement.ts";
import { makeAttributes } from "../../../ops/attributes/print_attributes.ts";
import { sameExtents, volume } from "../../../layout/extents.ts";
import { tileCount } from "../../../layout/tile_shape.ts";
import type { TtnnOp } from "../../../ttnn/op.ts";
import { tensorType } from "../../../ttnn/tensor_type.ts";
import type { TensorValue, TtnnTensorType } from "../../../ttnn/value.ts";
import type { PassContext, ProposedOp } from "../../graph_pass.ts";
import { type PassBuilder, replacing, type RewritePattern } from "../../rewrite_pattern.ts";
import { dimensionOf, isPlain, proposed, proposedWith, slicedBounds } from "../matching.ts";
import { anyView, applyView, isUndone, permutedBack, type View } from "./view.ts";

/**
 * Slices a tensor before its reshape or permute, then views each slice (tt-mlir: `TTIREraseInverseOps`). The
 * view must have no readers but slices, of no more tiles in total than the tensor, and one of the slices must
 * meet the inverse view.
 */
export const sinkViewsThroughSlice: RewritePattern = replacing({
  name: "sink-views-through-slice",
  upstream: "level-0",
  roots: ["ttnn.slice_static"],
  replace: (op, site, result) => {
    const operand = op.tensorOperand(0);
    if (operand === undefined || !isPlain(result.type)) return undefined;
    const view = anyView(operand);
    if (view === undefined || !operand.uses.keys().every(({ name }) => name === op.name)) return undefined;
    const parts = operand.uses.keys().reduce((sum, { tensorResult }) => sum + tilesAt(tensorResult), 0);
    if (parts > tileCount(operand.type.shape)) return undefined;
    const [begins, ends, steps] = slicedBounds(op);
    const cuts = operand.type.shape.map((extent, dim) => ({
      begin: begins?.[dim] ?? 0,
      end: ends?.[dim] ?? extent,
      step: steps?.[dim] ?? 1,
    }));
    const own = ownCuts(cuts, view, operand.type.shape);
    if (own === undefined || !operand.uses.keys().some(({ result: part }) => isUndone(part, view))) {
      return undefined;
    }
    const extents = own.map(({ begin, end, step }) => Math.ceil((end - begin) / step));
    const part = site.tensor(op.name, [view.source], { shape: extents, dataType: result.type.dataType }, {
      begins: own.map(({ begin }) => begin),
      ends: own.map(({ end }) => end),
      step: own.map(({ step }) => step),
    });
    const { permutation } = view;
    return applyView(site, part, { shape: result.type.shape, permutation });
  },
});

function tilesAt(value: TensorValue | undefined): number {
  return value === undefined ? 0 : tileCount(value.type.shape);
}

interface PartSlice {
  readonly begin: number;
  readonly end: number;
  readonly step: number;
}

/** The equivalent cuts of the tensor below the view; `undefined` if the view mixes the sliced dimensions. */
function ownCuts(
  cuts: readonly PartSlice[],
  view: View,
  shape: readonly number[],
): readonly PartSlice[] | undefined {
  const below = view.source.type.shape;
  const { permutation } = view;
  if (permutation !== undefined) {
    return below.map((extent, dim) => cuts[permutation.indexOf(dim)] ?? { begin: 0, end: extent, step: 1 });
  }
  const last = cuts.at(-1);
  const isCut = ({ begin, end, step }: PartSlice, dim: number): boolean =>
    begin !== 0 || end !== shape[dim] || step !== 1;
  if (last === undefined || below.at(-1) !== shape.at(-1) || cuts.slice(0, -1).some(isCut)) return undefined;
  return below.map((extent, dim) => dim === below.length - 1 ? last : { begin: 0, end: extent, step: 1 });
}

/**
 * Concatenates tensors before a view that all of them have, instead of after it: a reshape, or a permute if one after
 * the concat may cancel it. Extends tt-mlir's `TTIREraseInverseOps` to concats. Other permutes stay in place, since a
 * permute of heads may be fused with the op that splits the heads. An operand without the view gets the inverse permute
 * if that costs less than is saved.
 */
export const sinkViewsThroughConcat: RewritePattern = replacing({
  name: "sink-views-through-concat",
  upstream: "none",
  roots: ["ttnn.concat"],
  replace: (op, site, result) => {
    const dim = dimensionOf(op, op.read(CONCAT).dim);
    const operands = op.tensorOperands;
    if (operands.length !== op.operands.length) return undefined;
    if (![result, ...operands].every(({ type }) => isPlain(type))) return undefined;
    const onlyPermutesRead = result.uses.keys().every(({ name }) => name === "ttnn.permute");
    for (const seen of operands) {
      const view = viewHere(seen, op);
      const joined = view && joinedDim(view, dim, seen.type.shape);
      if (view === undefined || joined === undefined) continue;
      const sources = operands.map((operand) => equivalentSource(operand, view, { dim, joined }));
      const toPermute = operands.filter((_, index) => sources[index] === undefined);
      const spared = operands.filter((operand, index) =>
        sources[index] !== undefined && viewHere(operand, op) !== undefined
      );
      const pays = toPermute.length === 0 || onlyPermutesRead && isLess(toPermute, spared);
      const cannotCancel = view.permutation !== undefined && !onlyPermutesRead && !isUndone(result, view);
      if (!pays || cannotCancel) continue;
      const join: JoinOfViews = { op, result, operands, view, joined, sources };
      if (isSlower(join, spared, site.context)) continue;
      return joinBelow(join, site);
    }
    return undefined;
  },
});

/** Whether tensors have fewer tiles than others, and fewer elements. */
function isLess(some: readonly TensorValue[], others: readonly TensorValue[]): boolean {
  const total = (values: readonly TensorValue[], sizeOf: (shape: readonly number[]) => number): number =>
    values.reduce((sum, { type }) => sum + sizeOf(type.shape), 0);
  return [tileCount, volume].every((sizeOf) => total(some, sizeOf) < total(others, sizeOf));
}

/** A concat with views of one kind on some operands. */
interface JoinOfViews {
  readonly op: TtnnOp;
  readonly result: TensorValue;
  readonly operands: readonly TensorValue[];
  readonly view: View;
  /** Concatenation dimension below the view. */
  readonly joined: number;
  /** Tensors below the view; `undefined` for operands that get the inverse view. */
  readonly sources: readonly (TensorValue | undefined)[];
}

/**
 * Whether the concat below the views takes more time than it and the views do now: parts that end within a tile are
 * joined element by element along one dimension and by whole rows along another. A view that the reader of the concat
 * undoes cancels there and costs nothing. Without a price of all of it the answer is no.
 *
 * @param spared operands whose views go
 */
function isSlower(join: JoinOfViews, spared: readonly TensorValue[], context: PassContext): boolean {
  const { op, result, operands, view, joined, sources } = join;
  if (sources.some((source) => source === undefined)) return false;
  const types = sources.flatMap((source) => source?.type ?? []);
  const whole = tensorType(context.chip, wholeExtents(types, joined), result.type.dataType);
  const concat = proposedWith(op, { operands: types, results: [whole], properties: { dim: joined } });
  const time = (questions: readonly ProposedOp[]): number =>
    questions.reduce((us, question) => us + (context.microseconds(question) ?? NaN), 0);
  const viewed = operands.flatMap(({ producer }, index) =>
    producer !== undefined && spared.includes(operands[index] ?? result) ? [proposed(producer)] : []
  );
  const behind = viewQuestion(view, whole, result.type);
  return time([concat, ...isUndone(result, view) ? [] : [behind]]) > time([proposed(op), ...viewed]);
}

/** A view of one tensor as another, as a question. */
function viewQuestion({ permutation }: View, from: TtnnTensorType, to: TtnnTensorType): ProposedOp {
  return permutation === undefined
    ? { name: "ttnn.reshape", operands: [from], results: [to], attributes: new Map() }
    : {
      name: "ttnn.permute",
      operands: [from],
      results: [to],
      attributes: makeAttributes(PERMUTE, { permutation }),
    };
}

function wholeExtents(parts: readonly TtnnTensorType[], dim: number): readonly number[] {
  const [first] = parts;
  return first === undefined
    ? []
    : first.shape.with(dim, parts.reduce((sum, { shape }) => sum + (shape[dim] ?? 0), 0));
}

function joinBelow(
  { result, operands, view, joined, sources }: JoinOfViews,
  site: PassBuilder,
): TensorValue | undefined {
  const { permutation } = view;
  const back = (operand: TensorValue): TensorValue | undefined =>
    permutation === undefined ? undefined : permutedBack(site, operand, permutation);
  const found = operands.flatMap((operand, index) => sources[index] ?? back(operand) ?? []);
  if (found.length !== operands.length) return undefined;
  const shape = wholeExtents(found.map(({ type }) => type), joined);
  const whole = site.tensor("ttnn.concat", found, { shape, dataType: result.type.dataType }, {
    dim: joined,
  });
  return applyView(site, whole, { shape: result.type.shape, permutation });
}

/** The view that produces an operand, if it has no other readers. */
function viewHere(operand: TensorValue, op: TtnnOp): View | undefined {
  return operand.uses.keys().every((user) => user === op) ? anyView(operand) : undefined;
}

/**
 * The concatenation dimension of the tensors below; `undefined` if the view mixes it with others.
 *
 * @param shape of the viewed operand
 */
function joinedDim({ source, permutation }: View, dim: number, shape: readonly number[]): number | undefined {
  if (permutation !== undefined) return permutation[dim];
  const below = source.type.shape;
  if (dim === shape.length - 1 && below.at(-1) === shape.at(-1)) return below.length - 1;
  // Where only dimensions of one element move, as from 32x1x80 to 32x80x1, the others correspond in order.
  const wide = wideDims(below);
  const place = wideDims(shape).indexOf(dim);
  return place >= 0 && sameExtents(shape.filter(isWide), below.filter(isWide)) ? wide[place] : undefined;
}

function isWide(extent: number): boolean {
  return extent !== 1;
}

/** Dimensions of more than one element. */
function wideDims(shape: readonly number[]): readonly number[] {
  return shape.flatMap((extent, dim) => isWide(extent) ? [dim] : []);
}

/** The tensor below the same view of an operand. */
function equivalentSource(
  operand: TensorValue,
  view: View,
  { dim, joined }: { readonly dim: number; readonly joined: number },
): TensorValue | undefined {
  const own = anyView(operand);
  if (own === undefined) return undefined;
  if (view.permutation !== undefined) {
    return own.permutation !== undefined && sameExtents(own.permutation, view.permutation)
      ? own.source
      : undefined;
  }
  const extent = operand.type.shape[dim] ?? 0;
  return own.permutation === undefined &&
      sameExtents(own.source.type.shape, view.source.type.shape.with(joined, extent))
    ? own.source
    : undefined;
}
