// SPDX-License-Identifier: Apache-2.0

/**
 * Runs random programs through the pipeline: lowering, graph passes, a policy, the rewriter; what is written has to lint
 * and to mean the same. Prints its seed, and the smallest program that does not.
 *
 * Usage: `deno task fuzz [--count N] [--seed N] [--steps N] [--policy NAME] [--device NAME] [--passes SELECTION]`
 *
 * @module
 */

import { parseArgs } from "@std/cli/parse-args";
import fc from "fast-check";
import { PASS_SELECTIONS } from "../lib/passes/pass_options.ts";
import { checkProgram, type CheckSettings, settingsOf } from "../pipeline/testing/check_program.ts";
import { randomPrograms } from "../pipeline/testing/random_programs.ts";

interface Fuzz {
  readonly count: number;
  readonly seed: number;
  /** Most steps of a program. */
  readonly steps: number;
  /** What is the same for all programs; the others vary. */
  readonly fixed: Partial<CheckSettings>;
}

function integer(name: string, text: string | undefined, fallback: number): number {
  const value = text === undefined ? fallback : Number(text);
  if (Number.isSafeInteger(value) && value >= 0) return value;
  throw new RangeError(`--${name} is '${text}', not a number`);
}

function readFuzz(args: readonly string[]): Fuzz {
  const given = parseArgs([...args], {
    string: ["count", "seed", "steps", "policy", "device", "passes"],
    unknown: (name) => {
      throw new RangeError(`no option '${name}'`);
    },
  });
  const selection = PASS_SELECTIONS.find((each) => each === given.passes);
  if (given.passes !== undefined && selection === undefined) {
    throw new RangeError(`--passes is '${given.passes}', not one of ${PASS_SELECTIONS.join(", ")}`);
  }
  return {
    count: integer("count", given.count, 1000),
    seed: integer("seed", given.seed, Math.floor(Math.random() * 2 ** 31)),
    steps: integer("steps", given.steps, 12),
    fixed: {
      ...(given.policy === undefined ? {} : { policy: given.policy }),
      ...(given.device === undefined ? {} : { device: given.device }),
      ...(selection === undefined ? {} : { selection }),
    },
  };
}

/** Runs the programs; the text of the report of the first that fails, shrunk, or `undefined`. */
export function fuzz({ count, seed, steps, fixed }: Fuzz): string | undefined {
  const property = fc.property(
    randomPrograms(steps),
    fc.nat(),
    (text, number) => checkProgram(text, number, { ...settingsOf(number), ...fixed }),
  );
  const details = fc.check(property, { numRuns: count, seed });
  if (!details.failed) return undefined;
  const [text = "", number = 0] = details.counterexample ?? [];
  const settings = { ...settingsOf(number), ...fixed };
  return `${text}\n${JSON.stringify(settings)}\nafter ${details.numRuns} programs: ${
    details.errorInstance instanceof Error
      ? details.errorInstance.stack ?? details.errorInstance.message
      : String(details.errorInstance)
  }`;
}

if (import.meta.main) {
  const asked = readFuzz(Deno.args);
  console.log(`${asked.count} programs, --seed ${asked.seed}`);
  const report = fuzz(asked);
  if (report !== undefined) {
    console.error(report);
    Deno.exit(1);
  }
}
