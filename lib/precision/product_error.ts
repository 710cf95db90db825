// SPDX-License-Identifier: Apache-2.0
import type { DataType } from "../layout/data_type.ts";
import type { MathFidelity } from "../op_config/math_fidelity.ts";
import { multiply } from "./fidelity.ts";
import { type Packer, packRow, SHARED_EXPONENT } from "./number_formats.ts";
import { mulberry } from "./mulberry.ts";

/** Relative error of a result against exact arithmetic. */
export interface RelativeError {
  /** Slope on the exact result, minus 1: the relative error that all elements share. */
  readonly bias: number;
  /** Variance of the rest, relative to the mean square of the exact result. */
  readonly variance: number;
}

/** Results as exact arithmetic has them. */
export const EXACT: RelativeError = { bias: 0, variance: 0 };

/** How operands are held, and multiplied. */
export interface ProductFormats {
  readonly formats: readonly [DataType, DataType];
  readonly fidelity: MathFidelity;
}

/** Rows of elements that are emulated: errors of the third digit. */
const ROWS = 2048;

/** Sizes of one operand in the order of the other's: any number without a factor in common with the rows. */
const STRIDE = 1237;

const CACHE: Map<string, RelativeError> = new Map();

/**
 * Error of an inner product of normally distributed numbers by the formats of its operands and the fidelity: the products
 * are emulated, the sums are exact. The elements of a long sum are independent, so that the slope and the relative variance
 * of one product are those of the sum.
 *
 * @param packers who brought each operand into its format; `undefined` for one whose format is what its values are exact in
 */
export function productError(
  { formats, fidelity }: ProductFormats,
  packers: readonly [Packer | undefined, Packer | undefined],
): RelativeError {
  return CACHE.getOrInsertComputed([...formats, fidelity, ...packers].join(" "), () => {
    const normal = normals();
    const error = new ErrorEstimate();
    for (let row = 0; row < ROWS; row++) {
      const given = [drawRow(normal, row), drawRow(normal, row * STRIDE % ROWS)] as const;
      const held = [
        packRow(given[0], formats[0], packers[0] ?? "host"),
        packRow(given[1], formats[1], packers[1] ?? "host"),
      ] as const;
      // Without a packer, the operand as its format holds it is the exact one.
      const exact = [
        packers[0] === undefined ? held[0] : given[0],
        packers[1] === undefined ? held[1] : given[1],
      ];
      for (let index = 0; index < SHARED_EXPONENT; index++) {
        const [a = 0, b = 0] = [held[0][index], held[1][index]];
        const [x = 0, y = 0] = [exact[0]?.[index], exact[1]?.[index]];
        error.add(x * y, multiply(a, b, formats, fidelity));
      }
    }
    return error.result();
  });
}

/** Error of a tensor that is brought into a format, by who packs it. */
export function conversionError(format: DataType, packer: Packer): RelativeError {
  return CACHE.getOrInsertComputed(`${format} ${packer}`, () => {
    const normal = normals();
    const error = new ErrorEstimate();
    for (let row = 0; row < ROWS; row++) {
      const given = drawRow(normal, row);
      const held = packRow(given, format, packer);
      given.forEach((exact, index) => error.add(exact, held[index] ?? 0));
    }
    return error.result();
  });
}

/** Slope on exact values, and what is left, of pairs that are added one by one. */
class ErrorEstimate {
  #exactSquares = 0;
  #cross = 0;
  #heldSquares = 0;

  add(exact: number, held: number): void {
    this.#exactSquares += exact * exact;
    this.#cross += exact * held;
    this.#heldSquares += held * held;
  }

  result(): RelativeError {
    const slope = this.#cross / this.#exactSquares;
    return { bias: slope - 1, variance: Math.max(0, this.#heldSquares / this.#exactSquares - slope * slope) };
  }
}

/** The root of the mean square of an error, relative to that of the exact result. */
export function relativeL2({ bias, variance }: RelativeError): number {
  return Math.hypot(bias, Math.sqrt(variance));
}

/** Pearson's correlation with the exact result, which sees no bias. */
export function correlation({ bias, variance }: RelativeError): number {
  return (1 + bias) / Math.sqrt((1 + bias) ** 2 + variance);
}

/** A row of one size of many between two powers of two, on which the unit of a shared exponent depends. */
function drawRow(normal: () => number, size: number): readonly number[] {
  const scale = 2 ** (size / ROWS);
  return Array.from({ length: SHARED_EXPONENT }, () => scale * normal());
}

/** Normally distributed numbers, always the same ones (Box and Muller's transform). */
function normals(): () => number {
  const next = mulberry(0x9e3779b9);
  // In the middle of each step, so that none is 0.
  const uniform = (): number => next() + 2 ** -33;
  return () => Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform());
}
