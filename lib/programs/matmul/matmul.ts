// SPDX-License-Identifier: Apache-2.0
import type { ChipDescription } from "../../device/chip_description.ts";
import { volume } from "../../layout/extents.ts";
import { roundUp } from "../../layout/make_layout.ts";
import type { MatmulProgramConfig } from "../../op_config/op_config.ts";
import type { UnaryWithParam } from "../../op_config/value_kinds.ts";
import { SPARSE_MATMUL } from "../../ops/attributes/matmul.ts";
import { readAttributes } from "../../ops/attributes/read_attributes.ts";
import { isKnownOp } from "../../ops/op_book.ts";
import type { CircularBuffer } from "../circular_buffer.ts";
import { transposeTiles } from "../data_movement/permute.ts";
import { reshaping } from "../data_movement/reshape.ts";
import { eltwisePrograms, vectorFunctionOf } from "../eltwise/eltwise.ts";
import { chainStep, endOf, freeing, launchChain, partStep } from "../launch_sequence.ts";
import {
  type MatmulBlocks,
  matmulBlocks,
  matmulCores,
  type MatmulProblem,
  matmulProblem,
  outputBatches,
} from "./matmul_blocks.ts";
import { matmulBuffers } from "./matmul_buffers.ts";
import { type MatmulPlan, planMatmul } from "./matmul_plan.ts";
import { expertsAtWork, type LaunchContext, type OpLaunch, partLaunch } from "../op_launch.ts";
import { inOrder, type MatmulProgram, NO_PROGRAMS, type OpPrograms, unknownPrograms } from "../program.ts";
import {
  alignmentOf,
  inDram,
  interleavedCopy,
  isPresent,
  type ProgramTensor,
  withShape,
} from "../program_tensor.ts";
import type { TileWork } from "../program_work.ts";
import { wholeTensor } from "../stream.ts";

/** Programs of `matmul` and `linear`, with the given program config or the one that the backend chooses. */
export function matmulPrograms(op: OpLaunch, context: LaunchContext): OpPrograms {
  if (multipliesNothing(op)) return NO_PROGRAMS;
  const plan = planMatmul(op, () => context.room().beforeResults, context.chip, context.isDeviceOperation);
  const [result] = op.outputs;
  return plan === undefined || result === undefined
    ? unknownPrograms(op.name, "needs two operands and a result")
    : launchMatmul(plan, result, context);
}

/** Whether an operand is empty: the host then fills the result (`ttnn:backend-0-81-1`). */
export function multipliesNothing(
  { inputs }: { readonly inputs: readonly ({ readonly shape: readonly number[] } | undefined)[] },
): boolean {
  return inputs.slice(0, 2).some((input) => input !== undefined && volume(input.shape) === 0);
}

/**
 * The programs of a planned `matmul` or `linear`: transposed copies of operands and the column of a vector (freed at the
 * end), the matmul, its column as a row, the addition of a bias, the activation. Each program's result is allocated
 * before it runs; its operands are freed after it (`ttnn:backend-0-81-1`).
 */
export function launchMatmul(plan: MatmulPlan, result: ProgramTensor, context: LaunchContext): OpPrograms {
  const { chip } = context;
  const output = onDevice(result);
  const isByVector = output.shape.length !== plan.problem.output.shape.length;
  const problem = {
    ...plan.problem,
    output: isByVector ? withShape(output, plan.problem.output.shape) : output,
  };
  const blocked = matmulProgram(problem, plan.config, chip);
  const product = plan.isChosen ? { ...blocked, byBackend: true } : blocked;
  const { transposed, addedBias, activation } = plan;
  const copies = transposed.map((operand) => {
    const copy = onDevice(problem[operand]);
    return chainStep(copy, transposeTiles(copy, copy, chip));
  });
  const steps = [chainStep(problem.output, product)];
  if (isByVector) {
    const { in1 } = problem;
    const column = reshaping(withShape(in1, in1.shape.slice(0, 1)), in1, chip);
    if (column.programs.length > 0) copies.push(partStep(in1, column));
    const row = reshaping(problem.output, output, chip);
    if (row.programs.length > 0) steps.push(partStep(output, row, [problem.output]));
  }
  const further = [
    ...addedBias === undefined ? [] : [elementwise("ttnn.add", [output, addedBias], output, context)],
    ...activation === undefined ? [] : [elementwise(`ttnn.${activation}`, [output], output, context)],
  ];
  for (const launched of further) {
    if (launched.status === "unknown") return launched;
    steps.push(partStep(output, launched, [endOf(steps, output)]));
  }
  return launchChain(freeing([...copies, ...steps], ...copies.map(({ tensor }) => tensor)), chip);
}

/** The device copy of a host tensor, which the op makes first. */
function onDevice(tensor: ProgramTensor): ProgramTensor {
  return tensor.placement === "host" ? interleavedCopy(tensor, "dram") : tensor;
}

/** Programs of an elementwise op as a step of another op. */
function elementwise(
  name: string,
  inputs: readonly [ProgramTensor, ...ProgramTensor[]],
  output: ProgramTensor,
  context: LaunchContext,
): OpPrograms {
  if (!isKnownOp(name)) return unknownPrograms(name, "is no activation that is known");
  return eltwisePrograms(partLaunch(name, inputs, output), context);
}

