// SPDX-License-Identifier: Apache-2.0
import type { DataType } from "../../layout/data_type.ts";
import { castsOperand, FLOATS, isFloat } from "../../programs/eltwise_formats.ts";

/** Whole numbers of any width. */
const WHOLE: readonly DataType[] = ["si32", "u32", "u16", "u8"];

function named(names: string): readonly string[] {
  return names.split(" ").map((name) => `ttnn.${name}`);
}

/** Unary ops that refuse other formats than the rest, which refuse whole numbers (`ttnn:backend-0-81-1`). */
const UNARY: ReadonlyMap<string, readonly DataType[]> = new Map<string, readonly DataType[]>([
  ...named("relu relu6 abs bitcast_convert").map((name) => [name, []] as const),
  ...named("neg clamp_scalar clamp").map((name) => [name, ["u32", "u16", "u8"]] as const),
  ...named("logical_not pow_scalar").map((name) => [name, ["u8"]] as const),
  ["ttnn.bitwise_not", ["u16", "u8"]],
  ["ttnn.leaky_relu", ["si32"]],
  ["ttnn.dropout", ["f32", "bfp_bf8", "bfp_bf4", ...WHOLE]],
]);

/** Which formats of two or more operands go together. */
type Pairing = (formats: readonly DataType[]) => boolean;

const areFloats: Pairing = (formats) => formats.every(isFloat);

/** All operands in one of these formats. */
function oneOf(...allowed: readonly DataType[]): Pairing {
  return (formats) => formats.every((format) => format === formats[0] && allowed.includes(format));
}

function anyOf(...pairings: readonly Pairing[]): Pairing {
  return (formats) => pairings.some((holds) => holds(formats));
}

const SUMS = anyOf(areFloats, oneOf("si32", "u32", "u16"));
const COMPARISONS = anyOf(
  areFloats,
  oneOf("si32", "u32"),
  (formats) => formats.every((format) => format === "u16" || format === "u8"),
);
const BITS = oneOf("si32", "u32", "u16");
const EXTREMES = oneOf(...FLOATS, "si32", "u32");
/** A whole number beside a float is cast to its format first. */
const MIXED: Pairing = ([a, b]) => a !== undefined && b !== undefined && castsOperand(a, b);

/** Formats that ops of several operands take (`ttnn:backend-0-81-1`). */
const PAIRINGS: ReadonlyMap<string, Pairing> = new Map<string, Pairing>([
  ...named("add subtract logical_and logical_or logical_xor").map((name) => [name, SUMS] as const),
  ["ttnn.multiply", anyOf(SUMS, MIXED)],
  ["ttnn.divide", anyOf(areFloats, oneOf("si32"), MIXED)],
  ...named("eq ne lt le gt ge").map((name) => [name, COMPARISONS] as const),
  ...named("maximum minimum remainder clamp_tensor clamp").map((name) => [name, EXTREMES] as const),
  ...named("bitwise_and bitwise_or bitwise_xor logical_left_shift").map((name) => [name, BITS] as const),
  ["ttnn.logical_right_shift", oneOf("si32", "u32")],
  ...named("pow_tensor atan2").map((name) => [name, oneOf(...FLOATS)] as const),
  ["ttnn.gelu_bw", areFloats],
  ["ttnn.lerp", (formats) => !formats.includes("u32")],
  ["ttnn.addcmul", oneOf(...FLOATS, "si32", "u32")],
]);

/**
 * Why an elementwise op does not take operands of these formats.
 *
 * @param result format of the result, of which only a division of whole numbers depends
 * @returns `undefined` if it does
 */
export function formatFault(
  name: string,
  formats: readonly DataType[],
  result: DataType | undefined,
): string | undefined {
  const [first, ...more] = formats;
  if (first === undefined) return undefined;
  if (more.length === 0 && !PAIRINGS.has(name)) {
    return (UNARY.get(name) ?? WHOLE).includes(first) ? `does not take ${first}` : undefined;
  }
  // A number beside one tensor has its format.
  const pair = more.length === 0 ? [first, first] : formats;
  const takes = more.length === 0 && name === "ttnn.clamp"
    ? UNARY.get(name)?.includes(first) !== true
    : PAIRINGS.get(name)?.(pair) !== false;
  if (!takes) {
    return formats.every((format) => format === first)
      ? `does not take ${first}`
      : `cannot mix ${formats.join(", ")}`;
  }
  return name === "ttnn.divide" && !pair.some(isFloat) && result !== "f32"
    ? `does not divide ${first} to ${result ?? "nothing"}`
    : undefined;
}
