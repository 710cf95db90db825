// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals } from "@std/assert";
import { join } from "@std/path";
import { loadModule, type LoadModuleOptions } from "../../pipeline/load_module.ts";
import { DEFAULT_PASS_OPTIONS } from "../passes/pass_options.ts";
import { decidePlan } from "../../pipeline/optimize.ts";
import { simulateGraph } from "../../sim/timeline/simulate.ts";
import { PROJECT_ROOT } from "../../testing/corpus.ts";
import { trainingStep } from "../../bench/speed_cases.ts";
import { resnet50 } from "../../testdata/zoo/resnet50.ts";
import { vitB } from "../../testdata/zoo/vit_b.ts";
import { WorkAccount } from "../search/work_account.ts";
import { DEFAULT_POLICY_OPTIONS } from "./options.ts";
import { getPolicy } from "./policies.ts";
import type { FunctionSearchLog } from "./search_log.ts";
import { SIZE_CLASSES } from "../search/limits.ts";
import { FAR_GAP } from "./search_limits.ts";
import { SEARCH_STEP_NAMES, type SearchStepName, stepFacts } from "./search_plan.ts";
import { afterAllowance } from "./work_budget.ts";

/** The plan of a model, by default one that L1 is short for, its log, and its time. */
function decided(leftOut: ReadonlySet<SearchStepName>, model = "unet") {
  return decidedText(
    Deno.readTextFileSync(join(PROJECT_ROOT, "testdata", "models", `${model}.mlir`)),
    leftOut,
  );
}

/** Options with a `--time-budget` in seconds. */
const within = (seconds: string) => ({
  ...DEFAULT_POLICY_OPTIONS,
  given: new Map([["time-budget", seconds]]),
});

/** A budget that reaches every step. */
const OPTIONS = within("2");

function decidedText(
  text: string,
  leftOut: ReadonlySet<SearchStepName>,
  options: LoadModuleOptions = {},
  policyOptions = OPTIONS,
) {
  const logs: FunctionSearchLog[] = [];
  const module = loadModule(text, { device: "n150", ...options });
  const plan = decidePlan(module, getPolicy("auto"), policyOptions, {
    leftOut,
    searchLog: (log) => void logs.push(log),
  });
  const { inference } = simulateGraph(module.binding.graph, plan, module);
  return { steps: logs.flatMap((log) => log.steps), ops: logs[0]?.ops ?? 0, us: inference.totalUs, plan };
}

const ALL = decided(new Set());

Deno.test("a long function of equal layers is within two per cent of its bound", () => {
  const { ops, steps, us } = decidedText(vitB(36), new Set(), { passes: DEFAULT_PASS_OPTIONS });
  const boundUs = steps.at(-1)?.boundUs ?? 0;
  assert(ops > SIZE_CLASSES.small);
  assert(us < 1.02 * boundUs, `${us} µs, bound ${boundUs} µs`);
});

Deno.test("activations that wait for a backward pass are spilled at once where they do not fit", () => {
  const [all, spilled] = [[], ["addresses"] as const].map((leftOut) =>
    decidedText(trainingStep(100), new Set<SearchStepName>(leftOut), { passes: DEFAULT_PASS_OPTIONS })
  );
  assert(all !== undefined && spilled !== undefined);
  assert(spilled.us > 1.1 * all.us, `${spilled.us} µs if spilled one by one, ${all.us} µs`);
});

Deno.test("a search goes on beyond its budget while its plan is far from the bound", () => {
  const text = Deno.readTextFileSync(join(PROJECT_ROOT, "testdata", "models", "unet.mlir"));
  const { steps } = decidedText(text, new Set(), { passes: DEFAULT_PASS_OPTIONS }, within("0.01"));
  const { incumbentUs = Infinity, boundUs = 0 } = steps.at(-1) ?? {};
  assert(incumbentUs <= (1 + FAR_GAP) * boundUs, `${incumbentUs} µs, bound ${boundUs} µs`);
});

Deno.test("convolutions keep an activation that is read again where programs are placed, so these fit as they are", () => {
  const { steps } = decidedText(resnet50(16), new Set(), { passes: DEFAULT_PASS_OPTIONS });
  const addresses = steps.find(({ step }) => step === "addresses");
  assert(addresses !== undefined && addresses.savedUs > 0.03 * (addresses.incumbentUs ?? 0));
});

Deno.test("every step is told of once, over all of its turns, and no two steps alike", () => {
  const facts = SEARCH_STEP_NAMES.map(stepFacts);
  for (const key of ["adds", "finds", "appliesTo"] as const) {
    assertEquals(new Set(facts.map((each) => each[key])).size, facts.length, key);
  }
  assertEquals(SEARCH_STEP_NAMES.filter((name) => stepFacts(name).appliesTo.includes("; ")), ["beams"]);
});

