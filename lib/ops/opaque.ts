// SPDX-License-Identifier: Apache-2.0
import {
  CUMULATIVE_REDUCTION,
  DELTA_RULE,
  INDEXER,
  LARGE_TOPK,
  RANDOM_BITS,
  ROUTER,
  ROWS_GATHER,
  ROWS_SCATTER,
  SELECTIVE_COMBINE,
  SPARSE_ATTENTION,
  TOKEN_REMAP,
} from "./attributes/opaque.ts";
import { volume } from "../layout/extents.ts";
import { BINARY } from "./attributes/elementwise.ts";
import { readAttributes } from "./attributes/read_attributes.ts";
import { REDUCE } from "./attributes/reduction.ts";
import { defineOp, defineOps, type DefinitionFields, type OpDefinition } from "./definition.ts";
import { reducedByList } from "./reduction.ts";
import { broadcastOperands, type InferredShape, likeOperand, type ShapedOp } from "./shape_inference.ts";

/** Families of undescribed ops. */
export type OpaqueFamily = "opaque";

const FACTS: DefinitionFields = {
  attributes: undefined,
  operands: ["activation*"],
  results: undefined,
  movable: false,
  acceptsHost: true,
};

const NAMES = "generic d2m_subgraph tt_lang_op " +
  "capture_or_execute_trace copy_host_to_device_tensor " +
  "reset_global_semaphore_value " +
  // Of autumn 2026, by name only (tt-mlir:indexed-rows).
  "rms_norm_residual gated_delta_rule gated_delta_decode causal_conv1d_update state_pool_update " +
  "nlp_create_qkv_heads_decode_norm_rope prepare_moe_compute_w0_w1_weights prepare_moe_compute_w2_weights " +
  "moe_gpt moe_compute fused_swiglu";

/** Kernels of autumn 2026 whose meaning is known, but not what they launch: they belong to tt-mlir's runtime, not to ttnn. */
const OF_THE_RUNTIME: DefinitionFields = { ...FACTS, results: 1, formatOf: 0 };

/** Ops that occur in real files and whose requirements are unknown: they run as in the input. */
export const OPAQUE: readonly OpDefinition<OpaqueFamily>[] = [
  ...defineOps(NAMES, "opaque", "opaque", FACTS),
  ...defineOps("indexer_score indexer_score_dsa", "opaque", "opaque", { ...FACTS, attributes: INDEXER }),
  ...defineOps("sparse_sdpa", "opaque", "opaque", { ...FACTS, attributes: SPARSE_ATTENTION }),
  ...defineOps("topk_large_indices", "opaque", "opaque", { ...FACTS, attributes: LARGE_TOPK }),
  ...defineOps("chunk_gated_delta_rule", "opaque", "opaque", { ...FACTS, attributes: DELTA_RULE }),
  ...defineOps("moe_expert_token_remap", "opaque", "opaque", { ...FACTS, attributes: TOKEN_REMAP }),
  ...defineOps("selective_reduce_combine", "opaque", "opaque", { ...FACTS, attributes: SELECTIVE_COMBINE }),
  ...defineOps("rows_gather", "opaque", "opaque", {
    ...OF_THE_RUNTIME,
    attributes: ROWS_GATHER,
    operands: ["activation", "index"],
    inferShape: gatheredRows,
  }),
  ...defineOps("rows_scatter", "opaque", "opaque", {
    ...OF_THE_RUNTIME,
    attributes: ROWS_SCATTER,
    operands: ["activation", "index", "activation"],
    inferShape: likeOperand(0),
  }),
  ...defineOps("reduce_bitwise_and reduce_bitwise_or reduce_bitwise_xor", "opaque", "opaque", {
    ...OF_THE_RUNTIME,
    attributes: REDUCE,
    operands: ["activation"],
    inferShape: reducedByList,
  }),
  // The upper half of a product of twice the width, of unsigned numbers.
  ...defineOps("mulhi", "opaque", "opaque", {
    ...OF_THE_RUNTIME,
    attributes: BINARY,
    operands: ["activation", "activation"],
    inferShape: broadcastOperands,
  }),
  ...defineOps("cumulative", "opaque", "opaque", {
    ...OF_THE_RUNTIME,
    attributes: CUMULATIVE_REDUCTION,
    operands: ["activation"],
    inferShape: likeOperand(0),
  }),
  // The next state, and the bits.
  ...defineOps("rng_bit_generator", "opaque", "opaque", {
    ...OF_THE_RUNTIME,
    attributes: RANDOM_BITS,
    operands: ["activation"],
    results: 2,
    inferShape: likeOperand(0),
  }),
  ...defineOps("topk_router_gpt", "opaque", "opaque", { ...FACTS, attributes: ROUTER }),
];

/** Every index vector names a window of rows; the elements of a column lie in the last dimension. */
function gatheredRows(op: ShapedOp): InferredShape {
  const [table, indices] = op.operands;
  const { windows, column } = readAttributes(op, ROWS_GATHER);
  if (table?.length !== 3 || indices?.length !== 3) return undefined;
  const [batch = 1, , width = 1] = table;
  const rows = (indices[2] ?? 1) * volume(windows);
  return column ? [batch, rows] : [batch, rows, width];
}

/** Definitions of ops in no list, created on demand. */
const UNLISTED: Map<string, OpDefinition<OpaqueFamily>> = new Map();

/** The definition of an op in no list: nothing is known about it. */
export function opaqueDefinition(name: string): OpDefinition<OpaqueFamily> {
  return UNLISTED.getOrInsertComputed(name, () => defineOp(name, "opaque", "opaque", FACTS));
}
