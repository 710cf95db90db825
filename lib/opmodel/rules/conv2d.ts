// SPDX-License-Identifier: Apache-2.0
import { isSharded, type TtnnLayout } from "../../layout/ttnn_layout.ts";
import type { Conv2dConfig, OpSpecificAttributes } from "../../op_config/op_config.ts";
import type { OpSignature } from "../../ops/op_signature.ts";
import {
  convolutionConfig,
  convolutionRequest,
  interleavedMatmul,
  plannedPrograms,
  routeConvolution,
  sliceTypeOf,
} from "../../programs/convolution.ts";
import {
  type ConvolutionPlan,
  type ConvolutionRequest,
  padsFewerInRows,
} from "../../programs/convolution_plan.ts";
import { inOrder, type KnownPrograms } from "../../programs/program.ts";
import { isTransposedWindow, windowOf } from "../../ops/op_windows.ts";
import { isPointwise, type SlidingWindow } from "../../ops/sliding_window.ts";
import type { InvalidConstraints } from "../op_model.ts";
import { DRAM_INTERLEAVED, intern, placeOutput, shardedLayout } from "../place_output.ts";
import { type ConstraintQuery, defineRule, type OpRule, type RuleContext, type RulesOf } from "../rule.ts";
import { asProgramTensor, reportedL1Bytes, type Tensor } from "../tensor.ts";
import { configKey } from "../../op_config/config_key.ts";
import {
  accept,
  type Acceptance,
  isRefusal,
  refuse,
  refuseConfig,
  refuseLayout,
  type RuleAnswer,
} from "../verdict.ts";
import { operandAt } from "./program.ts";

const SOURCE = "tt-metal:conv2d";

/** Rule of `conv2d`, `conv_transpose2d` and `conv1d`: operands are input, weight, bias. */
function conv2dRule(kind: "conv2d" | "conv_transpose2d" | "conv1d"): OpRule {
  return defineRule({
    strategy: (op) => ({
      hints: kind === "conv1d" ? "null" : "conv2d",
      inputs: ["any", "not_sharded"],
      exploresReshards: true,
      eitherPages: inEitherPages(op),
    }),
    evaluate: evaluateConv2d,
    readsOfHint,
  });
}

/** The input, where its pages make a difference to the kernel: channels are padded to fewer in rows (tt-metal:conv2d). */
function inEitherPages(op: OpSignature): readonly number[] {
  const window = windowOf(op);
  return window !== undefined && padsFewerInRows(window) ? [0] : [];
}

/** A convolution chooses the grid itself: it reads the sharding of a hint, not its cores. */
function readsOfHint(hint: TtnnLayout): string | undefined {
  return isSharded(hint) ? `${hint.bufferType} ${hint.memoryLayout} ${hint.dataType}` : undefined;
}

function evaluateConv2d(query: ConstraintQuery, context: RuleContext): RuleAnswer {
  const input = operandAt(query, 0);
  const weight = operandAt(query, 1);

  if (input.layout.bufferType === "system_memory") {
    return refuseLayout(query.op, "conv2d/host-input", "the input must be on the device", SOURCE);
  }
  const window = windowOf(query.op);
  if (window === undefined) {
    return refuseConfig(
      query.op,
      "conv2d/window",
      "batch, image, channels or kernel are missing or do not fit",
      SOURCE,
    );
  }
  const config = convolutionConfig(query.config);
  const fault = configFault(query, config, input);
  if (fault !== undefined) return fault;
  // How the backend slices a convolution depends on the room; what was placed before it depends on it too.
  context.room();
  const alike = placedAlike(query, context, { input, weight });
  const known = isPointwise(window) && !isTransposedWindow(query.op.name) ? alike[0] : undefined;
  // A plain matmul has no activation block, so a requested height changes nothing.
  if (known !== undefined) return { ...known.answer, config: query.config };
  const { hint } = query;
  const request = requestOf(query, { input, weight }, window, context);
  const wanted = hint === undefined
    ? undefined
    : { memoryLayout: hint.memoryLayout, inDram: hint.bufferType === "dram" };
  const route = routeConvolution(request, wanted, sliceTypeOf(query.config));
  switch (route.kind) {
    case "none":
      return refuse(
        "unsupported_config",
        "conv2d/parallelization",
        `${query.op.name} ${route.reason}`,
        SOURCE,
      );
    case "interleaved_matmul": {
      const answer = placePointwise(query, context, request, hint ?? DRAM_INTERLEAVED);
      if (answer.status === "valid") alike.push({ plan: undefined, answer });
      return answer;
    }
    case "sharded":
      return placedByPlan(query, context, request, route.plan, { input, alike });
  }
}

