// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals } from "@std/assert";
import { outputSchema, TOOLS } from "./tools.ts";

/** Values of a key, wherever in a schema it stands. */
function valuesOf(schema: unknown, key: string): readonly unknown[] {
  if (Array.isArray(schema)) return schema.flatMap((value) => valuesOf(value, key));
  if (typeof schema !== "object" || schema === null) return [];
  return Object.entries(schema).flatMap(([name, value]) => [
    ...name === key ? [value] : [],
    ...valuesOf(value, key),
  ]);
}

Deno.test("schemas of answers refuse no key and want none but the schema's name; maps keep the type of their values", () => {
  let maps = 0;
  for (const tool of TOOLS) {
    const schema = outputSchema(tool);
    const lists = valuesOf(schema, "required").filter(Array.isArray);
    assertEquals(lists, [["schema"]], tool.command.name);
    const typed = (value: unknown) => typeof value === "object";
    assertEquals(valuesOf(schema, "additionalProperties").includes(false), false, tool.command.name);
    maps += valuesOf(schema, "additionalProperties").filter(typed).length;
  }
  assert(maps > 0);
});
