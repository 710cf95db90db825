// SPDX-License-Identifier: Apache-2.0
import type { ChipDescription } from "../device/chip_description.ts";
import { roundUp } from "../layout/make_layout.ts";
import type { DeviceProgram, KnownPrograms } from "./program.ts";
import { bytesPerBank, memoryOf, type ProgramTensor } from "./program_tensor.ts";

/** A tensor that an op allocates while it runs: a result or an intermediate. */
export interface AllocatedTensor {
  /** Whose allocator places it; `l1_small` holds tables of sliding windows, for which L1 sets bytes aside. */
  readonly memory: "l1" | "l1_small" | "dram";
  /** Bytes per bank (per core in L1), padded to the alignment of the memory. */
  readonly bytesPerBank: number;
  /** Index of the result that it is; `undefined` for an intermediate. */
  readonly result: number | undefined;
}

/** One step of an op's run, in the backend's order: where buffers lie depends on it (`ttnn:backend-0-81-1`). */
export type LaunchEvent =
  /** A tensor is allocated; `tensor` names it in later events. */
  | { readonly kind: "allocate"; readonly tensor: number; readonly allocated: AllocatedTensor }
  /** A program runs: its circular buffers exist only now. `program` is an index into the op's programs. */
  | { readonly kind: "run"; readonly program: number }
  /** An allocated tensor is freed. Intermediates that are never freed go when the op ends. */
  | { readonly kind: "free"; readonly tensor: number }
  /** The op frees its operand (`deallocate_activation`), which nothing else may read afterwards. */
  | { readonly kind: "free_operand"; readonly operand: number; readonly bytesPerBank: number };

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

  /** Frees an operand of the op, which lies in L1. */
  freeOperand(operand: number, tensor: ProgramTensor): void {
    this.#events.push({ kind: "free_operand", operand, bytesPerBank: bytesPerBank(tensor, this.#chip) });
  }

  /** Allocates a table in L1_SMALL. @param bytes per core */
  allocateSmall(bytes: number): number {
    const bytesPerBank = roundUp(bytes, this.#chip.l1Alignment);
    return this.#push({ memory: "l1_small", bytesPerBank, result: undefined });
  }

  /** What was written down. */
  launched(): KnownPrograms {
    return { status: "known", programs: this.#programs, events: this.#events };
  }

  #allocate(tensor: ProgramTensor, result: number | undefined): number {
    const memory = memoryOf(tensor);
    // Memory of the host is not the device's to place.
    if (memory === "host") return this.#tensors++;
    return this.#push({ memory, bytesPerBank: bytesPerBank(tensor, this.#chip), result });
  }

  #push(allocated: AllocatedTensor): number {
    this.#events.push({ kind: "allocate", tensor: this.#tensors, allocated });
    return this.#tensors++;
  }
}

/** Most bytes at one moment of an op's run, per core. */
export interface LaunchPeaks {
  /** Of the op's own L1 tensors, as the graph trace counts them: with L1_SMALL, and less what it frees. */
  readonly tensorBytes: number;
  /** Of its own L1 tensors and the reported buffers of the running program together. */
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
  const live = new Map<number, AllocatedTensor>();
  const now = { l1: 0, l1_small: 0, dram: 0 };
  let buffers = 0;
  let tensorBytes = 0;
  let reportedBytes = 0;
  let placedBytes = 0;
  for (const event of events) {
    switch (event.kind) {
      case "allocate":
        live.set(event.tensor, event.allocated);
        now[event.allocated.memory] += event.allocated.bytesPerBank;
        tensorBytes = Math.max(tensorBytes, now.l1 + now.l1_small);
        reportedBytes = Math.max(reportedBytes, now.l1 + now.l1_small + buffers);
        placedBytes = Math.max(placedBytes, now.l1);
        break;
      case "run":
        // The trace drops a program's buffers when the next one begins.
        buffers = reported(event.program);
        reportedBytes = Math.max(reportedBytes, now.l1 + now.l1_small + buffers);
        placedBytes = Math.max(placedBytes, now.l1 + placed(event.program));
        break;
      case "free": {
        const freed = live.get(event.tensor);
        if (freed !== undefined) now[freed.memory] -= freed.bytesPerBank;
        live.delete(event.tensor);
        break;
      }
      case "free_operand":
        now.l1 -= event.bytesPerBank;
        break;
    }
  }
  return { tensorBytes, reportedBytes: Math.max(reportedBytes, tensorBytes), placedBytes };
}
