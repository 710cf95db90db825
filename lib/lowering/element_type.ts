// SPDX-License-Identifier: Apache-2.0
import type { DataType } from "../layout/data_type.ts";

/** An element type after normalisation: how tensors spell it and how layouts store it. */
export interface ElementType {
  /** As printed in `tensor<…>`. */
  readonly text: string;
  readonly dataType: DataType;
}

/**
 * Element types that TTIR may have and the ones TTNN knows (tt-mlir `ElementTypeNormalization`): signed integers become
 * `si32`, unsigned keep their width up to 32 bits, `f64` becomes `f32`, booleans become `bf16`.
 */
const NORMALIZED: ReadonlyMap<string, DataType> = new Map([
  ["i1", "bf16"],
  ["i8", "si32"],
  ["i16", "si32"],
  ["i32", "si32"],
  ["i64", "si32"],
  ["si8", "si32"],
  ["si16", "si32"],
  ["si32", "si32"],
  ["si64", "si32"],
  ["index", "si32"],
  ["ui8", "u8"],
  ["ui16", "u16"],
  ["ui32", "u32"],
  ["ui64", "u32"],
  ["f16", "f16"],
  ["bf16", "bf16"],
  ["f32", "f32"],
  ["f64", "f32"],
]);

const TENSOR_TEXT: ReadonlyMap<DataType, string> = new Map([["u8", "ui8"], ["u16", "ui16"], ["u32", "ui32"]]);

/** How a data type is spelled as a tensor's element. */
export function elementOf(dataType: DataType): ElementType {
  const text = dataType.startsWith("bfp_") ? `!ttcore.tile<32x32, ${dataType}>` : TENSOR_TEXT.get(dataType);
  return { text: text ?? dataType, dataType };
}

/**
 * Normalises the element type of a TTIR tensor; `undefined` when TTNN has no counterpart.
 *
 * Quantised types keep scale and zero point and store in 32 bits; tile types stay.
 */
export function normalizeElement(text: string): ElementType | undefined {
  const dataType = NORMALIZED.get(text);
  if (dataType !== undefined) return elementOf(dataType);
  const quantized = /^!quant\.uniform<\s*[iu]\d+/.exec(text);
  if (quantized !== null) {
    return { text: `!quant.uniform<i32${text.slice(quantized[0].length)}`, dataType: "si32" };
  }
  const tile = /^!ttcore\.tile<32x32, (bfp_\w+)>$/.exec(text)?.[1];
  return isBlockFormat(tile) ? { text, dataType: tile } : undefined;
}

function isBlockFormat(text: string | undefined): text is DataType {
  return text !== undefined && ["bfp_f8", "bfp_bf8", "bfp_f4", "bfp_bf4", "bfp_f2", "bfp_bf2"].includes(text);
}

/** Whether a data type holds floats. */
export function isFloat(dataType: DataType): boolean {
  return dataType === "f32" || dataType === "f16" || dataType === "bf16" || dataType.startsWith("bfp_");
}
