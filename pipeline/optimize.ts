// SPDX-License-Identifier: Apache-2.0
import { usableL1Bytes } from "../lib/device/chip_description.ts";
import type { TtnnProfile } from "../lib/dialect/ttnn_profile.ts";
import { parseModule } from "../lib/ir/mod.ts";
import { DEFAULT_PASS_OPTIONS } from "../lib/passes/pass_options.ts";
import { refreshPreparedWeights } from "../lib/passes/prepare_convolution_weights.ts";
import { runPasses } from "../lib/passes/run_passes.ts";
import type { Plan } from "../lib/plan/plan.ts";
import { verifyPlan } from "../lib/plan/verify_plan.ts";
import { findPolicy } from "../lib/policy/policies.ts";
import type { PolicyOptions } from "../lib/policy/options.ts";
import type { Policy, PolicyContext } from "../lib/policy/policy.ts";
import { rewriteModule } from "../lib/rewrite/rewrite_module.ts";
import { simulateFunction, simulateGraph } from "../sim/timeline/simulate.ts";
import type { Timeline } from "../sim/timeline/timeline.ts";
import { checkMemory, type MemoryCheck } from "./check_memory.ts";
import { type Workbench, workbenchFor } from "./load.ts";

/** A decided, rewritten and re-checked module. */
export interface Optimized {
  /** What the policy decided. */
  readonly plan: Plan;
  /** The rewritten text. */
  readonly text: string;
  /** Simulation of the plan. */
  readonly timeline: Timeline;
  /** The `dram` policy on the same input. */
  readonly baseline: Timeline;
  /** Simulated from scratch on the graph read back from {@linkcode text}; its op ids are those of that text. */
  readonly memory: MemoryCheck;
  /** Bytes per core that tensors and circular buffers may take: the cap's share, less const-eval results. */
  readonly l1BudgetBytes: number;
  /** Questions that the decision took, cached ones included. */
  readonly opModelQueries: number;
}

/** What a caller may lend to {@linkcode optimizeModule}. */
export interface OptimizeTools
  extends Pick<PolicyContext, "decisionTrace" | "solveBinaryProgram" | "traceSolver"> {
  /** Generation in which to spell what is inserted; by default the input's. */
  readonly profile?: TtnnProfile | undefined;
}

/**
 * Decides with a policy, rewrites the text, reads the text back and simulates its memory from scratch.
 *
 * @example
 * ```ts
 * import { chipDescription, createWorkbench, DEFAULT_POLICY_OPTIONS, findPolicy, getDevice, lowerModule, optimizeModule, parseModule, verifyModule } from "@tilewright/tilewright";
 * import { assert, assertEquals } from "@std/assert";
 *
 * const ttir = `func.func @main(%x: tensor<64x64xbf16>) -> tensor<64x64xbf16> {
 *   %0 = "ttir.relu"(%x) : (tensor<64x64xbf16>) -> tensor<64x64xbf16>
 *   return %0 : tensor<64x64xbf16>
 * }`;
 * const device = getDevice("n150");
 * const text = lowerModule(parseModule(ttir, "relu.mlir"), chipDescription(device));
 * const workbench = createWorkbench(parseModule(text, "relu.mlir"), device);
 * const policy = findPolicy("greedy");
 * assert(policy !== undefined);
 * const optimized = optimizeModule(workbench, policy, DEFAULT_POLICY_OPTIONS);
 * assertEquals(optimized.memory.verdict.status, "fits");
 * assertEquals(verifyModule(parseModule(optimized.text, "relu.mlir")), []);
 * ```
 *
 * @throws {DiagnosticError} when the policy cannot do what the options ask
 * @throws {Error} when the policy made an unsound plan: a bug of the policy
 */
export function optimizeModule(
  workbench: Workbench,
  policy: Policy,
  options: PolicyOptions,
  tools: OptimizeTools = {},
): Optimized {
  const { binding, opModel, cost, chip, device } = workbench;
  const { graph } = binding;
  const { profile, ...lent } = tools;
  const simulation = { device, opModel, cost };
  const queriesBefore = opModel.statistics.queries;
  const plan = decidePlan(workbench, policy, options, lent);
  const opModelQueries = opModel.statistics.queries - queriesBefore;
  const dram = findPolicy("dram");
  const baselinePlan = dram === undefined || dram === policy
    ? plan
    : dram.decide({ graph, opModel, cost, options });
  const text = withPreparedWeights(rewriteModule(binding, plan, chip, profile), workbench);
  const limits = { tensorL1UsageCap: options.tensorL1UsageCap };
  return {
    plan,
    text,
    timeline: simulateGraph(graph, plan, simulation, limits),
    baseline: simulateGraph(graph, baselinePlan, simulation, limits),
    memory: checkMemory(
      workbenchFor(text, workbench.module.fileName, workbench, options),
      options.tensorL1UsageCap,
    ),
    l1BudgetBytes: usableL1Bytes(chip, options.tensorL1UsageCap, graph.constEvalL1Bytes),
    opModelQueries,
  };
}

/** Ops that prepare weights follow what was decided for their convolution. */
function withPreparedWeights(text: string, { module, chip }: Workbench): string {
  if (!text.includes("ttnn.prepare_conv2d_")) return text;
  const written = parseModule(text, module.fileName);
  return runPasses(written, chip, DEFAULT_PASS_OPTIONS, { passes: [refreshPreparedWeights] }).text;
}

/**
 * The plan of a policy, and nothing else: what {@linkcode optimizeModule} starts with.
 *
 * @throws {DiagnosticError} when the policy cannot do what the options ask
 * @throws {Error} when the policy made an unsound plan: a bug of the policy
 */
export function decidePlan(
  { binding, opModel, cost, device }: Workbench,
  policy: Policy,
  options: PolicyOptions,
  tools: Omit<OptimizeTools, "profile"> = {},
): Plan {
  const { graph } = binding;
  const simulation = { device, opModel, cost };
  const judge: PolicyContext["judge"] = (fn, functionPlan) =>
    simulateFunction(fn, functionPlan, simulation).totalUs;
  const plan = policy.decide({ graph, opModel, cost, options, judge, ...tools });
  const unsound = verifyPlan(graph, plan);
  if (unsound.length > 0) {
    throw new Error(`Policy ${policy.name} made an unsound plan: ${unsound[0]?.message ?? ""}`);
  }
  return plan;
}
