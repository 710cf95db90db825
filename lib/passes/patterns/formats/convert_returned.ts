// SPDX-License-Identifier: Apache-2.0
import { layoutsEqual } from "../../../layout/layout_table.ts";
import type { TtnnLayout } from "../../../layout/ttnn_layout.ts";
import { definitionOf, OP_DEFINITIONS } from "../../../ops/op_book.ts";
import { returnedFormat } from "../../../ops/returned_format.ts";
import type { TtnnOp } from "../../../ttnn/op.ts";
import { returnedRanks } from "../../../ops/rank_format.ts";
import type { TtnnFunction } from "../../../ttnn/function.ts";
import { isTensorValue, type TensorValue, type TtnnTensorType } from "../../../ttnn/value.ts";
import type { PassContext } from "../../graph_pass.ts";
import { tensorType } from "../../../ttnn/tensor_type.ts";
import type { RewritePattern } from "../../rewrite_pattern.ts";

/**
 * If an op's kernel returns another element format or page layout than declared, declares the returned type
 * and converts to the declared one afterwards, for all readers (tt-mlir:memory-layout-propagation).
 */
export const convertReturned: RewritePattern = {
  name: "convert-returned",
  upstream: "level-0",
  atLoad: true,
  roots: OP_DEFINITIONS.filter(({ formatOf, keepsPages, returnsRows }) =>
    formatOf !== undefined || keepsPages || returnsRows
  ).map(({ name }) => name),
  rewrite: (op, body, context) => {
    const result = op.tensorResult;
    const returned = result === undefined ? undefined : returnedType(op, result.type, context);
    const isConverted = result !== undefined && convert(op, result, returned, body);
    // The op's `dtype` states the format of its result.
    if (isConverted && op.properties.has("dtype")) op.set({ dtype: result.type.dataType });
    return isConverted || convertRanks(op, body);
  },
};

/** Declares what is returned, and converts it for all readers; `false` if that is what is declared. */
function convert(
  op: TtnnOp,
  result: TensorValue,
  returned: TtnnTensorType | undefined,
  body: TtnnFunction,
): boolean {
  const declared = result.type;
  // A tensor whose element contradicts its layout has no other type to be converted to.
  if (returned === undefined || layoutsEqual(returned.layout, declared.layout)) return false;
  result.type = returned;
  const readers = [...result.uses.keys()];
  let last = result;
  let anchor = op;
  for (const type of stepsBetween(returned, declared)) {
    const name = sameFormat(type, last.type) ? "ttnn.to_layout" : "ttnn.typecast";
    anchor = body.insertAfter(anchor, { name, operands: [last], resultTypes: [type] });
    last = anchor.tensorResultAt(0);
  }
  for (const reader of readers) body.replaceOperand(reader, result, last);
  return true;
}

/** {@linkcode convert} for the places that a sort returns beside its values. */
function convertRanks(op: TtnnOp, body: TtnnFunction): boolean {
  const [, ranks] = op.results;
  const values = op.operandType(0);
  if (ranks === undefined || !isTensorValue(ranks) || values === undefined) return false;
  const dataType = returnedRanks({ name: op.name, attributes: op.attributeMap() }, values);
  return dataType !== undefined && convert(op, ranks, withFormat(ranks.type, dataType), body);
}

/**
 * Type that the kernel returns; `undefined` if it depends on the kernel's shards, or on the host. Rows that are
 * declared as sharded tiles are interleaved.
 */
function returnedType(
  op: TtnnOp,
  declared: TtnnTensorType,
  context: PassContext,
): TtnnTensorType | undefined {
  const { keepsPages, returnsRows } = definitionOf(op.name);
  const first = keepsPages ? op.operandType(0) : undefined;
  const { layout, shape } = declared;
  const inRows = returnsRows || isRowMajor(first?.layout ?? layout);
  const dataType = returnedFormat(op.name, (operand) => op.operandType(operand)?.layout, !inRows) ??
    declared.dataType;
  if (layout.bufferType === "system_memory") return undefined;
  if (inRows === isRowMajor(layout)) return { ...declared, dataType, layout: { ...layout, dataType } };
  if (layout.memoryLayout !== "interleaved" && !returnsRows) return undefined;
  return tensorType(context.chip, shape, dataType, { rowMajor: inRows, bufferType: layout.bufferType });
}

/** Intermediate types from the returned type to the declared one; formats change in tiled layout. */
function stepsBetween(returned: TtnnTensorType, declared: TtnnTensorType): readonly TtnnTensorType[] {
  if (sameFormat(returned, declared) || isRowMajor(returned.layout) === isRowMajor(declared.layout)) {
    return [declared];
  }
  const between = isRowMajor(returned.layout)
    ? withFormat(declared, returned.dataType)
    : withFormat(returned, declared.dataType);
  return [between, declared];
}

/** Formats as layouts say them, which is what the backend reads. */
function sameFormat({ layout }: TtnnTensorType, other: TtnnTensorType): boolean {
  return layout.dataType === other.layout.dataType;
}

function withFormat(type: TtnnTensorType, dataType: TtnnTensorType["dataType"]): TtnnTensorType {
  return { ...type, dataType, layout: { ...type.layout, dataType } };
}

function isRowMajor({ tile }: TtnnLayout): boolean {
  return tile === undefined;
}
