// SPDX-License-Identifier: Apache-2.0
import { formatAffineMap, ttnnLinearMap } from "../layout/affine_map.ts";
import { mergeCoreRanges } from "../layout/core_range.ts";
import { elementTypeName } from "../layout/data_type.ts";
import { LayoutError } from "../layout/layout_error.ts";
import { canonicalCoreRanges, type WorkerGrid } from "../layout/make_layout.ts";
import { type BufferType, isSharded, type TtnnLayout } from "../layout/ttnn_layout.ts";
import { coreRangeSetText } from "./core_range_set.ts";
import { tileTypeText } from "./data_type.ts";
import type { LayoutGeneration } from "./ttnn_layout.ts";

/** How to print layouts into a given file. */
export interface LayoutStyle {
  readonly generation: LayoutGeneration;
  /** Worker cores: generations G2 and G3 spell the place of shards as a map whose divisor is the grid's width. */
  readonly workerGrid: WorkerGrid;
  /** Whether the affine map counts rows of whole tiles; false in the oldest text. Default true. */
  readonly paddedMaps?: boolean;
  /** Dialect of tile types; default `ttcore`. */
  readonly dialect?: "ttcore" | "tt";
  /** How a memory space is written inside the memref; default `#ttnn.buffer_type<…>`. */
  readonly bufferType?: (bufferType: BufferType) => string;
}

/**
 * The text of a layout attribute, `#ttnn.ttnn_layout<…>`.
 *
 * @param shape logical shape of the tensor, which determines the affine map
 * @param mesh text of the mesh that the tensor is spread over
 * @throws {LayoutError} when the generation cannot say where the shards are: before G4 shards fill rows of cores in order
 */
export function ttnnLayoutText(
  layout: TtnnLayout,
  shape: readonly number[],
  style: LayoutStyle,
  mesh?: string,
): string {
  const element = layout.tile === undefined
    ? elementTypeName(layout.dataType)
    : tileTypeText(layout.dataType, layout.tile, style.dialect);
  const space = style.bufferType?.(layout.bufferType) ?? `#ttnn.buffer_type<${layout.bufferType}>`;
  const parts = [
    formatAffineMap(ttnnLinearMap(shape, style.paddedMaps === false ? undefined : layout.tile)),
    `<${gridText(layout, style)}>`,
    ...(mesh === undefined ? [] : [`mesh = ${mesh}`]),
    `memref<${layout.shardShape.join("x")}x${element}, ${space}>`,
  ];
  if (layout.memoryLayout !== undefined) parts.push(`<${layout.memoryLayout}>`);
  if (style.generation === "G4") {
    if (isSharded(layout) && layout.coreRanges.length > 0) {
      parts.push(`core_ranges = ${coreRangeSetText(layout.coreRanges)}`);
    }
    if (layout.ignorePhysicalLayout) parts.push("ignorePhysicalLayout = true");
  }
  return `#ttnn.ttnn_layout<${parts.join(", ")}>`;
}

function gridText(layout: TtnnLayout, style: LayoutStyle): string {
  const shape = layout.gridShape.join("x");
  const { generation } = style;
  if (generation === "G1" || generation === "G4" || layout.bufferType !== "l1") return shape;
  const [toPhysical, toVirtual] = gridMaps(layout, rowWidth(layout, style));
  return generation === "G2"
    ? `${shape}, ${toPhysical}`
    : `${shape}, virt_to_physical_map = ${toPhysical}, physical_to_virt_map = ${toVirtual}`;
}

/**
 * The maps between the logical grid and (device, y, x) of tt-mlir's `createSingleDeviceVirtualToPhysicalAffineMap(s)`:
 * height and width shards fill worker rows of the given width, everything else is placed as it is.
 */
function gridMaps(layout: TtnnLayout, width: number): readonly [string, string] {
  switch (layout.memoryLayout) {
    case "height_sharded":
      return [
        `(d0, d1) -> (0, d0 floordiv ${width}, d0 mod ${width})`,
        `(d0, d1, d2) -> (d1 * ${width} + d2, 0)`,
      ];
    case "width_sharded":
      return [
        `(d0, d1) -> (0, d1 floordiv ${width}, d1 mod ${width})`,
        `(d0, d1, d2) -> (0, d1 * ${width} + d2)`,
      ];
    default:
      return ["(d0, d1) -> (0, d0, d1)", "(d0, d1, d2) -> (d1, d2)"];
  }
}

/**
 * Width of the worker rows that shards fill: the chip's, or that of the rows that a tensor of another chip fills, which
 * ops that keep its cores hand on.
 */
function rowWidth(layout: TtnnLayout, { generation, workerGrid }: LayoutStyle): number {
  const { memoryLayout, bufferType, gridShape, coreRanges } = layout;
  if (!isSharded(layout) || memoryLayout === undefined) return workerGrid.columns;
  const placed = coreRangeSetText(mergeCoreRanges(coreRanges));
  const [first] = mergeCoreRanges(coreRanges);
  const own = first === undefined ? workerGrid.columns : first.end.x - first.start.x + 1;
  for (const columns of [workerGrid.columns, own]) {
    const canonical = canonicalCoreRanges(
      bufferType,
      memoryLayout,
      gridShape,
      { ...workerGrid, columns },
      undefined,
    );
    if (coreRangeSetText(mergeCoreRanges(canonical)) === placed) return columns;
  }
  throw new LayoutError(
    "grid/virtual-to-physical",
    `Cannot print a ${memoryLayout} layout of generation ${generation}: its cores do not fill rows in order, ` +
      "and only generation G4 can spell others",
  );
}
