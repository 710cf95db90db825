// SPDX-License-Identifier: Apache-2.0
import { splitTopLevel } from "../ir/balanced.ts";
import { formatAffineMap, ttnnLinearMap } from "../layout/affine/affine_map.ts";
import { mergeCoreRanges } from "../layout/core_range.ts";
import { elementTypeName } from "../layout/data_type.ts";
import { LayoutError } from "../layout/layout_error.ts";
import { canonicalCoreRanges, type WorkerGrid } from "../layout/make_layout.ts";
import { type BufferType, isSharded, type TtnnLayout } from "../layout/ttnn_layout.ts";
import { type AliasText, coreRangeSetText } from "./core_range_set.ts";
import { tileTypeText } from "./data_type.ts";
import { type LayoutGeneration, parseTtnnLayout, placeShards } from "./ttnn_layout.ts";

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

/** The parts of a style on which the printing of a grid depends. */
type GridStyle = Pick<LayoutStyle, "generation" | "workerGrid">;

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
  parts.push(...placeTexts(layout, style));
  return `#ttnn.ttnn_layout<${parts.join(", ")}>`;
}

/**
 * A layout attribute in another generation. Only the cores of its shards change; the map, the mesh and the memref stay as
 * they are written.
 *
 * @param text `#ttnn.ttnn_layout<…>`, no alias of one
 * @returns `undefined` when the text is no layout that we read
 * @throws {LayoutError} as {@linkcode ttnnLayoutText}
 * @throws {LayoutSyntaxError} when the attribute makes no sense
 */
export function respelledLayoutText(
  text: string,
  style: GridStyle,
  alias: AliasText,
): string | undefined {
  const attribute = parseTtnnLayout(text, alias);
  if (attribute === undefined) return undefined;
  const layout = placeShards(attribute.layout, style.workerGrid);
  const [map = "", , ...rest] = splitTopLevel(
    text.slice(text.indexOf("<", text.indexOf("ttnn_layout")) + 1, -1),
    ",",
  );
  const kept = rest.filter((part) => !/^(?:core_ranges|ignorePhysicalLayout|exactGrid)\s*=/.test(part));
  return `#ttnn.ttnn_layout<${
    [map, `<${gridText(layout, style)}>`, ...kept, ...placeTexts(layout, style)].join(", ")
  }>`;
}

/** The texts after the memory layout. */
function placeTexts(layout: TtnnLayout, { generation }: GridStyle): readonly string[] {
  if (generation !== "G4") return [];
  return [
    ...isSharded(layout) && layout.coreRanges.length > 0
      ? [`core_ranges = ${coreRangeSetText(layout.coreRanges)}`]
      : [],
    ...layout.ignorePhysicalLayout ? ["ignorePhysicalLayout = true"] : [],
  ];
}

function gridText(layout: TtnnLayout, style: GridStyle): string {
  const shape = layout.gridShape.join("x");
  const { generation, workerGrid } = style;
  if (generation === "G4") return shape;
  if (layout.bufferType !== "l1") {
    if (isSharded(layout)) throw unspeakable(layout, style);
    return shape;
  }
  const width = rowWidth(layout, style);
  if (generation === "G1") {
    // Readers of G1 put shards where the chip's own rows say.
    if (width !== workerGrid.columns) throw unspeakable(layout, style);
    return shape;
  }
  const [toPhysical, toVirtual] = gridMaps(layout, width);
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
function rowWidth(layout: TtnnLayout, style: GridStyle): number {
  const { workerGrid } = style;
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
  throw unspeakable(layout, style);
}

function unspeakable({ memoryLayout, bufferType }: TtnnLayout, { generation }: GridStyle): LayoutError {
  return new LayoutError(
    "grid/virtual-to-physical",
    `Cannot print a ${memoryLayout} layout in ${bufferType} in generation ${generation}: ` +
      "its cores do not fill the rows of workers in order, and only generation G4 can spell others",
  );
}
