// SPDX-License-Identifier: Apache-2.0
import { isSharded, type TensorMemoryLayout, type TtnnLayout } from "../../layout/ttnn_layout.ts";
import { blockOf, matmulCbBytes } from "../matmul_blocking.ts";
import type { Conv2dConfig, Conv2dSliceConfig } from "../../op_config/op_config.ts";
import type { InvalidConstraints, OpConstraints } from "../op_model.ts";
import { intern, placeOutput, shardedLayout } from "../place_output.ts";
import { type ConstraintQuery, defineRule, type OpRule, type RuleContext } from "../rule.ts";
import { reportedL1Bytes, type Tensor, tileSize } from "../tensor.ts";
import { accept, isRefusal, refuse } from "../verdict.ts";
import { missingOperand } from "./program.ts";
import { readWindow, type SlidingWindow } from "./conv_geometry.ts";
import {
  choosePlan,
  convComputeConfig,
  type ConvPlan,
  isPointwise,
  partialTileBytes,
} from "./conv2d_plan.ts";
import { autoProgram } from "./matmul_program.ts";

const SOURCE = "tt-metal:conv2d";

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
  if (isPointwise(window) && !transposed && wanted === undefined && query.hint !== undefined) {
    return placePointwise(query, context, window, { input, weight, hint: query.hint });
  }
  const bothInDram = input.layout.bufferType === "dram" && query.hint?.bufferType === "dram";
  const automatic = bothInDram ? "either" : "no";
  const sliced = slice === undefined ? automatic : SLICED_AXIS[slice.sliceType];
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

/** Axis that a slice config cuts. */
const SLICED_AXIS = { l1_full: "no", dram_height: "height", dram_width: "width" } as const;

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
  const output = hint === undefined || isSharded(hint)
    ? own
    : placeOutput(query, context, { whenNull: hint });
  if (isRefusal(output)) return output;
  const ownBytes = output === own
    ? reportedL1Bytes(own.shape, own.layout, context.chip)
    : plan.outputShardBytes;
  const finalBytes = output === own ? 0 : reportedL1Bytes(output.shape, output.layout, context.chip);
  const staged = isSharded(input.layout) && input.layout.memoryLayout === plan.memoryLayout
    ? 0
    : plan.inputShardBytes;
  return accept({
    outputs: [output],
    cbBytes: plan.cbBytes,
    tensorL1PeakBytes: Math.max(staged + plan.haloBytes, plan.haloBytes + ownBytes, ownBytes + finalBytes),
    l1PeakBytes: Math.max(
      staged + plan.haloBytes,
      plan.cbBytes + plan.haloBytes + ownBytes,
      ownBytes + finalBytes,
    ),
    cores: plan.grid[0] * plan.grid[1],
    config: query.config,
  }, context);
}

/** A 1x1 convolution between interleaved tensors is a matmul on interleaved tensors: nothing is sharded for it. */
function placePointwise(
  query: ConstraintQuery,
  context: RuleContext,
  window: SlidingWindow,
  operands: { readonly input: Tensor; readonly weight: Tensor; readonly hint: TtnnLayout },
): OpConstraints {
  const { input, weight, hint } = operands;
  const pixels = window.batch * window.outputHeight * window.outputWidth;
  const kt = Math.ceil(window.inChannels / 32);
  const extents = {
    mt: Math.ceil(pixels / 32),
    kt,
    nt: Math.ceil(window.outChannels / 32),
    batchA: 1,
    batchB: 1,
  };
  const output = placeOutput(query, context, { whenNull: hint });
  if (isRefusal(output)) return output;
  const compute = convComputeConfig(query);
  const out = tileSize(output.layout);
  const tile = {
    in0: tileSize(input.layout),
    in1: tileSize(weight.layout),
    out,
    partials: partialTileBytes(compute, out),
    bias: query.operands[2] === undefined ? 0 : out,
  };
  const program = autoProgram({
    name: query.op.name,
    a: input,
    b: weight,
    bias: undefined,
    output: hint,
    outTileBytes: out,
    extents,
    compute,
  }, context);
  if (isRefusal(program)) return program;
  const cbBytes = program.config === undefined
    ? 2 * tile.in0 + 2 * tile.in1 + 2 * out
    : matmulCbBytes(kt, blockOf(program.config), tile, { a: "interleaved", outputSharded: false });
  return accept({ outputs: [output], cbBytes, cores: program.cores, config: query.config }, context);
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
  return query.config?.kind === "conv2d" ? query.config.conv2dConfig ?? {} : {};
}

function sliceConfigOf(query: ConstraintQuery): Conv2dSliceConfig | undefined {
  return query.config?.kind === "conv2d" ? query.config.sliceConfig : undefined;
}
