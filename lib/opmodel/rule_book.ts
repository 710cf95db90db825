// SPDX-License-Identifier: Apache-2.0
import type { CostClass } from "./op_model.ts";
import type { OpRule } from "./rule.ts";
import {
  concatHeadsDecodeRule,
  concatHeadsRule,
  createHeadsDecodeRule,
  splitHeadsRule,
} from "./rules/heads.ts";
import { rotaryRule, sdpaDecodeRule, sdpaRule, trainingSdpaRule } from "./rules/attention.ts";
import {
  fillCacheRule,
  pagedFillCacheRule,
  pagedUpdateCacheRule,
  updateCacheRule,
} from "./rules/cache_update.ts";
import { conv2dRule } from "./rules/conv2d.ts";
import { conv3dRule } from "./rules/conv3d.ts";
import { creationRule, randRule } from "./rules/creation.ts";
import { concatRule } from "./rules/concat.ts";
import { padRule } from "./rules/pad.ts";
import { sliceRule } from "./rules/slice.ts";
import { embeddingBackwardRule, embeddingRule } from "./rules/embedding.ts";
import { gatherRule, scatterRule } from "./rules/gather.ts";
import { repeatRule } from "./rules/repeat.ts";
import { binaryRule, ternaryRule, unaryRule } from "./rules/eltwise.ts";
import { matmulRule } from "./rules/matmul.ts";
import { copyRule, toLayoutRule, toMemoryConfigRule, typecastRule } from "./rules/memory_move.ts";
import { adamwRule, meshPartitionRule, samplingRule } from "./rules/miscellaneous.ts";
import { batchNormRule } from "./rules/batch_norm.ts";
import { normRule, unrecordedNormRule } from "./rules/normalization.ts";
import { softmaxRule } from "./rules/softmax.ts";
import { fixedRule, OPAQUE_RULE } from "./rules/opaque.ts";
import { globalPoolRule, poolRule, upsampleRule } from "./rules/pool.ts";
import { quantizationRule } from "./rules/quantization.ts";
import { argmaxRule, cumulativeRule, prodRule, reduceRule } from "./rules/reduction.ts";
import { permuteRule, reshapeRule, transposeRule } from "./rules/shape_change.ts";
import { sortRule, topkRule } from "./rules/sort.ts";

/** Rule of an op; ops outside the rule book get the opaque rule. */
export function ruleOf(name: string): OpRule {
  return RULES.get(name) ?? OPAQUE_RULE;
}

/** Whether the rule book knows an op. */
export function hasRule(name: string): boolean {
  return RULES.has(name);
}

/** Full names of all ops in the rule book, in the order of the book. */
export function knownOps(): readonly string[] {
  return [...RULES.keys()];
}

/** Cost class of an op of the rule book, and whether policies may move it. */
export function describeRule(name: string): { readonly costClass: CostClass; readonly movable: boolean } {
  const { costClass, movable } = ruleOf(name);
  return { costClass, movable };
}

