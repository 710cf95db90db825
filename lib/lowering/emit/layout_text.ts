// SPDX-License-Identifier: Apache-2.0
import type { DataType } from "../../layout/data_type.ts";
import { roundUp } from "../../layout/make_layout.ts";
import { isSharded, type TtnnLayout } from "../../layout/ttnn_layout.ts";

/** How a data type is spelled as the element of a tensor or of a row-major memref. */
export function scalarElementText(dataType: DataType): string {
  if (dataType === "u32" || dataType === "u16" || dataType === "u8") return `ui${dataType.slice(1)}`;
  return dataType;
}

/** How a data type is spelled as the element of a tensor: block-float formats only exist as tiles. */
export function tensorElementText(dataType: DataType): string {
  return dataType.startsWith("bfp_") ? `!ttcore.tile<32x32, ${dataType}>` : scalarElementText(dataType);
}

/**
 * The body of `#ttnn.ttnn_layout<…>` in the newest generation.
 *
 * @param layout layout of the tensor
 * @param shape logical shape of the tensor, which determines the affine map
 * @param alias names a buffer type as it appears in the text, for example `#dram`
 */
export function layoutText(
  layout: TtnnLayout,
  shape: readonly number[],
  alias: (bufferType: string) => string,
): string {
  const element = layout.tile === undefined
    ? scalarElementText(layout.dataType)
    : `!ttcore.tile<${layout.tile.height}x${layout.tile.width}, ${layout.dataType}>`;
  const parts = [
    collapseMapText(shape, layout),
    `<${layout.gridShape.join("x")}>`,
    `memref<${layout.shardShape.join("x")}x${element}, ${alias(layout.bufferType)}>`,
  ];
  if (layout.memoryLayout !== undefined) parts.push(`<${layout.memoryLayout}>`);
  if (isSharded(layout) && layout.coreRanges.length > 0) {
    const ranges = layout.coreRanges.map(({ start, end }) =>
      `#ttnn.core_range<(${start.x},${start.y}), (${end.x},${end.y})>`
    );
    parts.push(`core_ranges = <[${ranges.join(", ")}]>`);
  }
  if (layout.ignorePhysicalLayout) parts.push("ignorePhysicalLayout = true");
  return `#ttnn.ttnn_layout<${parts.join(", ")}>`;
}

/**
 * The affine map that collapses all dimensions but the last: coefficients are the suffix products of the physical
 * shape, which is the logical one with the last two dimensions rounded up to tiles (tt-mlir
 * `TTNNLayoutAttr::Builder`).
 */
export function collapseMapText(shape: readonly number[], layout: Pick<TtnnLayout, "tile">): string {
  const rank = shape.length;
  if (rank === 0) return "() -> (0, 0)";
  const dims = shape.map((_, index) => `d${index}`);
  if (rank === 1) return "(d0) -> (0, d0)";
  const { tile } = layout;
  const physical = shape.map((extent, index) =>
    tile === undefined || index < rank - 2
      ? extent
      : roundUp(extent, index === rank - 1 ? tile.width : tile.height)
  );
  const terms: string[] = [];
  for (let index = 0; index < rank - 1; index++) {
    const coefficient = physical.slice(index + 1, rank - 1).reduce((product, extent) => product * extent, 1);
    terms.push(coefficient === 1 ? `d${index}` : `d${index} * ${coefficient}`);
  }
  return `(${dims.join(", ")}) -> (${terms.join(" + ")}, d${rank - 1})`;
}
