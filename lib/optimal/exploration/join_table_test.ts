// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { GraphBuilder } from "../../../testing/graph_builder.ts";
import { idOf } from "../../../testing/ids.ts";
import type { OpId } from "../../graph/graph.ts";
import { l1Region } from "../../memory/l1_schedule.ts";
import { DEFAULT_POLICY_OPTIONS } from "../../policy/options.ts";
import { realModels } from "../../propagation/testing/real_models.ts";
import { OpEvaluator } from "../../search/op_evaluator.ts";
import { opRoles } from "../../search/op_roles.ts";
import { exploreJoin } from "./join_table.ts";
import { DEFAULT_OPTIMIZER_LIMITS } from "../layout_optimizer.ts";
import { LayoutSpace } from "./layout_space.ts";
import { joinKindOf } from "../../search/joins.ts";
import { boundFunction } from "../lower_bound.ts";
import type { EitherRead, ExplorationLimits, Impl, ImplTable } from "./impl_table.ts";

/** An op per operand of so many columns unless it is an argument, what they make joined, and an op behind, so that a wait after the join is none hidden. */
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

/**
 * µs that a joined row costs if it represents `other`, a row of a table in which every read is a single layout;
 * `Infinity` if it does not represent that row.
 */
function chargeFor(joined: ImplTable, row: Impl, listed: ImplTable, other: Impl): number {
  if (joined.outputs[row.output]?.join() !== listed.outputs[other.output]?.join()) return Infinity;
  return row.reads.reduce((us, read, operand) => {
    const layout = listed.reads[operand]?.[other.reads[operand] ?? -1];
    const several = joined.eitherOf?.[operand]?.get(read) ??
      [{ layout: joined.reads[operand]?.[read], extraUs: 0 }];
    return us + (several.find((own) => own.layout === layout)?.extraUs ?? Infinity);
  }, row.microseconds);
}

/** Explores a join as if it had too many combinations to list. */
function explored({ evaluator, roles, join }: ReturnType<typeof joinOf>, limits: ExplorationLimits) {
  const space = new LayoutSpace(evaluator, roles, { ...limits, combinations: 20_000 });
  const { operands } = evaluator.op(join);
  const listed = space.table(join);
  assert(listed.eitherOf === undefined && !listed.relaxed);
  const producedLayouts = operands.map((value) => space.producedLayouts(value));
  const alone = operands.map((_, operand) => operand);
  return { listed, joined: exploreJoin(evaluator, join, listed.reads, producedLayouts, alone, limits) };
}

/** The least that a table charges for a row of the other one. */
function leastCharge(joined: ImplTable, listed: ImplTable, other: Impl): number {
  return joined.rows.reduce((us, row) => Math.min(us, chargeFor(joined, row, listed, other)), Infinity);
}

/** Rows of a table by result and by the kinds of layouts that they read: the least µs of each. */
function leastByKind(evaluator: OpEvaluator, { reads, eitherOf, outputs, rows }: ImplTable) {
  const least = new Map<string, number>();
  for (const row of rows) {
    const kinds = row.reads.map((read, operand) => {
      const layout = reads[operand]?.[read] ?? eitherOf?.[operand]?.get(read)?.[0]?.layout;
      return layout === undefined ? "" : joinKindOf(evaluator.layouts.get(layout));
    });
    const key = `${kinds.join()}>${outputs[row.output]?.join()}`;
    least.set(key, Math.min(least.get(key) ?? Infinity, row.ownUs ?? row.microseconds));
  }
  return least;
}

Deno.test("exploreJoin() equals the fastest of all combinations, listed exhaustively", () => {
  const widths = fc.array(fc.constantFrom(32, 64, 96, 256, 1024, 4096, 20, 200), {
    minLength: 3,
    maxLength: 5,
  });
  let mixed = 0;
  fc.assert(
    fc.property(
      fc.constantFrom(32, 256, 2048),
      fc.oneof(widths, fc.constant([64, 64, 64, 64, 64]), fc.constant([1024, 32, 32, 32, 32, 32])),
      (rows, columns) => {
        const made = joinOf(rows, columns);
        const { evaluator } = made;
        const l1Bytes = made.region.budget;
        const { listed, joined } = explored(made, { combinations: 20_000, l1Bytes, freedom: "confirmed" });
        for (const other of listed.rows) {
          const us = leastCharge(joined, listed, other);
          assert(us <= other.microseconds * (1 + 1e-9), `${us} µs for what takes ${other.microseconds}`);
          if (other.reads.join() !== other.reads.map(() => other.reads[0]).join()) mixed++;
        }
        const least = leastByKind(evaluator, listed);
        for (const [key, us] of leastByKind(evaluator, joined)) {
          // Implementations that do not fit L1 are not listed; the L1 that a combination needs is unknown.
          assert(us <= (least.get(key) ?? Infinity) * (1 + 1e-9), key);
        }
        assertEquals(joined.least, listed.least);
      },
    ),
    { numRuns: 8, seed: 41, examples: [[32, [4096, 32, 256, 32]]] },
  );
  assert(mixed > 40, `${mixed} combinations mix memories`);
});

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

