// SPDX-License-Identifier: Apache-2.0
import { DiagnosticError, errorText } from "../../lib/diagnostics/diagnostic.ts";
import { type ModuleText, parseModule } from "../../lib/ir/mod.ts";
import { needsLowering } from "../../lib/lowering/needs_lowering.ts";
import { L1_FAILURE_KINDS, type L1FailureKind } from "../../lib/memory/l1_timeline.ts";
import type { PassOptions } from "../../lib/passes/pass_options.ts";
import type { PolicyOptions } from "../../lib/policy/options.ts";
import type { Policy } from "../../lib/policy/policy.ts";
import type { RunAssumptions } from "../../lib/programs/op_launch.ts";
import type { Device } from "../../sim/devices/device.ts";
import { simulateGraph } from "../../sim/timeline/simulate.ts";
import { checkMemory } from "../check_memory.ts";
import { createWorkbench, type Workbench } from "../load.ts";
import { decidePlan, optimizeModule, type OptimizeTools } from "../optimize.ts";
import { prepareGraph } from "../load_module.ts";

/** Property that the reduced program must keep. */
export type Condition =
  | { readonly kind: "doctor"; readonly finds: DoctorFinding }
  | { readonly kind: "diff"; readonly a: Policy; readonly b: Policy; readonly share: number }
  | { readonly kind: "fails"; readonly text: string; readonly policy: Policy };

/** Findings of the doctor, as text. */
export type DoctorFinding = "a clash" | "a full bank" | "an op that is too large" | "a misfit";

const FINDINGS: Readonly<Record<DoctorFinding, readonly L1FailureKind[]>> = {
  "a clash": ["circular_buffer_clash"],
  "a full bank": ["no_space"],
  "an op that is too large": ["too_large"],
  "a misfit": L1_FAILURE_KINDS,
};

/** Spellings of all findings. */
const DOCTOR_FINDINGS: readonly string[] = Object.keys(FINDINGS);

/** An unreadable condition; the message lists the allowed ones. */
export class UnreadableCondition extends Error {
  override readonly name = "UnreadableCondition";
}

/**
 * Reads a condition: `doctor finds a clash`, `diff greedy beam-cost > 10%`, `fails with TEXT`.
 *
 * @param policyOf the policy of a name; throws for unknown names
 * @param policy policy for `fails with`
 * @throws {UnreadableCondition} for other words
 */
export function readCondition(text: string, policyOf: (name: string) => Policy, policy: Policy): Condition {
  const finding = /^doctor finds (.+)$/.exec(text.trim())?.[1];
  if (finding !== undefined) {
    if (!isFinding(finding)) {
      throw new UnreadableCondition(`doctor finds ${DOCTOR_FINDINGS.join(", ")}; not '${finding}'`);
    }
    return { kind: "doctor", finds: finding };
  }
  const diff = /^diff (\S+) (\S+) > ([\d.]+)\s*%$/.exec(text.trim());
  if (diff !== null) {
    const [, a = "", b = "", percent] = diff;
    return { kind: "diff", a: policyOf(a), b: policyOf(b), share: Number(percent) / 100 };
  }
  const failure = /^fails with (.+)$/s.exec(text.trim())?.[1];
  if (failure !== undefined) return { kind: "fails", text: failure, policy };
  throw new UnreadableCondition(
    `'${text}' is not a condition; write 'doctor finds a clash', 'diff greedy beam-cost > 10%' or 'fails with TEXT'`,
  );
}

function isFinding(text: string): text is DoctorFinding {
  return text in FINDINGS;
}

/** Context for checking conditions. */
export interface ConditionContext {
  readonly device: Device;
  readonly options: PolicyOptions;
  readonly tools: OptimizeTools;
  /** Graph passes that run before a policy decides; `undefined` keeps the graph. */
  readonly passes: PassOptions | undefined;
  /** Assumptions about a run that the graph does not state. */
  readonly assumed: RunAssumptions;
}

/**
 * Whether an input meets the condition.
 *
 * @throws {DiagnosticError} if the input cannot be decided and the condition is not `fails with`
 */
export function holdsForInput(condition: Condition, module: ModuleText, trial: ConditionContext): boolean {
  return condition.kind === "fails"
    ? holds(condition, module.text, trial)
    : checked(condition, workbenchOf(condition, module, trial), trial);
}

/** Whether a text meets the condition; one that cannot be loaded or decided can only meet `fails with`. */
export function holds(condition: Condition, text: string, trial: ConditionContext): boolean {
  try {
    return checked(condition, workbenchOf(condition, parseModule(text, "candidate.mlir"), trial), trial);
  } catch (error) {
    if (condition.kind === "fails") return messageOf(error).includes(condition.text);
    if (error instanceof DiagnosticError || error instanceof RangeError) return false;
    throw error;
  }
}

function checked(condition: Condition, workbench: Workbench, trial: ConditionContext): boolean {
  switch (condition.kind) {
    case "doctor": {
      const { verdict } = checkMemory(workbench, trial.options.tensorL1UsageCap);
      return verdict.misfits.some(({ kind }) => FINDINGS[condition.finds].includes(kind));
    }
    case "diff": {
      const [a, b] = [condition.a, condition.b].map((policy) => predictedUs(workbench, policy, trial));
      return a !== undefined && b !== undefined && a > 0 && Math.abs(b / a - 1) > condition.share;
    }
    case "fails":
      optimizeModule(workbench, condition.policy, trial.options, trial.tools);
      return false;
  }
}

/** Predicted time of one inference, as `diff` compares it. */
function predictedUs(workbench: Workbench, policy: Policy, { options, tools }: ConditionContext): number {
  const { profile: _, ...lent } = tools;
  const plan = decidePlan(workbench, policy, options, lent);
  return simulateGraph(workbench.binding.graph, plan, workbench, {
    tensorL1UsageCap: options.tensorL1UsageCap,
  }).inference.totalUs;
}

function workbenchOf(
  condition: Condition,
  module: ModuleText,
  { device, options, passes, assumed }: ConditionContext,
): Workbench {
  // Policies decide the graph after the passes; the doctor examines TTNN as written.
  const isKept = condition.kind === "doctor" && !needsLowering(module);
  return createWorkbench(prepareGraph(module, device, isKept ? undefined : passes).module, device, {
    ...options,
    assumed,
  });
}

/** The full text of an error; a diagnostic starts with its location. */
function messageOf(error: unknown): string {
  if (error instanceof DiagnosticError) return error.diagnostics.map(({ message }) => message).join("\n");
  return errorText(error);
}
