// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import { OP_DEFINITIONS } from "./op_book.ts";
import { unknownTime } from "./unknown_time.ts";

const TENSOR = { shape: [64, 64], dataType: "bf16" } as const;

Deno.test("the time of every op without a rule that returns a tensor is unknown, and of no other op", () => {
  const attributes = new Map();
  for (const { name, family } of [...OP_DEFINITIONS, { name: "ttnn.of_tomorrow", family: "opaque" }]) {
    const isUnknown = (results: readonly [] | readonly [typeof TENSOR]): boolean =>
      unknownTime({ name, attributes, results }) !== undefined;
    if (name !== "ttnn.sampling") {
      assertEquals([isUnknown([TENSOR]), isUnknown([])], [family === "opaque", false], name);
    }
  }
});

Deno.test("the time of an op whose cores do work that nobody describes is unknown", () => {
  const reason = unknownTime({ name: "ttnn.sampling", attributes: new Map(), results: [TENSOR] });
  assertEquals(reason, "ttnn.sampling: the work of its cores is not known");
});

Deno.test("how long control flow takes depends on its data", () => {
  const reason = unknownTime({ name: "ttnn.while", attributes: new Map(), results: [] });
  assertEquals(reason, "ttnn.while: which of its regions run, and how often, is known only at run time");
});
