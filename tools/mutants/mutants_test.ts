// SPDX-License-Identifier: Apache-2.0
import { assert, assertThrows } from "@std/assert";
import { join } from "@std/path";
import { ROOT } from "../steps.ts";
import { applyEdit } from "./mutation.ts";
import { MUTATIONS } from "./mutants.ts";

Deno.test("every mutation finds its text once in the source, and its tests are there", async () => {
  for (const { file, tests, edits } of MUTATIONS) {
    const text = await Deno.readTextFile(join(ROOT, file));
    for (const edit of edits) applyEdit(text, edit, file);
    for (const test of tests) assert((await Deno.stat(join(ROOT, test))).isFile, test);
  }
});

Deno.test("at least 120 mutations, and few of them change nothing", () => {
  const edits = MUTATIONS.flatMap((group) => group.edits);
  assert(edits.length >= 120);
  assert(edits.filter((edit) => typeof edit !== "string").length <= edits.length * 0.05);
});

Deno.test("applyEdit() refuses text that is not there, is there twice, or stays as it is", () => {
  assertThrows(() => applyEdit("a b", "«c→d»", "x.ts"), RangeError, "is not in it");
  assertThrows(() => applyEdit("a a", "«a→d»", "x.ts"), RangeError, "more than once");
  assertThrows(() => applyEdit("a b", "«a→a»", "x.ts"), RangeError, "stays as it is");
  assertThrows(() => applyEdit("a b", "a→d", "x.ts"), RangeError, "expected before«old→new»after");
});
