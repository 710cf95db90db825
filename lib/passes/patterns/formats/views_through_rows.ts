// SPDX-License-Identifier: Apache-2.0
import { TILE } from "../../../layout/tile_shape.ts";
import { definitionOf } from "../../../ops/op_book.ts";
import type { TtnnOp } from "../../../ttnn/op.ts";
import { sameType, type TensorValue, type TtnnTensorType } from "../../../ttnn/value.ts";
import type { PassContext } from "../../graph_pass.ts";
import { PassBuilder, replacing, type RewritePattern } from "../../rewrite_pattern.ts";
import { madeBy, toLayoutMicroseconds, unaryMicroseconds } from "../matching.ts";
import {
  becomesRows,
  formsAsTheyAre,
  isView,
  leastForms,
  mostThroughRows,
  readersOf,
  readViewTree,
  rowsTypeOf,
  type TreeForms,
  VIEWS_THROUGH_ROWS,
  workBeside,
} from "./view_tree.ts";

/**
 * Runs a reshape or slice that moves elements between tiles row-major, if that is faster: a row-major reshape
 * of whole rows moves nothing, and a slice reads only its result. Existing row-major tensors, before or
 * after, are reused, and tiles without other users are not created. Results of a lowered function may be
 * row-major: its caller reads rows in the end, and upstream returns some results so (tt-mlir:pass-order).
 * Tiles would pad the logits of one position to 32 rows.
 */
export const viewsThroughRows: RewritePattern = {
  name: "views-through-rows",
  upstream: "none",
  roots: VIEWS_THROUGH_ROWS,
  rewrite: (op, body, context) => {
    const [input, result] = [op.tensorOperand(0), op.tensorResult];
    if (input === undefined || result === undefined || !isView(op)) return false;
    if (!isShorter(op, input, result, context)) return false;
    const site = new PassBuilder(body, op, context);
    const read = rowsOf(site, input);
    // Tiles that are then only returned are not made either.
    if (isReadInRows(input, read.type, context, op)) body.replaceOperand(body.terminator, input, read);
    const rows = site.op(op.name, [read], rowsTypeOf(result, context), op.properties);
    if (isReadInRows(result, rows.type, context)) body.replaceOperand(body.terminator, result, rows);
    if (result.uses.size > 0) {
      body.replaceAllUses(result, site.op("ttnn.to_layout", [rows], result.type));
    }
    return true;
  },
};

/** Folds untilize(tilize(x)) to x. */
export const foldLayoutRoundTrip: RewritePattern = replacing({
  name: "fold-layout-round-trip",
  upstream: "none",
  roots: ["ttnn.to_layout"],
  replace: (op, _site, result) => {
    const source = tilizedFrom(op.tensorOperand(0));
    return source !== undefined && sameType(source.type, result.type) ? source : undefined;
  },
});

/** The tensor that a `to_layout` converted to this one, unless it is of rows that no view reads. */
function tilizedFrom(value: TensorValue | undefined): TensorValue | undefined {
  const source = madeBy(value, "to_layout")?.tensorOperand(0);
  const producer = source?.producer;
  const isPadded = producer !== undefined && definitionOf(producer.name).padsRows &&
    (source?.type.shape.at(-1) ?? 1) % TILE !== 0;
  return isPadded ? undefined : source;
}

function isShorter(op: TtnnOp, input: TensorValue, result: TensorValue, context: PassContext): boolean {
  const [from, to] = [rowsTypeOf(input, context), rowsTypeOf(result, context)];
  const time = (operand: TtnnTensorType, made: TtnnTensorType) =>
    unaryMicroseconds(op.name, operand, made, context, op.attributeMap());
  const inTiles = time(input.type, result.type);
  // A tilize for this op alone is dropped, and so are ops that only untilize its result.
  const tiled = isTiledFor(op, input, from) ? toLayoutMicroseconds(from, input.type, context) : 0;
  const untiled = isReadInRows(result, to, { ...context, ownsResults: false })
    ? toLayoutMicroseconds(result.type, to, context)
    : 0;
  const before = inTiles + tiled + untiled;
  if (before === Infinity) return false;
  const most = mostThroughRows(before);
  let inRows = 0;
  // Most alternatives are already too slow before their last step.
  for (
    const step of [
      () => hasRows(input, from) ? 0 : toLayoutMicroseconds(input.type, from, context),
      () => time(from, to),
      () => isReadInRows(result, to, context) ? 0 : toLayoutMicroseconds(to, result.type, context),
    ]
  ) {
    inRows += step();
    if (inRows >= most) return false;
  }
  return true;
}

