// SPDX-License-Identifier: Apache-2.0

/** Reads a number back from a printed attribute, `5.000000e-01 : f32` or `0xFF800000 : f32`. */
export function numberIn(text: string | undefined): number | undefined {
  const digits = text?.split(" ")[0];
  if (digits === undefined) return undefined;
  if (!digits.startsWith("0x")) return Number(digits);
  const view = new DataView(new ArrayBuffer(4));
  view.setUint32(0, Number(digits));
  return view.getFloat32(0);
}

/** Reads a list of integers back from a printed attribute, `[2 : i32, 3 : i32]`. */
export function integersIn(text: string | undefined): readonly number[] {
  return [...(text ?? "").matchAll(/(-?\d+) : /g)].map(([, digits]) => Number(digits));
}
