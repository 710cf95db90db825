// SPDX-License-Identifier: Apache-2.0
import type { ArgumentType, OpId, ValueId } from "../graph/graph.ts";
import type { LayoutId } from "../layout/layout_table.ts";
import type { OpEvaluator } from "./op_evaluator.ts";

/** What pass 1 may do with the ops and values of a function. */
export interface OpRoles {
  /** By op id: whether pass 1 chooses layouts for it; all others stay exactly as the input has them. */
  readonly decided: readonly boolean[];
  /**
   * By value id: whether the value must keep its layout and must never be read through a copy. Such values are
   * overwritten in place (caches), or share a buffer with one that is; a copy would go stale.
   */
  readonly pinned: readonly boolean[];
  /** By value id: computed from parameters and constants only; never worth a reshard of its own. */
  readonly constantDerived: readonly boolean[];
}

/** Arguments without a type are inputs: hand-written IR seldom annotates them. */
const CONSTANT_ARGUMENTS: ReadonlySet<ArgumentType> = new Set<ArgumentType>(["parameter", "constant"]);

/** Names of ops that hand over results of const-eval functions. */
const LOAD_CACHED = "ttcore.load_cached";

/**
 * Sorts the ops of a function into those that pass 1 decides and those it leaves alone (tt-mlir:memory-layout-propagation): decided are
 * known, movable ops with a tensor operand that is not derived from constants, all of whose tensors have layouts.
 */
export function opRoles(evaluator: OpEvaluator): OpRoles {
  const { fn } = evaluator;
  const constantDerived: boolean[] = fn.values.map(({ definition }) =>
    definition.kind === "argument" && CONSTANT_ARGUMENTS.has(definition.argumentType) && !definition.isKvCache
  );
  const pinned: boolean[] = fn.values.map(() => false);
  for (const op of fn.ops) {
    const traits = evaluator.traits(op.id);
    const tensors = op.operands.filter((value) => fn.values[value]?.tensor !== undefined);
    const constant = op.name === LOAD_CACHED ||
      (tensors.length > 0 && tensors.every((value) => constantDerived[value] === true));
    if (constant) { for (const result of op.results) constantDerived[result] = true; }
    const target = traits.inPlaceOperand === undefined ? undefined : op.operands[traits.inPlaceOperand];
    if (target !== undefined) pinned[target] = true;
  }
  spreadOverViews(evaluator, pinned);
  const decided = fn.ops.map((op) => isDecided(evaluator, op.id, constantDerived, pinned));
  return { decided, pinned, constantDerived };
}

function isDecided(
  evaluator: OpEvaluator,
  id: OpId,
  constantDerived: readonly boolean[],
  pinned: readonly boolean[],
): boolean {
  const { fn } = evaluator;
  const op = fn.ops[id];
  const traits = evaluator.traits(id);
  if (op === undefined || !traits.movable || !traits.known) return false;
  const tensors = op.operands.filter((value) => fn.values[value]?.tensor !== undefined);
  const understood = (value: ValueId): boolean =>
    fn.values[value]?.tensor === undefined || fn.values[value].layout !== undefined;
  if (![...op.operands, ...op.results].every(understood)) return false;
  if (op.results.some((value) => pinned[value] === true)) return false;
  return tensors.length > 0 && !tensors.every((value) => constantDerived[value] === true);
}

/** Extends the pinned values to everything that shares a buffer with one of them through views. */
function spreadOverViews(evaluator: OpEvaluator, pinned: boolean[]): void {
  const { fn } = evaluator;
  let changed = true;
  while (changed) {
    changed = false;
    for (const op of fn.ops) {
      const viewOf = evaluator.traits(op.id).viewOf;
      const source = viewOf === undefined ? undefined : op.operands[viewOf];
      const result = op.results[0];
      if (source === undefined || result === undefined || pinned[source] === pinned[result]) continue;
      pinned[source] = true;
      pinned[result] = true;
      changed = true;
    }
  }
}

/** The same roles with more ops left as the input has them. */
export function withoutOps(roles: OpRoles, kept: ReadonlySet<OpId>): OpRoles {
  return { ...roles, decided: roles.decided.map((decided, op) => decided && !kept.has(op)) };
}

/**
 * By value: the layout that the input gives it, where something insists on it (`return`, ops that are not decided);
 * whatever layout the value is born in, it must be possible to convert it to this one.
 */
export function requiredLayouts(evaluator: OpEvaluator, roles: OpRoles): readonly (LayoutId | undefined)[] {
  return evaluator.fn.values.map((value) => {
    const forced = value.returned > 0 || value.uses.some((use) => roles.decided[use.op] !== true);
    return forced && value.layout !== undefined ? evaluator.layouts.intern(value.layout) : undefined;
  });
}
