// SPDX-License-Identifier: Apache-2.0
import type { CostModel } from "../../lib/cost/cost_model.ts";
import { DEFAULT_L1_CAP } from "../../lib/device/chip_description.ts";
import { roleOf, runsOnDevice } from "../../lib/graph/function_role.ts";
import type { Graph, GraphFunction } from "../../lib/graph/graph.ts";
import { dramRegion } from "../../lib/memory/dram_timeline.ts";
import { l1Region } from "../../lib/memory/l1_schedule.ts";
import { combineVerdicts, NO_FINDINGS } from "../../lib/memory/memory_verdict.ts";
import { simulateMemory } from "../../lib/memory/plan_memory.ts";
import type { OpModel } from "../../lib/opmodel/op_model.ts";
import { type FunctionPlan, functionPlans, type Plan } from "../../lib/plan/plan.ts";
import { Preparations } from "../../lib/plan/preparations.ts";
import { identityPlan, planExecution } from "../../lib/plan/steps.ts";
import type { RunAssumptions } from "../../lib/programs/op_launch.ts";
import type { DeviceProgram } from "../../lib/programs/program.ts";
import type { Device } from "../devices/device.ts";
import { congestionModelOf } from "../network/congestion.ts";
import { createClock } from "./device_clock.ts";
import { combineErrors } from "./error_band.ts";
import { l1OfSteps, l1OfStepsLater } from "./l1_pressure.ts";
import { estimateSteps, priceSteps, type PricingContext } from "./price_steps.ts";
import type {
  AssumptionUse,
  FunctionTimeline,
  StepTimeline,
  Timeline,
  TimelineTotals,
  Work,
} from "./timeline.ts";

/** The device and models of a simulation. All three must be for the same chip and layout table. */
export interface SimulationContext {
  /** The chip with its constants. */
  readonly device: Device;
  /** Rule book of the chip. */
  readonly opModel: OpModel;
  /** Prices of the chip. */
  readonly cost: CostModel;
}

/** Options of a simulation. */
export interface SimulationOptions {
  /**
   * Whether ops run from a captured trace, without host gaps. Otherwise the host issues every op, and the
   * device waits if it is faster than the host. Default: if the program captures traces itself (functions of
   * kind `trace_main`), only those are traced; otherwise everything is.
   */
  readonly traced?: boolean;
  /**
   * Level of the network: `flow` (default) routes every layout change on the torus and adds what its flows lose to
   * congestion; `analytic` uses the cost model's answers unchanged, as beams, chains and spills do.
   */
  readonly network?: "analytic" | "flow";
  /** `--tensor-l1-usage-cap`: share of L1 that counts as the budget. */
  readonly tensorL1UsageCap?: number;
  /** Bytes of L1 per core that const-eval results hold while other functions run ({@linkcode Graph.constEvalL1Bytes}). */
  readonly constEvalL1Bytes?: number;
}

/**
 * Simulates every function of a graph on its own, in the graph's order.
 *
 * @example
 * ```ts
 * import { loadModule, simulateGraph } from "@tilewright/tilewright";
 * import { assert } from "@std/assert";
 *
 * const ttir = `func.func @main(%x: tensor<64x64xbf16>) -> tensor<64x64xbf16> {
 *   %0 = "ttir.relu"(%x) : (tensor<64x64xbf16>) -> tensor<64x64xbf16>
 *   return %0 : tensor<64x64xbf16>
 * }`;
 * const workbench = loadModule(ttir, { device: "n150" });
 * const timeline = simulateGraph(workbench.binding.graph, undefined, workbench);
 * assert(timeline.verdict.status === "fits");
 * assert(timeline.inference.band.lowerUs <= timeline.inference.totalUs);
 * ```
 *
 * @param plan decisions to run with; functions without a plan (all if it is absent) run as written
 * @throws {RangeError} if the plan does not belong to the graph
 */
export function simulateGraph(
  graph: Graph,
  plan: Plan | undefined,
  context: SimulationContext,
  options: SimulationOptions = {},
): Timeline {
  const planOf = functionPlans(plan);
  const run = {
    ...createRun(context, { constEvalL1Bytes: graph.constEvalL1Bytes, ...options }),
    preparations: preparationsOf(graph, planOf),
  };
  const isTraced = tracedFunctions(graph);
  const functions = graph.functions.map((fn) => {
    const traced = options.traced ?? isTraced(fn);
    return runFunction(fn, planOf(fn.name), { ...run, traced });
  });
  const onDevice = functions.filter((fn) => runsOnDevice(fn.role));
  const dram = dramRegion(context.opModel.chip);
  return {
    device: context.device.name,
    traced: functions.filter((fn) => fn.role === "inference").every((fn) => fn.traced),
    network: run.congestion === undefined ? "analytic" : "flow",
    functions,
    inference: totalsOf(functions.filter((fn) => fn.role === "inference")),
    once: totalsOf(functions.filter((fn) => fn.role === "once")),
    peakL1Bytes: functions.reduce(
      (peak, fn) => fn.role === "inference" ? Math.max(peak, fn.peakL1Bytes) : peak,
      0,
    ),
    l1BudgetBytes: l1Region(context.opModel.chip, run.tensorL1UsageCap, run.constEvalL1Bytes).budget,
    peakDramBytes: Math.max(0, ...onDevice.map((fn) => fn.peakDramBytes)),
    dramBankBytes: dram.top - dram.base,
    verdict: combineVerdicts(onDevice.map((fn) => fn.verdict)),
    unpriced: onDevice.flatMap((fn) =>
      fn.steps.flatMap(({ op, name, location, estimate: { unknown } }) =>
        unknown === undefined ? [] : [{ function: fn.name, op, name, location, reason: unknown }]
      )
    ),
    assumptions: assumptionUses(functions, context.opModel.assumed),
  };
}

