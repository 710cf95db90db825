// SPDX-License-Identifier: Apache-2.0

/** Property tests that graph passes change no number. */

import { assert } from "@std/assert";
import fc from "fast-check";
import { assertSameMeaning, randomInputs } from "../../../testing/interpreter/same_meaning.ts";
import { parseModule } from "../../ir/mod.ts";
import type { GraphPass } from "../graph_pass.ts";
import { DEFAULT_PASS_OPTIONS } from "../pass_options.ts";
import type { RewritePattern } from "../rewrite_pattern.ts";
import type { PassTools } from "../run_passes.ts";
import { bodyLines, passed, testedPass } from "./passed_body.ts";

/** A TTNN module with a function `main`, see `ttnnModule`. */
export interface PassCase {
  readonly text: string;
  /** Ops that the passed text must have; those that it must not have start with `!`. */
  readonly ops: readonly string[];
  /** Bound of integer inputs. */
  readonly limit?: number;
}

/**
 * Runs patterns over every case, checks what they made of it, that they tell of what they changed, and that `main` still
 * returns the same numbers.
 */
export function keepsMeaning(
  name: string,
  patterns: readonly RewritePattern[] | GraphPass,
  cases: fc.Arbitrary<PassCase>,
  numRuns: number = 40,
  tools: PassTools = {},
): void {
  const pass = "run" in patterns ? patterns : testedPass(patterns);
  Deno.test(`numbers stay: ${name}`, () => {
    fc.assert(
      fc.property(cases, fc.nat(), ({ text, ops, limit }, seed) => {
        const before = parseModule(text, "before.mlir");
        const { text: after, changes } = passed(text, pass, DEFAULT_PASS_OPTIONS, tools);
        const known = new Set(bodyLines(text));
        const isNew = bodyLines(after).some((line) => !known.has(line));
        assert(!isNew || changes.length > 0, `changed without telling:\n${bodyLines(after).join("\n")}`);
        for (const op of ops) {
          const wanted = !op.startsWith("!");
          const has = after.includes(`"ttnn.${wanted ? op : op.slice(1)}"`);
          assert(has === wanted, `${op} expected:\n${bodyLines(after).join("\n")}`);
        }
        assertSameMeaning(
          before,
          parseModule(after, "after.mlir"),
          "main",
          randomInputs(before, "main", seed, limit),
        );
      }),
      { numRuns, seed: 20261122 },
    );
  });
}
