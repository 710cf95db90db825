// SPDX-License-Identifier: Apache-2.0
import { integerText } from "../../dialect/printed_attributes.ts";
import type { DataType } from "../../layout/data_type.ts";
import { inversePermutation, sameExtents, volume } from "../../layout/extents.ts";
import { definitionOf, knownOps, type OpFamily } from "../../ops/op_book.ts";
import type { BodyOp } from "../body/body_op.ts";
import type { BodyValue, TensorValue } from "../body/body_value.ts";
import { InvariantValues, raiseConstant } from "../invariant_values.ts";
import type { FunctionBody } from "../body/function_body.ts";
import { type PassContext, tensorType } from "../graph_pass.ts";
import type { RewritePattern } from "../rewrite_pattern.ts";
import {
  dimensionOf,
  integersOf,
  isPlain,
  madeBy,
  makePermute,
  makeReshape,
  movesOnlyOnes,
  sameButOnes,
  type Site,
  tilesOf,
} from "./matching.ts";
import { regroupedExtents } from "./regrouped.ts";

/** Families that compute every number of the result from those at the same place. */
const ELEMENTWISE: ReadonlySet<OpFamily> = new Set<OpFamily>([
  "atan2",
  "binary",
  "composite_unary",
  "logical_binary",
  "remainder",
  "ternary",
  "typecast",
  "unary",
]);

/** Ops of these families that look at positions or bits all the same. */
const POSITIONAL: ReadonlySet<string> = new Set(["ttnn.bitcast_convert", "ttnn.dropout"]);

/** Ops that compute every number of the result from those at the same place. */
export const ELEMENTWISE_OPS: ReadonlySet<string> = new Set(
  knownOps()
    .filter(({ family, name }) => ELEMENTWISE.has(family) && !POSITIONAL.has(name))
    .map(({ name }) => name),
);

/** Ops that compute every row of the last dimension alike; further operands are rows themselves. */
export const ROWWISE: ReadonlySet<string> = new Set(["ttnn.layer_norm", "ttnn.rms_norm", "ttnn.softmax"]);

/**
 * An op that works element by element (or row by row) on reshaped or permuted tensors works on the tensors themselves, and
 * its result is reshaped or permuted: views meet their inverses and go (tt-mlir: `TTIREraseInverseOps`). Not where the
 * tensor itself has more tiles than the view, unless that spares permutes. A further operand that is no such view is
 * turned back, where that is done already or halves the tiles that the op works on.
 */
export const sinkViews: RewritePattern = sinkingPattern("none", viewOf, isWorth);

/** The same of views that one op reads, and to as few tiles alone: further go views here than upstream's. */
export const sinkViewsAsUpstream: RewritePattern = sinkingPattern(
  "only-upstream",
  (operand, op, result) =>
    operand.uses.keys().every((user) => user === op) ? viewOf(operand, op, result) : undefined,
  (view, result) => tilesOf(view.source.type.shape) <= tilesOf(result.type.shape),
);

function sinkingPattern(
  upstream: RewritePattern["upstream"],
  viewAt: typeof viewOf,
  isWorthIt: typeof isWorth,
): RewritePattern {
  return {
    name: "sink-views",
    option: undefined,
    upstream,
    roots: [
      ...ROWWISE,
      ...ELEMENTWISE_OPS,
    ],
    rewrite: (op, body, context) => {
      const result = op.tensorResult;
      if (result === undefined || !op.operands.every((_, index) => isPlain(op.operandType(index)))) {
        return false;
      }
      if (!isPlain(result.type)) return false;
      const operands = op.operands.flatMap((_, index) => op.tensorOperand(index) ?? []);
      const view = operands.map((operand) => viewAt(operand, op, result)).find((found) =>
        found !== undefined
      );
      if (view === undefined || !isWorthIt(view, result)) return false;
      const site = { anchor: op, body, context };
      const sources = ROWWISE.has(op.name)
        ? rowwiseSources(op, operands, view)
        : elementwiseSources(operands, view, result, site);
      if (sources === undefined) return false;
      sink(site, sources, view, result);
      return true;
    },
  };
}

/** Times as many tiles as a view has that its source may have where a permute is undone. */
const MOST_PADDING = 4;

/** Whether an op is better off on a view's source: on as few tiles, or where two permutes go for more of them. */
function isWorth(view: View, result: TensorValue): boolean {
  const [own, viewed] = [tilesOf(view.source.type.shape), tilesOf(result.type.shape)];
  return own <= viewed ||
    view.permutation !== undefined && own <= MOST_PADDING * viewed && isUndone(result, view);
}

