// SPDX-License-Identifier: Apache-2.0

/** Random programs through the whole pipeline: what is written lints, and means what went in. `deno task fuzz` runs more. */

import fc from "fast-check";
import { checkProgram, settingsOf } from "./testing/check_program.ts";
import { randomPrograms } from "./testing/random_programs.ts";

const MOST_STEPS = 12;

/** Few of a seed that found faults, more of a new one for each run. */
const SEEDS = [
  { name: "a fixed seed", runs: 50, seed: 20261122 },
  { name: "a fresh seed", runs: 150, seed: Math.floor(Math.random() * 2 ** 31) },
];

for (const { name, runs, seed } of SEEDS) {
  Deno.test(`${runs} random programs of ${name} are written as they were meant`, () => {
    console.log(`deno task fuzz --count ${runs} --seed ${seed}`);
    fc.assert(
      fc.property(
        randomPrograms(MOST_STEPS),
        fc.nat(),
        (text, number) => checkProgram(text, number, settingsOf(number)),
      ),
      { numRuns: runs, seed },
    );
  });
}
