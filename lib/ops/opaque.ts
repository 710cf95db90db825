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
  "generic d2m_subgraph tt_lang_op topk_router_gpt moe_gpt selective_reduce_combine indexer_score_dsa " +
  "dit_rms_norm_unary_fused begin_trace_capture end_trace_capture execute_trace capture_or_execute_trace " +
  "copy_host_to_device_tensor reset_global_semaphore_value";

/** Ops that real files hold and of which nobody has told what they accept: they run as the input has them. */
export const OPAQUE: readonly OpDefinition<OpaqueFamily>[] = [
  ...defineOps(NAMES, "opaque", "opaque", FACTS),
  ...defineOps("sparse_matmul", "opaque", "opaque", {
    ...FACTS,
    config: { kind: "matmul", program: "program_config", searched: false },
  }),
];

/** The definition of an op that no list has: nothing is known of it. */
export function opaqueDefinition(name: string): OpDefinition<OpaqueFamily> {
  return defineOp(name, "opaque", "opaque", FACTS);
}
