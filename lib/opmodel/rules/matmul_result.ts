// SPDX-License-Identifier: Apache-2.0
import { boundingBox, boxExtent, type CoreRange } from "../../layout/core_range.ts";
import type { WorkerGrid } from "../../layout/make_layout.ts";
import { DEFAULT_TILE, type TtnnLayout } from "../../layout/ttnn_layout.ts";
import type { MatmulProgramConfig } from "../../op_config/op_config.ts";
import { coreRectangle, firstCores } from "../../programs/core_sets.ts";
import type { MatmulFault } from "../../programs/matmul/matmul_auto_config.ts";
import { type MatmulProblem, rowsOfTiles } from "../../programs/matmul/matmul_blocks.ts";
import { isInShards } from "../../programs/program_tensor.ts";
import { shardMisfit } from "../../programs/shard_spec.ts";

/** Shards of a matmul's result as its program writes them, in tiles. */
interface WrittenShards {
  readonly memoryLayout: TtnnLayout["memoryLayout"];
  readonly shard: readonly number[];
  readonly cores: readonly CoreRange[];
  /** Whether shards are numbered down the columns of cores. */
  readonly isColumnMajor?: boolean;
}

/**
 * The sharded layout of a matmul's result. Shards and cores follow from the program config
 * (`ttnn:backend-0-81-1`), with three exceptions: a 1D program with `gather_in0` takes both from the hint; so does a
 * 1D program for block shards on one column (row) of cores, which it returns as height (width) shards;
 * `matmul_multi_core_reuse` takes the cores from the hint, if the hint has any.
 *
 * @param hint the request: memory, memory layout, format, and shards unless left open
 */
export function shardedProduct(
  problem: MatmulProblem,
  config: MatmulProgramConfig,
  hint: TtnnLayout,
  workerGrid: WorkerGrid,
): TtnnLayout | MatmulFault {
  const written = writtenShards(problem, config, hint, workerGrid);
  if ("what" in written) return written;
  const { memoryLayout, shard, cores, isColumnMajor = false } = written;
  const rows = problem.tilesM * Math.max(problem.batchA, problem.batchB);
  const layout: TtnnLayout = {
    bufferType: hint.bufferType,
    memoryLayout,
    dataType: hint.dataType,
    tile: DEFAULT_TILE,
    gridShape: shardGrid(written, [rows, problem.tilesN]),
    shardShape: shard,
    coreRanges: cores,
    shardOrientation: isColumnMajor ? "col_major" : "row_major",
    ignorePhysicalLayout: false,
  };
  const { height, width } = DEFAULT_TILE;
  const box = boundingBox(cores);
  const misfit = shardMisfit(layout, [rows * height, problem.tilesN * width], DEFAULT_TILE) ??
    (box !== undefined && (box.end.x >= workerGrid.columns || box.end.y >= workerGrid.rows)
      ? "its shards lie outside of the worker grid"
      : undefined);
  return misfit === undefined
    ? layout
    : { what: "result-shards", reason: `the result does not fit its shards: ${misfit}` };
}

function writtenShards(
  problem: MatmulProblem,
  config: MatmulProgramConfig,
  hint: TtnnLayout,
  { rows, columns }: WorkerGrid,
): WrittenShards | MatmulFault {
  const { in0, in1, batchA, tilesM, tilesN } = problem;
  const { memoryLayout } = hint;
  const shard = [config.perCoreM, config.perCoreN];
  const across = Math.ceil(tilesN / config.perCoreN);
  const asked = hint.ignorePhysicalLayout ? undefined : hint;
  switch (config.kind) {
    case "matmul_multi_core_reuse_multi_cast_1d": {
      if (config.gatherIn0) {
        return { memoryLayout, shard: hint.shardShape, cores: hint.coreRanges };
      }
      const box = memoryLayout === "block_sharded" && asked !== undefined
        ? boundingBox(asked.coreRanges)
        : undefined;
      if (
        asked !== undefined && box !== undefined && (box.start.x === box.end.x || box.start.y === box.end.y)
      ) {
        const line = box.start.x === box.end.x ? "height_sharded" : "width_sharded";
        return { memoryLayout: line, shard: asked.shardShape, cores: asked.coreRanges };
      }
      const [gridX, gridY] = config.computeWithStorageGridSize;
      const count = Math.ceil(rowsOfTiles(problem, config.fuseBatch) / config.perCoreM) * across;
      if (count > gridX * gridY) return tooFewCores(count, gridX * gridY);
      return { memoryLayout, shard, cores: firstCores(count, gridX, "rows") };
    }
    case "matmul_multi_core_reuse_multi_cast": {
      const down = Math.ceil(rowsOfTiles(problem, config.fuseBatch) / config.perCoreM);
      const cores = config.transposeMcast ? coreRectangle(down, across) : coreRectangle(across, down);
      return { memoryLayout, shard, cores, isColumnMajor: config.transposeMcast };
    }
    case "matmul_multi_core_reuse": {
      const isColumnMajor = !isInShards(in0) && !isInShards(in1);
      if (asked !== undefined) return { memoryLayout, shard, cores: asked.coreRanges, isColumnMajor };
      const [gridX, gridY] = config.computeWithStorageGridSize;
      const count = Math.ceil(batchA * tilesM / config.perCoreM) * across;
      if (count > gridX * gridY) return tooFewCores(count, gridX * gridY);
      const cores = isColumnMajor ? firstCores(count, gridY, "columns") : firstCores(count, gridX, "rows");
      return { memoryLayout, shard, cores, isColumnMajor };
    }
    case "matmul_multi_core_reuse_multi_cast_dram_sharded": {
      const count = Math.ceil(batchA * tilesM / config.perCoreM) * across;
      if (count > rows * columns) return tooFewCores(count, rows * columns);
      return { memoryLayout, shard, cores: firstCores(count, columns, "rows") };
    }
  }
}

function tooFewCores(count: number, cores: number): MatmulFault {
  return { what: "result-cores", reason: `the result has ${count} shards for ${cores} cores` };
}

/** Shards along both axes: as many as hold data; block shards fill their rectangle of cores. */
function shardGrid(
  { memoryLayout, shard: [height = 1, width = 1], cores, isColumnMajor = false }: WrittenShards,
  [rows, columns]: readonly [number, number],
): readonly [number, number] {
  if (memoryLayout !== "block_sharded" || cores.length === 0) {
    return [Math.ceil(rows / height), Math.ceil(columns / width)];
  }
  const [down, across] = boxExtent(cores);
  return isColumnMajor ? [across, down] : [down, across];
}
