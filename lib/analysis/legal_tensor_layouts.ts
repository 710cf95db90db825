// SPDX-License-Identifier: Apache-2.0
import type { ChipDescription } from "../device/chip_description.ts";
import { isEmptyTensor } from "../ops/empty_tensors.ts";
import type { TensorShape } from "../ops/op_signature.ts";
import { type DataType, elementBytes, isBlockFloat } from "../layout/data_type.ts";
import type { LayoutId, LayoutTable } from "../layout/layout_table.ts";
import { makeLayout, physicalUnits } from "../layout/make_layout.ts";
import { DEFAULT_TILE, gridVolume, type TensorMemoryLayout, type TtnnLayout } from "../layout/ttnn_layout.ts";

/** Pages of a tensor: single elements in rows, or 32x32 tiles (tt-mlir `TensorPageLayout`). */
export type TensorPageLayout = "row_major" | "tiled";

/** Layouts of one page layout. */
export interface LegalPageLayouts {
  /** DRAM interleaved, then (tiled only) L1 interleaved over the whole worker grid. */
  readonly interleaved: readonly LayoutId[];
  /** L1 sharded, most shards first; equal counts in the order block, height, width. */
  readonly sharded: readonly LayoutId[];
}

/** All layouts that a tensor of one shape and element format may have. */
export type LegalTensorLayouts = Readonly<Record<TensorPageLayout, LegalPageLayouts>>;

/** What a page layout that is not on offer has. */
export const NO_LAYOUTS: LegalPageLayouts = { interleaved: [], sharded: [] };

/**
 * Enumerates the layouts that tensors may have (tt-mlir `LegalTensorLayoutAnalysis`), once per shape and element
 * format. There is no limit on the count and no check of L1 capacity here; both come later, per op.
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
  readonly #memo: Map<string, LegalTensorLayouts> = new Map();

  constructor(chip: ChipDescription, layouts: LayoutTable, options: { readonly rowMajorEnabled: boolean }) {
    this.#chip = chip;
    this.#layouts = layouts;
    this.#rowMajorEnabled = options.rowMajorEnabled;
    this.#shardGrids = shardGrids(chip.workerGrid.rows, chip.workerGrid.columns);
  }

  /**
   * Layouts of a tensor, none of one without elements; `dataType` may differ from the tensor's own to ask for another
   * element format.
   */
  layoutsOf(tensor: TensorShape, dataType: DataType = tensor.dataType): LegalTensorLayouts {
    if (isEmptyTensor(tensor)) return { row_major: NO_LAYOUTS, tiled: NO_LAYOUTS };
    const key = `${tensor.shape.join("x")}:${dataType}`;
    let found = this.#memo.get(key);
    if (found === undefined) {
      found = this.#enumerate(tensor.shape, dataType);
      this.#memo.set(key, found);
    }
    return found;
  }

  #enumerate(shape: readonly number[], dataType: DataType): LegalTensorLayouts {
    const workerGrid = this.#chip.workerGrid;
    const rowMajor = this.#rowMajorEnabled && !isBlockFloat(dataType)
      ? this.#pageLayouts(shape, dataType, "row_major")
      : NO_LAYOUTS;
    const tiled = this.#pageLayouts(shape, dataType, "tiled");
    const l1Interleaved = makeLayout(
      { shape, dataType, bufferType: "l1", memoryLayout: "interleaved" },
      workerGrid,
    );
    return {
      row_major: rowMajor,
      tiled: {
        interleaved: [...tiled.interleaved, this.#layouts.intern(l1Interleaved)],
        sharded: tiled.sharded,
      },
    };
  }

  /**
   * Of grids that cut a tensor into equal shards the first one, where the backend can hold the tensor like this: a tiled one
   * has at least one tile per grid row and column (tt-mlir `LegalTensorLayoutAnalysis`).
   */
  #pageLayouts(shape: readonly number[], dataType: DataType, page: TensorPageLayout): LegalPageLayouts {
    const tile = page === "tiled" ? DEFAULT_TILE : null;
    const workerGrid = this.#chip.workerGrid;
    const dram = makeLayout(
      { shape, dataType, tile, bufferType: "dram", memoryLayout: "interleaved" },
      workerGrid,
    );
    const [unitRows, unitColumns] = physicalUnits(shape, dram.tile);
    const sharded: TtnnLayout[] = [];
    for (const [memoryLayout, grids] of this.#shardGrids) {
      const seenShards = new Set<string>();
      for (const grid of grids) {
        const shardWidth = Math.ceil(unitColumns / grid[1]);
        const shard = `${Math.ceil(unitRows / grid[0])}x${shardWidth}`;
        if (seenShards.has(shard)) continue;
        seenShards.add(shard);
        const isLegal = tile === null
          ? this.#fillsAlignmentUnits(shardWidth, dataType)
          : unitRows >= grid[0] && unitColumns >= grid[1];
        if (!isLegal) continue;
        sharded.push(
          makeLayout({ shape, dataType, tile, bufferType: "l1", memoryLayout, grid }, workerGrid),
        );
      }
    }
    sharded.sort((a, b) => gridVolume(b) - gridVolume(a));
    return {
      interleaved: [this.#layouts.intern(dram)],
      sharded: sharded.map((layout) => this.#layouts.intern(layout)),
    };
  }

  /** Whether rows of row-major shards fill whole L1 alignment units (tt-metal:sharding). */
  #fillsAlignmentUnits(shardWidth: number, dataType: DataType): boolean {
    return shardWidth * elementBytes(dataType) % this.#chip.l1Alignment === 0;
  }
}

/** Shard grids by how they shard, in the order in which they are tried. */
type ShardGrids = readonly (readonly [TensorMemoryLayout, readonly (readonly [number, number])[]])[];

/** The shard grids that are tried, in order: every block, then 1 to all cores high, then 1 to all cores wide. */
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
