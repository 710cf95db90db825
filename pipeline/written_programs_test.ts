// SPDX-License-Identifier: Apache-2.0

/** Random programs that are decided twice: the second plan, of the text that the first one became, means the same. */

import { assert } from "@std/assert";
import fc from "fast-check";
import { parseModule } from "../lib/ir/mod.ts";
import { DEFAULT_POLICY_OPTIONS } from "../lib/policy/options.ts";
import { getPolicy } from "../lib/policy/policies.ts";
import { createdLayouts, verifyModule } from "../lib/verify/verify_module.ts";
import { assertSameMeaning, randomInputs } from "../testing/interpreter/same_meaning.ts";
import { loadModule } from "./load_module.ts";
import { optimizeModule } from "./optimize.ts";
import { randomPrograms } from "./testing/random_programs.ts";

const MOST_STEPS = 8;

Deno.test("programs that are decided again mean the same and get no slower", () => {
  fc.assert(
    fc.property(
      randomPrograms(MOST_STEPS),
      fc.constantFrom("df-sharding", "greedy"),
      fc.constantFrom("beam-cost", "greedy"),
      fc.constantFrom("n150", "p150"),
      fc.nat(),
      (text, first, second, device, seed) => {
        const decide = (input: string, policy: string) =>
          optimizeModule(loadModule(input, { device }), getPolicy(policy), DEFAULT_POLICY_OPTIONS);
        const { text: written, timeline: once } = decide(text, first);
        const { text: again, timeline: twice } = decide(written, second);
        const [before, after] = [written, again].map((each) => parseModule(each, "written.mlir"));
        if (before === undefined || after === undefined) return;
        const [finding] = verifyModule(after, { isCreated: createdLayouts(before, after) });
        assert(finding === undefined, `${finding?.message}\n${again}`);
        assertSameMeaning(before, after, "main", randomInputs(before, "main", seed));
        const [fast, slow] = [twice, once].map(({ inference }) => inference.totalUs);
        assert(
          second === "greedy" || (fast ?? 0) <= (slow ?? 0) * (1 + 1e-9),
          `${slow} µs, then ${fast}\n${written}`,
        );
      },
    ),
    { numRuns: 40, seed: 20261130 },
  );
});
