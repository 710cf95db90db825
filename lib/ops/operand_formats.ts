// SPDX-License-Identifier: Apache-2.0
import { type DataType, isBlockFloat } from "../layout/data_type.ts";

/**
 * Whether a kernel takes operands of these formats (`ttnn:backend-0-81-1`); a number beside a tensor counts as an operand
 * of its format.
 *
 * @param result format of the result, if one is declared or asked for
 */
export type TakesFormats = (formats: readonly DataType[], result: DataType | undefined) => boolean;

/** Formats of numbers with a fraction. */
export const FLOATS: readonly DataType[] = ["bf16", "f32", "bfp_bf8", "bfp_bf4"];

/** Whole numbers of any width. */
export const WHOLE_NUMBERS: readonly DataType[] = ["si32", "u32", "u16", "u8"];

/** Whole numbers that products and quotients with floats cast first. */
const CAST: readonly DataType[] = ["si32", "u32"];

function isFloat(format: DataType): boolean {
  return FLOATS.includes(format);
}

/** Any formats, also of several operands. */
export const ANY_FORMATS: TakesFormats = () => true;

/** Floats of any formats together. */
export const ANY_FLOATS: TakesFormats = (formats) => formats.every(isFloat);

/** Each operand in a format other than these. */
export function noneOf(...refused: readonly DataType[]): TakesFormats {
  return (formats) => !formats.some((format) => refused.includes(format));
}

/** All operands in one of these formats. */
export function allIn(...allowed: readonly DataType[]): TakesFormats {
  return (formats) => formats.every((format) => format === formats[0] && allowed.includes(format));
}

/** Formats that at least one of several rules takes. */
export function anyOf(...rules: readonly TakesFormats[]): TakesFormats {
  return (formats, result) => rules.some((takes) => takes(formats, result));
}

/** A whole number beside a float, which an op with the cast `"whole_number"` casts to its format first. */
export const WHOLE_BESIDE_FLOAT: TakesFormats = ([a, b]) =>
  a !== undefined && b !== undefined && castsOperand(a, b);

/** Two equal narrow or two wide whole numbers, or floats: what comparisons take. */
export const COMPARED: TakesFormats = anyOf(
  ANY_FLOATS,
  allIn("si32", "u32"),
  (formats) => formats.every((format) => format === "u16" || format === "u8"),
);

/** Formats of quotients: floats, or si32 with an f32 result. */
export const DIVIDED: TakesFormats = anyOf(
  ANY_FLOATS,
  (formats, result) => result === "f32" && allIn("si32")(formats, result),
  WHOLE_BESIDE_FLOAT,
);

function castsOperand(a: DataType, b: DataType): boolean {
  return (isFloat(a) && CAST.includes(b)) || (CAST.includes(a) && isFloat(b));
}

/**
 * Which operands an op casts before its program runs: a whole number beside a float, a condition beside floats, or all
 * of 8 bits.
 */
export type CastOperand = "whole_number" | "condition" | "bytes";

/** Per operand of these formats: the format that an op casts it to first, if any (`ttnn:backend-0-81-1`). */
export function operandCasts(
  kind: CastOperand | undefined,
  formats: readonly DataType[],
): readonly (DataType | undefined)[] {
  const [a, b, ...more] = formats;
  if (kind === "bytes") return formats.map((format) => format === "u8" ? "u16" : undefined);
  if (kind === undefined || a === undefined || b === undefined) return [];
  if (kind === "condition") return !isFloat(a) && [b, ...more].every(isFloat) ? [b] : [];
  if (!castsOperand(a, b)) return [];
  const float = isFloat(a) ? a : b;
  const to = isBlockFloat(float) ? "bf16" : float;
  return isFloat(a) ? [undefined, to] : [to];
}
