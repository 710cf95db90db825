// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import { validateJson } from "./json_schema.ts";

const schema = {
  type: "object",
  required: ["name", "parts"],
  additionalProperties: false,
  properties: {
    name: { type: "string", enum: ["a", "b"] },
    parts: { type: "array", minItems: 1, items: { $ref: "#/$defs/part" } },
    note: { type: ["string", "null"] },
  },
  $defs: {
    part: { type: "object", required: ["size"], properties: { size: { type: "integer", minimum: 0 } } },
  },
};

Deno.test("validateJson() accepts what the schema describes", () => {
  assertEquals(validateJson({ name: "a", parts: [{ size: 1 }], note: null }, schema), []);
});

Deno.test("validateJson() names the path of every finding", () => {
  assertEquals(validateJson({ name: "c", parts: [{ size: -1 }, {}], more: 1 }, schema), [
    '$.name: "c" is none of a, b',
    "$.parts[0].size: -1 is below 0",
    "$.parts[1]: size is missing",
    "$: more is not known",
  ]);
  assertEquals(validateJson({ name: "a", parts: [] }, schema), ["$.parts: fewer than 1 items"]);
  assertEquals(validateJson([], schema), ["$: array instead of object"]);
});

Deno.test("validateJson() does not pass over keywords that it cannot check", () => {
  assertEquals(validateJson(1, { type: "number", multipleOf: 2 }), [
    "$: the schema's keyword multipleOf is not supported",
  ]);
  assertEquals(validateJson(1, { $ref: "#/$defs/none" }), ["$: nothing is allowed here"]);
});

Deno.test("validateJson() takes the first alternative that fits", () => {
  const either = { anyOf: [{ type: "string" }, { type: "number", maximum: 3 }] };
  assertEquals(validateJson(2, either), []);
  assertEquals(validateJson(4, either), ["$: integer instead of string"]);
});
