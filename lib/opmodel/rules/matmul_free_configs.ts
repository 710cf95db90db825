// SPDX-License-Identifier: Apache-2.0
import type { ChipDescription } from "../../device/chip_description.ts";
import { fusedActivationOf } from "../../op_config/activations.ts";
import type { MatmulProgramConfig, OpSpecificAttributes } from "../../op_config/op_config.ts";
import {
  blockEstimate,
  chooseSubblock,
  fitBlock,
  largestDivisor,
  subblockRegisterTiles,
} from "../../programs/matmul/matmul_blocking.ts";
import {
  type MatmulProblem,
  matmulProblem,
  matrixPerCore,
  multicastAlongBothAxes,
  multicastAlongOneAxis,
} from "../../programs/matmul/matmul_blocks.ts";
import { divisorsUpTo } from "../../programs/stream.ts";
import { isInterleaved } from "../../programs/program_tensor.ts";
import type { ConstraintQuery } from "../rule.ts";
import { askedLaunch } from "./program.ts";

/** Longest K block to try, in tiles; longer ones gain nothing (published:ops-3, matmuls by in0_block_w). */
const LONGEST_K_BLOCK = 32;
/** K block in tiles with which another division of the matmul starts. */
const FIRST_K_BLOCK = 8;
/** Most block sizes tried per side: the largest ones. */
const MOST_SIZES = 4;
/** Core counts to try for a 1D program, besides all cores. */
const FEWER_CORES = [64, 32, 16, 8] as const;

/**
 * Alternative program configs of a matmul or linear, in lists: division among cores, K block, output block,
 * subblock. Operands, result, compute config and activation stay. Some may be illegal.
 *
 * @param query its config is the one that runs, with the backend's derived fields
 * @param room bytes of L1 per core for circular buffers
 */
export function freeMatmulConfigs(
  query: ConstraintQuery,
  room: number,
): readonly (readonly OpSpecificAttributes[])[] {
  const { chip } = query;
  const used = query.config?.kind === "matmul" ? query.config : undefined;
  const [type] = query.op.results;
  const problem = type === undefined ? undefined : matmulProblem(askedLaunch(query, type), chip);
  if (problem === undefined) return [];
  const program = used?.programConfig;
  const fusedActivation = fusedActivationOf(used);
  const carried = fusedActivation === undefined ? {} : { fusedActivation };
  const computeConfig = used?.computeConfig ?? problem.compute;
  const lists = program === undefined
    ? [divisions(problem, room, chip)]
    : [divisions(problem, room, chip), kBlocks(problem, program, room), blocks(problem, program)].concat([
      subblocks(problem, program),
    ]);
  return lists.map((programs) =>
    programs.map((programConfig): OpSpecificAttributes => ({
      kind: "matmul",
      programConfig: programConfig.kind === "matmul_multi_core_reuse"
        ? programConfig
        : { ...programConfig, ...carried },
      computeConfig,
    }))
  );
}

/** Divisions of a matmul among cores; none if a tensor's shards fix it. */
function divisions(
  problem: MatmulProblem,
  room: number,
  { workerGrid }: ChipDescription,
): readonly MatmulProgramConfig[] {
  const { in0, in1, output, batchA, batchB, tilesK, tilesN } = problem;
  if (![in0, in1, output].every(isInterleaved)) return [];
  const { rows, columns } = workerGrid;
  if (batchB > 1) return batchA > 1 ? matricesPerCore(problem, room, workerGrid) : [];
  if (problem.in0Transposed && batchA > 1) return [];
  const tilesM = batchA * problem.tilesM;
  const estimate = blockEstimate(problem);
  const found: MatmulProgramConfig[] = [];
  const cut = (grid: readonly [number, number], perCoreM: number, perCoreN: number) => {
    const in0BlockW = largestDivisor(tilesK, FIRST_K_BLOCK);
    const block = fitBlock({ height: perCoreM, width: perCoreN, in0BlockW }, estimate, room, "k_first");
    const subblock = chooseSubblock(block.height, block.width, subblockRegisterTiles(problem.compute));
    return { grid, perCoreM, perCoreN, block, subblock };
  };
  for (const perCoreM of shares(tilesM, rows)) {
    for (const perCoreN of shares(tilesN, columns)) {
      found.push(multicastAlongBothAxes(cut([columns, rows], perCoreM, perCoreN), { fuseBatch: true }));
    }
  }
  for (const cores of [rows * columns, ...FEWER_CORES.filter((fewer) => fewer < rows * columns)]) {
    const grid = [Math.min(cores, columns), Math.ceil(cores / columns)] as const;
    const along = (mcastIn0: boolean) => ({ mcastIn0, fuseBatch: true });
    for (const perCoreN of shares(tilesN, cores)) {
      found.push(multicastAlongOneAxis(cut(grid, tilesM, perCoreN), along(true)));
    }
    for (const perCoreM of shares(tilesM, cores)) {
      found.push(multicastAlongOneAxis(cut(grid, perCoreM, tilesN), along(false)));
    }
  }
  return found;
}

