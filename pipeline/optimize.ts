// SPDX-License-Identifier: Apache-2.0
import { isDecided } from "../lib/graph/function_role.ts";
import { type Graph, type GraphFunction, valueAt } from "../lib/graph/graph.ts";
import { type PlacedInputs, placeInputs } from "../lib/passes/free_inputs.ts";
import type { TtnnLayout } from "../lib/layout/ttnn_layout.ts";
import type { FunctionPlan, Plan } from "../lib/plan/plan.ts";
import type { PolicyOptions } from "../lib/policy/options.ts";
import { afterPasses, type DecidedGraph, isBetter } from "./decided_graph.ts";
import { type Workbench, workbenchFor, workbenchOf } from "./load.ts";
import { usableL1Bytes } from "../lib/device/chip_description.ts";
import type { TtnnProfile } from "../lib/dialect/ttnn_profile.ts";
import { isOverridden, NO_OVERRIDES } from "../lib/overrides/overrides.ts";
import { parseModule } from "../lib/ir/mod.ts";
import type { GraphChange } from "../lib/passes/graph_pass.ts";
import { refuseUnspeakable } from "./refuse_unspeakable.ts";
import { verifyPlan } from "../lib/plan/verify_plan.ts";
import { policy as dramPolicy } from "../lib/policy/policies/dram.ts";
import { type FreeName, freeOf } from "../lib/policy/free.ts";
import type { Policy, PolicyContext } from "../lib/policy/policy.ts";
import type { FunctionSearchLog } from "../lib/policy/search_log.ts";
import { respellModule } from "../lib/rewrite/respell_module.ts";
import { rewriteModule } from "../lib/rewrite/rewrite_module.ts";
import { overriddenFormats } from "../lib/search/overridden_formats.ts";
import { planTimer, simulateGraph } from "../sim/timeline/simulate.ts";
import type { Timeline } from "../sim/timeline/timeline.ts";
import { type BackendAdvice, backendAdvice } from "./backend_advice.ts";
import { checkMemory, type MemoryCheck } from "./check_memory.ts";
import { type FreeAdvice, freeAdvice } from "./free_advice.ts";
import { withShardedWeights } from "./free_weights.ts";
import { orAsWritten } from "./keep_written.ts";
import { gapOfPlan } from "./plan_gap.ts";
import { requireSoundText } from "./require_sound.ts";
import { searchReasons } from "./search_reasons.ts";

/**
 * The faster of a plan and the one with inputs that arrive in the layouts to which the first plan copies them; the caller can place them there.
 *
 * @param decide decides a graph with the same policy
 */
export function withPlacedInputs(
  first: DecidedGraph,
  options: PolicyOptions,
  decide: (workbench: Workbench) => DecidedGraph,
): DecidedGraph {
  const { workbench, plan, timeline } = first;
  const placed: PlacedInputs = new Map(
    workbench.binding.graph.functions.filter(isDecided).map((fn) => {
      const planned = plan.functions.find(({ name }) => name === fn.name);
      return [fn.name, planned === undefined ? new Map() : placesOf(fn, planned)];
    }),
  );
  if ([...placed.values()].every(({ size }) => size === 0)) return first;
  const moved = afterPasses(workbench, [placeInputs(placed)], options);
  if (moved === undefined) return first;
  const tried = decide(moved);
  return isBetter(tried.timeline, timeline) ? tried : first;
}

/** Layouts of the copies of inputs that have no other reader than one copy. */
function placesOf(fn: GraphFunction, plan: FunctionPlan): ReadonlyMap<number, TtnnLayout> {
  return new Map(
    fn.arguments.flatMap((id, index): readonly (readonly [number, TtnnLayout])[] => {
      const { definition, uses, returned } = valueAt(fn, id);
      if (definition.kind !== "argument" || definition.isKvCache || returned > 0) return [];
      if (definition.argumentType !== "input" && definition.argumentType !== "default") return [];
      const [copy, ...more] = plan.conversions.filter(({ value, source }) =>
        value === id && source.kind === "value"
      );
      const isCopied = uses.every(({ op, operand }) =>
        plan.decisions[op]?.operands[operand]?.kind === "conversion"
      );
      return copy === undefined || more.length > 0 || !isCopied ? [] : [[index, copy.layout]];
    }),
  );
}

