// SPDX-License-Identifier: Apache-2.0
import { affineMapsEqual } from "../affine/affine_map.ts";
import { sameExtents } from "../extents.ts";
import type { MetalLayout } from "../metal/metal_layout.ts";

/** Structural equality. */
export function metalLayoutsEqual(a: MetalLayout, b: MetalLayout): boolean {
  return affineMapsEqual(a.linear, b.linear) && a.oobValue === b.oobValue &&
    sameExtents(a.grid, b.grid) && sameExtents(a.memref.shape, b.memref.shape) &&
    a.memref.dataType === b.memref.dataType && a.memref.memorySpace === b.memref.memorySpace &&
    a.memref.tile?.height === b.memref.tile?.height && a.memref.tile?.width === b.memref.tile?.width;
}
