// SPDX-License-Identifier: Apache-2.0
import {
  affineAdd,
  affineConstant,
  affineDim,
  type AffineExpression,
  affineMul,
  evaluateAffineExpression,
  formatAffineExpression,
} from "./affine_expression.ts";
import { LayoutError } from "../layout_error.ts";
import { roundUp } from "../make_layout.ts";
import type { TileShape } from "../ttnn_layout.ts";

/** An MLIR affine map: `(d0, d1)[s0] -> (d0 * s0 + d1)`. */
export interface AffineMap {
  /** Number of dims. */
  readonly dimCount: number;
  /** Number of symbols. */
  readonly symbolCount: number;
  /** Expressions of the results, over dims and symbols. */
  readonly results: readonly AffineExpression[];
}

/**
 * Values of the results.
 *
 * @throws {LayoutError} `affine/rank` when there are not as many values as dims and symbols
 */
export function evaluateAffineMap(
  map: AffineMap,
  dims: readonly number[],
  symbols: readonly number[] = [],
): number[] {
  if (dims.length !== map.dimCount || symbols.length !== map.symbolCount) {
    throw new LayoutError(
      "affine/rank",
      `Cannot evaluate ${
        formatAffineMap(map)
      }: it takes ${map.dimCount} dims and ${map.symbolCount} symbols, ` +
        `not ${dims.length} and ${symbols.length}`,
    );
  }
  return map.results.map((result) => evaluateAffineExpression(result, dims, symbols));
}

/** Whether MLIR prints two maps alike. */
export function affineMapsEqual(a: AffineMap, b: AffineMap): boolean {
  return formatAffineMap(a) === formatAffineMap(b);
}

/** The text that MLIR prints, without `affine_map<…>` around it. */
export function formatAffineMap(map: AffineMap): string {
  const dims = Array.from({ length: map.dimCount }, (_, dim) => `d${dim}`).join(", ");
  const symbols = map.symbolCount === 0
    ? ""
    : `[${Array.from({ length: map.symbolCount }, (_, symbol) => `s${symbol}`).join(", ")}]`;
  return `(${dims})${symbols} -> (${map.results.map(formatAffineExpression).join(", ")})`;
}

/**
 * The map of a `ttnn_layout`: all dims but the last collapse into rows with the strides of the tensor padded to whole
 * tiles, the last dim is the column (tt-mlir:layout-attribute). `(d0) -> (0, d0)` for vectors, `() -> (0, 0)` for
 * scalars. Rows without elements have no strides: only the row itself counts.
 */
export function ttnnLinearMap(shape: readonly number[], tile: TileShape | undefined): AffineMap {
  const outer = shape.slice(0, -1);
  const height = outer.at(-1);
  const padded = height === undefined || tile === undefined
    ? outer
    : outer.with(-1, roundUp(height, tile.height));
  const column = shape.length === 0 ? affineConstant(0) : affineDim(shape.length - 1);
  if (shape.at(-1) === 0 && outer.length > 0) {
    return { dimCount: shape.length, symbolCount: 0, results: [affineDim(outer.length - 1), column] };
  }
  return { dimCount: shape.length, symbolCount: 0, results: [rowMajorSum(0, padded), column] };
}

/** The row-major index of the dims `first`, `first + 1`, …: Σ dim × product of the later extents. */
export function rowMajorSum(first: number, extents: readonly number[]): AffineExpression {
  let stride = 1;
  const terms: AffineExpression[] = [];
  for (const [dim, extent] of [...extents.entries()].toReversed()) {
    terms.unshift(affineMul(affineDim(first + dim), affineConstant(stride)));
    stride *= extent;
  }
  return terms.reduce(affineAdd, affineConstant(0));
}
