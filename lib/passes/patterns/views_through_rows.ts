// SPDX-License-Identifier: Apache-2.0
import type { AttributeMap } from "../../ir/mod.ts";
import type { TtnnOp } from "../../ttnn/op.ts";
import { sameType, type TensorValue, type TtnnTensorType } from "../../ttnn/value.ts";
import type { PassContext } from "../graph_pass.ts";
import { replacing, type RewritePattern } from "../rewrite_pattern.ts";
import { madeBy } from "./matching.ts";
import { becomesRows, isView, mostThroughRows, rowsTypeOf, VIEWS_THROUGH_ROWS } from "./view_tree.ts";
import { PassBuilder } from "../pass_builder.ts";

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
    const rows = site.op(op.name, [rowsOf(site, input)], rowsTypeOf(result, context), op.properties);
    const { terminator } = body;
    if (isReadInRows(result, rows.type, context)) {
      terminator.operands.forEach((value, index) => {
        if (value === result) body.setOperand(terminator, index, rows);
      });
    }
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
    const source = madeBy(op.operands[0], "to_layout")?.tensorOperand(0);
    if (source === undefined || !sameType(source.type, result.type)) return undefined;
    return source;
  },
});

function isShorter(op: TtnnOp, input: TensorValue, result: TensorValue, context: PassContext): boolean {
  const [from, to] = [rowsTypeOf(input, context), rowsTypeOf(result, context)];
  const time = (
    name: string,
    operand: TtnnTensorType,
    made: TtnnTensorType,
    attributes: AttributeMap = new Map(),
  ) => context.microseconds({ name, operands: [operand], results: [made], attributes });
  const inTiles = time(op.name, input.type, result.type, op.attributeMap());
  // A tilize for this op alone is dropped.
  const tiled = isTiledFor(op, input, from) ? time("ttnn.to_layout", from, input.type) : 0;
  if (inTiles === undefined || tiled === undefined) return false;
  const most = mostThroughRows(inTiles + tiled);
  let inRows = 0;
  // Most alternatives are already too slow before their last step.
  for (
    const step of [
      () => hasRows(input, from) ? 0 : time("ttnn.to_layout", input.type, from),
      () => time(op.name, from, to, op.attributeMap()),
      () => isReadInRows(result, to, context) ? 0 : time("ttnn.to_layout", to, result.type),
    ]
  ) {
    inRows += step() ?? Infinity;
    if (inRows >= most) return false;
  }
  return true;
}

/** Whether a tensor was tilized and its tiles are read by one op only. */
function isTiledFor(op: TtnnOp, value: TensorValue, rows: TtnnTensorType): boolean {
  const source = madeBy(value, "to_layout")?.tensorOperand(0);
  return source !== undefined && sameType(source.type, rows) &&
    [...value.uses.keys()].every((user) => user === op);
}

/** The row-major tensor; untilized if it does not exist yet. */
function rowsOf(site: PassBuilder, value: TensorValue): TensorValue {
  const rows = rowsTypeOf(value, site.context);
  const source = madeBy(value, "to_layout")?.tensorOperand(0);
  return source !== undefined && sameType(source.type, rows)
    ? source
    : site.op("ttnn.to_layout", [value], rows);
}

/** Whether a tensor was row-major before it was tilized, or another reader untilizes it. */
function hasRows(value: TensorValue, rows: TtnnTensorType): boolean {
  const source = madeBy(value, "to_layout")?.tensorOperand(0);
  return source !== undefined && sameType(source.type, rows) ||
    value.uses.keys().some((user) => becomesRows(user, rows));
}

/** Whether all readers of a tensor read it row-major. */
function isReadInRows(value: TensorValue, rows: TtnnTensorType, { ownsSignature }: PassContext): boolean {
  return value.uses.keys().every((user) =>
    becomesRows(user, rows) || ownsSignature && user.name === "func.return"
  );
}
