// SPDX-License-Identifier: Apache-2.0
import type { ChipDescription } from "../device/chip_description.ts";
import type { DeviceProgram, KnownPrograms } from "./program.ts";
import { bytesPerBank, memoryOf, type ProgramTensor } from "./program_tensor.ts";

/** A tensor that an op allocates while it runs: a result or an intermediate. */
export interface AllocatedTensor {
  /** Whose allocator places it. */
  readonly memory: "l1" | "dram";
  /** Bytes per bank (per core in L1), padded to the alignment of the memory. */
  readonly bytesPerBank: number;
  /** Index of the result that it is; `undefined` for an intermediate. */
  readonly result: number | undefined;
}

/** One step of an op's run, in the backend's order: where buffers lie depends on it (`ttnn-0.81.1`). */
export type LaunchEvent =
  /** A tensor is allocated; `tensor` names it in later events. */
  | { readonly kind: "allocate"; readonly tensor: number; readonly allocated: AllocatedTensor }
  /** A program runs: its circular buffers exist only now. `program` is an index into the op's programs. */
  | { readonly kind: "run"; readonly program: number }
  /** An allocated tensor is freed. Intermediates that are never freed go when the op ends. */
  | { readonly kind: "free"; readonly tensor: number }
  /** The op frees its operand (`deallocate_activation`), which nothing else may read afterwards. */
  | { readonly kind: "free_operand"; readonly operand: number };

/**
 * Writes down what an op launches in the backend's order.
 *
 * @example
 * ```ts ignore
 * const sequence = new LaunchSequence(chip);
 * const staged = sequence.allocate(shards);
 * sequence.run(interleavedToSharded);
 * sequence.allocateResult(0, output);
 * sequence.run(product);
 * sequence.free(staged);
 * return sequence.launched();
 * ```
 */
export class LaunchSequence {
  readonly #chip: ChipDescription;
  readonly #programs: DeviceProgram[] = [];
  readonly #events: LaunchEvent[] = [];
  #tensors = 0;

  constructor(chip: ChipDescription) {
    this.#chip = chip;
  }

  /** Allocates an intermediate; returns its name for {@linkcode LaunchSequence.free}. */
  allocate(tensor: ProgramTensor): number {
    return this.#allocate(tensor, undefined);
  }

  /** Allocates a result of the op. */
  allocateResult(result: number, tensor: ProgramTensor): number {
    return this.#allocate(tensor, result);
  }

  /** Runs programs, one after the other. */
  run(...programs: readonly DeviceProgram[]): void {
    for (const program of programs) {
      this.#events.push({ kind: "run", program: this.#programs.length });
      this.#programs.push(program);
    }
  }

  /** Frees a tensor that was allocated. */
  free(tensor: number): void {
    this.#events.push({ kind: "free", tensor });
  }

  /** Frees an operand of the op. */
  freeOperand(operand: number): void {
    this.#events.push({ kind: "free_operand", operand });
  }

  /** What was written down. */
  launched(): KnownPrograms {
    return { status: "known", programs: this.#programs, events: this.#events };
  }

  #allocate(tensor: ProgramTensor, result: number | undefined): number {
    const memory = memoryOf(tensor);
    if (memory === "host") throw new RangeError("Cannot allocate a tensor on the host in an op's run");
    const allocated = { memory, bytesPerBank: bytesPerBank(tensor, this.#chip), result };
    this.#events.push({ kind: "allocate", tensor: this.#tensors, allocated });
    return this.#tensors++;
  }
}

/** Most bytes at one moment of an op's run, per core. */
export interface LaunchPeaks {
  /** Of the op's own L1 tensors. */
  readonly tensorBytes: number;
  /**
   * Of its own L1 tensors and the reported buffers together. The graph trace counts a program's buffers until the next
   * program begins, tensors that are allocated between the two included (`ttnn-0.81.1`).
   */
  readonly reportedBytes: number;
  /** The same with the buffers that one core places. */
  readonly placedBytes: number;
}

/**
 * Peaks over a run.
 *
 * @param reported bytes of buffers per program, summed over groups of cores as in the graph trace
 * @param placed most bytes of buffers on one core, per program
 */
export function launchPeaks(
  events: readonly LaunchEvent[],
  reported: (program: number) => number,
  placed: (program: number) => number,
): LaunchPeaks {
  const live = new Map<number, number>();
  let now = 0;
  let tensorBytes = 0;
  let buffers = 0;
  let reportedBytes = 0;
  let placedBytes = 0;
  for (const event of events) {
    switch (event.kind) {
      case "allocate": {
        const bytes = event.allocated.memory === "l1" ? event.allocated.bytesPerBank : 0;
        live.set(event.tensor, bytes);
        now += bytes;
        tensorBytes = Math.max(tensorBytes, now);
        reportedBytes = Math.max(reportedBytes, now + buffers);
        break;
      }
      case "run":
        buffers = reported(event.program);
        reportedBytes = Math.max(reportedBytes, now + buffers);
        placedBytes = Math.max(placedBytes, now + placed(event.program));
        break;
      case "free":
        now -= live.get(event.tensor) ?? 0;
        live.delete(event.tensor);
        break;
      case "free_operand":
        break;
    }
  }
  return {
    tensorBytes,
    reportedBytes,
    placedBytes: Math.max(placedBytes, tensorBytes),
  };
}
