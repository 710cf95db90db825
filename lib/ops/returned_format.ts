// SPDX-License-Identifier: Apache-2.0
import { type DataType, isBlockFloat } from "../layout/data_type.ts";
import type { TtnnLayout } from "../layout/ttnn_layout.ts";
import { definitionOf } from "./op_book.ts";

/**
 * Element format that the kernel of an op gives result 0, regardless of what is requested or declared. Results in rows
 * cannot be block float and become bf16 (tt-metal:pool, tt-metal:sharding).
 *
 * @param layoutOfOperand layout of an operand, where it is a tensor of a known one
 * @param inTiles whether result 0 comes out in tiles
 * @returns `undefined` if the kernel takes a format, or if it is unknown
 */
export function returnedFormat(
  name: string,
  layoutOfOperand: (operand: number) => Pick<TtnnLayout, "dataType" | "tile" | "bufferType"> | undefined,
  inTiles: boolean,
): DataType | undefined {
  const { formatOf } = definitionOf(name);
  if (formatOf === "same_pages") {
    const first = layoutOfOperand(0);
    const isCopied = first?.bufferType !== "system_memory" && (first?.tile !== undefined) === inTiles;
    return isCopied ? first?.dataType : undefined;
  }
  const format = typeof formatOf === "number" ? layoutOfOperand(formatOf)?.dataType : formatOf;
  return format !== undefined && !inTiles && isBlockFloat(format) ? "bf16" : format;
}
