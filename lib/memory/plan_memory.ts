// SPDX-License-Identifier: Apache-2.0
import { isBookkeeping } from "../ops/bookkeeping.ts";
import { type GraphFunction, valueAt } from "../graph/graph.ts";
import { opSignatures } from "../graph/signature.ts";
import type { LayoutId } from "../layout/layout_table.ts";
import type { OpModel } from "../opmodel/op_model.ts";
import type { OpSignature } from "../ops/op_signature.ts";
import { allocatedBytesPerBank } from "../opmodel/tensor.ts";
import type { FunctionPlan } from "../plan/plan.ts";
import { planExecution, type PlannedExecution, type PlanStep } from "../plan/steps.ts";
import { dramRegion, type DramSchedule, type DramTimeline, simulateDramSchedule } from "./dram_timeline.ts";
import { givenTensors } from "./given_tensors.ts";
import { l1Step } from "./l1_step.ts";
import { type L1Timeline, simulateL1Schedule } from "./l1_timeline.ts";
import { l1Region, type L1Step } from "./l1_schedule.ts";
import {
  type LocatedOp,
  type MemoryVerdict,
  memoryVerdict,
  NO_FINDINGS,
  type Shortage,
  type StepFindings,
  type Unchecked,
} from "./memory_verdict.ts";
import { LOAD_CACHED } from "../ops/calls.ts";
import {
  conversionSignature,
  type OpFootprint,
  opFootprint,
  OTHER_LAYOUTS,
  type Refusal,
} from "./op_footprint.ts";

/** Options of {@linkcode simulateMemory}. */
export interface SimulateMemoryOptions {
  /** `--tensor-l1-usage-cap`: share of L1 that may be used, above 0 and up to 1. */
  readonly cap: number;
  /** Bytes per core that const-eval results occupy ({@linkcode Graph.constEvalL1Bytes}). */
  readonly constEvalL1Bytes: number;
  /** Whether the L1 timeline records every step (the default), or only its peaks and failures. */
  readonly record?: "all" | "failures";
}

/** The memory simulation of a plan, with the execution that its steps and instances refer to. */
export interface PlanMemory {
  /** Steps and instances that the timelines refer to. */
  readonly execution: PlannedExecution;
  /** L1 of a core over these steps. */
  readonly timeline: L1Timeline;
  /** A DRAM bank over these steps. */
  readonly dram: DramTimeline;
  /** Per step. */
  readonly findings: readonly StepFindings[];
  /** Whether the function fits. */
  readonly verdict: MemoryVerdict;
}

/**
 * Replays a function plan against L1 and DRAM by address, from scratch, independent of everything that the
 * policy computed. Positions in the timeline are steps of the execution, tensors are its instances.
 *
 * @example
 * ```ts
 * import { loadModule } from "@tilewright/tilewright";
 * import { simulateMemory } from "@tilewright/tilewright/memory";
 * import { identityPlan } from "@tilewright/tilewright/plan";
 * import { assertEquals } from "@std/assert";
 *
 * const ttir = `func.func @main(%x: tensor<64x64xbf16>) -> tensor<64x64xbf16> {
 *   %0 = "ttir.relu"(%x) : (tensor<64x64xbf16>) -> tensor<64x64xbf16>
 *   return %0 : tensor<64x64xbf16>
 * }`;
 * const workbench = loadModule(ttir, { device: "n150" });
 * for (const fn of workbench.binding.graph.functions) {
 *   const options = { cap: 0.95, constEvalL1Bytes: 0 };
 *   const { verdict } = simulateMemory(fn, identityPlan(fn), workbench.opModel, options);
 *   assertEquals(verdict.status, "fits");
 * }
 * ```
 */
export function simulateMemory(
  fn: GraphFunction,
  plan: FunctionPlan,
  opModel: OpModel,
  options: SimulateMemoryOptions,
): PlanMemory {
  const execution = planExecution(fn, plan);
  const steps = sizeSteps(fn, execution, opModel);
  const region = l1Region(opModel.chip, options.cap, options.constEvalL1Bytes);
  const timeline = simulateL1Schedule(
    {
      tensors: execution.layouts.length,
      steps: steps.map(({ l1 }) => l1),
      liveIn: givenTensors(fn, opModel.chip, (argument) => execution.layouts[argument]),
      liveOut: execution.results,
    },
    region,
    options.record,
  );
  const dram = simulateDram(fn, execution, steps, timeline, opModel);
  const shortages = new Map<number, Shortage>();
  for (const { position, shortBytes } of dram.failures) {
    shortages.set(position, { memory: "dram", kind: "no_space", shortBytes });
  }
  for (const { position, kind, shortBytes } of [...timeline.failures, ...timeline.oversized]) {
    shortages.set(position, { memory: "l1", kind, shortBytes });
  }
  const findings = steps.map((step, position): StepFindings => {
    const { refusal } = step.footprint;
    const isRefused = refusal !== undefined && breaksRule(opModel, step.signature, refusal);
    return {
      shortage: shortages.get(position),
      unchecked: isRefused ? undefined : whyUnchecked(opModel, step),
      refused: isRefused ? { rule: refusal.rule, reason: refusal.message } : undefined,
    };
  });
  const located = <Finding>(pick: (findings: StepFindings) => Finding | undefined): (LocatedOp & Finding)[] =>
    execution.steps.flatMap((step, position) => {
      const found = pick(findings[position] ?? NO_FINDINGS);
      return found === undefined ? [] : [{ ...locatedOp(fn, step, steps[position]), ...found }];
    });
  const verdict = memoryVerdict({
    refusedOps: located(({ refused }) => refused),
    misfits: located(({ shortage }) => shortage),
    uncheckedOps: located(({ unchecked }) => unchecked),
  });
  return { execution, timeline, dram, findings, verdict };
}

