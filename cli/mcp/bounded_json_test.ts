// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals } from "@std/assert";
import { boundedJson } from "./server.ts";
import fc from "fast-check";

Deno.test("boundedJson() keeps small values", () => {
  const value = { a: [1, 2, 3], b: "text" };
  assertEquals(boundedJson(value, 1000), { value, omitted: [] });
});

Deno.test("boundedJson() cuts the ends of the longest lists and lists the cuts", () => {
  const value = { ops: Array.from({ length: 100 }, (_, id) => ({ id })), short: [1, 2] };
  const { value: bounded, omitted } = boundedJson(value, 400);
  assert(JSON.stringify(bounded).length <= 400);
  assertEquals(omitted, ["ops: 75 of 100 left out"]);
  assertEquals(bounded, { ...value, ops: value.ops.slice(0, 25) });
  assertEquals(value.ops.length, 100, "the value itself stays");
});

Deno.test("boundedJson() cuts last keys first, inner lists before outer ones, and no list to nothing", () => {
  const value = {
    summary: { us: 1 },
    ops: Array.from({ length: 40 }, (_, id) => ({ id, inputs: ["dram"] })),
    functions: [{ name: "main", decisions: Array.from({ length: 400 }, (_, op) => ({ op })) }],
  };
  const { value: bounded, omitted } = boundedJson(value, 1600);
  assertEquals(bounded, {
    ...value,
    functions: [{ name: "main", decisions: value.functions[0]?.decisions.slice(0, 25) }],
  });
  assertEquals(omitted, ["functions[0].decisions: 375 of 400 left out"]);
});

Deno.test("boundedJson() terminates, and keeps every key, for any value", () => {
  fc.assert(fc.property(fc.jsonValue(), fc.integer({ min: 1, max: 200 }), (value, characters) => {
    const { value: bounded } = boundedJson(value, characters);
    assert(JSON.stringify(bounded).length <= Math.max(characters, JSON.stringify(value).length));
    if (typeof value === "object" && value !== null && !Array.isArray(value)) {
      assertEquals(Object.keys(Object(bounded)), Object.keys(value));
    }
  }));
});
