// SPDX-License-Identifier: Apache-2.0
import { formatAffineMap } from "../affine/affine_map.ts";
import { parseAffineMap } from "../affine/affine_parser.ts";
import { elementTypeName, parseDataType } from "../data_type.ts";
import { LayoutError } from "../layout_error.ts";
import { MEMORY_SPACES, type MetalLayout, OOB_VALUES } from "./metal_layout.ts";

const LAYOUT = new RegExp(
  [
    /^#(?:ttcore|tt)\.metal_layout\s*<\s*(\([^]*?\)\s*->\s*\([^<]*\))\s*,\s*(\w+)\s*,/,
    /\s*<\s*((?:\d+(?:\s*x\s*\d+)*)?)\s*>\s*,\s*memref<\s*((?:\d+\s*x\s*)*)/,
    /(?:!(?:ttcore|tt)\.tile<\s*(\d+)\s*x\s*(\d+)\s*,\s*(\w+)\s*>|(\w+))\s*,/,
    /\s*#(?:ttcore|tt)\.memory_space<\s*(\w+)\s*>\s*>\s*>$/,
  ].map(({ source }) => source).join(""),
);

/** The attribute as MLIR prints it: `#ttcore.metal_layout<(d0, d1) -> (d0, d1), undef, <1x1>, memref<…>>`. */
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
 * @throws {LayoutError} `metal/syntax` or `affine/syntax`
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

function refuse(text: string, reason: string): never {
  throw new LayoutError("metal/syntax", `Cannot parse '${text.trim()}': ${reason}`);
}
