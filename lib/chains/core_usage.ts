// SPDX-License-Identifier: Apache-2.0
import type { PathSetGraph } from "./update_solver.ts";

/**
 * Accumulated core usage per op and config (tt-mlir `ShardSolver::produceMaxCoreUsage`): the shards of the
 * config plus, for each user in the chain, the best accumulated usage of any compatible config of the user,
 * divided by the number of the user's operands in the chain. The user's accumulated usage is truncated to an
 * integer before it is compared.
 */
export function accumulatedCoreUsage(
  gridVolumes: readonly (readonly number[])[],
  graph: PathSetGraph,
): readonly Float64Array[] {
  const usage = gridVolumes.map((volumes) => Float64Array.from(volumes));
  for (let op = usage.length - 1; op >= 0; op--) {
    const own = usage[op] ?? new Float64Array();
    for (const pathSet of graph.users[op] ?? []) {
      const consumer = pathSet.edge.consumer;
      const consumerUsage = usage[consumer] ?? new Float64Array();
      const best = new Float64Array(own.length);
      pathSet.forEach((producerId, consumerId) => {
        best[producerId] = Math.max(best[producerId] ?? 0, Math.trunc(consumerUsage[consumerId] ?? 0));
      });
      const operands = graph.operands[consumer]?.length ?? 1;
      best.forEach((value, config) => own[config] = (own[config] ?? 0) + value / operands);
    }
  }
  return usage;
}
