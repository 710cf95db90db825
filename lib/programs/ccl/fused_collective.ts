// SPDX-License-Identifier: Apache-2.0
import { FUSED_COLLECTIVE } from "../../ops/attributes/collective.ts";
import { COMMON } from "../../ops/attributes/common.ts";
import { readAttributes } from "../../ops/attributes/read_attributes.ts";
import { definitionOf } from "../../ops/op_book.ts";
import type { MeshAxis } from "../../device/mesh.ts";
import { gatherProgram, scatterProgram } from "./collective_program.ts";
import { matmulPrograms } from "../matmul/matmul.ts";
import type { LaunchContext, OpLaunch } from "../op_launch.ts";
import {
  type CollectiveProgram,
  inOrder,
  type MatmulProgram,
  type OpPrograms,
  unknownPrograms,
} from "../program.ts";
import { circularBufferBytes } from "../circular_buffer_sums.ts";
import { isPresent, type ProgramTensor, withFormat, withShape } from "../program_tensor.ts";
import { wholeTensor } from "../stream.ts";

/** Fused matmul that gathers its activation first; the other fused matmul scatters its product. */
export const GATHERING_MATMUL = "ttnn.all_gather_minimal_matmul_async";

/** Operands of a fused matmul in the op's group order (tt-mlir:fused-collectives). */
interface FusedOperands {
  readonly input: ProgramTensor;
  readonly weight: ProgramTensor;
  readonly bias: ProgramTensor | undefined;
  /** Residual and gate of `residual + gate × matmul`. */
  readonly epilogue: readonly ProgramTensor[];
}

/** `all_gather_minimal_matmul_async`: gathers the activation's parts along K and multiplies each as it arrives. */
export function gatherAndMultiply(
  op: OpLaunch,
  axis: MeshAxis | undefined,
  context: LaunchContext,
): OpPrograms {
  return fusedPrograms(op, (operands, output) => {
    const { input } = operands;
    const gathered = gatheredActivation(operands);
    const along = axis ?? axisOfParts(gathered.shape.at(-1) ?? 1, input.shape.at(-1));
    const product = productOf(op, operands, gathered, output, context);
    return product === undefined
      ? undefined
      : fused(gatherProgram(input, gathered, along, context.chip), product, operands);
  });
}

/**
 * `minimal_matmul_strided_reduce_scatter_async`: multiplies each chip's part of K; the partial sums are
 * scattered block by block as they are computed.
 */
export function multiplyAndScatter(
  op: OpLaunch,
  axis: MeshAxis | undefined,
  context: LaunchContext,
): OpPrograms {
  return fusedPrograms(op, (operands, output) => {
    const { input } = operands;
    const partial = partialSums(operands, output);
    const along = axis ?? axisOfParts(partial.shape.at(-1) ?? 1, output.shape.at(-1));
    const product = productOf(op, operands, input, partial, context);
    if (product === undefined) return undefined;
    return fused(
      scatterProgram(partial, output, along, readAttributes(op, FUSED_COLLECTIVE).dim),
      product,
      operands,
    );
  });
}

/** The whole activation, in the memory of its part (tt-mlir:fused-collectives). */
function gatheredActivation({ input, weight }: FusedOperands): ProgramTensor {
  return withShape(input, input.shape.with(-1, weight.shape.at(-2) ?? 1));
}

/** A chip's partial sums of the whole product, in the memory of the activation (tt-mlir:fused-collectives). */
function partialSums({ input, weight }: FusedOperands, { dataType }: ProgramTensor): ProgramTensor {
  return withShape(withFormat(input, dataType), input.shape.with(-1, weight.shape.at(-1) ?? 1));
}

/** The tensor between collective and product, which a fused matmul holds until its end; `undefined` for other ops. */
export function fusedIntermediate(op: OpLaunch): ProgramTensor | undefined {
  if (definitionOf(op.name).family !== "fused_collective") return undefined;
  const operands = fusedOperands(op);
  const [output] = op.outputs;
  if (operands === undefined || output === undefined) return undefined;
  return op.name === GATHERING_MATMUL ? gatheredActivation(operands) : partialSums(operands, output);
}

/** The program of a fused matmul; unknown if operands or the result are missing. */
function fusedPrograms(
  op: OpLaunch,
  programOf: (operands: FusedOperands, output: ProgramTensor) => CollectiveProgram | undefined,
): OpPrograms {
  const operands = fusedOperands(op);
  const [output] = op.outputs;
  const program = operands === undefined || output === undefined ? undefined : programOf(operands, output);
  return program === undefined ? unknownPrograms(op.name, "needs operands and a result") : inOrder(program);
}

function fusedOperands(op: OpLaunch): FusedOperands | undefined {
  const [input, weight, ...others] = op.inputs;
  if (input === undefined || weight === undefined) return undefined;
  const [, , biases = 0, ...epilogues] = readAttributes(op, COMMON).operandSegmentSizes ?? [];
  const added = (epilogues[0] ?? 0) + (epilogues[1] ?? 0);
  return {
    input,
    weight,
    bias: biases > 0 ? others[0] : undefined,
    epilogue: others.slice(biases, biases + added).filter(isPresent),
  };
}

/** One link and a line if the mesh is unknown. */
function axisOfParts(whole: number, part: number | undefined): MeshAxis {
  return { chips: Math.max(2, Math.round(whole / Math.max(1, part ?? whole))), links: 1, topology: "linear" };
}

/** The matmul on all cores except one row, which serves the links (tt-mlir:fused-collectives). */
function productOf(
  op: OpLaunch,
  { weight, bias }: FusedOperands,
  activation: ProgramTensor,
  output: ProgramTensor,
  context: LaunchContext,
): MatmulProgram | undefined {
  const { chip } = context;
  const { rows, columns } = chip.workerGrid;
  const programs = matmulPrograms({
    name: "ttnn.linear",
    attributes: new Map(),
    inputs: [activation, weight, bias],
    outputs: [output],
    config: op.config,
  }, { ...context, chip: { ...chip, workerGrid: { rows: Math.max(1, rows - 1), columns } } });
  if (programs.status === "unknown") return undefined;
  return programs.programs.find((program) => program.kind === "matmul");
}

/** Collective and matmul concurrently, each on its own cores. */
function fused(
  exchange: CollectiveProgram,
  product: MatmulProgram,
  { epilogue }: FusedOperands,
): CollectiveProgram {
  const buffers = [product, exchange].map(({ circularBuffers }) => circularBuffers);
  const larger = circularBufferBytes(product) >= circularBufferBytes(exchange) ? buffers[0] : buffers[1];
  return {
    ...exchange,
    cores: product.cores,
    flops: product.flops,
    circularBuffers: larger ?? [],
    reads: [...exchange.reads, ...epilogue.map(wholeTensor)],
    product,
  };
}
