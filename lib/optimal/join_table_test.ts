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
import { exploreJoin, leastSums, multisets } from "./join_table.ts";
import { DEFAULT_OPTIMIZER_LIMITS } from "./layout_optimizer.ts";
import { LayoutSpace } from "./layout_space.ts";
import { joinKindOf } from "./operand_combinations.ts";
import { boundFunction } from "./lower_bound.ts";
import { LayoutTable } from "../layout/layout_table.ts";
import { makeLayout } from "../layout/make_layout.ts";
import type { LayoutIds } from "../search/ways.ts";
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

/** Rows of a table, by what they make and the kinds of layouts that they read: the least µs of each. */
function leastByKind(evaluator: OpEvaluator, { reads, eitherOf, outputs, rows }: WayTable) {
  const least = new Map<string, number>();
  for (const row of rows) {
    const kinds = row.reads.map((read, operand) => {
      const layout = reads[operand]?.[read] ?? eitherOf?.[operand]?.get(read)?.[0];
      return joinKindOf(evaluator, layout);
    });
    const key = `${kinds.join()}>${outputs[row.output]?.join()}`;
    least.set(key, Math.min(least.get(key) ?? Infinity, row.microseconds));
  }
  return least;
}

Deno.test("exploreJoin() takes just as long as the quickest of all combinations, every one of them listed", () => {
  const widths = fc.array(fc.constantFrom(32, 64, 96, 256, 1024, 4096, 20, 200), {
    minLength: 3,
    maxLength: 6,
  });
  let mixed = 0;
  fc.assert(
    fc.property(
      fc.constantFrom(32, 256, 2048),
      fc.oneof(widths, fc.constant([64, 64, 64, 64, 64]), fc.constant([1024, 32, 32, 32, 32, 32])),
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
          if (other.reads.join() !== other.reads.map(() => other.reads[0]).join()) mixed++;
        }
        const least = leastByKind(evaluator, listed);
        for (const [key, us] of leastByKind(evaluator, joined)) {
          // Ways that L1 has no room for are listed nowhere; nobody knows of L1 what a combination needs.
          assert(us <= (least.get(key) ?? Infinity) * (1 + 1e-9), key);
        }
        assertEquals(joined.least, listed.least);
      },
    ),
    { numRuns: 30, seed: 41, examples: [[32, [4096, 32, 256, 32]]] },
  );
  assert(mixed > 100, `${mixed} combinations mix memories`);
});

Deno.test("a join takes as long whichever of its equal operands lie where", () => {
  fc.assert(
    fc.property(
      fc.constantFrom(32, 256),
      fc.constantFrom([64, 64, 64, 64], [1024, 32, 1024, 32], [20, 20, 200, 20]),
      fc.array(fc.boolean(), { minLength: 4, maxLength: 4 }),
      fc.nat(),
      (rows, columns, inL1, turn) => {
        const { evaluator, join } = joinOf(rows, columns);
        const timesOf = (where: readonly boolean[]): readonly string[] => {
          const inputs = evaluator.op(join).operands.map((value, operand) => {
            const { tensor } = evaluator.value(value);
            const declared = evaluator.declared[value];
            assert(tensor !== undefined && declared !== undefined);
            return evaluator.interleaved(tensor, declared, where[operand] === true ? "l1" : "dram");
          });
          return evaluator.ways(join, inputs).map(({ outputs, microseconds }) =>
            `${outputs.join()}: ${microseconds.toPrecision(9)}`
          );
        };
        // Among operands of one width, turned by some places.
        const turned = columns.map((width, operand) => {
          const equals = [...columns.keys()].filter((other) => columns[other] === width);
          return inL1[equals[(equals.indexOf(operand) + turn) % equals.length] ?? 0] === true;
        });
        assertEquals(timesOf(turned), timesOf(inL1));
      },
    ),
    { numRuns: 40, seed: 43 },
  );
});

Deno.test("exploreJoin() gives no time to a join of which too many combinations differ", () => {
  const columns = Array.from({ length: 14 }, (_, operand) => 32 * (operand + 1));
  const { evaluator, roles, region, join } = joinOf(32, columns);
  const limits = { combinations: 10_000, l1Bytes: region.budget, freedom: "hinted" } as const;
  const { rows, eitherOf } = new LayoutSpace(evaluator, roles, limits).table(join);
  const isAny = ({ reads }: WayRow): boolean =>
    reads.some((read, operand) => eitherOf?.[operand]?.has(read) === true);
  assert(rows.some(isAny));
  assert(rows.every((row) => isAny(row) ? row.microseconds === 0 : row.microseconds > 0));
});

