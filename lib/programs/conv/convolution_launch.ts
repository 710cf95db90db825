// SPDX-License-Identifier: Apache-2.0
import type { ChipDescription } from "../../device/chip_description.ts";
import { roundUp } from "../../layout/make_layout.ts";
import {
  convolutionProgram,
  convolutionRequest,
  type ConvolutionRoute,
  routeConvolution,
  sliceConfigOf,
} from "./convolution.ts";
import type { ShardedConvolution } from "./convolution_plan.ts";
import { needsReshape, type SlicedConvolution } from "./convolution_slices.ts";
import { foldProgram, linearSteps, pointwiseProblem, pointwiseProgram } from "./matmul_convolution.ts";
import { moveSteps } from "../data_movement/memory_move.ts";
import { reshaping } from "../data_movement/reshape.ts";
import { tilizeSteps, untilizeSteps } from "../data_movement/tilize.ts";
import { type ChainStep, chainStep, endOf, freeing, launchChain } from "../launch_sequence.ts";
import type { LaunchContext, OpLaunch } from "../op_launch.ts";
import { type KnownPrograms, type OpPrograms, unknownPrograms } from "../program.ts";
import {
  inDram,
  inPages,
  interleavedCopy,
  isInterleaved,
  memoryOf,
  type ProgramTensor,
  sameShards,
  tiledTensor,
} from "../program_tensor.ts";
import { gatherSteps } from "../sliding_window/halo.ts";
import { paddedSlice, writtenRows } from "../sliding_window/padded_slice.ts";
import { isRefused } from "../sliding_window/sliding_window.ts";

/**
 * Programs of `conv2d`, `conv_transpose2d` and `conv1d` in the backend's order: activation into shards, halo,
 * convolution (or matmul), result into the requested memory. Slices run one after another.
 */
export function convolutionPrograms(op: OpLaunch, context: LaunchContext): OpPrograms {
  const [input, weight, bias] = op.inputs;
  const [output] = op.outputs;
  if (input === undefined || weight === undefined || output === undefined) {
    return unknownPrograms(op.name, "needs an input, a weight and a result");
  }
  const operands = { input, weight, hasBias: bias !== undefined, outType: output.dataType };
  const request = convolutionRequest(op, operands, context);
  if (request === undefined) {
    return unknownPrograms(op.name, "batch, image, channels or kernel are missing or do not fit");
  }
  const route = routeConvolution(request, sliceConfigOf(op.config), () => context.room().freeBytes);
  if (isRefused(route)) return unknownPrograms(op.name, route.reason);
  if (route.kind === "sliced" && !inDram(output)) {
    return unknownPrograms(op.name, "what is read from DRAM slice by slice is written to DRAM");
  }
  return launchConvolution(route, { input, weight, bias, output }, context);
}

/** The tensors of a convolution. */
export interface ConvolutionTensors {
  readonly input: ProgramTensor;
  readonly weight: ProgramTensor;
  readonly bias: ProgramTensor | undefined;
  readonly output: ProgramTensor;
}

/** The programs of a convolution on a route. */
export function launchConvolution(
  route: ConvolutionRoute,
  tensors: ConvolutionTensors,
  context: LaunchContext,
): KnownPrograms {
  return launchChain(stepsOf(route, { ...tensors, context }), context.chip, tensors.input);
}

/** A convolution that is launched. */
interface Launch extends ConvolutionTensors {
  readonly context: LaunchContext;
}

function stepsOf(route: ConvolutionRoute, launch: Launch): readonly ChainStep[] {
  const { output, context } = launch;
  switch (route.kind) {
    case "linear":
      return linearSteps(route.request, launch, context);
    case "sharded": {
      const { steps, left } = shardedSteps(route, launch);
      if (isWanted(route.result, output)) return freeing(steps, ...left);
      return [...steps, ...freeing(moveSteps(route.result, output, context.chip), route.result, ...left)];
    }
    case "sliced":
      return slicedSteps(route, launch);
    case "folded": {
      const { request, then } = route;
      const folded = then.request.input;
      return [
        chainStep(folded, foldProgram(request, folded, context.chip)),
        ...stepsOf(then, launch),
      ];
    }
  }
}

/** Whether the kernel's result is in the requested layout, so that it is the op's. */
function isWanted(result: ProgramTensor, output: ProgramTensor): boolean {
  return result.tiled === output.tiled && sameShards(result, output);
}

/** The steps up to the kernel's result, and the tensors that are freed when the op ends. */
interface ShardedSteps {
  readonly steps: readonly ChainStep[];
  readonly left: readonly ProgramTensor[];
}

function shardedSteps(plan: ShardedConvolution, launch: Launch): ShardedSteps {
  const { request: { input, config, transposed }, isMatmul, halo, activation } = plan;
  const frees = config.deallocateActivation === true && memoryOf(input) === "l1";
  const staged = stagingSteps(plan, frees, launch.context.chip);
  if (isMatmul) return pointwiseSteps(plan, staged, frees, launch);
  const source = endOf(staged, input);
  const own = staged.length === 0 ? [] : [source];
  if (halo === undefined) return { steps: [...staged, kernelStep(plan, activation, launch)], left: own };
  // The halo replaces its source shards.
  const drops = own.length === 0 ? frees : config.deallocateActivation === true || !transposed;
  const steps = [
    ...staged,
    ...gatherSteps(halo, config.reallocateHaloOutput !== false, drops ? source : undefined),
    kernelStep(plan, halo.output, launch),
  ];
  const kept = drops ? [] : own;
  return transposed
    ? { steps: freeing(steps, halo.output), left: kept }
    : { steps, left: [halo.output, ...kept] };
}

