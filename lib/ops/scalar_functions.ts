// SPDX-License-Identifier: Apache-2.0

/** Scalar semantics of elementwise ops, exact, for those in front ends' formulas. */

export type ScalarFunction = (...numbers: number[]) => number;

/** From here on erf is ±1 in double precision. */
const ALMOST_ONE = 6;

/** The error function by its Maclaurin series times exp(−x²), all of whose terms have one sign. */
export function erf(x: number): number {
  if (Math.abs(x) > ALMOST_ONE) return Math.sign(x);
  let [term, sum] = [x, x];
  for (let n = 1; Math.abs(term) > Number.EPSILON * Math.abs(sum); n++) {
    term *= 2 * x * x / (2 * n + 1);
    sum += term;
  }
  return 2 / Math.sqrt(Math.PI) * Math.exp(-x * x) * sum;
}

const sigmoid = (x: number): number => 1 / (1 + Math.exp(-x));
const truth = (value: boolean): number => Number(value);
const sixth = (x: number): number => Math.min(Math.max(x / 6 + 0.5, 0), 1);

/** Activations that replace front ends' formulas. */
export const ACTIVATION_FUNCTIONS: ReadonlyMap<string, (x: number) => number> = new Map([
  ["ttnn.gelu", (x) => 0.5 * x * (1 + erf(x * Math.SQRT1_2))],
  ["ttnn.silu", (x) => x * sigmoid(x)],
  ["ttnn.sigmoid", sigmoid],
  ["ttnn.erf", erf],
  ["ttnn.erfc", (x) => 1 - erf(x)],
  ["ttnn.tanh", Math.tanh],
  ["ttnn.mish", (x) => x * Math.tanh(Math.log1p(Math.exp(Math.min(x, 700))))],
  ["ttnn.hardswish", (x) => x * sixth(x)],
  ["ttnn.hardsigmoid", sixth],
  ["ttnn.relu6", (x) => Math.min(Math.max(x, 0), 6)],
  ["ttnn.relu", (x) => Math.max(x, 0)],
]);

/** Functions of ops without attributes, by the op's full name; truths are 0 and 1. */
export const SCALAR_FUNCTIONS: ReadonlyMap<string, ScalarFunction> = new Map<string, ScalarFunction>([
  ...ACTIVATION_FUNCTIONS,
  ["ttnn.typecast", (x = NaN) => x],
  ["ttnn.neg", (x = NaN) => -x],
  ["ttnn.abs", Math.abs],
  ["ttnn.sign", Math.sign],
  ["ttnn.reciprocal", (x = NaN) => 1 / x],
  ["ttnn.sqrt", Math.sqrt],
  ["ttnn.rsqrt", (x = NaN) => 1 / Math.sqrt(x)],
  ["ttnn.exp", Math.exp],
  ["ttnn.expm1", Math.expm1],
  ["ttnn.log", Math.log],
  ["ttnn.log1p", Math.log1p],
  ["ttnn.isfinite", (x = NaN) => truth(Number.isFinite(x))],
  ["ttnn.logical_not", (x) => truth(x === 0)],
  ["ttnn.add", (a = NaN, b = NaN) => a + b],
  ["ttnn.subtract", (a = NaN, b = NaN) => a - b],
  ["ttnn.multiply", (a = NaN, b = NaN) => a * b],
  ["ttnn.divide", (a = NaN, b = NaN) => a / b],
  ["ttnn.maximum", Math.max],
  ["ttnn.minimum", Math.min],
  ["ttnn.pow_tensor", Math.pow],
  ["ttnn.eq", (a, b) => truth(a === b)],
  ["ttnn.ne", (a, b) => truth(a !== b)],
  ["ttnn.lt", (a = NaN, b = NaN) => truth(a < b)],
  ["ttnn.le", (a = NaN, b = NaN) => truth(a <= b)],
  ["ttnn.gt", (a = NaN, b = NaN) => truth(a > b)],
  ["ttnn.ge", (a = NaN, b = NaN) => truth(a >= b)],
  ["ttnn.logical_and", (a, b) => truth(a !== 0 && b !== 0)],
  ["ttnn.logical_or", (a, b) => truth(a !== 0 || b !== 0)],
  ["ttnn.where", (test, yes = NaN, no = NaN) => (test === 0 ? no : yes)],
]);
