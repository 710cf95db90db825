// SPDX-License-Identifier: Apache-2.0
import type { DataType } from "../layout/data_type.ts";
import type { MathFidelity } from "../op_config/math_fidelity.ts";

/** Fraction bits of an operand that the first phase reads, and those that the second phase reads. */
interface FractionBits {
  readonly high: number;
  readonly low: number;
}

/** Fraction bits by operand: the matrix unit holds operand 0 in SrcB and operand 1 in SrcA (tt-isa:tensix). */
const NARROW: readonly [FractionBits, FractionBits] = [{ high: 6, low: 1 }, { high: 4, low: 3 }];
/** The same of f32, which is read as TF32; the last bit of SrcA is never used. */
const WIDE: readonly [FractionBits, FractionBits] = [{ high: 6, low: 4 }, { high: 4, low: 5 }];

/**
 * The product of two elements by the matrix unit (tt-isa:tensix). Let h and l be the bits of an operand that the first and the
 * second phase read: LoFi gives h0·h1, HiFi2 h0·(h1 + l1), HiFi3 adds l0·h1, HiFi4 also l0·l1. Bits are dropped, not rounded;
 * the sum over an inner dimension is not part of this.
 *
 * @param in0 element of operand 0 as its format holds it
 * @param formats element formats of both operands
 */
export function multiply(
  in0: number,
  in1: number,
  formats: readonly [DataType, DataType],
  fidelity: MathFidelity,
): number {
  const [bits0] = formats[0] === "f32" ? WIDE : NARROW;
  const [, bits1] = formats[1] === "f32" ? WIDE : NARROW;
  const [a, aHigh] = [truncated(in0, bits0.high + bits0.low), truncated(in0, bits0.high)];
  const [b, bHigh] = [truncated(in1, bits1.high + bits1.low), truncated(in1, bits1.high)];
  switch (fidelity) {
    case "lofi":
      return aHigh * bHigh;
    case "hifi2":
      return aHigh * b;
    case "hifi3":
      return aHigh * b + (a - aHigh) * bHigh;
    case "hifi4":
      return a * b;
  }
}

/** A number with the fraction bits behind the first ones dropped. */
function truncated(value: number, fractionBits: number): number {
  if (value === 0) return 0;
  const unit = 2 ** (Math.floor(Math.log2(Math.abs(value))) - fractionBits);
  return Math.trunc(value / unit) * unit;
}
