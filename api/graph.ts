// SPDX-License-Identifier: Apache-2.0

/**
 * The graph of a module: ops and values by id, what they are bound to in the text, how long values live.
 *
 * @module
 */

export * from "../lib/graph/graph.ts";
export { type ExecutionRole, isDecided } from "../lib/graph/function_role.ts";
export * from "../lib/graph/binding.ts";
export { readGraph } from "../lib/graph/read_graph.ts";
export { opSignatures } from "../lib/graph/signature.ts";

export type { Liveness, LivenessStep, TensorDefinition } from "../lib/graph/liveness.ts";
