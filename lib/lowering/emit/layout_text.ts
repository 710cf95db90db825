// SPDX-License-Identifier: Apache-2.0
import { formatAffineMap, ttnnLinearMap } from "../../layout/affine_map.ts";
import type { DataType } from "../../layout/data_type.ts";
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
    formatAffineMap(ttnnLinearMap(shape, layout.tile)),
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
