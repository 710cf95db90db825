// SPDX-License-Identifier: Apache-2.0
import { assert, assertThrows } from "@std/assert";
import { join } from "@std/path";
import { ROOT } from "../steps.ts";
import { allMutants, applyEdit } from "./mutants.ts";
import { testsOf } from "./tests.ts";

const MUTATIONS = await allMutants();

Deno.test("every mutation finds its text once in the source, and its tests are there", async () => {
  for (const [file, mutations] of Map.groupBy(MUTATIONS, (mutation) => mutation.file)) {
    const text = await Deno.readTextFile(join(ROOT, file));
    for (const { edit } of mutations) applyEdit(text, edit, file);
    for (const test of testsOf(file)) assert((await Deno.stat(join(ROOT, test))).isFile, test);
  }
});

Deno.test("at least 120 mutations, and few of them change nothing", () => {
  assert(MUTATIONS.length >= 120);
  assert(MUTATIONS.filter(({ equivalent }) => equivalent !== undefined).length <= MUTATIONS.length * 0.05);
});

Deno.test("applyEdit() refuses text that is not there, is there twice, or stays as it is", () => {
  assertThrows(() => applyEdit("a b", "«c→d»", "x.ts"), RangeError, "is not in it");
  assertThrows(() => applyEdit("a a", "«a→d»", "x.ts"), RangeError, "more than once");
  assertThrows(() => applyEdit("a b", "«a→a»", "x.ts"), RangeError, "stays as it is");
  assertThrows(() => applyEdit("a b", "a→d", "x.ts"), RangeError, "expected before«old→new»after");
});
