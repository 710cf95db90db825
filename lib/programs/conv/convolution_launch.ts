// SPDX-License-Identifier: Apache-2.0
import { roundUp } from "../../layout/make_layout.ts";
import {
  convolutionProgram,
  convolutionRequest,
  type ConvolutionRoute,
  type LinearConvolution,
  routeConvolution,
  sliceConfigOf,
} from "./convolution.ts";
import type { ShardedConvolution } from "./convolution_plan.ts";
import { needsReshape, type SlicedConvolution } from "./convolution_slices.ts";
import {
  type FoldedConvolution,
  foldProgram,
  pointwiseProblem,
  pointwiseProgram,
  runLinear,
} from "./matmul_convolution.ts";
import { moveSteps } from "../data_movement/memory_move.ts";
import { reshaping } from "../data_movement/reshape.ts";
import { tilizeSteps, untilizeSteps } from "../data_movement/tilize.ts";
import { type ChainStep, chainStep, LaunchSequence } from "../launch_sequence.ts";
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
import { haloMove, type HaloPlan, runHalo } from "../sliding_window/halo.ts";
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
  return new ConvolutionLaunch(tensors, context).launched(route);
}

/** A tensor of the sequence: the op's operand, or a temporary by its number. */
type Live = number | "operand";

/** Records the allocations, programs and frees of one convolution. */
class ConvolutionLaunch {
  readonly #sequence: LaunchSequence;
  readonly #tensors: ConvolutionTensors;
  readonly #context: LaunchContext;

  constructor(tensors: ConvolutionTensors, context: LaunchContext) {
    this.#sequence = new LaunchSequence(context.chip);
    this.#tensors = tensors;
    this.#context = context;
  }

  launched(route: ConvolutionRoute): KnownPrograms {
    switch (route.kind) {
      case "linear":
        this.#linear(route, "operand");
        break;
      case "sharded":
        this.#finish(route, this.#sharded(route, "operand"));
        break;
      case "sliced":
        this.#sliced(route);
        break;
      case "folded":
        this.#folded(route);
    }
    return this.#sequence.launched();
  }

