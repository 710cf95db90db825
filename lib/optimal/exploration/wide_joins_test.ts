// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { GraphBuilder } from "../../../testing/graph_builder.ts";
import { idOf } from "../../../testing/ids.ts";
import { l1Region } from "../../memory/l1_schedule.ts";
import { DEFAULT_POLICY_OPTIONS } from "../../policy/options.ts";
import { realModels } from "../../propagation/testing/real_models.ts";
import { OpEvaluator } from "../../search/op_evaluator.ts";
import { opRoles } from "../../search/op_roles.ts";
import { DEFAULT_OPTIMIZER_LIMITS } from "../limits.ts";
import { LayoutSpace } from "./layout_space.ts";
import { boundFunction } from "../lower_bound.ts";

/**
 * An op per operand of so many columns unless it is an argument, what they make joined, and an op behind, so that a
 * wait after the join is none hidden.
 */
function joinOf(rows: number, columns: readonly number[], hasProducers = true) {
  const builder = new GraphBuilder();
  const tensorOf = (width: number) => ({ shape: [rows, width], dataType: "bf16" } as const);
  const operands = columns.map((width) => {
    const argument = builder.argument(tensorOf(width));
    return hasProducers ? builder.op("ttnn.relu", [argument], tensorOf(width)) : argument;
  });
  const total = columns.reduce((sum, width) => sum + width, 0);
  const joined = builder.op("ttnn.concat", operands, tensorOf(total), {
    attributes: { dim: { kind: "integer", value: 1n, type: "si32" } },
  });
  builder.return(builder.op("ttnn.exp", [joined], tensorOf(total)));
  const [fn] = builder.buildGraph().functions;
  assert(fn !== undefined);
  const { opModel, cost } = realModels();
  const evaluator = new OpEvaluator(fn, opModel, cost, DEFAULT_POLICY_OPTIONS);
  const region = l1Region(opModel.chip, 0.95, 0);
  return { evaluator, roles: opRoles(evaluator), region, join: idOf(hasProducers ? columns.length : 0) };
}

Deno.test("the time of a join is symmetric in equal operands", () => {
  fc.assert(
    fc.property(
      fc.constantFrom(32, 256),
      fc.constantFrom([64, 64, 64, 64], [1024, 32, 1024, 32], [20, 20, 200, 20]),
      fc.array(fc.boolean(), { minLength: 4, maxLength: 4 }),
      fc.nat(),
      (rows, columns, inL1, shift) => {
        const { evaluator, join } = joinOf(rows, columns);
        const timesOf = (where: readonly boolean[]): readonly string[] => {
          const inputs = evaluator.op(join).operands.map((value, operand) => {
            const { tensor } = evaluator.value(value);
            const declared = evaluator.declared[value];
            assert(tensor !== undefined && declared !== undefined);
            return evaluator.interleaved(tensor, declared, where[operand] === true ? "l1" : "dram");
          });
          return evaluator.impls(join, inputs).map(({ outputs, microseconds }) =>
            `${outputs.join()}: ${microseconds.toPrecision(9)}`
          );
        };
        // Operands of equal width, rotated by some places.
        const layouts = columns.map((width, operand) => {
          const equals = [...columns.keys()].filter((other) => columns[other] === width);
          return inL1[equals[(equals.indexOf(operand) + shift) % equals.length] ?? 0] === true;
        });
        assertEquals(timesOf(layouts), timesOf(inL1));
      },
    ),
    { numRuns: 12, seed: 43 },
  );
});

Deno.test("the bound of a join of arguments includes its DRAM reads", () => {
  for (
    const columns of [
      Array.from({ length: 40 }, () => 64),
      Array.from({ length: 14 }, (_, at) => 32 * at + 32),
    ]
  ) {
    const { evaluator, roles, region } = joinOf(256, columns, false);
    const { microseconds, assignmentUs } = boundFunction(
      evaluator,
      roles,
      region,
      "hinted",
      DEFAULT_OPTIMIZER_LIMITS,
    );
    assert(microseconds > (1 - 1e-6) * assignmentUs, `${microseconds} of ${assignmentUs} µs`);
  }
});

Deno.test("the bound of a join of forty operands equals the cost of an assignment", () => {
  const { evaluator, roles, region } = joinOf(256, Array.from({ length: 40 }, () => 64));
  const { status, relaxedOps, splitOps, microseconds, assignmentUs } = boundFunction(
    evaluator,
    roles,
    region,
    "hinted",
    DEFAULT_OPTIMIZER_LIMITS,
  );
  assertEquals({ status, relaxedOps, splitOps }, { status: "exact", relaxedOps: 0, splitOps: 0 });
  assert(microseconds > 0 && microseconds <= assignmentUs);
});

Deno.test("a join of too many operands to list is asked for mixtures, with all in one place and ramps between", () => {
  const { evaluator, roles, region, join } = joinOf(32, Array.from({ length: 14 }, (_, at) => 32 * at + 32));
  const limits = { ...DEFAULT_OPTIMIZER_LIMITS, l1Bytes: region.budget, planKind: "hinted" } as const;
  const { reads, rows, relaxed } = new LayoutSpace(evaluator, roles, limits).table(join);
  assert(!relaxed && rows.length < DEFAULT_OPTIMIZER_LIMITS.combinations);
  const inL1 = new Set(rows.flatMap((row) => {
    const layouts = row.reads.map((read, operand) => reads[operand]?.[read]);
    const isInterleaved = layouts.every((id) => id !== undefined && !evaluator.facts(id).isSharded);
    return isInterleaved ? [layouts.filter((id) => id !== undefined && evaluator.facts(id).isL1).length] : [];
  }));
  assertEquals([...inL1].sort((a, b) => a - b), Array.from({ length: 15 }, (_, count) => count));
});
