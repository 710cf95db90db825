// SPDX-License-Identifier: Apache-2.0
import { bytesPerElement } from "../data_type.ts";
import { volume } from "../extents.ts";
import { roundUp } from "../make_layout.ts";
import { type ChipNodes, hostNode, type NodeId } from "./nodes.ts";
import { placeLayout, type Placement } from "./placement.ts";
import { CELL_PIECES, type LayoutAxis, pairAxes, type PieceIndex, WHOLE_PIECES } from "./reshard_axes.ts";
import type { TileShape, TtnnLayout } from "../ttnn_layout.ts";

/**
 * The data movement of a layout change, summed per pair of nodes. Entry `i` of all arrays belongs to one
 * pair; entries are sorted by source, then destination, without duplicates. Pairs of a node with itself
 * (bytes that stay) are included, so the sums cover the whole tensor.
 */
export interface TransferSet {
  /** {@linkcode NodeId} that holds the bytes before. */
  readonly source: Int32Array;
  /** {@linkcode NodeId} that holds the bytes after. */
  readonly destination: Int32Array;
  /** Elements of the pair; whole tiles count with their padding when both layouts have the same tiles. */
  readonly elements: Float64Array;
  /** The same in bytes of the source's data type. */
  readonly bytes: Float64Array;
  /**
   * Pieces: pairs of a source page and a destination page that share elements. A page is a tile, or a row of the
   * tensor (interleaved) or of the shard (sharded) when row-major; so one read or write moves a piece.
   */
  readonly pages: Float64Array;
  /** Sum of `bytes`. */
  readonly totalBytes: number;
  /** Part of it whose source and destination are the same node. */
  readonly localBytes: number;
  /** Sum of `pages`. */
  readonly totalPages: number;
}

/**
 * The exact transfers of a reshard, by interval arithmetic: time grows with the number of shards and banks (and, when
 * interleaved tiles are made or changed, with rows and columns of tiles), not with the number of elements.
 *
 * When page layout or tile shape differ (tilize, untilize), only logical elements are counted: padding is dropped or
 * made on the way. Otherwise tiles move whole.
 *
 * @example
 * ```ts
 * import { makeLayout, reshardClass, reshardTransfers } from "@tilewright/tilewright/layout";
 * import { assertEquals } from "@std/assert";
 *
 * const chip = { workerGrid: { rows: 8, columns: 8 }, dramBanks: 12 };
 * const request = { shape: [256, 256], dataType: "bf16", bufferType: "l1" } as const;
 * const rows = makeLayout({ ...request, memoryLayout: "height_sharded", grid: [2, 1] }, chip.workerGrid);
 * const columns = makeLayout({ ...request, memoryLayout: "width_sharded", grid: [1, 2] }, chip.workerGrid);
 * assertEquals(reshardClass(rows, columns).movement, "reshard");
 * const transfers = reshardTransfers([256, 256], rows, columns, chip);
 * // Each of two cores keeps one quarter of the tensor and sends the other.
 * assertEquals([...transfers.source], [0, 0, 1, 1]);
 * assertEquals([...transfers.destination], [0, 1, 0, 1]);
 * assertEquals(transfers.localBytes, transfers.totalBytes / 2);
 * ```
 *
 * @param shape logical tensor shape
 * @param chip whose cores and banks the layouts name
 * @throws {LayoutError} if one of the layouts cannot hold the tensor or does not fit the chip
 */
