// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { GraphBuilder } from "../../../testing/graph_builder.ts";
import { opId } from "../../graph/graph.ts";
import { l1Region } from "../../memory/l1_schedule.ts";
import { DEFAULT_POLICY_OPTIONS, type PolicyOptions } from "../../policy/options.ts";
import { SMALL_CHIP } from "../../propagation/testing/random_graphs.ts";
import { TOY_CHIP, ToyCostModel, ToyOpModel, type ToyRule } from "../../propagation/testing/toy_models.ts";
import { OpEvaluator } from "../../search/op_evaluator.ts";
import { opRoles } from "../../search/op_roles.ts";
import { DEFAULT_OPTIMIZER_LIMITS, LayoutOptimizer } from "../layout_optimizer.ts";
import { leastPlan } from "../testing/plan_oracle.ts";
import { LayoutSpace } from "./layout_space.ts";
import { sideBranches } from "./side_branches.ts";

const WIDE = { shape: [4096, 512], dataType: "bf16" } as const;
const NARROW = { shape: [32, 32], dataType: "bf16" } as const;

/** Three ops, one of them large, and two ops beside these, which start and end at the same values. */
function fork(large: ToyRule) {
  const builder = new GraphBuilder();
  const made = builder.op("ttnn.toy", [builder.argument(WIDE)], WIDE);
  const first = builder.op("ttnn.toy", [made], NARROW);
  const second = builder.op("ttnn.large", [first], NARROW);
  const third = builder.op("ttnn.toy", [second], NARROW);
  const left = builder.op("ttnn.toy", [made], WIDE);
  const right = builder.op("ttnn.toy", [left], WIDE);
  builder.return(builder.op("ttnn.toy", [third, right], WIDE));
  const opModel = new ToyOpModel({ "ttnn.large": large }, TOY_CHIP);
  const cost = new ToyCostModel(opModel.layouts);
  return {
    evaluator: new OpEvaluator(builder.build(), opModel, cost, DEFAULT_POLICY_OPTIONS),
    values: { made, left, right },
  };
}

Deno.test("sideBranches() finds the values that wait beside an op, in either order of the ops", () => {
  const { evaluator, values: { made, left, right } } = fork({});
  const { fn } = evaluator;
  const beside = sideBranches(evaluator).filter(({ op }) => op === opId(fn, 2));
  assertEquals(beside, [{
    op: opId(fn, 2),
    waits: [{ value: made, reader: 1 }, { value: left, reader: 0 }, { value: right, reader: 0 }],
  }]);
  const ofReader = sideBranches(evaluator).filter(({ op }) => op === opId(fn, 1));
  assertEquals(ofReader, [], "an op that reads the first value counts it as its operand");
});

/** Few layouts, so that everything can be tried. */
const OPTIONS: PolicyOptions = {
  ...DEFAULT_POLICY_OPTIONS,
  maxReshardCandidatesPerType: 1,
  maxLegalLayouts: 4,
};

/** Sizes of a fork in KiB per core. */
interface Sizes {
  readonly spare: number;
  readonly made: number;
  readonly left: number;
  readonly buffers: number;
}

/** A value read by two rows of ops that meet again; in one of them an op takes much L1. */
function bench({ spare, made, left, buffers }: Sizes) {
  const chip = { ...SMALL_CHIP, workerGrid: { rows: 2, columns: 2 }, l1Size: (made + left + spare) * 1024 };
  const opModel = new ToyOpModel({ "ttnn.large": { circularBufferBytes: () => buffers * 1024 } }, chip);
  const tensor = (kib: number) => ({ shape: [64 * kib, 32], dataType: "bf16" }) as const;
  const builder = new GraphBuilder();
  const first = builder.op("ttnn.toy", [builder.argument(tensor(8))], tensor(made));
  const narrow = builder.op("ttnn.toy", [first], tensor(1));
  const large = builder.op("ttnn.large", [narrow], tensor(1));
  const beside = builder.op("ttnn.toy", [first], tensor(left));
  builder.return(builder.op("ttnn.toy", [large, beside], tensor(8)));
  const cost = new ToyCostModel(opModel.layouts, chip);
  const evaluator = new OpEvaluator(builder.build(), opModel, cost, OPTIONS);
  return { evaluator, roles: opRoles(evaluator), region: l1Region(chip, 1, 0) };
}

Deno.test("no plan undercuts the bound with side branches, by exhaustive search over candidates, copies and orders", () => {
  const count = { tried: 0, raised: 0 };
  fc.assert(
    fc.property(
      fc.record({
        spare: fc.constantFrom(16, 32),
        made: fc.constantFrom(16, 32, 64),
        left: fc.constantFrom(16, 32, 64),
        buffers: fc.constantFrom(8, 32, 64, 96),
      }),
      (sizes) => {
        const { evaluator, roles, region } = bench(sizes);
        const optimizer = new LayoutOptimizer(evaluator, roles, region, "hinted");
        const exact = optimizer.tighten("exact");
        const withinL1 = optimizer.solveWithinL1("exact, within L1 capacity")?.bound ?? exact.bound;
        if (withinL1 > exact.bound * (1 + 1e-6)) count.raised++;
        const space = new LayoutSpace(evaluator, roles, {
          combinations: DEFAULT_OPTIMIZER_LIMITS.combinations,
          l1Bytes: region.budget,
          freedom: "hinted",
        });
        const question = { region, keepsOrder: false, limit: Infinity, mostStates: 20_000, byAddress: false };
        const { microseconds } = leastPlan(space, question);
        if (microseconds === undefined) return;
        count.tried++;
        assert(
          withinL1 <= microseconds * (1 + 1e-9),
          `the bound is ${withinL1} µs, a plan takes ${microseconds}`,
        );
      },
    ),
    { numRuns: 16, seed: 7, endOnFailure: true },
  );
  assert(count.tried > 12, `${count.tried} forks were small enough to try everything`);
  assert(count.raised > 2, `L1 raises the bound of ${count.raised} forks`);
});

Deno.test("the bound includes the value that waits beside a large op in every order", () => {
  const boundOf = (l1Share: number) => {
    const { evaluator } = fork({ circularBufferBytes: () => l1Share * TOY_CHIP.l1Size });
    const optimizer = new LayoutOptimizer(evaluator, opRoles(evaluator), l1Region(TOY_CHIP, 1, 0), "hinted");
    const exact = optimizer.tighten("exact");
    return { exact, withinL1: optimizer.solveWithinL1("exact, within L1 capacity") };
  };
  const { exact, withinL1 } = boundOf(0.99);
  assert(withinL1 !== undefined && withinL1.bound > exact.bound * 1.01);
  assertEquals(boundOf(0.1).withinL1, undefined, "L1 does not bind");
});
