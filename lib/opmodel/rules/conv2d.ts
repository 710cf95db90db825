// SPDX-License-Identifier: Apache-2.0
import { elementBytes, isBlockFloat, tileBytes } from "../../layout/data_type.ts";
import { roundUp } from "../../layout/make_layout.ts";
import { isSharded, type TensorMemoryLayout } from "../../layout/ttnn_layout.ts";
import { readComputeConfig, readConv2dConfig, readConv2dSliceConfig } from "../config_attributes.ts";
import type { ComputeKernelConfig, Conv2dConfig, Conv2dSliceConfig } from "../op_config.ts";
import type { InvalidConstraints, OpConstraints } from "../op_model.ts";
import { intern, placeOutput, shardedLayout } from "../place_output.ts";
import { type ConstraintQuery, defineRule, type OpRule, type RuleContext } from "../rule.ts";
import { reportedL1Bytes, type Tensor } from "../tensor.ts";
import { accept, isRefusal, refuse } from "../verdict.ts";
import { missingOperand } from "./eltwise.ts";
import { coresWithLittlePadding, haloBytes, readWindow, type SlidingWindow } from "./conv_geometry.ts";
import { greatestCommonDivisor, largestDivisor, matmulCbBytes } from "./matmul_blocking.ts";

const SOURCE = "specs 03 §B5 conv2d";

/** How a convolution is spread over cores. Tiles per core. */
interface ConvPlan {
  readonly memoryLayout: "height_sharded" | "block_sharded" | "width_sharded";
  /** Shard grid of the output. */
  readonly grid: readonly [number, number];
  readonly outHeight: number;
  readonly outWidth: number;
  readonly cbBytes: number;
  /** Input shard and halo per core; 0 where the convolution is a plain matmul on shards that are there. */
  readonly inputShardBytes: number;
  readonly haloBytes: number;
}

/** Rule of `conv2d`, `conv_transpose2d` and `conv1d`: operands are input, weight, bias. */
export function conv2dRule(kind: "conv2d" | "conv_transpose2d" | "conv1d"): OpRule {
  return defineRule({
    costClass: "conv2d",
    roles: ["activation", "weight", "bias"],
    minOperands: 2,
    maxOperands: 3,
    strategy: {
      hints: kind === "conv1d" ? "null" : "conv2d",
      inputs: ["any", "not_sharded"],
      exploresReshards: true,
    },
    acceptsHost: true,
    evaluate: (query, context) => evaluateConv2d(query, context, kind === "conv_transpose2d"),
  });
}

function evaluateConv2d(query: ConstraintQuery, context: RuleContext, transposed: boolean): OpConstraints {
  const input = query.operands[0];
  const weight = query.operands[1];
  if (input === undefined) return missingOperand(query.op, 0);
  if (weight === undefined) return missingOperand(query.op, 1);
  if (input.layout.bufferType === "system_memory") {
    return refuse(
      "unsupported_layout",
      "conv2d/host-input",
      `${query.op.name}: the input must be on the device`,
      SOURCE,
    );
  }
  const window = readWindow(query.op.attributes, transposed);
  if (window === undefined) {
    return refuse(
      "unsupported_config",
      "conv2d/window",
      `${query.op.name}: batch, image, channels or kernel are missing or do not fit`,
      SOURCE,
    );
  }
  const config = convConfigOf(query);
  const fault = configFault(query, config, input);
  if (fault !== undefined) return fault;
  const wanted = wantedSharding(query, config, input);
  const slice = sliceConfigOf(query);
  const sliced = slice === undefined
    ? input.layout.bufferType === "dram" &&
      (query.hint === undefined ? false : query.hint.bufferType === "dram")
    : slice.sliceType !== "l1_full";
  const plan = choosePlan({ query, window, config, input, weight, context, transposed }, wanted, sliced);
  if (plan === undefined) {
    return refuse(
      "unsupported_config",
      "conv2d/parallelization",
      `${query.op.name} cannot be spread over the cores as ${wanted ?? "any sharding"}`,
      SOURCE,
    );
  }
  return placeConv(query, context, plan, input);
}

