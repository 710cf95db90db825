// SPDX-License-Identifier: Apache-2.0
import type { OpId, ValueId } from "../../graph/graph.ts";
import type { LayoutId } from "../../layout/layout_table.ts";
import { choiceFor, producedLayout } from "../../search/assignment.ts";
import type { OpEvaluator } from "../../search/op_evaluator.ts";
import type { Assignment } from "../../search/impls.ts";
import type { L1Item, L1Row } from "./l1_branching.ts";
import type { LayoutSpace } from "../exploration/layout_space.ts";
import type { SideBranch } from "../exploration/side_branches.ts";

/** The layout in which a value produced in one layout waits for a reader that reads another. */
export type CarrierOf = (
  value: ValueId,
  producedIn: LayoutId,
  reader: number,
  to: LayoutId,
  preferred: readonly LayoutId[],
) => LayoutId;

/**
 * The least L1 that an assignment needs in any order of ops, as rows: of the steps that a row lists, one occurs
 * in every order. A row has one step for each op: while it runs; two steps for two producers of one
 * op: while the later one runs, the result of the other is live; and for a chain of ops that runs before or
 * after another op ({@linkcode SideBranch}), one step per value of the chain, live while that op runs.
 */
export function l1Rows(space: LayoutSpace, assignment: Assignment, carrierOf: CarrierOf): readonly L1Row[] {
  const { evaluator } = space;
  const items = evaluator.fn.ops.map(({ id }): L1Item[] => {
    const bytes = space.l1BytesOf(id, choiceFor(assignment, id));
    return bytes === 0 ? [] : [{ kind: "op", op: id, bytes }];
  });
  const bytesOf = (layout: LayoutId): number => evaluator.facts(layout).l1Bytes;
  const waitItems = evaluator.fn.values.map(({ id, uses, returned }): readonly (L1Item | undefined)[] => {
    const producedIn = producedLayout(evaluator, assignment, id);
    if (producedIn === undefined || space.mayShareBuffer(id)) return [];
    const smallestFirst = space.layoutsOf(id).toSorted((a, b) => bytesOf(a) - bytesOf(b));
    const reads = uses.map(({ op, operand }) => choiceFor(assignment, op).inputs[operand]);
    if (returned > 0) reads.push(evaluator.declared[id]);
    const waits = space.waitsOf(id);
    const own = reads.map((to, reader): L1Item | undefined => {
      if (to === undefined) return undefined;
      const bytes = bytesOf(carrierOf(id, producedIn, reader, to, smallestFirst));
      return bytes === 0 ? undefined : { kind: "value", value: id, reader, bytes };
    });
    waits.forEach((ops, reader) => {
      const item = own[reader];
      if (item !== undefined) { for (const op of ops) items[op]?.push(item); }
    });
    return own;
  });
  return [
    ...items.map((present) => [present]),
    ...siblingRows(evaluator, items, waitItems),
    ...branchRows(space.sideBranches, items, waitItems),
  ];
}

/** One row per op and side branch of that op. */
function branchRows(
  branches: readonly SideBranch[],
  items: readonly (readonly L1Item[])[],
  waitItems: readonly (readonly (L1Item | undefined)[])[],
): readonly L1Row[] {
  return branches.flatMap(({ op, waits }): L1Row[] => {
    const present = items[op] ?? [];
    const row = waits.flatMap(({ value, reader }) => {
      const item = waitItems[value]?.[reader];
      const counts = present.some((other) => other.kind === "value" && other.value === value);
      return item === undefined || counts ? [] : [[...present, item]];
    });
    return row.length === waits.length ? [row] : [];
  });
}

/** One row per pair of producers of one op, either of which may run later. */
function siblingRows(
  evaluator: OpEvaluator,
  items: readonly (readonly L1Item[])[],
  waitItems: readonly (readonly (L1Item | undefined)[])[],
): readonly L1Row[] {
  const rows: L1Row[] = [];
  const holds = (op: OpId, value: ValueId): boolean =>
    evaluator.op(op).operands.includes(value) ||
    items[op]?.some((item) => item.kind === "value" && item.value === value) === true;
  for (const { id, operands } of evaluator.fn.ops) {
    const made = operands.flatMap((value, operand) => {
      const { definition, uses } = evaluator.value(value);
      const reader = uses.findIndex((use) => use.op === id && use.operand === operand);
      const item = waitItems[value]?.[reader];
      return definition.kind === "result" && item !== undefined ? [{ op: definition.op, value, item }] : [];
    });
    made.forEach((a, index) => {
      for (const b of made.slice(index + 1)) {
        if (a.op === b.op || holds(a.op, b.value) || holds(b.op, a.value)) continue;
        rows.push([[...items[a.op] ?? [], b.item], [...items[b.op] ?? [], a.item]]);
      }
    });
  }
  return rows;
}
