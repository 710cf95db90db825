// SPDX-License-Identifier: Apache-2.0
import { anyNumber, defineOp, defineOps, type OpDefinition, type OpFacts } from "./definition.ts";

/** Families of ops that nobody has described. */
export type OpaqueFamily = "opaque";

const FACTS: OpFacts = {
  operands: [anyNumber("activation")],
  results: undefined,
  movable: false,
  acceptsHost: true,
};

const NAMES =
  "generic d2m_subgraph tt_lang_op selective_reduce_combine indexer_score_dsa moe_expert_token_remap " +
  "begin_trace_capture end_trace_capture execute_trace capture_or_execute_trace copy_host_to_device_tensor " +
  "reset_global_semaphore_value";

/** Ops that real files hold and of which nobody has told what they accept: they run as the input has them. */
export const OPAQUE: readonly OpDefinition<OpaqueFamily>[] = [
  ...defineOps(NAMES, "opaque", "opaque", FACTS),
  // Weights are the most of what these read.
  ...defineOps("topk_router_gpt moe_gpt moe_compute", "opaque", "experts", FACTS),
];

/** Definitions of ops that no list has, as far as they were asked for. */
const UNLISTED: Map<string, OpDefinition<OpaqueFamily>> = new Map();

/** The definition of an op that no list has: nothing is known of it. */
export function opaqueDefinition(name: string): OpDefinition<OpaqueFamily> {
  let definition = UNLISTED.get(name);
  if (definition === undefined) {
    UNLISTED.set(name, definition = defineOp(name, "opaque", "opaque", FACTS));
  }
  return definition;
}
