// SPDX-License-Identifier: Apache-2.0
import type { LayoutId, LayoutIds } from "../layout/layout_table.ts";
import type { OpSpecificAttributes } from "../op_config/op_config.ts";
import type { OpSignature, TensorShape } from "../ops/op_signature.ts";
import type { DeviceProgram } from "../programs/program.ts";

/** The limiting resource of an op, in tt-perf-report's terms. */
export type Bound = "DRAM" | "FLOP" | "NOC" | "BOTH" | "SLOW" | "HOST" | "DISPATCH";

/** Predicted device time of one op or reshard. */
export interface RuntimeEstimate {
  /** The device programs that were priced, in order. */
  readonly programs: readonly DeviceProgram[];
  /**
   * Why the time is unknown; absent if it is known. The numbers are then not predictions and must not be shown
   * as such.
   */
  readonly unknown?: string;
  /** Device kernel time plus launch, in µs. */
  readonly microseconds: number;
  /**
   * `DISPATCH` if the launch takes as long as the kernel; else derived from the shares of the chip's peaks that the op reaches;
   * else `NOC` if reads or writes dominate and the NoC moves more bytes than DRAM, or `SLOW` if no single cause stands out.
   */
  readonly bound: Bound;
  /** Half-width of the 68 % interval: 0.08 means between 1/1.08 and 1.08 of the time. */
  readonly relativeError: number;
  /**
   * The part of `relativeError` that two different questions of the class do not share: differences between
   * plans are more certain than their sums.
   */
  readonly ownError: number;
  /** Why no measured op supports the time, so that the errors are wider; absent if one does. */
  readonly extrapolated?: string;
  /** Number of cores of the op's programs. */
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

/** Times of the dispatcher, which sends programs to the cores ahead of their start. */
export interface DispatcherTimes {
  /** µs to send one program. */
  readonly dispatchMicroseconds: number;
  /**
   * µs by which the last program that was ready when the function began may start before its successors are sent:
   * `gapMicroseconds + (readyPrograms − 1) × dispatchMicroseconds`.
   */
  readonly leadMicroseconds: number;
  /** Number of dispatched programs that the cores keep ready to start. */
  readonly readyPrograms: number;
  /** µs from the end of a program to the start of the next one, if that has been dispatched. */
  readonly gapMicroseconds: number;
}

/** Prices ops for given layouts. Declared in `lib`, implemented in `sim`. Pure and memoised. */
export interface CostModel {
  /**
   * Runtime of an op with given operand and result layouts.
   *
   * @param inputs layout per operand; `undefined` if the operand is not a tensor or has no layout
   * @param outputs layout per result; `undefined` if the result is not a tensor or has no layout
   */
  getOpRuntime(
    op: OpSignature,
    inputs: LayoutIds,
    outputs: LayoutIds,
    config: OpSpecificAttributes | undefined,
  ): RuntimeEstimate;

  /**
   * µs of an op whose programs are known from the op model's answer; equal to
   * {@linkcode CostModel.getOpRuntime} for the layouts and config of that query. Searches need tens of
   * thousands of these times and nothing else. Absent if only layouts can be priced.
   *
   * @param keeps whether the same programs may be priced again, so that caching pays
   */
  launchedMicroseconds?(programs: readonly DeviceProgram[], keeps?: boolean): number;

  /**
   * Times of the dispatcher, for programs that follow each other faster than they are dispatched; absent if
   * unknown.
   */
  readonly dispatch?: DispatcherTimes;

  /** Runtime of moving one tensor from one layout to another (`to_memory_config`, `to_layout`). */
  getReshardRuntime(tensor: TensorShape, from: LayoutId, to: LayoutId): RuntimeEstimate;

  /**
   * µs ≥ 0 that congestion between the flows of a layout change adds to its estimate. Expensive, so it is
   * computed only for layout changes that are about to be chosen. Absent if unknown.
   */
  congestionMicroseconds?(
    estimate: RuntimeEstimate,
    tensor: TensorShape,
    from: LayoutId,
    to: LayoutId,
  ): number;

  /** Drops all cached prices. */
  forgetAnswers?(): void;
}
