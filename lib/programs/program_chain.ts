// SPDX-License-Identifier: Apache-2.0
import type { ChipDescription } from "../device/chip_description.ts";
import { LaunchSequence } from "./launch_sequence.ts";
import { type DeviceProgram, inOrder, type KnownPrograms, NO_PROGRAMS } from "./program.ts";
import type { ProgramTensor } from "./program_tensor.ts";

/** A step of an op that runs several programs, each of which reads what the one before has made. */
export interface ChainStep {
  /** What it makes, allocated before its programs run, or what it works in. */
  readonly tensor: ProgramTensor;
  /** Whether the tensor was there before. */
  readonly inPlace?: boolean;
  /** In the order in which they run; the first makes the tensor, further ones work in it. */
  readonly programs: readonly DeviceProgram[];
  /** A table from the host that only these programs read. */
  readonly table?: ProgramTensor;
  /** What earlier steps have made and nothing reads after this one; freed behind its programs. */
  readonly frees?: readonly ProgramTensor[];
}

/** A step of one program. */
export function chainStep(tensor: ProgramTensor, program: DeviceProgram): ChainStep {
  return { tensor, programs: [program] };
}

/** What the last step makes; the operand if there is none. */
export function endOf(steps: readonly ChainStep[], operand: ProgramTensor): ProgramTensor {
  return steps.at(-1)?.tensor ?? operand;
}

/**
 * Runs steps as a part of an op's sequence; what the last one makes has its place already, and what the others make lives
 * until the op ends unless a step frees it.
 */
export function runSteps(sequence: LaunchSequence, steps: readonly ChainStep[]): void {
  const made = new Map<ProgramTensor, number>();
  for (const step of steps) {
    if (step !== steps.at(-1)) made.set(step.tensor, sequence.allocate(step.tensor));
    const table = step.table === undefined ? undefined : sequence.allocate(step.table);
    sequence.run(...step.programs);
    for (const freed of [table, ...(step.frees ?? []).map((tensor) => made.get(tensor))]) {
      if (freed !== undefined) sequence.free(freed);
    }
  }
}

/**
 * Launches an op whose result is what the last step makes. What the others make lives until the op ends unless a step
 * frees it, tables go after the programs that read them (`ttnn-0.81.1`).
 *
 * @param inPlace programs that work in the operand before all steps
 */
export function launchChain(
  steps: readonly ChainStep[],
  chip: ChipDescription,
  inPlace: readonly DeviceProgram[] = [],
): KnownPrograms {
  const [only, ...more] = steps;
  if (only === undefined) return inPlace.length === 0 ? NO_PROGRAMS : inOrder(...inPlace);
  if (more.length === 0 && only.table === undefined && inPlace.length === 0) return inOrder(...only.programs);
  const last = steps.findLast((step) => step.inPlace !== true);
  const sequence = new LaunchSequence(chip);
  sequence.run(...inPlace);
  const made = new Map<ProgramTensor, number>();
  for (const step of steps) {
    if (step.inPlace !== true) {
      made.set(
        step.tensor,
        step === last ? sequence.allocateResult(0, step.tensor) : sequence.allocate(step.tensor),
      );
    }
    const table = step.table === undefined ? undefined : sequence.allocate(step.table);
    sequence.run(...step.programs);
    for (const freed of [table, ...(step.frees ?? []).map((tensor) => made.get(tensor))]) {
      if (freed !== undefined) sequence.free(freed);
    }
  }
  return sequence.launched();
}
