// SPDX-License-Identifier: Apache-2.0
import fc from "fast-check";
import { corpusFiles, corpusTest } from "../../testing/corpus.ts";
import { DiagnosticError } from "../diagnostics/diagnostic.ts";
import { parseModules } from "../ir/mod.ts";
import { lowerModule } from "./lower_module.ts";
import { needsLowering } from "./needs_lowering.ts";
import { TEST_WORMHOLE } from "../../testing/chips.ts";

/** Numbers of shapes, attributes and permutations. */
const NUMBER = /(?<=[ x<[:])-?\d+(?=[ x>,\]:])/g;

/** One entry of a property dictionary. */
const ENTRY = /\b[a-z_]+ = [^,}>]+, /g;

/** Replaces the match that a share of the text's length points to. */
function replaceOne(text: string, pattern: RegExp, share: number, replacement: string): string {
  const matches = [...text.matchAll(pattern)];
  const match = matches[Math.floor(share * matches.length)];
  if (match === undefined) return text;
  return text.slice(0, match.index) + replacement + text.slice(match.index + match[0].length);
}

corpusTest("lowering a damaged file gives a module that parses or a diagnostic with a place", () => {
  const files = corpusFiles("ops/ttir").map((path) => Deno.readTextFileSync(path)).filter(({ length }) =>
    length < 8000
  );
  const share = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
  const damage = fc.oneof(
    fc.record({
      kind: fc.constant("number"),
      at: share,
      value: fc.constantFrom("0", "-1", "1", "3", "64", "99999"),
    }),
    fc.record({ kind: fc.constant("entry"), at: share, value: fc.constant("") }),
  );
  fc.assert(
    fc.property(
      fc.constantFrom(...files),
      fc.array(damage, { minLength: 1, maxLength: 3 }),
      (file, damages) => {
        const text = damages.reduce(
          (current, { kind, at, value }) =>
            replaceOne(current, kind === "number" ? NUMBER : ENTRY, at, value),
          file,
        );
        try {
          for (const module of parseModules(text, "damaged.mlir")) {
            if (needsLowering(module)) parseModules(lowerModule(module, TEST_WORMHOLE), "lowered.mlir");
          }
        } catch (error) {
          if (!(error instanceof DiagnosticError)) throw error;
          const location = error.diagnostics[0]?.location;
          if (location?.file !== "damaged.mlir") throw new Error(`no place in the input: ${error.message}`);
        }
      },
    ),
    { numRuns: 600, seed: 20261120 },
  );
});
