// SPDX-License-Identifier: Apache-2.0

/** Programs that write in place, through views and into what looks constant: passes keep what is read where. */

import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { TEST_WORMHOLE } from "../../testing/chips.ts";
import { assertSameMeaning, randomInputs } from "../../testing/interpreter/same_meaning.ts";
import { parseModule } from "../ir/mod.ts";
import { verifyModule } from "../verify/verify_module.ts";
import { DEFAULT_PASS_OPTIONS } from "./pass_options.ts";
import { runPasses } from "./run_passes.ts";
import { bodyLines, ttnnModule } from "./testing/passed_body.ts";

/** Four heads of one tile each, as users and heads or as one dimension: views of each other. */
const CACHE = "2x2x32x2";
const FLAT = "4x32x2";
const ROWS = "1x2x32x2";

type Extents = typeof CACHE | typeof FLAT;

const typeOf = (extents: string): string => `T<${extents}>`;
const words = (extents: string, separator: string): string => extents.split("x").join(separator);

/** One statement: which kind, and on which of the values before. */
interface Statement {
  readonly kind: "zeros" | "ones" | "view" | "fill" | "unary" | "binary" | "permute";
  readonly of: number;
  readonly and: number;
}

/** A program of statements on an argument of some role, a parameter and rows to write. */
function programOf(statements: readonly Statement[], role: string): string {
  const values: { name: string; extents: Extents }[] = [{ name: "%x", extents: CACHE }, {
    name: "%w",
    extents: FLAT,
  }];
  const lines = [
    '%d = "ttnn.get_device"() <{mesh_offset = #ttnn<mesh_offset 0x0>, mesh_shape = #ttnn<mesh_shape 1x1>}> : ' +
    "() -> !ttnn.device",
  ];
  const made = (extents: Extents): string => {
    const name = `%${values.length}`;
    values.push({ name, extents });
    return name;
  };
  for (const { kind, of, and } of statements) {
    const x = values[of % values.length] ?? { name: "%x", extents: CACHE };
    const type = typeOf(x.extents);
    const equivalent = values.filter(({ extents }) => extents === x.extents);
    switch (kind) {
      case "zeros":
      case "ones": {
        const extents = and % 2 === 0 ? CACHE : FLAT;
        lines.push(
          `${made(extents)} = "ttnn.${kind}"(%d) <{shape = #ttnn.shape<${extents}>}> : (!ttnn.device) -> ${
            typeOf(extents)
          }`,
        );
        break;
      }
      case "view": {
        const extents = x.extents === CACHE ? FLAT : CACHE;
        const shape = `[${words(extents, " : i32, ")} : i32]`;
        lines.push(
          `${made(extents)} = "ttnn.reshape"(${x.name}) <{shape = ${shape}}> : (${type}) -> ${
            typeOf(extents)
          }`,
        );
        break;
      }
      case "fill":
        if (x.extents !== CACHE) break;
        lines.push(
          `"ttnn.fill_cache"(${x.name}, %r) <{batch_offset = ${and % 2} : i32}> : (${type}, ${
            typeOf(ROWS)
          }) -> ()`,
        );
        break;
      case "unary":
        lines.push(
          `${made(x.extents)} = "ttnn.${and % 2 === 0 ? "relu" : "neg"}"(${x.name}) : (${type}) -> ${type}`,
        );
        break;
      case "permute":
        if (x.extents !== CACHE) break;
        lines.push(
          `${
            made(CACHE)
          } = "ttnn.permute"(${x.name}) <{permutation = array<i64: 1, 0, 2, 3>}> : (${type}) -> ${type}`,
        );
        break;
      case "binary": {
        const other = equivalent[and % equivalent.length] ?? x;
        lines.push(
          `${made(x.extents)} = "ttnn.add"(${x.name}, ${other.name}) : (${type}, ${type}) -> ${type}`,
        );
        break;
      }
    }
  }
  const returned = values.slice(-3);
  const types = returned.map(({ extents }) => typeOf(extents)).join(", ");
  const argument = (name: string, extents: string, kind: string): string =>
    `${name}: ${typeOf(extents)} {ttcore.argument_type = #ttcore.argument_type<${kind}>}`;
  return ttnnModule(
    `(${argument("%x", CACHE, role)}, ${argument("%w", FLAT, "parameter")}, ${
      argument("%r", ROWS, "input")
    }) -> (${types})`,
    [...lines, `return ${returned.map(({ name }) => name).join(", ")} : ${types}`],
  );
}

