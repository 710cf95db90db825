// SPDX-License-Identifier: Apache-2.0
import type { MatmulProgramConfig, OpSpecificAttributes } from "../../op_config/op_config.ts";
import { autoMatmulConfig } from "../../programs/matmul/matmul_auto_config.ts";
import {
  blockEstimate,
  blockFits,
  largestDivisor,
  subblockRegisterTiles,
} from "../../programs/matmul/matmul_blocking.ts";
import { type MatmulProblem, matmulProblem, matrixPerCore } from "../../programs/matmul/matmul_blocks.ts";
import { divisorsUpTo } from "../../programs/stream.ts";
import { separateActivation, tileRowsOf } from "../../programs/matmul/matmul_plan.ts";
import { emptyRoom } from "../../programs/op_launch.ts";
import {
  bytesPerBank,
  inDram,
  isInShards,
  isInterleaved,
  type ProgramTensor,
} from "../../programs/program_tensor.ts";
import type { ConstraintQuery, RuleContext } from "../rule.ts";
import { askedLaunch } from "./program.ts";

/**
 * The config that a plan writes for a matmul or linear in given layouts. It is an explicit program config if
 * any tensor is sharded or in L1: the backend's own choice may fail the backend's checks, applies an
 * activation in a second program or refuses it, and depends on other L1 contents. It includes the activation
 * and the compute config that the op had without it, because a program config changes the default. Left to
 * the backend: matmuls of DRAM tensors, and many small matrices in L1 for which its choice is constant.
 *
 * @param own the op's config in the input
 */
export function writtenMatmulConfig(
  query: ConstraintQuery,
  own: OpSpecificAttributes | undefined,
): OpSpecificAttributes | undefined {
  const { chip } = query;
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

/**
 * A program config that does not depend on other L1 contents; `undefined` to leave the choice to the backend.
 */
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
 * The program that the backend chooses for DRAM tensors, with the batch of A as rows. For L1 tensors it would
 * choose square blocks on few cores, or the program without blocks.
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
 * Batched matmul: whole tile rows of one matrix per core, on as many cores as there are rows. `undefined` if
 * the backend takes the program without data reuse for any free L1; that one uses all cores too.
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

/** The same tensor, DRAM interleaved. */
function inPages(tensor: ProgramTensor): ProgramTensor {
  return { ...tensor, placement: "dram_interleaved" };
}

/** Bytes of L1 per core of an operand or result. */
function heldBytes(tensor: ProgramTensor, cores: number, chip: RuleContext["chip"]): number {
  if (inDram(tensor)) return 0;
  const isLeftOpen = isInShards(tensor) && tensor.shardShape.length === 0;
  return isLeftOpen ? Math.ceil(tensor.bytes / cores) : bytesPerBank(tensor, chip);
}

/**
 * Restricts a sharded result to whole tile rows of a core's share, which the backend's own choice neglects.
 */
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
