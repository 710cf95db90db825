// SPDX-License-Identifier: Apache-2.0
import { definitionOf } from "../../ops/op_book.ts";
import { type DataType, isBlockFloat, isFloat } from "../../layout/data_type.ts";
import { makeInterleaved } from "../../layout/make_layout.ts";
import { isSharded } from "../../layout/ttnn_layout.ts";
import type { Conv2dConfig } from "../../op_config/op_config.ts";
import {
  convolutionConfigOf,
  convolutionRequest,
  type ConvolutionRoute,
  NOT_MODELLED,
  preparedWeightsExtent,
  routeConvolution,
  sliceConfigOf,
} from "../../programs/conv/convolution.ts";
import { isDepthwiseLine, runsAsMatmul } from "../../programs/conv/convolution_blocks.ts";
import { launchConvolution } from "../../programs/conv/convolution_launch.ts";
import type { ConvolutionRequest } from "../../programs/conv/convolution_plan.ts";
import { automaticSlicing } from "../../programs/conv/convolution_slices.ts";
import { folds } from "../../programs/conv/matmul_convolution.ts";
import { type ConvolutionRefusal, isRefused, refused } from "../../programs/sliding_window/sliding_window.ts";
import { sameShardSpec } from "../../programs/shard_spec.ts";
import { DRAM_INTERLEAVED, intern, placeOutput, resultAt } from "../place_output.ts";
import { type ConstraintQuery, defineRule, type OpRule, type RulesOf } from "../rule.ts";
import { asProgramTensor, type Tensor } from "../tensor.ts";
import { refuseConfig, refuseLayout, refuseUnmodelled, type Verdict } from "../verdict.ts";
import { freeConvolutionConfigs } from "./conv2d_free_configs.ts";
import { operandAt } from "./program.ts";

/** Rule of `conv2d`, `conv_transpose2d` and `conv1d`; operands: input, weight, bias. */
function conv2dRule(kind: "conv2d" | "conv_transpose2d" | "conv1d"): OpRule {
  return defineRule({
    strategy: {
      hints: kind === "conv1d" ? "null" : "conv2d",
      inputs: ["any", "not_sharded"],
      exploresReshards: true,
    },
    evaluate: evaluateConv2d,
    freeConfigs: freeConvolutionConfigs,
  });
}

function evaluateConv2d(query: ConstraintQuery): Verdict {
  const input = onDevice(query, operandAt(query, 0));
  const [weight, bias] = [operandAt(query, 1), query.operands[2]];
  const request = requestOf(query, input, weight, bias);
  const preparing = weightFault(weight) ?? biasFault(request, bias) ??
    preparationFault(query, request, weight) ?? preparedFault(request, weight);
  if (preparing !== undefined) refuseConvolution(query, preparing);
  const route = routeConvolution(request, sliceConfigOf(query.config), () => query.room().freeBytes);
  if (isRefused(route)) refuseConvolution(query, route);
  const unfit = productFault(request, route);
  if (unfit !== undefined) refuseConvolution(query, unfit);
  const output = placeResult(query, request, route);
  return {
    outputs: [output],
    config: query.config,
    launched: () =>
      launchConvolution(route, {
        input: asProgramTensor(input),
        weight: asProgramTensor(weight),
        bias: bias === undefined ? undefined : asProgramTensor(bias),
        output: asProgramTensor(output),
      }, query),
  };
}

