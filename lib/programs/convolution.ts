// SPDX-License-Identifier: Apache-2.0
import { tileBytes } from "../layout/data_type.ts";
import type { TensorMemoryLayout } from "../layout/ttnn_layout.ts";
import type { Conv2dConfig } from "../op_config/op_config.ts";
import {
  type ConvolutionPlan,
  type ConvolutionRequest,
  type ConvolutionSharding,
  planConvolution,
  type SlicedAxis,
  staysOnShards,
} from "./convolution_plan.ts";
import { haloProgram } from "./halo.ts";
import { fidelityOf, matmulProgram, programOfBlocks } from "./matmul.ts";
import { autoMatmulConfig } from "./matmul_auto_config.ts";
import { chooseSubblock, subblockRegisterTiles } from "./matmul_blocking.ts";
import type { MatmulBlocks } from "./matmul_blocks.ts";
import type { MatmulProblem } from "./matmul_problem.ts";
import { emptyRoom, type LaunchContext, type OpLaunch } from "./op_launch.ts";
import {
  type ConvolutionProgram,
  type DeviceProgram,
  inOrder,
  type KnownPrograms,
  type MatmulProgram,
  type OpPrograms,
  unknownPrograms,
} from "./program.ts";
import type { ProgramTensor } from "./program_tensor.ts";
import { isTransposedWindow, windowOf } from "../ops/op_windows.ts";
import { isPointwise, type SlidingWindow } from "../ops/sliding_window.ts";
import { streamProgram } from "./stream.ts";

/** Axis that a slice config cuts. */
const SLICED_AXIS = { l1_full: "no", dram_height: "height", dram_width: "width" } as const;

/** How a convolution between these tensors runs. */
export type ConvolutionRoute =
  /** 1x1 between interleaved tensors: a matmul on interleaved tensors without resharding. */
  | { readonly kind: "interleaved_matmul" }
  | { readonly kind: "sharded"; readonly plan: ConvolutionPlan }
  | { readonly kind: "none"; readonly reason: string };

/** Memory of the result, if known: that of a hint, or of the result itself. */
export interface ConvolutionOutput {
  readonly memoryLayout: TensorMemoryLayout | undefined;
  readonly inDram: boolean;
}

/**
 * Chooses how a convolution runs.
 *
 * @param output `undefined` lets the backend choose
 * @param slice `sliceConfig` of the op's config, `undefined` when it has none
 */
export function routeConvolution(
  request: ConvolutionRequest,
  output: ConvolutionOutput | undefined,
  slice: keyof typeof SLICED_AXIS | undefined,
): ConvolutionRoute {
  const wanted = wantedSharding(request, output);
  if (isPointwise(request.window) && !request.transposed && wanted === undefined && output !== undefined) {
    return { kind: "interleaved_matmul" };
  }
  const inputInDram = request.input.placement === "dram_interleaved" ||
    request.input.placement === "dram_sharded";
  const automatic: SlicedAxis = inputInDram && output?.inDram === true ? "either" : "no";
  const plan = planConvolution(request, wanted, slice === undefined ? automatic : SLICED_AXIS[slice]);
  return plan === undefined
    ? { kind: "none", reason: `cannot be spread over the cores as ${wanted ?? "any sharding"}` }
    : { kind: "sharded", plan };
}

/**
 * Sharding of an input that is used in place; otherwise the one that config, result or input request, in this order.
 */
function wantedSharding(
  request: ConvolutionRequest,
  output: ConvolutionOutput | undefined,
): ConvolutionSharding | undefined {
  const { config, input } = request;
  const wishes = [config.shardLayout, output?.memoryLayout, input.memoryLayout];
  for (const layout of staysOnShards(request) ? [input.memoryLayout] : wishes) {
    if (layout === "height_sharded" || layout === "block_sharded" || layout === "width_sharded") {
      return layout;
    }
  }
  return undefined;
}

/** Reads a convolution from its launch. */
export function convolutionRequest(
  op: Pick<OpLaunch, "name" | "attributes" | "config">,
  operands: {
    readonly input: ProgramTensor;
    readonly weight: ProgramTensor;
    readonly hasBias: boolean;
    readonly outType: ConvolutionRequest["outType"];
  },
  window: SlidingWindow,
  context: LaunchContext,
): ConvolutionRequest {
  return {
    window,
    config: convolutionConfig(op.config),
    compute: op.config?.kind === "conv2d" ? op.config.computeConfig : undefined,
    input: operands.input,
    weight: operands.weight,
    hasBias: operands.hasBias,
    outType: operands.outType,
    transposed: isTransposedWindow(op.name),
    chip: context.chip,
    usableL1Bytes: context.room().beforeResults,
  };
}

/** The conv2d config of an op; an empty one if it has none. */
export function convolutionConfig(config: OpLaunch["config"]): Conv2dConfig {
  return config?.kind === "conv2d" ? config.conv2dConfig ?? {} : {};
}

