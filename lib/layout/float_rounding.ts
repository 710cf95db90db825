// SPDX-License-Identifier: Apache-2.0
import type { DataType } from "./data_type.ts";

/** The 16 bits of the nearest bf16, ties to even; a NaN stays one. */
export function bfloatBits(value: number): number {
  const view = new DataView(new ArrayBuffer(4));
  view.setFloat32(0, value);
  const bits = view.getUint32(0);
  if (Number.isNaN(value)) return (bits >>> 16) | 0x40;
  return ((bits + 0x7fff + ((bits >>> 16) & 1)) >>> 16) & 0xffff;
}

/**
 * The number that an f32, f16 or bf16 element holds for a real one: the nearest, ties to even. Other types leave it as
 * given: integers, and block floats, whose elements share an exponent with their neighbours.
 */
export function roundedTo(value: number, type: DataType): number {
  if (type === "f32") return Math.fround(value);
  if (type === "f16") {
    const half = new DataView(new ArrayBuffer(2));
    half.setFloat16(0, value);
    return half.getFloat16(0);
  }
  if (type !== "bf16") return value;
  const view = new DataView(new ArrayBuffer(4));
  view.setUint32(0, bfloatBits(value) << 16);
  return view.getFloat32(0);
}