function placeConv(
  query: ConstraintQuery,
  context: RuleContext,
  plan: ConvPlan,
  input: Tensor,
): OpConstraints {
  const type = query.op.results[0];
  if (type === undefined) {
    return refuse("unsupported_config", "result/missing", `${query.op.name} has no tensor result`, SOURCE);
  }
  const { hint } = query;
  const own = intern(
    type.shape,
    shardedLayout(
      context,
      hint?.dataType ?? type.dataType,
      { bufferType: "l1", memoryLayout: plan.memoryLayout },
      plan.grid,
      [plan.outHeight, plan.outWidth],
    ),
    context,
  );
  const ownBytes = reportedL1Bytes(own.shape, own.layout, context.chip);
  const output = hint === undefined || isSharded(hint)
    ? own
    : placeOutput(query, context, { whenNull: hint });
  if (isRefusal(output)) return output;
  const finalBytes = output === own ? 0 : reportedL1Bytes(output.shape, output.layout, context.chip);
  const staged = isSharded(input.layout) && input.layout.memoryLayout === plan.memoryLayout
    ? 0
    : plan.inputShardBytes;
  return accept({
    outputs: [output],
    cbBytes: plan.cbBytes,
    tensorL1PeakBytes: Math.max(staged + plan.haloBytes, plan.haloBytes + ownBytes, ownBytes + finalBytes),
    cores: plan.grid[0] * plan.grid[1],
    config: query.config,
  }, context);
}

interface ConvRequest {
  readonly query: ConstraintQuery;
  readonly window: SlidingWindow;
  readonly config: Conv2dConfig;
  readonly input: Tensor;
  readonly weight: Tensor;
  readonly context: RuleContext;
  readonly transposed: boolean;
}

/**
 * Wanted sharding, else the one that takes the least L1; height wins ties, then block. A convolution that reads and
 * writes DRAM is cut into as many slices of the output height as it takes to fit.
 */
function choosePlan(
  request: ConvRequest,
  wanted: ConvPlan["memoryLayout"] | undefined,
  sliced: boolean,
): ConvPlan | undefined {
  const { window, context } = request;
  const kinds = wanted === undefined
    ? ["height_sharded", "block_sharded", "width_sharded"] as const
    : [wanted];
  const most = sliced ? window.outputHeight * window.batch : 1;
  let best: ConvPlan | undefined;
  let bestBytes = Number.POSITIVE_INFINITY;
  for (let slices = 1; slices <= most; slices *= 2) {
    best = undefined;
    bestBytes = Number.POSITIVE_INFINITY;
    for (const kind of kinds) {
      const plan = planFor(request, kind, slices);
      const bytes = plan === undefined ? Number.POSITIVE_INFINITY : peakOf(plan);
      if (plan !== undefined && bytes < bestBytes) {
        best = plan;
        bestBytes = bytes;
      }
    }
    if (bestBytes <= context.usableL1Bytes) return best;
  }
  return best;
}

function peakOf(plan: ConvPlan): number {
  return plan.cbBytes + plan.inputShardBytes + plan.haloBytes + plan.outHeight * plan.outWidth * 2048;
}

function planFor(request: ConvRequest, kind: ConvPlan["memoryLayout"], slices: number): ConvPlan | undefined {
  const { window, context, input, config } = request;
  const { rows, columns } = context.chip.workerGrid;
  const outputPixels = Math.ceil(window.batch * window.outputHeight / slices) * window.outputWidth;
  const pixelTiles = Math.ceil(outputPixels / 32);
  const channelTiles = Math.ceil(window.outChannels / 32);
  const inChannelTiles = Math.ceil(window.inChannels / 32);
  const aligned = alignedChannels(window, input, kind);
  let grid: readonly [number, number];
  let inputColumns = 1;
  if (kind === "height_sharded") {
    grid = [coresWithLittlePadding(pixelTiles, context.cores), 1];
  } else if (kind === "width_sharded") {
    inputColumns = coresWithLittlePadding(inChannelTiles, context.cores);
    grid = [1, coresWithLittlePadding(channelTiles, context.cores)];
  } else {
    inputColumns = coresWithLittlePadding(inChannelTiles, columns);
    grid = [coresWithLittlePadding(pixelTiles, rows), coresWithLittlePadding(channelTiles, columns)];
  }
  if (window.groups > 1 && kind === "width_sharded") return undefined;
  const outHeight = Math.ceil(pixelTiles / grid[0]);
  const outWidth = Math.ceil(channelTiles / grid[1]);
  const channelsPerCore = roundUp(Math.ceil(aligned / inputColumns), kind === "height_sharded" ? 8 : 32);
  const element = isBlockFloat(input.layout.dataType) ? 2 : elementBytes(input.layout.dataType);
  const channelBytes = channelsPerCore * element;
  const pixelsIn = Math.ceil(window.batch * window.inputHeight * window.inputWidth / slices);
  const asMatmul = isPointwise(window) && !request.transposed;
  return {
    memoryLayout: kind,
    grid,
    outHeight,
    outWidth,
    cbBytes: asMatmul
      ? pointwiseCbBytes(request, kind, outHeight, outWidth, inputColumns)
      : convCbBytes(request, kind, outHeight, outWidth, channelsPerCore),
    inputShardBytes: Math.ceil(pixelsIn / grid[0]) * channelBytes,
    haloBytes: asMatmul ? 0 : haloOf(request, outHeight * 32, channelBytes, config, slices),
  };
}

