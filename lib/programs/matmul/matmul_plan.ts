// SPDX-License-Identifier: Apache-2.0
import type { ChipDescription } from "../../device/chip_description.ts";
import type { AttributeMap } from "../../ir/attribute.ts";
import { matrixExtents, sameExtents, swapExtents } from "../../layout/extents.ts";
import { physicalExtent } from "../../layout/make_layout.ts";
import { DEFAULT_TILE } from "../../layout/ttnn_layout.ts";
import { spelledActivation } from "../../op_config/activations.ts";
import type { MatmulProgramConfig } from "../../op_config/op_config.ts";
import { autoMatmulConfig, type MatmulFault } from "./matmul_auto_config.ts";
import { type MatmulProblem, matmulProblem } from "./matmul_blocks.ts";
import type { OpLaunch } from "../op_launch.ts";
import { inDram, isInShards, isInterleaved, type ProgramTensor } from "../program_tensor.ts";

/** The program chain of a `matmul` or `linear`, before the result's final memory is known. */
export interface MatmulPlan {
  /** Operands that are copied in transposed form first. */
  readonly transposed: readonly ("in0" | "in1")[];
  /** The matmul as its program sees it: on the copies, with a bias only if the program adds it. */
  readonly problem: MatmulProblem;
  /** The program config; `undefined`: the program without data reuse. */
  readonly config: MatmulProgramConfig | undefined;
  /** Whether the backend chose the config. */
  readonly isChosen: boolean;
  /** Bias that a separate program adds. */
  readonly addedBias: ProgramTensor | undefined;
  /** Activation that a separate last program applies. */
  readonly activation: string | undefined;
  /** Why the backend fails before it checks the config. */
  readonly fault: MatmulFault | undefined;
}

/**
 * The backend's program chain for a `matmul` or `linear` (`ttnn:backend-0-81-1`): transposed copies of
 * operands that the program cannot read transposed, the bias inside or after the program, an activation that
 * no config contains.
 *
 * @param op its output is the requested memory
 * @param room free bytes of L1 per core before the op allocates anything; evaluated only if the backend
 * chooses the config
 * @param isDeviceOperation whether the program adds every bias, as profilers time it
 * @returns `undefined` if an operand or the result is missing
 */
export function planMatmul(
  op: OpLaunch,
  room: () => number,
  chip: Pick<ChipDescription, "architecture" | "workerGrid">,
  isDeviceOperation = false,
): MatmulPlan | undefined {
  const asWritten = matmulProblem(op, chip);
  if (asWritten === undefined) return undefined;
  const given = op.config?.kind === "matmul" ? op.config.programConfig : undefined;
  const activation = separateActivation(op.attributes, given);
  const choose = (problem: MatmulProblem) =>
    given === undefined ? autoMatmulConfig(problem, room(), chip) : { config: given };
  let fault = activationFault(asWritten, activation);
  let problem = asWritten;
  let choice = choose(problem);
  const transposed = copiedOperands(problem, choice.config);
  if (transposed.length > 0) {
    fault ??= misreadBias(problem);
    problem = withCopies(problem);
    choice = choose(problem);
  }
  const addedBias = isBiasFused(problem, given, isDeviceOperation) ? undefined : problem.bias;
  if (addedBias !== undefined) {
    fault ??= addedBiasFault(problem, addedBias);
    problem = { ...problem, bias: undefined };
    choice = choose(problem);
  }
  return {
    transposed,
    problem,
    config: choice.config,
    isChosen: given === undefined,
    addedBias,
    activation,
    fault: fault ?? ("fault" in choice ? choice.fault : undefined),
  };
}

/** The activation of an op, unless its program config applies it. */
export function separateActivation(
  attributes: AttributeMap,
  given: MatmulProgramConfig | undefined,
): string | undefined {
  const isFused = given !== undefined && "fusedActivation" in given && given.fusedActivation !== undefined;
  return isFused ? undefined : spelledActivation(attributes);
}

function activationFault(
  { in0, in1 }: MatmulProblem,
  activation: string | undefined,
): MatmulFault | undefined {
  if (activation === undefined || (!isInShards(in0) && !isInShards(in1))) return undefined;
  const reason = `with a sharded operand, ${activation} must be the fused_activation of a program config`;
  return { what: "activation-of-shards", reason };
}

