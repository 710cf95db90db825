// SPDX-License-Identifier: Apache-2.0

/**
 * Element formats of device tensors, named as tt-mlir's `ttcore.supportedDataTypes` print in tiles; formats
 * that chips support precede `i1`, in the order of tt-mlir's enumeration.
 */
export const DATA_TYPES = [
  "f32",
  "f16",
  "bf16",
  "bfp_f8",
  "bfp_bf8",
  "bfp_f4",
  "bfp_bf4",
  "bfp_f2",
  "bfp_bf2",
  "u32",
  "u16",
  "u8",
  "si32",
  "i1",
] as const;

/** One of {@linkcode DATA_TYPES}. */
export type DataType = (typeof DATA_TYPES)[number];

/**
 * Bytes of one 32x32 tile (tt-metal:tensor-layout; block-float formats carry one shared exponent byte per 16 elements).
 * The device has no booleans: tt-mlir's runtime holds `i1` as bf16 (tt-mlir:runtime-calls).
 */
const TILE_BYTES: Readonly<Record<DataType, number>> = {
  f32: 4096,
  u32: 4096,
  si32: 4096,
  f16: 2048,
  bf16: 2048,
  u16: 2048,
  i1: 2048,
  u8: 1024,
  bfp_f8: 1088,
  bfp_bf8: 1088,
  bfp_f4: 576,
  bfp_bf4: 576,
  bfp_f2: 320,
  bfp_bf2: 320,
};

/** `f32`, `bf16` or `f16`. */
export function isPlainFloat(dataType: DataType): boolean {
  return dataType === "f32" || dataType === "bf16" || dataType === "f16";
}

/** Whether a data type holds floats, in blocks or not. */
export function isFloat(dataType: DataType): boolean {
  return isPlainFloat(dataType) || isBlockFloat(dataType);
}

/** Whether elements share exponents per 16; such formats exist only in tiles. */
export function isBlockFloat(dataType: DataType): boolean {
  return dataType.startsWith("bfp_");
}

/**
 * Bytes of one tile of the given extents. The exponents of block floats fill whole 16 bytes (`ttnn:backend-0-81-1`).
 *
 * @param height elements, default 32
 * @param width elements, default 32
 */
export function tileBytes(dataType: DataType, height = 32, width = 32): number {
  const share = height * width / 1024;
  if (!isBlockFloat(dataType)) return TILE_BYTES[dataType] * share;
  return (TILE_BYTES[dataType] - 64) * share + Math.max(1, Math.ceil(4 * share)) * 16;
}

/**
 * Bytes of one element outside of tiles.
 *
 * @throws {RangeError} for block-float formats, which have no single elements
 */
export function elementBytes(dataType: DataType): number {
  if (isBlockFloat(dataType)) {
    throw new RangeError(`Cannot size one element of ${dataType}: block-float exists only in tiles`);
  }
  return TILE_BYTES[dataType] / 1024;
}

/** Bytes of one element as rows hold it: block-float formats have none there, and are untilized to bf16. */
export function rowElementBytes(dataType: DataType): number {
  return isBlockFloat(dataType) ? 2 : elementBytes(dataType);
}

/** Bytes per element; for block floats in tiles, including its share of the exponents. */
export function bytesPerElement(
  { dataType, tile }: {
    readonly dataType: DataType;
    readonly tile: { readonly height: number; readonly width: number } | undefined;
  },
): number {
  if (tile === undefined) return elementBytes(dataType);
  return tileBytes(dataType, tile.height, tile.width) / (tile.height * tile.width);
}

/**
 * The data type of an MLIR element type. Signless integers have no format of their own on the device: `i32` is held
 * as `si32`, `i16` as `u16`, `i8` as `u8`. `ui32` is spelled `u32` in tiles; 64-bit types are narrowed to 32 bits
 * (tt-mlir `elementTypeToDataType`).
 *
 * @param text element type as MLIR prints it, or the name of a data type
 * @returns `undefined` when the device has no such format
 */
export function parseDataType(text: string): DataType | undefined {
  return DATA_TYPE_OF_ELEMENT.get(text);
}

const DATA_TYPE_OF_ELEMENT: ReadonlyMap<string, DataType> = new Map<string, DataType>([
  ...DATA_TYPES.map((name) => [name, name] as const),
  ["f64", "f32"],
  ["ui32", "u32"],
  ["ui64", "u32"],
  ["ui16", "u16"],
  ["i16", "u16"],
  ["ui8", "u8"],
  ["i8", "u8"],
  ["i32", "si32"],
  ["si64", "si32"],
  ["i64", "si32"],
]);

/** Formats by TTNN's names in Python (`ttnn.bfloat8_b`), which C++ and the profiler print in capitals. */
export const TTNN_FORMATS: Readonly<Partial<Record<DataType, string>>> = {
  f32: "float32",
  bf16: "bfloat16",
  bfp_bf8: "bfloat8_b",
  bfp_bf4: "bfloat4_b",
  u32: "uint32",
  u16: "uint16",
  u8: "uint8",
  si32: "int32",
};

/** The format of a name of TTNN's, `bfloat8_b` or `BFLOAT8_B`; `undefined` for other words. */
export function ttnnFormat(name: string): DataType | undefined {
  return DATA_TYPES.find((dataType) => TTNN_FORMATS[dataType] === name.toLowerCase());
}

/** The MLIR element type of a scalar memref or tensor: unsigned types print as `ui32`, `ui16`, `ui8`. */
export function elementTypeName(dataType: DataType): string {
  return dataType.replace(/^u/, "ui");
}