const statement: fc.Arbitrary<Statement> = fc.record({
  kind: fc.constantFrom("zeros", "ones", "view", "view", "fill", "fill", "unary", "binary", "permute"),
  of: fc.nat(60),
  and: fc.nat(60),
});

Deno.test("passes keep the order of reads and writes through all views", () => {
  fc.assert(
    fc.property(
      fc.array(statement, { minLength: 3, maxLength: 14 }),
      fc.constantFrom("input", "parameter", "constant"),
      fc.nat(),
      (statements, role, seed) => {
        const before = parseModule(programOf(statements, role), "before.mlir");
        const { text } = runPasses(before, TEST_WORMHOLE, DEFAULT_PASS_OPTIONS);
        const after = parseModule(text, "after.mlir");
        assertEquals(verifyModule(after).map(({ message }) => message), []);
        assertSameMeaning(before, after, "main", randomInputs(before, "main", seed));
      },
    ),
    { numRuns: 300, seed: 20261128 },
  );
});

/** What passes leave of statements that make, view and write. */
function left(statements: readonly Statement[]): readonly string[] {
  const { text } = runPasses(
    parseModule(programOf(statements, "parameter"), "t.mlir"),
    TEST_WORMHOLE,
    DEFAULT_PASS_OPTIONS,
  );
  return bodyLines(text).map((line) =>
    /"ttnn\.(\w+)"|(load_cached)/.exec(line)?.slice(1).find(Boolean) ?? ""
  );
}

Deno.test("two caches of zeros, filled through views, stay two", () => {
  const at = (kind: Statement["kind"], of: number, and: number): Statement => ({ kind, of, and });
  const names = left([
    at("zeros", 0, 1),
    at("view", 2, 0),
    at("zeros", 0, 1),
    at("view", 4, 0),
    at("fill", 3, 0),
    at("fill", 5, 1),
  ]);
  assertEquals(names.filter((name) => name === "zeros").length, 2);
  assertEquals(names.includes("load_cached"), false);
});

Deno.test("a reader behind the last write is optimized like any other", () => {
  const at = (kind: Statement["kind"], of: number, and: number): Statement => ({ kind, of, and });
  const names = left([at("zeros", 0, 0), at("fill", 2, 0), at("permute", 2, 0), at("permute", 3, 0)]);
  assertEquals(names.filter((name) => name === "permute").length <= 1, true, names.join(" "));
});

Deno.test("a norm in training that updates what looks constant is run each time, from what it was", () => {
  const [image, vector, channels] = ["2x3x2x2", "3", "1x3x1x1"].map(typeOf);
  const shape = "[1 : i32, 3 : i32, 1 : i32, 1 : i32]";
  const view = (name: string, of: string): string =>
    `%${name} = "ttnn.reshape"(%${of}) <{shape = ${shape}}> : (${vector}) -> ${channels}`;
  const norm = (name: string): string =>
    `%${name} = "ttnn.batch_norm_training"(%x, %m, %v, %s, %s) <{epsilon = 1.0e-05 : f32, momentum = 1.0e-01 : f32, ` +
    `operandSegmentSizes = array<i32: 1, 1, 1, 1, 1>}> : (${image}, ${
      [channels, channels, channels, channels].join(", ")
    }) -> ${image}`;
  const parameter = (name: string): string =>
    `%${name}: ${vector} {ttcore.argument_type = #ttcore.argument_type<parameter>}`;
  const text = ttnnModule(
    `(%x: ${image}, ${["a", "b", "c"].map(parameter).join(", ")}) -> (${image}, ${channels}, ${channels})`,
    [
      view("m", "a"),
      view("w", "b"),
      `%v = "ttnn.exp"(%w) : (${channels}) -> ${channels}`,
      view("s", "c"),
      norm("0"),
      norm("1"),
      `%2 = "ttnn.add"(%0, %1) : (${image}, ${image}) -> ${image}`,
      `return %2, %m, %v : ${image}, ${channels}, ${channels}`,
    ],
  );
  const before = parseModule(text, "before.mlir");
  const { text: passed } = runPasses(before, TEST_WORMHOLE, DEFAULT_PASS_OPTIONS);
  assertSameMeaning(before, parseModule(passed, "after.mlir"), "main", randomInputs(before, "main", 7));
  assertEquals(bodyLines(passed).filter((line) => line.includes("batch_norm_training")).length, 2);
});
