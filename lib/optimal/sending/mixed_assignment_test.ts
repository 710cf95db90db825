// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { GraphBuilder } from "../../../testing/graph_builder.ts";
import { DEFAULT_POLICY_OPTIONS } from "../../policy/options.ts";
import { ToyCostModel, ToyOpModel } from "../../propagation/testing/toy_models.ts";
import { assignmentMicroseconds } from "../../search/assignment.ts";
import type { Assignment, Choice } from "../../search/ways.ts";
import { OpEvaluator } from "../../search/op_evaluator.ts";
import { differingGroups, leastNear, mixedAssignment, spread } from "./mixed_assignment.ts";

const TENSOR = { shape: [64, 64], dataType: "bf16" } as const;

/** Rows of ops with separate arguments or a common one, joined at their ends; and which ops run differently. */
const rows = fc.record({
  rows: fc.array(fc.array(fc.boolean(), { minLength: 1, maxLength: 4 }), { minLength: 2, maxLength: 5 }),
  sharesArgument: fc.boolean(),
  joinDiffers: fc.boolean(),
});

Deno.test("groups of ops that two assignments run otherwise add up: any of them as in either", () => {
  fc.assert(
    fc.property(rows, fc.nat(31), ({ rows, sharesArgument, joinDiffers }, picked) => {
      const opModel = new ToyOpModel();
      const builder = new GraphBuilder();
      const common = builder.argument(TENSOR);
      const ends = rows.map((row) =>
        row.reduce(
          (made) => builder.op("ttnn.toy_unary", [made], TENSOR),
          sharesArgument ? common : builder.argument(TENSOR),
        )
      );
      builder.return(builder.op("ttnn.toy_join", ends, TENSOR));
      const fn = builder.build();
      const evaluator = new OpEvaluator(
        fn,
        opModel,
        new ToyCostModel(opModel.layouts),
        DEFAULT_POLICY_OPTIONS,
      );
      const differs = [...rows.flat(), joinDiffers];
      const a = fn.ops.map(({ id }) => evaluator.kept(id));
      const b = a.map((choice, op): Choice => {
        const [like] = choice.outputs;
        assert(like !== undefined);
        if (differs[op] !== true) return choice;
        const l1 = evaluator.interleaved(TENSOR, like, "l1");
        // Ops that run differently read L1 operands if these are produced there.
        const inputs = fn.ops[op]?.operands.map((value, operand) => {
          const { definition } = evaluator.value(value);
          return definition.kind === "result" && differs[definition.op] === true
            ? l1
            : choice.inputs[operand];
        });
        return { ...choice, inputs: inputs ?? [], outputs: [l1] };
      });
      const groups = differingGroups(evaluator, a, b);
      assertEquals(
        groups.flat().toSorted((x, y) => x - y),
        fn.ops.flatMap(({ id }) => differs[id] === true ? [id] : []),
      );
      const some = groups.filter((_, index) => (picked & 1 << index) !== 0);
      const microseconds = (of: Assignment): number => assignmentMicroseconds(evaluator, of);
      const gainOf = (group: typeof groups): number =>
        microseconds(mixedAssignment(a, b, group)) - microseconds(a);
      const each = some.reduce((sum, group) => sum + gainOf([group]), 0);
      assert(Math.abs(gainOf(some) - each) < 1e-6, `${gainOf(some)} µs together, ${each} one by one`);
      assertEquals(microseconds(mixedAssignment(a, b, groups)), microseconds(b));
      if (joinDiffers) return;
      const runs = rows.map((row) => row.filter((is, at) => is && row[at - 1] !== true).length);
      assertEquals(
        groups.length,
        runs.reduce((sum, count) => sum + count, 0),
        "rows are groups of their own",
      );
    }),
  );
});

Deno.test("some of a list are spread over it: any part of it has its share of them, give or take one", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 60 }),
      fc.nat(60),
      fc.nat(60),
      fc.nat(60),
      (length, most, from, to) => {
        const count = Math.min(most, length);
        const picked = spread(Array.from({ length }, (_, index) => index), count);
        assertEquals(picked.length, count);
        const [first, behind] = [Math.min(from, to, length), Math.min(Math.max(from, to), length)];
        const within = picked.filter((index) => index >= first && index < behind).length;
        assert(
          Math.abs(within - count * (behind - first) / length) < 1 + 1e-9,
          `${within} of ${first} to ${behind}`,
        );
      },
    ),
  );
});

Deno.test("the least of a cost with one valley is found, and tries end where they have to", () => {
  const ends = [8, 16, 32, 48];
  fc.assert(
    fc.property(
      fc.integer({ min: 8, max: 48 }),
      fc.integer({ min: 1, max: 9 }),
      fc.nat(5),
      (valley, slope, few) => {
        const costOf = (count: number): number => count < valley ? slope * (valley - count) : count - valley;
        assertEquals(Math.min(...leastNear(ends, costOf, 40)), 0);
        const costs = [...leastNear(ends, costOf, few)];
        assertEquals(costs.slice(0, ends.length), ends.map(costOf));
        assert(costs.length <= ends.length + few);
      },
    ),
    { numRuns: 300 },
  );
});
