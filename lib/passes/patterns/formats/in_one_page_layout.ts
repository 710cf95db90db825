// SPDX-License-Identifier: Apache-2.0
import { OP_DEFINITIONS, type OpFamily } from "../../../ops/op_book.ts";
import { isBlockFloat } from "../../../layout/data_type.ts";
import type { TtnnOp } from "../../../ttnn/op.ts";
import { tensorType } from "../../../ttnn/tensor_type.ts";
import {
  isTensorValue,
  sameType,
  type TensorValue,
  type TtnnTensorType,
  type TtnnType,
  type TtnnValue,
} from "../../../ttnn/value.ts";
import type { PassContext } from "../../graph_pass.ts";
import { type PassBuilder, replacing, type RewritePattern } from "../../rewrite_pattern.ts";
import { isFasterBeyondError, proposed, tensorOf, toLayoutMicroseconds } from "../matching.ts";

/** Families whose weights are prepared separately and have no rules in the op model. */
const LEFT_ALONE: ReadonlySet<OpFamily> = new Set<OpFamily>([
  "conv1d",
  "conv2d",
  "conv3d",
  "conv_transpose2d",
  "fixed",
  "opaque",
]);

/**
 * Gives an op with pages that its kernel refuses operands and result of one page layout: tiles or rows, whichever is predicted
 * faster including conversions.
 */
export const inOnePageLayout: RewritePattern = replacing({
  name: "in-one-page-layout",
  upstream: "none",
  roots: OP_DEFINITIONS.filter(({ family, memoryOp, writtenOperands }) =>
    !LEFT_ALONE.has(family) && !memoryOp && writtenOperands.length === 0
  ).map(({ name }) => name),
  replace: (op, site, result) => {
    const { context } = site;
    if (!isInterleaved(result.type) || !op.operands.every(isMovable)) return undefined;
    if (context.isLegal(proposed(op))) return undefined;
    const [best] = [false, true].flatMap((inRows) => inOnePage(op, result.type, inRows, context))
      .toSorted((a, b) => a.time - b.time);
    return best === undefined || best.time === Infinity ? undefined : madeIn(best, op, result.type, site);
  },
});

/**
 * Gathers along rows in row-major pages where that is faster: an index is then read at its place of the row, and otherwise
 * compared with every tile of the row (`ttnn:backend-0-81-1`, published:ops-2). Losses read the logits of the labels so.
 */
export const gatherInRows: RewritePattern = replacing({
  name: "gather-in-rows",
  upstream: "none",
  roots: ["ttnn.gather"],
  pays: isFasterBeyondError,
  replace: (op, site, result) => {
    const isTiled = result.type.layout.tile !== undefined;
    if (!isTiled || !isInterleaved(result.type) || !op.operands.every(isMovable)) return undefined;
    const [rows] = inOnePage(op, result.type, true, site.context);
    return rows === undefined ? undefined : madeIn(rows, op, result.type, site);
  },
});

/** The result, as declared, of an op made in another form. */
function madeIn(
  form: OnePageForm,
  op: TtnnOp,
  declared: TtnnTensorType,
  site: PassBuilder,
): TensorValue | undefined {
  const converted = (value: TtnnValue, type: TtnnType | undefined): TtnnValue =>
    type?.kind !== "tensor" || sameType(type, value.type) ? value : site.op("ttnn.to_layout", [value], type);
  const operands = op.operands.map((value, index) => converted(value, form.operands[index]));
  return tensorOf(converted(site.op(op.name, operands, form.result, op.properties, op.attributes), declared));
}

/** An op with all its tensors tiled, or all row-major. */
interface OnePageForm {
  readonly operands: readonly TtnnType[];
  readonly result: TtnnTensorType;
  /** Predicted µs including conversions. */
  readonly time: number;
}

/** The form that the kernel takes; block formats are in tiles only. */
function inOnePage(
  op: TtnnOp,
  declared: TtnnTensorType,
  inRows: boolean,
  context: PassContext,
): readonly OnePageForm[] {
  const given = op.operands.map(({ type }) => type);
  const tensors = [...given, declared].flatMap((type) => type.kind === "tensor" ? [type] : []);
  if (inRows && tensors.some(({ dataType }) => isBlockFloat(dataType))) return [];
  const operands = given.map((type) => type.kind === "tensor" ? withPages(type, inRows, context) : type);
  const result = withPages(declared, inRows, context);
  const question = { ...proposed(op), operands, results: [result] };
  if (!context.isLegal(question)) return [];
  const time = given.reduce(
    (sum, type, index) => sum + toLayoutMicroseconds(type, operands[index] ?? type, context),
    (context.microseconds(question) ?? 0) + toLayoutMicroseconds(result, declared, context),
  );
  return [{ operands, result, time }];
}

function withPages(type: TtnnTensorType, inRows: boolean, { chip }: PassContext): TtnnTensorType {
  const { shape, dataType, layout: { tile, bufferType } } = type;
  if (inRows === (tile === undefined)) return type;
  return { ...type, layout: tensorType(chip, shape, dataType, { rowMajor: inRows, bufferType }).layout };
}

/** Whether an operand's pages may change: an interleaved device tensor, or no tensor. */
function isMovable(value: TtnnOp["operands"][number]): boolean {
  return !isTensorValue(value) || isInterleaved(value.type);
}

function isInterleaved({ layout }: TtnnTensorType): boolean {
  return layout.memoryLayout === "interleaved" && layout.bufferType !== "system_memory";
}
