// SPDX-License-Identifier: Apache-2.0
import { assertAlmostEquals, assertEquals } from "@std/assert";
import { combineErrors, compareTimes } from "./error_band.ts";

Deno.test("combineErrors() adds errors of one class and combines classes in quadrature", () => {
  const band = combineErrors([
    { errorClass: "matmul", microseconds: 10, relativeError: 0.1 },
    { errorClass: "matmul", microseconds: 20, relativeError: 0.1 },
    { errorClass: "softmax", microseconds: 20, relativeError: 0.2 },
  ]);
  assertAlmostEquals(band.upperUs, 50 + 5, 1e-9);
  assertAlmostEquals(band.lowerUs, 50 - 5, 1e-9);
});

Deno.test("combineErrors() never goes below nothing", () => {
  assertEquals(combineErrors([{ errorClass: "host", microseconds: 4, relativeError: 2 }]).lowerUs, 0);
  assertEquals(combineErrors([]), { lowerUs: 0, upperUs: 0 });
});

Deno.test("compareTimes() calls no winner where the bands meet", () => {
  assertEquals(compareTimes({ lowerUs: 9, upperUs: 11 }, { lowerUs: 7, upperUs: 8 }), "faster");
  assertEquals(compareTimes({ lowerUs: 9, upperUs: 11 }, { lowerUs: 12, upperUs: 13 }), "slower");
  assertEquals(compareTimes({ lowerUs: 9, upperUs: 11 }, { lowerUs: 8, upperUs: 9 }), "too_close_to_call");
});
