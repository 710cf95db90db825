// SPDX-License-Identifier: Apache-2.0
import { elementBytes, isBlockFloat, tileBytes } from "../data_type.ts";
import { volume } from "../extents.ts";
import { checkShape, formatExtents, LayoutError } from "../layout_error.ts";
import { roundUp } from "../make_layout.ts";
import type { ChipNodes, NodeId } from "./nodes.ts";
import {
  type InterleavedPlacement,
  placeLayout,
  type Placement,
  type ShardedPlacement,
} from "./placement.ts";
import { type FacePosition, facePosition } from "../tile_shape.ts";
import type { TileShape, TtnnLayout } from "../ttnn_layout.ts";

/** Where one element of a TTNN tensor is. */
export interface ElementPlace {
  /** Node that holds the element. */
  readonly node: NodeId;
  /** Number of the shard, row by row over the grid; `undefined` when interleaved. */
  readonly shard: number | undefined;
  /** Number of the page in the node's buffer. */
  readonly page: number;
  /** Row in the page (a tile, or one row when row-major). */
  readonly row: number;
  /** Column in the page. */
  readonly column: number;
  /** Face and place in storage order; `undefined` when row-major. */
  readonly face: FacePosition | undefined;
  /**
   * Bytes from the start of the node's buffer when pages are packed without alignment; `undefined` for block-float,
   * whose elements have no address of their own.
   */
  readonly byteOffset: number | undefined;
}

/** A place inside the buffer of one node. */
export interface PhysicalPlace {
  /** Node of the buffer. */
  readonly node: NodeId;
  /** Number of the page in the buffer. */
  readonly page: number;
  /** Row in the page. */
  readonly row: number;
  /** Column in the page. */
  readonly column: number;
}

/** Maps elements of one tensor in one layout to locations and back. */
export interface TtnnCoordinates {
  /** The distribution over nodes. */
  readonly placement: Placement;
  /** Nodes that own a part of the buffer, in order of shards or banks. */
  readonly nodes: readonly NodeId[];
  /** Pages per node: the same for all nodes, the last ones may be padding. */
  readonly pagesPerNode: number;
  /** Rows and columns of a page, in elements. */
  readonly pageShape: readonly [number, number];

  /**
   * Place of a logical element.
   *
   * @throws {LayoutError} `shape/rank` or `index/out-of-bounds`
   */
  locate(index: readonly number[]): ElementPlace;

  /** Logical index of a physical place, `undefined` when it is padding. */
  elementAt(place: PhysicalPlace): number[] | undefined;
}

/**
 * Coordinates of a tensor in a layout.
 *
 * @example
 * ```ts
 * import { makeLayout, ttnnCoordinates } from "@tilewright/tilewright/layout";
 * import { assertEquals } from "@std/assert";
 *
 * const chip = { workerGrid: { rows: 8, columns: 8 }, dramBanks: 12 };
 * const layout = makeLayout(
 *   { shape: [256, 64], dataType: "bf16", bufferType: "l1", memoryLayout: "height_sharded", grid: [8, 1] },
 *   chip.workerGrid,
 * );
 * const coordinates = ttnnCoordinates([256, 64], layout, chip);
 * const place = coordinates.locate([33, 40]);
 * assertEquals([place.shard, place.page, place.row, place.column], [1, 1, 1, 8]);
 * assertEquals(coordinates.elementAt(place), [33, 40]);
 * ```
 *
 * @throws {LayoutError} if the layout cannot hold the tensor or does not fit the chip
 */
