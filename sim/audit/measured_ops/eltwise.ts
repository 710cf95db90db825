// SPDX-License-Identifier: Apache-2.0
import { definitionOf, isKnownOp } from "../../../lib/ops/op_book.ts";
import { attributesOf, DRAM, DRAM_ROWS, fromOneTensor, tensorAt } from "../op_question.ts";
import type { OpReader } from "./measured_chip.ts";
import type { MeasuredOp, Params } from "./measured_op.ts";
import { dataTypesOf, numberIn, placesOf, shapeIn, textIn } from "./texts.ts";
import { leaveOut, required } from "../row_model.ts";

/** Ops that profilers and Python tests name in other words than the dialect, comparisons with zero among them. */
const SPELLED_OUT: ReadonlyMap<string, string> = new Map([
  ["sub", "subtract"],
  ["mul", "multiply"],
  ["div", "divide"],
  ["recip", "reciprocal"],
  ["eqz", "eq"],
  ["nez", "ne"],
  ["gtz", "gt"],
  ["ltz", "lt"],
  ["gez", "ge"],
  ["lez", "le"],
  ["where_tst", "where"],
  ["swish", "silu"],
  ["sigmoid_accurate", "sigmoid"],
  ["clamp", "clamp_scalar"],
  ["clip", "clamp_scalar"],
  ["pow", "pow_scalar"],
]);

/**
 * The dialect's name of an elementwise op by its Python or device name; `undefined` for ops that it does not have, and
 * for training ops.
 */
export function dialectName(name: string): string | undefined {
  const plain = name.toLowerCase().replace(/_$/, "");
  const full = `ttnn.${SPELLED_OUT.get(plain) ?? plain}`;
  // Rows under the name of a training kernel measured TTNN's composite of many programs.
  return isKnownOp(full) && definitionOf(full).costClass !== "training" ? full : undefined;
}

/** Whether a comparison's second operand is zero, so that the device op has one operand. */
function comparesWithZero(name: string): boolean {
  return /^(eq|ne|gt|lt|ge|le)z$/.test(name);
}

/** Names that say a kind of op, not which one. */
const UNNAMED = /^(unary|binary_ng|BinaryNgDeviceOperation|UnaryDeviceOperation)$/;

/**
 * Elementwise ops: `op` names the function, else the group's name does, else the text behind the shape. A product with a
 * fused activation is one more function per tile of the same program.
 */
export const eltwiseOp: OpReader = (row, chip) => {
  const { group, what, params, measured } = row;
  if (/whole chain/.test(measured.quantity)) return rowMajorChain(row);
  const shapeText = textIn(params, "shape", "desc");
  const fused = /^binary_mul_(gelu|silu)/.exec(textIn(params, "op") || group)?.[1];
  const told = textIn(params, "op").replace(/^binary_(add|mul|sub).*/, "$1");
  const written = UNNAMED.test(told) || told === ""
    ? fused === undefined ? /\] ?([a-z]\w+)$/.exec(shapeText)?.[1] ?? "" : "mul"
    : told;
  if (written === "") leaveOut("the op is not named in the row");
  const name = required(`the dialect has no op ${written}`, dialectName(written));
  const { costClass, minOperands } = definitionOf(name);
  if (costClass === "reduction") leaveOut("the reduced dimension is not in the row");
  if (/ROW_MAJOR/i.test(textIn(params, "layout"))) leaveOut("plans run elementwise ops on tiles only");
  const tiles = numberIn(params, "tiles");
  const shape = tiles === undefined ? shapeIn(params.shape ?? params.desc) : [1, 1, tiles * 32, 32];
  const cores = numberIn(params, "cores");
  const { input, inputs, output } = placesOf(textIn(params, "memory"), chip, { cores });
  const types = typesOf(name, params);
  const byScalar = /\bby scalar\b/.test(what);
  const count = byScalar || comparesWithZero(written.toLowerCase()) ? 1 : minOperands;
  const broadcast = group.endsWith("_bcast") ? "row" : shapeText;
  const second = secondShape(shape, textIn(params, "bcast") || broadcast);
  return [{
    name,
    attributes: attributesOf({ activation: fused, scalar: byScalar ? 1 : undefined }),
    inputs: Array.from(
      { length: count },
      (_, index) =>
        tensorAt(
          index === 1 ? second : shape,
          inputs[index] ?? input,
          types.inputs[index] ?? types.inputs[0],
        ),
    ),
    outputs: [tensorAt(shape, output, types.output)],
  }];
};

/** Formats of an op's tensors; for bitwise ops 32-bit integers instead of the formats in the row. */
function typesOf(name: string, params: Params): ReturnType<typeof dataTypesOf> {
  return /^ttnn\.bitwise_/.test(name) ? { inputs: ["si32"], output: "si32" } : dataTypesOf(params);
}

/** An op on rows of elements: both operands are tilized, the result is untilized. All simple functions take as long. */
const rowMajorChain: (row: MeasuredOp) => ReturnType<OpReader> = ({ params }) => {
  const shape = shapeIn(params.shape);
  const second = secondShape(shape, textIn(params, "bcast"));
  return [
    fromOneTensor("to_layout", "bf16", [shape, DRAM_ROWS], [shape, DRAM]),
    fromOneTensor("to_layout", "bf16", [second, DRAM_ROWS], [second, DRAM]),
    { name: "ttnn.add", inputs: [tensorAt(shape), tensorAt(second)], outputs: [tensorAt(shape)] },
    fromOneTensor("to_layout", "bf16", [shape, DRAM], [shape, DRAM_ROWS]),
  ];
};

/** The second operand's shape: one row, one element or as large as the first. */
function secondShape(shape: readonly number[], text: string): readonly number[] {
  const ones = shape.map(() => 1);
  if (/\brow\b/i.test(text)) return [...ones.slice(0, -1), shape.at(-1) ?? 1];
  return /scalar/i.test(text) ? ones : shape;
}

/** `typecast`: formats as in `BF16=>FP32`, or in the shape's text as in `[32,256] f32->bf16`. */
export const typecastOp: OpReader = ({ params }, chip) => {
  const text = textIn(params, "shape", "desc");
  const shape = shapeIn(params.shape ?? params.desc);
  const types = dataTypesOf({ dtypes: textIn(params, "dtypes") || /\w+->\w+/.exec(text)?.[0] });
  const memory = textIn(params, "memory") || text.replace(/^.*(DRAM|L1)/, "$1");
  const { input, output } = placesOf(memory, chip, { cores: numberIn(params, "cores") });
  return [{
    name: "ttnn.typecast",
    inputs: [tensorAt(shape, input, types.inputs[0])],
    outputs: [tensorAt(shape, output, types.output)],
  }];
};
