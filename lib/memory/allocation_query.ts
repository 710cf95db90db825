// SPDX-License-Identifier: Apache-2.0
import { roundUp, shardBytes } from "../layout/make_layout.ts";
import type { BufferType } from "../layout/ttnn_layout.ts";
import type { OpModel, ValidConstraints } from "../opmodel/op_model.ts";
import type { OpSignature } from "../ops/op_signature.ts";
import { l1Events } from "./op_footprint.ts";
import type { AllocatedTensor } from "../programs/launch_sequence.ts";
import { type L1FailureKind, simulateL1Schedule } from "./l1_timeline.ts";
import type { L1Region } from "./l1_schedule.ts";

/** A buffer with its address, as exchanged by tt-mlir's stateful queries (tt-mlir:validation). */
export interface AllocationRecord {
  readonly bufferType: BufferType;
  /** First byte, the same in every bank. */
  readonly address: number;
  /** Bytes per bank (per core for L1). */
  readonly sizePerBank: number;
}

/** The addresses of an op's results beside the live tensors, or the shortage. */
export type AllocationAnswer =
  | { readonly status: "placed"; readonly outputs: readonly AllocationRecord[] }
  | {
    readonly status: "out_of_memory";
    readonly kind: L1FailureKind;
    /** Bytes per core that are missing. */
    readonly shortBytes: number;
    readonly message: string;
  };

const WORDS: Readonly<Record<L1FailureKind, string>> = {
  too_large: "its own circular buffers and intermediates exceed usable L1",
  no_space: "no hole between the live tensors is large enough for its results and intermediates",
  no_program: "the backend finds no program for the L1 that is left",
  circular_buffer_clash: "its circular buffers reach the lowest live tensor",
  over_budget: "tensors and buffers exceed usable L1",
};

/** The buffer that backs a result; `undefined` if it has none of its own. */
function bufferOf({ events }: ValidConstraints, result: number): AllocatedTensor | undefined {
  for (const event of events) {
    if (event.kind === "allocate" && event.allocated.result === result) return event.allocated;
  }
  return undefined;
}

/**
 * Stateful query: places the allocations of an op by address beside the live tensors, as the allocator does
 * while the op runs (tt-mlir:validation, tt-metal:allocator).
 *
 * A result that shares the buffer of an operand is reported at address 0, like views in the backend. DRAM
 * results are reported at the lowest address of a bank: a query does not know the other contents of DRAM.
 *
 * @param answer the op model's answer for the op, independent of live tensors
 * @param live buffers in L1, operands included; records of other memories are ignored
 */
export function placeBesideLive(
  op: OpSignature,
  answer: ValidConstraints,
  live: readonly AllocationRecord[],
  region: L1Region,
  { layouts, chip }: Pick<OpModel, "layouts" | "chip">,
): AllocationAnswer {
  const inL1 = live.filter(({ bufferType }) => bufferType === "l1");
  const results = op.results.map((_, result) => {
    const isShared = result === 0 && answer.aliasedOperand !== undefined;
    const buffer = bufferOf(answer, result);
    return { isShared, l1Bytes: isShared || buffer?.memory !== "l1" ? 0 : buffer.bytesPerBank };
  });
  const first = inL1.length;
  const { failures, oversized, usage } = simulateL1Schedule({
    tensors: first + results.length,
    steps: [{
      reads: [],
      defines: results.map(({ l1Bytes }, result) => ({
        tensor: first + result,
        l1Bytes,
        aliasOf: undefined,
      })),
      events: l1Events(answer, results.map(({ l1Bytes }) => l1Bytes)),
      circularBufferBytes: answer.cbPlacedBytes,
      ownPeakBytes: answer.ownPeakBytes,
    }],
    liveIn: inL1.map(({ address, sizePerBank }, tensor) => ({ tensor, l1Bytes: sizePerBank, address })),
    liveOut: [],
  }, region);
  const [failure] = [...oversized, ...failures];
  if (failure !== undefined) {
    const { kind, shortBytes } = failure;
    const message = `${op.name}: ${WORDS[kind]}; ${shortBytes} bytes per core short`;
    return { status: "out_of_memory", kind, shortBytes, message };
  }
  const placements = usage[0]?.placements ?? [];
  const lowestDramAddress = roundUp(chip.dramUnreservedBase, chip.dramAlignment);
  const outputs = answer.outputLayouts.flatMap((id, result): AllocationRecord[] => {
    if (id === undefined) return [];
    const layout = layouts.get(id);
    const { bufferType } = layout;
    const placed = placements.find(({ tensor }) => tensor === first + result);
    if (placed !== undefined) return [{ bufferType, address: placed.address, sizePerBank: placed.bytes }];
    const buffer = bufferOf(answer, result);
    return [{
      bufferType,
      address: buffer?.memory === "dram" ? lowestDramAddress : 0,
      sizePerBank: buffer?.bytesPerBank ?? shardBytes(layout),
    }];
  });
  return { status: "placed", outputs };
}
