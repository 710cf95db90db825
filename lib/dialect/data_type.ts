// SPDX-License-Identifier: Apache-2.0
import { type DataType, elementTypeName, isBlockFloat, parseDataType } from "../layout/data_type.ts";
import type { TileShape } from "../layout/ttnn_layout.ts";

/** A tile type `!ttcore.tile<32x32, bf16>`, or `!tt.tile` before June 2025. */
export interface TileType {
  readonly tile: TileShape;
  readonly dataType: DataType;
}

const TILE_TYPE = /^!(?:ttcore|tt)\.tile<\s*(\d+)\s*x\s*(\d+)\s*,\s*([\w]+)\s*>$/;

/** Parses a tile type; `undefined` for other types. */
export function parseTileType(text: string): TileType | undefined {
  const parts = TILE_TYPE.exec(text.trim());
  const dataType = parseDataType(parts?.[3] ?? "");
  if (parts === null || dataType === undefined) return undefined;
  return { tile: { height: Number(parts[1]), width: Number(parts[2]) }, dataType };
}

/**
 * The data type of a tensor or memref element: `bf16`, `ui32`, `!ttcore.tile<32x32, bfp_bf8>`.
 *
 * @returns `undefined` when the device has no such format (quantized and foreign types)
 */
export function dataTypeOfElement(text: string): DataType | undefined {
  return parseTileType(text)?.dataType ?? parseDataType(text.trim());
}

/** Whether an element is quantized, `!quant.uniform<i32:f32, 2.000000e-02>`: the layout says how it is stored. */
export function isQuantized(text: string): boolean {
  return text.trim().startsWith("!quant.");
}

/** A tile type in text. `dialect` is `tt` in text from before June 2025. */
export function tileTypeText(
  dataType: DataType,
  tile: TileShape,
  dialect: "ttcore" | "tt" = "ttcore",
): string {
  return `!${dialect}.tile<${tile.height}x${tile.width}, ${dataType}>`;
}

/**
 * The element of a tensor of a data type: block-float formats exist only in tiles, so the tensor's element is the
 * tile; all others print as scalars (tt-mlir `CheckTileTypeTrait`).
 */
export function tensorElementText(dataType: DataType, dialect?: "ttcore" | "tt"): string {
  return isBlockFloat(dataType)
    ? tileTypeText(dataType, { height: 32, width: 32 }, dialect)
    : elementTypeName(dataType);
}
