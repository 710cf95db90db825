// SPDX-License-Identifier: Apache-2.0
import type { Evaluate, Meanings, OpCall } from "./op_call.ts";
import { build, map, type NumericTensor, zip } from "./tensor.ts";

/** A scale and a zero point per tensor, or per place along a dimension. */
interface AffineNumbers {
  readonly scale: NumericTensor;
  readonly zero: NumericTensor;
}

/**
 * Quantisation as StableHLO specifies it, halves to the even neighbour. What a storage type cannot hold is kept here, as
 * all formats keep every value. TTIR says scales and zero points in types; TTNN, and TTIR's unrolled forms, as operands.
 */
export const QUANTIZATION: Meanings = {
  "ttir.quantize": (call) => quantized(call.operand(0), inType(call, call.resultElement(), call.operand(0))),
  "ttir.dequantize": (call) =>
    dequantized(call.operand(0), inType(call, call.operandElement(0), call.operand(0))),
  "ttir.requantize": (call) =>
    quantized(
      dequantized(call.operand(0), inType(call, call.operandElement(0), call.operand(0))),
      inType(call, call.resultElement(), call.operand(0)),
    ),
  ...Object.fromEntries(
    ["ttnn.", "ttir."].flatMap((dialect) => {
      const name = (op: string): string => `${dialect}${op}${dialect === "ttir." ? "_unrolled" : ""}`;
      const ops: readonly (readonly [string, Evaluate])[] = [
        [name("quantize"), (call) => quantized(call.operand(0), inOperands(call, 1))],
        [name("dequantize"), (call) => dequantized(call.operand(0), inOperands(call, 1))],
        [
          name("requantize"),
          (call) => quantized(dequantized(call.operand(0), inOperands(call, 1)), inOperands(call, 3)),
        ],
      ];
      return ops;
    }),
  ),
};

const ROUNDED = (x: number): number => (Math.abs(x % 1) === 0.5 ? 2 * Math.round(x / 2) : Math.round(x));

function quantized(input: NumericTensor, { scale, zero }: AffineNumbers): NumericTensor {
  return map(zip([input, scale, zero], (x = NaN, s = NaN, z = NaN) => x / s + z), ROUNDED);
}

function dequantized(input: NumericTensor, { scale, zero }: AffineNumbers): NumericTensor {
  return zip([input, scale, zero], (q = NaN, s = NaN, z = NaN) => (q - z) * s);
}

/** `!quant.uniform<i8:f32:1, {0.1:3, 0.2:4}>`: storage, expressed type, axis, scales with their zero points. */
function inType(call: OpCall, element: string, { shape }: NumericTensor): AffineNumbers {
  const [, axis, body] = /:f\d+(?::(\d+))?,\s*([^>]*)>$/.exec(element) ?? [];
  if (body === undefined) throw call.fail(`'${element}' is not a quantised type`);
  const entries = body.replaceAll(/[{}\s]/g, "").split(",").map((entry) => entry.split(":").map(Number));
  const along = (part: number, fallback: number): NumericTensor =>
    vector(
      shape.length,
      axis === undefined ? 0 : Number(axis),
      entries.map((entry) => entry[part] ?? fallback),
    );
  // Scales are f32, as the constants are that they become.
  return { scale: map(along(0, NaN), Math.fround), zero: along(1, 0) };
}

function inOperands(call: OpCall, first: number): AffineNumbers {
  const rank = call.operand(0).shape.length;
  const axis = call.dimension(call.integer("axis", 0), rank);
  const [scale, zero] = [first, first + 1].map((index) => vector(rank, axis, [...call.operand(index).data]));
  if (scale === undefined || zero === undefined) throw call.fail("a scale and a zero point expected");
  return { scale, zero };
}

function vector(rank: number, axis: number, values: readonly number[]): NumericTensor {
  return build(
    new Array<number>(rank).fill(1).with(axis, values.length),
    (index) => values[index[axis] ?? 0] ?? NaN,
  );
}
