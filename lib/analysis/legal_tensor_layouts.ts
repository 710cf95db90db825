// SPDX-License-Identifier: Apache-2.0
import type { ChipDescription } from "../device/chip_description.ts";
import { isEmptyTensor } from "../ops/empty_tensors.ts";
import type { TensorShape } from "../ops/op_signature.ts";
import { type DataType, elementBytes, isBlockFloat } from "../layout/data_type.ts";
import type { LayoutId, LayoutTable } from "../layout/layout_table.ts";
import { makeInterleaved, makeLayout, physicalUnits } from "../layout/make_layout.ts";
import { DEFAULT_TILE, gridVolume, type TensorMemoryLayout, type TtnnLayout } from "../layout/ttnn_layout.ts";

/** Pages of a tensor: rows of elements, or 32x32 tiles (tt-mlir `TensorPageLayout`). */
export type TensorPageLayout = "row_major" | "tiled";

export interface LegalPageLayouts {
  /** DRAM interleaved, then (tiled only) L1 interleaved over the whole worker grid. */
  readonly interleaved: readonly LayoutId[];
  /** L1 sharded, most shards first; equal counts in the order block, height, width. */
  readonly sharded: readonly LayoutId[];
}

/** All layouts that a tensor of one shape and element format may have. */
export type LegalTensorLayouts = Readonly<Record<TensorPageLayout, LegalPageLayouts>>;

/** The layouts of a page layout that is not offered. */
export const NO_LAYOUTS: LegalPageLayouts = { interleaved: [], sharded: [] };

/**
 * Enumerates the layouts that tensors may have (tt-mlir `LegalTensorLayoutAnalysis`), once per shape and
 * element format. It neither limits their number nor checks the L1 capacity; both happen later, per op.
 *
 * @example
 * ```ts ignore
 * const analysis = new LegalTensorLayoutAnalysis(chip, opModel.layouts, { rowMajorEnabled: false });
 * const { interleaved, sharded } = analysis.layoutsOf({ shape: [256, 512], dataType: "bf16" }).tiled;
 * ```
 */
export class LegalTensorLayoutAnalysis {
  readonly #chip: ChipDescription;
  readonly #layouts: LayoutTable;
  readonly #rowMajorEnabled: boolean;
  readonly #shardGrids: ShardGrids;
  /**
   * By pages, element format and extents in pages: shapes that collapse to the same extents have the same
   * layouts.
   */
  readonly #memo: Map<string, LegalPageLayouts> = new Map();

  constructor(chip: ChipDescription, layouts: LayoutTable, options: { readonly rowMajorEnabled: boolean }) {
    this.#chip = chip;
    this.#layouts = layouts;
    this.#rowMajorEnabled = options.rowMajorEnabled;
    this.#shardGrids = shardGrids(chip.workerGrid.rows, chip.workerGrid.columns);
  }

  /**
   * Layouts of a tensor; empty for an empty tensor. `dataType` may differ from the tensor's own, to get layouts
   * in another element format.
   */
  layoutsOf(tensor: TensorShape, dataType: DataType = tensor.dataType): LegalTensorLayouts {
    return {
      row_major: this.pageLayoutsOf(tensor, dataType, "row_major"),
      tiled: this.pageLayoutsOf(tensor, dataType, "tiled"),
    };
  }

  /** The layouts of {@linkcode layoutsOf} with one kind of pages. */
  pageLayoutsOf(tensor: TensorShape, dataType: DataType, page: TensorPageLayout): LegalPageLayouts {
    const isOffered = page === "tiled" || (this.#rowMajorEnabled && !isBlockFloat(dataType));
    if (!isOffered || isEmptyTensor(tensor)) return NO_LAYOUTS;
    const [rows, columns] = physicalUnits(tensor.shape, page === "tiled" ? DEFAULT_TILE : undefined);
    const key = `${page}:${dataType}:${rows}x${columns}`;
    return this.#memo.getOrInsertComputed(key, () => this.#pageLayouts(tensor.shape, dataType, page));
  }

  /**
   * Interleaved and sharded layouts of a tensor. Of the grids that give a shard shape only the first is tried; it is kept
   * if the backend can hold the tensor there: a tiled one has at least one tile per grid row and column (tt-mlir
   * `LegalTensorLayoutAnalysis`).
   */
  #pageLayouts(shape: readonly number[], dataType: DataType, page: TensorPageLayout): LegalPageLayouts {
    const tile = page === "tiled" ? DEFAULT_TILE : undefined;
    const workerGrid = this.#chip.workerGrid;
    const [unitRows, unitColumns] = physicalUnits(shape, tile);
    const sharded: TtnnLayout[] = [];
    for (const [memoryLayout, grids] of this.#shardGrids) {
      const seenShards = new Set<string>();
      for (const grid of grids) {
        const shardWidth = Math.ceil(unitColumns / grid[1]);
        const shard = `${Math.ceil(unitRows / grid[0])}x${shardWidth}`;
        if (seenShards.has(shard)) continue;
        seenShards.add(shard);
        const isLegal = tile === undefined
          ? this.#fillsAlignmentUnits(shardWidth, dataType)
          : unitRows >= grid[0] && unitColumns >= grid[1];
        if (!isLegal) continue;
        const request = {
          shape,
          dataType,
          tile: tile ?? null,
          bufferType: "l1",
          memoryLayout,
          grid,
        } as const;
        sharded.push(makeLayout(request, workerGrid));
      }
    }
    sharded.sort((a, b) => gridVolume(b) - gridVolume(a));
    const paged = { shape, dataType, tile };
    const intern = (layout: TtnnLayout): LayoutId => this.#layouts.intern(layout);
    const dram = intern(makeInterleaved("dram", paged, workerGrid));
    const inShards = sharded.map(intern);
    if (tile === undefined) return { interleaved: [dram], sharded: inShards };
    return { interleaved: [dram, intern(makeInterleaved("l1", paged, workerGrid))], sharded: inShards };
  }

  /** Whether the rows of row-major shards fill whole L1 alignment units (tt-metal:sharding). */
  #fillsAlignmentUnits(shardWidth: number, dataType: DataType): boolean {
    return shardWidth * elementBytes(dataType) % this.#chip.l1Alignment === 0;
  }
}

/** Shard grids by sharding type, in the order in which they are tried. */
type ShardGrids = readonly (readonly [TensorMemoryLayout, readonly (readonly [number, number])[]])[];

/**
 * The shard grids to try, in order: every block, then heights from 1 to all cores, then widths from 1 to all
 * cores.
 */
function shardGrids(rows: number, columns: number): ShardGrids {
  const blocks: [number, number][] = [];
  for (let height = 1; height <= rows; height++) {
    for (let width = 1; width <= columns; width++) blocks.push([height, width]);
  }
  const counts = Array.from({ length: rows * columns }, (_, index) => index + 1);
  return [
    ["block_sharded", blocks],
    ["height_sharded", counts.map((count) => [count, 1] as const)],
    ["width_sharded", counts.map((count) => [1, count] as const)],
  ];
}
