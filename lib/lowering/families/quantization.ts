// SPDX-License-Identifier: Apache-2.0
import { denseList } from "../dense_constant.ts";
import type { ElementType } from "../element_type.ts";
import { F32, type FunctionLowering, SI32, splat } from "../function_lowering.ts";
import type { LazyTensor } from "../lazy_tensor.ts";
import type { LoweringRules } from "../lowering_rule.ts";
import type { TtirOp } from "../ttir_op.ts";

/** Quantisation: scales and zero points come from types, or from operands in the unrolled forms. */
export const QUANTIZATION: LoweringRules = {
  "ttir.quantize": { lower: quantize, operands: 1 },
  "ttir.dequantize": { lower: dequantize, operands: 1 },
  "ttir.requantize": { lower: requantize, operands: 1 },
  "ttir.quantize_unrolled": { lower: (op, f) => unrolled(op, f, "quantize"), operands: 3 },
  "ttir.dequantize_unrolled": { lower: (op, f) => unrolled(op, f, "dequantize"), operands: 3 },
  "ttir.requantize_unrolled": { lower: (op, f) => unrolled(op, f, "requantize"), operands: 5 },
};

interface QuantParameters {
  readonly scale: LazyTensor;
  readonly zeroPoint: LazyTensor;
  readonly axis: number | undefined;
}

/** Reads `!quant.uniform<i8:f32, 0.1:3>` and `!quant.uniform<i8:f32:1, {0.1:3, 0.2:4}>`. */
function parametersOf(op: TtirOp, element: ElementType): QuantParameters {
  const match = /^!quant\.uniform<\w+(?:<[^>]*>)?:\w+(?::(\d+))?,\s*(.*)>$/.exec(element.text);
  if (match === null) throw op.error(`'${element.text}' is not a quantised type`, "type");
  const [, axis, body = ""] = match;
  const entries = body.replace(/^\{|\}$/g, "").split(",").map((entry) => entry.trim().split(":"));
  const scales = entries.map(([scale = ""]) => Number(scale));
  const zeroPoints = entries.map(([, zero = "0"]) => Number(zero));
  return {
    scale: numbers(scales, F32),
    zeroPoint: numbers(zeroPoints, SI32),
    axis: axis === undefined ? undefined : Number(axis),
  };
}

function numbers(values: readonly number[], element: ElementType): LazyTensor {
  const shape = [values.length];
  const [first = 0] = values;
  return values.every((value) => value === first)
    ? splat(shape, element, first)
    : denseList(shape, element, values);
}

function write(
  op: TtirOp,
  f: FunctionLowering,
  name: string,
  operands: readonly LazyTensor[],
  axis: number | undefined,
): void {
  f.replace(op, name, operands, {
    axis,
    output_dtype: op.resultType().element.dataType,
  });
}

function quantize(op: TtirOp, f: FunctionLowering): void {
  const { scale, zeroPoint, axis } = parametersOf(op, op.resultType().element);
  write(op, f, "quantize", [f.operand(op, 0), scale, zeroPoint], axis);
}

function dequantize(op: TtirOp, f: FunctionLowering): void {
  const input = f.operand(op, 0);
  const { scale, zeroPoint, axis } = parametersOf(op, input.element);
  write(op, f, "dequantize", [input, scale, zeroPoint], axis);
}

function requantize(op: TtirOp, f: FunctionLowering): void {
  const input = f.operand(op, 0);
  const from = parametersOf(op, input.element);
  const to = parametersOf(op, op.resultType().element);
  const operands = [input, from.scale, from.zeroPoint, to.scale, to.zeroPoint];
  write(op, f, "requantize", operands, to.axis ?? from.axis);
}

function unrolled(op: TtirOp, f: FunctionLowering, name: string): void {
  write(op, f, name, f.operandsFrom(op, 0), op.integer("axis"));
}