export function reshardTransfers(
  shape: readonly number[],
  from: TtnnLayout,
  to: TtnnLayout,
  chip: ChipNodes,
): TransferSet {
  const space = commonSpace(shape, from.tile, to.tile);
  const source = placeLayout(shape, from, chip);
  const destination = placeLayout(shape, to, chip);
  const sourceAxes = placementAxes(source, from.tile, space);
  const destinationAxes = placementAxes(destination, to.tile, space);
  const rows = pairAxes(sourceAxes.rows, destinationAxes.rows, space.rowPieces);
  const columns = pairAxes(sourceAxes.columns, destinationAxes.columns, space.columnPieces);

  const nodes = hostNode(chip) + 1;
  const cells = new Float64Array(nodes * nodes);
  const pieces = new Float64Array(nodes * nodes);
  for (const row of rows) {
    for (const column of columns) {
      const from = sourceAxes.node(row.from, column.from);
      const pair = from * nodes + destinationAxes.node(row.to, column.to);
      cells[pair] = (cells[pair] ?? 0) + row.cells * column.cells;
      pieces[pair] = (pieces[pair] ?? 0) + row.pieces * column.pieces;
    }
  }
  return collectTransfers(cells, pieces, nodes, space.elementsPerCell, bytesPerElement(from));
}

function collectTransfers(
  cells: Float64Array,
  pieces: Float64Array,
  nodes: number,
  elementsPerCell: number,
  elementSize: number,
): TransferSet {
  const pairs = Int32Array.from(cells.keys().filter((pair) => cells[pair] !== 0));
  const source = pairs.map((pair) => Math.floor(pair / nodes));
  const destination = pairs.map((pair) => pair % nodes);
  const elements = Float64Array.from(pairs, (pair) => (cells[pair] ?? 0) * elementsPerCell);
  const bytes = elements.map((count) => count * elementSize);
  const pages = Float64Array.from(pairs, (pair) => pieces[pair] ?? 0);
  const sum = (numbers: Float64Array): number => numbers.reduce((total, number) => total + number, 0);
  return {
    source,
    destination,
    elements,
    bytes,
    pages,
    totalBytes: sum(bytes),
    localBytes: sum(bytes.filter((_, entry) => source[entry] === destination[entry])),
    totalPages: sum(pages),
  };
}

/**
 * The granularity at which two layouts are compared: tiles if both have the same tiles, otherwise elements of
 * the unpadded tensor.
 */
interface CellSpace {
  readonly kind: "tiles" | "elements";
  readonly elementsPerCell: number;
  /** Logical rows per batch (extent of the second last dimension). */
  readonly height: number;
  /** Logical columns. */
  readonly width: number;
  readonly rowPieces: PieceIndex;
  readonly columnPieces: PieceIndex;
}

function commonSpace(
  shape: readonly number[],
  from: TileShape | undefined,
  to: TileShape | undefined,
): CellSpace {
  const width = shape.at(-1) ?? 1;
  const height = shape.length < 2 ? 1 : shape.at(-2) ?? 1;
  const elements = { kind: "elements", elementsPerCell: 1, height, width } as const;
  if (from !== undefined && to !== undefined) {
    if (from.height === to.height && from.width === to.width) {
      const elementsPerCell = from.height * from.width;
      return {
        kind: "tiles",
        elementsPerCell,
        height,
        width,
        rowPieces: CELL_PIECES,
        columnPieces: CELL_PIECES,
      };
    }
    // Supported tile extents divide one another, so the finer tile cuts wherever the coarser one does.
    const tileHeight = Math.min(from.height, to.height);
    const tileWidth = Math.min(from.width, to.width);
    const tilesPerBatch = Math.ceil(height / tileHeight);
    return {
      ...elements,
      rowPieces: (row) => Math.floor(row / height) * tilesPerBatch + Math.floor((row % height) / tileHeight),
      columnPieces: (column) => Math.floor(column / tileWidth),
    };
  }
  const tile = from ?? to;
  return {
    ...elements,
    rowPieces: CELL_PIECES,
    columnPieces: tile === undefined ? WHOLE_PIECES : (column) => Math.floor(column / tile.width),
  };
}

interface PlacementAxes {
  readonly rows: LayoutAxis;
  readonly columns: LayoutAxis;
  node(rowLabel: number, columnLabel: number): NodeId;
}

