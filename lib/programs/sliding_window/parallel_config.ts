// SPDX-License-Identifier: Apache-2.0
import { type ChipDescription, workerCores } from "../../device/chip_description.ts";
import { boxExtent, coreCount, type CoreRange, sameCoreRanges } from "../../layout/core_range.ts";
import { canonicalCoreRanges, roundUp } from "../../layout/make_layout.ts";
import { coreRectangle } from "../core_sets.ts";
import type { ProgramTensor } from "../program_tensor.ts";

/** Shardings of sliding window ops. */
export type ShardKind = "height_sharded" | "block_sharded" | "width_sharded";

/** Whether a memory layout is a {@linkcode ShardKind}. */
export function isShardKind(layout: string | undefined): layout is ShardKind {
  return layout === "height_sharded" || layout === "block_sharded" || layout === "width_sharded";
}

/** Cores of an activation in shard order (tt-metal `ParallelConfig`). */
export interface ParallelConfig {
  readonly kind: ShardKind;
  /** The last ones may have no work. */
  readonly coreRanges: readonly CoreRange[];
  /** Cores along the pixels: 1 for width sharding. */
  readonly rows: number;
  /** Cores along the channels: 1 for height sharding. */
  readonly columns: number;
}

/** The parallel config of given cores; for block shards their bounding rectangle. */
export function parallelConfig(kind: ShardKind, coreRanges: readonly CoreRange[]): ParallelConfig {
  const count = coreCount(coreRanges);
  if (kind === "height_sharded") return { kind, coreRanges, rows: count, columns: 1 };
  if (kind === "width_sharded") return { kind, coreRanges, rows: 1, columns: count };
  const [rows, columns] = boxExtent(coreRanges);
  return { kind, coreRanges, rows, columns };
}

/** Cores of a parallel config, including those without work. */
export function coresOfConfig({ coreRanges }: ParallelConfig): number {
  return coreCount(coreRanges);
}

/** The parallel config of an operand's shards; `undefined` if it is not sharded in L1. */
export function configOfShards(tensor: ProgramTensor): ParallelConfig | undefined {
  if (tensor.placement !== "l1_sharded" || !isShardKind(tensor.memoryLayout)) return undefined;
  return parallelConfig(tensor.memoryLayout, tensor.coreRanges);
}

/** Whether two parallel configs place their shards equally. */
export function sameConfig(a: ParallelConfig, b: ParallelConfig): boolean {
  return a.kind === b.kind && a.rows === b.rows && a.columns === b.columns &&
    sameCoreRanges(a.coreRanges, b.coreRanges);
}

/**
 * The largest number of cores ≤ `limit` that all have work: `work` rounded up to a multiple of the cores adds
 * less than one core's share (tt-metal:conv2d, `find_closest_largest_divisor_with_num_padding`).
 *
 * @param multiple units that each core's share is rounded up to
 */
export function coresWithLittlePadding(work: number, limit: number, multiple = 1): number {
  for (let cores = limit; cores > 1; cores--) {
    if (roundUp(work, cores * multiple) - work < roundUp(work, cores * multiple) / cores) return cores;
  }
  return 1;
}

/** The largest number of cores ≤ `limit` that divides all of the given units. */
function coresThatDivide(units: readonly number[], limit: number): number {
  for (let cores = limit; cores > 1; cores--) if (units.every((count) => count % cores === 0)) return cores;
  return 1;
}

/** The work that a sliding window op distributes over cores. */
export interface SpreadWork {
  /** Output pixels of all images. */
  readonly pixels: number;
  readonly inChannels: number;
  readonly outChannels: number;
  /** Alignment of the channels per core of a block sharding. */
  readonly channelAlignment: number;
  /** Whether channels may be padded to suit more cores; otherwise the cores must divide them. */
  readonly padsChannels: boolean;
  /** Pixels per row unit, and channels per column unit. */
  readonly rowUnit: 1 | 32;
  readonly columnUnit: 16 | 32;
  /** Alignment of row units per core: the configured activation block. */
  readonly rowMultiple: number;
}

/**
 * Cores that the backend assigns to a sliding window op of a sharding kind (tt-metal:conv2d,
 * `determine_parallel_config`).
 */
export function spreadOverCores(kind: ShardKind, work: SpreadWork, chip: ChipDescription): ParallelConfig {
  const cores = workerCores(chip);
  const { rows, columns } = chip.workerGrid;
  const rowUnits = Math.ceil(work.pixels / work.rowUnit);
  switch (kind) {
    case "height_sharded":
      return lineOfCores(kind, coresWithLittlePadding(rowUnits, cores, work.rowMultiple), chip);
    case "width_sharded": {
      const units = Math.ceil(work.inChannels / work.columnUnit);
      const count = work.padsChannels
        ? coresWithLittlePadding(units, cores)
        : coresThatDivide([units], cores);
      return lineOfCores(kind, count, chip);
    }
    case "block_sharded": {
      const inUnits = Math.ceil(work.inChannels / work.channelAlignment);
      const across = work.padsChannels
        ? coresWithLittlePadding(inUnits, columns)
        : coresThatDivide([Math.ceil(work.outChannels / work.columnUnit), inUnits], columns);
      return block(coresWithLittlePadding(rowUnits, rows, work.rowMultiple), across);
    }
  }
}

/**
 * Cores of a convolution's result, given the activation's: the same along the pixels; along the channels
 * those that suit the output channels (tt-metal:conv2d, `determine_output_parallel_config`).
 */
export function outputConfig(
  input: ParallelConfig,
  outChannels: number,
  isMatmul: boolean,
  chip: ChipDescription,
): ParallelConfig {
  const tiles = Math.ceil(outChannels / 32);
  if (isMatmul || input.kind === "height_sharded") return input;
  return input.kind === "width_sharded"
    ? lineOfCores("width_sharded", coresWithLittlePadding(tiles, workerCores(chip)), chip)
    : block(input.rows, coresWithLittlePadding(tiles, chip.workerGrid.columns));
}

/** The first cores of the worker grid, row by row. */
export function lineOfCores(
  kind: "height_sharded" | "width_sharded",
  count: number,
  chip: ChipDescription,
): ParallelConfig {
  const grid = kind === "height_sharded" ? [count, 1] : [1, count];
  return parallelConfig(kind, canonicalCoreRanges("l1", kind, grid, chip.workerGrid, undefined));
}

function block(rows: number, columns: number): ParallelConfig {
  return parallelConfig("block_sharded", coreRectangle(columns, rows));
}
