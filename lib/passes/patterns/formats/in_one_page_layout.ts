// SPDX-License-Identifier: Apache-2.0
import { OP_DEFINITIONS, type OpFamily } from "../../../ops/op_book.ts";
import { isBlockFloat } from "../../../layout/data_type.ts";
import type { TtnnOp } from "../../../ttnn/op.ts";
import { tensorType } from "../../../ttnn/tensor_type.ts";
import {
  isTensorValue,
  sameType,
  type TtnnTensorType,
  type TtnnType,
  type TtnnValue,
} from "../../../ttnn/value.ts";
import type { PassContext } from "../../graph_pass.ts";
import { replacing, type RewritePattern } from "../../rewrite_pattern.ts";
import { proposed, tensorOf, toLayoutMicroseconds } from "../matching.ts";

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
    if (best === undefined || best.time === Infinity) return undefined;
    const converted = (value: TtnnValue, type: TtnnType | undefined): TtnnValue =>
      type?.kind !== "tensor" || sameType(type, value.type)
        ? value
        : site.op("ttnn.to_layout", [value], type);
    const operands = op.operands.map((value, index) => converted(value, best.operands[index]));
    const made = site.op(op.name, operands, best.result, op.properties, op.attributes);
    return tensorOf(converted(made, result.type));
  },
});

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
