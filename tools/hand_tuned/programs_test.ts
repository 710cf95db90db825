// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals } from "@std/assert";
import { asWritten, BY_HAND } from "./programs.ts";

Deno.test("at least four hand-written programs take what was published for them, to within 15 %", () => {
  const ratios = BY_HAND.map((hand) => {
    const { inference, unpriced } = asWritten(hand);
    assertEquals(unpriced, [], hand.model);
    return inference.deviceUs / hand.us;
  });
  assert(ratios.filter((ratio) => Math.abs(ratio - 1) <= 0.15).length >= 4, ratios.join(" "));
  for (const ratio of ratios) assert(0.7 < ratio && ratio < 1.4, ratios.join(" "));
});
