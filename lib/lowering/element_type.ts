// SPDX-License-Identifier: Apache-2.0
import { tensorElementText } from "../dialect/data_type.ts";
import { type DataType, isPlainFloat, parseDataType } from "../layout/data_type.ts";

/** An element type after normalisation: how tensors spell it and how layouts store it. */
export interface ElementType {
  /** As printed in `tensor<…>`. */
  readonly text: string;
  readonly dataType: DataType;
}

/** A data type as the element of a tensor. */
export function elementOf(dataType: DataType): ElementType {
  return { text: tensorElementText(dataType), dataType };
}

/**
 * Normalises the element type of a TTIR tensor; `undefined` when TTNN has no counterpart (tt-mlir
 * `ElementTypeNormalization`): signed and signless integers become `si32`, unsigned ones the narrowest of 8, 16 and 32
 * bits that upstream picks for their width, booleans and `f16` `bf16`, `f64` becomes `f32`. Quantised types keep scale and zero
 * point and store in 32 bits; tile types stay.
 */
export function normalizeElement(text: string): ElementType | undefined {
  const known = parseDataType(text);
  // Nothing of TTNN computes in f16.
  if (known === "f16") return elementOf("bf16");
  if (known !== undefined && isPlainFloat(known)) return elementOf(known);
  if (text === "index") return elementOf("si32");
  const integer = /^([su]?)i(\d+)$/.exec(text);
  if (integer !== null) {
    const width = Number(integer[2]);
    if (width === 1) return elementOf("bf16");
    if (integer[1] !== "u") return elementOf("si32");
    return elementOf(width <= 8 ? "u8" : width <= 16 ? "u16" : "u32");
  }
  const quantized = /^!quant\.uniform<\s*[iu]\d+/.exec(text);
  if (quantized !== null) {
    return { text: `!quant.uniform<i32${text.slice(quantized[0].length)}`, dataType: "si32" };
  }
  const tile = parseDataType(/^!ttcore\.tile<32x32, (bfp_\w+)>$/.exec(text)?.[1] ?? "");
  return tile === undefined ? undefined : { text, dataType: tile };
}

/** Element of the parts of complex numbers, as the source spells it; `undefined` for other elements. */
export function complexPart(text: string): string | undefined {
  return /^complex<\s*(\w+)\s*>$/.exec(text)?.[1];
}
