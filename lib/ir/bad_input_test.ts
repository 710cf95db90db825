// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import fc from "fast-check";
import { corpusFiles, corpusTest } from "../../testing/corpus.ts";
import { detectProfile } from "../dialect/ttnn_profile.ts";
import { type Diagnostic, DiagnosticError } from "../diagnostics/diagnostic.ts";
import { verifyModule } from "../verify/verify_module.ts";
import {
  attributeMap,
  functionsOf,
  locationText,
  parseModule,
  printGeneric,
  resolveAlias,
  tensorTypeOf,
} from "./mod.ts";

function errorOf(text: string): Diagnostic {
  const error = assertThrows(() => parseModule(text, "bad.mlir"), DiagnosticError);
  assertEquals(error.diagnostics.length, 1);
  const [diagnostic] = error.diagnostics;
  assert(diagnostic !== undefined);
  return diagnostic;
}

/** Wraps ops into a function with `%arg0: i32`. */
function inFunction(ops: string): string {
  return `func.func @f(%arg0: i32) {\n${ops}\n  return\n}\n`;
}

Deno.test("parseModule() says what is wrong, where, and what to do", () => {
  const cases:
    readonly (readonly [text: string, code: string, line: number, column: number, says: string])[] = [
      ["", "parse/empty-input", 1, 1, "holds no operation"],
      ["// nothing\n#a = 1 : i32\n", "parse/empty-input", 1, 1, "holds no operation"],
      ["ML\uFFFDR\u0001\u0002", "parse/bytecode", 1, 1, "convert it with 'ttmlir-opt"],
      ["module {\n\0\n}", "parse/binary-input", 2, 1, "not text"],
      ["Dump:\n```mlir\nmodule {\n}\n```\n", "parse/markdown", 2, 1, "between the fences"],
      ["\u0001\u0002", "parse/unexpected-token", 1, 1, "U+0001"],
      ["module {\n  func.func @f() {\n", "parse/unbalanced-bracket", 2, 18, "never closed"],
      ["module {\n}\n}", "parse/unbalanced-bracket", 3, 1, "closes nothing"],
      [inFunction(`  "a.b"(%arg0 : (i32) -> ()`), "parse/unexpected-token", 2, 15, "')'"],
      [inFunction(`  "a.b"() {x = [1, 2} : () -> ()`), "parse/unexpected-token", 2, 21, "']'"],
      [
        inFunction(`  "a.b"() {x = array<i32: 1, 4294967296>} : () -> ()`),
        "parse/integer-range",
        2,
        30,
        "4294967296 is out of range for an integer of 32 bits",
      ],
      [
        inFunction(`  "a.b"() {x = array<i32: 1, 1e400>} : () -> ()`),
        "parse/number-range",
        2,
        30,
        "1e400 is no integer of 32 bits",
      ],
      [
        inFunction(`  "a.b"() {x = array<i64: 1.5>} : () -> ()`),
        "parse/number-range",
        2,
        27,
        "1.5 is no integer",
      ],
      [inFunction(`  "a.b"() {x = -1.0e400 : f64} : () -> ()`), "parse/number-range", 2, 16, "any float"],
      [
        inFunction(`  "a.b"() {x = array<f32: 1.0e400>} : () -> ()`),
        "parse/number-range",
        2,
        27,
        "any float",
      ],
      [
        inFunction(`  "a.b"() {x = -9223372036854775809} : () -> ()`),
        "parse/integer-range",
        2,
        16,
        "out of range for an integer of 64 bits",
      ],
      [
        inFunction(`  "a.b"() {x = #y<[1, 2>]>} : () -> ()`),
        "parse/unbalanced-bracket",
        2,
        24,
        "does not close '['",
      ],
      [inFunction(`  "a.b"() {x = "abc} : () -> ()`), "parse/unterminated-string", 2, 16, "no closing"],
      [inFunction(`  "a.b"(%1) : (i32) -> ()`), "parse/undefined-value", 2, 9, "'%1'"],
      ["func.func @f(%x: i32) {\n}", "parse/empty-function", 1, 23, "end it with 'return'"],
      [
        inFunction(`  "a.b"() {x = array<i64 1>} : () -> ()`),
        "parse/dense-array",
        2,
        16,
        "malformed dense array",
      ],
      [inFunction(`  "a.b"() : () -> tensor<4xx32>`), "parse/tensor-type", 2, 25, "malformed tensor type"],
      [inFunction(`  "a.b"() : () -> tensor<#3xf32>`), "parse/tensor-type", 2, 25, "malformed tensor type"],
      ["modle {\n}", "parse/unknown-operation", 1, 1, "'modle'"],
      [inFunction(`  retrn`), "parse/unknown-operation", 2, 3, "'retrn'"],
      ["func.fnc @f()", "parse/unknown-operation", 1, 1, "'func.fnc'"],
      [inFunction(`  arith.negi %1 : i32`), "parse/undefined-value", 2, 14, "'%1'"],
      [
        inFunction(`  %0 = "a.b"() : () -> i32\n  %0 = "a.b"() : () -> i32`),
        "parse/duplicate-value",
        3,
        3,
        "1 line above",
      ],
      [inFunction(`  "a.b"(%arg0#1) : (i32) -> ()`), "parse/result-number", 2, 9, "which has 1"],
      [
        inFunction(`  "a.b"(%arg0, %arg0) : (i32) -> ()`),
        "parse/operand-count",
        2,
        25,
        "2 operand(s), but 1",
      ],
      [inFunction(`  %0:2 = "a.b"() : () -> i32`), "parse/result-count", 2, 3, "1 result(s), but 2 name(s)"],
      [inFunction(`  "a.b"() {x = #nowhere} : () -> ()`), "parse/undefined-alias", 2, 16, "'#nowhere'"],
      [inFunction(`  "a.b"() : () -> tensor<1xf32, #nowhere>`), "parse/undefined-alias", 2, 33, "'#nowhere'"],
      [
        inFunction(`  "a.b"() {x = 1 : i32, x = 2 : i32} : () -> ()`),
        "parse/duplicate-attribute",
        2,
        25,
        "twice",
      ],
      [inFunction(`  "a.b"() {x = } : () -> ()`), "parse/unexpected-token", 2, 16, "an attribute value"],
      [
        inFunction(`  "a.b"()[^bb7] : () -> ()`).replace("  return\n", ""),
        "parse/undefined-block",
        2,
        11,
        "'^bb7'",
      ],
      ["#a = 1 : i32\n#a = 2 : i32\nmodule {}", "parse/duplicate-alias", 2, 1, "first defined 1 line above"],
      [
        "func.func @f(tensor<4xf32>) {\n  return\n}",
        "parse/unnamed-argument",
        1,
        13,
        "must name its arguments",
      ],
      [
        "module {\n  func.func @f(%a: tensor<4xf32) {\n  }\n}",
        "parse/unbalanced-bracket",
        2,
        32,
        "does not close '<'",
      ],
    ];
  for (const [text, code, line, column, says] of cases) {
    const found = errorOf(text);
    assertEquals([found.code, found.location?.line, found.location?.column], [code, line, column], text);
    assertStringIncludes(found.message, says);
    assertEquals(found.sourceLine, text.split("\n")[line - 1], text);
  }
});

