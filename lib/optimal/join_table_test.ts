// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { GraphBuilder } from "../../testing/graph_builder.ts";
import { idOf } from "../../testing/ids.ts";
import { l1Region } from "../memory/l1_timeline.ts";
import { DEFAULT_POLICY_OPTIONS } from "../policy/options.ts";
import { realModels } from "../propagation/testing/real_models.ts";
import { OpEvaluator } from "../search/op_evaluator.ts";
import { opRoles } from "../search/op_roles.ts";
import { exploreJoin, leastOf } from "./join_table.ts";
import { DEFAULT_OPTIMIZER_LIMITS } from "./layout_optimizer.ts";
import { LayoutSpace } from "./layout_space.ts";
import { boundFunction } from "./lower_bound.ts";
import type { WayRow, WayTable } from "./way_table.ts";

/** An op per operand of so many columns, what they make joined, and an op behind, so that a wait after the join is none hidden. */
function joinOf(rows: number, columns: readonly number[]) {
  const builder = new GraphBuilder();
  const tensorOf = (width: number) => ({ shape: [rows, width], dataType: "bf16" } as const);
  const operands = columns.map((width) =>
    builder.op("ttnn.relu", [builder.argument(tensorOf(width))], tensorOf(width))
  );
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
  return { evaluator, roles: opRoles(evaluator), region, join: idOf(columns.length) };
}

/** Whether a row stands for another one of a table in which every read is of one layout. */
function standsFor(joined: WayTable, row: WayRow, listed: WayTable, other: WayRow): boolean {
  return joined.outputs[row.output]?.join() === listed.outputs[other.output]?.join() &&
    row.reads.every((read, operand) => {
      const layout = listed.reads[operand]?.[other.reads[operand] ?? -1];
      const several = joined.eitherOf?.[operand]?.get(read) ?? [joined.reads[operand]?.[read]];
      return several.some((own) => own === layout);
    });
}

Deno.test("exploreJoin() takes no longer than any listed combination of operands, and as long where they are equal", () => {
  const widths = fc.array(fc.constantFrom(32, 64, 96, 256, 1024, 4096, 20, 200), {
    minLength: 3,
    maxLength: 6,
  });
  let equal = 0;
  fc.assert(
    fc.property(
      fc.constantFrom(32, 256, 2048),
      fc.oneof(widths, fc.constant([64, 64, 64, 64, 64])),
      (rows, columns) => {
        const { evaluator, roles, region, join } = joinOf(rows, columns);
        const limits = { combinations: 20_000, l1Bytes: region.budget, freedom: "confirmed" } as const;
        const listed = new LayoutSpace(evaluator, roles, limits).table(join);
        assert(listed.eitherOf === undefined && !listed.relaxed);
        const joined = exploreJoin(
          evaluator,
          join,
          listed.reads,
          columns.map((_, operand) => operand),
          limits,
        );
        for (const other of listed.rows) {
          const row = joined.rows.filter((row) => standsFor(joined, row, listed, other))
            .reduce((us, { microseconds }) => Math.min(us, microseconds), Infinity);
          assert(row <= other.microseconds * (1 + 1e-9), `${row} µs for what takes ${other.microseconds}`);
        }
        assert(joined.least > 0.5 * listed.least);
        if (new Set(columns).size > 1) return;
        equal++;
        assertEquals(joined.least, listed.least);
      },
    ),
    // Moving operands in one order alone misses the cheapest combination of this one.
    { numRuns: 30, seed: 41, examples: [[32, [4096, 32, 256, 32]]] },
  );
  assert(equal > 5, `${equal} of 31 joins are of equal operands`);
});

Deno.test("the bound of a join of forty operands is what an assignment costs", () => {
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

Deno.test("leastOf() takes off what moving one operand may change, where combinations lie between", () => {
  const walkOf = (...times: readonly number[]) =>
    times.map((microseconds) =>
      new Map([[0, { reads: [], output: 0, microseconds, config: undefined, l1Bytes: 8, aliases: false }]])
    );
  const timesOf = (...walks: readonly ReturnType<typeof walkOf>[]) =>
    leastOf(walks).map(({ microseconds }) => microseconds);
  assertEquals(timesOf(walkOf(9, 7, 8)), [7]);
  assertEquals(timesOf(walkOf(9, 7, 8), walkOf(9, 8.5, 8)), [5]);
  assertEquals(timesOf(walkOf(9, 1), walkOf(9, 1)), [0]);
});
