// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals } from "@std/assert";
import { join } from "@std/path";
import { createWorkbench } from "../../pipeline/load.ts";
import { llamaPrefill } from "../../testdata/zoo/llama_3_2_1b.ts";
import { getDevice } from "../../sim/devices/device_registry.ts";
import { GraphBuilder } from "../../testing/graph_builder.ts";
import { PROJECT_ROOT } from "../../testing/corpus.ts";
import type { ValueId } from "../graph/graph.ts";
import { type ModuleText, parseModule } from "../ir/mod.ts";
import { LayoutOptimizer, WITHOUT_CAPACITY } from "../optimal/layout_optimizer.ts";
import { planToJson } from "../plan/plan_json.ts";
import { WorkAccount } from "../search/work_account.ts";
import { DEFAULT_POLICY_OPTIONS, TIME_BUDGET } from "./options.ts";
import { planByPasses } from "./plan_graph.ts";
import { planWithinBudget } from "./plan_within_budget.ts";
import { BeamSearch, openPortfolio } from "./policies/beam_cost.ts";
import { greedy } from "./policies/greedy.ts";
import { searchExactly } from "./policies/optimal.ts";
import { CLOSE, FAR_ALLOWANCE, US_PER_OP } from "./search_limits.ts";
import { WorkBudget } from "./work_budget.ts";

function readModel(name: string): ModuleText {
  const path = join(PROJECT_ROOT, "testdata", "models", name);
  return parseModule(Deno.readTextFileSync(path), path);
}

const module = readModel("segformer_block.mlir");

/** What beams found, and what they spent, by their budget: several tests ask for the same. */
const BY_BEAMS = new Map<number, { readonly foundUs: number; readonly spent: number }>();

/** The result of beams with a budget of some µs of work, and what they spent. */
function searchByBeams(microseconds: number): { readonly foundUs: number; readonly spent: number } {
  const cached = BY_BEAMS.get(microseconds);
  if (cached !== undefined) return cached;
  const { binding, opModel, cost } = createWorkbench(module, getDevice("n150"));
  const work = new WorkAccount(opModel);
  let foundUs = 0;
  planByPasses(
    { graph: binding.graph, opModel, cost, options: DEFAULT_POLICY_OPTIONS },
    { name: "beam-cost" },
    (fn, options) => {
      const beams = new BeamSearch(fn, options, microseconds);
      beams.goOn();
      const winner = beams.winner() ?? greedy(fn, options);
      foundUs += winner.microseconds;
      return winner;
    },
    work,
  );
  const result = { foundUs, spent: work.microseconds };
  BY_BEAMS.set(microseconds, result);
  return result;
}

/** A search with a budget of some µs of work, without cached answers: what it spent and found. */
function search(
  microseconds: number,
  searched: ModuleText = module,
  beamsUs: number = microseconds < Infinity ? microseconds / 2 : 0,
  exploringUs: number = microseconds,
) {
  const { binding, opModel, cost } = createWorkbench(searched, getDevice("n150"));
  const work = new WorkAccount(opModel);
  let foundUs = 0;
  const plan = planByPasses(
    { graph: binding.graph, opModel, cost, options: DEFAULT_POLICY_OPTIONS },
    { name: "auto" },
    (fn, options) => {
      const whole = new WorkBudget(work, microseconds);
      const found = searchExactly(fn, options, { whole, far: whole, beamsUs, exploringUs });
      foundUs += found.microseconds;
      return found;
    },
    work,
  );
  const isBounded = plan.functions.some(({ lowerBoundUs }) => lowerBoundUs !== undefined);
  const boundUs = plan.functions.reduce((sum, fn) => sum + (fn.lowerBoundUs ?? 0), 0);
  return { spent: work.microseconds, foundUs, boundUs, isBounded, json: planToJson(plan) };
}