/** A reshape or permute in front of an op. */
export interface View {
  readonly source: TensorValue;
  /** `undefined` for a reshape. */
  readonly permutation: readonly number[] | undefined;
}

/** The view that makes an operand of the result's shape, when nothing but the op reads it, or all that does lets it go. */
function viewOf(operand: TensorValue, op: BodyOp, result: TensorValue): View | undefined {
  const view = anyView(operand);
  if (view === undefined || !sameExtents(operand.type.shape, result.type.shape)) return undefined;
  const isOwn = operand.uses.keys().every((user) => user === op);
  return isOwn || isUndone(operand, view) && isLetGo(operand) ? view : undefined;
}

/**
 * Whether all that reads a tensor works element by element, on that tensor alone, on what was made of it, or beside it on
 * something small: then a view of it sinks through all of that (`x · clamp(x + 3)`).
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

/** Whether ops that work element by element make a value of another. */
function isMadeOf(value: BodyValue, source: BodyValue, steps: number = 0): boolean {
  const op = value.producer;
  return op !== undefined && steps < FARTHEST && ELEMENTWISE_OPS.has(op.name) &&
    op.operands.some((operand) => operand === source || isMadeOf(operand, source, steps + 1));
}

/** The reshape or permute that makes a value of tiles in interleaved DRAM from such a tensor. */
export function anyView(value: TensorValue): View | undefined {
  const op = madeBy(value, "reshape", "permute");
  const source = op?.tensorOperand(0);
  if (op === undefined || source === undefined || !isPlain(source.type)) return undefined;
  if (source.type.dataType !== value.type.dataType) return undefined;
  return { source, permutation: op.name === "ttnn.permute" ? integersOf(op, "permutation") : undefined };
}

/** Ops that a view is looked for behind. */
const FARTHEST = 8;

const PASSED: ReadonlySet<string> = new Set([
  ...ELEMENTWISE_OPS,
  "ttnn.concat",
  "ttnn.pad",
  "ttnn.slice_static",
]);

/** Whether something behind a value, with nothing but ops between that views sink through, undoes a view. */
export function isUndone(value: BodyValue, view: View, steps: number = 0): boolean {
  const { permutation } = view;
  return steps < FARTHEST && value.uses.keys().some((user) => {
    if (user.name === "ttnn.permute" && permutation !== undefined) {
      return integersOf(user, "permutation").every((dim, index) => permutation[dim] === index);
    }
    if (user.name === "ttnn.reshape" && permutation === undefined) {
      return user.operandType(0)?.shape.at(-1) === user.tensorResult?.type.shape.at(-1);
    }
    return PASSED.has(user.name) && isUndone(user.result, view, steps + 1);
  });
}

/** What the op reads instead of its operands; `undefined` where one of them cannot be had. */
function elementwiseSources(
  operands: readonly TensorValue[],
  view: View,
  result: TensorValue,
  site: Site,
): readonly TensorValue[] | undefined {
  const isSmaller = 2 * tilesOf(view.source.type.shape) <= tilesOf(result.type.shape);
  const found = operands.map((operand) =>
    sourceOf(operand, view, result) ?? flatter(operand, view, result, site) ??
      withOnesMoved(operand, view, result, site) ??
      inverseOf(operand, view, site) ??
      constantTurned(operand, view, result, site) ??
      broadcastTurned(operand, view, result, site) ??
      broadcastRegrouped(operand, view, result, site) ??
      (isSmaller && sameExtents(operand.type.shape, result.type.shape) ? "turn" : undefined)
  );
  if (found.includes(undefined)) return undefined;
  return found.flatMap((source, index) => {
    const operand = operands[index];
    return source !== "turn"
      ? source ?? []
      : operand === undefined
      ? []
      : turned(site, operand, inverse(view));
  });
}

/** The tensor below the same view, or what broadcasts alike. */
function sourceOf(operand: TensorValue, view: View, result: TensorValue): TensorValue | undefined {
  const { source, permutation } = view;
  const { shape } = source.type;
  const own = anyView(operand);
  const isSame = own !== undefined && sameExtents(own.source.type.shape, shape) &&
    sameExtents(operand.type.shape, result.type.shape) &&
    (permutation === undefined
      ? own.permutation === undefined
      : own.permutation !== undefined && sameExtents(own.permutation, permutation));
  if (isSame) return own.source;
  if (operand.type.shape.length > shape.length) return undefined;
  if (volume(operand.type.shape) === 1) return operand;
  const width = shape.at(-1);
  const isRow = permutation === undefined && width === result.type.shape.at(-1) &&
    operand.type.shape.at(-1) === width && volume(operand.type.shape) === width;
  return isRow ? operand : undefined;
}

