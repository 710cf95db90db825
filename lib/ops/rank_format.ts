// SPDX-License-Identifier: Apache-2.0
import type { DataType } from "../layout/data_type.ts";

/** Numbers of 16 bits. */
const NARROW = 2 ** 16;

/**
 * Format of the indices of `sort` and `topk` (`ttnn:backend-0-81-1`): 32 bits beside f32 and u16 values, and for wide
 * rows. `topk` counts positions in a row, `sort` the row's width, a power of two of tiles.
 *
 * @param width of the rows that indices refer to
 */
export function rankFormat(family: "sort" | "topk", values: DataType, width: number): "u16" | "u32" {
  const isWide = family === "topk" ? width > NARROW : width > NARROW / 2;
  return isWide || values === "f32" || values === "u16" ? "u32" : "u16";
}