/**
 * Operands that need a transposed copy: the program without data reuse and the DRAM-sharded one cannot read
 * transposed operands.
 */
function copiedOperands(
  { in0Transposed, in1Transposed }: MatmulProblem,
  config: MatmulProgramConfig | undefined,
): readonly ("in0" | "in1")[] {
  if (config !== undefined && config.kind !== "matmul_multi_core_reuse_multi_cast_dram_sharded") return [];
  return (["in0", "in1"] as const).filter((operand) => operand === "in0" ? in0Transposed : in1Transposed);
}

function withCopies(problem: MatmulProblem): MatmulProblem {
  return {
    ...problem,
    in0: problem.in0Transposed ? transposedCopy(problem.in0) : problem.in0,
    in1: problem.in1Transposed ? transposedCopy(problem.in1) : problem.in1,
    in0Transposed: false,
    in1Transposed: false,
  };
}

/** A copy with the last two dimensions swapped, in the original's memory. */
function transposedCopy(tensor: ProgramTensor): ProgramTensor {
  const shape = tensor.shape.length < 2 ? [1, ...tensor.shape] : tensor.shape;
  const swapped = swapExtents(shape, shape.length - 2, shape.length - 1);
  return { ...tensor, shape: swapped, extent: physicalExtent(swapped, DEFAULT_TILE) };
}

/**
 * With a bias and a transposed copy, the backend derives the result's shape from the operands as stored: the
 * addition fails or yields a wrong shape.
 */
function misreadBias({ in0, in1, output, bias }: MatmulProblem): MatmulFault | undefined {
  if (bias === undefined) return undefined;
  const width = in1.shape.at(-1) ?? 1;
  const longest = in1.shape.length > in0.shape.length ? in1.shape : in0.shape;
  const isRight = sameExtents([...longest.slice(0, -1), width], output.shape) &&
    (bias.shape.at(-1) === 1 || bias.shape.at(-1) === width);
  if (isRight) return undefined;
  return {
    what: "bias-of-transposed",
    reason: "a bias behind transposed copies of operands gives a result of the wrong shape",
  };
}

/** Columns of the product, without padding. */
function columnsOf({ in1, in1Transposed }: MatmulProblem): number {
  return matrixExtents(in1.shape, in1Transposed).columns;
}

/** A bias that is added after the product is broadcast to it. */
function addedBiasFault(problem: MatmulProblem, bias: ProgramTensor | undefined): MatmulFault | undefined {
  const columns = columnsOf(problem);
  const width = bias?.shape.at(-1) ?? 1;
  if (width === 1 || width === columns) return undefined;
  const reason = `a bias of ${width} columns does not fit ${columns} columns of the product`;
  return { what: "bias-columns", reason };
}

/** Whether the matmul's program adds the bias: only one of as many columns as the product (`ttnn:backend-0-81-1`). */
function isBiasFused(
  problem: MatmulProblem,
  given: MatmulProgramConfig | undefined,
  fusesEvery: boolean,
): boolean {
  const { in0, in1, output, bias, batchB, tilesM } = problem;
  if (bias === undefined) return true;
  if (!fusesEvery && bias.shape.at(-1) !== columnsOf(problem)) return false;
  if (given?.kind === "matmul_multi_core_reuse") {
    // Whole matrices of whole tiles.
    const rows = bias.shape.length > 1 ? bias.shape.at(-2) ?? 1 : 1;
    return rows === tilesM * 32 && given.perCoreM % tilesM === 0 && !problem.in0Transposed &&
      !problem.in1Transposed;
  }
  if (tileRowsOf(bias) !== 1 || batchB > 1) return false;
  if (given !== undefined || fusesEvery) return true;
  if (!inDram(output)) return false;
  return isInShards(in0) || (isInterleaved(in1) && isInterleaved(output) && inDram(in0) && inDram(in1));
}

/** Tile rows of one matrix of a bias. */
export function tileRowsOf({ shape }: ProgramTensor): number {
  return shape.length > 1 ? Math.ceil((shape.at(-2) ?? 1) / 32) : 1;
}