/** A single number, or a row where the view leaves rows whole, of a higher rank than the source. */
function flatter(
  operand: TensorValue,
  { source, permutation }: View,
  result: TensorValue,
  site: Site,
): TensorValue | undefined {
  const { shape } = source.type;
  const ones = shape.map(() => 1);
  if (volume(operand.type.shape) === 1) return makeReshape(site, operand, ones);
  const width = operand.type.shape.at(-1) ?? 1;
  const isRow = permutation === undefined && volume(operand.type.shape) === width && width === shape.at(-1) &&
    width === result.type.shape.at(-1);
  return isRow ? makeReshape(site, operand, ones.with(-1, width)) : undefined;
}

/** What broadcasts, where the view only moves extents of one: its own ones move alike. */
function withOnesMoved(
  operand: TensorValue,
  { source, permutation }: View,
  result: TensorValue,
  site: Site,
): TensorValue | undefined {
  const [from, to] = [result.type.shape, source.type.shape];
  const { shape } = operand.type;
  const moves = permutation === undefined && sameButOnes(from, to) && shape.length <= from.length;
  if (!moves || sameExtents(shape, from)) return undefined;
  const extents = from.flatMap((extent, dim) =>
    extent === 1 ? [] : [shape[dim - (from.length - shape.length)] ?? 1]
  );
  return makeReshape(site, operand, to.map((extent) => (extent === 1 ? 1 : extents.shift() ?? 1)));
}

/** Share of the result's elements that an operand may have at most to be turned for a permute that sinks. */
const SMALL = 1 / 16;

/** What broadcasts along some of the dimensions that a permute moved, turned back where the permute will be undone. */
function broadcastTurned(
  operand: TensorValue,
  view: View,
  result: TensorValue,
  site: Site,
): TensorValue | undefined {
  const { permutation } = view;
  const { shape } = operand.type;
  if (permutation === undefined || shape.length !== permutation.length) return undefined;
  if (volume(shape) > SMALL * volume(result.type.shape) || !isUndone(result, view)) return undefined;
  const back = inversePermutation(permutation);
  return movesOnlyOnes(shape, back)
    ? makeReshape(site, operand, back.map((dim) => shape[dim] ?? 1))
    : turnedBack(site, operand, permutation);
}

/** What broadcasts along whole dimensions that a reshape split or merged, in the shape that it had before. */
function broadcastRegrouped(
  operand: TensorValue,
  { source, permutation }: View,
  result: TensorValue,
  site: Site,
): TensorValue | undefined {
  const { shape } = operand.type;
  if (permutation !== undefined || volume(shape) > SMALL * volume(result.type.shape)) return undefined;
  const extents = regroupedExtents(shape, result.type.shape, source.type.shape);
  return extents === undefined ? undefined : makeReshape(site, operand, extents);
}

/**
 * A constant turned back: that is done at load. Not for a view of a constant unless that has fewer tiles: two constants
 * would be turned to each other's shape in turn.
 */
function constantTurned(
  operand: TensorValue,
  view: View,
  result: TensorValue,
  site: Site,
): TensorValue | undefined {
  const constants = new InvariantValues(site.body);
  if (!constants.has(operand)) return undefined;
  if (constants.has(view.source) && tilesOf(view.source.type.shape) >= tilesOf(result.type.shape)) {
    return undefined;
  }
  raiseConstant(operand, site.anchor, site.body);
  const { permutation } = inverse(view);
  if (sameExtents(operand.type.shape, result.type.shape)) return turned(site, operand, inverse(view));
  if (permutation === undefined || operand.type.shape.length !== permutation.length) return undefined;
  const shape = permutation.map((dim) => operand.type.shape[dim] ?? 1);
  return turned(site, operand, { shape, permutation });
}

/** How a tensor is turned: to a shape or by a permutation. */
export type Turn = { readonly shape: readonly number[]; readonly permutation: readonly number[] | undefined };

/** What undoes a view. */
function inverse({ source, permutation }: View): Turn {
  return {
    shape: source.type.shape,
    permutation: permutation === undefined ? undefined : inversePermutation(permutation),
  };
}

/**
 * The operand turned back as something before the op has done already, for somebody else: a permute that is its own
 * inverse would be sunk without end in `x · xᵀ`.
 */
function inverseOf(operand: TensorValue, view: View, { anchor, body }: Site): TensorValue | undefined {
  const { shape, permutation } = inverse(view);
  for (const user of operand.uses.keys()) {
    const back = user.tensorResult;
    const isInverse = permutation === undefined
      ? user.name === "ttnn.reshape"
      : user.name === "ttnn.permute" && sameExtents(integersOf(user, "permutation"), permutation);
    if (!isInverse || back === undefined || !body.isBefore(user, anchor)) continue;
    if (anchor.operands.includes(back)) continue;
    if (sameExtents(back.type.shape, shape) && isPlain(back.type)) return back;
  }
  return undefined;
}