function requestOf(
  { op, hint, config, operands }: ConstraintQuery,
  { input, weight }: { readonly input: Tensor; readonly weight: Tensor },
  window: SlidingWindow,
  context: RuleContext,
): ConvolutionRequest {
  return convolutionRequest(
    { name: op.name, attributes: op.attributes, config },
    {
      input: asProgramTensor(input),
      weight: asProgramTensor(weight),
      hasBias: operands[2] !== undefined,
      outType: hint?.dataType ?? op.results[0]?.dataType ?? "bf16",
    },
    window,
    context,
  );
}

/** A convolution that was placed; without a plan where it is a matmul between interleaved tensors. */
interface Placed {
  readonly plan: ConvolutionPlan | undefined;
  readonly answer: Acceptance;
}

/**
 * Placements of convolutions, by op, by the layouts of input and hint, and by the layout of the weight and the config
 * fields that are not searched.
 */
const PLACED: WeakMap<RuleContext, WeakMap<OpSignature, Map<number, Map<string, Placed[]>>>> = new WeakMap();

/** More than the layouts that a run interns, so that two ids make one key. */
const LAYOUT_LIMIT = 0x100000;

/** Placements of questions that differ in the searched fields of the config alone; what is placed anew is added to them. */
function placedAlike(
  query: ConstraintQuery,
  context: RuleContext,
  { input, weight }: { readonly input: Tensor; readonly weight: Tensor },
): Placed[] {
  let ops = PLACED.get(context);
  if (ops === undefined) PLACED.set(context, ops = new WeakMap());
  let layouts = ops.get(query.op);
  if (layouts === undefined) ops.set(query.op, layouts = new Map());
  const layoutKey = input.layoutId * LAYOUT_LIMIT + 1 + (query.hintId ?? -1);
  let configs = layouts.get(layoutKey);
  if (configs === undefined) layouts.set(layoutKey, configs = new Map());
  const key = `${weight.layoutId} ${fixedFields(query.config)}`;
  let alike = configs.get(key);
  if (alike === undefined) configs.set(key, alike = []);
  return alike;
}

/**
 * Most searched configs lead to the same plan as another one, because few heights divide a shard; such configs share
 * their programs.
 */
function placedByPlan(
  query: ConstraintQuery,
  context: RuleContext,
  request: ConvolutionRequest,
  plan: ConvolutionPlan,
  { input, alike }: { readonly input: Tensor; readonly alike: Placed[] },
): RuleAnswer {
  const known = alike.find((other) => other.plan !== undefined && isSamePlan(other.plan, plan));
  if (known !== undefined) return { ...known.answer, config: query.config };
  const answer = placeConv(query, context, request, plan, input);
  if (answer.status === "valid") alike.push({ plan, answer });
  return answer;
}

/** Whether two plans of one convolution are equal, given that they can differ only in the searched fields. */
function isSamePlan(a: ConvolutionPlan, b: ConvolutionPlan): boolean {
  return a.memoryLayout === b.memoryLayout && a.slices === b.slices && a.blockHeight === b.blockHeight &&
    a.blockWidth === b.blockWidth && a.window.outputHeight === b.window.outputHeight &&
    a.window.outputWidth === b.window.outputWidth;
}

/** Keys of configs without the fields that are searched. */
const FIXED_FIELDS: WeakMap<OpSpecificAttributes, string> = new WeakMap();

