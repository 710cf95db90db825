// SPDX-License-Identifier: Apache-2.0
import type { TensorShape } from "../ops/op_signature.ts";
import type { LayoutId } from "../layout/layout_table.ts";
import type { OpSpecificAttributes } from "../op_config/op_config.ts";
import type { DeviceProgram } from "../programs/program.ts";
import type { OpSignature } from "../ops/op_signature.ts";

/** What limits an op, in tt-perf-report's words. */
export type Bound = "DRAM" | "FLOP" | "NOC" | "BOTH" | "SLOW" | "HOST" | "DISPATCH";

/** Predicted device time of one op or reshard. */
export interface RuntimeEstimate {
  /** The device programs that were priced, in their order. */
  readonly programs: readonly DeviceProgram[];
  /** Why the time is not known; absent when it is. The figures are then no predictions and must not be shown as such. */
  readonly unknown?: string;
  /** Device kernel time plus launch, in µs. */
  readonly microseconds: number;
  /** From the shares of the chip's peaks that the op reaches; `SLOW` when no single cause stands out. */
  readonly bound: Bound;
  /** Published relative error of the op class (0.08 means ±8 %). */
  readonly relativeError: number;
  /**
   * What of `relativeError` two different questions of the class do not share: differences of plans are surer than
   * their sums.
   */
  readonly ownError: number;
  /** Why no measured op speaks for the time, so that the errors are wider; absent where one does. */
  readonly extrapolated?: string;
  /** Cores that the op's programs run on. */
  readonly cores: number;
  /** Bytes read from and written to DRAM, whole chip. */
  readonly dramBytes: number;
  /** Bytes that cross the NoC, whole chip. */
  readonly nocBytes: number;
  /** Floating point operations, whole chip; multiply and add count as two. */
  readonly flops: number;
  /** Parts of the time in µs; `dominant` names the largest. */
  readonly terms: {
    readonly launch: number;
    readonly read: number;
    readonly compute: number;
    readonly write: number;
  };
  /** `launch` wins ties, then `read`, then `compute`. */
  readonly dominant: "launch" | "read" | "compute" | "write";
}

/** What the dispatcher needs to send programs to the cores, ahead of their start. */
export interface DispatcherTimes {
  /** µs that the dispatcher needs to send one program. */
  readonly sendMicroseconds: number;
  /**
   * µs by which programs may start before as many were sent as come before them: those that were ready when the
   * function began.
   */
  readonly leadMicroseconds: number;
  /** Programs that the cores keep ready to start. */
  readonly readyPrograms: number;
  /** µs from the end of a program to the start of the next one, where that is there. */
  readonly gapMicroseconds: number;
}

/** Prices ops for given layouts. `lib` declares it, `sim` implements it. Pure and memoised. */
export interface CostModel {
  /**
   * Runtime of an op with given operand and result layouts.
   *
   * @param inputs layout per operand, `undefined` where the operand is no tensor or has no layout
   * @param outputs layout per result, `undefined` likewise
   */
  getOpRuntime(
    op: OpSignature,
    inputs: readonly (LayoutId | undefined)[],
    outputs: readonly (LayoutId | undefined)[],
    config: OpSpecificAttributes | undefined,
  ): RuntimeEstimate;

  /**
   * µs of an op whose programs are known from the op model's answer: those of {@linkcode CostModel.getOpRuntime} for the
   * layouts and the config that were asked about. Searches ask for tens of thousands and want nothing else. Absent where
   * only layouts have prices.
   *
   * @param keeps whether the same programs may be asked about again
   */
  launchedMicroseconds?(programs: readonly DeviceProgram[], keeps?: boolean): number;

  /** What programs wait for that follow each other faster than they are sent; absent where nobody knows. */
  readonly dispatch?: DispatcherTimes;

  /** Runtime of moving one tensor from one layout to another (`to_memory_config`, `to_layout`). */
  getReshardRuntime(tensor: TensorShape, from: LayoutId, to: LayoutId): RuntimeEstimate;

  /**
   * µs ≥ 0 that the flows of a layout change lose to each other beyond its estimate; dear to know, so that only what is
   * about to be chosen is asked for. Absent where nobody knows.
   */
  congestionMicroseconds?(
    estimate: RuntimeEstimate,
    tensor: TensorShape,
    from: LayoutId,
    to: LayoutId,
  ): number;

  /** Lets go of the prices that it has said: the next one is worked out anew. */
  forgetAnswers?(): void;
}