Deno.test("parseModule() refuses text that nests without end, of every kind, instead of overflowing the stack", () => {
  const depth = 200_000;
  const texts = [
    `"a.b"() {x = ${"[".repeat(depth)}`,
    `"a.b"() {x = ${"[".repeat(depth)}${"]".repeat(depth)}} : () -> ()`,
    `"a.b"() {x = ${"{a = ".repeat(depth)}`,
    `"a.b"() : () -> ${"(".repeat(depth)}`,
    `${'"a.b"() ({ '.repeat(depth)}`,
    `${"scf.if %x { ".repeat(depth)}`,
    `${"module { ".repeat(depth)}`,
    `scf.for ${"(".repeat(depth)}`,
  ];
  for (const text of texts) {
    const { code } = errorOf(text);
    assert(
      ["parse/nesting-too-deep", "parse/unbalanced-bracket", "parse/unexpected-end"].includes(code),
      code,
    );
  }
  const chain = Array.from({ length: depth }, (_, index) => `#a${index} = #a${index + 1}\n`).join("");
  const aliases = parseModule(`${chain}#a${depth} = 1 : i32\n"a.b"() {x = #a0} : () -> ()`, "aliases.mlir");
  assertThrows(
    () => resolveAlias(aliases, "a0"),
    DiagnosticError,
    "'#a512' ends a chain of more than 512 aliases",
  );
  assertEquals(resolveAlias(aliases, `a${depth - 400}`), { kind: "integer", value: 1n, type: "i32" });
  // Brackets inside opaque bodies are only counted, so their depth does not matter.
  parseModule(`"a.b"() {x = #y<${"<".repeat(depth)}${">".repeat(depth)}>} : () -> ()`, "deep.mlir");
});

