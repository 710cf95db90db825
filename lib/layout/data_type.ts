// SPDX-License-Identifier: Apache-2.0

/** Element formats of device tensors. Names of tt-mlir's `ttcore.supportedDataTypes` as they print in tiles. */
export type DataType =
  | "f32"
  | "f16"
  | "bf16"
  | "bfp_f8"
  | "bfp_bf8"
  | "bfp_f4"
  | "bfp_bf4"
  | "bfp_f2"
  | "bfp_bf2"
  | "u32"
  | "u16"
  | "u8"
  | "si32"
  | "i1";

/** Bytes of one 32x32 tile (specs 03 §A3; block-float formats carry one shared exponent byte per 16 elements). */
const TILE_BYTES: Readonly<Record<DataType, number>> = {
  f32: 4096,
  u32: 4096,
  si32: 4096,
  f16: 2048,
  bf16: 2048,
  u16: 2048,
  u8: 1024,
  i1: 1024,
  bfp_f8: 1088,
  bfp_bf8: 1088,
  bfp_f4: 576,
  bfp_bf4: 576,
  bfp_f2: 320,
  bfp_bf2: 320,
};

/** Whether elements share exponents per 16; such formats exist only in tiles. */
export function isBlockFloat(dataType: DataType): boolean {
  return dataType.startsWith("bfp_");
}

/**
 * Bytes of one tile of the given extents.
 *
 * @param height elements, default 32
 * @param width elements, default 32
 */
export function tileBytes(dataType: DataType, height = 32, width = 32): number {
  return TILE_BYTES[dataType] * (height * width) / 1024;
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
