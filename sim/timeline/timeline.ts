// SPDX-License-Identifier: Apache-2.0
import type { Bound, RuntimeEstimate } from "../../lib/cost/cost_model.ts";
import type { ExecutionRole } from "../../lib/graph/function_role.ts";
import type { FunctionKind, SchedulePoint } from "../../lib/graph/graph.ts";
import type { DataType } from "../../lib/layout/data_type.ts";
import type { TtnnLayout } from "../../lib/layout/ttnn_layout.ts";
import type { OpSpecificAttributes } from "../../lib/op_config/op_config.ts";
import type { MathFidelity } from "../../lib/op_config/math_fidelity.ts";
import type { CostClass } from "../../lib/ops/cost_class.ts";
import type { ConversionReason } from "../../lib/plan/plan.ts";
import type { InstanceId } from "../../lib/plan/steps.ts";
import type { L1Region } from "../../lib/memory/l1_schedule.ts";
import type { LocatedOp, MemoryVerdict, StepFindings } from "../../lib/memory/memory_verdict.ts";
import type { StepL1 } from "./l1_pressure.ts";

/** Intervals in which the true time is expected, in µs. See `combineErrors` for how they are made. */
export interface TimeBand {
  /** Lower end of the 68 % interval. */
  readonly lowerUs: number;
  /** Its upper end. */
  readonly upperUs: number;
  /** Lower end of the 90 % interval. */
  readonly lower90Us: number;
  /** Its upper end. */
  readonly upper90Us: number;
}

/** Traffic and arithmetic, whole chip. */
export interface Work {
  /** Bytes read from and written to DRAM. */
  readonly dramBytes: number;
  /** Bytes that cross the NoC. */
  readonly nocBytes: number;
  /** Floating point operations; multiply and add count as two. */
  readonly flops: number;
}

/** Shares of the chip's peaks that are used while the device is busy, 0 to 1. */
export interface Utilisation {
  /** Share of the theoretical DRAM bandwidth. */
  readonly dram: number;
  /** Share of the matrix engines' peak at the op's fidelity, on the cores that the op runs on. */
  readonly flops: number;
}

/** One op or inserted conversion on the device's clock. */
export interface StepTimeline extends Work, StepFindings {
  /** Place in {@linkcode FunctionTimeline.steps}. */
  readonly index: number;
  /** An op of the program, or a copy that the plan inserts. */
  readonly kind: "op" | "conversion";
  /** Op id, or conversion id for conversions. */
  readonly id: number;
  /** Op that the step belongs to: itself, or the reader of a conversion. */
  readonly op: SchedulePoint;
  /** Op name, for example `ttnn.matmul`; for conversions, the op that they are written as. */
  readonly name: string;
  /** Why a conversion exists; `undefined` for ops. */
  readonly reason: ConversionReason | undefined;
  /** Class of the rule book that the step is priced as. */
  readonly costClass: CostClass;
  /** Problem size for people: `M x K x N` for matmuls, the output shape for most others. */
  readonly shape: string;
  /** Text of the op's location, `""` when it has none. */
  readonly location: string;
  /** Layout per operand, `undefined` without a tensor or layout. */
  readonly inputLayouts: readonly (TtnnLayout | undefined)[];
  /** Layout per result, `undefined` without a tensor or layout. */
  readonly outputLayouts: readonly (TtnnLayout | undefined)[];
  /** Element formats of the operands that are tensors. */
  readonly inputTypes: readonly DataType[];
  /** Element formats of the results that are tensors. */
  readonly outputTypes: readonly DataType[];
  /** Logical shape per operand, `undefined` without a tensor. */
  readonly inputShapes: readonly (readonly number[] | undefined)[];
  /** Logical shape per result, `undefined` without a tensor. */
  readonly outputShapes: readonly (readonly number[] | undefined)[];
  /** Ids of the tensors that it reads, one per operand. */
  readonly reads: readonly InstanceId[];
  /** Ids of the tensors that it makes, one per result. */
  readonly makes: readonly InstanceId[];
  /** Config that runs, if known. */
  readonly config: OpSpecificAttributes | undefined;
  /** Fidelity of the matrix engine for matmuls and convolutions. */
  readonly fidelity: MathFidelity | undefined;
  /** The cost model's answer; its `launch` term is part of {@linkcode gapUs} here. */
  readonly estimate: RuntimeEstimate;
  /** Start of the kernel, in µs from the start of the function. */
  readonly startUs: number;
  /** Device kernel time: `estimate.microseconds` without launch. */
  readonly deviceUs: number;
  /** Time from the end of the previous step to the start of this one: launch, or waiting for the dispatcher or the host. */
  readonly gapUs: number;
  /** The limiting resource of the step. */
  readonly bound: Bound;
  /** Shares of the peaks during its kernel. */
  readonly utilisation: Utilisation;
  /** L1 of one core while it runs. */
  readonly l1: StepL1;
}

