// SPDX-License-Identifier: Apache-2.0
import { type OpId, valueAt } from "../graph/graph.ts";
import { buffersOfAnyPlan } from "./buffers.ts";
import type { FunctionModel } from "./function_model.ts";
import type { OpRoles } from "./op_roles.ts";

/** Known orders by the roles that they depend on; several searches on one function need them. */
const CACHE: WeakMap<OpRoles, readonly ReadonlySet<OpId>[]> = new WeakMap();

/**
 * Per op: the ops that must come before it in every schedule. Definitions come before uses; ops that touch a
 * buffer that is updated in place, or that have unknown effects, keep the input's order.
 */
export function opsBefore(model: FunctionModel, roles: OpRoles): readonly ReadonlySet<OpId>[] {
  let before = CACHE.get(roles);
  if (before === undefined) CACHE.set(roles, before = workOutOrder(model, roles));
  return before;
}

function workOutOrder(model: FunctionModel, roles: OpRoles): readonly ReadonlySet<OpId>[] {
  const { fn } = model;
  const buffers = buffersOfAnyPlan(model);
  const before: Set<OpId>[] = fn.ops.map(() => new Set());
  const order = (first: OpId, second: OpId): void => {
    if (first !== second) before[second]?.add(first);
  };
  let lastEffect: OpId | undefined;
  const lastTouch = new Map<number, OpId>();
  for (const op of fn.ops) {
    for (const value of op.operands) {
      const { definition } = valueAt(fn, value);
      if (definition.kind === "result") order(definition.op, op.id);
    }
    for (const value of [...op.operands, ...op.results]) {
      if (roles.pinned[value] !== true) continue;
      const buffer = buffers[value] ?? value;
      const touch = lastTouch.get(buffer);
      if (touch !== undefined) order(touch, op.id);
      lastTouch.set(buffer, op.id);
    }
    if (roles.decided[op.id] === true) continue;
    if (lastEffect !== undefined) order(lastEffect, op.id);
    lastEffect = op.id;
  }
  return before;
}
