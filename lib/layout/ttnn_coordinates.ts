// SPDX-License-Identifier: Apache-2.0
import { elementBytes, isBlockFloat, tileBytes } from "./data_type.ts";
import { volume } from "./extents.ts";
import { checkShape, formatExtents, LayoutError } from "./layout_error.ts";
import { roundUp } from "./make_layout.ts";
import type { ChipNodes, NodeId } from "./nodes.ts";
import { placeLayout, type Placement } from "./placement.ts";
import { type FacePosition, facePosition } from "./tile_shape.ts";
import type { TtnnLayout } from "./ttnn_layout.ts";

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

/** Maps elements of one tensor in one layout to places and back. */
export interface TtnnCoordinates {
  /** Which node holds which part. */
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
   * @throws {LayoutError} `index/out-of-bounds`
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
 * @throws {LayoutError} when the layout cannot hold the tensor or does not fit the chip
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

  // Units are tiles or elements; a page is one tile, or one row of units when row-major.
  const unitRowOf = (row: number) => tile === undefined ? row : Math.floor(row / tile.height);
  const unitColumnOf = (column: number) => tile === undefined ? column : Math.floor(column / tile.width);
  const pageWidth = tile !== undefined
    ? tile.width
    : placement.kind === "interleaved"
    ? width
    : placement.shard.at(-1) ?? 1;
  const pageHeight = tile === undefined ? 1 : tile.height;

  const pagesPerShard = placement.kind === "interleaved"
    ? 0
    : tile === undefined
    ? volume(placement.shard.slice(0, -1))
    : volume(placement.shard);
  const pagesPerNode = placement.kind === "interleaved"
    ? Math.ceil(volume(placement.pages) / placement.banks.length)
    : pagesPerShard * Math.ceil(volume(placement.grid) / placement.nodes.length);
  const nodes = placement.kind === "interleaved" ? placement.banks : placement.nodes;

  const byteOffset = (page: number, row: number, column: number): number | undefined => {
    if (isBlockFloat(layout.dataType)) return undefined;
    const size = elementBytes(layout.dataType);
    if (tile === undefined) return (page * pageWidth + column) * size;
    return page * tileBytes(layout.dataType, tile.height, tile.width) +
      facePosition(tile, row, column).element * size;
  };

  return {
    placement,
    nodes,
    pagesPerNode,
    pageShape: [pageHeight, pageWidth],

    locate(index: readonly number[]): ElementPlace {
      checkIndex(shape, index);
      const batch = linearize(index.slice(0, -2), shape.slice(0, -2));
      const inHeight = shape.length < 2 ? 0 : index.at(-2) ?? 0;
      const row = batch * paddedHeight + inHeight;
      const column = index.at(-1) ?? 0;
      const inRow = tile === undefined ? 0 : row % tile.height;
      const inColumn = tile === undefined ? column : column % tile.width;
      const face = tile === undefined ? undefined : facePosition(tile, inRow, inColumn);
      const placeAt = (index: number, shard: number | undefined, page: number, inColumn: number) => ({
        node: nodes[index % nodes.length] ?? 0,
        shard,
        page,
        row: inRow,
        column: inColumn,
        face,
        byteOffset: byteOffset(page, inRow, inColumn),
      });
      if (placement.kind === "interleaved") {
        const page = tile === undefined ? row : unitRowOf(row) * placement.pages[1] + unitColumnOf(column);
        return placeAt(page, undefined, Math.floor(page / nodes.length), inColumn);
      }
      const unit = delinearize(unitRowOf(row), placement.extents.slice(0, -1));
      unit.push(unitColumnOf(column));
      const shardCoord = unit.map((value, dim) => Math.floor(value / (placement.shard[dim] ?? 1)));
      const inShard = unit.map((value, dim) => value % (placement.shard[dim] ?? 1));
      const shard = linearize(shardCoord, placement.grid);
      const slot = Math.floor(shard / nodes.length);
      const pageInShard = tile === undefined
        ? linearize(inShard.slice(0, -1), placement.shard.slice(0, -1))
        : linearize(inShard, placement.shard);
      const inPage = tile === undefined ? inShard.at(-1) ?? 0 : inColumn;
      return placeAt(shard, shard, slot * pagesPerShard + pageInShard, inPage);
    },

    elementAt(place: PhysicalPlace): number[] | undefined {
      const nodeIndex = nodes.indexOf(place.node);
      if (nodeIndex === -1 || place.page < 0 || place.page >= pagesPerNode) return undefined;
      let row: number;
      let column: number;
      if (placement.kind === "interleaved") {
        const page = place.page * nodes.length + nodeIndex;
        if (page >= volume(placement.pages)) return undefined;
        row = Math.floor(page / placement.pages[1]) * pageHeight + place.row;
        column = (page % placement.pages[1]) * pageWidth + place.column;
      } else {
        const shard = Math.floor(place.page / pagesPerShard) * nodes.length + nodeIndex;
        if (shard >= volume(placement.grid)) return undefined;
        const shardCoord = delinearize(shard, placement.grid);
        const inShard = tile === undefined
          ? [...delinearize(place.page % pagesPerShard, placement.shard.slice(0, -1)), place.column]
          : delinearize(place.page % pagesPerShard, placement.shard);
        const unit = inShard.map((value, dim) =>
          (shardCoord[dim] ?? 0) * (placement.shard[dim] ?? 1) + value
        );
        if (unit.some((value, dim) => value >= (placement.extents[dim] ?? 1))) return undefined;
        row = linearize(unit.slice(0, -1), placement.extents.slice(0, -1)) * pageHeight + place.row;
        column = tile === undefined ? unit.at(-1) ?? 0 : (unit.at(-1) ?? 0) * tile.width + place.column;
      }
      const inHeight = row % paddedHeight;
      if (inHeight >= height || column >= width) return undefined;
      const outer = delinearize(Math.floor(row / paddedHeight), shape.slice(0, -2));
      if (shape.length === 0) return [];
      return shape.length === 1 ? [column] : [...outer, inHeight, column];
    },
  };
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
