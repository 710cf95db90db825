// SPDX-License-Identifier: Apache-2.0
import type { Bound, RuntimeEstimate } from "../lib/cost/cost_model.ts";
import type { FunctionKind, OpId } from "../lib/graph/graph.ts";
import type { DataType } from "../lib/layout/data_type.ts";
import type { TtnnLayout } from "../lib/layout/ttnn_layout.ts";
import type { MathFidelity, OpSpecificAttributes } from "../lib/opmodel/op_config.ts";
import type { CostClass } from "../lib/opmodel/op_model.ts";
import type { ConversionReason } from "../lib/plan/plan.ts";
import type { L1Region } from "../lib/memory/l1_timeline.ts";
import type { StepClash, StepL1 } from "./l1_pressure.ts";

/** A predicted time and the band that the truth is expected in, in µs. See `combineErrors` for how it is made. */
export interface TimeBand {
  readonly lowerUs: number;
  readonly upperUs: number;
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
export interface StepTimeline extends Work {
  /** Place in {@linkcode FunctionTimeline.steps}. */
  readonly index: number;
  readonly kind: "op" | "conversion";
  /** Op id, or conversion id for conversions. */
  readonly id: number;
  /** Op that the step belongs to: itself, or the op that a conversion is made for. */
  readonly op: OpId;
  /** Op name, for example `ttnn.matmul`; conversions carry the op that they are written as. */
  readonly name: string;
  /** Why a conversion exists; `undefined` for ops. */
  readonly reason: ConversionReason | undefined;
  readonly costClass: CostClass;
  /** Problem size for people: `M x K x N` for matmuls, the output shape for most others. */
  readonly shape: string;
  /** Text of the op's location, `""` when it has none. */
  readonly location: string;
  /** Layout per operand and result, `undefined` where there is no tensor or no layout. */
  readonly inputLayouts: readonly (TtnnLayout | undefined)[];
  readonly outputLayouts: readonly (TtnnLayout | undefined)[];
  readonly inputTypes: readonly DataType[];
  readonly outputTypes: readonly DataType[];
  /** Logical shapes, `undefined` where there is no tensor. */
  readonly inputShapes: readonly (readonly number[] | undefined)[];
  readonly outputShapes: readonly (readonly number[] | undefined)[];
  /** Config that the op really runs with, as far as it is known. */
  readonly config: OpSpecificAttributes | undefined;
  /** Fidelity of the matrix engine for matmuls and convolutions. */
  readonly fidelity: MathFidelity | undefined;
  /** The cost model's answer; its `launch` term is part of {@linkcode gapUs} here. */
  readonly estimate: RuntimeEstimate;
  /** Start of the kernel, in µs from the start of the function. */
  readonly startUs: number;
  /** Device kernel time: `estimate.microseconds` without launch. */
  readonly deviceUs: number;
  /** Time between the end of the step before and the start of this one: launch, or waiting for the host. */
  readonly gapUs: number;
  readonly bound: Bound;
  readonly utilisation: Utilisation;
  readonly l1: StepL1;
  /** `undefined` when the step fits. */
  readonly clash: StepClash | undefined;
}

/**
 * When a function runs: `inference` every time, `once` when the program is loaded, `host` on the CPU, `wrapper` only
 * calls others.
 */
export type ExecutionRole = "inference" | "once" | "host" | "wrapper";

/** One function simulated on its own. */
export interface FunctionTimeline extends Work {
  readonly name: string;
  readonly kind: FunctionKind;
  readonly role: ExecutionRole;
  /** Whether its ops run from a captured trace. */
  readonly traced: boolean;
  readonly steps: readonly StepTimeline[];
  /** Gaps and kernels together. */
  readonly totalUs: number;
  readonly deviceUs: number;
  readonly gapUs: number;
  readonly band: TimeBand;
  readonly utilisation: Utilisation;
  /** Largest sum of tensors and circular buffers over the steps, bytes per core. */
  readonly peakL1Bytes: number;
  /** Addresses that tensors and circular buffers of this function share. */
  readonly l1Region: L1Region;
  /** Bytes per core that a plan may use: `l1Region.budget`. */
  readonly l1BudgetBytes: number;
  /** No step clashes or lacks space on the chip, checked by address. */
  readonly fits: boolean;
}

/** Sum over the functions of one role. */
export interface TimelineTotals extends Work {
  readonly totalUs: number;
  readonly deviceUs: number;
  readonly gapUs: number;
  readonly band: TimeBand;
}

/** A simulated graph. */
export interface Timeline {
  readonly device: string;
  /** Whether everything that an inference runs comes from a captured trace. */
  readonly traced: boolean;
  /** Level at which layout changes were timed, see `SimulationOptions.network`. */
  readonly network: "analytic" | "flow";
  readonly functions: readonly FunctionTimeline[];
  /** What one inference costs: the functions with role `inference`. */
  readonly inference: TimelineTotals;
  /** What loading costs once: the functions with role `once`. */
  readonly once: TimelineTotals;
  /** Largest L1 use of a function that runs in an inference, bytes per core. */
  readonly peakL1Bytes: number;
  readonly l1BudgetBytes: number;
  /** Every function fits. */
  readonly fits: boolean;
}
