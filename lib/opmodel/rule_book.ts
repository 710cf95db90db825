// SPDX-License-Identifier: Apache-2.0
import type { OpDefinition, OpFamily } from "../ops/definition.ts";
import type { OpRule } from "./rule.ts";
import {
  concatHeadsDecodeRule,
  concatHeadsRule,
  createHeadsDecodeRule,
  splitHeadsRule,
} from "./rules/heads.ts";
import { rotaryRule, sdpaDecodeRule, sdpaRule, trainingSdpaRule } from "./rules/attention.ts";
import { cacheWriteRule, pagedFillCacheRule, pagedUpdateCacheRule } from "./rules/cache_update.ts";
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
import { collectiveRule } from "./rules/collective.ts";
import { fusedCollectiveRule } from "./rules/fused_collective.ts";
import { fixedRule } from "./rules/opaque.ts";
import { globalPoolRule, poolRule, upsampleRule } from "./rules/pool.ts";
import { quantizationRule } from "./rules/quantization.ts";
import { argmaxRule, cumulativeRule, prodRule, reduceRule } from "./rules/reduction.ts";
import { permuteRule, reshapeRule, transposeRule } from "./rules/shape_change.ts";
import { sortRule, topkRule } from "./rules/sort.ts";

/** What the op model knows of an op beside its definition. */
export function ruleOf({ family }: Pick<OpDefinition, "family">): OpRule {
  return RULES[family];
}

/** The rule of every family of ops. */
const RULES: Readonly<Record<OpFamily, OpRule>> = {
  unary: unaryRule(),
  logit: unaryRule(),
  composite_unary: unaryRule(),
  binary: binaryRule(),
  logical_binary: binaryRule(),
  remainder: binaryRule("remainder"),
  atan2: binaryRule("atan2"),
  gelu_bw: binaryRule("gelu_bw"),
  ternary: ternaryRule(),
  quantize: quantizationRule("quantize"),
  dequantize: quantizationRule("dequantize"),
  requantize: quantizationRule("requantize"),
  typecast: typecastRule(),
  copy: copyRule(),
  adamw: adamwRule(),
  matmul: matmulRule(),
  softmax: softmaxRule(),
  rms_norm: normRule("rms_norm"),
  layer_norm: normRule("layer_norm"),
  batch_norm_inference: batchNormRule(false),
  batch_norm_training: batchNormRule(true),
  unrecorded_norm: unrecordedNormRule(),
  unrecorded_rms_norm: unrecordedNormRule(),
  reduce: reduceRule(false),
  min: reduceRule(true),
  prod: prodRule(),
  argmax: argmaxRule(),
  cumulative: cumulativeRule(),
  sort: sortRule(),
  topk: topkRule(),
  sampling: samplingRule(),
  reshape: reshapeRule(),
  permute: permuteRule(),
  transpose: transposeRule(),
  concat: concatRule(),
  slice: sliceRule(),
  pad: padRule(),
  repeat: repeatRule(false),
  repeat_interleave: repeatRule(true),
  embedding: embeddingRule(),
  embedding_bw: embeddingBackwardRule(),
  gather: gatherRule(),
  scatter: scatterRule(),
  to_layout: toLayoutRule(),
  to_memory_config: toMemoryConfigRule(),
  conv2d: conv2dRule("conv2d"),
  conv_transpose2d: conv2dRule("conv_transpose2d"),
  conv1d: conv2dRule("conv1d"),
  conv3d: conv3dRule(),
  max_pool: poolRule("max"),
  avg_pool: poolRule("average"),
  max_pool_with_indices: poolRule("max_with_indices"),
  global_pool: globalPoolRule(),
  upsample: upsampleRule(),
  sdpa: sdpaRule(),
  sdpa_fw: trainingSdpaRule(false),
  sdpa_bw: trainingSdpaRule(true),
  sdpa_decode: sdpaDecodeRule(),
  rotary: rotaryRule(false),
  rotary_llama: rotaryRule(true),
  concat_heads: concatHeadsRule(),
  concat_heads_decode: concatHeadsDecodeRule(),
  split_heads: splitHeadsRule(),
  create_heads_decode: createHeadsDecodeRule(),
  fill_cache: cacheWriteRule(),
  update_cache: cacheWriteRule(),
  paged_update_cache: pagedUpdateCacheRule(),
  paged_fill_cache: pagedFillCacheRule(),
  creation: creationRule(),
  empty: creationRule(),
  rand: randRule(),
  mesh_partition: meshPartitionRule(),
  all_gather: collectiveRule("all_gather"),
  reduce_scatter: collectiveRule("reduce_scatter"),
  all_reduce: collectiveRule("all_reduce"),
  fused_collective: fusedCollectiveRule(),
  fixed: fixedRule(),
  opaque: fixedRule(),
};
