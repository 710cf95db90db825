// SPDX-License-Identifier: Apache-2.0
import type { Device } from "../device.ts";
import { workers } from "../kernel.ts";
import { isInterleaved, type PricedTensor } from "../priced_op.ts";
import type { MatmulBlocks } from "./matmul_blocks.ts";
import type { MatmulProblem } from "./matmul_problem.ts";

/** Subblocks in the backend's order of preference, height first (tt-metal `SUBBLOCK_HW_CHOICES`). */
const SUBBLOCKS: readonly (readonly [number, number])[] = [
  [4, 2],
  [2, 4],
  [8, 1],
  [1, 8],
  [7, 1],
  [1, 7],
  [3, 2],
  [2, 3],
  [6, 1],
  [1, 6],
  [5, 1],
  [1, 5],
  [2, 2],
  [4, 1],
  [1, 4],
  [3, 1],
  [1, 3],
  [2, 1],
  [1, 2],
  [1, 1],
];

/** Ratio of height to width (or back) beyond which the backend multicasts in one dimension only. */
const NARROW_RATIO = 8;

/**
 * Blocks that the backend derives when a matmul comes without program config
 * (tt-metal `matmul_program_config.cpp`: `create_simple_matmul_program_config`, `get_mcast_1d_config`,
 * `get_matmul_program_config`, `get_multi_dim_per_core_factor`; specs 03 §B2).
 *
 * What the backend reads from the allocator is approximated by L1 less the shards of the op's own operands.
 */
export function autoMatmulBlocks(problem: MatmulProblem, device: Device): MatmulBlocks {
  if (problem.in0.placement === "l1_sharded") return shardedBlocks(problem, device);
  return interleavedBlocks(problem, device);
}

function interleavedBlocks(problem: MatmulProblem, device: Device): MatmulBlocks {
  const { tilesM, tilesK, tilesN, in0, in1, output, batchA, batchB } = problem;
  const gridX = device.grid.workerColumns;
  const gridY = device.grid.workerRows;
  const allInterleaved = [in0, in1, output].every(isInterleaved);
  const allDram = [in0, in1, output].every((tensor) => tensor.placement.startsWith("dram"));
  if (batchA === 1 && batchB > 1 && allInterleaved) return oneDimensional(problem, device, false, batchB);
  const factor = [16, 8, 4, 2].find((f) => estimateBytes(problem, f, f, 2) < freeL1(problem, device)) ?? 1;
  const blocksY = Math.ceil(tilesM / factor);
  const blocksX = Math.ceil(tilesN / factor);
  let in0BlockW = 2;
  if ((output.placement === "l1_sharded" || blocksY > 1 || blocksX > 1) && tilesK % in0BlockW !== 0) {
    in0BlockW = 1;
  }
  const [rangeX, rangeY] = !(blocksX === 1 && blocksY === 1) && blocksX <= gridX && blocksY <= gridY
    ? [blocksX, blocksY]
    : [0, 0];
  const narrow = allInterleaved && isNarrow(tilesM, tilesN, allDram);
  const wide = narrow && tilesN > tilesM;
  const fits = blocksX * blocksY <= gridX * gridY && tilesK % in0BlockW === 0;
  if ((allDram && allInterleaved) || fits) {
    const to = output.memoryLayout;
    const shardedWithoutRange = rangeY === 0 && output.placement === "l1_sharded";
    if (rangeY === 1 || wide || (shardedWithoutRange && to === "width_sharded")) {
      return oneDimensional(problem, device, true, batchA);
    }
    if (rangeX === 1 || narrow || (shardedWithoutRange && to === "height_sharded")) {
      return oneDimensional(problem, device, false, batchA);
    }
    if (allDram && allInterleaved) {
      const perCoreM = Math.ceil(tilesM / gridY);
      const perCoreN = Math.ceil(tilesN / gridX);
      const width = tilesK % gridX === 0 ? tilesK / gridX : 1;
      const [outBlockH, outBlockW, blockW] = fitBlocks(problem, device, perCoreM, perCoreN, width, true);
      const [outSubblockH, outSubblockW] = subblock(outBlockH, outBlockW, maxSubblock(problem));
      return {
        dataflow: "mcast_2d",
        gridX,
        gridY,
        perCoreM,
        perCoreN,
        in0BlockW: blockW,
        outBlockH,
        outBlockW,
        outSubblockH,
        outSubblockW,
        batches: batchA,
      };
    }
    if (rangeY > 0) {
      return {
        dataflow: "mcast_2d",
        gridX,
        gridY,
        perCoreM: factor,
        perCoreN: factor,
        in0BlockW,
        outBlockH: factor,
        outBlockW: factor,
        outSubblockH: factor === 2 ? 4 : 1,
        outSubblockW: 2,
        batches: batchA,
      };
    }
  }
  return singleTileBlocks(problem, device);
}

