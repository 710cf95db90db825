// SPDX-License-Identifier: Apache-2.0
import type { MatmulProgramConfig, OpSpecificAttributes } from "../../op_config/op_config.ts";
import { autoMatmulConfig } from "../../programs/matmul_auto_config.ts";
import {
  blockEstimate,
  blockFits,
  largestDivisor,
  subblockRegisterTiles,
} from "../../programs/matmul_blocking.ts";
import { matrixPerCore } from "../../programs/matmul_blocks.ts";
import { separateActivation, tileRowsOf } from "../../programs/matmul_plan.ts";
import { type MatmulProblem, matmulProblem } from "../../programs/matmul_problem.ts";
import { emptyRoom } from "../../programs/op_launch.ts";
import {
  bytesPerBank,
  inDram,
  isInShards,
  isInterleaved,
  type ProgramTensor,
} from "../../programs/program_tensor.ts";
import { divisorsUpTo } from "../../programs/split_work.ts";
import type { ConstraintQuery, RuleContext } from "../rule.ts";
import { askedLaunch } from "./program.ts";

/**
 * The config that a plan writes for a matmul or linear in given layouts. With a sharded operand or result, or with one in
 * L1, that is always a program config: the backend's own choice may fail its own checks, applies an activation in a second
 * program or refuses it, and depends on what else lies in L1. It applies the activation, and comes with the compute config
 * that the op had without it, since a program config changes the default. Products of DRAM tensors are left to the
 * backend, and those of many small matrices in L1 for which it always chooses the same.
 *
 * @param own the op's config in the input
 */
export function writtenMatmulConfig(
  query: ConstraintQuery,
  own: OpSpecificAttributes | undefined,
  { chip }: Pick<RuleContext, "chip">,
): OpSpecificAttributes | undefined {
  const [type] = query.op.results;
  const config = query.config?.kind === "matmul" ? query.config : undefined;
  const wasPlanned = own?.kind === "matmul" && own.programConfig !== undefined;
  const { programConfig: _, ...unplanned } = config ?? { kind: "matmul" as const, programConfig: undefined };
  const problem = type === undefined
    ? undefined
    : matmulProblem(askedLaunch({ ...query, config: wasPlanned ? own : unplanned }, type), chip);
  if (problem === undefined) return query.config;
  const chosen = config?.programConfig ?? explicitConfig(problem, chip);
  if (chosen === undefined) return query.config;
  const activation = separateActivation(query.op.attributes, chosen);
  const isFused = activation !== undefined && chosen.kind !== "matmul_multi_core_reuse";
  const keepsCompute = wasPlanned || config?.computeConfig !== undefined;
  if (chosen === config?.programConfig && !isFused && keepsCompute) return query.config;
  const programConfig: MatmulProgramConfig = isFused
    ? { ...chosen, fusedActivation: { opType: activation, params: [] } }
    : chosen;
  return {
    ...config,
    kind: "matmul",
    programConfig,
    ...(keepsCompute ? {} : { computeConfig: problem.compute }),
  };
}

/** A program config that does not depend on what else lies in L1; `undefined` to leave the choice to the backend. */
function explicitConfig(
  whole: MatmulProblem,
  chip: RuleContext["chip"],
): MatmulProgramConfig | undefined {
  const { in0, in1, output, bias, batchB } = whole;
  const tensors = [in0, in1, output];
  if (tensors.every((tensor) => isInterleaved(tensor) && inDram(tensor))) return undefined;
  const isBiasFused = bias !== undefined && tileRowsOf(bias) === 1 && batchB === 1;
  const problem = isBiasFused ? whole : { ...whole, bias: undefined };
  const cores = chip.workerGrid.rows * chip.workerGrid.columns;
  const room = tensors.reduce(
    (left, tensor) => left - heldBytes(tensor, cores, chip),
    emptyRoom(chip).beforeResults,
  );
  if (tensors.every(isInterleaved)) {
    const { batchA } = problem;
    return batchA > 1 && batchB > 1
      ? matricesPerCore(problem, room, chip)
      : overTheCores(problem, room, chip);
  }
  const { config, fault } = autoMatmulConfig(problem, room, chip);
  return config === undefined || fault !== undefined ? undefined : inWholeRows(config, problem);
}

/**
 * The program that the backend takes for tensors in DRAM, with all matrices of A as rows of one: in L1 it would take square
 * blocks on few cores, or no blocks at all.
 */
function overTheCores(
  problem: MatmulProblem,
  room: number,
  chip: RuleContext["chip"],
): MatmulProgramConfig | undefined {
  const { in0, in1, output, in0Transposed, batchA, batchB, tilesM } = problem;
  const inDramPages = { ...problem, in0: inPages(in0), in1: inPages(in1), output: inPages(output) };
  if (batchB > 1 || (in0Transposed && batchA > 1)) return autoMatmulConfig(inDramPages, room, chip).config;
  const { config } = autoMatmulConfig({ ...inDramPages, batchA: 1, tilesM: batchA * tilesM }, room, chip);
  return config !== undefined && "fuseBatch" in config ? { ...config, fuseBatch: true } : config;
}

/**
 * Matrices of both operands: whole rows of one per core, as many cores as there are rows for. `undefined` where the
 * backend takes the program without data reuse however much of L1 is free, which is spread over all cores as well.
 */
function matricesPerCore(
  problem: MatmulProblem,
  room: number,
  chip: RuleContext["chip"],
): MatmulProgramConfig | undefined {
  if (autoMatmulConfig(problem, emptyRoom(chip).beforeResults, chip).config === undefined) return undefined;
  const { batchA, tilesM, tilesK, tilesN } = problem;
  const { rows, columns } = chip.workerGrid;
  const estimate = blockEstimate(problem);
  const mostRows = Math.max(1, Math.floor(batchA * tilesM / (rows * columns)));
  for (const perCoreM of divisorsUpTo(tilesM, mostRows)) {
    for (const in0BlockW of divisorsUpTo(tilesK, tilesK)) {
      if (blockFits({ height: perCoreM, width: tilesN, in0BlockW }, estimate, room)) {
        return matrixPerCore(problem, perCoreM, in0BlockW, chip.workerGrid);
      }
    }
  }
  return undefined;
}

/** The same tensor in DRAM. */
function inPages(tensor: ProgramTensor): ProgramTensor {
  return { ...tensor, placement: "dram_interleaved" };
}

/** Bytes per core that an operand or result takes of L1. */
function heldBytes(tensor: ProgramTensor, cores: number, chip: RuleContext["chip"]): number {
  if (inDram(tensor)) return 0;
  const isLeftOpen = isInShards(tensor) && tensor.shardShape.length === 0;
  return isLeftOpen ? Math.ceil(tensor.bytes / cores) : bytesPerBank(tensor, chip);
}

/** A sharded result is written in whole rows of a core's share, which the backend's own choice neglects. */
function inWholeRows(config: MatmulProgramConfig, { output, compute }: MatmulProblem): MatmulProgramConfig {
  if (!isInShards(output) || !("outBlockH" in config)) return config;
  const { outBlockW, perCoreN, outSubblockH, outSubblockW } = config;
  const outBlockH = outBlockW === perCoreN ? config.outBlockH : 1;
  const isWhole = outSubblockW === perCoreN && outBlockH % outSubblockH === 0;
  return {
    ...config,
    outBlockH,
    outSubblockH: isWhole ? outSubblockH : 1,
    outSubblockW: isWhole ? outSubblockW : largestDivisor(outBlockW, subblockRegisterTiles(compute)),
  };
}