Deno.test("the log of a search ends with the incumbent and the bound of its plan, and work adds up", () => {
  const { steps, plan, us } = ALL;
  const ran = steps.filter(({ runs }) => runs > 0).map(({ step }) => step);
  for (const step of ["explore", "eliminate", "addresses", "interleaved"] as const) {
    assert(ran.includes(step), step);
  }
  const last = steps.at(-1);
  assertEquals(last?.step, "other-policies");
  assertEquals(last?.boundUs, plan.functions[0]?.lowerBoundUs);
  // The search decides layouts; op configs are chosen for its plan.
  const layoutsUs = us + (plan.functions[0]?.configured?.savedUs ?? 0);
  assert(Math.abs((last?.incumbentUs ?? 0) - layoutsUs) < 1e-6 * layoutsUs);
  const raisedUs = steps.reduce((sum, step) => sum + step.raisedUs, 0);
  const first = steps.find(({ boundUs }) => boundUs !== undefined)?.boundUs ?? 0;
  assert(first > 0 && Math.abs((last?.boundUs ?? 0) - first - raisedUs) < 1e-9 * first);
});

Deno.test("no step's incumbent is under its bound, which holds for plans that wait for the dispatcher", () => {
  for (
    const { step, incumbentUs, boundUs } of [ALL, decided(new Set(), "segformer_block")].flatMap((
      { steps },
    ) => steps)
  ) {
    if (incumbentUs === undefined || boundUs === undefined) continue;
    assert(
      incumbentUs >= boundUs * (1 - 1e-9),
      `${step}: ${incumbentUs} µs under the bound of ${boundUs} µs`,
    );
  }
});

/** Ops one after the other that each take less time than dispatching them. */
function shortOps(count: number): string {
  const type = "tensor<32x32xbf16>";
  const ops = Array.from(
    { length: count },
    (_, at) => `%${at + 1} = "ttir.neg"(%${at}) : (${type}) -> ${type}`,
  );
  return `func.func @main(%0: ${type}) -> ${type} {\n${ops.join("\n")}\nreturn %${count} : ${type}\n}`;
}

Deno.test("a step that is left out does not run, and the search goes on without it", () => {
  const leftOut = new Set<SearchStepName>(["dispatch", "beams", "other-policies"]);
  const [all, without] = [new Set<SearchStepName>(), leftOut].map((steps) =>
    decidedText(shortOps(40), steps, { device: "p150" })
  );
  assert(all !== undefined && without !== undefined);
  for (const { step, runs, skipped } of without.steps.filter((record) => leftOut.has(record.step))) {
    assertEquals([runs, skipped], [0, "left out"], step);
  }
  assertEquals(without.plan.functions[0]?.decisions.length, all.plan.functions[0]?.decisions.length);
  // Waits for the dispatcher raise the bound.
  const [bound, loose] = [all, without].map(({ plan }) => plan.functions[0]?.lowerBoundUs ?? 0);
  assert(bound !== undefined && loose !== undefined && loose > 0 && loose < bound);
});

Deno.test("auto tells the trace of its own search only, also where it compares its plan with everything in DRAM", () => {
  const tensor = "tensor<64x64xbf16, #interleaved>";
  const ops = Array.from({ length: SIZE_CLASSES.short + 1 }, (_, at) => {
    const name = at === 8 ? "ttnn.unheard_of" : "ttnn.relu";
    return `  %${at + 1} = "${name}"(%${at}) : (${tensor}) -> ${tensor}`;
  });
  const { binding: { graph }, opModel, cost } = loadModule(
    `#dram = #ttnn.buffer_type<dram>
#interleaved = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<2x2x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
func.func @main(%0: ${tensor}) -> ${tensor} {
${ops.join("\n")}
  return %${ops.length} : ${tensor}
}`,
    { device: "n150" },
  );
  const traced: string[] = [];
  let evaluators = 0;
  getPolicy("auto").decide({
    graph,
    opModel,
    cost,
    options: OPTIONS,
    decisionTrace: ({ policy }) => void traced.push(policy),
    evaluated: () => void evaluators++,
  });
  assertEquals([traced, evaluators], [["auto"], 1]);
});

/** An account whose work comes in units of `unitUs`. */
function openAccount(): { readonly work: WorkAccount; readonly unitUs: number; readonly spend: () => void } {
  const work = new WorkAccount({ statistics: { queries: 0, hits: 0, firstAsked: 0, furtherOperands: 0 } });
  const spend = () => work.charge("solvedOp", 1);
  spend();
  return { work, unitUs: work.microseconds, spend };
}

Deno.test("a step with work of its own left is not stopped by the spent budget", () => {
  const { work, unitUs, spend } = openAccount();
  let isSpent = true;
  const isEnough = afterAllowance(work, 1.5 * unitUs, () => isSpent);
  const answers = [isEnough()];
  spend();
  answers.push(isEnough());
  spend();
  answers.push(isEnough());
  isSpent = false;
  assertEquals([...answers, isEnough()], [false, false, true, false]);
});
