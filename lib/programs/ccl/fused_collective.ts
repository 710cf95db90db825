// SPDX-License-Identifier: Apache-2.0
import type { MeshAxis } from "../../device/mesh.ts";
import { FUSED_COLLECTIVE } from "../../ops/attributes/collective.ts";
import { COMMON } from "../../ops/attributes/common.ts";
import { readAttributes } from "../../ops/attributes/read_attributes.ts";
import { definitionOf } from "../../ops/op_book.ts";
import { axisOfParts, gatherProgram, scatterProgram } from "./collective_program.ts";
import { circularBufferBytes } from "../circular_buffer.ts";
import { matmulPrograms } from "../matmul/matmul.ts";
import { type LaunchContext, type OpLaunch, partLaunch } from "../op_launch.ts";
import {
  type CollectiveProgram,
  inOrder,
  type MatmulProgram,
  type OpPrograms,
  unknownPrograms,
} from "../program.ts";
import { isPresent, type ProgramTensor, withFormat, withShape } from "../program_tensor.ts";
import { wholeTensor } from "../stream.ts";

/** Fused matmul that gathers its activation first; the other fused matmul scatters its product. */
const GATHERING_MATMUL = "ttnn.all_gather_minimal_matmul_async";

/** Operands of a fused matmul in the op's group order (tt-mlir:fused-collectives). */
interface FusedOperands {
  readonly input: ProgramTensor;
  readonly weight: ProgramTensor;
  readonly bias: ProgramTensor | undefined;
  /** Residual and gate of `residual + gate × matmul`. */
  readonly epilogue: readonly ProgramTensor[];
}

/**
 * `all_gather_minimal_matmul_async` gathers the activation's parts along K and multiplies each as it arrives;
 * `minimal_matmul_strided_reduce_scatter_async` multiplies each chip's part of K, and the partial sums are scattered block
 * by block as they are computed.
 */
export function fusedCollective(
  op: OpLaunch,
  axis: MeshAxis | undefined,
  context: LaunchContext,
): OpPrograms {
  const operands = fusedOperands(op);
  const [output] = op.outputs;
  const between = fusedIntermediate(op);
  const unknown = unknownPrograms(op.name, "needs operands and a result");
  if (operands === undefined || output === undefined || between === undefined) return unknown;
  const { input } = operands;
  const gathers = op.name === GATHERING_MATMUL;
  const [activation, made, part] = gathers ? [between, output, input] : [input, between, output];
  const product = productOf(op, operands, activation, made, context);
  if (product === undefined) return unknown;
  const whole = between.shape.at(-1) ?? 1;
  const along = axis ?? axisOfParts(whole, part.shape.at(-1) ?? whole);
  const exchange = gathers
    ? gatherProgram(input, between, along, context.chip)
    : scatterProgram(between, output, along, readAttributes(op, FUSED_COLLECTIVE).dim);
  return inOrder(fused(exchange, product, operands));
}

/**
 * The tensor between collective and product, which a fused matmul holds until its end: the whole activation, or a chip's
 * partial sums of the whole product, in the memory of the activation (tt-mlir:fused-collectives); `undefined` for other ops.
 */
export function fusedIntermediate(op: OpLaunch): ProgramTensor | undefined {
  if (definitionOf(op.name).family !== "fused_collective") return undefined;
  const operands = fusedOperands(op);
  const [output] = op.outputs;
  if (operands === undefined || output === undefined) return undefined;
  const { input, weight } = operands;
  return op.name === GATHERING_MATMUL
    ? withShape(input, input.shape.with(-1, weight.shape.at(-2) ?? 1))
    : withShape(withFormat(input, output.dataType), input.shape.with(-1, weight.shape.at(-1) ?? 1));
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
  const linear = { ...partLaunch("ttnn.linear", [activation, weight, bias], output), config: op.config };
  const fewer = { ...chip, workerGrid: { rows: Math.max(1, rows - 1), columns } };
  const programs = matmulPrograms(linear, { ...context, chip: fewer });
  if (programs.status === "unknown") return undefined;
  return programs.programs.find((program) => program.kind === "matmul");
}

/** Collective and matmul concurrently, each on its own cores. */
function fused(
  exchange: CollectiveProgram,
  product: MatmulProgram,
  { epilogue }: FusedOperands,
): CollectiveProgram {
  const larger = circularBufferBytes(product) >= circularBufferBytes(exchange) ? product : exchange;
  return {
    ...exchange,
    cores: product.cores,
    flops: product.flops,
    circularBuffers: larger.circularBuffers,
    reads: [...exchange.reads, ...epilogue.map(wholeTensor)],
    product,
  };
}