Deno.test("a search ends soon after its budget, with a plan, and a bound where exploring ended", () => {
  const all = search(Infinity);
  assert(all.isBounded);
  // The first step of the beams always runs; in between a search stops only after a whole op or move.
  const overrun = searchByBeams(0).spent + 0.1 * all.spent;
  for (const [share, isExplored] of [[0, false], [0.05, false], [1.6, true]] as const) {
    const cut = search(share * all.spent);
    assert(
      cut.spent <= share * all.spent + overrun,
      `${share}: ${cut.spent} of ${all.spent}, ${overrun} over`,
    );
    // Beams run only where no exact assignment fits in time, and may then find a little more.
    assert(cut.foundUs >= all.foundUs * (1 - CLOSE), `${share}: ${cut.foundUs} of ${all.foundUs}`);
    assertEquals(cut.isBounded, isExplored, `${share}`);
  }
});

Deno.test("a function within the exploration limit has a bound under any budget", () => {
  const mnist = readModel("mnist.mlir");
  assert(!search(0, mnist).isBounded);
  const [none, all] = [search(0, mnist, 0, Infinity), search(Infinity, mnist)];
  assert(none.spent < all.spent && none.isBounded);
  assert(
    none.boundUs > 0.9 * all.boundUs && none.boundUs <= all.boundUs,
    `${none.boundUs} of ${all.boundUs}`,
  );
});

Deno.test("the exact assignment is tried in an order that needs less L1 under any budget", () => {
  // In the input's order 60 sums, of which some 40 fit L1, are live at once.
  const tensor = { shape: [1024, 1024], dataType: "bf16" } as const;
  const builder = new GraphBuilder();
  const [x, y] = [builder.argument(tensor), builder.argument(tensor)];
  const add = (a: ValueId, b: ValueId): ValueId => builder.op("ttnn.add", [a, b], tensor);
  const sums = Array.from({ length: 60 }, () => add(x, y));
  builder.return(sums.reduce(add, x));
  const { opModel, cost } = createWorkbench(readModel("mnist.mlir"), getDevice("n150"));
  const work = new WorkAccount(opModel);
  planByPasses(
    { graph: builder.buildGraph(), opModel, cost, options: DEFAULT_POLICY_OPTIONS },
    { name: "auto" },
    (fn, options) => {
      const whole = new WorkBudget(work, 0);
      const found = searchExactly(fn, options, { whole, far: whole, beamsUs: 0, exploringUs: Infinity });
      const { pipeline } = openPortfolio(fn, options);
      const { assignment } = new LayoutOptimizer(fn.evaluator, fn.roles, fn.region, "hinted")
        .tighten(WITHOUT_CAPACITY, () => true);
      const reordered = pipeline.finishReordered(WITHOUT_CAPACITY, assignment);
      assert(reordered !== undefined);
      assert(reordered.microseconds < 0.995 * pipeline.finish(WITHOUT_CAPACITY, assignment).microseconds);
      assert(found.microseconds <= reordered.microseconds);
      return found;
    },
    work,
  );
});

Deno.test("exploring one of two functions may take half of the remaining budget, and always some", () => {
  const one = "tensor<32x32xbf16>) -> tensor<32x32xbf16>";
  const functions = ["a", "b"].map((name) =>
    `func.func @${name}(%x: ${one} {\n  %0 = "ttnn.relu"(%x) : (${one}\n  return %0 : tensor<32x32xbf16>\n}`
  );
  const { binding, opModel, cost } = createWorkbench(
    parseModule(functions.join("\n"), "two.mlir"),
    getDevice("n150"),
  );
  const exploringUs = (seconds: number): readonly number[] => {
    const asked: number[] = [];
    const options = { ...DEFAULT_POLICY_OPTIONS, given: new Map([[TIME_BUDGET.name, `${seconds}`]]) };
    planWithinBudget(
      { graph: binding.graph, opModel, cost, options },
      { name: "test" },
      (fn, passOptions, budget) => {
        asked.push(budget.exploringUs);
        fn.evaluator.work.charge("simulatedOp", 20_000);
        return greedy(fn, passOptions);
      },
    );
    return asked;
  };
  const [first = 0, second = 0] = exploringUs(2);
  assertEquals(first, 1e6 + US_PER_OP);
  // 0.3 s are spent, plus the work of greedy.
  assert(second > 0.8e6 && second <= 0.85e6 + US_PER_OP, `${second}`);
  assertEquals(exploringUs(0.1), [1e5, 1e5]);
});

