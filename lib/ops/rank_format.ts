// SPDX-License-Identifier: Apache-2.0
import type { DataType } from "../layout/data_type.ts";
import { normalDim } from "../layout/extents.ts";
import type { AttributedOp } from "./attributes/read_attributes.ts";
import { readAttributes } from "./attributes/read_attributes.ts";
import { SORT, TOPK } from "./attributes/reduction.ts";
import { definitionOf } from "./op_book.ts";

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

/**
 * Format in which an op returns the places of what it ranks, its second result; `undefined` for ops that rank nothing.
 *
 * @param values its first operand
 */
export function returnedRanks(
  op: AttributedOp & { readonly name: string },
  { shape, dataType }: { readonly shape: readonly number[]; readonly dataType: DataType },
): "u16" | "u32" | undefined {
  const { family } = definitionOf(op.name);
  if (family !== "sort" && family !== "topk") return undefined;
  const { dim } = readAttributes(op, family === "sort" ? SORT : TOPK);
  return rankFormat(family, dataType, shape[normalDim(dim, shape.length)] ?? 1);
}
