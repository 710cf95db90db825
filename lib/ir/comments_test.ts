// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import { withoutComments } from "./comments.ts";
import { attributeOf, parseModule } from "./mod.ts";

Deno.test("comments become blanks, line by line; what looks like one in a string stays", () => {
  const cases = [
    ["a // b\nc", "a     \nc"],
    [`"//" // "\n"a\\"//b"`, `"//"     \n"a\\"//b"`],
    [`// "x\n"y" //`, `     \n"y"   `],
    [`"open // no string\n// c`, `"open // no string\n    `],
    ["a / b", "a / b"],
  ] as const;
  for (const [text, expected] of cases) assertEquals(withoutComments(text), expected);
});

Deno.test("a comment inside of an attribute is no part of it, and stays in the text", () => {
  const text = `"test.a"() <{a = #x.y<1, // one > "\n2>}> : () -> ()\n`;
  const module = parseModule(text, "a.mlir");
  const [operation] = module.operations;
  const attribute = operation && attributeOf(module, operation, "a");
  assertEquals(attribute?.kind === "dialect" && attribute.body.replace(/\s+/g, " "), "1, 2");
  assertEquals(module.text, text);
});