Deno.test("functions share what they may spend far from their bounds, and keep their budgets if others do", () => {
  const one = "tensor<32x32xbf16>) -> tensor<32x32xbf16>";
  const functions = ["a", "b", "c", "d"].map((name) =>
    `func.func @${name}(%x: ${one} {\n  %0 = "ttnn.relu"(%x) : (${one}\n  return %0 : tensor<32x32xbf16>\n}`
  );
  const { binding, opModel, cost } = createWorkbench(
    parseModule(functions.join("\n"), "four.mlir"),
    getDevice("n150"),
  );
  const granted: { readonly wholeUs: number; readonly farUs: number }[] = [];
  planWithinBudget(
    { graph: binding.graph, opModel, cost, options: DEFAULT_POLICY_OPTIONS },
    { name: "test" },
    (fn, passOptions, { whole, far }) => {
      const farUs = far.leftUs - whole.leftUs;
      granted.push({ wholeUs: whole.leftUs, farUs });
      const found = greedy(fn, passOptions);
      const { work } = fn.evaluator;
      const before = work.microseconds;
      work.charge("solvedOp", 1);
      work.charge("solvedOp", (whole.leftUs + farUs) / (work.microseconds - before));
      return found;
    },
  );
  const { perGraphUs, perOpUs } = FAR_ALLOWANCE;
  const sum = granted.reduce((all, { farUs }) => all + farUs, 0);
  assert(sum <= perGraphUs + 4 * perOpUs && sum > 0.9 * perGraphUs, `${sum}`);
  for (const { wholeUs } of granted) assert(wholeUs > 0.15e6 && wholeUs < 0.25e6, `${wholeUs}`);
});

Deno.test("equal budgets give equal plans, an unexhausted one the plan without a budget", () => {
  const all = search(Infinity);
  assertEquals(search(2 * all.spent).json, all.json);
  assertEquals(search(0.3 * all.spent).json, search(0.3 * all.spent).json);
});

Deno.test("a larger budget gives no dearer plan and, once everything is explored thoroughly, no lower bound", () => {
  // A layer that lacks L1, for which raising the bound, beams and addresses all get their turn.
  const model = parseModule(llamaPrefill(2048), "llama.mlir");
  const all = search(Infinity, model);
  let [dearestUs, leastBoundUs] = [Infinity, 0];
  for (const share of [0.05, 0.3, 0.5, 0.85, 1.1, Infinity]) {
    const { foundUs, boundUs } = share === Infinity ? all : search(share * all.spent, model);
    assert(foundUs <= dearestUs * (1 + 1e-9), `${share}: ${foundUs} after ${dearestUs}`);
    dearestUs = foundUs;
    // Over fewer layouts a bound may be higher.
    if (share < 1) continue;
    assert(boundUs >= leastBoundUs, `${share}: ${boundUs} after ${leastBoundUs}`);
    leastBoundUs = boundUs;
  }
});

Deno.test("beams with a larger budget find no slower plan", () => {
  const all = searchByBeams(Infinity);
  let dearestUs = Infinity;
  const found: number[] = [];
  for (const share of [0, 0.1, 0.5, 0.75, 1]) {
    const { foundUs } = searchByBeams(share * all.spent);
    assert(foundUs <= dearestUs * (1 + 1e-9), `${share}: ${foundUs} after ${dearestUs}`);
    found.push(dearestUs = foundUs);
  }
  assertEquals(found.at(-1), all.foundUs);
  assert(new Set(found).size > 1, "the budget ends nothing");
});

Deno.test("an exact search grants beams the whole budget of their own policy, regardless of earlier steps", () => {
  const all = searchByBeams(Infinity);
  for (const share of [0.1, 0.5, 1]) {
    const microseconds = share * all.spent;
    const { foundUs } = search(microseconds, module, microseconds);
    assert(foundUs <= searchByBeams(microseconds).foundUs * (1 + 1e-9), `${share}`);
  }
});