Deno.test("parseModule() takes time linear in the text", () => {
  const time = (text: string): number => {
    const start = performance.now();
    parseModule(text, "long.mlir");
    return performance.now() - start;
  };
  const op = `  "a.b"(%arg0) {v = dense<"0x${
    "0F".repeat(200)
  }"> : tensor<100xi32>} : (i32) -> () loc("x"("f.py":1:2))\n`;
  const ofSize = (count: number): string => inFunction(op.repeat(count));
  time(ofSize(500));
  const least = (text: string): number => Math.min(...Array.from({ length: 4 }, () => time(text)));
  const small = least(ofSize(1000));
  const large = least(ofSize(8000));
  assert(
    large < Math.max(40 * small, 400),
    `8 times the text took ${(large / small).toFixed(1)} times as long`,
  );
  const blob = `"a.b"() {v = dense<"0x${"00".repeat(1 << 20)}"> : tensor<1048576xi8>, w = dense<[${
    "1, ".repeat(1 << 18)
  }1]> : tensor<262145xi32>} : () -> ()`;
  assert(time(blob) < HANG_MS, "one line of 3 MB");
});

/** No text of these tests takes longer to read, in ms, however busy the machine: each takes a few. */
const HANG_MS = 20_000;

const SEED = `#dram = #ttnn.buffer_type<dram>
#layout = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<2x2x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#loc = loc("x"("f.py":1:2))
module @m attributes {ttcore.system_desc = #ttcore.system_desc<[{role = host}], [{arch = <wormhole_b0>, grid = 8x8}]>} {
  ttcore.device @default_device = <workerGrid = #ttcore.grid<8x8>, chipIds = [0]>
  func.func private @const_eval(%arg0: tensor<64x64xbf16, #layout> {a.b = 1 : i32}) -> tensor<64x64xbf16, #layout> attributes {c = "d"} {
    %0 = "ttnn.relu"(%arg0) : (tensor<64x64xbf16, #layout>) -> tensor<64x64xbf16, #layout> loc(#loc)
    return %0 : tensor<64x64xbf16, #layout>
  }
  func.func @main(%arg0: tensor<64x64xbf16, #layout>) -> (tensor<64x64xbf16, #layout>, tensor<f32>) {
    %0 = ttcore.load_cached(@const_eval, [%arg0]) : (tensor<64x64xbf16, #layout>) -> tensor<64x64xbf16, #layout>
    %1:2 = "ttnn.sort"(%0) <{dim = 1 : si8, k = [1 : i32, 2.5 : f32], c = dense<"0x00FF"> : tensor<1xi16>}> {u} : (tensor<64x64xbf16, #layout>) -> (tensor<64x64xbf16, #layout>, tensor<f32>)
    "x.region"(%1#1) ({
    ^bb0(%a: i32):
      "x.branch"(%a)[^bb1] : (i32) -> ()
    ^bb1:  // pred
      scf.if %a { arith.negi %a : i32 } else { }
    }) : (tensor<f32>) -> ()
    return %1#0, %1#1 : tensor<64x64xbf16, #layout>, tensor<f32>
  }
}
{-# dialect_resources: { builtin: { x: "0x04" } } #-}
`;

/** A change to a text: at a place (in thousandths of the text), drop so many characters, put others there. */
interface Mutation {
  readonly at: number;
  readonly drop: number;
  readonly insert: string;
}

const MUTATION: fc.Arbitrary<Mutation> = fc.record({
  at: fc.integer({ min: 0, max: 1000 }),
  drop: fc.oneof(fc.integer({ min: 0, max: 3 }), fc.integer({ min: 0, max: 400 }), fc.constant(1 << 30)),
  insert: fc.oneof(
    fc.constant(""),
    fc.constantFrom(
      ...'(){}<>[]"%#!^@:,=-/\n \0',
      "->",
      "%0",
      "#layout",
      "loc(",
      "//",
      "tensor<",
      "1e9x",
      "?",
      "{-#",
    ),
    fc.string({ maxLength: 12 }),
    fc.string({ unit: "binary", maxLength: 8 }),
  ),
});

