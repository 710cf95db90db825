// SPDX-License-Identifier: Apache-2.0
import type { ChipDescription } from "../device/chip_description.ts";
import { roundUp } from "../layout/make_layout.ts";
import { circularBufferBytes, circularBufferBytesOnCore } from "./circular_buffer.ts";
import { type DeviceProgram, inOrder, type KnownPrograms, NO_PROGRAMS } from "./program.ts";
import { bytesPerBank, memoryOf, type ProgramTensor } from "./program_tensor.ts";

/** A tensor that an op allocates while it runs: a result or an intermediate. */
export interface AllocatedTensor {
  /** The allocator that places it; `l1_small` is a reserved part of L1 for tables of sliding windows. */
  readonly memory: "l1" | "l1_small" | "dram";
  /** Bytes per bank (per core in L1), padded to the alignment of the memory. */
  readonly bytesPerBank: number;
  /** Index of the op's result; `undefined` for an intermediate. */
  readonly result: number | undefined;
}

/**
 * One event of an op's run, in the backend's order, which determines buffer addresses
 * (`ttnn:backend-0-81-1`).
 */
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
 * Records an op's allocations, programs and frees in the backend's order.
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

  /** Allocates a result of the op; returns its name for {@linkcode LaunchSequence.free}. */
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

  /**
   * Runs steps: a step's tensor is allocated before its programs run, its tables are freed after them, and tensors of
   * steps live until the op ends unless a later step frees them (`ttnn:backend-0-81-1`).
   *
   * @param operand the op's first operand, if steps may free it
   */
  runSteps(steps: readonly ChainStep[], operand?: ProgramTensor): void {
    // Equal tensors may be one object; the first allocated is the first to be freed.
    const made = new Map<ProgramTensor, number[]>();
    for (const { tensor, result, inPlace, programs, table, smallTables = [], frees = [] } of steps) {
      if (inPlace !== true) {
        made.getOrInsertComputed(tensor, () => []).push(this.#allocate(tensor, result));
      }
      const tables = smallTables.map((bytes) => this.allocateSmall(bytes));
      if (table !== undefined) tables.push(this.allocate(table));
      this.run(...programs);
      for (const number of tables) this.free(number);
      for (const freed of frees) {
        const number = made.get(freed)?.shift();
        if (number !== undefined) this.free(number);
        else if (freed === operand) this.#freeOperand(freed);
      }
    }
  }

  /**
   * Runs the programs of another op as a part of this one. Intermediates that the other op does not free itself are
   * freed after its last event, those allocated last first.
   *
   * @param made the other op's result
   * @param result index of `made` among this op's results; default: it is an intermediate
   * @returns the name of `made`, for {@linkcode LaunchSequence.free}
   * @throws {RangeError} if the other op's events allocate no result
   */
  include({ programs, events }: KnownPrograms, made: ProgramTensor, result?: number): number {
    if (events === undefined) {
      const number = this.#allocate(made, result);
      this.run(...programs);
      return number;
    }
    const numbers = new Map<number, number>();
    const live: number[] = [];
    let end: number | undefined;
    for (const event of events) {
      if (event.kind === "run") this.run(...programs.slice(event.program, event.program + 1));
      else if (event.kind === "allocate") {
        const { allocated } = event;
        const isEnd = allocated.result !== undefined;
        const number = this.#push({ ...allocated, result: isEnd ? result : undefined });
        numbers.set(event.tensor, number);
        if (isEnd) end = number;
        else live.push(number);
      } else if (event.kind === "free") {
        const number = numbers.get(event.tensor);
        if (number === undefined) continue;
        this.free(number);
        live.splice(live.indexOf(number), 1);
      }
    }
    if (end === undefined) throw new RangeError("Cannot include an op whose events allocate no result");
    for (const number of live.toReversed()) this.free(number);
    return end;
  }

  /** Frees a tensor that was allocated. */
  free(tensor: number): void {
    this.#events.push({ kind: "free", tensor });
  }

  /** Frees the op's first operand, in L1. */
  #freeOperand(tensor: ProgramTensor): void {
    this.#events.push({ kind: "free_operand", operand: 0, bytesPerBank: bytesPerBank(tensor, this.#chip) });
  }

  /** Allocates a table in L1_SMALL. @param bytes per core */
  allocateSmall(bytes: number): number {
    const bytesPerBank = roundUp(bytes, this.#chip.l1Alignment);
    return this.#push({ memory: "l1_small", bytesPerBank, result: undefined });
  }

  /** The recorded sequence. */
  launched(): KnownPrograms {
    return { status: "known", programs: this.#programs, events: this.#events };
  }

  #allocate(tensor: ProgramTensor, result: number | undefined): number {
    const memory = memoryOf(tensor);
    // Host memory is not placed by the device's allocators.
    if (memory === "host") return this.#tensors++;
    return this.#push({ memory, bytesPerBank: bytesPerBank(tensor, this.#chip), result });
  }

  #push(allocated: AllocatedTensor): number {
    this.#events.push({ kind: "allocate", tensor: this.#tensors, allocated });
    return this.#tensors++;
  }
}

/** Peaks over an op's run, bytes per core. */
export interface LaunchPeaks {
  /**
   * The op's own L1 tensors as the graph trace counts them: with those in L1_SMALL, without operands that the
   * op has freed.
   */
  readonly tensorBytes: number;
  /** `tensorBytes` plus the buffers that the running program reports. */
  readonly reportedBytes: number;
  /** The op's own L1 tensors without those in L1_SMALL, plus the running program's buffers on one core. */
  readonly placedBytes: number;
}

