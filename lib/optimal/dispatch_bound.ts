// SPDX-License-Identifier: Apache-2.0
import type { OpId } from "../graph/graph.ts";
import { opsBefore } from "../search/op_order.ts";
import type { OpRoles } from "../search/op_roles.ts";
import type { LayoutSpace } from "./layout_space.ts";

/** Ops of the longest function of which it is worked out what comes before and after each. */
const MOST_OPS = 400;

/**
 * µs that no plan undercuts because programs have to be sent: before an op start all that come before it in every order,
 * each a program that takes the dispatcher its time, and after it come all that follow from it. 0 where nobody knows what
 * the dispatcher needs, and in long functions, where it runs ahead.
 */
export function dispatchBound(space: LayoutSpace, roles: OpRoles): number {
  const { evaluator } = space;
  const { cost, fn } = evaluator;
  const { dispatch } = cost;
  if (dispatch === undefined || fn.ops.length > MOST_OPS) return 0;
  const least = fn.ops.map(({ id }) => space.table(id).least);
  const isSent = fn.ops.map(({ id }) => (least[id] ?? 0) > 0 && !runsOnHost(space, id));
  const before: ReadonlySet<OpId>[] = [];
  const direct = opsBefore(evaluator, roles);
  // In the order of the input, so that what comes before is known already.
  for (const { id } of fn.ops) {
    const all = new Set<OpId>(direct[id]);
    for (const earlier of direct[id] ?? []) for (const op of before[earlier] ?? []) all.add(op);
    before.push(all);
  }
  const behind = [...least];
  before.forEach((ops, op) => {
    for (const earlier of ops) behind[earlier] = (behind[earlier] ?? 0) + (least[op] ?? 0);
  });
  let most = 0;
  for (const { id } of fn.ops) {
    if (isSent[id] !== true) continue;
    let sent = 0;
    for (const op of before[id] ?? []) if (isSent[op] === true) sent++;
    most = Math.max(most, sent * dispatch.sendMicroseconds + (behind[id] ?? 0) - dispatch.leadMicroseconds);
  }
  return most;
}

/** Whether an op runs on the host as the input has it: the dispatcher sends nothing for it. */
function runsOnHost({ evaluator }: LayoutSpace, op: OpId): boolean {
  const { inputs, outputs, config } = evaluator.asInput(op);
  return evaluator.cost.getOpRuntime(evaluator.signature(op), inputs, outputs, config).bound === "HOST";
}
