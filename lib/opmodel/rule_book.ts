// SPDX-License-Identifier: Apache-2.0
import type { OpDefinition } from "../ops/definition.ts";
import type { OpFamily } from "../ops/op_book.ts";
import type { OpRule } from "./rule.ts";
import { ATTENTION_RULES } from "./rules/attention.ts";
import { BATCH_NORM_RULES } from "./rules/batch_norm.ts";
import { CACHE_UPDATE_RULES } from "./rules/cache_update.ts";
import { CAST_RULES } from "./rules/casts.ts";
import { COLLECTIVE_RULES } from "./rules/collective.ts";
import { CONCAT_RULES } from "./rules/concat.ts";
import { CONV2D_RULES } from "./rules/conv2d.ts";
import { CONV3D_RULES } from "./rules/conv3d.ts";
import { CREATION_RULES } from "./rules/creation.ts";
import { ELTWISE_RULES } from "./rules/eltwise.ts";
import { EMBEDDING_RULES } from "./rules/embedding.ts";
import { FUSED_KERNEL_RULES } from "./rules/fused_kernels.ts";
import { GATHER_RULES } from "./rules/gather.ts";
import { HEADS_RULES } from "./rules/heads.ts";
import { MATMUL_RULES } from "./rules/matmul.ts";
import { SPARSE_MATMUL_RULES } from "./rules/sparse_matmul.ts";
import { MEMORY_MOVE_RULES } from "./rules/memory_move.ts";
import { NORMALIZATION_RULES, SOFTMAX_RULES } from "./rules/normalization.ts";
import { OPAQUE_RULES } from "./rules/opaque.ts";
import { PAD_RULES } from "./rules/pad.ts";
import { POOL_RULES } from "./rules/pool.ts";
import { REDUCTION_RULES } from "./rules/reduction.ts";
import { REPEAT_RULES } from "./rules/repeat.ts";
import { ROTARY_RULES } from "./rules/rotary.ts";
import { SAMPLING_RULES } from "./rules/sampling.ts";
import { SHAPE_CHANGE_RULES } from "./rules/shape_change.ts";
import { SLICE_RULES } from "./rules/slice.ts";
import { SORT_RULES } from "./rules/sort.ts";
import { TRAINING_RULES } from "./rules/training.ts";
import { UPSAMPLE_RULES } from "./rules/upsample.ts";

/** The rule of an op's family. */
export function ruleOf({ family }: Pick<OpDefinition<OpFamily>, "family">): OpRule {
  return RULES[family];
}

/** The rule of every family of ops; a family without one is a type error. */
const RULES: Readonly<Record<OpFamily, OpRule>> = {
  ...ELTWISE_RULES,
  ...MEMORY_MOVE_RULES,
  ...SAMPLING_RULES,
  ...MATMUL_RULES,
  ...SPARSE_MATMUL_RULES,
  ...SOFTMAX_RULES,
  ...NORMALIZATION_RULES,
  ...BATCH_NORM_RULES,
  ...REDUCTION_RULES,
  ...SORT_RULES,
  ...SHAPE_CHANGE_RULES,
  ...CONCAT_RULES,
  ...SLICE_RULES,
  ...PAD_RULES,
  ...REPEAT_RULES,
  ...EMBEDDING_RULES,
  ...GATHER_RULES,
  ...CONV2D_RULES,
  ...CONV3D_RULES,
  ...POOL_RULES,
  ...UPSAMPLE_RULES,
  ...ATTENTION_RULES,
  ...ROTARY_RULES,
  ...HEADS_RULES,
  ...CACHE_UPDATE_RULES,
  ...CREATION_RULES,
  ...TRAINING_RULES,
  ...OPAQUE_RULES,
  ...CAST_RULES,
  ...COLLECTIVE_RULES,
  ...FUSED_KERNEL_RULES,
};