/**
 * The program of a matmul with a given program config; `undefined`: the program without data reuse.
 *
 * @param problem with the result's final memory, and with the bias only if the program adds it
 */
export function matmulProgram(
  problem: MatmulProblem,
  config: MatmulProgramConfig | undefined,
  chip: Pick<ChipDescription, "dramBanks" | "workerGrid">,
): MatmulProgram {
  const fused = config !== undefined && "fusedActivation" in config ? config.fusedActivation : undefined;
  return {
    ...programOfBlocks(problem, matmulBlocks(problem, config, chip), matmulBuffers(problem, config, chip)),
    activation: fused === undefined ? [] : activationWork(fused),
  };
}

/**
 * The vector unit's work for a fused activation; relu is done by the packer (`tt-metal:matmul`), and gelu with a
 * parameter other than 0 reads a table (`tt-metal:gelu-approximate`).
 */
function activationWork({ opType, params: [parameter = 0] }: UnaryWithParam): readonly TileWork[] {
  if (opType === "gelu" && parameter !== 0) return [{ operation: "lookup", count: 1 }];
  const vector = opType === "relu" ? "none" : vectorFunctionOf(opType) ?? "none";
  return vector === "none" ? [] : [{ operation: vector, count: 1 }];
}

/** The program of a matmul with given blocks. */
export function programOfBlocks(
  problem: MatmulProblem,
  blocks: MatmulBlocks,
  circularBuffers: readonly CircularBuffer[],
): MatmulProgram {
  const { in0, in1, bias, output, tilesM, tilesK, tilesN } = problem;
  return {
    kind: "matmul",
    cores: matmulCores(problem, blocks),
    circularBuffers,
    reads: [in0, in1, bias].filter(isPresent).map(wholeTensor),
    writes: [wholeTensor(output)],
    flops: outputBatches(problem) * tilesM * tilesN * tilesK * 2 * 32 ** 3,
    problem,
    blocks,
    fidelity: problem.compute.mathFidelity,
    activation: [],
  };
}

/** Operands and result of a matmul that are in DRAM. */
export function matmulDramTensors({ in0, in1, bias, output }: MatmulProblem): readonly ProgramTensor[] {
  return [in0, in1, bias, output].filter(isPresent).filter(inDram);
}

/**
 * `sparse_matmul`: the whole result becomes zeros (`ttnn:backend-0-81-1`); then, for each pair marked in the sparsity
 * tensor, a batch of rows is multiplied with one expert's weights. A is multicast and the expert's columns are
 * distributed over the cores. Buffers hold the configured output blocks; the measured time is that of cores that make
 * all of their columns at once. The number of marked pairs is data: the attribute `nnz`, or an assumption
 * ({@linkcode expertsAtWork}).
 */
export function sparseMatmulPrograms(op: OpLaunch, context: LaunchContext): OpPrograms {
  const { chip, assumed } = context;
  const dense = matmulProblem({ ...op, inputs: op.inputs.slice(0, 2) }, chip);
  const config = op.config?.kind === "matmul" ? op.config.programConfig : undefined;
  const sparsity = op.inputs[2];
  if (dense === undefined || sparsity === undefined) {
    return unknownPrograms(op.name, "needs three operands and a result");
  }
  if (config?.kind !== "matmul_multi_core_reuse_multi_cast_1d" || !config.mcastIn0) {
    return unknownPrograms(op.name, "needs a 1D program config that multicasts operand 0");
  }
  const { is_input_a_sparse: isPaired, nnz: told } = readAttributes(op, SPARSE_MATMUL);
  const groups = isPaired ? dense.batchA / dense.batchB : dense.batchA;
  const products = told ?? groups * expertsAtWork(assumed, dense.batchB);
  const problem: MatmulProblem = {
    ...dense,
    in1: share(dense.in1, products / dense.batchB),
    output: share(dense.output, products / (groups * dense.batchB)),
    batchA: 1,
    batchB: products,
  };
  const unfused = { ...config, fuseBatch: false };
  const { perCoreM, perCoreN } = config;
  const program = matmulProgram(problem, { ...unfused, outBlockH: perCoreM, outBlockW: perCoreN }, chip);
  const pairs = groups * dense.batchB;
  const circularBuffers = [
    ...matmulBuffers({ ...dense, batchA: pairs, batchB: pairs }, unfused, chip),
    // One for the core that sends A, one for the cores that read the weights.
    { name: "sparsity", bytes: 2 * roundUp(sparsity.pageBytes, alignmentOf(sparsity, chip)) },
  ];
  const { output } = dense;
  const zeros = eltwisePrograms(partLaunch("ttnn.relu", [output], output), context);
  if (zeros.status === "unknown") return zeros;
  const byExpert = told === undefined ? { byExpert: true } : {};
  return inOrder(...zeros.programs, { ...program, circularBuffers, ...byExpert });
}

/** The part of a tensor that marked pairs read or write; weights used by several groups are read for each. */
function share(tensor: ProgramTensor, part: number): ProgramTensor {
  return { ...tensor, bytes: part * tensor.bytes };
}
