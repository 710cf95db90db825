// SPDX-License-Identifier: Apache-2.0
import type { LivenessStep, TensorDefinition } from "../graph/liveness.ts";
import { type ChipDescription, DEFAULT_L1_CAP, usableL1Bytes } from "../device/chip_description.ts";
import type { L1Room } from "../programs/op_launch.ts";

/** Addresses of L1 per core that tensors and circular buffers share, in bytes. */
export interface L1Region {
  /** First address; circular buffers grow up from here. */
  readonly base: number;
  /** One past the last address; tensors are placed downwards from here. */
  readonly top: number;
  /** One past the last address that circular buffers may reach if no tensor is in L1; default `top` (`ttnn:backend-0-81-1`). */
  readonly limit?: number;
  /** Alignment of tensor addresses in bytes. */
  readonly alignment: number;
  /** Bytes that a plan may fill: from the lowest tensor to the top, plus circular buffers. */
  readonly budget: number;
}

/**
 * The region of a chip: L1_SMALL and the results of const-eval functions sit above it (tt-metal:allocator).
 *
 * @param cap `--tensor-l1-usage-cap`
 * @param reserved bytes per core of const-eval results (`ttnn.l1_const_eval_usage`)
 */
export function l1Region(chip: ChipDescription, cap: number, reserved: number): L1Region {
  const alignment = Math.max(chip.l1Alignment, chip.dramAlignment);
  const base = Math.ceil(chip.l1UnreservedBase / alignment) * alignment;
  const top = Math.max(base, chip.l1Size - chip.l1SmallSize - reserved);
  const budget = Math.max(0, Math.min(usableL1Bytes(chip, cap, reserved), top - base));
  // A cap below the default also applies to circular buffers alone: the caller explores a smaller L1.
  const limit = cap < DEFAULT_L1_CAP ? base + budget : chip.l1Size - reserved;
  return { base, top, limit, alignment, budget };
}

/** A tensor that a step defines, with its `l1Bytes` per core; 0 if it is not in L1. */
export interface L1Definition extends TensorDefinition {
  /** Size of its buffer per core; ignored if the tensor shares the buffer of another one. */
  readonly l1Bytes: number;
}

/** An event of an op in L1, in the backend's order; bytes per core. */
export type L1Event =
  /** A buffer of a result or an intermediate is placed; `tensor` identifies it in later events of the op. */
  | {
    readonly kind: "allocate";
    readonly tensor: number;
    readonly bytes: number;
    readonly result: number | undefined;
  }
  /** A program runs with its circular buffers. */
  | { readonly kind: "run"; readonly circularBufferBytes: number }
  /** A buffer of the op is freed. Intermediates that are never freed are freed when the op ends. */
  | { readonly kind: "free"; readonly tensor: number }
  /** The buffer of an operand is freed, by its index among the reads. */
  | { readonly kind: "free_operand"; readonly operand: number };

/** One step in the form that the L1 simulation needs. */
export interface L1Step extends LivenessStep {
  /** Tensors that it defines, in the order of the op's results. */
  readonly defines: readonly L1Definition[];
  /** Its events in order; `undefined`: it places its results and then runs with its circular buffers. */
  readonly events?: readonly L1Event[] | undefined;
  /** Peak bytes per core of circular buffers, dataflow buffers and scratchpads of one program. */
  readonly circularBufferBytes: number;
  /** Bytes of the largest program's circular and dataflow buffers, without scratchpads; default `circularBufferBytes`. */
  readonly largestCircularBuffers?: number;
  /**
   * Most bytes of circular buffers, intermediates and results at any moment. If it is left out or `Infinity`
   * (unknown), only `circularBufferBytes` are sure to be needed.
   */
  readonly ownPeakBytes?: number;
  /**
   * The step as the backend runs it with the free L1 at its begin, or `undefined` if the backend then
   * refuses. Absent if the free L1 does not matter.
   */
  readonly inRoom?: (room: L1Room) => L1Step | undefined;
}

/** A schedule to simulate. Tensor ids are dense. */
export interface L1Schedule {
  /** Number of ids, which are `0 … tensors − 1`. */
  readonly tensors: number;
  /** In execution order. */
  readonly steps: readonly L1Step[];
  /**
   * Tensors that exist before the first step, with their bytes per core; they are never freed unless `isFreed`:
   * after their last use. Those with an address were placed elsewhere and keep it.
   */
  readonly liveIn: readonly {
    readonly tensor: number;
    readonly l1Bytes: number;
    readonly address?: number;
    readonly isFreed?: boolean;
  }[];
  /** Tensors that are still needed after the last step. */
  readonly liveOut: readonly number[];
}