Deno.test("joins with more combinations than are listed are charged a lower bound for any operand layouts", () => {
  const widths = fc.oneof(
    fc.uniqueArray(fc.integer({ min: 1, max: 600 }), { minLength: 12, maxLength: 24 }),
    fc.array(fc.constantFrom(32, 64, 96, 128, 512, 2048, 100, 700), { minLength: 12, maxLength: 24 }),
    // Columns that do not end on tiles are joined in one way only where they are many.
    fc.array(fc.constantFrom(32, 64, 96, 128, 256), { minLength: 12, maxLength: 24 }),
  );
  let joins = 0;
  fc.assert(
    fc.property(
      fc.constantFrom(32, 256, 1024),
      widths,
      fc.boolean(),
      fc.integer(),
      (rows, columns, hasProducers, seed) => {
        const { evaluator, roles, region, join } = joinOf(rows, columns, hasProducers);
        const limits = { ...DEFAULT_OPTIMIZER_LIMITS, l1Bytes: region.budget, freedom: "confirmed" } as const;
        const table = new LayoutSpace(evaluator, roles, limits).table(join);
        for (const row of table.rows) {
          const axes = row.reads.map((read, operand) => table.eitherOf?.[operand]?.get(read) ?? []);
          if (axes.some((axis) => axis.length === 0)) continue;
          const least = leastSlack(evaluator, join, table, row, axes, randomOf(seed));
          if (least === Infinity) continue;
          assert(least >= -1e-9, `${-100 * least} % more than it takes`);
          assert(least < 0.01, `${100 * least} % less than what anything takes`);
          joins++;
        }
      },
    ),
    { numRuns: 4, seed: 47 },
  );
  assert(joins > 1, `${joins} joins`);
});

/** Numbers from 0 to 1, deterministic per seed. */
function randomOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0) / 2 ** 32;
}

/**
 * The least difference between a join's time and its charge, as a share of the charge: operands are swapped
 * while it falls.
 */
function leastSlack(
  evaluator: OpEvaluator,
  join: OpId,
  { outputs }: ImplTable,
  row: Impl,
  axes: readonly (readonly EitherRead[])[],
  random: () => number,
): number {
  const made = outputs[row.output]?.join();
  const someOf = (axis: readonly EitherRead[]): EitherRead | undefined =>
    axis[Math.floor(random() * axis.length)];
  const slackOf = (places: readonly (EitherRead | undefined)[]): number => {
    const impls = evaluator.impls(join, places.map((place) => place?.layout));
    const taken = impls.filter((impl) => impl.outputs.join() === made)
      .reduce((us, impl) => Math.min(us, impl.microseconds), Infinity);
    return taken / places.reduce((us, place) => us + (place?.extraUs ?? 0), row.microseconds) - 1;
  };
  let least = Infinity;
  for (let start = 0; start < 4; start++) {
    const firsts = random();
    let places = axes.map((axis) => random() < firsts ? axis[0] : someOf(axis));
    let slack = slackOf(places);
    for (let step = 0; step < 60; step++) {
      const next = [...places];
      for (const _ of random() < 0.5 ? [1] : [1, 2]) {
        const operand = Math.floor(random() * axes.length);
        next[operand] = someOf(axes[operand] ?? []);
      }
      const changed = slackOf(next);
      if (changed <= slack) [places, slack] = [next, changed];
    }
    least = Math.min(least, slack);
  }
  return least;
}

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

Deno.test("a join of fourteen operands is described by operand kinds, because its combinations would exhaust a budget", () => {
  const tableOf = (count: number): ImplTable => {
    const { evaluator, roles, region, join } = joinOf(32, Array.from({ length: count }, () => 64));
    const limits = { ...DEFAULT_OPTIMIZER_LIMITS, l1Bytes: region.budget, freedom: "hinted" } as const;
    return new LayoutSpace(evaluator, roles, limits).table(join);
  };
  assert(tableOf(14).eitherOf !== undefined && tableOf(14).least > 0);
  assert(tableOf(6).eitherOf === undefined);
});