/** Whether a tensor was tilized and its tiles are read by one op only. */
function isTiledFor(op: TtnnOp, value: TensorValue, rows: TtnnTensorType): boolean {
  const source = tilizedFrom(value);
  return source !== undefined && sameType(source.type, rows) &&
    [...value.uses.keys()].every((user) => user === op);
}

/** The row-major tensor; untilized if it does not exist yet. */
function rowsOf(site: PassBuilder, value: TensorValue): TensorValue {
  const rows = rowsTypeOf(value, site.context);
  const source = tilizedFrom(value);
  return source !== undefined && sameType(source.type, rows)
    ? source
    : site.op("ttnn.to_layout", [value], rows);
}

/** Whether a tensor was row-major before it was tilized, or another reader untilizes it. */
function hasRows(value: TensorValue, rows: TtnnTensorType): boolean {
  const source = tilizedFrom(value);
  return source !== undefined && sameType(source.type, rows) ||
    value.uses.keys().some((user) => becomesRows(user, rows));
}

/** Whether all readers of a tensor, apart from one, read it row-major. */
function isReadInRows(
  value: TensorValue,
  rows: TtnnTensorType,
  { ownsResults }: PassContext,
  apart?: TtnnOp,
): boolean {
  return value.uses.keys().every((user) =>
    user === apart || becomesRows(user, rows) || ownsResults && user.name === "func.return"
  );
}

/**
 * Largest share of the tiled time for row-major execution that has to untilize first: a policy may keep these
 * tiles in L1, where views take less time than predicted here.
 */
const WORTH_IT_FROM_TILES = 2 / 3;

/**
 * Runs a tree of views row-major if that is faster, even if no single view would be: adjacent parts of heads
 * are sliced and flattened row-major and only then tilized.
 */
export const viewTreesThroughRows: RewritePattern = {
  name: "view-trees-through-rows",
  upstream: "none",
  roots: VIEWS_THROUGH_ROWS,
  rewrite: (op, body, context) => {
    const root = op.tensorOperand(0);
    // A tree is examined once, at the first view of its root.
    if (root === undefined || readersOf(root).find(isView) !== op || isMadeByView(root)) return false;
    const source = tilizedFrom(root);
    const rows = source !== undefined && sameType(source.type, rowsTypeOf(root, context))
      ? source
      : undefined;
    const tree = readViewTree(root, context);
    if (tree === undefined) return false;
    const given = rows === undefined ? "tiles" : "rows";
    const [before, after] = [formsAsTheyAre(tree, given), leastForms(tree, given)];
    // Without a price there is no minimum.
    if (before.us === Infinity) return false;
    const [saved, spent] = [workBeside(before, after), workBeside(after, before)];
    const most = mostThroughRows(saved.us, spent.programs - saved.programs);
    if (spent.us >= (rows === undefined ? Math.min(most, WORTH_IT_FROM_TILES * saved.us) : most)) {
      return false;
    }
    writeForms(after, rows, new PassBuilder(body, op, context));
    return true;
  },
};

function isMadeByView({ definition }: TensorValue): boolean {
  return definition.kind === "result" && isView(definition.op);
}

/** Writes the row-major views of a tensor, recursively. */
function writeForms({ tree, views }: TreeForms, given: TensorValue | undefined, site: PassBuilder): void {
  let rows = given;
  for (const { form, forms } of views) {
    const { op, rows: type } = forms.tree;
    if (op === undefined) throw new RangeError("a view without an op");
    const here = new PassBuilder(site.body, op, site.context);
    if (form === "tiles") {
      writeForms(forms, undefined, here);
      continue;
    }
    rows ??= here.op("ttnn.to_layout", [tree.value], tree.rows);
    const made = here.op(op.name, [rows], type, op.properties);
    writeForms(forms, made, here);
    finish(forms, made, here);
    site.body.erase(op);
  }
}

/**
 * Passes a row-major tensor to its readers outside the row-major views: row-major if none of them needs
 * tiles.
 */
function finish(
  { tree: { value }, changes }: TreeForms,
  rows: TensorValue,
  site: PassBuilder,
): void {
  const { body, context } = site;
  if (!changes && context.ownsResults) body.replaceOperand(body.terminator, value, rows);
  if (value.uses.size > 0) {
    body.replaceAllUses(value, site.op("ttnn.to_layout", [rows], value.type));
  }
}
