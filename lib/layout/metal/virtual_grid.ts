// SPDX-License-Identifier: Apache-2.0
import {
  affineAdd,
  affineBinary,
  affineConstant,
  affineDim,
  type AffineExpression,
  affineMul,
} from "../affine/affine_expression.ts";
import { type AffineMap, evaluateAffineMap } from "../affine/affine_map.ts";
import { volume } from "../extents.ts";
import { checkGrid, formatExtents, LayoutError } from "../layout_error.ts";
import { gridCores, type WorkerGrid } from "../make_layout.ts";
import type { MetalLayout } from "./metal_layout.ts";

/** Devices that a virtual grid may be put on. */
export interface GridDevices {
  /** Worker cores of every device. */
  readonly workerGrid: WorkerGrid;
  /** Number of devices that the outermost grid dimensions divide the tensor among, default 1. */
  readonly devices?: number;
}

/**
 * The map from a virtual grid to `(device, y, x)`, as `ttcore.device` and the grids of TTNN layouts write it.
 *
 * The outermost dimensions whose product is the number of devices choose the device. Of the rest, a line (`1xN`, `Nx1`)
 * walks over the rows of the worker grid, like TTNN's width and height sharding; other grids keep the last dimension as
 * the column and fold the others into rows, as long as that fits; grids that do not fit walk over the worker grid row
 * by row and must fill whole rows of it.
 *
 * @throws {LayoutError} `grid/virtual-to-physical` when there is no such map
 */
export function virtualGridMap(grid: readonly number[], { workerGrid, devices = 1 }: GridDevices): AffineMap {
  checkGrid(grid);
  const refuse = (reason: string): never => {
    throw new LayoutError(
      "grid/virtual-to-physical",
      `Cannot map the grid ${formatExtents(grid)} to ` +
        `${
          devices === 1 ? "one device" : `${devices} devices`
        } of ${workerGrid.rows}x${workerGrid.columns} ` +
        `cores: ${reason}`,
    );
  };
  const outer = deviceDimensions(grid, devices);
  const device = linearIndex(grid, 0, outer);
  const inner = grid.slice(outer);
  const columns = inner.at(-1) ?? 1;
  const rows = volume(inner.slice(0, -1));
  const shards = rows * columns;
  const cores = gridCores(workerGrid);
  const isLine = shards > 1 && (rows === 1 || columns === 1);
  const result = (y: AffineExpression, x: AffineExpression): AffineMap => ({
    dimCount: grid.length,
    symbolCount: 0,
    results: [device, y, x],
  });
  if (!isLine && rows <= workerGrid.rows && columns <= workerGrid.columns) {
    if (inner.length === 0) return result(affineConstant(0), affineConstant(0));
    return result(linearIndex(grid, outer, grid.length - 1), affineDim(grid.length - 1));
  }
  if (shards > cores) refuse(`${shards} shards per device are more than its ${cores} cores`);
  if (!isLine && shards % workerGrid.columns !== 0) {
    refuse(`${shards} shards per device do not fill whole rows of ${workerGrid.columns} cores`);
  }
  const core = linearIndex(grid, outer, grid.length);
  const width = affineConstant(workerGrid.columns);
  return result(affineBinary("floordiv", core, width), affineBinary("mod", core, width));
}

/** Names of the shards of a layout by their coordinates: `(x,y)` of the core, outside of L1 the coordinates themselves. */
export function shardNames(
  { grid, memref }: MetalLayout,
  devices: GridDevices,
): (coordinate: readonly number[]) => string {
  if (memref.memorySpace !== "l1") return (coordinate) => `[${coordinate.join(",")}]`;
  const coreMap = virtualGridMap(grid, devices);
  return (coordinate) => {
    const [device = 0, y = 0, x = 0] = evaluateAffineMap(coreMap, coordinate);
    return (devices.devices ?? 1) === 1 ? `(${x},${y})` : `${device}:(${x},${y})`;
  };
}

/**
 * Number of outermost grid dimensions that choose the device: those whose product is the number of devices.
 *
 * @throws {LayoutError} `grid/virtual-to-physical` when there are none
 */
export function deviceDimensions(grid: readonly number[], devices: number): number {
  let outer = 0;
  let product = 1;
  while (product < devices && outer < grid.length) product *= grid[outer++] ?? 1;
  if (product === devices) return outer;
  throw new LayoutError(
    "grid/virtual-to-physical",
    `Cannot map the grid ${
      formatExtents(grid)
    } to ${devices} devices: its outermost dimensions do not multiply ` +
      `to ${devices}`,
  );
}

/** Row-major number of the grid dimensions `[start, end)`; dimensions of extent 1 are left out. */
function linearIndex(grid: readonly number[], start: number, end: number): AffineExpression {
  let index: AffineExpression | undefined;
  for (let dim = start; dim < end; dim++) {
    const extent = grid[dim] ?? 1;
    // A grid of ones keeps its last dimension, as MLIR prints it: <1x1, (d0, d1) -> (0, d0, d1)>.
    if (extent === 1 && !(end - start === 1)) continue;
    index = index === undefined
      ? affineDim(dim)
      : affineAdd(affineMul(index, affineConstant(extent)), affineDim(dim));
  }
  return index ?? affineConstant(0);
}
