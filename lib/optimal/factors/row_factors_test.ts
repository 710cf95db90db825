// SPDX-License-Identifier: Apache-2.0
import { assert, assertAlmostEquals } from "@std/assert";
import fc from "fast-check";
import type { Factor } from "../elimination/factor.ts";
import { isTooWide, type OperandCostTable, opFactor } from "./op_factor.ts";
import { fitsRowVariable, operandRowCosts, ownRowCosts } from "./row_factors.ts";
import { eliminateVariables } from "../elimination/variable_elimination.ts";
import type { Impl, ImplTable } from "../exploration/impl_table.ts";

const us = fc.integer({ min: 0, max: 60 });

/**
 * An op of up to five operands, some of them produced in one layout only or by one op, and implementations.
 */
const ops = fc.record({
  operands: fc.array(
    fc.record({
      producer: fc.option(fc.nat(3), { nil: undefined }),
      reads: fc.integer({ min: 1, max: 3 }),
      us: fc.array(us, { minLength: 9, maxLength: 9 }),
    }),
    { minLength: 1, maxLength: 5 },
  ),
  choices: fc.array(fc.integer({ min: 2, max: 3 }), { minLength: 4, maxLength: 4 }),
  outputs: fc.integer({ min: 1, max: 3 }),
  impls: fc.array(
    fc.record({ reads: fc.array(fc.nat(), { minLength: 5, maxLength: 5 }), output: fc.nat(), us }),
    { minLength: 1, maxLength: 12 },
  ),
  /** Costs of the producers and of the op's result in other factors. */
  elsewhere: fc.array(fc.array(us, { minLength: 3, maxLength: 3 }), { minLength: 5, maxLength: 5 }),
});

Deno.test("an op whose table row is a variable has the costs of its candidates, tried one by one", () => {
  let coupled = 0;
  fc.assert(
    fc.property(ops, ({ operands, choices, outputs, impls, elsewhere }) => {
      const table: ImplTable = {
        reads: operands.map(({ reads }) => Array.from({ length: reads }, () => undefined)),
        outputs: Array.from({ length: outputs }, () => []),
        rows: impls.map(({ reads, output, us: microseconds }): Impl => ({
          reads: operands.map((operand, at) => (reads[at] ?? 0) % operand.reads),
          output: output % outputs,
          microseconds,
          config: undefined,
          l1Bytes: 0,
        })),
        smaller: [],
        least: 0,
        relaxed: false,
      };
      const operandCosts = operands.map(({ producer, us: prices }): OperandCostTable => ({
        variable: producer,
        choices: producer === undefined ? 1 : choices[producer] ?? 1,
        microseconds: Float64Array.from(prices),
      }));
      assert(isTooWide(table, operandCosts, 0) && !isTooWide(table, operandCosts));
      assert(fitsRowVariable(table, operandCosts) && !fitsRowVariable(table, operandCosts, 0));
      const op = choices.length;
      const row = op + 1;
      const shared = elsewhere.map((prices, variable): Factor => ({
        scope: [variable],
        table: Float64Array.from(prices.slice(0, variable === op ? outputs : choices[variable])),
      }));
      const domains = [...choices, outputs, table.rows.length];
      const byRow: Factor[] = [
        { scope: [op, row], table: ownRowCosts(table, operandCosts) },
        ...operandCosts.flatMap((operandCost, operand): Factor[] =>
          operandCost.variable === undefined
            ? []
            : [{ scope: [operandCost.variable, row], table: operandRowCosts(table, operand, operandCost) }]
        ),
      ];
      const { bound, splitVariables } = eliminateVariables({ domains, factors: [...shared, ...byRow] }, {
        work: 1e6,
      });
      assert(splitVariables.length === 0);
      let least = Infinity;
      for (let joint = 0; joint < choices.reduce((product, count) => product * count, 1); joint++) {
        let rest = joint;
        const chosen = choices.map((count) => {
          const value = rest % count;
          rest = Math.floor(rest / count);
          return value;
        });
        const before = chosen.reduce((sum, value, at) => sum + (elsewhere[at]?.[value] ?? 0), 0);
        for (const { reads, output, microseconds } of table.rows) {
          const operandUs = operandCosts.reduce((sum, operandCost, at) => {
            const choice = operandCost.variable === undefined ? 0 : chosen[operandCost.variable] ?? 0;
            const stride = operands[at]?.reads ?? 1;
            return sum + (operandCost.microseconds[choice * stride + (reads[at] ?? 0)] ?? 0);
          }, 0);
          least = Math.min(least, before + operandUs + microseconds + (elsewhere[op]?.[output] ?? 0));
        }
      }
      assertAlmostEquals(bound, least, 1e-9);
      const { axes, table: joint } = opFactor(table, operandCosts);
      const producers = [
        ...new Set(operandCosts.flatMap(({ variable }) => variable === undefined ? [] : [variable])),
      ]
        .sort((a, b) => a - b);
      const whole = { scope: [...axes.map((rank) => producers[rank] ?? -1), op], table: joint };
      assertAlmostEquals(
        eliminateVariables({ domains, factors: [...shared, whole] }, { work: 1e6 }).bound,
        least,
        1e-9,
      );
      if (producers.length > 1) coupled++;
    }),
    { numRuns: 150, seed: 31 },
  );
  assert(coupled > 60, `${coupled} of 150 ops read what several producers make`);
});