function fixedFields(config: OpSpecificAttributes | undefined): string {
  if (config?.kind !== "conv2d") return "";
  let key = FIXED_FIELDS.get(config);
  if (key === undefined) {
    const { deallocateActivation: _freed, actBlockHOverride: _block, ...fixed } = config.conv2dConfig ?? {};
    FIXED_FIELDS.set(config, key = configKey({ ...config, conv2dConfig: fixed }));
  }
  return key;
}

function placeConv(
  query: ConstraintQuery,
  context: RuleContext,
  request: ConvolutionRequest,
  plan: ConvolutionPlan,
  input: Tensor,
): RuleAnswer {
  const type = query.op.results[0];
  if (type === undefined) {
    return refuse("unsupported_config", "result/missing", `${query.op.name} has no tensor result`, SOURCE);
  }
  const { hint } = query;
  const spread = shardedLayout(
    context,
    hint?.dataType ?? type.dataType,
    { bufferType: "l1", memoryLayout: plan.memoryLayout },
    plan.grid,
    [plan.outHeight, plan.outWidth],
  );
  const staysOnCores = plan.keepsInputShards && plan.grid[1] === plan.inputColumns;
  const { coreRanges } = staysOnCores ? input.layout : spread;
  const own = intern(type.shape, { ...spread, coreRanges }, context);
  const output = hint === undefined || isSharded(hint)
    ? own
    : placeOutput(query, context, { whenNull: hint });
  if (isRefusal(output)) return output;
  const ownBytes = output === own ? reportedL1Bytes(own, context.chip) : plan.outputShardBytes;
  const finalBytes = output === own ? 0 : reportedL1Bytes(output, context.chip);
  const staged = plan.keepsInputShards ? 0 : plan.inputShardBytes;
  let launched: KnownPrograms | undefined;
  return accept({
    outputs: [output],
    tensorL1PeakBytes: Math.max(staged + plan.haloBytes, plan.haloBytes + ownBytes, ownBytes + finalBytes),
    config: query.config,
    launched: () => launched ??= plannedPrograms(query.config, request, plan, asProgramTensor(output)),
  }, context);
}

/** A 1x1 convolution between interleaved tensors is a matmul on interleaved tensors: nothing is sharded for it. */
function placePointwise(
  query: ConstraintQuery,
  context: RuleContext,
  request: ConvolutionRequest,
  hint: TtnnLayout,
): RuleAnswer {
  const output = placeOutput(query, context, { whenNull: hint });
  if (isRefusal(output)) return output;
  let launched: KnownPrograms | undefined;
  return accept({
    outputs: [output],
    config: query.config,
    launched: () => launched ??= inOrder(interleavedMatmul(request, asProgramTensor(output))),
  }, context);
}

function configFault(
  query: ConstraintQuery,
  config: Conv2dConfig,
  input: Tensor,
): InvalidConstraints | undefined {
  const say = (rule: string, message: string) =>
    refuseConfig(query.op, `conv2d/${rule}`, `${message}`, SOURCE);
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
    return say("act-block-h", `act_block_h_override ${config.actBlockHOverride} is not a multiple of 32`);
  }
  const { hint } = query;
  if (hint !== undefined && isSharded(hint) && hint.bufferType !== "l1") {
    return say("dram-sharded", "a sharded output must be in L1");
  }
  if (
    hint !== undefined && isSharded(hint) && isSharded(input.layout) &&
    hint.memoryLayout !== input.layout.memoryLayout
  ) {
    return refuseLayout(
      query.op,
      "conv2d/sharding-differs",
      `input is ${input.layout.memoryLayout}, the output ${hint.memoryLayout}; they must agree`,
      SOURCE,
    );
  }
  return undefined;
}

/** The rules of 2D convolutions. */
export const CONV2D_RULES: RulesOf<"conv2d" | "conv_transpose2d" | "conv1d"> = {
  conv2d: conv2dRule("conv2d"),
  conv_transpose2d: conv2dRule("conv_transpose2d"),
  conv1d: conv2dRule("conv1d"),
};
