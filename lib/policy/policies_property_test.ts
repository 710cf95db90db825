// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { planMicroseconds } from "../cost/plan_runtime.ts";
import type { Graph } from "../graph/graph.ts";
import { opSignatures } from "../graph/signature.ts";
import { opFootprint } from "../memory/op_footprint.ts";
import { simulateMemory } from "../memory/plan_memory.ts";
import type { Plan } from "../plan/plan.ts";
import { planExecution } from "../plan/steps.ts";
import { verifyPlan } from "../plan/verify_plan.ts";
import {
  buildRandomGraph,
  type GraphRecipe,
  graphRecipes,
  randomRules,
  SMALL_CHIP,
} from "../propagation/testing/random_graphs.ts";
import { ToyCostModel, ToyOpModel } from "../propagation/testing/toy_models.ts";
import { policy as beam } from "./policies/beam.ts";
import { policy as beamCost } from "./policies/beam_cost.ts";
import { policy as dram } from "./policies/dram.ts";
import { policy as greedy } from "./policies/greedy.ts";
import { policy as l1Interleaved } from "./policies/l1_interleaved.ts";
import { policy as optimal } from "./policies/optimal.ts";
import { DEFAULT_POLICY_OPTIONS, type PolicyOptions } from "./options.ts";
import type { Policy } from "./policy.ts";
import type { LayoutId } from "../layout/layout_table.ts";

/** Graphs per property; `TILEWRIGHT_PROPERTY_RUNS` asks for more. */
const RUNS = Number(Deno.env.get("TILEWRIGHT_PROPERTY_RUNS") ?? 8);

const PASS_POLICIES: readonly Policy[] = [
  dram,
  l1Interleaved,
  greedy,
  beam,
  beamCost,
  optimal,
];

/** A decided graph and the models used. */
interface Decided {
  readonly graph: Graph;
  readonly plan: Plan;
  readonly opModel: ToyOpModel;
  readonly microseconds: number;
}

function decide(recipe: GraphRecipe, policy: Policy, options: Partial<PolicyOptions> = {}): Decided {
  const graph = buildRandomGraph(recipe);
  // Toy rules, because the property must hold for any rules.
  const opModel = new ToyOpModel(randomRules(recipe.legality), SMALL_CHIP);
  const cost = new ToyCostModel(opModel.layouts, SMALL_CHIP);
  const plan = policy.decide({ graph, opModel, cost, options: { ...DEFAULT_POLICY_OPTIONS, ...options } });
  const microseconds = graph.functions.reduce((sum, fn, index) => {
    const functionPlan = plan.functions[index];
    return functionPlan === undefined ? sum : sum + planMicroseconds(fn, functionPlan, opModel, cost);
  }, 0);
  return { graph, plan, opModel, microseconds };
}

/** Invariants of every plan, checked from the plan alone. */
function assertSound({ graph, plan, opModel }: Decided, cap: number): void {
  assertEquals(verifyPlan(graph, plan), []);
  graph.functions.forEach((fn, index) => {
    const functionPlan = plan.functions[index];
    assert(functionPlan !== undefined);
    const { timeline } = simulateMemory(fn, functionPlan, opModel, { cap, constEvalL1Bytes: 0 });
    assert(timeline.placeable, "the plan fits by address");
    const execution = planExecution(fn, functionPlan);
    const signatures = opSignatures(fn);
    const updated = new Set(
      fn.ops.flatMap((op) => op.name === "ttnn.toy_update" ? op.operands.slice(0, 1) : []),
    );
    for (const step of execution.steps) {
      const layoutId = (instance: number): LayoutId | undefined => {
        const layout = execution.layouts[instance];
        return layout === undefined ? undefined : opModel.layouts.intern(layout);
      };
      const inputs = step.operands.map(layoutId);
      const outputs = step.results.map(layoutId);
      if (step.kind === "conversion") {
        assert(!updated.has(step.conversion.value), "a value that is updated in place is never copied");
        const answer = opModel.queryOpConstraints(
          reshardOf(fn.values[step.conversion.value]?.tensor),
          inputs,
          outputs[0],
        );
        assertEquals(answer.status, "valid", "every conversion is legal");
        continue;
      }
      const signature = signatures[step.op];
      const op = fn.ops[step.op];
      assert(signature !== undefined && op !== undefined);
      const asInput = [...op.operands, ...op.results].every((value, position) => {
        const layout = fn.values[value]?.layout;
        const present = [...inputs, ...outputs][position];
        return layout === undefined || opModel.layouts.intern(layout) === present;
      });
      assert(
        asInput || opFootprint(opModel, signature, inputs, outputs, step.config).refusal === undefined,
        `${op.name} makes what the plan says`,
      );
      if (op.name === "ttnn.toy_opaque" || op.name === "ttnn.toy_create") {
        const declared = op.results.map((value) => {
          const layout = fn.values[value]?.layout;
          return layout === undefined ? undefined : opModel.layouts.intern(layout);
        });
        assertEquals(outputs, declared, "what ops make that cannot move does not move");
      }
    }
  });
}

