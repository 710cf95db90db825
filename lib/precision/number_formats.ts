// SPDX-License-Identifier: Apache-2.0
import type { DataType } from "../layout/data_type.ts";

/** Elements of a row of a 16x16 face, which share an exponent in block formats. */
export const SHARED_EXPONENT = 16;

/** Bits of magnitude of the elements of block formats, beside their sign. */
const MAGNITUDE_BITS: Readonly<Partial<Record<DataType, number>>> = { bfp_bf8: 7, bfp_bf4: 3, bfp_bf2: 1 };

/** Who packs a tensor into a block format: the host rounds each element; the device truncates what it rounded to bfp8. */
export type Packer = "host" | "device";

const WORD: DataView = new DataView(new ArrayBuffer(4));

/** The nearest bf16, ties to even (a f32 with its lower 16 bits rounded away). */
export function toBf16(value: number): number {
  WORD.setFloat32(0, value);
  const bits = WORD.getUint32(0);
  if (((bits >>> 23) & 0xff) === 0xff) return Math.fround(value);
  WORD.setUint32(0, (bits + 0x7fff + ((bits >>> 16) & 1)) & 0xffff0000);
  return WORD.getFloat32(0);
}

/** Exponent of a f32 without its bias; -126 for subnormals and 0. */
function exponentOf(value: number): number {
  WORD.setFloat32(0, value);
  return Math.max(1, (WORD.getUint32(0) >>> 23) & 0xff) - 127;
}

/**
 * Rounds a row to a format (tt-metal:blockfloat for the host, tt-isa:packers for the device). In block formats the
 * elements share the largest exponent. The host rounds each magnitude to nearest, ties to even. The device rounds to
 * bf16, then to bfp8 (nearest, ties away from zero), and truncates bfp8 to narrower formats. Both saturate.
 *
 * @param values one row of a face, at most {@linkcode SHARED_EXPONENT} elements of f32
 * @returns the rounded values; bf16 for `bf16`, f32 for all other formats without shared exponents
 */
export function packRow(values: readonly number[], format: DataType, packer: Packer): readonly number[] {
  const bits = MAGNITUDE_BITS[format];
  if (bits === undefined) return format === "bf16" ? values.map(toBf16) : values.map(Math.fround);
  const given = packer === "host" ? values.map(Math.fround) : values.map(toBf16);
  const exponent = Math.max(...given.map(exponentOf));
  const roundedBits = packer === "host" ? bits : 7;
  const unit = 2 ** (exponent - (roundedBits - 1));
  const most = 2 ** roundedBits - 1;
  return given.map((value) => {
    const scaled = Math.abs(value) / unit;
    const rounded = Math.min(most, packer === "host" ? roundToEven(scaled) : Math.floor(scaled + 0.5));
    const kept = Math.floor(rounded / 2 ** (roundedBits - bits));
    return Math.sign(value) * kept * 2 ** (exponent - (bits - 1)) + 0;
  });
}

function roundToEven(value: number): number {
  const below = Math.floor(value);
  const rest = value - below;
  return rest > 0.5 || (rest === 0.5 && below % 2 === 1) ? below + 1 : below;
}
