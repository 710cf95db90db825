// SPDX-License-Identifier: Apache-2.0
import { definitionOf } from "../../ops/op_book.ts";
import { type DataType, isBlockFloat, isFloat } from "../../layout/data_type.ts";
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
import { folds } from "../../programs/conv/folded_convolution.ts";
import { type ConvolutionRefusal, isRefused, refused } from "../../programs/sliding_window/refused.ts";
import { sameShardSpec } from "../../programs/shard_spec.ts";
import type { InvalidConstraints } from "../op_model.ts";
import { makeLayout } from "../../layout/make_layout.ts";
import { DRAM_INTERLEAVED, intern, placeOutput } from "../place_output.ts";
import { type ConstraintQuery, defineRule, type OpRule, type RuleContext, type RulesOf } from "../rule.ts";
import { asProgramTensor, type Tensor } from "../tensor.ts";
import {
  accept,
  isRefusal,
  type OrRefusal,
  refuse,
  refuseConfig,
  refuseLayout,
  type RuleAnswer,
} from "../verdict.ts";
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
    freeConfigs: (query, _room, context) => freeConvolutionConfigs(query, context),
  });
}

/** The operands of a convolution; the input is on the device. */
interface QueriedTensors {
  readonly input: Tensor;
  readonly weight: Tensor;
  readonly bias: Tensor | undefined;
}

function evaluateConv2d(query: ConstraintQuery, context: RuleContext): RuleAnswer {
  const input = onDevice(operandAt(query, 0), context);
  const [weight, bias] = [operandAt(query, 1), query.operands[2]];
  const request = requestOf(query, { input, weight, bias }, context);
  if ("status" in request) return request;
  const preparing = weightFault(weight) ?? biasFault(request, bias) ??
    preparationFault(request, weight, context) ??
    preparedFault(request, weight);
  if (preparing !== undefined) return refusal(query, preparing);
  const slice = sliceConfigOf(query.config);
  const route = routeConvolution(request, slice, () => context.room().freeBytes);
  if (isRefused(route)) return refusal(query, route);
  const unfit = productFault(request, route);
  if (unfit !== undefined) return refusal(query, unfit);
  const output = placeResult(query, context, request, route);
  if (isRefusal(output)) return output;
  return accept({
    outputs: [output],
    config: query.config,
    launched: () =>
      launchConvolution(route, {
        input: asProgramTensor(input),
        weight: asProgramTensor(weight),
        bias: bias === undefined ? undefined : asProgramTensor(bias),
        output: asProgramTensor(output),
      }, context),
  }, context);
}

/** The convolution of a query, or why its operands, config and window are no convolution. */
function requestOf(
  query: ConstraintQuery,
  { input, weight, bias }: QueriedTensors,
  context: RuleContext,
): ConvolutionRequest | InvalidConstraints {
  const { op, config, hint } = query;
  if (op.results[0] === undefined) {
    return refuse("unsupported_config", "result/missing", `${op.name} has no tensor result`);
  }
  const isLine = definitionOf(op.name).family === "conv1d";
  if (!isLine && input.layout.bufferType === "l1" && input.shape.length !== 4) {
    return refuseLayout(op, "conv2d/rank", `an operand in L1 has four dimensions, not ${input.shape.length}`);
  }
  const fault = configFault(query, convolutionConfigOf(config));
  if (fault !== undefined) return fault;
  const operands = {
    input: asProgramTensor(input),
    weight: asProgramTensor(weight),
    hasBias: bias !== undefined,
    // Without a hint the result has the operand's format.
    outType: hint?.dataType ?? input.layout.dataType,
  };
  const request = convolutionRequest({ ...op, config }, operands, context);
  if (request === undefined) {
    return refuseConfig(op, "conv2d/window", "batch, image, channels or kernel are missing or do not fit");
  }
  return request.config.outputLayout === "row_major" && isBlockFloat(request.outType)
    ? refuseConfig(op, "conv2d/row-major-format", `${request.outType} exists only in tiles`)
    : request;
}

