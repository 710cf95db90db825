// SPDX-License-Identifier: Apache-2.0
import type { AttributeMap } from "../../ir/attribute.ts";
import { computeOf } from "./convolution_blocks.ts";
import type { ConvolutionRequest } from "./convolution_plan.ts";
import type { LaunchSequence } from "../launch_sequence.ts";
import { matmulPrograms } from "../matmul/matmul.ts";
import { moveSteps } from "../data_movement/memory_move.ts";
import { emptyRoom, type LaunchContext, type OpLaunch } from "../op_launch.ts";
import { bytesPerBank, inPages, memoryOf, type ProgramTensor, tiledTensor } from "../program_tensor.ts";
import { outputPixels } from "../sliding_window/sliding_window.ts";
import { tilizeSteps } from "../data_movement/tilize.ts";

/** The tensors of a 1x1 convolution besides activation and weights. */
export interface LinearTensors {
  readonly bias: ProgramTensor | undefined;
  readonly output: ProgramTensor;
  /** Frees the source of the activation. */
  readonly free: () => void;
}

/**
 * Runs a 1x1 convolution of an interleaved operand as a `linear` into DRAM; any other requested layout costs
 * a move.
 */
export function runLinear(
  sequence: LaunchSequence,
  request: ConvolutionRequest,
  { bias, output, free }: LinearTensors,
  context: LaunchContext,
): void {
  const { chip } = context;
  const { window, config, input, outType } = request;
  const frees = config.deallocateActivation === true && memoryOf(input) === "l1";
  let source = input;
  let tilized: number | undefined;
  if (!input.tiled) {
    source = inPages(input, "tile");
    tilized = sequence.runSteps(tilizeSteps(input, source, chip));
    if (frees) free();
  }
  const product = tiledTensor([1, 1, outputPixels(window), window.outChannels], outType, "dram");
  const isResult = output.placement === "dram_interleaved";
  const made = isResult ? sequence.allocateResult(0, output) : sequence.allocate(product);
  const launched = matmulPrograms(
    linearOf(request, [source, product], bias),
    tilized === undefined || frees ? context : withoutRoomFor(source, context),
  );
  if (launched.status === "known") sequence.run(...launched.programs);
  if (tilized === undefined && frees) free();
  if (!isResult) {
    sequence.runSteps(moveSteps(product, output, chip), (tensor) => sequence.allocateResult(0, tensor));
    sequence.free(made);
  }
  if (tilized !== undefined) sequence.free(tilized);
}

/** The `linear`, with prepared weights. */
function linearOf(
  request: ConvolutionRequest,
  [source, product]: readonly [ProgramTensor, ProgramTensor],
  bias: ProgramTensor | undefined,
): OpLaunch {
  const { window: { inChannels, outChannels }, config: { activation }, weightType } = request;
  const attributes: AttributeMap = new Map(
    activation === undefined ? [] : [["activation", { kind: "string", value: activation.opType }]],
  );
  return {
    name: "ttnn.linear",
    attributes,
    inputs: [
      source,
      tiledTensor([1, 1, inChannels, outChannels], weightType, "dram"),
      bias === undefined ? undefined : tiledTensor([1, 1, 1, outChannels], weightType, "dram"),
    ],
    outputs: [product],
    config: { kind: "matmul", computeConfig: computeOf(request) },
  };
}

/**
 * The context with a further tensor in L1. An empty L1 although the operand is in it means that nothing is
 * allocated at all (upstream's op model).
 */
function withoutRoomFor(tensor: ProgramTensor, context: LaunchContext): LaunchContext {
  const bytes = bytesPerBank(tensor, context.chip);
  const room = () => {
    const given = context.room();
    const { beforeResults, besideResults, freeBytes } = given;
    return beforeResults === emptyRoom(context.chip).beforeResults ? given : {
      beforeResults: beforeResults - bytes,
      besideResults: besideResults - bytes,
      freeBytes: freeBytes - bytes,
    };
  };
  return memoryOf(tensor) === "l1" ? { ...context, room } : context;
}
