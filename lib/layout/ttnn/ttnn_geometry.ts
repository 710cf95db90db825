// SPDX-License-Identifier: Apache-2.0
import { checkShape, formatExtents, LayoutError } from "../layout_error.ts";
import { physicalExtent, roundUp } from "../make_layout.ts";
import { isSharded, type TileShape, type TtnnLayout } from "../ttnn_layout.ts";

/** The terms in which TTNN describes a tensor layout (tt-mlir:tensor-layout-document, "Terms"). */
export interface TtnnGeometry {
  /** Logical shape. */
  readonly shape: readonly number[];
  /** Elements between neighbours per dimension; over the tile-padded tensor when tiled. `[]` for scalars. */
  readonly stride: readonly number[];
  /** The two-dimensional region that one core holds, in elements, as asked for: not always whole tiles. */
  readonly shardShape: readonly [number, number];
  /** `shardShape` padded out to whole tiles. */
  readonly physicalShardShape: readonly [number, number];
  /** `undefined` when row-major. */
  readonly tileShape: TileShape | undefined;
  /** Shards per column and per row of the collapsed tensor. */
  readonly gridShape: readonly [number, number];
}

/**
 * Strides of a tensor in elements, like PyTorch's; of the tensor padded to whole tiles in its last two dimensions when
 * tiled, because memory contains whole tiles.
 */
export function tensorStride(shape: readonly number[], tile: TileShape | undefined): number[] {
  const padded = shape.map((extent, dim) =>
    tile === undefined
      ? extent
      : dim === shape.length - 1
      ? roundUp(extent, tile.width)
      : dim === shape.length - 2
      ? roundUp(extent, tile.height)
      : extent
  );
  const stride = new Array<number>(shape.length).fill(1);
  for (let dim = shape.length - 2; dim >= 0; dim--) {
    stride[dim] = (stride[dim + 1] ?? 1) * (padded[dim + 1] ?? 1);
  }
  return stride;
}

/** A shard shape padded out to whole tiles; unchanged when row-major. */
export function physicalShardShape(
  shardShape: readonly [number, number],
  tile: TileShape | undefined,
): [number, number] {
  const [rows, columns] = shardShape;
  return tile === undefined ? [rows, columns] : [roundUp(rows, tile.height), roundUp(columns, tile.width)];
}

/**
 * Shards needed to cover a tensor: the collapsed rows, `shape[0] × stride[0] / stride[-2]`, over the shard height and
 * the width, `stride[-2]`, over the shard width, both rounded up.
 *
 * The document prints the formula without `shape[0]` and with the shard height under both; its text (dimensions
 * [0, N−1) are collapsed into rows, the inner dimension is the width) is what is computed here.
 *
 * @param shardShape elements per shard `[rows, columns]`
 * @throws {LayoutError} if an extent of shape or shard is not a positive integer
 */
export function shardGridShape(
  shape: readonly number[],
  shardShape: readonly [number, number],
  tile: TileShape | undefined,
): [number, number] {
  checkShape(shape);
  if (shardShape.some((extent) => !Number.isSafeInteger(extent) || extent <= 0)) {
    throw new LayoutError(
      "shape/positive-dimensions",
      `Cannot cut a tensor into ${formatExtents(shardShape)} shards: both extents must be positive integers`,
    );
  }
  const [rows, columns] = physicalExtent(shape, tile);
  return [Math.ceil(rows / shardShape[0]), Math.ceil(columns / shardShape[1])];
}

/**
 * The terms of a layout. The shard shape is the even division of the tensor by the grid; interleaved tensors are one
 * shard.
 *
 * @throws {LayoutError} `grid/rank` for `nd_sharded` layouts of more than two dimensions, which these terms cannot say
 */
export function ttnnGeometry(shape: readonly number[], layout: TtnnLayout): TtnnGeometry {
  checkShape(shape);
  const { tile } = layout;
  const [rows, columns] = physicalExtent(shape, tile);
  const [gridRows = 1, gridColumns = 1] = isSharded(layout) ? layout.gridShape : [1, 1];
  if (layout.gridShape.length !== 2) {
    throw new LayoutError(
      "grid/rank",
      `Cannot describe a ${formatExtents(layout.gridShape)} grid: shards of TTNN's terms are two-dimensional`,
    );
  }
  const shardShape: [number, number] = [Math.ceil(rows / gridRows), Math.ceil(columns / gridColumns)];
  const physical = physicalShardShape(shardShape, tile);
  return {
    shape,
    stride: tensorStride(shape, tile),
    shardShape,
    physicalShardShape: physical,
    tileShape: tile,
    gridShape: shardGridShape(shape, physical, tile),
  };
}