/**
 * Simulates one function, starting with an idle device and an L1 that holds only residents: steps in execution order,
 * one after another, each with its launch or host gap before it. Views, calls and bookkeeping take no time and no
 * launch.
 *
 * @param plan decisions to run with; the function as written when absent
 * @throws {RangeError} if the plan does not belong to the function
 */
export function simulateFunction(
  fn: GraphFunction,
  plan: FunctionPlan | undefined,
  context: SimulationContext,
  options: SimulationOptions = {},
): FunctionTimeline {
  return runFunction(fn, plan, createRun(context, options));
}

/**
 * A timer of plans of a graph's functions: predicted µs as {@linkcode simulateGraph} computes them, without
 * its other results, for comparing many plans.
 *
 * @returns the timer; it throws a `RangeError` for a plan that does not belong to the function
 */
export function planTimer(
  graph: Graph,
  context: SimulationContext,
): (fn: GraphFunction, plan: FunctionPlan) => number {
  const run = createRun(context, { constEvalL1Bytes: graph.constEvalL1Bytes });
  const isTraced = tracedFunctions(graph);
  return (fn, plan) => {
    const clock = createClock(isTraced(fn), run.device);
    let busy = 0;
    let gapUs = 0;
    const execution = planExecution(fn, plan);
    const preparations = new Preparations([fn]);
    preparations.follow(fn, execution);
    for (const { estimate } of estimateSteps(fn, execution, { ...run, preparations })) {
      const step = clock(estimate);
      busy += step.deviceUs;
      gapUs += step.gapUs;
    }
    return busy + gapUs;
  };
}

/** How often a plan prepares weights, in any function. */
function preparationsOf(
  { functions }: Graph,
  planOf: (name: string) => FunctionPlan | undefined,
): Preparations {
  const preparations = new Preparations(functions);
  for (const fn of functions) {
    const plan = planOf(fn.name);
    if (plan !== undefined && preparations.any) preparations.follow(fn, planExecution(fn, plan));
  }
  return preparations;
}

/** The functions that run from a captured trace, according to the program. */
function tracedFunctions({ functions }: Graph): (fn: GraphFunction) => boolean {
  const capturesTraces = functions.some(({ kind }) => kind === "trace_main");
  return ({ kind }) => kind === "trace_main" || !capturesTraces;
}

/** A context with its options, and the state shared by all functions of one simulation. */
type SimulationRun = PricingContext & Required<Omit<SimulationOptions, "network">>;

function createRun(context: SimulationContext, options: SimulationOptions): SimulationRun {
  return {
    ...context,
    traced: options.traced ?? true,
    congestion: options.network === "analytic"
      ? undefined
      : congestionModelOf(context.device, context.opModel.layouts),
    tensorL1UsageCap: options.tensorL1UsageCap ?? DEFAULT_L1_CAP,
    constEvalL1Bytes: options.constEvalL1Bytes ?? 0,
  };
}

function runFunction(
  fn: GraphFunction,
  plan: FunctionPlan | undefined,
  run: SimulationRun,
): FunctionTimeline {
  const role = roleOf(fn.kind);
  // Results of const-eval functions become residents of the others; they themselves start with an empty L1.
  const constEvalL1Bytes = role === "once" ? 0 : run.constEvalL1Bytes;
  const simulated = (record: "all" | "failures") =>
    simulateMemory(fn, plan ?? identityPlan(fn), run.opModel, {
      cap: run.tensorL1UsageCap,
      constEvalL1Bytes,
      record,
    });
  const memory = simulated("failures");
  const region = l1Region(run.opModel.chip, run.tensorL1UsageCap, constEvalL1Bytes);
  const l1At = l1OfStepsLater(() => l1OfSteps(simulated("all").timeline, region));
  const isChecked = runsOnDevice(role);
  const priced = priceSteps(fn, memory.execution, run);
  const clock = createClock(run.traced, run.device);
  const steps = priced.map((step, index): StepTimeline => {
    const { startUs, deviceUs, gapUs } = clock(step.estimate);
    return {
      ...step,
      index,
      startUs,
      deviceUs,
      gapUs,
      get l1() {
        return l1At(index);
      },
      ...isChecked ? memory.findings[index] ?? NO_FINDINGS : NO_FINDINGS,
    };
  });
  return {
    name: fn.name,
    kind: fn.kind,
    role,
    traced: run.traced,
    steps,
    ...totalsOfSteps(steps, run.device),
    peakL1Bytes: memory.timeline.peakBytes,
    l1Region: region,
    l1BudgetBytes: region.budget,
    peakDramBytes: memory.dram.peakBytes,
    verdict: isChecked ? memory.verdict : combineVerdicts([]),
  };
}