/** Ops of the `ttnn` dialect that the rule book does not know, by name, with how often they occur. */
export function uncoveredOps(
  names: Iterable<string>,
): readonly { readonly name: string; readonly count: number }[] {
  const counts = new Map<string, number>();
  for (const name of names) {
    if (name.startsWith("ttnn.") && !RULES.has(name)) counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return [...counts].sort(([a], [b]) => a < b ? -1 : 1).map(([name, count]) => ({ name, count }));
}

/** One line per family: names in the `ttnn` dialect, and the rule they share. */
const TTNN_FAMILIES: readonly (readonly [names: string, rule: OpRule])[] = [
  [
    "relu relu6 gelu sqrt rsqrt exp tanh sigmoid hardsigmoid silu mish neg abs sin cos tan asin acos atan asinh " +
    "acosh atanh sinh cosh reciprocal log log1p expm1 erf erfc erfinv floor ceil round trunc frac sign isfinite " +
    "logical_not bitwise_not leaky_relu clamp_scalar pow_scalar elu selu celu softplus softsign bitcast_convert " +
    "dropout",
    unaryRule(),
  ],
  ["logit", unaryRule({ extraInputTiles: 2 })],
  ["cbrt", unaryRule({ composite: true })],
  ["add subtract multiply divide maximum minimum eq ne lt le gt ge pow_tensor", binaryRule()],
  ["bitwise_and bitwise_or bitwise_xor logical_left_shift logical_right_shift", binaryRule()],
  ["logical_and logical_or logical_xor", binaryRule({ preActivations: true })],
  ["remainder", binaryRule({ composite: "remainder" })],
  ["atan2", binaryRule({ composite: "atan2" })],
  ["gelu_bw", binaryRule({ composite: "gelu_bw" })],
  ["where clamp_tensor", ternaryRule()],
  ["quantize", quantizationRule("quantize")],
  ["dequantize", quantizationRule("dequantize")],
  ["requantize", quantizationRule("requantize")],
  ["typecast", typecastRule()],
  ["assign copy", copyRule()],

  ["matmul", matmulRule(false)],
  ["linear", matmulRule(true)],

  ["softmax", softmaxRule()],
  ["rms_norm", normRule("rms_norm")],
  ["layer_norm", normRule("layer_norm")],
  ["batch_norm_inference", batchNormRule(false)],
  ["batch_norm_training", batchNormRule(true)],
  [
    "group_norm rms_norm_pre_all_gather layer_norm_pre_all_gather layer_norm_post_all_gather " +
    "rms_norm_post_all_gather",
    unrecordedNormRule(),
  ],

  ["sum mean max", reduceRule(false)],
  ["min", reduceRule(true)],
  ["prod", prodRule()],
  ["argmax", argmaxRule()],
  ["cumsum cumprod moreh_cumsum", cumulativeRule()],
  ["sort", sortRule()],
  ["topk", topkRule()],

  ["reshape", reshapeRule()],
  ["permute", permuteRule()],
  ["transpose", transposeRule()],
  ["concat", concatRule()],
  ["slice_static slice", sliceRule(false)],
  ["slice_dynamic", sliceRule(true)],
  ["pad", padRule()],
  ["repeat", repeatRule(false)],
  ["repeat_interleave", repeatRule(true)],
  ["embedding", embeddingRule()],
  ["embedding_bw", embeddingBackwardRule()],
  ["gather", gatherRule()],
  ["scatter", scatterRule()],
  ["to_layout", toLayoutRule()],
  ["to_memory_config", toMemoryConfigRule()],

  ["conv2d", conv2dRule("conv2d")],
  ["conv_transpose2d", conv2dRule("conv_transpose2d")],
  ["conv1d", conv2dRule("conv1d")],
  ["conv3d", conv3dRule()],
  ["max_pool2d", poolRule("max")],
  ["avg_pool2d", poolRule("average")],
  ["max_pool2d_with_indices", poolRule("max_with_indices")],
  ["global_avg_pool2d", globalPoolRule()],
  ["upsample", upsampleRule()],

  ["scaled_dot_product_attention chunked_scaled_dot_product_attention flash_mla_prefill", sdpaRule()],
  ["sdpa_fw", trainingSdpaRule(false)],
  ["sdpa_bw", trainingSdpaRule(true)],
  [
    "scaled_dot_product_attention_decode paged_scaled_dot_product_attention_decode " +
    "paged_flash_multi_latent_attention_decode",
    sdpaDecodeRule(),
  ],
  ["rotary_embedding", rotaryRule(false)],
  ["rotary_embedding_llama", rotaryRule(true)],
  ["concatenate_heads nlp_concat_heads", concatHeadsRule()],
  ["nlp_concat_heads_decode", concatHeadsDecodeRule()],
  ["split_query_key_value_and_split_heads", splitHeadsRule()],
  ["nlp_create_qkv_heads_decode", createHeadsDecodeRule()],
  ["fill_cache", fillCacheRule()],
  ["update_cache", updateCacheRule()],
  ["paged_update_cache", pagedUpdateCacheRule()],
  ["paged_fill_cache", pagedFillCacheRule()],

  ["full zeros ones empty arange constant", creationRule()],
  ["rand", randRule()],
  ["adamw", adamwRule()],
  ["sampling", samplingRule()],
  ["mesh_partition", meshPartitionRule()],

  ["deallocate get_device", fixedRule("free")],
  [
    "to_device from_device to_dtype load_tensor dump_tensor write_tensor prepare_conv2d_weights " +
    "prepare_conv2d_bias prepare_conv_transpose2d_weights prepare_conv_transpose2d_bias prepare_conv3d_weights " +
    "distribute_tensor aggregate_tensor mesh_shard to_tensor_spec",
    fixedRule("host_transfer"),
  ],
  [
    "all_gather all_reduce reduce_scatter point_to_point all_to_all_dispatch all_to_all_combine " +
    "collective_permute distributed_rms_norm distributed_layer_norm create_global_semaphore " +
    "reset_global_semaphore",
    fixedRule("ccl"),
  ],
];

/** Ops of other dialects that stand between TTNN ops. */
const FOREIGN_OPS: readonly (readonly [names: string, rule: OpRule])[] = [
  ["ttcore.load_cached func.call ttcore.optimization_barrier", fixedRule("view")],
];

const RULES: ReadonlyMap<string, OpRule> = new Map([
  ...TTNN_FAMILIES.flatMap(([names, rule]) =>
    names.split(" ").map((name): [string, OpRule] => [`ttnn.${name}`, rule])
  ),
  ...FOREIGN_OPS.flatMap(([names, rule]) => names.split(" ").map((name): [string, OpRule] => [name, rule])),
]);