/** µs of a step with the gap before it. */
export function stepUs({ deviceUs, gapUs }: Pick<StepTimeline, "deviceUs" | "gapUs">): number {
  return deviceUs + gapUs;
}

/** Whether a step runs something: it takes time, or nobody knows how long. Views and calls do not. */
export function runs(step: Pick<StepTimeline, "deviceUs" | "gapUs" | "estimate">): boolean {
  return stepUs(step) > 0 || step.estimate.unknown !== undefined;
}

/** One function simulated on its own. */
export interface FunctionTimeline extends TimelineTotals {
  /** Name without `@`. */
  readonly name: string;
  /** Purpose of the function. */
  readonly kind: FunctionKind;
  /** When it runs. */
  readonly role: ExecutionRole;
  /** Whether its ops run from a captured trace. */
  readonly traced: boolean;
  /** Its steps in execution order. */
  readonly steps: readonly StepTimeline[];
  /** Shares of the peaks, averaged over kernel time. */
  readonly utilisation: Utilisation;
  /** Largest sum of tensors and circular buffers over the steps, bytes per core. */
  readonly peakL1Bytes: number;
  /** Addresses that tensors and circular buffers of this function share. */
  readonly l1Region: L1Region;
  /** Bytes per core that a plan may use: `l1Region.budget`. */
  readonly l1BudgetBytes: number;
  /** Most bytes that its tensors hold in one bank of DRAM. */
  readonly peakDramBytes: number;
  /** Whether it fits, by address; a function that does not run on the device fits. */
  readonly verdict: MemoryVerdict;
}

/** Sum over the functions of one role. */
export interface TimelineTotals extends Work {
  /** Gaps and kernels together. */
  readonly totalUs: number;
  /** Kernels alone. */
  readonly deviceUs: number;
  /** Gaps alone. */
  readonly gapUs: number;
  /** Band of the total. */
  readonly band: TimeBand;
  /** Kernel time in µs of ops unlike any measured op; their bands are wider. */
  readonly extrapolatedUs: number;
}

/**
 * An op whose device programs are unknown: it is missing from every total, and listed wherever a total is
 * shown.
 */
export interface UnpricedOp extends LocatedOp {
  /** Why its programs are unknown, as a sentence. */
  readonly reason: string;
}

/** A simulated graph. */
export interface Timeline {
  /** Name of the simulated chip. */
  readonly device: string;
  /** Whether everything in an inference runs from a captured trace. */
  readonly traced: boolean;
  /** Level at which layout changes were timed, see `SimulationOptions.network`. */
  readonly network: "analytic" | "flow";
  /** Every function of the graph, in its order. */
  readonly functions: readonly FunctionTimeline[];
  /** Cost of one inference: the functions with role `inference`. */
  readonly inference: TimelineTotals;
  /** One-time cost of loading: the functions with role `once`. */
  readonly once: TimelineTotals;
  /** Largest L1 use of a function that runs in an inference, bytes per core. */
  readonly peakL1Bytes: number;
  /** Bytes per core that a plan may use beside const-eval results. */
  readonly l1BudgetBytes: number;
  /** Most bytes that a device function holds in one DRAM bank. */
  readonly peakDramBytes: number;
  /** Bytes of one bank of DRAM that tensors may take. */
  readonly dramBankBytes: number;
  /** Verdict over all device functions, of the inference and run-once. */
  readonly verdict: MemoryVerdict;
  /** Ops of the same functions that have no predicted time. */
  readonly unpriced: readonly UnpricedOp[];
  /** Assumptions that the times of an inference depend on; empty if there are none. */
  readonly assumptions: readonly AssumptionUse[];
}

/** An assumption about the run that times depend on but no graph states. */
export interface AssumptionUse {
  /** Option that sets it, without `--`. */
  readonly option: "cache-filled" | "active-users" | "active-experts";
  /** The assumption in words. */
  readonly supposed: string;
  /** Ops of an inference whose time depends on it. */
  readonly ops: number;
}
