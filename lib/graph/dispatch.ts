// SPDX-License-Identifier: Apache-2.0
import type { Graph, GraphFunction, GraphOp, OpId } from "./graph.ts";

/** The function that a `ttnn.d2m_subgraph` dispatches to; `undefined` for all other ops. */
function dispatchedFunction({ name, attributes }: GraphOp): string | undefined {
  if (name !== "ttnn.d2m_subgraph") return undefined;
  const callee = attributes.get("d2m_func");
  return callee?.kind === "symbol" ? callee.name : undefined;
}

/** A function that is called by one dispatching op of another function and nowhere else. */
export interface Dispatch {
  readonly caller: GraphFunction;
  readonly op: OpId;
  readonly callee: GraphFunction;
}

/**
 * The dispatches of a graph in which one function produces its result for a single op, so that the layout can
 * be decided for both together.
 */
export function dispatchesOf({ functions }: Graph): readonly Dispatch[] {
  const dispatches = functions.flatMap((caller) =>
    caller.ops.flatMap((op): Dispatch[] => {
      const name = dispatchedFunction(op);
      if (name === undefined) return [];
      const callee = functions.find((candidate) => candidate.name === name);
      return callee === undefined || callee === caller ? [] : [{ caller, op: op.id, callee }];
    })
  );
  return dispatches.filter(({ caller, op, callee }) =>
    caller.ops[op]?.results.length === 1 && callee.results.length === 1 &&
    dispatches.filter((other) => other.callee === callee).length === 1
  );
}

/** The ops of a function that dispatch to a function which no other op calls. */
export function dispatchOpsOf(graph: Graph, fn: GraphFunction): ReadonlySet<OpId> {
  return new Set(dispatchesOf(graph).flatMap(({ caller, op }) => caller === fn ? [op] : []));
}
