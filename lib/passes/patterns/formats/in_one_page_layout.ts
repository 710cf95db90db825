// SPDX-License-Identifier: Apache-2.0
import { OP_DEFINITIONS, type OpFamily } from "../../../ops/op_book.ts";
import { isBlockFloat } from "../../../layout/data_type.ts";
import type { TtnnOp } from "../../../ttnn/op.ts";
import { tensorType } from "../../../ttnn/tensor_type.ts";
import { isTensorValue, sameType, type TtnnTensorType, type TtnnType } from "../../../ttnn/value.ts";
import type { PassContext, ProposedOp } from "../../graph_pass.ts";
import { replacing, type RewritePattern } from "../../rewrite_pattern.ts";
import { toLayoutMicroseconds } from "../matching.ts";

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
 * Gives an op with operands of mixed page layouts, or of one that its kernel refuses, operands of one page
 * layout: tiled or row-major, whichever is predicted faster including conversions. A kernel that converts
 * internally (a `concat`) is no faster and requires interleaved memory around it, regardless of the policy.
 */
export const inOnePageLayout: RewritePattern = replacing({
  name: "in-one-page-layout",
  upstream: "none",
  roots: OP_DEFINITIONS.filter(({ family, memoryOp, writtenOperands }) =>
    !LEFT_ALONE.has(family) && !memoryOp && writtenOperands.length === 0
  ).map(({ name }) => name),
  replace: (op, site, result) => {
    if (!isInterleaved(result.type) || !op.operands.every(isMovable)) return undefined;
    const present = proposed(op, op.operands.map(({ type }) => type), result.type);
    const isLegal = site.context.isLegal(present);
    if (isLegal && !mixesPages(op)) return undefined;
    const presentTime = isLegal ? site.context.microseconds(present) ?? 0 : Infinity;
    const types = [...op.operands.map(({ type }) => type), result.type];
    // Block formats are tiled only.
    const hasBlocks = types.some((type) => type.kind === "tensor" && isBlockFloat(type.dataType));
    const [best] = (hasBlocks ? [false] : [false, true])
      .map((inRows) => inOnePage(op, result.type, inRows, site.context))
      .toSorted((a, b) => a.time - b.time);
    // An op that accepts both kinds as they are, such as row-major indices, is faster so.
    if (best === undefined || best.time === Infinity || best.time > presentTime * ROUNDING) return undefined;
    const operands = op.operands.map((value, index) => {
      const type = best.operands[index];
      return type?.kind !== "tensor" || sameType(type, value.type)
        ? value
        : site.op("ttnn.to_layout", [value], type);
    });
    const made = site.op(op.name, operands, best.result, op.properties, op.attributes);
    return sameType(best.result, result.type) ? made : site.op("ttnn.to_layout", [made], result.type);
  },
});

/** Tolerance for sums of equal times in another order. */
const ROUNDING = 1 + 1e-6;

function mixesPages({ operands }: TtnnOp): boolean {
  const kinds = new Set(operands.filter(isTensorValue).map(({ type }) => type.layout.tile === undefined));
  return kinds.size > 1;
}

/** An op with all its tensors tiled, or all row-major. */
interface OnePageForm {
  readonly operands: readonly TtnnType[];
  readonly result: TtnnTensorType;
  /** Predicted µs including conversions; infinite if the op is refused. */
  readonly time: number;
}

function inOnePage(op: TtnnOp, declared: TtnnTensorType, inRows: boolean, context: PassContext): OnePageForm {
  const converted = (type: TtnnType): TtnnType =>
    type.kind === "tensor" ? withPages(type, inRows, context) : type;
  const operands = op.operands.map(({ type }) => converted(type));
  const result = withPages(declared, inRows, context);
  const question = proposed(op, operands, result);
  const moves = [
    ...op.operands.map(({ type }, index) => [type, operands[index] ?? type] as const),
    [result, declared] as const,
  ];
  const time = context.isLegal(question)
    ? moves.reduce(
      (sum, [from, to]) => sum + toLayoutMicroseconds(from, to, context),
      context.microseconds(question) ?? 0,
    )
    : Infinity;
  return { operands, result, time };
}

function withPages(type: TtnnTensorType, inRows: boolean, { chip }: PassContext): TtnnTensorType {
  const { shape, dataType, layout: { tile, bufferType } } = type;
  if (inRows === (tile === undefined)) return type;
  return { ...type, layout: tensorType(chip, shape, dataType, { rowMajor: inRows, bufferType }).layout };
}

function proposed(op: TtnnOp, operands: readonly TtnnType[], result: TtnnType): ProposedOp {
  return { name: op.name, operands, results: [result], attributes: op.attributeMap() };
}

/** Whether an operand's pages may change: an interleaved device tensor, or no tensor. */
function isMovable(value: TtnnOp["operands"][number]): boolean {
  return !isTensorValue(value) || isInterleaved(value.type);
}

function isInterleaved({ layout }: TtnnTensorType): boolean {
  return layout.memoryLayout === "interleaved" && layout.bufferType !== "system_memory";
}
