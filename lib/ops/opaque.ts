// SPDX-License-Identifier: Apache-2.0
import {
  DELTA_RULE,
  INDEXER,
  LARGE_TOPK,
  ROUTER,
  SELECTIVE_COMBINE,
  SPARSE_ATTENTION,
  TOKEN_REMAP,
} from "./attributes/opaque.ts";
import { anyNumber, defineOp, defineOps, type DefinitionFields, type OpDefinition } from "./definition.ts";

/** Families of undescribed ops. */
export type OpaqueFamily = "opaque";

const FACTS: DefinitionFields = {
  attributes: undefined,
  operands: [anyNumber("activation")],
  results: undefined,
  movable: false,
  acceptsHost: true,
};

const NAMES = "generic d2m_subgraph tt_lang_op " +
  "begin_trace_capture end_trace_capture execute_trace capture_or_execute_trace copy_host_to_device_tensor " +
  "reset_global_semaphore_value";

/** Ops that occur in real files and whose requirements are unknown: they run as in the input. */
export const OPAQUE: readonly OpDefinition<OpaqueFamily>[] = [
  ...defineOps(NAMES, "opaque", "opaque", FACTS),
  ...defineOps("indexer_score indexer_score_dsa", "opaque", "opaque", { ...FACTS, attributes: INDEXER }),
  ...defineOps("sparse_sdpa", "opaque", "opaque", { ...FACTS, attributes: SPARSE_ATTENTION }),
  ...defineOps("topk_large_indices", "opaque", "opaque", { ...FACTS, attributes: LARGE_TOPK }),
  ...defineOps("chunk_gated_delta_rule", "opaque", "opaque", { ...FACTS, attributes: DELTA_RULE }),
  ...defineOps("moe_expert_token_remap", "opaque", "opaque", { ...FACTS, attributes: TOKEN_REMAP }),
  ...defineOps("selective_reduce_combine", "opaque", "opaque", { ...FACTS, attributes: SELECTIVE_COMBINE }),
  // Most of what these read are weights.
  ...defineOps("topk_router_gpt", "opaque", "experts", { ...FACTS, attributes: ROUTER }),
  ...defineOps("moe_gpt moe_compute", "opaque", "experts", FACTS),
];

/** Definitions of ops in no list, created on demand. */
const UNLISTED: Map<string, OpDefinition<OpaqueFamily>> = new Map();

/** The definition of an op in no list: nothing is known about it. */
export function opaqueDefinition(name: string): OpDefinition<OpaqueFamily> {
  let definition = UNLISTED.get(name);
  if (definition === undefined) {
    UNLISTED.set(name, definition = defineOp(name, "opaque", "opaque", FACTS));
  }
  return definition;
}

/** TTNN ops whose regions run as often as the device's data says (autumn 2026). */
const CONTROL_FLOW: ReadonlySet<string> = new Set(["ttnn.while", "ttnn.case"]);

/** Why an op's time is unknown though its operands are known: what it runs is in its regions; else `undefined`. */
export function controlFlowReason(name: string): string | undefined {
  return CONTROL_FLOW.has(name)
    ? `${name}: which of its regions run, and how often, is known only at run time`
    : undefined;
}
