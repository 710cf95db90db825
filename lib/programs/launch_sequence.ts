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
  /** Events of the programs, if they are those of another op whose result is the tensor; see {@linkcode partStep}. */
  readonly events?: readonly LaunchEvent[] | undefined;
  /** Tables and semaphores that only these programs read. */
  readonly tables?: readonly ProgramTensor[];
  /** Bytes per core of each of its tables in L1_SMALL, which only these programs read. */
  readonly smallTables?: readonly number[];
  /** Tensors of earlier steps without further readers; freed after its programs. */
  readonly frees?: readonly ProgramTensor[] | undefined;
}

/** A step that runs one program, which writes the tensor. @param frees tensors that nothing else reads */
export function chainStep(
  tensor: ProgramTensor,
  program: DeviceProgram,
  frees?: readonly ProgramTensor[],
): ChainStep {
  return { tensor, programs: [program], frees };
}

/** A step that runs another op, whose result is the tensor. @param frees tensors that nothing else reads */
export function partStep(
  tensor: ProgramTensor,
  { programs, events }: KnownPrograms,
  frees?: readonly ProgramTensor[],
): ChainStep {
  return { tensor, programs, events, frees };
}

/**
 * Steps that allocate several tensors, all of which one program writes.
 *
 * @param isResult whether a tensor is the op's result of its index
 * @param tables that the program reads
 */
export function jointSteps(
  tensors: readonly ProgramTensor[],
  program: DeviceProgram,
  isResult: (index: number) => boolean,
  tables: Pick<ChainStep, "tables" | "smallTables"> = {},
): readonly ChainStep[] {
  return tensors.map((tensor, index) => ({
    tensor,
    result: isResult(index) ? index : undefined,
    ...index === tensors.length - 1 ? { programs: [program], ...tables } : { programs: [] },
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
 * all steps are in place. Events are recorded only for several steps, or one with tables, that names its result or is another
 * op: a single tensor is allocated before the programs in any case.
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
  const { result, tables, smallTables, events, frees = [] } = only;
  const isPlain = more.length === 0 && frees.length === 0 &&
    [result, tables, smallTables, events].every((absent) => absent === undefined);
  if (makesNothing || isPlain) return inOrder(...steps.flatMap(({ programs }) => programs));
  const recorder = new LaunchRecorder(chip, operand);
  const namesResults = steps.some(({ result }) => result !== undefined);
  for (const step of namesResults ? steps : intoResult(steps, 0)) recorder.add(step);
  return recorder.launched();
}

/** Records the allocations, programs and frees of steps in the backend's order. */
class LaunchRecorder {
  readonly #chip: ChipDescription;
  /** The op's first operand, if steps may free it. */
  readonly #operand: ProgramTensor | undefined;
  readonly #programs: DeviceProgram[] = [];
  readonly #events: LaunchEvent[] = [];
  /** Numbers of the steps' tensors: equal ones may be one object; the first allocated is the first to be freed. */
  readonly #made = new Map<ProgramTensor, number[]>();
  #tensors = 0;

  constructor(chip: ChipDescription, operand: ProgramTensor | undefined) {
    this.#chip = chip;
    this.#operand = operand;
  }

  /**
   * A step's tensor is allocated before its programs run, its tables are freed after them, and tensors of steps live until
   * the op ends unless a later step frees them (`ttnn:backend-0-81-1`).
   */
  add(
    { tensor, result, inPlace, programs, events, tables = [], smallTables = [], frees = [] }: ChainStep,
  ): void {
    const own = this.#made.getOrInsertComputed(tensor, () => []);
    if (events !== undefined) own.push(this.#include(events, result));
    else {
      if (inPlace !== true) own.push(this.#allocate(tensor, result));
      const held = smallTables.map((bytes) => this.#push("l1_small", roundUp(bytes, this.#chip.l1Alignment)));
      held.push(...tables.map((table) => this.#allocate(table)));
      for (const index of programs.keys()) this.#run(index);
      for (const number of held) this.#free(number);
    }
    this.#programs.push(...programs);
    for (const freed of frees) {
      const number = this.#made.get(freed)?.shift();
      if (number !== undefined) this.#free(number);
      else if (freed === this.#operand) {
        this.#events.push({
          kind: "free_operand",
          operand: 0,
          bytesPerBank: bytesPerBank(freed, this.#chip),
        });
      }
    }
  }

  /** What was recorded. */
  launched(): KnownPrograms {
    return { status: "known", programs: this.#programs, events: this.#events };
  }

  /**
   * The events of an op that runs as a step. Intermediates that it does not free itself are freed after its last event,
   * those allocated last first.
   *
   * @returns the number of its result
   * @throws {RangeError} if it allocates none
   */
  #include(events: readonly LaunchEvent[], result: number | undefined): number {
    const live = new Map<number, number>();
    let end: number | undefined;
    for (const event of events) {
      if (event.kind === "run") this.#run(event.program);
      else if (event.kind === "allocate") {
        const { memory, bytesPerBank, result: isEnd } = event.allocated;
        const number = this.#push(memory, bytesPerBank, isEnd === undefined ? undefined : result);
        if (isEnd === undefined) live.set(event.tensor, number);
        else end = number;
      } else if (event.kind === "free") {
        const number = live.get(event.tensor);
        if (number !== undefined) this.#free(number);
        live.delete(event.tensor);
      }
    }
    if (end === undefined) throw new RangeError("Cannot include an op whose events allocate no result");
    for (const number of [...live.values()].reverse()) this.#free(number);
    return end;
  }

  #allocate(tensor: ProgramTensor, result?: number): number {
    const memory = memoryOf(tensor);
    // Host memory is not placed by the device's allocators.
    return memory === "host" ? this.#tensors++ : this.#push(memory, bytesPerBank(tensor, this.#chip), result);
  }

  #push(memory: AllocatedTensor["memory"], bytesPerBank: number, result?: number): number {
    this.#events.push({
      kind: "allocate",
      tensor: this.#tensors,
      allocated: { memory, bytesPerBank, result },
    });
    return this.#tensors++;
  }

  /** @param index of the program among those of the step */
  #run(index: number): void {
    this.#events.push({ kind: "run", program: this.#programs.length + index });
  }

  #free(tensor: number): void {
    this.#events.push({ kind: "free", tensor });
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
