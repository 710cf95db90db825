// SPDX-License-Identifier: Apache-2.0

/** Random programs through the whole pipeline: what is written lints, and means what went in. `deno task fuzz` runs more. */

import fc from "fast-check";
import { checkProgram, settingsOf } from "./testing/check_program.ts";
import { randomPrograms } from "./testing/random_programs.ts";

const RUNS = 250;
const MOST_STEPS = 12;

/** One that found faults, and a new one for each run. */
const SEEDS = { "a fixed seed": 20261122, "a fresh seed": Math.floor(Math.random() * 2 ** 31) };

for (const [name, seed] of Object.entries(SEEDS)) {
  Deno.test(`${RUNS} random programs of ${name} are written as they were meant`, () => {
    console.log(`deno task fuzz --count ${RUNS} --seed ${seed}`);
    fc.assert(
      fc.property(
        randomPrograms(MOST_STEPS),
        fc.nat(),
        (text, number) => checkProgram(text, number, settingsOf(number)),
      ),
      { numRuns: RUNS, seed },
    );
  });
}
