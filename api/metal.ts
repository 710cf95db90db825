// SPDX-License-Identifier: Apache-2.0

/**
 * TTMetal layouts: make, read and check one, where its elements lie, and which TTNN layout it is.
 *
 * @module
 */

export * from "../lib/layout/metal/metal_layout.ts";
export * from "../lib/layout/metal/metal_layout_text.ts";
export * from "../lib/layout/metal/metal_conversion.ts";
export * from "../lib/layout/metal/metal_coordinates.ts";
export * from "../lib/layout/metal/metal_padding.ts";
export * from "../lib/layout/metal/virtual_grid.ts";
export * from "../lib/layout/affine/affine_expression.ts";
export * from "../lib/layout/affine/affine_map.ts";
export { parseAffineMap } from "../lib/layout/affine/affine_parser.ts";
