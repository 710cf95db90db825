// SPDX-License-Identifier: Apache-2.0
import type { LayoutIds } from "../layout/layout_table.ts";
import type { ArgumentType, OpId, ValueId } from "../graph/graph.ts";
import { CALLS, LOAD_CACHED } from "../ops/calls.ts";
import { isEmptyTensor } from "../ops/empty_tensors.ts";
import { buffersAsWritten, isCopy } from "./buffers.ts";
import type { FunctionModel } from "./function_model.ts";

/** Permissions of pass 1 for the ops and values of a function. */
export interface OpRoles {
  /** By op id: whether pass 1 chooses its layouts; all other ops produce the layouts of the input. */
  readonly decided: readonly boolean[];
  /**
   * By op id: whether it may read operands in other layouts than the input's, if the op model confirms its
   * results then. True for decided ops, and for known ops whose results must stay as in the input, such as collectives
   * and moves to the host.
   */
  readonly readsElsewhere: readonly boolean[];
  /**
   * By value id: whether the value must keep its layout and must not be read through a copy. Caches are
   * overwritten in place, so a copy would be stale; the same holds for values that share a buffer with one.
   * Empty tensors are pinned because a copy would move nothing.
   */
  readonly pinned: readonly boolean[];
  /** By value id: computed from parameters and constants only; never worth a reshard of its own. */
  readonly constantDerived: readonly boolean[];
}

/** Arguments without a type count as inputs: hand-written IR rarely annotates them. */
const CONSTANT_ARGUMENTS: ReadonlySet<ArgumentType> = new Set<ArgumentType>(["parameter", "constant"]);

/**
 * Determines which ops of a function pass 1 decides and which it leaves alone
 * (tt-mlir:memory-layout-propagation). It decides movable ops that are completely understood and have a tensor
 * operand that is not derived from constants.
 */
export function opRoles(model: FunctionModel): OpRoles {
  const { fn } = model;
  const constantDerived = fn.values.map(({ definition }) =>
    definition.kind === "argument" && CONSTANT_ARGUMENTS.has(definition.argumentType) && !definition.isKvCache
  );
  const pinned = pinnedValues(model);
  for (const { name, operands, results } of fn.ops) {
    const tensors = operands.filter((value) => model.value(value).tensor !== undefined);
    const constant = name === LOAD_CACHED ||
      (tensors.length > 0 && tensors.every((value) => constantDerived[value] === true));
    if (constant) { for (const result of results) constantDerived[result] = true; }
  }
  const decided = fn.ops.map(({ id, operands }) => {
    const tensors = operands.filter((value) => model.value(value).tensor !== undefined);
    return isMovable(model, pinned, id) && tensors.some((value) => constantDerived[value] !== true);
  });
  const readsElsewhere = fn.ops.map(({ id }) => decided[id] === true || mayReadElsewhere(model, pinned, id));
  return { decided, readsElsewhere, pinned, constantDerived };
}

/**
 * Whether an op that does not move may read operands in other layouts. A callee insists on the layouts of its
 * signature, and a `to_layout` that does not move only changes pages (tt-mlir:ir-generations).
 */
export function mayReadElsewhere(
  model: FunctionModel,
  pinned: readonly boolean[],
  id: OpId,
): boolean {
  const { name } = model.op(id);
  return !model.traits(id).isOpaque && !isMovable(model, pinned, id) && !CALLS.has(name) &&
    name !== "ttnn.to_layout";
}

/**
 * Whether an op may run with other layouts than in the input: it is movable and not opaque, all its tensors have
 * layouts, and none of its results is pinned (a pinned operand is read where it lies).
 */
export function isMovable(model: FunctionModel, pinned: readonly boolean[], id: OpId): boolean {
  const { operands, results } = model.op(id);
  const traits = model.traits(id);
  if (!traits.movable || traits.isOpaque || results.some((value) => pinned[value] === true)) return false;
  return [...operands, ...results].every((value) =>
    model.value(value).tensor === undefined || model.declared[value] !== undefined
  );
}

/** {@linkcode OpRoles.pinned}. */
export function pinnedValues(model: FunctionModel): readonly boolean[] {
  const pinned = model.fn.values.map(({ tensor }) => isEmptyTensor(tensor));
  for (const { id, operands } of model.fn.ops) {
    for (const written of model.traits(id).writtenOperands) {
      const target = operands[written];
      if (target !== undefined) pinned[target] = true;
    }
  }
  const buffers = buffersAsWritten(model);
  spreadOverBuffers(buffers, pinned);
  for (const value of sidesOfStaleCopies(model, buffers)) pinned[value] = true;
  spreadOverBuffers(buffers, pinned);
  return pinned;
}

/** Pins everything that shares a buffer with a pinned value. */
function spreadOverBuffers(buffers: readonly ValueId[], pinned: boolean[]): void {
  const held = new Set(buffers.filter((_, value) => pinned[value] === true));
  buffers.forEach((buffer, value) => {
    if (held.has(buffer)) pinned[value] = true;
  });
}

/**
 * Sources and results of the copies that must not become no-ops. A copy whose source and result get one layout shares
 * their buffer, so a later write to one of them would change the other: a fault if the other is read after the write.
 */
function sidesOfStaleCopies(model: FunctionModel, buffers: readonly ValueId[]): readonly ValueId[] {
  const { fn } = model;
  const writes = new Map<ValueId, OpId[]>();
  const lastRead = new Map<ValueId, number>();
  const read = (value: ValueId, at: number): void => {
    const buffer = buffers[value] ?? value;
    lastRead.set(buffer, Math.max(at, lastRead.get(buffer) ?? -1));
  };
  for (const { id, definition, returned } of fn.values) {
    // The caller may read arguments again.
    if (returned > 0 || definition.kind === "argument") read(id, Infinity);
  }
  for (const { id, operands } of fn.ops) {
    for (const value of operands) read(value, id);
    for (const written of model.traits(id).writtenOperands) {
      const target = operands[written];
      if (target === undefined) continue;
      writes.getOrInsertComputed(buffers[target] ?? target, () => []).push(id);
    }
  }
  const isStale = (copy: OpId, one: ValueId, other: ValueId): boolean =>
    (writes.get(one) ?? []).some((write) => write > copy && (lastRead.get(other) ?? -1) > write);
  return fn.ops.flatMap(({ id, operands: [source], results: [result] }): readonly ValueId[] => {
    if (source === undefined || result === undefined || !isCopy(model, id)) return [];
    const [from, to] = [buffers[source] ?? source, buffers[result] ?? result];
    return from !== to && (isStale(id, from, to) || isStale(id, to, from)) ? [source, result] : [];
  });
}

/** The same roles, with the ops of `kept` left as in the input. */
export function withoutOps(roles: OpRoles, kept: ReadonlySet<number>): OpRoles {
  const without = (flags: readonly boolean[]) => flags.map((flag, op) => flag && !kept.has(op));
  return { ...roles, decided: without(roles.decided), readsElsewhere: without(roles.readsElsewhere) };
}

/**
 * By value: the layout of the input if `return` or an undecided op requires it. The value must be convertible
 * to it from every layout in which it is produced.
 */
export function requiredLayouts(model: FunctionModel, roles: OpRoles): LayoutIds {
  return model.fn.values.map((value) => {
    const forced = value.returned > 0 || value.uses.some((use) => roles.decided[use.op] !== true);
    return forced ? model.declared[value.id] : undefined;
  });
}