function haloOf(
  request: ConvRequest,
  pixels: number,
  channelBytes: number,
  config: Conv2dConfig,
  slices: number,
): number {
  const { window } = request;
  const perCore = request.transposed
    ? Math.ceil(pixels / (window.strideHeight * window.strideWidth)) * channelBytes *
      window.strideHeight * window.strideWidth
    : haloBytes(
      window,
      Math.min(pixels, Math.ceil(window.outputHeight / slices) * window.outputWidth * window.batch),
      channelBytes,
    );
  return config.inPlace === true ? perCore / 2 : perCore;
}

/**
 * Circular buffers of the convolution kernel (specs 03 §B5): activation block as read and as tiles, a block of
 * weights, partials where they cannot lie in the output, bias, 64 bytes of scratch.
 */
function convCbBytes(
  request: ConvRequest,
  kind: ConvPlan["memoryLayout"],
  outHeight: number,
  outWidth: number,
  channelsPerCore: number,
): number {
  const { window, config, input, weight, query } = request;
  const override = config.actBlockHOverride ?? 0;
  const blockH = override === 0
    ? outHeight
    : largestDivisor(outHeight, Math.max(1, Math.ceil(override / 32)));
  const blockW = kind === "height_sharded" ? Math.ceil(window.kernelWidth * channelsPerCore / 32) : Math.max(
    1,
    Math.ceil(
      window.kernelHeight * window.kernelWidth * channelsPerCore / 32 / Math.max(1, config.actBlockWDiv ?? 1),
    ),
  );
  const compute = computeConfigOf(query);
  const outType = query.hint?.dataType ?? query.op.results[0]?.dataType ?? "bf16";
  const actTile = tileBytes(input.layout.dataType === "f32" ? "f32" : "bf16");
  const partialTile = partialTileBytes(compute, tileBytes(outType));
  const weightTile = tileBytes(config.weightsDtype ?? weight.layout.dataType);
  const manyBlocks = outHeight > blockH;
  const weightCopies = kind === "height_sharded" && manyBlocks
    ? window.kernelHeight
    : config.enableWeightsDoubleBuffer === true
    ? 2
    : 1;
  const aliasesOutput = partialTile === tileBytes(outType) && config.outputLayout !== "row_major";
  let bytes = blockH * blockW * actTile * (config.enableActDoubleBuffer === true ? 2 : 1);
  bytes += blockH * blockW * actTile;
  bytes += outWidth * blockW * weightCopies * weightTile;
  if (!aliasesOutput) bytes += outHeight * outWidth * partialTile;
  if (query.operands[2] !== undefined) bytes += outWidth * weightTile;
  return bytes + 64;
}

/** A 1x1 convolution of stride 1 runs as a matmul on the shards. */
function pointwiseCbBytes(
  request: ConvRequest,
  kind: ConvPlan["memoryLayout"],
  outHeight: number,
  outWidth: number,
  inputColumns: number,
): number {
  const { window, config, input, weight, query } = request;
  const kt = Math.ceil(window.inChannels / 32);
  const shardColumns = Math.ceil(kt / inputColumns);
  const outTile = tileBytes(query.hint?.dataType ?? query.op.results[0]?.dataType ?? "bf16");
  const tile = {
    in0: tileBytes(input.layout.dataType),
    in1: tileBytes(config.weightsDtype ?? weight.layout.dataType),
    out: outTile,
    partials: partialTileBytes(computeConfigOf(query), outTile),
    bias: query.operands[2] === undefined ? 0 : outTile,
  };
  const height = kind === "height_sharded";
  const in0BlockW = height ? kt : greatestCommonDivisor(shardColumns, kt);
  return matmulCbBytes(kt, { height: outHeight, width: outWidth, in0BlockW }, tile, {
    a: height ? "height" : "block_or_width",
    outputSharded: true,
  });
}