/** A decided, rewritten and re-checked module. */
export interface Optimized {
  /**
   * The module that the policy decided on: the input after graph passes, with the element formats and pages
   * of overrides.
   */
  readonly graph: Graph;
  /** {@linkcode graph} with its models. */
  readonly workbench: Workbench;
  /** Whether overrides fixed a part of the plan. */
  readonly isOverridden: boolean;
  /** The policy's plan. */
  readonly plan: Plan;
  /** The rewritten text. */
  readonly text: string;
  /** Simulation of the plan. */
  readonly timeline: Timeline;
  /** Changes by graph passes between the text and {@linkcode graph}. */
  readonly graphChanges: readonly GraphChange[];
  /** Prediction for the text as read, before graph passes and decisions; missing for TTIR. */
  readonly asWritten?: Timeline;
  /** The `dram` policy on the same graph, without overrides. */
  readonly baseline: Timeline;
  /**
   * Simulated from scratch on the graph read back from {@linkcode text}; its op ids are those of that text.
   */
  readonly memory: MemoryCheck;
  /** Bytes per core for tensors and circular buffers: the cap's share, less const-eval results. */
  readonly l1BudgetBytes: number;
  /** Savings of further freedoms, greatest first. */
  readonly advice: readonly FreeAdvice[];
  /** Savings of settings that TTNN has no words for, greatest first; those without a price last. */
  readonly backendAdvice: readonly BackendAdvice[];
  /** Why the search ended with this plan, in sentences; empty for policies that do not search in steps. */
  readonly reasons: readonly string[];
  /** Op model queries during the decision, including cached ones. */
  readonly opModelQueries: number;
}

/** Optional settings of {@linkcode optimizeModule}. */
export interface OptimizeTools
  extends
    Pick<PolicyContext, "decisionTrace" | "evaluated" | "leftOut" | "onOp" | "searchLog" | "traceSolver"> {
  /**
   * Dialect profile of the written text; by default that of the input, for TTIR that of the newest compilers.
   */
  readonly profile?: TtnnProfile | undefined;
  /** Timeline of the `dram` policy for the same module and cap, without overrides, if it is known. */
  readonly baseline?: Timeline | undefined;
  /** Called once the plan is made, before the text is written: the state of the search may be freed. */
  readonly onDecided?: () => void;
  /**
   * The plan to keep for a graph: the loaded one, or one that freedoms make of it. The first that it gives is taken;
   * `undefined` leaves the graph to the policy.
   */
  readonly pinned?: (workbench: Workbench) => Plan | undefined;
}

/** Tools of the caller for a decision. */
export type DecisionTools = Omit<OptimizeTools, "profile" | "baseline" | "onDecided">;

/**
 * Decides with a policy, rewrites the text, reads the text back and simulates its memory from scratch: what `tilewright
 * optimize` does. Graph passes run first, unless the module was loaded with passes of its own, or with `"none"`.
 *
 * @example
 * ```ts
 * import { DEFAULT_POLICY_OPTIONS, getPolicy, loadModule, optimizeModule, parseModule, verifyModule } from "@tilewright/tilewright";
 * import { assertEquals } from "@std/assert";
 *
 * const ttir = `func.func @main(%x: tensor<64x64xbf16>) -> tensor<64x64xbf16> {
 *   %0 = "ttir.relu"(%x) : (tensor<64x64xbf16>) -> tensor<64x64xbf16>
 *   return %0 : tensor<64x64xbf16>
 * }`;
 * const workbench = loadModule(ttir, { device: "n150" });
 * const policy = getPolicy("greedy");
 * const optimized = optimizeModule(workbench, policy, DEFAULT_POLICY_OPTIONS);
 * assertEquals(optimized.memory.verdict.status, "fits");
 * assertEquals(verifyModule(parseModule(optimized.text, "relu.mlir")), []);
 * ```
 *
 * @throws {DiagnosticError} if the policy cannot do what the options ask, or the text made of its plan is unsound
 * @throws {Error} if the policy made an unsound plan: a bug of the policy
 */