/** Slice type that the config requests. */
export function sliceTypeOf(config: OpLaunch["config"]): keyof typeof SLICED_AXIS | undefined {
  return config?.kind === "conv2d" ? config.sliceConfig?.sliceType : undefined;
}

/**
 * Programs of `conv2d`, `conv_transpose2d` and `conv1d` as TTNN runs them: sharding of the activation if needed, the
 * halo, the convolution (or matmul) itself, and the move of the result to its memory. A convolution cut into slices
 * runs them one after the other.
 */
export function convolutionPrograms(op: OpLaunch, context: LaunchContext): OpPrograms {
  const [input, weight, bias] = op.inputs;
  const [output] = op.outputs;
  if (input === undefined || weight === undefined || output === undefined) {
    return unknownPrograms(op.name, "needs an input, a weight and a result");
  }
  const window = windowOf(op);
  if (window === undefined) {
    return unknownPrograms(op.name, "batch, image, channels or kernel are missing or do not fit");
  }
  const operands = { input, weight, hasBias: bias !== undefined, outType: output.dataType };
  const request = convolutionRequest(op, operands, window, context);
  const memory: ConvolutionOutput = {
    memoryLayout: output.placement === "l1_sharded" ? output.memoryLayout : undefined,
    inDram: output.placement === "dram_interleaved" || output.placement === "dram_sharded",
  };
  const route = routeConvolution(request, memory, sliceTypeOf(op.config));
  switch (route.kind) {
    case "none":
      return unknownPrograms(op.name, route.reason);
    case "interleaved_matmul":
      return inOrder(interleavedMatmul(request, output));
    case "sharded":
      return plannedPrograms(op.config, request, route.plan, output);
  }
}

/** A 1x1 convolution between interleaved tensors, with the program config that the backend makes. */
export function interleavedMatmul(request: ConvolutionRequest, output: ProgramTensor): MatmulProgram {
  const { window, chip } = request;
  const problem = pointwiseProblem(request, window, request.input, output);
  const { config } = autoMatmulConfig(problem, emptyRoom(chip).beforeResults, chip);
  const program = matmulProgram(problem, config, chip);
  if (!request.hasBias) return program;
  const bias = { name: "bias", bytes: program.blocks.outBlockW * problem.outTileBytes };
  return { ...program, circularBuffers: [...program.circularBuffers, bias] };
}

function pointwiseProblem(
  { weight, compute }: ConvolutionRequest,
  window: SlidingWindow,
  input: ProgramTensor,
  output: ProgramTensor,
): MatmulProblem {
  return {
    in0: input,
    in1: { ...weight, placement: "dram_interleaved" },
    in0Transposed: false,
    in1Transposed: false,
    output,
    bias: undefined,
    batchA: 1,
    batchB: 1,
    tilesM: Math.max(1, Math.ceil(window.batch * window.outputHeight * window.outputWidth / 32)),
    tilesK: Math.max(1, Math.ceil(window.inChannels / 32)),
    tilesN: Math.max(1, Math.ceil(window.outChannels / 32)),
    in0TileBytes: tileBytes(input.dataType),
    in1TileBytes: tileBytes(weight.dataType),
    outTileBytes: tileBytes(output.dataType),
    compute: {
      mathFidelity: compute?.mathFidelity ?? "hifi2",
      fp32DestAccEn: compute?.fp32DestAccEn === true,
      packerL1Acc: compute === undefined || compute.packerL1Acc === true,
      mathApproxMode: true,
    },
  };
}

/** Programs of a convolution on shards, by its plan. */
export function plannedPrograms(
  config: OpLaunch["config"],
  request: ConvolutionRequest,
  plan: ConvolutionPlan,
  output: ProgramTensor,
): KnownPrograms {
  const { input, chip } = request;
  const { slices, window } = plan;
  const inputCores = plan.grid[0] * plan.inputColumns;
  const cores = plan.grid[0] * plan.grid[1];
  const programs: DeviceProgram[] = [];
  if (!plan.keepsInputShards) {
    programs.push({ ...spreadPages(input, "read", inputCores, slices, chip), launches: slices });
  }
  if (isPointwise(request.window) && !request.transposed) {
    programs.push({ ...shardedMatmul(request, plan, output), launches: slices });
  } else {
    const halo = haloProgram({
      window,
      input,
      rowCores: plan.grid[0],
      cores: inputCores,
      stickBytes: plan.channelBytes,
      outputSticks: plan.haloBytes / plan.channelBytes,
      channelTiles: Math.ceil(plan.channels / 32),
    }, chip);
    programs.push({ ...halo, launches: slices }, convolutionProgram(config, request, plan, output));
  }
  if (output.placement !== "l1_sharded") {
    programs.push({ ...spreadPages(output, "write", cores, slices, chip), launches: slices });
  }
  return inOrder(...programs);
}

