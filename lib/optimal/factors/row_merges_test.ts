// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { idOf } from "../../../testing/ids.ts";
import { type OperandCostTable, opFactor } from "./op_factor.ts";
import { rowMerges } from "./row_merges.ts";
import type { Impl, ImplTable } from "../exploration/impl_table.ts";

/** A table of every way to read some layouts per operand and to produce some results, with few distinct times. */
function tableOf(
  reads: readonly number[],
  outputs: number,
  usOf: (row: number) => number | undefined,
): ImplTable {
  let combinations: (readonly number[])[] = [[]];
  for (const count of reads) {
    combinations = combinations.flatMap((cache) =>
      Array.from({ length: count }, (_, read) => [...cache, read])
    );
  }
  const rows = combinations.flatMap((combination, index) =>
    Array.from({ length: outputs }, (_, output): Impl[] => {
      const microseconds = usOf(index * outputs + output);
      return microseconds === undefined
        ? []
        : [{ reads: combination, output, microseconds, config: undefined, l1Bytes: 0 }];
    }).flat()
  );
  return {
    reads: reads.map((count) => Array.from({ length: count }, (_, layout) => idOf(layout))),
    outputs: Array.from({ length: outputs }, (_, layout) => [idOf(layout)]),
    rows,
    smaller: [],
    least: 0,
    relaxed: false,
  };
}

/**
 * Least µs over the rows for every choice of the producers (ascending, the last one varies fast) and every
 * output.
 */
function byTrial(
  { rows, reads, outputs }: ImplTable,
  operandCosts: readonly OperandCostTable[],
  axes: readonly number[],
): number[] {
  const variables = [
    ...new Set(operandCosts.flatMap(({ variable }) => variable === undefined ? [] : [variable])),
  ]
    .sort();
  const scope = axes.map((axis) => variables[axis] ?? -1);
  const extents = scope.map((variable) =>
    operandCosts.find((operandCost) => operandCost.variable === variable)?.choices ?? 1
  );
  const joint = extents.reduce((product, count) => product * count, 1);
  return Array.from({ length: joint * outputs.length }, (_, at) => {
    const output = at % outputs.length;
    let rest = Math.floor(at / outputs.length);
    const chosen = new Map<number, number>();
    for (let axis = scope.length - 1; axis >= 0; axis--) {
      chosen.set(scope[axis] ?? -1, rest % (extents[axis] ?? 1));
      rest = Math.floor(rest / (extents[axis] ?? 1));
    }
    return rows.filter((row) => row.output === output).reduce((least, row) => {
      const operandUs = operandCosts.reduce((us, { variable, microseconds }, operand) => {
        const choice = variable === undefined ? 0 : chosen.get(variable) ?? 0;
        return us + (microseconds[choice * (reads[operand]?.length ?? 1) + (row.reads[operand] ?? 0)] ?? 0);
      }, row.microseconds);
      return Math.min(least, operandUs);
    }, Infinity);
  });
}

Deno.test("merged rows have the costs of the single rows, also with one producer twice", () => {
  let merged = 0;
  const operand = fc.record({
    reads: fc.integer({ min: 1, max: 5 }),
    variable: fc.constantFrom(undefined, 0, 1),
  });
  const us = fc.constantFrom(1, 2, 2, 4, undefined);
  fc.assert(
    fc.property(
      fc.array(operand, { minLength: 1, maxLength: 3 }),
      fc.integer({ min: 1, max: 4 }),
      fc.array(us, { minLength: 500, maxLength: 500 }),
      fc.array(fc.constantFrom(0, 0, 8, 16, Infinity), { minLength: 200, maxLength: 200 }),
      (operands, outputs, times, prices) => {
        const table = tableOf(
          operands.map(({ reads }) => reads),
          outputs,
          (row) => times[row % 7] ?? times[row],
        );
        const operandCosts = operands.map(({ reads, variable }, index): OperandCostTable => {
          const choices = variable === undefined ? 1 : 2 + variable;
          const from = 50 * index;
          return {
            variable,
            choices,
            microseconds: Float64Array.from(prices.slice(from, from + reads * choices)),
          };
        });
        const { axes, table: joint } = opFactor(table, operandCosts);
        assertEquals([...joint], byTrial(table, operandCosts, axes));
        const { merges } = rowMerges(table, operands.map((_, index) => index));
        if (merges.some(({ columns }) => columns.length < table.rows.length / 2)) merged++;
      },
    ),
    { numRuns: 300 },
  );
  assert(merged > 50, `rows of ${merged} tables merged`);
});
