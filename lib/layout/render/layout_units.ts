// SPDX-License-Identifier: Apache-2.0
import { type AffineMap, evaluateAffineMap, ttnnLinearMap } from "../affine/affine_map.ts";
import { elementBytes, isBlockFloat, tileBytes } from "../data_type.ts";
import { volume } from "../extents.ts";
import { LayoutError } from "../layout_error.ts";
import { type StridedSum, stridedSums } from "../affine/linear_map.ts";
import { type MetalLayout, metalShardShape, verifyMetalLayout } from "../metal/metal_layout.ts";
import { type ChipNodes, formatNode } from "../ttnn/nodes.ts";
import { delinearize, linearize, ttnnCoordinates } from "../ttnn/ttnn_coordinates.ts";
import type { TtnnLayout } from "../ttnn_layout.ts";
import { type GridDevices, shardNames } from "../metal/virtual_grid.ts";

/** A contiguous unit of memory: a tile, or a row of a shard, with its position in the collapsed tensor. */
export interface LayoutUnit {
  /** First position in the collapsed tensor, one number per collapsed dimension. */
  readonly start: readonly number[];
  /** Rows and columns of the collapsed tensor from `start` on, its own padding included; the rest of a tile pads the shard. */
  readonly rows: number;
  readonly columns: number;
  /** Index into {@linkcode LayoutUnits.nodes}. */
  readonly node: number;
  /** Bytes from the start of the node's buffer, pages packed. */
  readonly byte: number;
}

/** A tensor in memory, unit by unit. */
export interface LayoutUnits {
  readonly shape: readonly number[];
  /** The dimensions of the collapsed tensor as sums over those of the tensor. */
  readonly sums: readonly StridedSum[];
  /** Rows and columns per unit, padding included. */
  readonly unitShape: readonly [number, number];
  readonly unitBytes: number;
  /** Bytes of an element; `null` for block-float, whose elements have no address of their own. */
  readonly elementBytes: number | null;
  /** Whether a unit is a tile, stored face by face. */
  readonly isTiled: boolean;
  /** Names of cores, banks or hosts. */
  readonly nodes: readonly string[];
  readonly units: readonly LayoutUnit[];
}

/** Units that a page can show. */
const MOST_UNITS = 65_536;

function checkCount(count: number): void {
  if (count <= MOST_UNITS) return;
  throw new LayoutError(
    "conversion/unsupported",
    `Cannot show ${count} tiles or rows one by one: at most ${MOST_UNITS}`,
  );
}

/**
 * Units of a TTNN layout.
 *
 * @throws {LayoutError} if the layout cannot hold the tensor, does not fit the chip, or has too many units
 */
export function ttnnUnits(shape: readonly number[], layout: TtnnLayout, chip: ChipNodes): LayoutUnits {
  const coordinates = ttnnCoordinates(shape, layout, chip);
  const { tile } = layout;
  const map = ttnnLinearMap(shape, tile);
  const [height, width] = coordinates.pageShape;
  const stored = storedUnits(shape, map, layout, [height, width]);
  const { unitBytes } = stored;
  checkCount(coordinates.nodes.length * coordinates.pagesPerNode);
  const units = coordinates.nodes.flatMap((node, index) =>
    Array.from({ length: coordinates.pagesPerNode }, (_, page) => page).flatMap(
      (page): readonly LayoutUnit[] => {
        const first = coordinates.elementAt({ node, page, row: 0, column: 0 });
        if (first === undefined) return [];
        const start = evaluateAffineMap(map, first);
        return [{ start, rows: height, columns: width, node: index, byte: page * unitBytes }];
      },
    )
  );
  return { ...stored, nodes: coordinates.nodes.map((node) => formatNode(chip, node)), units };
}

/**
 * Units of a `metal_layout`; nodes are cores, outside of L1 the shards by their coordinates.
 *
 * @throws {LayoutError} if the layout does not belong to the tensor, does not fit the devices, or has too many units
 */
export function metalUnits(shape: readonly number[], layout: MetalLayout, devices: GridDevices): LayoutUnits {
  verifyMetalLayout(shape, layout);
  const { grid, memref: { shape: memref, tile, dataType } } = layout;
  const shard = metalShardShape(shape, layout);
  const [height, width] = tile === undefined ? [1, memref.at(-1) ?? 1] : [tile.height, tile.width];
  const stored = storedUnits(shape, layout.linear, layout.memref, [height, width]);
  const perShard = tile === undefined ? memref.slice(0, -1) : memref;
  checkCount(volume(grid) * volume(perShard));
  const shards = Array.from({ length: volume(grid) }, (_, number) => delinearize(number, grid));
  const nodes = shards.map(shardNames(layout, devices));
  const scale = (dim: number): number =>
    dim < memref.length - 2 ? 1 : dim === memref.length - 1 ? width : height;
  const units = shards.flatMap((at, node) =>
    Array.from({ length: volume(perShard) }, (_, number) => number).flatMap(
      (number): readonly LayoutUnit[] => {
        const index = delinearize(number, perShard);
        const memrefIndex = tile === undefined ? [...index, 0] : index;
        const offset = memrefIndex.map((position, dim) => position * (tile === undefined ? 1 : scale(dim)));
        const left = offset.map((position, dim) => (shard[dim] ?? 1) - position);
        if (left.some((extent) => extent <= 0)) return [];
        const size = tile === undefined ? elementBytes(dataType) : stored.unitBytes;
        return [{
          start: offset.map((position, dim) => (at[dim] ?? 0) * (shard[dim] ?? 1) + position),
          rows: Math.min(height, left.at(-2) ?? 1),
          columns: Math.min(width, left.at(-1) ?? 1),
          node,
          byte: linearize(memrefIndex, memref) * size,
        }];
      },
    )
  );
  return { ...stored, nodes, units };
}

/** How units are stored: tiles, or rows of as many elements as they are wide. */
function storedUnits(
  shape: readonly number[],
  map: AffineMap,
  { tile, dataType }: Pick<TtnnLayout, "tile" | "dataType">,
  unitShape: readonly [rows: number, columns: number],
): Omit<LayoutUnits, "nodes" | "units"> {
  return {
    shape,
    sums: stridedSums(map, shape),
    unitShape,
    unitBytes: tile === undefined
      ? unitShape[1] * elementBytes(dataType)
      : tileBytes(dataType, tile.height, tile.width),
    elementBytes: isBlockFloat(dataType) ? null : elementBytes(dataType),
    isTiled: tile !== undefined,
  };
}
