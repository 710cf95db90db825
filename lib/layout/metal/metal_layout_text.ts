// SPDX-License-Identifier: Apache-2.0
import { formatAffineMap } from "../affine/affine_map.ts";
import { parseAffineMap } from "../affine/affine_parser.ts";
import { type DataType, elementTypeName, parseDataType } from "../data_type.ts";
import { LayoutError } from "../layout_error.ts";
import type { TileShape } from "../ttnn_layout.ts";
import {
  alignedCollapse,
  type CollapseInterval,
  MEMORY_SPACES,
  type MetalLayout,
  OOB_VALUES,
  verifyMetalLayout,
} from "./metal_layout.ts";

const LAYOUT = new RegExp(
  [
    /^#(?:ttcore|tt)\.metal_layout\s*<\s*(\([^]*?\)\s*->\s*\([^<]*\))\s*,\s*(\w+)\s*,/,
    /\s*<\s*((?:\d+(?:\s*x\s*\d+)*)?)\s*>\s*,\s*memref<\s*((?:\d+\s*x\s*)*)/,
    /(?:!(?:ttcore|tt)\.tile<\s*(\d+)\s*x\s*(\d+)\s*,\s*(\w+)\s*>|(\w+))\s*,/,
    /\s*#(?:ttcore|tt)\.memory_space<\s*(\w+)\s*>\s*>\s*>$/,
  ].map(({ source }) => source).join(""),
);

/**
 * The attribute as MLIR prints it: `#ttcore.metal_layout<(d0, d1) -> (d0, d1), undef, <1x1>, memref<…>>`. It has no
 * place for `alignedShape`.
 */
export function formatMetalLayout(layout: MetalLayout): string {
  const { dataType, tile, memorySpace } = layout.memref;
  const element = tile === undefined
    ? elementTypeName(dataType)
    : `!ttcore.tile<${tile.height}x${tile.width}, ${dataType}>`;
  const shape = layout.memref.shape.map((extent) => `${extent}x`).join("");
  return `#ttcore.metal_layout<${formatAffineMap(layout.linear)}, ${layout.oobValue}, ` +
    `<${layout.grid.join("x")}>, memref<${shape}${element}, #ttcore.memory_space<${memorySpace}>>>`;
}

/**
 * Parses a `#ttcore.metal_layout<…>`; white space is free.
 *
 * @example
 * ```ts
 * import { formatMetalLayout, parseMetalLayout } from "@tilewright/tilewright/metal";
 * import { assertEquals } from "@std/assert";
 *
 * const text = "#ttcore.metal_layout<(d0, d1) -> (d0, d1), undef, <8x1>, " +
 *   "memref<1x2x!ttcore.tile<32x32, bf16>, #ttcore.memory_space<l1>>>";
 * assertEquals(formatMetalLayout(parseMetalLayout(text)), text);
 * ```
 *
 * @throws {LayoutError} `metal/syntax`, `affine/syntax` or `affine/undefined`
 */
export function parseMetalLayout(text: string): MetalLayout {
  const match = LAYOUT.exec(text.trim());
  if (match === null) {
    return refuse(
      text,
      "expected #ttcore.metal_layout<map, oob_val, <grid>, memref<shape x type, memory_space>>",
    );
  }
  const [, map = "", oob = "", grid = "", memref = "", height, width, tileType, scalarType, space] = match;
  const oobValue = OOB_VALUES.find((value) => value === oob);
  if (oobValue === undefined) return refuse(text, `'${oob}' is none of ${OOB_VALUES.join(", ")}`);
  const memorySpace = MEMORY_SPACES.find((value) => value === space);
  if (memorySpace === undefined) return refuse(text, `'${space}' is none of ${MEMORY_SPACES.join(", ")}`);
  const dataType = parseDataType(tileType ?? scalarType ?? "");
  if (dataType === undefined) {
    return refuse(text, `'${tileType ?? scalarType}' is not an element type of the device`);
  }
  const extents = (list: string) => list.split("x").filter((extent) => extent.trim() !== "").map(Number);
  return {
    linear: parseAffineMap(map),
    oobValue,
    grid: extents(grid),
    memref: {
      shape: extents(memref),
      dataType,
      tile: height === undefined ? undefined : { height: Number(height), width: Number(width) },
      memorySpace,
    },
  };
}

/** The facts in a tensor's type besides its `metal_layout`. */
export interface DeviceTensorType {
  /** Extents of the grid, then of the shard: in tiles if the element type is a tile, otherwise in elements. */
  readonly shape: readonly number[];
  /** Format of the elements. */
  readonly dataType: DataType;
  /** `undefined` when the element type is a scalar. */
  readonly tile: TileShape | undefined;
}

/** A tensor whose `metal_layout` contains the logical shape. */
export interface LogicalMetalLayout {
  /** Logical tensor shape. */
  readonly shape: readonly number[];
  /** Its layout. */
  readonly layout: MetalLayout;
  /** Number of results `N` of `index_map = map(N)`, which omits the map itself; 0 without one. */
  readonly indexMapResults: number;
}

