// SPDX-License-Identifier: Apache-2.0

/** Random TTIR programs of front ends' kinds of ops, small enough for the reference interpreter. */

import fc from "fast-check";
import { volume } from "../../lib/layout/extents.ts";
import { CACHE_STEPS } from "./program_cache_steps.ts";
import { IMAGE_STEPS } from "./program_image_steps.ts";
import { TENSOR_STEPS } from "./program_tensor_steps.ts";
import { chosen, DrawnProgram, type DrawnSteps, type DrawnValue } from "./program_text.ts";

const MOST_ELEMENTS = 800;

const STEPS: DrawnSteps = { ...TENSOR_STEPS, ...IMAGE_STEPS, ...CACHE_STEPS };

const natural = fc.nat(255);

/** Shapes around tile edges, of images, empty ones, and any others. */
function shapes(): fc.Arbitrary<readonly number[]> {
  const extent = fc.integer({ min: 1, max: 4 });
  const odd = fc.constantFrom(31, 32, 33, 64);
  return fc.oneof(
    { weight: 4, arbitrary: fc.array(fc.integer({ min: 1, max: 6 }), { minLength: 1, maxLength: 4 }) },
    { weight: 3, arbitrary: fc.tuple(fc.constant(1), extent, extent, fc.constant(4)) },
    { weight: 3, arbitrary: fc.tuple(extent, odd, extent) },
    { weight: 2, arbitrary: fc.tuple(extent, odd) },
    { weight: 2, arbitrary: fc.shuffledSubarray([0, 3, 33], { minLength: 1 }) },
  );
}

/** Programs of up to so many steps, each on one of the last three values; up to three values are returned. */
export function randomPrograms(maxSteps: number): fc.Arbitrary<string> {
  const steps = fc.array(
    fc.record({ kind: fc.constantFrom(...Object.keys(STEPS)), value: natural, how: natural, size: natural }),
    { minLength: 1, maxLength: maxSteps },
  );
  const element = fc.constantFrom("f32" as const, "bf16" as const);
  return fc.tuple(shapes(), element, steps, fc.integer({ min: 1, max: 3 })).map(
    ([first, type, chain, returned]) => {
      const program = new DrawnProgram(type);
      program.values = [program.argument(first, "input")];
      for (const { kind, value, ...choice } of chain) {
        const x = chosen(program.values.slice(-3), value);
        const made = x === undefined ? undefined : STEPS[kind]?.(program, x, choice);
        if (made !== undefined && volume(made.shape) <= MOST_ELEMENTS) {
          program.values = [...program.values, made];
        }
      }
      return program.text(returnedOf(program, returned));
    },
  );
}

/** The last values, each the result of an op, because a program that returns its arguments is trivial. */
function returnedOf(program: DrawnProgram, count: number): readonly DrawnValue[] {
  const last = program.values.slice(-count);
  const values = last.length > 0 ? last : [program.argument([1], "input")];
  return values.map((value) => program.op("tanh", [value], value.shape));
}