/** `MatmulMultiCoreProgramConfig`: every core computes output tiles one by one, without reuse. */
function singleTileBlocks(problem: MatmulProblem, device: Device): MatmulBlocks {
  const tiles = problem.batchA * problem.tilesM * problem.tilesN;
  const perCoreM = Math.ceil(tiles / workers(device));
  return {
    dataflow: "single_tile",
    gridX: device.grid.workerColumns,
    gridY: device.grid.workerRows,
    perCoreM,
    perCoreN: 1,
    in0BlockW: 1,
    outBlockH: perCoreM,
    outBlockW: 1,
    outSubblockH: 1,
    outSubblockW: 1,
    batches: 1,
  };
}

function oneDimensional(
  problem: MatmulProblem,
  device: Device,
  mcastIn0: boolean,
  batches: number,
): MatmulBlocks {
  const { tilesM, tilesN, tilesK } = problem;
  const cores = workers(device);
  const perCoreM = mcastIn0 ? tilesM : Math.ceil(tilesM / cores);
  const perCoreN = mcastIn0 ? Math.ceil(tilesN / cores) : tilesN;
  const width = tilesK % 2 === 0 ? 2 : 1;
  const [outBlockH, outBlockW] = fitBlocks(problem, device, perCoreM, perCoreN, width, false);
  const [outSubblockH, outSubblockW] = subblock(outBlockH, outBlockW, maxSubblock(problem));
  return {
    dataflow: mcastIn0 ? "mcast_in0" : "mcast_in1",
    gridX: device.grid.workerColumns,
    gridY: device.grid.workerRows,
    perCoreM,
    perCoreN,
    in0BlockW: width,
    outBlockH,
    outBlockW,
    outSubblockH,
    outSubblockW,
    batches,
  };
}

/** The first operand is sharded in L1: its shards fix grid and blocks. */
function shardedBlocks(problem: MatmulProblem, device: Device): MatmulBlocks {
  const { in0, tilesK, tilesN, output, batchA, batchB } = problem;
  const tilesM = problem.tilesM * batchA;
  const [gridX, gridY] = boundingGrid(in0);
  const shardM = Math.max(1, in0.shardShape[0] ?? 1);
  const shardK = Math.max(1, in0.shardShape.at(-1) ?? 1);
  const cores = gridX * gridY;
  const outSharded = output.placement === "l1_sharded";
  let dataflow: MatmulBlocks["dataflow"];
  let perCoreM: number;
  let perCoreN: number;
  let in0BlockW: number;
  if (batchB > 1) {
    return {
      dataflow: "reuse",
      gridX,
      gridY,
      perCoreM: shardM,
      perCoreN: tilesN,
      in0BlockW: shardK,
      outBlockH: shardM,
      outBlockW: tilesN,
      ...namedSubblock(subblock(shardM, tilesN, maxSubblock(problem), outSharded ? "whole_width" : "any")),
      batches: 1,
    };
  }
  if (in0.memoryLayout === "block_sharded" && gridX > 1 && gridY > 1) {
    dataflow = "mcast_2d";
    perCoreM = Math.ceil(tilesM / gridY);
    perCoreN = Math.ceil(tilesN / gridX);
    in0BlockW = gridX * shardK === tilesK ? greatestCommonDivisor(shardK, tilesK) : 1;
  } else if (in0.memoryLayout === "width_sharded" || (in0.memoryLayout === "block_sharded" && gridY === 1)) {
    dataflow = "mcast_in0";
    perCoreM = tilesM;
    perCoreN = Math.ceil(tilesN / cores);
    in0BlockW = greatestCommonDivisor(shardK, tilesK);
  } else {
    dataflow = "mcast_in1";
    perCoreM = shardM;
    perCoreN = tilesN;
    in0BlockW = tilesK;
  }
  const [outBlockH, outBlockW] = fitBlocks(problem, device, perCoreM, perCoreN, in0BlockW, false);
  const constraint = !outSharded ? "any" : dataflow === "mcast_in0" ? "whole_height" : "whole_width";
  return {
    dataflow,
    gridX,
    gridY,
    perCoreM,
    perCoreN,
    in0BlockW,
    outBlockH,
    outBlockW,
    ...namedSubblock(subblock(outBlockH, outBlockW, maxSubblock(problem), constraint)),
    batches: 1,
  };
}

