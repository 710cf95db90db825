// SPDX-License-Identifier: Apache-2.0
import { type DataType, isBlockFloat } from "../layout/data_type.ts";
import { definitionOf } from "./op_book.ts";

/**
 * Element format that the kernel of an op gives result 0, regardless of what is requested or declared. Results in rows
 * cannot be block float and become bf16 (tt-metal:pool, tt-metal:sharding).
 *
 * @param formatOfOperand format of an operand, where it is a tensor of a known layout
 * @param inTiles whether result 0 comes out in tiles
 * @returns `undefined` if the kernel takes a format, or if it is unknown
 */
export function returnedFormat(
  name: string,
  formatOfOperand: (operand: number) => DataType | undefined,
  inTiles: boolean,
): DataType | undefined {
  const { formatOf } = definitionOf(name);
  const format = typeof formatOf === "number" ? formatOfOperand(formatOf) : formatOf;
  return format !== undefined && !inTiles && isBlockFloat(format) ? "bf16" : format;
}