  #free(live: Live): void {
    if (live === "operand") this.#sequence.freeOperand(0, this.#tensors.input);
    else this.#sequence.free(live);
  }

  /** All steps up to the kernel's sharded result. */
  #sharded(plan: ShardedConvolution, operand: Live): SequenceEnd {
    const { request, isMatmul, halo, activation } = plan;
    const frees = request.config.deallocateActivation === true && memoryOf(request.input) === "l1";
    const staged = this.#staged(plan, operand, frees);
    if (isMatmul) return this.#pointwise(plan, staged, operand, frees);
    return halo === undefined
      ? this.#kernel(plan, activation, staged === operand ? [] : [staged])
      : this.#haloed(plan, halo, staged, operand, frees);
  }

  /** The activation in the shards that the kernel or its halo reads. */
  #staged({ request, staging }: ShardedConvolution, operand: Live, frees: boolean): Live {
    const sequence = this.#sequence;
    const { chip } = this.#context;
    let source = request.input;
    let live = operand;
    const become = (next: ProgramTensor, steps: readonly ChainStep[]) => {
      const made = sequence.runSteps(steps);
      if (frees) {
        // The new tensor replaces its source.
        this.#free(live);
        sequence.free(made);
      }
      [source, live] = [next, frees ? sequence.allocate(next) : made];
    };
    if (staging.tilizes === "before") {
      const tilized = inPages(source, "tile");
      become(tilized, tilizeSteps(source, tilized, chip));
    }
    if (staging.shards !== undefined) become(staging.shards, moveSteps(source, staging.shards, chip));
    return live;
  }

  /** The matmul of a 1x1 convolution. */
  #pointwise(plan: ShardedConvolution, staged: Live, operand: Live, frees: boolean): SequenceEnd {
    const { request, staging, activation, result, input, blocks, circularBuffers } = plan;
    const sequence = this.#sequence;
    let [live, source] = [staged, activation];
    if (staging.tilizes === "after") {
      source = inPages(activation, "tile");
      // Shards created from interleaved row-major data hold whole padded tiles.
      const [from, to] = isInterleaved(request.input)
        ? [inWholeTiles(activation), inWholeTiles(source)]
        : [activation, source];
      const tilized = sequence.runSteps(tilizeSteps(from, to, this.#context.chip));
      if (live !== operand || frees) this.#free(live);
      live = tilized;
    }
    const kept = this.#allocateOwn(result);
    const { weight } = this.#tensors;
    const problem = pointwiseProblem(request, { input: source, weight, output: result });
    sequence.run(pointwiseProgram(problem, input, blocks, circularBuffers));
    if (!frees) return { result: kept, atEnd: live === operand ? [] : [live] };
    this.#free(live);
    return { result: kept, atEnd: [] };
  }

  /** The halo, which replaces its source shards, and the kernel. */
  #haloed(
    plan: ShardedConvolution,
    halo: HaloPlan,
    staged: Live,
    operand: Live,
    frees: boolean,
  ): SequenceEnd {
    const { request } = plan;
    const sequence = this.#sequence;
    let gathered = runHalo(sequence, halo);
    const drops = staged === operand
      ? frees
      : request.config.deallocateActivation === true || !request.transposed;
    if (drops) this.#free(staged);
    if (request.config.reallocateHaloOutput !== false) {
      sequence.free(gathered);
      gathered = sequence.allocate(halo.output);
      if (drops) sequence.run(haloMove(halo));
    }
    const kept = drops || staged === operand ? [] : [staged];
    if (!request.transposed) return this.#kernel(plan, halo.output, [gathered, ...kept]);
    const end = this.#kernel(plan, halo.output, kept);
    sequence.free(gathered);
    return end;
  }

  #kernel(plan: ShardedConvolution, activation: ProgramTensor, atEnd: readonly Live[]): SequenceEnd {
    const { weight } = this.#tensors;
    const result = this.#allocateOwn(plan.result);
    const program = convolutionProgram({ ...plan, activation }, weight);
    this.#sequence.runWithTables(program, plan.tablesInL1Small);
    return { result, atEnd };
  }

  /** The result in the kernel's shards; the op's own result if that is the requested layout. */
  #allocateOwn(result: ProgramTensor): number {
    return this.#isWanted(result)
      ? this.#sequence.allocateResult(0, result)
      : this.#sequence.allocate(result);
  }

  #isWanted(result: ProgramTensor): boolean {
    const { output } = this.#tensors;
    return result.tiled === output.tiled && sameShards(result, output);
  }

  /** Moves the result into the requested memory. */
  #finish({ result }: ShardedConvolution, end: SequenceEnd): void {
    if (!this.#isWanted(result)) {
      const { output } = this.#tensors;
      this.#sequence.runInto(0, moveSteps(result, output, this.#context.chip));
      this.#sequence.free(end.result);
    }
    for (const live of end.atEnd) this.#free(live);
  }

  /**
   * Sliced convolution. The result is allocated in DRAM before the first slice. With several tiled slices,
   * image widths that do not fill tiles need a reshape before and after; a single slice is reshaped and
   * reshaped back.
   */
  #sliced({ request, slices }: SlicedConvolution): void {
    const sequence = this.#sequence;
    const { output } = this.#tensors;
    const { chip } = this.#context;
    const { batch, inputHeight, inputWidth, inChannels, outputHeight, outputWidth } = request.window;
    const isWhole = slices.length === 1;
    const made = [batch, outputHeight, outputWidth, request.window.outChannels];
    const image = tiledTensor(made, request.outType, "dram");
    const reshapesResult = !isWhole && output.tiled && outputWidth % 32 !== 0;
    let source = request.input;
    if (needsReshape(request)) {
      source = tiledTensor([batch, inputHeight, inputWidth, inChannels], request.inputType, "dram");
      sequence.allocate(source);
      this.#reshape(request.input, source);
      if (isWhole) this.#reshape(source, request.input);
    }
    const written = reshapesResult ? sequence.allocate(image) : sequence.allocateResult(0, output);
    for (const plan of slices) {
      let piece: Live = "operand";
      if (!isWhole) {
        const { input } = plan.request;
        piece = sequence.allocate(input);
        sequence.run(paddedSlice(source, input, chip));
      }
      const end = this.#sharded(plan, piece);
      for (const live of end.atEnd) this.#free(live);
      this.#write(plan.result, end.result, { ...output, bytes: output.bytes / slices.length }, written);
    }
    if (!reshapesResult) return;
    sequence.allocateResult(0, output);
    this.#reshape(image, output);
  }

  /**
   * Writes a slice of the result to its place. A row-major result is untilized first: in the shards, or
   * interleaved.
   */
  #write(slice: ProgramTensor, name: number, place: ProgramTensor, written: number): void {
    const sequence = this.#sequence;
    const { chip } = this.#context;
    let [source, live] = [slice, name];
    const become = (next: ProgramTensor, steps: readonly ChainStep[]) => {
      const made = this.#sequence.runSteps(steps);
      sequence.free(live);
      [source, live] = [next, made];
    };
    if (!place.tiled) {
      if (source.memoryLayout === "width_sharded") {
        const gathered = interleavedCopy(source, "l1");
        become(gathered, moveSteps(source, gathered, chip));
      }
      const rows = inPages(source, "row_major");
      become(rows, untilizeSteps(inWholeTiles(source), rows, chip));
    }
    const steps = isInterleaved(source)
      ? [chainStep(place, writtenRows(source, place, chip))]
      : moveSteps(source, place, chip);
    sequence.runSteps(steps, () => written);
    sequence.free(live);
  }

  /** A reshape in DRAM. */
  #reshape(input: ProgramTensor, output: ProgramTensor): void {
    this.#sequence.run(...reshaping(input, output, this.#context.chip).programs);
  }

  #linear({ request }: LinearConvolution, operand: Live): void {
    const free = () => this.#free(operand);
    runLinear(this.#sequence, request, { ...this.#tensors, free }, this.#context);
  }

  #folded({ request, then }: FoldedConvolution): void {
    const folded = this.#sequence.allocate(then.request.input);
    this.#sequence.run(foldProgram(request, then.request.input, this.#context.chip));
    if (then.kind === "linear") this.#linear(then, folded);
    else this.#finish(then, this.#sharded(then, folded));
  }
}

/** The kernel's result, and the tensors freed when the op ends. */
interface SequenceEnd {
  readonly result: number;
  readonly atEnd: readonly Live[];
}

/** The same tensor with its padding counted as elements. */
function inWholeTiles(tensor: ProgramTensor): ProgramTensor {
  return { ...tensor, shape: tensor.shape.map((extent, axis) => axis < 2 ? extent : roundUp(extent, 32)) };
}
