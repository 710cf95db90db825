// SPDX-License-Identifier: Apache-2.0
import { floatFromBits } from "../../ir/mod.ts";

/** Reads a number back from a printed attribute, `5.000000e-01 : f32` or `0xFF800000 : f32`. */
export function numberIn(text: string | undefined): number | undefined {
  const digits = text?.split(" ")[0];
  if (digits === undefined) return undefined;
  if (!digits.startsWith("0x")) return Number(digits);
  return floatFromBits(BigInt(digits), "f32");
}

/** Reads a list of integers back from a printed attribute, `[2 : i32, 3 : i32]`. */
export function integersIn(text: string | undefined): readonly number[] {
  return [...(text ?? "").matchAll(/(-?\d+) : /g)].map(([, digits]) => Number(digits));
}
