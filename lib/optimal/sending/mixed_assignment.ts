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
