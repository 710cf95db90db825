// SPDX-License-Identifier: Apache-2.0
import type { ChipDescription } from "../device/chip_description.ts";
import { LaunchSequence } from "./launch_sequence.ts";
import type { DeviceProgram, KnownPrograms } from "./program.ts";
import { type ProgramTensor, programTensor } from "./program_tensor.ts";
import type { ShapedLayout } from "./shard_spec.ts";

/** A tensor of a chain of programs: an operand, or one that the chain made. */
export interface StepTensor extends ShapedLayout {
  /** Which buffer of the chain holds it; `undefined` for an operand's own. */
  readonly buffer: number | undefined;
}

type Step =
  | { readonly kind: "allocate"; readonly buffer: number; readonly tensor: ProgramTensor }
  | { readonly kind: "run"; readonly program: DeviceProgram }
  | { readonly kind: "free"; readonly buffer: number };

/**
 * Programs one after the other, each of which makes its tensor from the one before. Which tensor is the op's result is
 * known only at the end.
 */
export class StepChain {
  readonly #steps: Step[] = [];
  #buffers = 0;

  /** Allocates a tensor. */
  make(tensor: ShapedLayout): StepTensor {
    const buffer = this.#buffers++;
    this.#steps.push({ kind: "allocate", buffer, tensor: asProgramTensor(tensor) });
    return { ...tensor, buffer };
  }

  run(program: DeviceProgram): void {
    this.#steps.push({ kind: "run", program });
  }

  /** Frees a tensor, unless it is an operand. */
  free({ buffer }: StepTensor): void {
    if (buffer !== undefined) this.#steps.push({ kind: "free", buffer });
  }

  /** What was written down, with the op's result 0. */
  launched(result: StepTensor, chip: ChipDescription): KnownPrograms {
    const sequence = new LaunchSequence(chip);
    const names = new Map<number, number>();
    for (const step of this.#steps) {
      if (step.kind === "run") sequence.run(step.program);
      else if (step.kind === "free") sequence.free(names.get(step.buffer) ?? step.buffer);
      else {
        const isResult = step.buffer === result.buffer;
        const name = isResult ? sequence.allocateResult(0, step.tensor) : sequence.allocate(step.tensor);
        names.set(step.buffer, name);
      }
    }
    return sequence.launched();
  }
}

/** A tensor as programs see it. */
export function asProgramTensor({ shape, layout }: ShapedLayout): ProgramTensor {
  return programTensor({ shape, dataType: layout.dataType }, layout);
}