/** A value turned as what a permute turned was before. */
export function turnedBack(site: Site, value: TensorValue, permutation: readonly number[]): TensorValue {
  return makePermute(site, value, inversePermutation(permutation));
}

/** A value turned. */
export function turned(site: Site, value: TensorValue, { shape, permutation }: Turn): TensorValue {
  return permutation === undefined ? makeReshape(site, value, shape) : makePermute(site, value, permutation);
}

/** Operands of an op over rows when the reshape leaves rows whole. */
function rowwiseSources(
  op: BodyOp,
  operands: readonly TensorValue[],
  { source, permutation }: View,
): readonly TensorValue[] | undefined {
  const [input, ...rows] = operands;
  const rank = input?.type.shape.length ?? 0;
  const keepsRows = permutation === undefined && source.type.shape.at(-1) === input?.type.shape.at(-1);
  const overRows = op.name !== "ttnn.softmax" || dimensionOf(op, "dimension") === rank - 1;
  const plain = rows.every(({ type }) => type.shape.length === 1);
  return keepsRows && overRows && plain ? [source, ...rows] : undefined;
}

function sink(site: Site, operands: readonly TensorValue[], view: View, result: TensorValue): void {
  const computed = compute(site, operands, view.source.type.shape, result.type.dataType);
  site.body.replaceAllUses(result, turned(site, computed, { ...view, shape: result.type.shape }));
}

/** The op of a site on tensors of another shape. */
function compute(
  { anchor: op, body, context }: Site,
  operands: readonly TensorValue[],
  shape: readonly number[],
  dataType: DataType,
): TensorValue {
  const properties = new Map(op.properties);
  if (op.name === "ttnn.softmax") properties.set("dimension", integerText(shape.length - 1, "si32"));
  const made = body.insertBefore(op, {
    name: op.name,
    operands,
    resultTypes: [tensorType(context, shape, dataType)],
    properties,
    attributes: op.attributes,
  }).tensorResult;
  if (made === undefined) throw new RangeError(`${op.name} has no tensor result`);
  return made;
}

/**
 * A reshape of what an op makes element by element (or row by row), to fewer tiles, is made of what the op reads: the op
 * has less work (tt-mlir: `TTIREraseInverseOps`, commuting upwards).
 */
export const raiseReshapes: RewritePattern = {
  name: "raise-reshapes",
  option: undefined,
  upstream: "none",
  roots: ["ttnn.reshape"],
  rewrite: (op, body, context) => {
    let raised = raiseReshape(op, body, context);
    if (raised === undefined) return false;
    // As far as it goes at once: a sweep visits what stands further up no more.
    while (raised !== undefined) raised = raiseReshape(raised, body, context);
    return true;
  },
};

/** Raises a reshape over the op that makes what it reads; the reshape in its new place. */
function raiseReshape(op: BodyOp, body: FunctionBody, context: PassContext): BodyOp | undefined {
  const [made, result] = [op.tensorOperand(0), op.tensorResult];
  const producer = made?.producer;
  const input = producer?.tensorOperand(0);
  if (producer === undefined || made?.onlyUser !== op || result === undefined || input === undefined) {
    return undefined;
  }
  if (
    ![made, result, input].every(({ type }) => isPlain(type)) ||
    !sameExtents(input.type.shape, made.type.shape)
  ) {
    return undefined;
  }
  if (tilesOf(result.type.shape) >= tilesOf(made.type.shape) || result.type.dataType !== made.type.dataType) {
    return undefined;
  }
  const site = { anchor: producer, body, context };
  const operands = producer.operands.flatMap((_, index) => producer.tensorOperand(index) ?? []);
  const single = operands.length === 1 && ELEMENTWISE.has(definitionOf(producer.name).family) &&
    !POSITIONAL.has(producer.name);
  // Seen from the result, the reshape is the view that is undone.
  const rows = ROWWISE.has(producer.name)
    ? rowwiseSources(producer, operands, { source: result, permutation: undefined })
    : undefined;
  if (!single && rows === undefined) return undefined;
  const raised = makeReshape(site, input, result.type.shape);
  const computed = compute(site, [raised, ...operands.slice(1)], result.type.shape, result.type.dataType);
  body.replaceAllUses(result, computed);
  body.erase(op);
  body.erase(producer);
  return madeBy(raised, "reshape");
}