function mutate(text: string, mutations: readonly Mutation[]): string {
  return mutations.reduce((current, { at, drop, insert }) => {
    const start = Math.floor((at / 1000) * current.length);
    return current.slice(0, start) + insert + current.slice(start + drop);
  }, text);
}

/** Everything that reads a module, must it be sound or not. Only a `DiagnosticError` may come out. */
function readEverything(text: string): "read" | "refused" {
  try {
    const module = parseModule(text, "mutated.mlir");
    for (const operation of module.operations) {
      attributeMap(module, operation);
      locationText(module, operation.location);
      for (const value of operation.results) tensorTypeOf(module, value);
    }
    functionsOf(module);
    printGeneric(module);
    detectProfile(module);
    verifyModule(module);
    return "read";
  } catch (error) {
    if (!(error instanceof DiagnosticError)) throw error;
    assertEquals(error.diagnostics.length, 1);
    const [diagnostic] = error.diagnostics;
    assert(diagnostic?.location !== undefined && diagnostic.message.length > 10);
    return "refused";
  }
}

Deno.test("readers of mutated text end with a result or one DiagnosticError, in bounded time", () => {
  const outcomes = { read: 0, refused: 0 };
  fc.assert(
    fc.property(fc.array(MUTATION, { minLength: 1, maxLength: 4 }), (mutations) => {
      const start = performance.now();
      outcomes[readEverything(mutate(SEED, mutations))]++;
      assert(performance.now() - start < HANG_MS);
    }),
    { numRuns: 3000 },
  );
  assert(outcomes.read > 30 && outcomes.refused > 100, JSON.stringify(outcomes));
});

corpusTest("readers of mutated real files end with a result or one DiagnosticError, in bounded time", () => {
  const files = corpusFiles("ops").filter((_, index) => index % 25 === 0).map((path) =>
    Deno.readTextFileSync(path)
  );
  fc.assert(
    fc.property(
      fc.constantFrom(...files),
      fc.array(MUTATION, { minLength: 1, maxLength: 3 }),
      (text, mutations) => {
        const start = performance.now();
        readEverything(mutate(text, mutations));
        assert(performance.now() - start < HANG_MS);
      },
    ),
    { numRuns: 600 },
  );
});

Deno.test("parseModule() carries unknown ops, attributes, types, encodings and locations", () => {
  const unknown = [
    `    %u = "new.op"(%arg0) <{p = #new.attr<a = [<b>, "}"], c -> d>}> ({ "new.inner"() : () -> () }) : (tensor<64x64xbf16, #layout>) -> !new<type x y>`,
    `    %v = new.pretty %u, %arg0 {k = 1 : i32} : !new<type x y> -> tensor<4xf32, #new.encoding<"]">>`,
    `    "new.sink"(%v) : (tensor<4xf32, #new.encoding<"]">>) -> () loc(#new.location<a b>)`,
    `    new.multi_line %u {`,
    `      new.body %u : !new<type x y>`,
    `    } combine %arg0 with [%v]`,
  ].join("\n");
  const text = SEED.replace(`    %1:2 = "ttnn.sort"`, `${unknown}\n    %1:2 = "ttnn.sort"`);
  const module = parseModule(text, "unknown.mlir");
  assertEquals(module.text, text);
  const names = module.operations.map((operation) => operation.name).filter((name) =>
    name.startsWith("new.")
  );
  assertEquals(names, ["new.op", "new.inner", "new.pretty", "new.sink", "new.multi_line", "new.body"]);
  const pretty = module.operations.find((operation) => operation.name === "new.pretty");
  assertEquals(pretty?.operands.map((operand) => operand.value?.name), ["%u", "%arg0"]);
  const multiLine = module.operations.find((operation) => operation.name === "new.multi_line");
  assertEquals(multiLine?.operands.map((operand) => operand.name), ["%u", "%arg0", "%v"]);
  assertEquals(multiLine?.regions.length, 1);
});
