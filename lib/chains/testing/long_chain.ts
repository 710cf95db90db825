// SPDX-License-Identifier: Apache-2.0
import type { ChainEdge } from "../path_set.ts";
import { ShardSolver, type ShardSolverOracle } from "../shard_solver.ts";

/** Edges of a chain without joins: operand 0 of each op is the op before it. */
export function linearEdges(ops: number): ChainEdge[] {
  return Array.from(
    { length: ops - 1 },
    (_, place) => ({ producer: place, consumer: place + 1, operand: 0 }),
  );
}

/**
 * A solver over one chain of ops with the same number of configs each, of which about four fifths of the pairs fit.
 *
 * @param ops length of the chain
 * @param configs configs per op, at most 512
 */
export function longChain(ops: number, configs: number): ShardSolver {
  const pairs: [number, number][] = [];
  for (let from = 0; from < configs; from++) {
    for (let to = 0; to < configs; to++) if ((from * 7 + to * 3) % 5 !== 0) pairs.push([from, to]);
  }
  const byProducer = Map.groupBy(pairs, ([from]) => from);
  const oracle: ShardSolverOracle = {
    firstOpInput: () => ({ kind: "configs", configs: Array.from({ length: configs }, (_, index) => index) }),
    compatibleConfigs: (_, producer) => (byProducer.get(producer) ?? []).map(([, to]) => to),
    reshardLayouts: () => new Map(),
  };
  return new ShardSolver({
    ops: Array.from({ length: ops }, (_, op) => ({
      name: `${op}`,
      gridVolumes: Array.from({ length: configs }, (_, config) => 1 + (config * 13 + op) % 64),
    })),
    edges: linearEdges(ops),
  }, oracle);
}