/** Peaks over a run. */
export function launchPeaks(
  events: readonly LaunchEvent[],
  programs: readonly Pick<DeviceProgram, "circularBuffers">[],
): LaunchPeaks {
  const live = new Map<number, AllocatedTensor>();
  const now = { l1: 0, l1_small: 0, dram: 0 };
  let [buffers, tensorBytes, reportedBytes, placedBytes] = [0, 0, 0, 0];
  for (const event of events) {
    switch (event.kind) {
      case "allocate":
        live.set(event.tensor, event.allocated);
        now[event.allocated.memory] += event.allocated.bytesPerBank;
        tensorBytes = Math.max(tensorBytes, now.l1 + now.l1_small);
        reportedBytes = Math.max(reportedBytes, now.l1 + now.l1_small + buffers);
        placedBytes = Math.max(placedBytes, now.l1);
        break;
      case "run": {
        const program = programs[event.program] ?? { circularBuffers: [] };
        // The trace drops a program's buffers when the next one begins.
        buffers = circularBufferBytes(program);
        reportedBytes = Math.max(reportedBytes, now.l1 + now.l1_small + buffers);
        placedBytes = Math.max(placedBytes, now.l1 + circularBufferBytesOnCore(program));
        break;
      }
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

/** A step of a chain of programs, each of which reads the previous step's tensor. */
export interface ChainStep {
  /** The step's result, allocated before its programs run; or the tensor that it modifies. */
  readonly tensor: ProgramTensor;
  /** Index of the op's result that the tensor is; `undefined` for an intermediate. */
  readonly result?: number | undefined;
  /** Whether the tensor existed before. */
  readonly inPlace?: boolean;
  /** In execution order; the first writes the tensor, further ones modify it. None if a later step's do. */
  readonly programs: readonly DeviceProgram[];
  /** A host table that only these programs read. */
  readonly table?: ProgramTensor;
  /** Bytes per core of each of its tables in L1_SMALL, which only these programs read. */
  readonly smallTables?: readonly number[];
  /** Tensors of earlier steps without further readers; freed after its programs. */
  readonly frees?: readonly ProgramTensor[];
}

/** A step that runs one program, which writes the tensor. @param frees tensors that nothing else reads */
export function chainStep(
  tensor: ProgramTensor,
  program: DeviceProgram,
  frees?: readonly ProgramTensor[],
): ChainStep {
  return frees === undefined ? { tensor, programs: [program] } : { tensor, programs: [program], frees };
}

/**
 * Steps that allocate several tensors, all of which one program writes.
 *
 * @param isResult whether a tensor is the op's result of its index
 * @param smallTables bytes per core of each of the program's tables in L1_SMALL
 */
export function jointSteps(
  tensors: readonly ProgramTensor[],
  program: DeviceProgram,
  isResult: (index: number) => boolean,
  smallTables: readonly number[] = [],
): readonly ChainStep[] {
  return tensors.map((tensor, index) => ({
    tensor,
    result: isResult(index) ? index : undefined,
    ...index === tensors.length - 1 ? { programs: [program], smallTables } : { programs: [] },
  }));
}

/**
 * Steps that replace several tensors, which nothing else reads, by as many others: one by one, each by one program.
 *
 * @param areResults whether the others are the op's results, in their order
 */
export function replacingSteps(
  from: readonly ProgramTensor[],
  to: readonly ProgramTensor[],
  program: (from: ProgramTensor, to: ProgramTensor) => DeviceProgram,
  areResults: boolean,
): readonly ChainStep[] {
  return to.map((tensor, index) => {
    const before = from[index] ?? tensor;
    return {
      ...chainStep(tensor, program(before, tensor), [before]),
      result: areResults ? index : undefined,
    };
  });
}

/** The last step's tensor; the operand if there is no step. */
export function endOf(steps: readonly ChainStep[], operand: ProgramTensor): ProgramTensor {
  return steps.at(-1)?.tensor ?? operand;
}

/** The steps, whose last one frees tensors that nothing else reads. */
export function freeing(
  steps: readonly ChainStep[],
  ...tensors: readonly ProgramTensor[]
): readonly ChainStep[] {
  const last = steps.at(-1);
  return steps.map((step) => step === last ? { ...step, frees: [...step.frees ?? [], ...tensors] } : step);
}

/** The steps, whose last one that is not in place makes a result of the op. */
export function intoResult(steps: readonly ChainStep[], result: number): readonly ChainStep[] {
  const last = steps.findLast(({ inPlace }) => inPlace !== true);
  return steps.map((step) => step === last ? { ...step, result } : step);
}

/**
 * Launches an op whose results are the tensors of the steps that say so; if none does, of the last step, or an operand if
 * all steps are in place. Events are recorded only for several steps or a step with a table: a single tensor is allocated
 * before the programs in any case.
 *
 * @param operand the op's first operand, if steps may free it
 */
export function launchChain(
  steps: readonly ChainStep[],
  chip: ChipDescription,
  operand?: ProgramTensor,
): KnownPrograms {
  const [only, ...more] = steps;
  if (only === undefined) return NO_PROGRAMS;
  const makesNothing = steps.every(({ inPlace }) => inPlace === true);
  const isPlain = more.length === 0 && only.table === undefined && only.smallTables === undefined;
  if (makesNothing || isPlain && (only.frees ?? []).length === 0) {
    return inOrder(...steps.flatMap(({ programs }) => programs));
  }
  const sequence = new LaunchSequence(chip);
  const namesResults = steps.some(({ result }) => result !== undefined);
  sequence.runSteps(namesResults ? steps : intoResult(steps, 0), operand);
  return sequence.launched();
}
