// SPDX-License-Identifier: Apache-2.0

/** Classes of functions that the vector unit computes, each with a time per tile of its own. */
export type VectorFunction = "simple" | "root" | "exp" | "erf" | "transcendental";

/**
 * What the vector unit does per op. Ops that are not named run on the matrix engine or move data only; their cost is
 * the overhead of a tile.
 */
const FUNCTION_CLASS: ReadonlyMap<string, VectorFunction> = new Map<string, VectorFunction>([
  ["relu", "simple"],
  ["relu6", "simple"],
  ["abs", "simple"],
  ["neg", "simple"],
  ["sign", "simple"],
  ["floor", "simple"],
  ["ceil", "simple"],
  ["clamp_scalar", "simple"],
  ["clamp_tensor", "simple"],
  ["leaky_relu", "simple"],
  ["hardsigmoid", "simple"],
  ["logical_not", "simple"],
  ["bitwise_not", "simple"],
  ["isfinite", "simple"],
  ["where", "simple"],
  ["typecast", "simple"],
  ["maximum", "simple"],
  ["minimum", "simple"],
  ["eq", "simple"],
  ["ne", "simple"],
  ["lt", "simple"],
  ["le", "simple"],
  ["gt", "simple"],
  ["ge", "simple"],
  ["sqrt", "root"],
  ["rsqrt", "root"],
  ["reciprocal", "root"],
  ["divide", "root"],
  ["exp", "exp"],
  ["exp2", "exp"],
  ["expm1", "exp"],
  ["erf", "erf"],
  ["erfc", "erf"],
  ["gelu", "transcendental"],
  ["silu", "transcendental"],
  ["sigmoid", "transcendental"],
  ["tanh", "transcendental"],
  ["mish", "transcendental"],
  ["log", "transcendental"],
  ["log1p", "transcendental"],
  ["sin", "transcendental"],
  ["cos", "transcendental"],
  ["tan", "transcendental"],
  ["asin", "transcendental"],
  ["acos", "transcendental"],
  ["atan", "transcendental"],
  ["atan2", "transcendental"],
  ["sinh", "transcendental"],
  ["cosh", "transcendental"],
  ["cbrt", "transcendental"],
  ["pow_tensor", "transcendental"],
  ["pow_scalar", "transcendental"],
  ["remainder", "transcendental"],
]);

/**
 * Class of the function that an op computes on the vector unit; `undefined` for ops that only move or add.
 *
 * @param name op name, with or without its dialect
 */
export function vectorFunctionOf(name: string): VectorFunction | undefined {
  return FUNCTION_CLASS.get(name.slice(name.lastIndexOf(".") + 1));
}
