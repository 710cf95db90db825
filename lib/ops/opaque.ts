// SPDX-License-Identifier: Apache-2.0
import { anyNumber, defineOp, defineOps, type OpDefinition, type OpFacts } from "./definition.ts";

/** Families of undescribed ops. */
export type OpaqueFamily = "opaque";

const FACTS: OpFacts = {
  attributes: undefined,
  operands: [anyNumber("activation")],
  results: undefined,
  movable: false,
  acceptsHost: true,
};

const NAMES =
  "generic d2m_subgraph tt_lang_op selective_reduce_combine indexer_score_dsa moe_expert_token_remap " +
  "begin_trace_capture end_trace_capture execute_trace capture_or_execute_trace copy_host_to_device_tensor " +
  "reset_global_semaphore_value";

/** Ops that occur in real files and whose requirements are unknown: they run as in the input. */
export const OPAQUE: readonly OpDefinition<OpaqueFamily>[] = [
  ...defineOps(NAMES, "opaque", "opaque", FACTS),
  // Most of what these read are weights.
  ...defineOps("topk_router_gpt moe_gpt moe_compute", "opaque", "experts", FACTS),
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