function totalsOfSteps(
  steps: readonly StepTimeline[],
  device: Device,
): TimelineTotals & Pick<FunctionTimeline, "utilisation"> {
  const deviceUs = sumOf(steps, (step) => step.deviceUs);
  const gapUs = sumOf(steps, (step) => step.gapUs);
  const mean = (pick: (step: StepTimeline) => number): number =>
    deviceUs === 0 ? 0 : sumOf(steps, (step) => step.deviceUs * pick(step)) / deviceUs;
  return {
    totalUs: deviceUs + gapUs,
    deviceUs,
    gapUs,
    band: combineErrors(uncertainParts(steps, device), device.graphAccuracy.common),
    extrapolatedUs: sumOf(
      steps,
      (step) => step.estimate.extrapolated === undefined ? 0 : step.deviceUs,
    ),
    ...workOf(steps),
    utilisation: {
      dram: mean((step) => step.utilisation.dram),
      flops: mean((step) => step.utilisation.flops),
    },
  };
}

/** Times with their errors: each step's own, and those of dispatcher and host in the gaps. */
function* uncertainParts(steps: readonly StepTimeline[], device: Device) {
  for (const step of steps) {
    yield {
      errorClass: step.costClass,
      microseconds: step.estimate.microseconds,
      relativeError: step.estimate.relativeError,
      ownError: step.estimate.ownError,
    };
    const waiting = step.gapUs - step.estimate.terms.launch;
    if (waiting > 0) {
      const relativeError = device.accuracy.dataMovement;
      yield { errorClass: "dispatch", microseconds: waiting, relativeError, ownError: 0 };
    }
  }
}

function totalsOf(functions: readonly FunctionTimeline[]): TimelineTotals {
  const sum = (pick: (fn: FunctionTimeline) => number) => sumOf(functions, pick);
  return {
    totalUs: sum((fn) => fn.totalUs),
    deviceUs: sum((fn) => fn.deviceUs),
    gapUs: sum((fn) => fn.gapUs),
    // Functions of one program are priced by the same kernel models: their errors share causes and add up.
    band: {
      lowerUs: sum((fn) => fn.band.lowerUs),
      upperUs: sum((fn) => fn.band.upperUs),
      lower90Us: sum((fn) => fn.band.lower90Us),
      upper90Us: sum((fn) => fn.band.upper90Us),
    },
    extrapolatedUs: sum((fn) => fn.extrapolatedUs),
    ...workOf(functions),
  };
}

function workOf(parts: readonly Work[]): Work {
  return {
    dramBytes: sumOf(parts, (part) => part.dramBytes),
    nocBytes: sumOf(parts, (part) => part.nocBytes),
    flops: sumOf(parts, (part) => part.flops),
  };
}

function sumOf<Part>(parts: readonly Part[], pick: (part: Part) => number): number {
  return parts.reduce((sum, part) => sum + pick(part), 0);
}

/**
 * Assumptions behind the times of an inference: the graph does not contain the positions up to which decode
 * attention reads caches, and the experts of a sparse matmul depend on data.
 */
export function assumptionUses(
  functions: readonly FunctionTimeline[],
  assumed: RunAssumptions,
): readonly AssumptionUse[] {
  const steps = functions.filter(({ role }) => role === "inference").flatMap(({ steps }) => steps);
  const count = (supposes: (program: DeviceProgram) => boolean): number =>
    steps.filter(({ estimate }) => estimate.programs.some(supposes)).length;
  const decode = count((program) => program.kind === "attention_decode" && program.byPosition);
  const experts = count((program) => program.kind === "matmul" && program.byExpert === true);
  const uses: readonly AssumptionUse[] = [
    { option: "cache-filled", supposed: cacheText(assumed), ops: decode },
    { option: "active-users", supposed: usersText(assumed), ops: decode },
    { option: "active-experts", supposed: expertsText(assumed), ops: experts },
  ];
  return uses.filter(({ ops }) => ops > 0);
}

function cacheText({ cacheFill }: RunAssumptions): string {
  if (cacheFill.kind === "positions") return `caches hold ${cacheFill.positions} positions`;
  return cacheFill.share === 1 ? "caches are full" : `caches are filled to ${100 * cacheFill.share} %`;
}

function usersText({ activeUsers }: RunAssumptions): string {
  return activeUsers === undefined ? "all users are active" : `${activeUsers} users are active`;
}

function expertsText({ activeExperts }: RunAssumptions): string {
  return activeExperts === undefined
    ? "every batch goes to all experts"
    : `every batch goes to ${activeExperts} experts`;
}