/** What puts the activation into the shards that the kernel or its halo reads. @param frees whether sources are freed */
function stagingSteps(
  { request: { input }, staging }: ShardedConvolution,
  frees: boolean,
  chip: ChipDescription,
): readonly ChainStep[] {
  // The new tensor replaces its source.
  const replacing = (steps: readonly ChainStep[], from: ProgramTensor, to: ProgramTensor) =>
    frees ? [...freeing(steps, from, to), { tensor: to, programs: [] }] : steps;
  const tilized = staging.tilizes === "before" ? inPages(input, "tile") : input;
  return [
    ...tilized === input ? [] : replacing(tilizeSteps(input, tilized, chip), input, tilized),
    ...staging.shards === undefined
      ? []
      : replacing(moveSteps(tilized, staging.shards, chip), tilized, staging.shards),
  ];
}

/** The matmul of a 1x1 convolution. */
function pointwiseSteps(
  plan: ShardedConvolution,
  staged: readonly ChainStep[],
  frees: boolean,
  { weight, context: { chip } }: Launch,
): ShardedSteps {
  const { request, staging, activation, result, input, blocks, circularBuffers } = plan;
  const steps = [...staged];
  let [live, source] = [endOf(staged, request.input), activation];
  if (staging.tilizes === "after") {
    source = inPages(activation, "tile");
    // Shards created from interleaved row-major data hold whole padded tiles.
    const [from, to] = isInterleaved(request.input)
      ? [inWholeTiles(activation), inWholeTiles(source)]
      : [activation, source];
    const tilized = tilizeSteps(from, to, chip);
    steps.push(...staged.length > 0 || frees ? freeing(tilized, live) : tilized);
    live = to;
  }
  const problem = pointwiseProblem(request, { input: source, weight, output: result });
  const isOwn = steps.length > 0;
  steps.push(
    chainStep(result, pointwiseProgram(problem, input, blocks, circularBuffers), frees ? [live] : []),
  );
  return { steps, left: isOwn && !frees ? [live] : [] };
}

function kernelStep(plan: ShardedConvolution, activation: ProgramTensor, { weight }: Launch): ChainStep {
  const program = convolutionProgram({ ...plan, activation }, weight);
  return { ...chainStep(plan.result, program), smallTables: plan.tablesInL1Small };
}

/**
 * Sliced convolution. The result is allocated in DRAM before the first slice. With several tiled slices,
 * image widths that do not fill tiles need a reshape before and after; a single slice is reshaped and
 * reshaped back.
 */
function slicedSteps({ request, slices }: SlicedConvolution, launch: Launch): readonly ChainStep[] {
  const { output, context: { chip } } = launch;
  const { batch, inputHeight, inputWidth, inChannels, outputHeight, outputWidth, outChannels } =
    request.window;
  const isWhole = slices.length === 1;
  const image = tiledTensor([batch, outputHeight, outputWidth, outChannels], request.outType, "dram");
  const reshapesResult = !isWhole && output.tiled && outputWidth % 32 !== 0;
  const reshaped = (from: ProgramTensor, to: ProgramTensor) => reshaping(from, to, chip).programs;
  const steps: ChainStep[] = [];
  let source = request.input;
  if (needsReshape(request)) {
    source = tiledTensor([batch, inputHeight, inputWidth, inChannels], request.inputType, "dram");
    const back = isWhole ? reshaped(source, request.input) : [];
    steps.push({ tensor: source, programs: [...reshaped(request.input, source), ...back] });
  }
  steps.push(
    reshapesResult ? { tensor: image, programs: [] } : { tensor: output, programs: [], result: 0 },
  );
  const place = { ...output, bytes: output.bytes / slices.length };
  for (const plan of slices) {
    const { input } = plan.request;
    if (!isWhole) steps.push(chainStep(input, paddedSlice(source, input, chip)));
    const { steps: made, left } = shardedSteps(plan, launch);
    steps.push(...freeing(made, ...left), ...writingSteps(plan.result, place, chip));
  }
  if (reshapesResult) steps.push({ tensor: output, programs: reshaped(image, output), result: 0 });
  return steps;
}

/**
 * What writes a slice of the result to its place. A row-major result is untilized first: in the shards, or
 * interleaved.
 */
function writingSteps(
  slice: ProgramTensor,
  place: ProgramTensor,
  chip: ChipDescription,
): readonly ChainStep[] {
  const steps: ChainStep[] = [];
  let source = slice;
  const become = (next: ProgramTensor, made: readonly ChainStep[]) => {
    steps.push(...freeing(made, source));
    source = next;
  };
  if (!place.tiled) {
    if (source.memoryLayout === "width_sharded") {
      const gathered = interleavedCopy(source, "l1");
      become(gathered, moveSteps(source, gathered, chip));
    }
    const rows = inPages(source, "row_major");
    become(rows, untilizeSteps(inWholeTiles(source), rows, chip));
  }
  const moved = isInterleaved(source)
    ? [chainStep(place, writtenRows(source, place, chip))]
    : moveSteps(source, place, chip);
  const written = moved.map((step) => step.tensor === place ? { ...step, inPlace: true } : step);
  return [...steps, ...freeing(written, source)];
}

/** The same tensor with its padding counted as elements. */
function inWholeTiles(tensor: ProgramTensor): ProgramTensor {
  return { ...tensor, shape: tensor.shape.map((extent, axis) => axis < 2 ? extent : roundUp(extent, 32)) };
}
