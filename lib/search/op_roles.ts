// SPDX-License-Identifier: Apache-2.0
import type { ArgumentType, OpId, ValueId } from "../graph/graph.ts";
import { CALLS, LOAD_CACHED } from "../ops/calls.ts";
import { isEmptyTensor } from "../ops/empty_tensors.ts";
import type { FunctionModel } from "./function_model.ts";
import type { LayoutIds } from "./ways.ts";

/** What pass 1 may do with the ops and values of a function. */
export interface OpRoles {
  /** By op id: whether pass 1 chooses layouts for it; all others make what the input has. */
  readonly decided: readonly boolean[];
  /**
   * By op id: whether it may read its operands elsewhere than the input has them, where the op model confirms its results
   * all the same: what is decided, and what is known and never moved, collectives and moves to the host among them.
   */
  readonly readsElsewhere: readonly boolean[];
  /**
   * By value id: whether the value must keep its layout and must never be read through a copy. Such values are
   * overwritten in place (caches), or share a buffer with one that is; a copy would go stale. Tensors without elements
   * have nothing that a copy could move.
   */
  readonly pinned: readonly boolean[];
  /** By value id: computed from parameters and constants only; never worth a reshard of its own. */
  readonly constantDerived: readonly boolean[];
}

/** Arguments without a type are inputs: hand-written IR seldom annotates them. */
const CONSTANT_ARGUMENTS: ReadonlySet<ArgumentType> = new Set<ArgumentType>(["parameter", "constant"]);

/**
 * Sorts the ops of a function into those that pass 1 decides and those it leaves alone (tt-mlir:memory-layout-propagation): decided are
 * movable ops of which everything is understood, with a tensor operand that is not derived from constants.
 */
export function opRoles(model: FunctionModel): OpRoles {
  const { fn } = model;
  const constantDerived = fn.values.map(({ definition }) =>
    definition.kind === "argument" && CONSTANT_ARGUMENTS.has(definition.argumentType) && !definition.isKvCache
  );
  const pinned = fn.values.map(({ tensor }) => isEmptyTensor(tensor));
  for (const { id, name, operands, results } of fn.ops) {
    const tensors = operands.filter((value) => model.value(value).tensor !== undefined);
    const constant = name === LOAD_CACHED ||
      (tensors.length > 0 && tensors.every((value) => constantDerived[value] === true));
    if (constant) { for (const result of results) constantDerived[result] = true; }
    for (const written of model.traits(id).writtenOperands) {
      const target = operands[written];
      if (target !== undefined) pinned[target] = true;
    }
  }
  spreadOverViews(model, pinned);
  const decided = fn.ops.map(({ id, operands }) => {
    const tensors = operands.filter((value) => model.value(value).tensor !== undefined);
    return isMovable(model, pinned, id) && tensors.some((value) => constantDerived[value] !== true);
  });
  const readsElsewhere = fn.ops.map(({ id }) => decided[id] === true || mayReadElsewhere(model, pinned, id));
  return { decided, readsElsewhere, pinned, constantDerived };
}

/**
 * Whether an op that is not moved may read what lies elsewhere. Callees insist on the layouts of their signature, and a
 * `to_layout` that is not moved changes pages alone (tt-mlir:ir-generations).
 */
export function mayReadElsewhere(
  model: FunctionModel,
  pinned: readonly boolean[],
  id: OpId,
): boolean {
  const { name } = model.op(id);
  return model.traits(id).known && !isMovable(model, pinned, id) && !CALLS.has(name) &&
    name !== "ttnn.to_layout";
}

/** Whether an op may run otherwise than the input has it: known, movable, all its tensors with layouts, none pinned. */
export function isMovable(model: FunctionModel, pinned: readonly boolean[], id: OpId): boolean {
  const { operands, results } = model.op(id);
  const traits = model.traits(id);
  if (!traits.movable || !traits.known || results.some((value) => pinned[value] === true)) return false;
  return [...operands, ...results].every((value) =>
    model.value(value).tensor === undefined || model.declared[value] !== undefined
  );
}

/** Extends the pinned values to everything that shares a buffer with one of them through views. */
function spreadOverViews(model: FunctionModel, pinned: boolean[]): void {
  let changed = true;
  while (changed) {
    changed = false;
    for (const { id, operands, results: [result] } of model.fn.ops) {
      const { viewOf } = model.traits(id);
      const source: ValueId | undefined = viewOf === undefined ? undefined : operands[viewOf];
      if (source === undefined || result === undefined || pinned[source] === pinned[result]) continue;
      pinned[source] = true;
      pinned[result] = true;
      changed = true;
    }
  }
}

/** The same roles with more ops left as the input has them. */
export function withoutOps(roles: OpRoles, kept: ReadonlySet<number>): OpRoles {
  const without = (flags: readonly boolean[]) => flags.map((flag, op) => flag && !kept.has(op));
  return { ...roles, decided: without(roles.decided), readsElsewhere: without(roles.readsElsewhere) };
}

/**
 * By value: the layout that the input gives it, where something insists on it (`return`, ops that are not decided);
 * whatever layout the value is born in, it must be possible to convert it to this one.
 */
export function requiredLayouts(model: FunctionModel, roles: OpRoles): LayoutIds {
  return model.fn.values.map((value) => {
    const forced = value.returned > 0 || value.uses.some((use) => roles.decided[use.op] !== true);
    return forced ? model.declared[value.id] : undefined;
  });
}
