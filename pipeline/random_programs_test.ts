// SPDX-License-Identifier: Apache-2.0

/** Random programs through lowering and all graph passes: they come to an end, lint, and mean what they meant. */

import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { parseModule } from "../lib/ir/mod.ts";
import { verifyModule } from "../lib/verify/verify_module.ts";
import { assertSameMeaning, randomInputs } from "../testing/interpreter/same_meaning.ts";
import { loadModule } from "./load_module.ts";
import { randomPrograms } from "./testing/random_programs.ts";

const RUNS = 250;
const SEED = 20261122;
const MOST_STEPS = 12;

Deno.test(`${RUNS} random programs come out of lowering and graph passes as they went in`, () => {
  fc.assert(
    fc.property(randomPrograms(MOST_STEPS), fc.nat(), (text, seed) => {
      const workbench = loadModule(text, { device: "n150", fileName: "random.mlir" });
      assertEquals(workbench.remarks.map(({ code }) => code), ["load/lowered"]);
      const { module } = workbench.binding;
      assertEquals(verifyModule(module).map(({ code }) => code), []);
      const before = parseModule(text, "random.mlir");
      assertSameMeaning(before, module, "main", randomInputs(before, "main", seed));
    }),
    { numRuns: RUNS, seed: SEED },
  );
});
