// SPDX-License-Identifier: Apache-2.0
import type { FunctionLowering } from "../function_lowering.ts";
import { reshaped } from "../lazy_tensor.ts";
import type { LoweringRules } from "../lowering_rule.ts";
import type { TtirOp } from "../ttir_op.ts";
import { sliceAlong } from "./data_movement.ts";

/**
 * Complex numbers are pairs of floats, real and imaginary part, in a last dimension of two (tt-mlir:complex-numbers).
 * Arithmetic is written on their parts by front ends.
 */
export const COMPLEX: LoweringRules = {
  "ttir.complex": { lower: joined, operands: 2 },
  "ttir.stablehlo_complex": { lower: joined, operands: 2 },
  "ttir.real": { lower: (op, f) => part(op, f, 0), operands: 1 },
  "ttir.stablehlo_real": { lower: (op, f) => part(op, f, 0), operands: 1 },
  "ttir.imag": { lower: (op, f) => part(op, f, 1), operands: 1 },
  "ttir.stablehlo_imag": { lower: (op, f) => part(op, f, 1), operands: 1 },
};

function joined(op: TtirOp, f: FunctionLowering): void {
  const { shape } = op.resultType();
  const parts = f.operandsFrom(op, 0).map((x) => reshaped(x, [...x.shape, 1]));
  op.expectShape([...(parts[0]?.shape.slice(0, -1) ?? []), 2]);
  f.replace(op, "concat", parts, { dim: shape.length - 1 });
}

function part(op: TtirOp, f: FunctionLowering, at: number): void {
  const pairs = f.operand(op, 0);
  if (pairs.shape.at(-1) !== 2) {
    throw op.error("the last dimension must hold real and imaginary parts", "shape");
  }
  const taken = sliceAlong(op, f, pairs, pairs.shape.length - 1, at, at + 1);
  f.defineResult(op, reshaped(taken, pairs.shape.slice(0, -1)));
}