/**
 * Tiles per core for a number of tiles and cores: the least, and the least that gives every core the same share unless
 * it is more than twice as much.
 */
function shares(tiles: number, cores: number): readonly number[] {
  const least = Math.ceil(tiles / cores);
  const even = divisorsUpTo(tiles, tiles).findLast((divisor) => divisor >= least) ?? tiles;
  return even === least || even > 2 * least ? [least] : [least, even];
}

/** Tile rows of one matrix per core. */
function matricesPerCore(
  problem: MatmulProblem,
  room: number,
  grid: ChipDescription["workerGrid"],
): readonly MatmulProgramConfig[] {
  const { tilesM, tilesK, tilesN } = problem;
  const estimate = blockEstimate(problem);
  return divisorsUpTo(tilesM, tilesM).slice(0, 2 * MOST_SIZES).map((perCoreM) => {
    const whole = { height: perCoreM, width: tilesN };
    const fitsWhole = (in0BlockW: number) => {
      const { height, width } = fitBlock({ ...whole, in0BlockW }, estimate, room, "result_only");
      return height === perCoreM && width === tilesN;
    };
    const in0BlockW = divisorsUpTo(tilesK, LONGEST_K_BLOCK).find(fitsWhole) ?? 1;
    return matrixPerCore(problem, perCoreM, in0BlockW, grid);
  });
}

/** The same program with other K blocks; output blocks shrink if the K block needs the L1. */
function kBlocks(
  problem: MatmulProblem,
  program: MatmulProgramConfig,
  room: number,
): readonly MatmulProgramConfig[] {
  const { tilesK, compute } = problem;
  const estimate = blockEstimate(problem);
  const longest = Math.max(LONGEST_K_BLOCK, program.in0BlockW);
  return divisorsUpTo(tilesK, longest).flatMap((in0BlockW): readonly MatmulProgramConfig[] => {
    if (in0BlockW === program.in0BlockW) return [];
    const longer = { ...program, in0BlockW };
    if (!("outBlockH" in program)) return [longer];
    const whole = { height: program.perCoreM, width: program.perCoreN, in0BlockW };
    const { height, width } = fitBlock(whole, estimate, room, "result_only");
    if (height === program.outBlockH && width === program.outBlockW) return [longer];
    return [longer, { ...program, in0BlockW, ...outputBlock(height, width, compute) }];
  });
}

/** The same per-core shares in other output blocks, the largest ones. */
function blocks({ compute }: MatmulProblem, program: MatmulProgramConfig): readonly MatmulProgramConfig[] {
  if (!("outBlockH" in program)) return [];
  const { perCoreM, perCoreN } = program;
  const widths = divisorsUpTo(perCoreN, perCoreN).slice(0, MOST_SIZES);
  return divisorsUpTo(perCoreM, perCoreM).slice(0, MOST_SIZES).flatMap((outBlockH) =>
    widths.flatMap((outBlockW): readonly MatmulProgramConfig[] => {
      if (outBlockH === program.outBlockH && outBlockW === program.outBlockW) return [];
      return [{ ...program, ...outputBlock(outBlockH, outBlockW, compute) }];
    })
  );
}

/** An output block with the subblock that fills the registers. */
function outputBlock(outBlockH: number, outBlockW: number, compute: MatmulProblem["compute"]) {
  const { height, width } = chooseSubblock(outBlockH, outBlockW, subblockRegisterTiles(compute));
  return { outBlockH, outBlockW, outSubblockH: height, outSubblockW: width };
}

/** The same blocks with other subblocks, only maximal ones. */
function subblocks({ compute }: MatmulProblem, program: MatmulProgramConfig): readonly MatmulProgramConfig[] {
  if (!("outSubblockH" in program)) return [];
  const [height, width] = "outBlockH" in program
    ? [program.outBlockH, program.outBlockW]
    : [program.perCoreM, program.perCoreN];
  const most = subblockRegisterTiles(compute);
  return divisorsUpTo(height, most).flatMap((outSubblockH) => {
    const outSubblockW = largestDivisor(width, Math.floor(most / outSubblockH));
    const tallest = divisorsUpTo(height, Math.floor(most / outSubblockW))[0] ?? outSubblockH;
    return tallest > outSubblockH ? [] : [{ ...program, outSubblockH, outSubblockW }];
  });
}