/** The convolution of a query. Refuses operands, configs and windows that are none. */
function requestOf(
  query: ConstraintQuery,
  input: Tensor,
  weight: Tensor,
  bias: Tensor | undefined,
): ConvolutionRequest {
  const { op, config, hint } = query;
  resultAt(query);
  const isLine = definitionOf(op.name).family === "conv1d";
  const rank = input.shape.length;
  if (!isLine && input.layout.bufferType === "l1" && rank !== 4) {
    refuseLayout(query, "conv2d/rank", `an operand in L1 has four dimensions, not ${rank}`);
  }
  checkConfig(query, convolutionConfigOf(config));
  const operands = {
    input: asProgramTensor(input),
    weight: asProgramTensor(weight),
    hasBias: bias !== undefined,
    // Without a hint the result has the operand's format.
    outType: hint?.dataType ?? input.layout.dataType,
  };
  const request = convolutionRequest({ ...op, config }, operands, query);
  if (request === undefined) {
    refuseConfig(query, "conv2d/window", "batch, image, channels or kernel are missing or do not fit");
  }
  if (request.config.outputLayout === "row_major" && isBlockFloat(request.outType)) {
    refuseConfig(query, "conv2d/row-major-format", `${request.outType} exists only in tiles`);
  }
  return request;
}

/** The input; one on the host is moved to interleaved DRAM first (`ttnn:backend-0-81-1`). */
function onDevice(query: ConstraintQuery, input: Tensor): Tensor {
  const { shape, layout: { bufferType, dataType, tile } } = input;
  if (bufferType !== "system_memory") return input;
  return intern(query, shape, makeInterleaved("dram", { shape, dataType, tile }, query.chip.workerGrid));
}

function refuseConvolution(query: ConstraintQuery, { refused, reason }: ConvolutionRefusal): never {
  if (refused === NOT_MODELLED) refuseUnmodelled(`conv2d/${refused}`, `${query.op.name}: ${reason}`);
  refuseConfig(query, `conv2d/${refused}`, reason);
}

/** Formats of which weights cannot be prepared; those on the device are read back for it (`ttnn:backend-0-81-1`). */
const NOT_PREPARED: ReadonlySet<DataType> = new Set<DataType>(["si32", "u16", "u8"]);

function weightFault({ layout: { dataType } }: Tensor): ConvolutionRefusal | undefined {
  return NOT_PREPARED.has(dataType)
    ? refused("weight-format", `weights in ${dataType} cannot be prepared`)
    : undefined;
}

/** A convolution that runs as a product takes floats, as every product does (`ttnn:backend-0-81-1`). */
function productFault(
  { inputType, weightType }: ConvolutionRequest,
  route: ConvolutionRoute,
): ConvolutionRefusal | undefined {
  const end = route.kind === "folded" ? route.then : route;
  const isProduct = end.kind === "linear" || (end.kind === "sharded" && end.isMatmul);
  const whole = isProduct ? [inputType, weightType].find((type) => !isFloat(type)) : undefined;
  return whole === undefined
    ? undefined
    : refused("product-format", `with one element per window it is a product, which takes no ${whole}`);
}

/** A bias on the host must have the shape 1x1x1xC, for C output channels (`ttnn:backend-0-81-1`). */
function biasFault({ window }: ConvolutionRequest, bias: Tensor | undefined): ConvolutionRefusal | undefined {
  if (bias?.layout.bufferType !== "system_memory" || isBiasShape(bias.shape, window.outChannels)) {
    return undefined;
  }
  return refused("bias-shape", `a bias of ${bias.shape.join("x")} is not 1x1x1x${window.outChannels}`);
}

/** Whether a host bias has the shape from which it is prepared. */
export function isBiasShape(shape: readonly number[], channels: number | undefined = shape.at(-1)): boolean {
  return shape.length === 4 && shape.slice(0, 3).every((extent) => extent === 1) && shape[3] === channels;
}

/**
 * A fault of upstream's op model when it prepares a bias on the host for the query: it passes no slice
 * config, so the backend slices any activation in DRAM.
 */