export function ttnnCoordinates(
  shape: readonly number[],
  layout: TtnnLayout,
  chip: ChipNodes,
): TtnnCoordinates {
  checkShape(shape);
  const placement = placeLayout(shape, layout, chip);
  const { tile } = layout;
  const height = shape.length < 2 ? 1 : shape.at(-2) ?? 1;
  const width = shape.at(-1) ?? 1;
  const paddedHeight = tile === undefined ? height : roundUp(height, tile.height);
  const pages = placement.kind === "interleaved"
    ? interleavedPages(placement, tile, width)
    : shardedPages(placement, tile);
  const nodes = placement.kind === "interleaved" ? placement.banks : placement.nodes;

  return {
    placement,
    nodes,
    pagesPerNode: pages.perNode,
    pageShape: [tile === undefined ? 1 : tile.height, pages.width],

    locate(index: readonly number[]): ElementPlace {
      checkIndex(shape, index);
      const batch = linearize(index.slice(0, -2), shape.slice(0, -2));
      const inHeight = shape.length < 2 ? 0 : index.at(-2) ?? 0;
      const { owner, shard, ...place } = pages.holding(batch * paddedHeight + inHeight, index.at(-1) ?? 0);
      return {
        node: nodes[owner] ?? 0,
        shard,
        ...place,
        face: tile === undefined ? undefined : facePosition(tile, place.row, place.column),
        byteOffset: byteOffset(layout, pages.width, place),
      };
    },

    elementAt(place: PhysicalPlace): number[] | undefined {
      const owner = nodes.indexOf(place.node);
      if (owner === -1 || place.page < 0 || place.page >= pages.perNode) return undefined;
      const found = pages.positionOf(owner, place);
      if (found === undefined) return undefined;
      const [row, column] = found;
      const inHeight = row % paddedHeight;
      if (inHeight >= height || column >= width) return undefined;
      const outer = delinearize(Math.floor(row / paddedHeight), shape.slice(0, -2));
      if (shape.length === 0) return [];
      return shape.length === 1 ? [column] : [...outer, inHeight, column];
    },
  };
}

/** A place in the pages of a node, by row and column in its page. */
type PlaceInPages = Omit<PhysicalPlace, "node">;

/**
 * The division of the collapsed tensor (rows of all batches below each other, padded to tiles) into pages of
 * nodes.
 */
interface Pages {
  /** The same for all nodes. */
  readonly perNode: number;
  /** Columns of a page, in elements. */
  readonly width: number;
  /** The page and node that hold the element at a row and column; `owner` counts nodes. */
  holding(row: number, column: number): PlaceInPages & {
    readonly owner: number;
    readonly shard: number | undefined;
  };
  /** The row and column at a place; `undefined` in padding pages. */
  positionOf(owner: number, place: PlaceInPages): readonly [row: number, column: number] | undefined;
}

/** Pages distributed round-robin over banks. */
function interleavedPages(
  { banks, pages: [rows, columns] }: InterleavedPlacement,
  tile: TileShape | undefined,
  tensorWidth: number,
): Pages {
  const width = tile?.width ?? tensorWidth;
  const height = tile?.height ?? 1;
  return {
    perNode: Math.ceil(rows * columns / banks.length),
    width,
    holding: (row, column) => {
      const page = Math.floor(row / height) * columns + Math.floor(column / width);
      return {
        owner: page % banks.length,
        shard: undefined,
        page: Math.floor(page / banks.length),
        row: row % height,
        column: column % width,
      };
    },
    positionOf: (owner, place) => {
      const page = place.page * banks.length + owner;
      if (page >= rows * columns) return undefined;
      return [Math.floor(page / columns) * height + place.row, (page % columns) * width + place.column];
    },
  };
}

