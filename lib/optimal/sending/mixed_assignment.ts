// SPDX-License-Identifier: Apache-2.0
import type { OpId } from "../../graph/graph.ts";
import { sameItems } from "../../layout/same_items.ts";
import { choiceFor } from "../../search/assignment.ts";
import type { OpEvaluator } from "../../search/op_evaluator.ts";
import type { Assignment, Choice } from "../../search/ways.ts";

/**
 * Groups of ops that two assignments run differently. Ops connected by values that such ops produce or read
 * form one group, so that each group can be taken from either assignment independently. In the order of their
 * first ops.
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
        // Readers of an argument are not connected by it: it existed before.
        if (definition.kind === "argument") continue;
        open.push(definition.op, ...uses.map((use) => use.op));
      }
    }
    groups.push(group);
  }
  return groups;
}

/**
 * So many items of a list, evenly spread over it. For consecutive groups of ops this means that waiting groups
 * are sent while the ones between them run.
 */
export function spread<T>(list: readonly T[], count: number): readonly T[] {
  const before = (index: number): number => Math.floor(index * count / list.length);
  return list.filter((_, index) => before(index + 1) > before(index));
}

/**
 * Searches for the count with the least cost: tries all given ones, then repeatedly the middle of the wider gap
 * next to the best one so far, as long as there is a gap. Yields every computed cost.
 *
 * @param most further counts that are tried
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

/** An assignment with some groups of ops taken from another one. */
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
