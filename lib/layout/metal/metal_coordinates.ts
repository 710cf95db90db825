// SPDX-License-Identifier: Apache-2.0
import { evaluateAffineMap } from "../affine/affine_map.ts";
import type { CoreCoord } from "../core_range.ts";
import { elementBytes, isBlockFloat, tileBytes } from "../data_type.ts";
import { decodePosition, stridedSums } from "../affine/linear_map.ts";
import {
  type MetalLayout,
  metalShardShape,
  type OobValue,
  paddedShardShape,
  verifyMetalLayout,
} from "./metal_layout.ts";
import { type FacePosition, facePosition } from "../tile_shape.ts";
import { checkIndex, linearize } from "../ttnn/ttnn_coordinates.ts";
import { deviceDimensions, type GridDevices, virtualGridMap } from "./virtual_grid.ts";

/** A physical element: a core of the virtual grid and a place in its shard. */
export interface ShardPlace {
  /** Coordinate in the virtual grid. */
  readonly grid: readonly number[];
  /** Elements from the start of the shard, per physical dim. */
  readonly offset: readonly number[];
}

/** Where one element of a tensor is. */
export interface MetalElementPlace extends ShardPlace {
  /** Value of the `linear` map: the coordinate in the collapsed tensor. */
  readonly physical: readonly number[];
  /** Device that the outermost grid dimensions choose. */
  readonly device: number;
  /** `undefined` outside of L1: other memories have no cores. */
  readonly core: CoreCoord | undefined;
  /** Coordinate in the memref: a tile when tiled, else the element itself. */
  readonly memrefIndex: readonly number[];
  /** Face and place in the tile; `undefined` when the layout is scalar. */
  readonly face: FacePosition | undefined;
  /** Bytes from the start of the shard; `undefined` for block-float, whose elements have no address of their own. */
  readonly byteOffset: number | undefined;
}

/** Contents of a physical element. */
export type ShardContent =
  | { readonly kind: "element"; readonly index: readonly number[] }
  | { readonly kind: "padding"; readonly value: OobValue };

/** Maps elements of one tensor in one layout to places and back. */
export interface MetalCoordinates {
  /** Elements of a shard per physical dim, tiles padded out: the bounds of {@linkcode ShardPlace.offset}. */
  readonly shardShape: readonly number[];

  /**
   * Place of a logical element.
   *
   * @throws {LayoutError} `index/out-of-bounds` or `shape/rank`
   */
  locate(index: readonly number[]): MetalElementPlace;

  /**
   * The content of a physical element: a logical element, or padding with its value.
   *
   * @throws {LayoutError} `index/out-of-bounds` when the place is outside of grid or shard
   */
  contentAt(place: ShardPlace): ShardContent;
}

/**
 * Coordinates of a tensor in a layout.
 *
 * @example
 * ```ts
 * import { makeMetalLayout, metalCoordinates } from "@tilewright/tilewright/metal";
 * import { assertEquals } from "@std/assert";
 *
 * const tile = { height: 32, width: 32 };
 * const layout = makeMetalLayout({ shape: [256, 64], dataType: "bf16", grid: [8, 1], tile });
 * const place = metalCoordinates([256, 64], layout, { workerGrid: { rows: 8, columns: 8 } }).locate([33, 40]);
 * assertEquals([place.grid, place.offset, place.memrefIndex], [[1, 0], [1, 40], [0, 1]]);
 * ```
 *
 * @param devices where the virtual grid is put; see {@linkcode virtualGridMap}
 * @throws {LayoutError} if the layout does not belong to the tensor or its grid does not fit the devices
 */
export function metalCoordinates(
  shape: readonly number[],
  layout: MetalLayout,
  devices: GridDevices,
): MetalCoordinates {
  verifyMetalLayout(shape, layout);
  const sums = stridedSums(layout.linear, shape);
  const shard = metalShardShape(shape, layout);
  const padded = paddedShardShape(layout.memref);
  const onCores = layout.memref.memorySpace === "l1";
  const coreMap = onCores ? virtualGridMap(layout.grid, devices) : undefined;
  const outer = deviceDimensions(layout.grid, devices.devices ?? 1);

  return {
    shardShape: padded,

    locate(index: readonly number[]): MetalElementPlace {
      checkIndex(shape, index);
      const physical = evaluateAffineMap(layout.linear, index);
      const grid = physical.map((position, dim) => Math.floor(position / (shard[dim] ?? 1)));
      const offset = physical.map((position, dim) => position % (shard[dim] ?? 1));
      const device = linearize(grid.slice(0, outer), layout.grid.slice(0, outer));
      const [, y = 0, x = 0] = coreMap === undefined ? [] : evaluateAffineMap(coreMap, grid);
      const core = coreMap === undefined ? undefined : { x, y };
      return { grid, offset, physical, device, core, ...placeInMemref(layout.memref, offset) };
    },

    contentAt({ grid, offset }: ShardPlace): ShardContent {
      checkIndex(layout.grid, grid);
      checkIndex(padded, offset);
      const padding: ShardContent = { kind: "padding", value: layout.oobValue };
      const values = new Map<number, number>();
      for (const [dim, sum] of sums.entries()) {
        const inShard = offset[dim] ?? 0;
        if (inShard >= (shard[dim] ?? 1)) return padding;
        const decoded = decodePosition(sum, (grid[dim] ?? 0) * (shard[dim] ?? 1) + inShard);
        if (decoded === undefined) return padding;
        for (const [logical, value] of decoded) {
          // A dim in several results must have the same value in all of them.
          if ((values.get(logical) ?? value) !== value) return padding;
          values.set(logical, value);
        }
      }
      return { kind: "element", index: shape.map((_, dim) => values.get(dim) ?? 0) };
    },
  };
}

/** Position of an element of a shard in the shard's memory. */
function placeInMemref(
  { shape, tile, dataType }: MetalLayout["memref"],
  offset: readonly number[],
): Pick<MetalElementPlace, "memrefIndex" | "face" | "byteOffset"> {
  if (tile === undefined) {
    return {
      memrefIndex: offset,
      face: undefined,
      byteOffset: linearize(offset, shape) * elementBytes(dataType),
    };
  }
  const row = offset.at(-2) ?? 0;
  const column = offset.at(-1) ?? 0;
  const memrefIndex = [
    ...offset.slice(0, -2),
    Math.floor(row / tile.height),
    Math.floor(column / tile.width),
  ];
  const face = facePosition(tile, row % tile.height, column % tile.width);
  const tileStart = linearize(memrefIndex, shape) * tileBytes(dataType, tile.height, tile.width);
  return {
    memrefIndex,
    face,
    byteOffset: isBlockFloat(dataType) ? undefined : tileStart + face.element * elementBytes(dataType),
  };
}
