// SPDX-License-Identifier: Apache-2.0
import { type DataType, isBlockFloat } from "./data_type.ts";
import { matrixCount } from "./extents.ts";
import { LayoutError } from "./layout_error.ts";
import type { TileShape } from "./ttnn_layout.ts";

/** Rows, and columns, of the tile of nearly all tensors. */
export const TILE = 32;

/** Extent of a full face; tiles lower than 16 rows have faces as high as the tile. */
const FACE_EXTENT = 16;

/** Tile shapes that the chips take (`supported_tile_sizes` of `ttcore.system_desc`, tt-mlir `SystemDesc.cpp`). */
export const SUPPORTED_TILES: readonly TileShape[] = [
  { height: 4, width: 16 },
  { height: 16, width: 16 },
  { height: 32, width: 16 },
  { height: 4, width: 32 },
  { height: 16, width: 32 },
  { height: 32, width: 32 },
];

/** Whether the chips know tiles of this shape. */
export function isSupportedTile(tile: TileShape): boolean {
  return SUPPORTED_TILES.some((known) => known.height === tile.height && known.width === tile.width);
}

/**
 * Refuses tile shapes that no unit of the chip can work on.
 *
 * @throws {LayoutError} `tile/supported-shape`
 */
export function checkTile(tile: TileShape): void {
  if (isSupportedTile(tile)) return;
  const known = SUPPORTED_TILES.map(({ height, width }) => `${height}x${width}`).join(", ");
  throw new LayoutError(
    "tile/supported-shape",
    `Cannot use ${tile.height}x${tile.width} tiles: the supported tile shapes are ${known}`,
  );
}

/**
 * Refuses pages that no tensor can have: tiles that the chips do not know, block-float outside of tiles.
 *
 * @param tile `undefined` for row-major pages
 * @throws {LayoutError} `tile/supported-shape` or `tile/block-float-needs-tiles`
 */
export function checkPages(tile: TileShape | undefined, dataType: DataType): void {
  if (tile !== undefined) return checkTile(tile);
  if (isBlockFloat(dataType)) {
    throw new LayoutError(
      "tile/block-float-needs-tiles",
      `Cannot lay out ${dataType} elements one by one: block-float exists only in tiles`,
    );
  }
}

/** 32x32 tiles along the last dimension; of a row-major tensor those that it would have if tiled. */
export function tileColumns(shape: readonly number[]): number {
  return Math.ceil((shape.at(-1) ?? 1) / 32);
}

/** Rows of 32x32 tiles of all matrices of a tensor; of a row-major one those that it would have if tiled. */
export function tileRows(shape: readonly number[]): number {
  return matrixCount(shape) * Math.ceil((shape.at(-2) ?? 1) / 32);
}

/** 32x32 tiles of a tensor; of a row-major one those that it would have if tiled. */
export function tileCount(shape: readonly number[]): number {
  return tileRows(shape) * tileColumns(shape);
}

/** Place of an element inside a tile. Faces are stored one after the other, row by row, elements row by row. */
export interface FacePosition {
  /** Index of the face in storage order. */
  readonly face: number;
  /** Row in the face. */
  readonly row: number;
  /** Column in the face. */
  readonly column: number;
  /** Elements before this one in the tile's storage order. */
  readonly element: number;
}

/**
 * Face and place of element (row, column) of a tile (tt-metal: a 32x32 tile is four 16x16 faces, row-major).
 *
 * @param row 0 to tile height − 1
 * @param column 0 to tile width − 1
 */
export function facePosition(tile: TileShape, row: number, column: number): FacePosition {
  const faceHeight = Math.min(FACE_EXTENT, tile.height);
  const facesPerRow = tile.width / FACE_EXTENT;
  const face = Math.floor(row / faceHeight) * facesPerRow + Math.floor(column / FACE_EXTENT);
  const inRow = row % faceHeight;
  const inColumn = column % FACE_EXTENT;
  return {
    face,
    row: inRow,
    column: inColumn,
    element: face * faceHeight * FACE_EXTENT + inRow * FACE_EXTENT + inColumn,
  };
}
