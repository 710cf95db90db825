// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import { closest, didYouMean } from "./closest.ts";

Deno.test("closest() finds the word that a typo meant, and nothing for another word", () => {
  assertEquals(closest("optimise", ["optimize", "simulate"]), "optimize");
  assertEquals(closest("beam-widht", ["beam-width", "policy"]), "beam-width");
  assertEquals(closest("Optimize", ["optimize"]), "optimize");
  assertEquals(closest("a", []), undefined);
  assertEquals(closest("9", ["0", "1"]), undefined);
  assertEquals(closest("frobnicate", ["optimize", "simulate"]), undefined);
  assertEquals(closest("policy", ["policies", "save"]), "policies");
  assertEquals(closest("beam", ["beam-width", "policy"]), "beam-width");
  assertEquals(closest("beam", ["beam-width", "beam-cost"]), undefined);
  assertEquals(closest("top", ["topology"]), undefined);
  // Four edits are another name, however long it is.
  assertEquals(closest("ttnn.gather_rows", ["ttnn.matmul_rows"]), undefined);
  assertEquals(closest("ttnn.paged_fill_caches", ["ttnn.paged_fill_cache"]), "ttnn.paged_fill_cache");
  assertEquals(closest("hifi7", ["lofi", "hifi2", "hifi3", "hifi4"]), undefined);
});

Deno.test("didYouMean() ends its clause before a sentence follows", () => {
  assertEquals(
    didYouMean("gredy", ["greedy"], "Policies: greedy"),
    "; did you mean 'greedy'? Policies: greedy",
  );
  assertEquals(didYouMean("foo", ["greedy"], "Policies: greedy"), ". Policies: greedy");
  assertEquals(didYouMean("foo", ["greedy"]), "");
});