/** The input; one on the host is moved to interleaved DRAM first (`ttnn:backend-0-81-1`). */
function onDevice(input: Tensor, context: RuleContext): Tensor {
  const { shape, layout: { bufferType, dataType, tile } } = input;
  if (bufferType !== "system_memory") return input;
  const moved = makeLayout(
    { shape, dataType, tile: tile ?? null, bufferType: "dram", memoryLayout: "interleaved" },
    context.chip.workerGrid,
  );
  return intern(shape, moved, context);
}

function refusal({ op }: ConstraintQuery, { refused, reason }: ConvolutionRefusal): InvalidConstraints {
  const failure = refused === NOT_MODELLED ? "not_implemented" : "unsupported_config";
  return refuse(failure, `conv2d/${refused}`, `${op.name}: ${reason}`);
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
  request: ConvolutionRequest,
  weight: Tensor,
  context: RuleContext,
): ConvolutionRefusal | undefined {
  const { hasBias, input, transposed, config, weightType } = request;
  if (!hasBias || weight.layout.bufferType !== "system_memory" || input.placement !== "dram_interleaved") {
    return undefined;
  }
  if (folds(request) || (runsAsMatmul(request) && !transposed)) return undefined;
  if (isBlockFloat(weightType)) {
    return refused(
      "prepared-bias",
      "a bias for slices is prepared as a row, which block formats do not have",
    );
  }
  if (config.reshardIfNotOptimal === true && config.shardLayout === undefined) {
    return refused("reshard-without-layout", "reshard_if_not_optimal needs a shard_layout");
  }
  const asPrepared = { ...request, compute: undefined, outType: weightType };
  const slicing = automaticSlicing(asPrepared, context.room().freeBytes);
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
function placeResult(
  query: ConstraintQuery,
  context: RuleContext,
  request: ConvolutionRequest,
  route: ConvolutionRoute,
): OrRefusal<Tensor> {
  const { hint } = query;
  const dataType = request.outType;
  if (hint !== undefined && isSharded(hint) && (hint.ignorePhysicalLayout || hint.bufferType !== "l1")) {
    if (route.kind !== "sliced") {
      return refuseLayout(query.op, "conv2d/output-spec", "a sharded output needs a shard spec in L1");
    }
  }
  const page = request.config.outputLayout ?? "tile";
  const end = route.kind === "folded" ? route.then : route;
  switch (end.kind) {
    case "sliced":
      // A requested memory is not checked by the backend.
      return placeOutput(query, context, {
        whenNull: DRAM_INTERLEAVED,
        // Only results of several slices are row-major.
        page: end.slices.length > 1 ? page : "tile",
        hint: null,
        dataType,
      });
    case "linear":
      return placeOutput(query, context, { whenNull: DRAM_INTERLEAVED, page: "tile", dataType });
    case "sharded": {
      const type = query.op.results[0];
      const own = intern(type?.shape ?? [], end.resultLayout, context);
      if (hint === undefined || (isSharded(hint) && sameShardSpec(hint, own.layout))) return own;
      return placeOutput(query, context, { whenNull: hint, page: end.isMatmul ? "tile" : page, dataType });
    }
  }
}

function configFault(query: ConstraintQuery, config: Conv2dConfig): InvalidConstraints | undefined {
  const say = (rule: string, message: string) => refuseConfig(query.op, `conv2d/${rule}`, message);
  if (config.overrideShardingConfig === true) {
    return refuse("not_implemented", "conv2d/override-sharding-config", "given cores are not modelled");
  }
  if (config.transposeShards === true) {
    return refuse("not_implemented", "conv2d/transpose-shards", "column-major shards are not modelled");
  }
  if (config.shardLayout === "interleaved" || config.shardLayout === "nd_sharded") {
    return say("shard-layout", `shard_layout cannot be ${config.shardLayout}`);
  }
  if ((config.actBlockHOverride ?? 0) % 32 !== 0) {
    return say("act-block-h", `act_block_h_override ${config.actBlockHOverride} is not a multiple of 32`);
  }
  return undefined;
}

export const CONV2D_RULES: RulesOf<"conv2d" | "conv_transpose2d" | "conv1d"> = {
  conv2d: conv2dRule("conv2d"),
  conv_transpose2d: conv2dRule("conv_transpose2d"),
  conv1d: conv2dRule("conv1d"),
};