/** Partials are f32 with f32 and L1 accumulation, bf16 with L1 accumulation alone, else of the output's format. */
function partialTileBytes(compute: ComputeKernelConfig | undefined, outTile: number): number {
  if (compute?.packerL1Acc !== true) return outTile;
  return tileBytes(compute.fp32DestAccEn === true ? "f32" : "bf16");
}

/** Channels are padded to 8 in rows (height or block sharded), to 32 in tiles, by width and in depthwise kernels. */
function alignedChannels(window: SlidingWindow, input: Tensor, kind: ConvPlan["memoryLayout"]): number {
  const depthwise = window.groups > 1 && window.groups === window.inChannels;
  const wide = input.layout.tile !== undefined || kind === "width_sharded" || depthwise ||
    isPointwise(window);
  return roundUp(window.inChannels, wide ? 32 : 8);
}

function isPointwise(window: SlidingWindow): boolean {
  return window.kernelHeight === 1 && window.kernelWidth === 1 && window.strideHeight === 1 &&
    window.strideWidth === 1 && window.padHeight === 0 && window.padWidth === 0 && window.groups === 1;
}

function configFault(
  query: ConstraintQuery,
  config: Conv2dConfig,
  input: Tensor,
): InvalidConstraints | undefined {
  const say = (rule: string, message: string) =>
    refuse("unsupported_config", `conv2d/${rule}`, `${query.op.name}: ${message}`, SOURCE);
  if (config.reshardIfNotOptimal === true && config.shardLayout === undefined) {
    return say("reshard-without-layout", "reshard_if_not_optimal needs a shard_layout");
  }
  if (
    config.overrideShardingConfig === true &&
    (config.shardLayout === undefined || config.coreGrid === undefined)
  ) {
    return say("override-without-grid", "override_sharding_config needs a shard_layout and a core_grid");
  }
  if (config.shardLayout === "interleaved" || config.shardLayout === "nd_sharded") {
    return say("shard-layout", `shard_layout cannot be ${config.shardLayout}`);
  }
  if ((config.actBlockHOverride ?? 0) % 32 !== 0) {
    return say("act-block-h", `act_block_h_override ${config.actBlockHOverride} is no multiple of 32`);
  }
  const { hint } = query;
  if (hint !== undefined && isSharded(hint) && hint.bufferType !== "l1") {
    return say("dram-sharded", "a sharded output must be in L1");
  }
  if (
    hint !== undefined && isSharded(hint) && isSharded(input.layout) &&
    hint.memoryLayout !== input.layout.memoryLayout
  ) {
    return refuse(
      "unsupported_layout",
      "conv2d/sharding-differs",
      `${query.op.name}: input is ${input.layout.memoryLayout}, the output ${hint.memoryLayout}; they must agree`,
      SOURCE,
    );
  }
  return undefined;
}

function wantedSharding(
  query: ConstraintQuery,
  config: Conv2dConfig,
  input: Tensor,
): ConvPlan["memoryLayout"] | undefined {
  const asked: readonly (TensorMemoryLayout | undefined)[] = [
    config.shardLayout,
    query.hint?.memoryLayout,
    input.layout.memoryLayout,
  ];
  for (const layout of asked) {
    if (layout === "height_sharded" || layout === "block_sharded" || layout === "width_sharded") {
      return layout;
    }
  }
  return undefined;
}

function convConfigOf(query: ConstraintQuery): Conv2dConfig {
  if (query.config?.kind === "conv2d" && query.config.conv2dConfig !== undefined) {
    return query.config.conv2dConfig;
  }
  return readConv2dConfig(query.op.attributes) ?? {};
}

function sliceConfigOf(query: ConstraintQuery): Conv2dSliceConfig | undefined {
  if (query.config?.kind === "conv2d" && query.config.sliceConfig !== undefined) {
    return query.config.sliceConfig;
  }
  return readConv2dSliceConfig(query.op.attributes);
}

function computeConfigOf(query: ConstraintQuery): ComputeKernelConfig | undefined {
  if (query.config?.kind === "conv2d" && query.config.computeConfig !== undefined) {
    return query.config.computeConfig;
  }
  return readComputeConfig(query.op.attributes);
}