/** A step with its use of memory. */
interface SizedStep {
  readonly signature: OpSignature;
  readonly footprint: OpFootprint;
  readonly l1: L1Step;
}

function sizeSteps(fn: GraphFunction, execution: PlannedExecution, opModel: OpModel): readonly SizedStep[] {
  const signatures = opSignatures(fn);
  const ids = opModel.layouts.internAll(execution.layouts);
  const layoutsOf = (instances: readonly number[]): (LayoutId | undefined)[] =>
    instances.map((instance) => ids[instance]);
  return execution.steps.map((step): SizedStep => {
    const signature = step.kind === "op" ? signatures[step.op] : conversionSignature(
      valueAt(fn, step.conversion.value).tensor,
      execution.layouts[step.operands[0]],
      step.conversion.layout,
      opModel.chip,
    );
    if (signature === undefined) throw new RangeError(`Cannot simulate ${fn.name}: unknown op in a step`);
    const config = step.kind === "op" ? step.config : undefined;
    const footprint = opFootprint(
      opModel,
      signature,
      layoutsOf(step.operands),
      layoutsOf(step.results),
      config,
    );
    return {
      signature,
      footprint,
      // A conversion is always a copy, even if its op could share the buffer.
      l1: l1Step(
        step.operands,
        step.results,
        step.kind === "op" ? footprint : { ...footprint, aliasedOperand: undefined },
      ),
    };
  });
}

const NOTHING_MADE: DramSchedule["steps"][number] = [];

/** Arguments and const-eval results occupy DRAM during the whole inference. */
function simulateDram(
  fn: GraphFunction,
  execution: PlannedExecution,
  steps: readonly SizedStep[],
  { liveness }: L1Timeline,
  { chip }: OpModel,
): DramTimeline {
  const bytesOf = (tensor: number): number => {
    const layout = execution.layouts[tensor];
    const value = fn.values[execution.valueOf[tensor] ?? tensor];
    // In a mesh, each chip holds its part of an argument, regardless of the shape in its type.
    const part = value?.definition.kind === "argument" ? value.definition.chipShape : undefined;
    const shape = part ?? value?.tensor?.shape;
    const inDram = layout?.bufferType === "dram" && shape !== undefined;
    return inDram ? allocatedBytesPerBank({ shape, layout }, chip) : 0;
  };
  const madeBy = ({ defines }: L1Step): DramSchedule["steps"][number] => {
    let made = NOTHING_MADE;
    for (let index = 0; index < defines.length; index++) {
      const definition = defines[index];
      if (definition === undefined || definition.aliasOf !== undefined) continue;
      const bytes = bytesOf(definition.tensor);
      // Nearly all steps define a single tensor.
      if (bytes > 0) made = made.concat({ tensor: definition.tensor, bytes });
    }
    return made;
  };
  const isCached = ({ signature }: SizedStep): boolean => signature.name === LOAD_CACHED;
  const cached = steps.filter(isCached).flatMap(({ l1 }) => l1.defines.map(({ tensor }) => tensor));
  return simulateDramSchedule(
    {
      residents: [...fn.arguments, ...cached].map((tensor) => ({ tensor, bytes: bytesOf(tensor) })),
      steps: steps.map((step) => isCached(step) ? NOTHING_MADE : madeBy(step.l1)),
    },
    liveness,
    dramRegion(chip),
  );
}

/** Refusals that state a gap of the op model, or that the backend does something else. */
const NO_KNOWN_FAULT: ReadonlySet<string> = new Set([
  OTHER_LAYOUTS,
  // The file does not state the operand's layout.
  "operand/no-layout",
  // The op model stopped for another reason than a rule of the op.
  "layout/geometry",
  // The backend runs them and computes wrong results.
  "slice/sharded",
  "ternary/rows",
]);

/** Whether a refusal names a backend rule that the op breaks, so that it does not run. */
function breaksRule(opModel: OpModel, signature: OpSignature, { failure, rule }: Refusal): boolean {
  return (failure === "unsupported_layout" || failure === "unsupported_config") &&
    !NO_KNOWN_FAULT.has(rule) &&
    !opModel.traits(signature).isOpaque;
}

/**
 * Why a step's buffers are unknown: the op has no rule; it is a collective without sourced buffer sizes; or
 * the op model does not accept the step as it is but knows no broken rule. An op without a rule is accepted
 * with the input's layouts, even if they differ from the op model's guess.
 */
function whyUnchecked(opModel: OpModel, { signature, footprint }: SizedStep): Unchecked | undefined {
  const { refusal } = footprint;
  const { isOpaque, costClass } = opModel.traits(signature);
  if (isOpaque && (refusal === undefined || refusal.rule === OTHER_LAYOUTS)) {
    return {
      rule: "op/no-rule",
      reason: isBookkeeping(signature)
        ? `the function that ${signature.name} runs is checked on its own, without the tensors that are live here`
        : `the programs of ${signature.name} are not known, so neither are its buffers nor its time`,
    };
  }
  if (refusal !== undefined) {
    return refusal.failure === "out_of_memory" ? undefined : { rule: refusal.rule, reason: refusal.message };
  }
  return costClass === "ccl" && footprint.circularBufferBytes === 0
    ? {
      rule: "op/collective",
      reason: `${signature.name} is a collective: its circular buffers are not known`,
    }
    : undefined;
}

function locatedOp(fn: GraphFunction, step: PlanStep, sized: SizedStep | undefined): LocatedOp {
  const op = step.kind === "op" ? step.op : step.conversion.beforeOp;
  return {
    function: fn.name,
    op,
    name: sized?.signature.name ?? "",
    location: fn.ops[op]?.location ?? "",
  };
}