Deno.test("exploreJoin() adds up what operands take that are brought into rows one by one, however many there are", () => {
  const widths = fc.uniqueArray(fc.integer({ min: 1, max: 300 }).filter((width) => width % 32 !== 0), {
    minLength: 4,
    maxLength: 6,
  });
  fc.assert(
    fc.property(fc.constantFrom(32, 256), widths, (rows, columns) => {
      const { evaluator, roles, region, join } = joinOf(rows, columns);
      const limits = { combinations: 20_000, l1Bytes: region.budget, freedom: "confirmed" } as const;
      const listed = new LayoutSpace(evaluator, roles, limits).table(join);
      // No distribution can be listed, so that each operand is looked at for itself.
      const summed = exploreJoin(evaluator, join, listed.reads, columns.map((_, operand) => operand), {
        ...limits,
        combinations: 8,
      });
      for (const other of listed.rows) {
        const row = summed.rows.filter((row) => standsFor(summed, row, listed, other))
          .reduce((us, { microseconds }) => Math.min(us, microseconds), Infinity);
        assert(row <= other.microseconds * (1 + 1e-9), `${row} µs for what takes ${other.microseconds}`);
      }
      assert(summed.least > 0.999 * listed.least, `${summed.least} µs, the least is ${listed.least}`);
    }),
    { numRuns: 20, seed: 47 },
  );
});

Deno.test("leastSums() is the least of all combinations of what adds up, and says nothing of what does not in between", () => {
  const table = new LayoutTable();
  const layouts = [32, 64, 96].map((rows) =>
    table.intern(
      makeLayout({ shape: [rows, 32], dataType: "bf16", bufferType: "dram", memoryLayout: "interleaved" }, {
        rows: 8,
        columns: 8,
      }),
    )
  );
  const us = fc.array(fc.integer({ min: 1, max: 50 }), { minLength: 3, maxLength: 3 });
  fc.assert(
    fc.property(fc.array(us, { minLength: 2, maxLength: 5 }), fc.boolean(), (own, isOdd) => {
      const timeOf = (inputs: LayoutIds): number => {
        const ranks = inputs.map((layout) => layouts.findIndex((other) => other === layout));
        const sum = ranks.reduce((all, rank, operand) => all + (own[operand]?.[rank] ?? 0), 0);
        // As if one memory were quicker as long as no more than one operand lay in another one.
        const elsewhere = ranks.filter((rank) => rank === 2).length;
        return isOdd && elsewhere > 1 && elsewhere < own.length - 1 ? sum + 7 : sum;
      };
      const row = { reads: [], output: 0, config: undefined, l1Bytes: 0, aliases: false };
      const sums = leastSums(
        own.map((_, operand) => [operand]),
        own.map(() => layouts),
        (inputs) => new Map([[0, { ...row, microseconds: timeOf(inputs) }]]),
        1000,
      );
      const least = own.reduce((all, each) => all + Math.min(...each), 0);
      assertEquals(sums.get(0), isOdd && own.length > 3 ? undefined : least);
    }),
    { numRuns: 200, seed: 53 },
  );
});

Deno.test("leastSums() asks about one operand of a class, and about no more operands in all than it may", () => {
  const table = new LayoutTable();
  const [near, far] = (["l1", "dram"] as const).map((bufferType) =>
    table.intern(
      makeLayout({ shape: [32, 32], dataType: "bf16", bufferType, memoryLayout: "interleaved" }, {
        rows: 8,
        columns: 8,
      }),
    )
  );
  assert(near !== undefined && far !== undefined);
  const axes = Array.from({ length: 200 }, () => [near, far]);
  const classes = [0, 1].map((rest) => [...axes.keys()].filter((operand) => operand % 2 === rest));
  const row = { reads: [], output: 0, config: undefined, l1Bytes: 0, aliases: false };
  let reads = 0;
  const sumsWithin = (mostReads: number) => {
    reads = 0;
    return leastSums(classes, axes, (inputs) => {
      reads += inputs.length;
      const microseconds = inputs.reduce<number>(
        (us, id, at) => us + (id === near ? 1 : 2 - 2 * (at % 2)),
        0,
      );
      return new Map([[0, { ...row, microseconds }]]);
    }, mostReads);
  };
  assertEquals(sumsWithin(20_000), new Map([[0, 100]]));
  assert(reads > 200 && reads <= 20_000);
  assertEquals(sumsWithin(10_000), new Map());
  assertEquals(reads, 0);
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

Deno.test("a join of fourteen operands is told by kinds: listing its combinations would take all of a budget", () => {
  const tableOf = (count: number): WayTable => {
    const { evaluator, roles, region, join } = joinOf(32, Array.from({ length: count }, () => 64));
    const limits = { ...DEFAULT_OPTIMIZER_LIMITS, l1Bytes: region.budget, freedom: "hinted" } as const;
    return new LayoutSpace(evaluator, roles, limits).table(join);
  };
  assert(tableOf(14).eitherOf !== undefined && tableOf(14).least > 0);
  assert(tableOf(6).eitherOf === undefined);
});

Deno.test("multisets() lists every choice once, whatever its order, and says when there are too many", () => {
  assertEquals(multisets(["a", "b"], 3, 10), [
    ["a", "a", "a"],
    ["a", "a", "b"],
    ["a", "b", "b"],
    ["b", "b", "b"],
  ]);
  assertEquals(multisets(["a", "b", "c"], 9, 55)?.length, 55);
  assertEquals(multisets(["a", "b", "c"], 9, 54), undefined);
});
