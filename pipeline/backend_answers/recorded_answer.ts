// SPDX-License-Identifier: Apache-2.0
import type { CoreRange } from "../../lib/layout/core_range.ts";
import type { ConstraintsRequest } from "../op_model_pipe/request.ts";

/** A buffer of a program that the backend made. */
export interface RecordedBuffer {
  /** Bytes per core. */
  readonly bytes: number;
  /** Whether it is backed by a tensor and takes no bytes of its own. */
  readonly backed: boolean;
  /** Whether it is a scratchpad, which reports count but do not list among circular buffers. */
  readonly scratch: boolean;
  readonly cores: readonly CoreRange[];
}

/** A device program that the backend made. */
export interface RecordedProgram {
  /** The device operation, for example `Matmul`. */
  readonly operation: string;
  /** In the order in which they were allocated. */
  readonly buffers: readonly RecordedBuffer[];
}

/** One event of an op's run: allocation, free or program. */
export type RecordedEvent =
  | { readonly kind: "allocate"; readonly memory: "l1" | "dram" | "l1_small"; readonly bytesPerBank: number }
  /** `tensor` counts the allocations of the op from 0; `undefined` is one of its operands. */
  | { readonly kind: "free"; readonly tensor: number | undefined }
  | { readonly kind: "run" };

/** Layout and shape of a result. */
export interface RecordedResult {
  readonly bufferType: string;
  readonly memoryLayout: string;
  readonly dataType: string;
  readonly tiled: boolean;
  /** `undefined` if the result is not sharded or the recording does not state it. */
  readonly shards:
    | { readonly extent: readonly number[]; readonly cores: readonly CoreRange[] }
    | undefined;
}

/** The backend created the op's programs. Byte figures are per core; `undefined` is what the recording does not have. */
export interface RecordedAcceptance {
  readonly ok: true;
  /** Sum of the peaks of circular buffers, dataflow buffers and scratchpads, each over the op's programs. */
  readonly cbPeak: number | undefined;
  /** Peak of the op's own tensors in L1. */
  readonly tensorPeak: number | undefined;
  /** Peak of both at one time, as the backend reports it. */
  readonly totalPeak: number | undefined;
  /** Bytes of the results in L1. */
  readonly outputBytes?: number | undefined;
  readonly programs: readonly RecordedProgram[] | undefined;
  readonly events: readonly RecordedEvent[] | undefined;
  readonly results: readonly RecordedResult[] | undefined;
  /** Compute kernel configs that its device operations ran with: the fidelity and the flags that are set. */
  readonly computeConfigs: readonly string[];
}

/** The backend refused. */
export interface RecordedRefusal {
  readonly ok: false;
  readonly status: "error" | "oom" | "crash";
  /** ttnn's message. */
  readonly reason: string;
}

/** An answer of the real backend. */
export type RecordedAnswer = RecordedAcceptance | RecordedRefusal;

/** A query to the real backend, and its answer. */
export interface RecordedRow {
  /** Board of the mock device: `n150`, `p150` (10x11 workers), `p150-13x10`. */
  readonly device: string;
  /** Where the answer stands, if not in `testdata/backend`. */
  readonly source?: string;
  readonly question: ConstraintsRequest;
  readonly answer: RecordedAnswer;
}

/** Devices that answers are recorded on. */
export const RECORDED_DEVICES = ["n150", "p150", "p150-13x10"] as const;