function preparationFault(
  query: ConstraintQuery,
  request: ConvolutionRequest,
  weight: Tensor,
): ConvolutionRefusal | undefined {
  const { hasBias, input, transposed, config, weightType } = request;
  if (!hasBias || weight.layout.bufferType !== "system_memory" || input.placement !== "dram_interleaved") {
    return undefined;
  }
  if (folds(request) || (runsAsMatmul(request) && !transposed)) return undefined;
  if (isBlockFloat(weightType)) {
    const fault = "a bias for slices is prepared as a row, which block formats do not have";
    return refused("prepared-bias", fault);
  }
  if (config.reshardIfNotOptimal === true && config.shardLayout === undefined) {
    return refused("reshard-without-layout", "reshard_if_not_optimal needs a shard_layout");
  }
  const asPrepared = { ...request, compute: undefined, outType: weightType };
  const slicing = automaticSlicing(asPrepared, query.room().freeBytes);
  return isRefused(slicing) ? slicing : undefined;
}

/**
 * Prepared weights of a depthwise 1D convolution fit only the activation blocks that they were prepared for.
 */
function preparedFault(
  request: ConvolutionRequest,
  { shape, layout }: Tensor,
): ConvolutionRefusal | undefined {
  if (!isDepthwiseLine(request) || layout.bufferType === "system_memory") return undefined;
  const needed = preparedWeightsExtent(request)?.[0];
  const [outer, inner, rows] = shape;
  if (outer !== 1 || inner !== 1 || needed === undefined || rows === needed) return undefined;
  return refused("prepared-weights", `its weights are prepared in ${rows} rows, not in ${needed}`);
}

/**
 * The result in the requested memory. Without a request: sharded as the kernel writes it, DRAM interleaved after
 * slices or a linear. Sliced convolutions return DRAM interleaved for every request. Pages follow
 * `output_layout`, but are tiles after one slice, a linear or a matmul.
 */
function placeResult(query: ConstraintQuery, request: ConvolutionRequest, route: ConvolutionRoute): Tensor {
  const { hint } = query;
  const dataType = request.outType;
  const page = request.config.outputLayout ?? "tile";
  const end = route.kind === "folded" ? route.then : route;
  const isOpen = hint !== undefined && isSharded(hint) &&
    (hint.ignorePhysicalLayout || hint.bufferType !== "l1");
  if (isOpen && route.kind !== "sliced") {
    refuseLayout(query, "conv2d/output-spec", "a sharded output needs a shard spec in L1");
  }
  switch (end.kind) {
    case "sliced": {
      // A requested memory is not checked by the backend; only results of several slices are row-major.
      const made = end.slices.length > 1 ? page : "tile";
      return placeOutput(query, { whenNull: DRAM_INTERLEAVED, page: made, hint: null, dataType });
    }
    case "linear":
      return placeOutput(query, { whenNull: DRAM_INTERLEAVED, page: "tile", dataType });
    case "sharded": {
      const own = intern(query, resultAt(query).shape, end.resultLayout);
      if (hint === undefined || (isSharded(hint) && sameShardSpec(hint, own.layout))) return own;
      return placeOutput(query, { whenNull: hint, page: end.isMatmul ? "tile" : page, dataType });
    }
  }
}

function checkConfig(query: ConstraintQuery, config: Conv2dConfig): void {
  if (config.overrideShardingConfig === true) {
    refuseUnmodelled("conv2d/override-sharding-config", "given cores are not modelled");
  }
  if (config.transposeShards === true) {
    refuseUnmodelled("conv2d/transpose-shards", "column-major shards are not modelled");
  }
  if (config.shardLayout === "interleaved" || config.shardLayout === "nd_sharded") {
    refuseConfig(query, "conv2d/shard-layout", `shard_layout cannot be ${config.shardLayout}`);
  }
  const { actBlockHOverride = 0 } = config;
  if (actBlockHOverride % 32 !== 0) {
    const fault = `act_block_h_override ${actBlockHOverride} is not a multiple of 32`;
    refuseConfig(query, "conv2d/act-block-h", fault);
  }
}

export const CONV2D_RULES: RulesOf<"conv2d" | "conv_transpose2d" | "conv1d"> = {
  conv2d: conv2dRule("conv2d"),
  conv_transpose2d: conv2dRule("conv_transpose2d"),
  conv1d: conv2dRule("conv1d"),
};
