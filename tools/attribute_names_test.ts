// SPDX-License-Identifier: Apache-2.0

/**
 * Attributes of TTNN ops are read and written through their declaration in `lib/ops/attributes`, so that a respelled one
 * is a change there and nowhere else.
 *
 * @module
 */

import { assert, assertEquals } from "@std/assert";
import { join } from "@std/path";
import { declaredAttribute } from "../lib/ops/attributes/attribute_form.ts";
import { OP_DEFINITIONS } from "../lib/ops/op_book.ts";
import { ROOT } from "./steps.ts";

/** Rooms that read and write attributes of ops. */
const ROOMS = ["lib", "sim", "pipeline", "cli"];

/**
 * What may read attributes by name: the declaration itself, the rooms below it, what is said of functions and arguments,
 * TTIR, and the Python call of an op, which names its arguments by their attributes.
 */
const READERS =
  /^lib\/(?:ops\/attributes|dialect|ir|python)\/|^lib\/(?:graph\/read_graph|ttnn\/read|lowering\/(?:ttir_op|argument_place))\.ts$/;

/** Names of attributes whose values have a type; configs have readers of their own. */
const NAMES: ReadonlySet<string> = new Set(
  OP_DEFINITIONS.flatMap(({ attributes = {} }) =>
    Object.entries(attributes).map(([key, spec]) => declaredAttribute(key, spec))
      .filter(({ type }) => type !== "any").flatMap(({ spelled }) => spelled)
  ),
);

/** A name in quotes where an attribute is asked for or set. */
const NAMED = /(?:(?:attributes|properties|attributeMap\(\))\.(?:get|has)|setProperty)\([^()"]*"(\w+)"/g;

async function* sources(folder: string): AsyncGenerator<string> {
  for await (const { name, isDirectory } of Deno.readDir(join(ROOT, folder))) {
    if (isDirectory && name !== "testing") yield* sources(`${folder}/${name}`);
    else if (name.endsWith(".ts") && !name.endsWith("_test.ts")) yield `${folder}/${name}`;
  }
}

/** What reads attributes by their names in a text. */
function namedIn(path: string, text: string): readonly string[] {
  if (READERS.test(path)) return [];
  const found = [...text.matchAll(NAMED)].flatMap(([, name = ""]) =>
    NAMES.has(name) ? [`${path}: ${name}`] : []
  );
  return text.includes("dialect/attribute_values.ts") ? [...found, `${path}: attribute_values.ts`] : found;
}

Deno.test("attributes of ops are read and written by their declaration", async () => {
  const named: string[] = [];
  for (const room of ROOMS) {
    for await (const path of sources(room)) {
      named.push(...namedIn(path, await Deno.readTextFile(join(ROOT, path))));
    }
  }
  assertEquals(named, []);
});

Deno.test("the scan finds a name in quotes, and none of what no op declares", () => {
  assert(NAMES.has("permutation"));
  assertEquals(namedIn("lib/x/y.ts", 'op.attributes.get("permutation")'), ["lib/x/y.ts: permutation"]);
  assertEquals(namedIn("lib/x/y.ts", 'integerValues(op.attributes.get("padding"))'), ["lib/x/y.ts: padding"]);
  assertEquals(namedIn("lib/x/y.ts", 'op.attributes.get("callee")'), []);
});