/** Pages of equal shards: tiles, or the rows of a shard. Units are tiles or elements. */
function shardedPages(
  { nodes, extents, shard: shardExtents, grid }: ShardedPlacement,
  tile: TileShape | undefined,
): Pages {
  /** Extents of a shard in pages. */
  const pageExtents = tile === undefined ? shardExtents.slice(0, -1) : shardExtents;
  const pagesPerShard = volume(pageExtents);
  const width = tile?.width ?? shardExtents.at(-1) ?? 1;
  const [unitRows, unitColumns] = tile === undefined ? [1, 1] : [tile.height, tile.width];
  return {
    perNode: pagesPerShard * Math.ceil(volume(grid) / nodes.length),
    width,
    holding: (row, column) => {
      const unit = delinearize(Math.floor(row / unitRows), extents.slice(0, -1));
      unit.push(Math.floor(column / unitColumns));
      const shardAt = unit.map((value, dim) => Math.floor(value / (shardExtents[dim] ?? 1)));
      const inShard = unit.map((value, dim) => value % (shardExtents[dim] ?? 1));
      const shard = linearize(shardAt, grid);
      return {
        owner: shard % nodes.length,
        shard,
        page: Math.floor(shard / nodes.length) * pagesPerShard + linearize(inShard, pageExtents),
        row: row % unitRows,
        column: tile === undefined ? inShard.at(-1) ?? 0 : column % unitColumns,
      };
    },
    positionOf: (owner, place) => {
      const shard = Math.floor(place.page / pagesPerShard) * nodes.length + owner;
      if (shard >= volume(grid)) return undefined;
      const shardAt = delinearize(shard, grid);
      const inShard = delinearize(place.page % pagesPerShard, pageExtents);
      if (tile === undefined) inShard.push(place.column);
      const unit = inShard.map((value, dim) => (shardAt[dim] ?? 0) * (shardExtents[dim] ?? 1) + value);
      if (unit.some((value, dim) => value >= (extents[dim] ?? 1))) return undefined;
      const column = (unit.at(-1) ?? 0) * unitColumns;
      return [
        linearize(unit.slice(0, -1), extents.slice(0, -1)) * unitRows + place.row,
        tile === undefined ? column : column + place.column,
      ];
    },
  };
}

/** Bytes before a place in a node's buffer; `undefined` for block-float, whose elements have no address. */
function byteOffset(
  { tile, dataType }: TtnnLayout,
  pageWidth: number,
  { page, row, column }: PlaceInPages,
): number | undefined {
  if (isBlockFloat(dataType)) return undefined;
  const size = elementBytes(dataType);
  if (tile === undefined) return (page * pageWidth + column) * size;
  return page * tileBytes(dataType, tile.height, tile.width) + facePosition(tile, row, column).element * size;
}

/**
 * Refuses indices outside of a tensor.
 *
 * @throws {LayoutError} `shape/rank` or `index/out-of-bounds`
 */
export function checkIndex(shape: readonly number[], index: readonly number[]): void {
  if (index.length !== shape.length) {
    throw new LayoutError(
      "shape/rank",
      `Cannot look up the index [${index.join(", ")}]: a tensor of shape ${formatExtents(shape)} has rank ` +
        `${shape.length}`,
    );
  }
  for (const [dim, value] of index.entries()) {
    if (!Number.isSafeInteger(value) || value < 0 || value >= (shape[dim] ?? 0)) {
      throw new LayoutError(
        "index/out-of-bounds",
        `Cannot look up the index [${index.join(", ")}]: dimension ${dim} goes from 0 to ${
          (shape[dim] ?? 0) - 1
        }`,
      );
    }
  }
}

/** Row-major number of a coordinate. */
export function linearize(coordinate: readonly number[], extents: readonly number[]): number {
  let number = 0;
  for (let dim = 0; dim < extents.length; dim++) {
    number = number * (extents[dim] ?? 1) + (coordinate[dim] ?? 0);
  }
  return number;
}

/** Coordinate of a row-major number; inverse of {@linkcode linearize}. */
export function delinearize(number: number, extents: readonly number[]): number[] {
  const coordinate = new Array<number>(extents.length).fill(0);
  let rest = number;
  for (let dim = extents.length - 1; dim >= 0; dim--) {
    const extent = extents[dim] ?? 1;
    coordinate[dim] = rest % extent;
    rest = Math.floor(rest / extent);
  }
  return coordinate;
}
