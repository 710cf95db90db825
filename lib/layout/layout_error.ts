// SPDX-License-Identifier: Apache-2.0

/** Stable names of the rules that a layout can break. */
export type LayoutRule =
  | "shape/rank"
  | "shape/extents"
  | "shape/positive-dimensions"
  | "tile/supported-shape"
  | "tile/block-float-needs-tiles"
  | "grid/required"
  | "grid/rank"
  | "grid/positive-dimensions"
  | "grid/one-by-one"
  | "grid/line"
  | "grid/exceeds-worker-grid"
  | "grid/exceeds-dram-banks"
  | "grid/virtual-to-physical"
  | "memory-layout/on-system-memory"
  | "memory-layout/required"
  | "memory-layout/dram-block-sharded"
  | "core-ranges/required"
  | "core-ranges/unexpected"
  | "core-ranges/corners"
  | "core-ranges/overlap"
  | "core-ranges/outside-worker-grid"
  | "core-ranges/shard-count"
  | "core-ranges/rectangle"
  | "shard/covers-tensor"
  | "affine/syntax"
  | "affine/rank"
  | "affine/undefined"
  | "linear/strided-sum"
  | "linear/overlap"
  | "linear/rank"
  | "collapse/interval"
  | "shape/aligned"
  | "memref/shape"
  | "metal/syntax"
  | "index/out-of-bounds"
  | "conversion/unsupported";

/** Thrown when a layout cannot exist or cannot be placed. `rule` names the broken rule. */
export class LayoutError extends RangeError {
  /** Name of the class. */
  override readonly name = "LayoutError";
  /** Stable name of the broken rule. */
  readonly rule: LayoutRule;

  /**
   * Refuses a layout.
   *
   * @param rule stable name of the broken rule
   * @param message sentence in the form "Cannot <verb> …: reason"
   */
  constructor(rule: LayoutRule, message: string) {
    super(message);
    this.rule = rule;
  }
}

/**
 * Refuses shapes that no tensor has; one of an extent of 0 has no elements.
 *
 * @throws {LayoutError} `shape/extents` when an extent is not an integer of at least 0
 */
export function checkExtents(shape: readonly number[]): void {
  if (shape.every((extent) => Number.isSafeInteger(extent) && extent >= 0)) return;
  throw new LayoutError(
    "shape/extents",
    `Cannot lay out a tensor of shape ${formatExtents(shape)}: every extent must be an integer of at least 0`,
  );
}

/**
 * Refuses shapes without elements.
 *
 * @throws {LayoutError} `shape/positive-dimensions` when an extent is not a positive integer
 */
export function checkShape(shape: readonly number[]): void {
  if (shape.every(isPositiveInteger)) return;
  throw new LayoutError(
    "shape/positive-dimensions",
    `Cannot lay out a tensor of shape ${formatExtents(shape)}: every dimension must be a positive integer`,
  );
}

/**
 * Refuses grids without cores.
 *
 * @throws {LayoutError} `grid/positive-dimensions` when an extent is not a positive integer
 */
export function checkGrid(grid: readonly number[]): void {
  if (grid.every(isPositiveInteger)) return;
  throw new LayoutError(
    "grid/positive-dimensions",
    `Cannot use the grid ${formatExtents(grid)}: every dimension must be a positive integer`,
  );
}

function isPositiveInteger(extent: number): boolean {
  return Number.isSafeInteger(extent) && extent > 0;
}

/** Extents as MLIR writes them, `2x3x64`; `scalar` for rank 0. */
export function formatExtents(extents: readonly number[]): string {
  return extents.length === 0 ? "scalar" : extents.join("x");
}