/**
 * Splits a core's output block until the circular buffers fit: of equal areas the squarest wins, larger areas and
 * deeper K blocks first.
 */
function fitBlocks(
  problem: MatmulProblem,
  device: Device,
  perCoreM: number,
  perCoreN: number,
  in0BlockW: number,
  adjustWidth: boolean,
): readonly [number, number, number] {
  const free = freeL1(problem, device);
  if (estimateBytes(problem, perCoreM, perCoreN, in0BlockW) < free) return [perCoreM, perCoreN, in0BlockW];
  const squarest = new Map<number, readonly [number, number]>();
  for (const height of factorsOf(perCoreM)) {
    for (const width of factorsOf(perCoreN)) {
      const known = squarest.get(height * width);
      if (known === undefined || elongation(known[0], known[1]) >= elongation(height, width)) {
        squarest.set(height * width, [height, width]);
      }
    }
  }
  const areas = [...squarest.keys()].sort((a, b) => b - a);
  for (let width = in0BlockW; width >= (adjustWidth ? 1 : in0BlockW); width--) {
    if (in0BlockW % width !== 0) continue;
    for (const area of areas) {
      const [h, w] = squarest.get(area) ?? [1, 1];
      if (estimateBytes(problem, h, w, width) < free) return [h, w, width];
    }
  }
  return [1, 1, 1];
}

/** Whole, 1, then the divisors from half downwards: the order in which the backend collects them. */
function factorsOf(value: number): readonly number[] {
  const factors = [value, 1];
  for (let factor = Math.floor(value / 2); factor > 1; factor--) {
    if (value % factor === 0) factors.push(factor);
  }
  return factors;
}

function elongation(a: number, b: number): number {
  return Math.max(a, b) / Math.min(a, b);
}

/** Circular buffers of a block, as the backend estimates them: double-buffered inputs, output and partials. */
function estimateBytes(problem: MatmulProblem, height: number, width: number, in0BlockW: number): number {
  const partial = problem.compute?.fp32DestAccEn === true ? 4096 : 2048;
  const bias = problem.bias === undefined ? 0 : width * problem.in1TileBytes;
  return 2 * in0BlockW * (height * problem.in0TileBytes + width * problem.in1TileBytes) +
    height * width * (problem.outTileBytes + partial) + bias;
}

/** L1 that the backend finds free: everything above the base, less what the op's own shards occupy. */
function freeL1(problem: MatmulProblem, device: Device): number {
  const occupied = [problem.in0, problem.in1, problem.bias]
    .reduce((sum, tensor) => sum + (tensor?.placement === "l1_sharded" ? tensor.shardBytes : 0), 0);
  return device.l1.size - device.l1.unreservedBase - occupied;
}

function isNarrow(tilesM: number, tilesN: number, allDram: boolean): boolean {
  const ratio = Math.floor(Math.max(tilesM, tilesN) / Math.min(tilesM, tilesN));
  return ratio > NARROW_RATIO || (allDram && (tilesM === 1 || tilesN === 1));
}

/** Tiles of a subblock that fit half of the destination register. */
function maxSubblock(problem: MatmulProblem): number {
  return problem.compute?.fp32DestAccEn === true ? 4 : 8;
}

/**
 * Subblock of an output block.
 *
 * @param constraint a sharded output wants subblocks one tile high (`flat`) or spanning the block
 */
export function subblock(
  height: number,
  width: number,
  limit: number,
  constraint: "any" | "flat" | "whole_width" | "whole_height" = "any",
): readonly [number, number] {
  return SUBBLOCKS.find(([h, w]) =>
    h * w <= limit && height % h === 0 && width % w === 0 &&
    (constraint !== "flat" || h === 1) &&
    (constraint !== "whole_width" || (h === 1 && w === width)) &&
    (constraint !== "whole_height" || (w === 1 && h === height))
  ) ?? [1, 1];
}

function namedSubblock(
  [outSubblockH, outSubblockW]: readonly [number, number],
): Pick<MatmulBlocks, "outSubblockH" | "outSubblockW"> {
  return { outSubblockH, outSubblockW };
}

function boundingGrid(tensor: PricedTensor): readonly [number, number] {
  const columns = Math.max(1, ...tensor.coreRanges.map((range) => range.end.x + 1));
  const rows = Math.max(1, ...tensor.coreRanges.map((range) => range.end.y + 1));
  return tensor.memoryLayout === "block_sharded" ? [columns, rows] : [tensor.shardCores, 1];
}

function greatestCommonDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestCommonDivisor(b, a % b);
}
