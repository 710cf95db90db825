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
 * Runs steps as a part of an op's sequence: what a step makes is allocated before its programs run, tables go after them,
 * and what all but the last make lives until the op ends unless a step frees it (`ttnn:backend-0-81-1`).
 *
 * @param allocateLast finds a place for what the last step makes
 * @returns its name in the sequence
 */
export function runSteps(
  sequence: LaunchSequence,
  steps: readonly ChainStep[],
  allocateLast: (tensor: ProgramTensor) => number,
): number {
  const made = new Map<ProgramTensor, number>();
  const end = steps.findLast(({ inPlace }) => inPlace !== true);
  let last: number | undefined;
  for (const step of steps) {
    if (step.inPlace !== true) {
      last = step === end ? allocateLast(step.tensor) : sequence.allocate(step.tensor);
      made.set(step.tensor, last);
    }
    const table = step.table === undefined ? undefined : sequence.allocate(step.table);
    sequence.run(...step.programs);
    for (const freed of [table, ...(step.frees ?? []).map((tensor) => made.get(tensor))]) {
      if (freed !== undefined) sequence.free(freed);
    }
  }
  if (last === undefined) throw new RangeError("there are no steps");
  return last;
}

/** Launches an op whose result is what the last step makes; steps in place alone make none. */
export function launchChain(steps: readonly ChainStep[], chip: ChipDescription): KnownPrograms {
  const [only, ...more] = steps;
  if (only === undefined) return NO_PROGRAMS;
  const makesNothing = steps.every(({ inPlace }) => inPlace === true);
  if (makesNothing || (more.length === 0 && only.table === undefined)) {
    return inOrder(...steps.flatMap(({ programs }) => programs));
  }
  const sequence = new LaunchSequence(chip);
  runSteps(sequence, steps, (tensor) => sequence.allocateResult(0, tensor));
  return sequence.launched();
}
