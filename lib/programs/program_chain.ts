// SPDX-License-Identifier: Apache-2.0
import type { ChipDescription } from "../device/chip_description.ts";
import { LaunchSequence } from "./launch_sequence.ts";
import { type DeviceProgram, inOrder, type KnownPrograms, NO_PROGRAMS } from "./program.ts";
import type { ProgramTensor } from "./program_tensor.ts";

/** A step of an op that runs several programs, each of which reads what the one before has made. */
export interface ChainStep {
  /** What it makes; allocated before its programs run. */
  readonly tensor: ProgramTensor;
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
 * Launches an op whose result is what the last step makes. What the others make lives until the op ends unless a step
 * frees it, tables go after the programs that read them (`ttnn-0.81.1`).
 */
export function launchChain(steps: readonly ChainStep[], chip: ChipDescription): KnownPrograms {
  const [only, ...more] = steps;
  if (only === undefined) return NO_PROGRAMS;
  if (more.length === 0 && only.table === undefined) return inOrder(...only.programs);
  const sequence = new LaunchSequence(chip);
  const made = new Map<ProgramTensor, number>();
  for (const step of steps) {
    const isLast = step === steps.at(-1);
    made.set(step.tensor, isLast ? sequence.allocateResult(0, step.tensor) : sequence.allocate(step.tensor));
    const table = step.table === undefined ? undefined : sequence.allocate(step.table);
    sequence.run(...step.programs);
    for (const freed of [table, ...(step.frees ?? []).map((tensor) => made.get(tensor))]) {
      if (freed !== undefined) sequence.free(freed);
    }
  }
  return sequence.launched();
}
