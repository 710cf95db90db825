// SPDX-License-Identifier: Apache-2.0
import type { ConfigBitset } from "./config_bitset.ts";
import type { ChainEdge, PathSet } from "./path_set.ts";

/** The path sets of a chain, by the op where they end and by the op where they start. */
export interface PathSetGraph {
  /** Per op: path sets of its in-chain operands. */
  readonly operands: readonly (readonly PathSet[])[];
  /** Per op: path sets of its in-chain users. */
  readonly users: readonly (readonly PathSet[])[];
}

/**
 * Narrows bitsets and path sets around an op until nothing changes (tt-mlir `ShardSolver::updateSolver`). The
 * fixed point depends neither on the start nor on the order of the updates, because updates only ever remove.
 *
 * @param expandRoot update the root's own path sets first and visit its neighbours
 * @returns the edge that lost its last path; `undefined` if every edge kept one
 */
export function updateSolver(
  graph: PathSetGraph,
  bitsets: readonly ConfigBitset[],
  root: number,
  expandRoot: boolean,
): ChainEdge | undefined {
  const needsUpdate: number[] = [root];
  const addUsers = (op: number, except: number | undefined): void => {
    for (const pathSet of graph.users[op] ?? []) {
      if (pathSet.edge.consumer !== except) needsUpdate.push(pathSet.edge.consumer);
    }
  };
  if (expandRoot) {
    for (const pathSet of [...graph.operands[root] ?? [], ...graph.users[root] ?? []]) {
      pathSet.update(bitsets);
      if (pathSet.edge.producer !== root) needsUpdate.push(pathSet.edge.producer);
    }
    addUsers(root, undefined);
  }
  for (let op = needsUpdate.at(-1); op !== undefined; op = needsUpdate.at(-1)) {
    const operands = graph.operands[op] ?? [];
    const users = graph.users[op] ?? [];
    const producersChanged = operands.filter((pathSet) => pathSet.update(bitsets));
    const consumersChanged = users.filter((pathSet) => pathSet.update(bitsets));
    const dead = operands.find((pathSet) => pathSet.isEmpty) ?? users.find((pathSet) => pathSet.isEmpty);
    if (dead !== undefined) return dead.edge;
    if (producersChanged.length === 0 && consumersChanged.length === 0) {
      needsUpdate.pop();
      continue;
    }
    for (const { edge } of producersChanged) {
      needsUpdate.push(edge.producer);
      addUsers(edge.producer, op);
    }
    for (const { edge } of consumersChanged) {
      needsUpdate.push(edge.consumer);
      addUsers(edge.consumer, op);
    }
  }
  return undefined;
}

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