function reshardOf(tensor: { shape: readonly number[]; dataType: "bf16" } | undefined | unknown) {
  return {
    name: "ttnn.to_memory_config",
    attributes: new Map(),
    operands: [isTensor(tensor) ? tensor : undefined],
    operandSegmentSizes: undefined,
    results: [isTensor(tensor) ? tensor : undefined],
  };
}

function isTensor(value: unknown): value is { shape: readonly number[]; dataType: "bf16" } {
  return typeof value === "object" && value !== null && "shape" in value;
}

for (const policy of PASS_POLICIES) {
  Deno.test(`${policy.name} makes sound plans of random graphs`, () => {
    fc.assert(
      fc.property(
        graphRecipes(12),
        fc.constantFrom(0.05, 0.25, 0.5, 0.95),
        fc.constantFrom("farthest-next-use", "farthest-last-use", "cost-aware", "exact"),
        fc.constantFrom("input", "memory"),
        (recipe, cap, spill, schedule) =>
          assertSound(decide(recipe, policy, { tensorL1UsageCap: cap, spill, schedule }), cap),
      ),
      { numRuns: policy === optimal ? 7 : 20, seed: 11 },
    );
  });
}

Deno.test("beam-cost is never dearer than dram, greedy or beam", () => {
  fc.assert(
    fc.property(graphRecipes(14), (recipe) => {
      const best = decide(recipe, beamCost).microseconds;
      for (const policy of [dram, greedy, beam]) {
        assert(best <= decide(recipe, policy).microseconds + 1e-6, `${policy.name} is cheaper`);
      }
    }),
    { numRuns: RUNS, seed: 12 },
  );
});

Deno.test("optimal is never dearer than beam-cost", () => {
  let cheaper = 0;
  fc.assert(
    fc.property(graphRecipes(10), fc.constantFrom(0.3, 0.95), (recipe, tensorL1UsageCap) => {
      const best = decide(recipe, optimal, { tensorL1UsageCap }).microseconds;
      const other = decide(recipe, beamCost, { tensorL1UsageCap }).microseconds;
      assert(best <= other, `${best} after ${other}`);
      if (best < other * 0.999) cheaper++;
    }),
    { numRuns: 8, seed: 16 },
  );
  assert(cheaper > 0, `cheaper in none of 8 runs`);
});

Deno.test("beam-cost never gets dearer when a width is added", () => {
  fc.assert(
    fc.property(graphRecipes(10), (recipe) => {
      let before = Infinity;
      for (const beamWidth of [1, 2, 4, 8]) {
        const { microseconds } = decide(recipe, beamCost, { beamWidth });
        assert(microseconds <= before + 1e-6, `width ${beamWidth}: ${microseconds} after ${before}`);
        before = microseconds;
      }
    }),
    { numRuns: RUNS, seed: 13 },
  );
});

Deno.test("exact spill is never dearer than a greedy one", () => {
  fc.assert(
    fc.property(graphRecipes(16), (recipe) => {
      const options = { tensorL1UsageCap: 0.3 };
      const exact = decide(recipe, beam, { ...options, spill: "exact" }).microseconds;
      for (const spill of ["farthest-next-use", "farthest-last-use", "cost-aware"] as const) {
        assert(exact <= decide(recipe, beam, { ...options, spill }).microseconds + 1e-6, spill);
      }
    }),
    { numRuns: RUNS, seed: 14 },
  );
});

Deno.test("policies give the same plan on every run", () => {
  const [recipe] = fc.sample(graphRecipes(20), { numRuns: 1, seed: 15 });
  assert(recipe !== undefined);
  for (const policy of PASS_POLICIES) {
    const first = JSON.stringify(decide(recipe, policy).plan);
    for (let run = 1; run < (policy === optimal ? 2 : 4); run++) {
      assertEquals(JSON.stringify(decide(recipe, policy).plan), first);
    }
  }
});