export function optimizeModule(
  loaded: Workbench,
  policy: Policy,
  options: PolicyOptions,
  tools: OptimizeTools = {},
): Optimized {
  const workbench = loaded.toDecide?.() ?? loaded;
  const { asWritten } = workbench;
  const { profile, baseline, onDecided, ...lent } = tools;
  let opModelQueries = 0;
  const decision = decideGraph(
    carryOutFormats(spelledAs(workbench, options, profile), options, profile),
    policy,
    options,
    lent,
    (queries) => opModelQueries += queries,
  );
  const found = decision.isAsWritten === true
    ? { ...decision, workbench: spelledAs(decision.workbench, options, profile) }
    : decision;
  const { workbench: decided, plan, timeline, searchLogs } = found;
  const advice = freeAdvice(found, freeOf(policy, options));
  const unspelled = backendAdvice(found);
  const { graph } = decided.binding;
  const { chip } = decided;
  onDecided?.();
  const written = parseModule(rewritten(decided, plan, profile), workbench.module.fileName);
  requireSoundText(written, decided.module, policy.name, chip);
  // First, because graph and model of the written text are needed only here.
  const memory = checkMemory(workbenchOf(written, workbench, options), options.tensorL1UsageCap);
  return {
    graph,
    workbench: decided,
    isOverridden: isOverridden(options.overrides),
    plan,
    text: written.text,
    graphChanges: decided.graphChanges,
    timeline,
    ...(asWritten === undefined ? {} : { asWritten: asWritten().timeline }),
    baseline: policy.name === dramPolicy.name && !isOverridden(options.overrides)
      ? timeline
      : baseline ?? baselineOf(workbench, options),
    memory,
    advice,
    backendAdvice: unspelled,
    reasons: found.isAsWritten === true
      ? ["The program as written is kept: nothing that the search found is faster."]
      : searchReasons(searchLogs, gapOfPlan(plan, timeline)),
    l1BudgetBytes: usableL1Bytes(chip, options.tensorL1UsageCap, graph.constEvalL1Bytes),
    opModelQueries,
  };
}

/**
 * Decides a graph with everything that is free, which may change the graph: the plan belongs to the workbench that comes back.
 * Where several plans are compared, traces and logs are those of the one that is taken.
 *
 * @param onQueries receives the number of op model queries of each decision
 * @throws {DiagnosticError} if the policy cannot do what the options ask
 */
export function decideGraph(
  workbench: Workbench,
  policy: Policy,
  options: PolicyOptions,
  tools: DecisionTools = {},
  onQueries?: (queries: number) => void,
): DecidedGraph {
  const told = new Map<Plan, readonly (() => void)[]>();
  const { pinned, decisionTrace, searchLog, ...others } = tools;
  const kept: DecidedGraph[] = [];
  const { tensorL1UsageCap } = options;
  const decide = (graph: Workbench): DecidedGraph => {
    const simulated = (plan: Plan): Timeline =>
      simulateGraph(graph.binding.graph, plan, graph, { tensorL1UsageCap });
    const whole = pinned?.(graph);
    if (whole !== undefined) {
      const found = { workbench: graph, plan: whole, timeline: simulated(whole), searchLogs: [] };
      kept.push(found);
      return found;
    }
    const deliveries: (() => void)[] = [];
    const searchLogs: FunctionSearchLog[] = [];
    const plan = decidePlan(graph, policy, options, {
      ...others,
      ...(decisionTrace === undefined
        ? {}
        : { decisionTrace: (trace) => void deliveries.push(() => decisionTrace(trace)) }),
      searchLog: (log) => {
        searchLogs.push(log);
        deliveries.push(() => searchLog?.(log));
      },
    }, onQueries);
    told.set(plan, deliveries);
    return { workbench: graph, plan, timeline: simulated(plan), searchLogs };
  };
  /** The text as written, if the plan to keep was made for it. */
  const pinnedText = (): Workbench | undefined => {
    const written = workbench.asWritten?.().workbench;
    return written !== undefined && pinned?.(written) !== undefined ? written : undefined;
  };
  const free = freeOf(policy, options);
  const frees = (name: FreeName): boolean => kept.length === 0 && free.includes(name);
  const first = decide(
    pinned === undefined || pinned(workbench) !== undefined ? workbench : pinnedText() ?? workbench,
  );
  const weighed = frees("weights") ? withShardedWeights(first, options, decide) : first;
  const placed = frees("inputs") ? withPlacedInputs(weighed, options, decide) : weighed;
  const [decided = placed] = kept;
  for (const deliver of told.get(decided.plan) ?? []) deliver();
  return kept.length === 0 ? orAsWritten(decided, policy, options) : decided;
}