function placementAxes(placement: Placement, tile: TileShape | undefined, space: CellSpace): PlacementAxes {
  const toCells = space.kind === "tiles" || tile === undefined
    ? { row: (unit: number) => unit, column: (unit: number) => unit }
    : {
      row: (unit: number) => logicalRow(unit * tile.height, roundUp(space.height, tile.height), space.height),
      column: (unit: number) => Math.min(unit * tile.width, space.width),
    };
  if (placement.kind === "interleaved") {
    const { banks } = placement;
    const [pageRows, pageColumns] = placement.pages;
    const modulus = banks.length;
    const uniform = space.kind === "tiles" || tile === undefined;
    const rows: LayoutAxis = uniform
      ? { kind: "cyclic", extent: pageRows, stride: pageColumns, modulus, labelCount: modulus }
      : segments(pageRows, (page) => toCells.row(page), (page) => (page * pageColumns) % modulus, modulus);
    // Row-major pages are whole rows of any width.
    const columns: LayoutAxis = tile === undefined
      ? { kind: "segments", starts: [0, space.width], labels: [0], labelCount: 1 }
      : space.kind === "tiles"
      ? { kind: "cyclic", extent: pageColumns, stride: 1, modulus, labelCount: modulus }
      : segments(pageColumns, (page) => toCells.column(page), (page) => page % modulus, modulus);
    return { rows, columns, node: (row, column) => banks[(row + column) % modulus] ?? 0 };
  }
  const { nodes, extents, shard, grid } = placement;
  const last = grid.length - 1;
  const gridColumns = grid[last] ?? 1;
  const shardColumns = shard[last] ?? 1;
  const unitColumns = extents[last] ?? 1;
  const columnShards = Math.ceil(unitColumns / shardColumns);
  return {
    rows: shardedRows(extents.slice(0, last), shard, grid, toCells.row),
    columns: segments(
      columnShards,
      (index) => toCells.column(Math.min(index * shardColumns, unitColumns)),
      (index) => index,
      gridColumns,
    ),
    node: (row, column) => nodes[(row * gridColumns + column) % nodes.length] ?? 0,
  };
}

/** Rows of the collapsed tensor by the shard coordinates of all dimensions but the last, outermost first. */
function shardedRows(
  extents: readonly number[],
  shard: readonly number[],
  grid: readonly number[],
  toCell: (unit: number) => number,
): LayoutAxis {
  const starts: number[] = [0];
  const labels: number[] = [];
  const labelCount = volume(grid.slice(0, extents.length));
  const visit = (dim: number, unit: number, label: number): void => {
    const extent = extents[dim] ?? 1;
    const step = shard[dim] ?? 1;
    const inner = volume(extents.slice(dim + 1));
    if (dim === extents.length - 1) {
      for (let start = 0; start < extent; start += step) {
        starts.push(toCell(unit + Math.min(start + step, extent)));
        labels.push(label * (grid[dim] ?? 1) + start / step);
      }
      return;
    }
    for (let index = 0; index < extent; index++) {
      visit(dim + 1, unit + index * inner, label * (grid[dim] ?? 1) + Math.floor(index / step));
    }
  };
  visit(0, 0, 0);
  return { kind: "segments", starts, labels, labelCount };
}

function segments(
  count: number,
  startOf: (index: number) => number,
  labelOf: (index: number) => number,
  labelCount: number,
): LayoutAxis {
  const starts: number[] = [];
  const labels: number[] = [];
  for (let index = 0; index < count; index++) {
    starts.push(startOf(index));
    labels.push(labelOf(index));
  }
  starts.push(startOf(count));
  return { kind: "segments", starts, labels, labelCount };
}

/** Logical rows above a row of the padded tensor. */
function logicalRow(paddedRow: number, paddedHeight: number, height: number): number {
  return Math.floor(paddedRow / paddedHeight) * height + Math.min(paddedRow % paddedHeight, height);
}