/**
 * Interleaved pages to shards over `cores`, or back; pages are issued one after the other, with one barrier at the end.
 */
export function spreadPages(
  tensor: ProgramTensor,
  kind: "read" | "write",
  cores: number,
  slices: number,
  chip: ConvolutionRequest["chip"],
): DeviceProgram {
  const stream = [{ tensor, bytes: tensor.bytes / slices }];
  const pages = Math.max(1, Math.ceil(tensor.pages / slices));
  return streamProgram({
    units: pages,
    maxCores: cores,
    reads: kind === "read" ? stream : [],
    writes: kind === "write" ? stream : [],
    readBarriers: cores / pages,
    writeBarriers: cores / pages,
  }, chip);
}

/** How the operands of a plain matmul reach the cores of its shards. */
const PLAIN_DATAFLOW: Readonly<Record<ConvolutionSharding, MatmulBlocks["dataflow"]>> = {
  height_sharded: "mcast_in1",
  width_sharded: "mcast_in0",
  block_sharded: "mcast_2d",
};

/** The plain matmul that implements a 1x1 convolution on its shards. */
function shardedMatmul(
  request: ConvolutionRequest,
  plan: ConvolutionPlan,
  output: ProgramTensor,
): MatmulProgram {
  const [gridY, gridX] = plan.grid;
  const held = { placement: "l1_sharded", memoryLayout: plan.memoryLayout } as const;
  const problem = pointwiseProblem(
    request,
    plan.window,
    { ...request.input, ...held },
    { ...output, ...held },
  );
  const subblock = chooseSubblock(plan.outHeight, plan.outWidth, subblockRegisterTiles(request.compute));
  const blocks: MatmulBlocks = {
    dataflow: PLAIN_DATAFLOW[plan.memoryLayout],
    gridX,
    gridY,
    perCoreM: plan.outHeight,
    perCoreN: plan.outWidth,
    in0BlockW: plan.blockWidth,
    outBlockH: plan.outHeight,
    outBlockW: plan.outWidth,
    outSubblockH: subblock[0],
    outSubblockW: subblock[1],
    batches: 1,
  };
  return programOfBlocks(problem, blocks, plan.circularBuffers);
}

/**
 * Tiles of the contracted extent that a core holds: the window over its channels, with their padding, as the weights
 * are prepared. Groups make no difference: their weights are padded with zeros to a dense matrix (published:ops-2,
 * depthwise windows of SegFormer).
 */
export function contractedTiles(
  { window, channels, memoryLayout }: Pick<ConvolutionPlan, "window" | "channels" | "memoryLayout">,
): number {
  const { kernelHeight, kernelWidth } = window;
  return memoryLayout === "width_sharded"
    ? Math.ceil(kernelHeight * kernelWidth * channels / 32)
    : kernelHeight * Math.ceil(kernelWidth * channels / 32);
}

/** The convolution kernel on the haloed activation. */
function convolutionProgram(
  opConfig: OpLaunch["config"],
  request: ConvolutionRequest,
  plan: ConvolutionPlan,
  output: ProgramTensor,
): ConvolutionProgram {
  const { config, weight, input } = request;
  const { window, outHeight, outWidth } = plan;
  const contracted = window.kernelHeight * window.kernelWidth * window.inChannels / window.groups;
  const ownDepth = contractedTiles(plan);
  const depth = ownDepth * plan.inputColumns;
  const pixels = window.batch * window.outputHeight * window.outputWidth;
  return {
    kind: "convolution",
    cores: plan.grid[0] * plan.grid[1],
    circularBuffers: plan.circularBuffers,
    reads: [{ tensor: input, bytes: input.bytes, local: true }, { tensor: weight, bytes: weight.bytes }],
    writes: [{ tensor: output, bytes: output.bytes, local: true }],
    flops: pixels * window.outChannels * contracted * 2,
    launches: plan.slices,
    rows: outHeight,
    columns: outWidth,
    depth,
    ownDepth,
    blockRows: plan.blockHeight,
    reloadsWeights: plan.grid[1] > 1,
    // A row of the window of the channels that one core holds; the whole window where channels alone are spread.
    blockDepth: Math.max(
      1,
      Math.ceil(
        plan.memoryLayout === "width_sharded"
          ? ownDepth / Math.max(1, config.actBlockWDiv ?? 1)
          : ownDepth / window.kernelHeight,
      ),
    ),
    doubleBuffered: config.enableActDoubleBuffer === true && config.enableWeightsDoubleBuffer === true,
    subblock: [1, Math.min(4, outWidth)],
    fidelity: fidelityOf(opConfig),
    activationType: "bf16",
    weightType: config.weightsDtype ?? weight.dataType,
    pixels: outHeight * 32,
    // The pixels of a window row are contiguous, unless the window is dilated.
    readsPerPixel: window.kernelHeight * (window.dilationWidth > 1 ? window.kernelWidth : 1),
  };
}