/**
 * The timeline of the `dram` policy without overrides, so that every plan is compared with the same baseline.
 */
function baselineOf(workbench: Workbench, options: PolicyOptions): Timeline {
  const { tensorL1UsageCap } = options;
  const plan = decidePlan(workbench, dramPolicy, { ...options, overrides: NO_OVERRIDES });
  return simulateGraph(workbench.binding.graph, plan, workbench, { tensorL1UsageCap });
}

/**
 * Applies overridden element formats and pages to the text; returns the workbench itself if none changes.
 *
 * @throws {DiagnosticError} if an override is impossible
 */
export function carryOutFormats(
  workbench: Workbench,
  options: PolicyOptions,
  profile?: TtnnProfile,
): Workbench {
  const { binding, opModel, chip, module } = workbench;
  const functions = overriddenFormats(binding.graph, opModel, options.overrides);
  if (functions === undefined) return workbench;
  const plan: Plan = { schema: "tilewright.plan/1", policy: "overrides", device: chip.name, functions };
  return workbenchFor(rewritten(workbench, plan, profile), module.fileName, workbench, options);
}

/**
 * Rewrites the text in a dialect profile; returns the workbench itself without a profile, or if the text
 * already conforms.
 *
 * @throws {DiagnosticError} if the profile cannot spell a layout
 */
export function spelledAs(workbench: Workbench, options: PolicyOptions, profile?: TtnnProfile): Workbench {
  const { module, chip } = workbench;
  if (profile === undefined) return workbench;
  const text = refuseUnspeakable(() => respellModule(module, chip, profile));
  return text === module.text ? workbench : workbenchFor(text, module.fileName, workbench, options);
}

function rewritten({ binding, chip }: Workbench, plan: Plan, profile: TtnnProfile | undefined): string {
  return refuseUnspeakable(() => rewriteModule(binding, plan, chip, profile));
}

/**
 * The plan of a policy for the graph of the workbench: the first step of {@linkcode optimizeModule} after
 * graph passes.
 *
 * @param onQueries receives the number of op model queries of the policy
 * @throws {DiagnosticError} if the policy cannot do what the options ask
 * @throws {Error} if the policy made an unsound plan: a bug of the policy
 */
export function decidePlan(
  { binding, planning, device }: Workbench,
  policy: Policy,
  options: PolicyOptions,
  tools: DecisionTools = {},
  onQueries: (queries: number) => void = () => {},
): Plan {
  const { graph } = binding;
  const { opModel, cost } = planning();
  const detailedCost = planTimer(graph, { device, opModel, cost });
  // Other policies may have queried the same op model before.
  const { queries } = opModel.statistics;
  const plan = policy.decide({ graph, opModel, cost, options, detailedCost, ...tools });
  onQueries(opModel.statistics.queries - queries);
  const unsound = verifyPlan(graph, plan);
  if (unsound.length > 0) {
    throw new Error(`Policy ${policy.name} made an unsound plan: ${unsound[0]?.message ?? ""}`);
  }
  return plan;
}
