// SPDX-License-Identifier: Apache-2.0
import type { OpId } from "../../graph/graph.ts";
import { sameItems } from "../../layout/same_items.ts";
import { choiceFor } from "../../search/assignment.ts";
import type { OpEvaluator } from "../../search/op_evaluator.ts";
import type { Assignment, Choice } from "../../search/ways.ts";

/**
 * Groups of ops that two assignments run otherwise: what hangs together by values that such ops make or read is one group,
 * so that each group can be as in either assignment while the others stay. In the order of their first ops.
 */
export function differingGroups(
  evaluator: OpEvaluator,
  a: Assignment,
  b: Assignment,
): readonly (readonly OpId[])[] {
  const { ops } = evaluator.fn;
  const differs = new Set(ops.flatMap(({ id }) => isSame(choiceFor(a, id), choiceFor(b, id)) ? [] : [id]));
  const groups: OpId[][] = [];
  for (const first of differs) {
    const group: OpId[] = [];
    const open = [first];
    for (let op = open.pop(); op !== undefined; op = open.pop()) {
      if (!differs.delete(op)) continue;
      group.push(op);
      const { operands, results } = evaluator.op(op);
      for (const value of [...operands, ...results]) {
        const { definition, uses } = evaluator.value(value);
        // Readers of an argument share nothing but what was there before.
        if (definition.kind === "argument") continue;
        open.push(definition.op, ...uses.map((use) => use.op));
      }
    }
    groups.push(group);
  }
  return groups;
}

/**
 * So many of a list, spread evenly over it: of groups of ops in a row, those that wait to be sent are then sent while the ones
 * between them run.
 */
export function spread<T>(list: readonly T[], count: number): readonly T[] {
  const before = (index: number): number => Math.floor(index * count / list.length);
  return list.filter((_, index) => before(index + 1) > before(index));
}

/**
 * Looks for the count with the least cost: tries all that are given, then what is in the middle of the wider gap beside the
 * best one so far, while there is anything between. Yields every cost that was asked for.
 *
 * @param most how many are tried that were not given
 */
export function* leastNear(
  counts: readonly number[],
  costOf: (count: number) => number,
  most: number,
): Generator<number> {
  const tried: { readonly count: number; readonly cost: number }[] = [];
  const costAt = (count: number): number => {
    const cost = costOf(count);
    tried.push({ count, cost });
    tried.sort((a, b) => a.count - b.count);
    return cost;
  };
  for (const count of new Set(counts)) yield costAt(count);
  for (let more = 0; more < most; more++) {
    const best = tried.reduce((at, { cost }, index) => cost < (tried[at]?.cost ?? Infinity) ? index : at, 0);
    const middle = tried[best];
    if (middle === undefined) return;
    const [wider] = [tried[best - 1], tried[best + 1]].filter((other) => other !== undefined)
      .sort((a, b) => Math.abs(b.count - middle.count) - Math.abs(a.count - middle.count) || a.cost - b.cost);
    if (wider === undefined || Math.abs(wider.count - middle.count) < 2) return;
    yield costAt(Math.floor((middle.count + wider.count) / 2));
  }
}

/** One assignment with some groups of ops as in another one. */
export function mixedAssignment(
  a: Assignment,
  b: Assignment,
  groups: readonly (readonly OpId[])[],
): Assignment {
  const others = new Set<number>(groups.flat());
  return a.map((choice, op) => others.has(op) ? b[op] ?? choice : choice);
}

function isSame(a: Choice, b: Choice): boolean {
  return a.config === b.config && sameItems(a.inputs, b.inputs) && sameItems(a.outputs, b.outputs);
}
