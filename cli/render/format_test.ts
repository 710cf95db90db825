// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { formatChange, formatPercent, formatTime } from "./format.ts";

Deno.test("a value that rounds to zero has no sign", () => {
  assertEquals([formatTime(-0.0004), formatTime(-0), formatTime(-0.006)], ["0.00 µs", "0.00 µs", "-0.01 µs"]);
  assertEquals([formatPercent(-0.0004), formatChange(-0.0001), formatChange(-0.04)], [
    "0.0 %",
    "0.0 %",
    "-4.0 %",
  ]);
});

Deno.test("a printed time reads back within its rounding error", () => {
  const factors: Readonly<Record<string, number>> = { "µs": 1, ms: 1e3, s: 1e6 };
  fc.assert(fc.property(fc.double({ min: -1e9, max: 1e9, noNaN: true }), (microseconds) => {
    const [digits = "", unit = ""] = formatTime(microseconds).split(" ");
    const readBack = Number(digits.replaceAll(",", "")) * (factors[unit] ?? NaN);
    assertEquals(Math.abs(readBack - microseconds) <= Math.max(0.005, 0.005 * Math.abs(microseconds)), true);
  }));
});
