// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { closest, editDistance } from "./closest.ts";

Deno.test("closest() finds the word that a typo meant, and nothing for another word", () => {
  assertEquals(closest("optimise", ["optimize", "simulate"]), "optimize");
  assertEquals(closest("beam-widht", ["beam-width", "policy"]), "beam-width");
  assertEquals(closest("frobnicate", ["optimize", "simulate"]), undefined);
});

Deno.test("editDistance() is a metric", () => {
  const word = fc.string({ maxLength: 8 });
  fc.assert(fc.property(word, word, word, (a, b, c) => {
    assertEquals(editDistance(a, b) === 0, a === b);
    assertEquals(editDistance(a, b), editDistance(b, a));
    assertEquals(editDistance(a, c) <= editDistance(a, b) + editDistance(b, c), true);
  }));
});
