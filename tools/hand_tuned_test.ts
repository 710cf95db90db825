// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals } from "@std/assert";
import { parseModule } from "../lib/ir/mod.ts";
import { verifyModule } from "../lib/verify/verify_module.ts";
import { asWritten, BY_HAND, textOf } from "./hand_tuned.ts";

Deno.test("at least four hand-written programs take what was published for them, to within 15 %", () => {
  const ratios = BY_HAND.map((hand) => {
    const { inference, unpriced } = asWritten(hand);
    assertEquals(unpriced, [], hand.model);
    return inference.deviceUs / hand.us;
  });
  assert(ratios.filter((ratio) => Math.abs(ratio - 1) <= 0.15).length >= 4, ratios.join(" "));
  for (const ratio of ratios) assert(0.7 < ratio && ratio < 1.4, ratios.join(" "));
});

Deno.test("hand-written programs are sound TTNN: what is refused in them are rules of ops, which the page counts", () => {
  for (const hand of BY_HAND) {
    const found = verifyModule(parseModule(textOf(hand), hand.file));
    assertEquals(found.filter(({ severity }) => severity === "error"), []);
  }
});
