// SPDX-License-Identifier: Apache-2.0
import type { ChipDescription } from "../../device/chip_description.ts";
import type { DataType } from "../../layout/data_type.ts";
import { definitionOf } from "../../ops/op_book.ts";
import { operandSegments } from "../../ops/operand_groups.ts";
import type { CircularBuffer } from "../circular_buffer.ts";
import { eltwiseStep } from "../eltwise/eltwise.ts";
import { unaryBuffers } from "../eltwise/eltwise_buffers.ts";
import { eltwiseProgram, tileWork } from "../eltwise/eltwise_program.ts";
import { type ChainStep, chainStep, freeing, launchChain, partStep } from "../launch_sequence.ts";
import type { LaunchContext, UnaryLaunch } from "../op_launch.ts";
import { inOrder, type OpPrograms, type StreamProgram, unknownPrograms } from "../program.ts";
import { isPresent, layoutOf, type ProgramTensor, withShape } from "../program_tensor.ts";
import { planReduction, type ReductionFault } from "../reduction/reduction_plan.ts";
import { streamProgram, tileBuffer, wholeTensor } from "../stream.ts";

/**
 * Batch norm: y = (x − mean) / deviation · weight + bias, tile by tile. Training computes mean and variance first, which
 * are most of its programs, and updates the running statistics in the end (`ttnn:backend-0-81-1`).
 */
export function batchNormPrograms(op: UnaryLaunch, context: LaunchContext): OpPrograms {
  const { input, output } = op;
  const operands = op.inputs.filter(isPresent);
  const [, ...given] = operandSegments(op.attributes) ?? [];
  let next = 1;
  const [mean, variance, weight, bias] = given.length === 0
    ? operands.slice(1)
    : given.map((count) => count === 0 ? undefined : operands[next++]);
  if (definitionOf(op.name).family !== "batch_norm_training") {
    const statistics = [mean, variance, weight, bias].filter(isPresent);
    return inOrder(normProgram(input, output, statistics, [weight, bias], context.chip));
  }
  return trainedPrograms(op, { running: [mean, variance].filter(isPresent), weight, bias }, context);
}

/** Operands of a batch norm in training besides its input. */
interface TrainedOperands {
  /** Mean and variance that are updated in place. */
  readonly running: readonly ProgramTensor[];
  readonly weight: ProgramTensor | undefined;
  readonly bias: ProgramTensor | undefined;
}

/** Programs in training: mean, squared differences, variance (their mean), normalization, update of the running ones. */
function trainedPrograms(
  { name, input, output }: UnaryLaunch,
  { running, weight, bias }: TrainedOperands,
  context: LaunchContext,
): OpPrograms {
  const { chip } = context;
  const squared = withShape(output, input.shape);
  const mean = planMean(input, output, context);
  const variance = planMean(squared, output, context);
  if ("fault" in mean) return unknownPrograms(name, mean.fault);
  if ("fault" in variance) return unknownPrograms(name, variance.fault);
  const difference = { ...squared };
  const { buffers } = unaryBuffers(squared, squared);
  const statistics = [mean.result, variance.result, weight, bias].filter(isPresent);
  const update = updateProgram([mean.result, variance.result, ...running], mean.result, chip);
  const scaling = eltwiseStep("ttnn.multiply", [variance.result], variance.result, context, true);
  return launchChain([
    ...mean.steps,
    chainStep(difference, eltwiseStep("ttnn.subtract", [input, mean.result], squared, context)),
    chainStep(squared, eltwiseProgram([squared], squared, tileWork("none", [squared]), buffers, chip)),
    ...freeing(variance.steps, squared, difference),
    { ...chainStep(output, normProgram(input, output, statistics, [weight, bias], chip)), result: 0 },
    ...running.length === 0 ? [] : [chainStep(variance.result, scaling), chainStep(mean.result, update)],
  ], chip);
}

/** The mean over images, of the mean over pixels. */
function planMean(
  operand: ProgramTensor,
  output: ProgramTensor,
  context: LaunchContext,
): { readonly result: ProgramTensor; readonly steps: readonly ChainStep[] } | ReductionFault {
  const [images = 1, channels = 1] = operand.shape;
  const meanOver = (from: ProgramTensor, dims: readonly number[], count: number) =>
    planReduction({
      kind: "mean",
      operand: from,
      dims,
      shape: [count, channels, 1, 1],
      asked: layoutOf(output),
      keepsFormat: true,
    }, context);
  const ofImages = meanOver(operand, [2, 3], images);
  if ("fault" in ofImages) return ofImages;
  const mean = meanOver(ofImages.result, [0], 1);
  if ("fault" in mean) return mean;
  const { result } = mean;
  const perImage = partStep(ofImages.result, ofImages.launched);
  return { result, steps: [perImage, partStep(result, mean.launched, [ofImages.result])] };
}

function normProgram(
  input: ProgramTensor,
  output: ProgramTensor,
  statistics: readonly ProgramTensor[],
  affine: readonly (ProgramTensor | undefined)[],
  chip: ChipDescription,
): StreamProgram {
  const buffers = normBuffers(input.dataType, statistics[0], affine);
  return tilesProgram([input, ...statistics], output, buffers, chip);
}

const UPDATE_BUFFERS = [
  ...["mean", "variance", "out", "old_mean", "old_variance"],
  ...["momentum", "one", "scaled", "updated"],
];

/** Running statistics: (1 − momentum) · old + momentum · batch. */
function updateProgram(
  statistics: readonly ProgramTensor[],
  output: ProgramTensor,
  chip: ChipDescription,
): StreamProgram {
  const buffers = UPDATE_BUFFERS.map((name) => tileBuffer(name, 2, output.dataType));
  return tilesProgram(statistics, output, buffers, chip);
}

function tilesProgram(
  operands: readonly ProgramTensor[],
  output: ProgramTensor,
  circularBuffers: readonly CircularBuffer[],
  chip: ChipDescription,
): StreamProgram {
  return streamProgram({
    units: output.tiles,
    reads: [...new Set(operands)].map(wholeTensor),
    writes: [wholeTensor(output)],
    compute: { work: [{ operation: "eltwise", count: 4 }] },
    flops: output.tiles * 1024 * 4,
    circularBuffers,
  }, chip);
}

/**
 * Two tiles per buffer: operands in their formats, bf16 for absent weight or bias, all others f32 if any
 * operand is f32; the result is then computed in f32 and copied (`ttnn:backend-0-81-1`).
 */
function normBuffers(
  dataType: DataType,
  mean: ProgramTensor | undefined,
  [weight, bias]: readonly (ProgramTensor | undefined)[],
): readonly CircularBuffer[] {
  const given = mean?.dataType ?? dataType;
  const wide = dataType === "f32" || given === "f32" ? "f32" : dataType;
  const affine = (operand: ProgramTensor | undefined) => operand === undefined ? "bf16" : given;
  const buffers: readonly (readonly [string, DataType])[] = [
    ["in0", dataType],
    ["mean", given],
    ["out", wide],
    ["variance", given],
    ["eps", wide],
    ["weight", affine(weight)],
    ["bias", affine(bias)],
    ["denominator", wide],
    ["scaled", wide],
    ...wide === dataType ? [] : [["narrow", dataType] as const],
  ];
  return buffers.map(([name, format]) => tileBuffer(name, 2, format));
}