const ALIGNED = new RegExp(
  [
    /^#(?:ttcore|tt)\.metal_layout\s*<\s*logical_shape\s*=\s*(\d+(?:x\d+)*)\s*,/,
    /\s*dim_alignments\s*=\s*(\d+(?:x\d+)*)\s*,/,
    /\s*collapsed_intervals\s*=\s*dense<\s*([^>]*?)\s*>\s*:\s*tensor<(\d+)x2xi64>\s*,([^]*)>$/,
  ].map(({ source }) => source).join(""),
);

/** Whether the text is a `metal_layout` with `logical_shape`, the form of {@linkcode parseLogicalMetalLayout}. */
export function saysLogicalShape(text: string): boolean {
  return /^#(?:ttcore|tt)\.metal_layout\s*<\s*logical_shape\b/.test(text.trim());
}

/**
 * Parses the later spelling of the attribute, `#ttcore.metal_layout<logical_shape = 32x32, dim_alignments = 32x32,
 * collapsed_intervals = …, undef, l1, sharded>`: grid and shard are in the type of the tensor. A missing fill value
 * means `undef`; a missing memory layout means `sharded`, with or without its comma (tt-mlir:metal-layout-attribute).
 *
 * @throws {LayoutError} `metal/syntax`, `conversion/unsupported` for interleaved pages, `memref/shape` if the extents
 * of the type are not grid and shard of the layout, else as {@linkcode alignedCollapse} and
 * {@linkcode verifyMetalLayout}
 */
export function parseLogicalMetalLayout(text: string, tensor: DeviceTensorType): LogicalMetalLayout {
  const match = ALIGNED.exec(text.trim());
  if (match === null) {
    return refuse(
      text,
      "expected #ttcore.metal_layout<logical_shape = …, dim_alignments = …, collapsed_intervals = dense<…> : " +
        "tensor<Nx2xi64>, oob_val, memory_space, memory_layout>",
    );
  }
  const [, logical = "", alignments = "", dense = "", count = "", rest = ""] = match;
  const intervals = intervalsOf(text, dense, Number(count));
  const [, placement = "", index] = /^([^=]*?)(?:,\s*index_map\s*=\s*([^]*))?$/.exec(rest) ?? [];
  const words = placement.split(",").map((word) => word.trim()).filter((word) => word !== "");
  const named = OOB_VALUES.find((value) => value === words[0]);
  const [space, memoryLayout = "sharded", ...surplus] = named === undefined ? words : words.slice(1);
  const memorySpace = MEMORY_SPACES.find((value) => value === space);
  if (memorySpace === undefined) return refuse(text, `'${space}' is none of ${MEMORY_SPACES.join(", ")}`);
  const results = index === undefined ? "0" : /^map\((\d+)\)$/.exec(index.trim())?.[1];
  if (results === undefined) return refuse(text, `'${index}' is no index map; write map(N), or leave it out`);
  if (surplus.length > 0) return refuse(text, `'${surplus.join(", ")}' is too much`);
  if (memoryLayout === "interleaved") {
    throw new LayoutError(
      "conversion/unsupported",
      `Cannot place the elements of '${text.trim()}': its pages go over all banks; ask for the tensor's type alone ` +
        "with --sharding interleaved",
    );
  }
  if (memoryLayout !== "sharded") return refuse(text, `'${memoryLayout}' is none of sharded, interleaved`);
  const shape = logical.split("x").map(Number);
  const collapsed = alignedCollapse(shape, intervals, alignments.split("x").map(Number));
  const rank = collapsed.alignedShape.length;
  if (tensor.shape.length !== 2 * rank) {
    throw new LayoutError(
      "memref/shape",
      `Cannot divide a tensor of ${tensor.shape.length} dims into grid and shard: its layout has ${rank} physical ` +
        `dims, the type needs ${2 * rank}`,
    );
  }
  const layout: MetalLayout = {
    ...collapsed,
    oobValue: named ?? "undef",
    grid: tensor.shape.slice(0, rank),
    memref: { shape: tensor.shape.slice(rank), dataType: tensor.dataType, tile: tensor.tile, memorySpace },
  };
  verifyMetalLayout(shape, layout);
  return { shape, layout, indexMapResults: Number(results) };
}

/** The pairs of `dense<[[0, 1], [1, 2]]>`; a single number is repeated for all of them. */
function intervalsOf(text: string, dense: string, count: number): CollapseInterval[] {
  const numbers = [...dense.matchAll(/-?\d+/g)].map(([number]) => Number(number));
  const splat = numbers.length === 1 && !dense.includes("[") ? numbers[0] : undefined;
  if (splat === undefined && numbers.length !== 2 * count) {
    return refuse(text, `collapsed_intervals holds ${numbers.length} numbers, its type says ${2 * count}`);
  }
  return Array.from(
    { length: count },
    (_, pair) => [splat ?? numbers[2 * pair] ?? 0, splat ?? numbers[2 * pair + 1] ?? 0],
  );
}

function refuse(text: string, reason: string): never {
  throw new LayoutError("metal/syntax", `Cannot parse '${text.trim()}': ${reason}`);
}
