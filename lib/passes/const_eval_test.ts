// SPDX-License-Identifier: Apache-2.0
import { assertEquals, assertStringIncludes } from "@std/assert";
import fc from "fast-check";
import { TEST_WORMHOLE } from "../../testing/chips.ts";
import { corpusFiles, corpusName, corpusTest } from "../../testing/corpus.ts";
import { attributeMap, functionsOf, parseModule } from "../ir/mod.ts";
import { verifyModule } from "../verify/verify_module.ts";
import { constEval } from "./const_eval.ts";
import { DEFAULT_PASS_OPTIONS } from "./pass_options.ts";
import { foldNeutralConstant } from "./patterns/formulas/canonical_formulas.ts";
import { convertReturned } from "./patterns/formats/convert_returned.ts";
import { runPasses } from "./run_passes.ts";
import { PARAMETER } from "./testing/convolution_case.ts";
import { keepsMeaning } from "./testing/keeps_meaning.ts";
import { bodyLines, passed, testedPass, ttnnModule } from "./testing/passed_body.ts";

const PERMUTE = '%0 = "ttnn.permute"(%w) <{permutation = array<i64: 1, 0>}> : (T<64x32>) -> T<32x64>';

function mainOf(text: string): readonly string[] {
  return bodyLines(text.slice(text.indexOf("@main(")));
}

Deno.test("work on a parameter moves to a function that runs once", () => {
  const text = ttnnModule(`(%x: T<32x64>, %w: T<64x32> ${PARAMETER}) -> T<32x64>`, [
    PERMUTE,
    '%1 = "ttnn.add"(%x, %0) : (T<32x64>, T<32x64>) -> T<32x64>',
    "return %1 : T<32x64>",
  ]);
  const after = passed(text, constEval).text;
  assertStringIncludes(after, "func.func private @main_const_eval_0(%arg0: tensor<64x32xbf16, ");
  assertEquals(mainOf(after), [
    "%pass_0 = ttcore.load_cached(@main_const_eval_0, [%w]) : (tensor<64x32xbf16>) -> tensor<32x64xbf16>",
    '%1 = "ttnn.add"(%x, %pass_0) : (tensor<32x64xbf16>, tensor<32x64xbf16>) -> tensor<32x64xbf16>',
    "return %1 : tensor<32x64xbf16>",
  ]);
});

Deno.test("hoisted ops stay; work on their results joins them in one function", () => {
  const text = ttnnModule(`(%x: T<32x64>, %w: T<64x32> ${PARAMETER}) -> T<32x64>`, [
    PERMUTE,
    '%1 = "ttnn.add"(%x, %0) : (T<32x64>, T<32x64>) -> T<32x64>',
    "return %1 : T<32x64>",
  ]);
  const once = passed(text, constEval).text;
  assertEquals(passed(once, constEval).text, once);
  const extended = once.replace(
    /( +)%1 = "ttnn.add"\(%x, %pass_0\) : (\(.*?\)) -> (tensor<[^>]*>)/,
    (_, indent, types, type) =>
      `${indent}%n = "ttnn.neg"(%pass_0) : (${type}) -> ${type}\n${indent}%1 = "ttnn.add"(%x, %n) : ${types} -> ${type}`,
  );
  const twice = passed(extended, constEval).text;
  assertEquals(functionsOf(parseModule(twice, "a.mlir")).map(({ name }) => name), [
    "main_const_eval_1",
    "main",
  ]);
  assertEquals(mainOf(twice).length, 3);
});

Deno.test("text of before June 2025 keeps its functions, and gets new ones in its spelling", () => {
  const L = "#ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<1x1x!tt.tile<32x32, f32>, " +
    "#ttnn.buffer_type<dram>>, <interleaved>>";
  const [T, P] = [`tensor<32x32xf32, ${L}>`, "{tt.argument_type = #tt.argument_type<parameter>}"];
  const text = `module {
  func.func @old(%w: ${T}) -> ${T} attributes {const_eval} {
    %0 = "ttnn.neg"(%w) : (${T}) -> ${T}
    return %0 : ${T}
  }
  func.func @main(%x: ${T}, %w: ${T} ${P}) -> ${T} {
    %0 = tt.load_cached(@old, [%w]) : (${T}) -> ${T}
    %1 = "ttnn.exp"(%w) : (${T}) -> ${T}
    %2 = "ttnn.add"(%x, %0) : (${T}, ${T}) -> ${T}
    %3 = "ttnn.add"(%2, %1) : (${T}, ${T}) -> ${T}
    return %3 : ${T}
  }
}
`;
  const after = passed(text, constEval).text;
  assertEquals(functionsOf(parseModule(after, "a.mlir")).map(({ name }) => name), [
    "old",
    "main_const_eval_0",
    "main",
  ]);
  assertEquals([...after.matchAll(/(\S+)\((@\w+), \[/g)].map(([, op, callee]) => [op, callee]), [
    ["tt.load_cached", "@old"],
    ["tt.load_cached", "@main_const_eval_0"],
  ]);
  assertEquals([...after.matchAll(/attributes \{(.*?)\}/g)].map(([, kind]) => kind), [
    "const_eval",
    "const_eval",
  ]);
});

Deno.test("what a pattern makes superfluous is not loaded any more, and its function goes", () => {
  const T = "tensor<32x32xbf16, #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, " +
    "memref<1x1x!ttcore.tile<32x32, bf16>, #ttnn.buffer_type<dram>>, <interleaved>>>";
  const text = `module {
  func.func private @one() -> ${T} attributes {tt.function_type = "const_eval"} {
    %d = "ttnn.get_device"() <{mesh_shape = #ttnn<mesh_shape 1x1>}> : () -> !ttnn.device
    %0 = "ttnn.full"(%d) <{fill_value = 1.0 : f32, shape = #ttnn.shape<32x32>}> : (!ttnn.device) -> ${T}
    return %0 : ${T}
  }
  func.func @main(%x: ${T}) -> ${T} {
    %0 = ttcore.load_cached(@one, []) : () -> ${T}
    %1 = "ttnn.multiply"(%x, %0) : (${T}, ${T}) -> ${T}
    return %1 : ${T}
  }
}
`;
  const folded = passed(text, foldNeutralConstant).text;
  assertEquals(mainOf(folded).length, 1, folded);
  assertEquals(functionsOf(parseModule(passed(folded, constEval).text, "a.mlir")).map(({ name }) => name), [
    "main",
  ]);
});

Deno.test("values are hoisted with the types that other passes declared", () => {
  const text = ttnnModule(`(%x: T<4x32>, %w: T<4x32, f32> ${PARAMETER}) -> T<4x32>`, [
    '%0 = "ttnn.tanh"(%w) : (T<4x32, f32>) -> T<4x32>',
    '%1 = "ttnn.add"(%x, %0) : (T<4x32>, T<4x32>) -> T<4x32>',
    "return %1 : T<4x32>",
  ]);
  const { text: after } = runPasses(parseModule(text, "a.mlir"), TEST_WORMHOLE, DEFAULT_PASS_OPTIONS, {
    passes: [testedPass([convertReturned]), constEval],
  });
  assertEquals(verifyModule(parseModule(after, "a.mlir")), []);
});

Deno.test("a number that inputs and constants read is made for both", () => {
  const text = ttnnModule("(%x: T<4x32>) -> (T<4x32>, T<4x32>)", [
    '%d = "ttnn.get_device"() <{mesh_offset = #ttnn<mesh_offset 0x0>, mesh_shape = #ttnn<mesh_shape 1x1>}> : () -> !ttnn.device',
    '%c = "ttnn.full"(%d) <{fill_value = 2.000000e+00 : f32, shape = #ttnn.shape<1x1x1>}> : (!ttnn.device) -> T<1x1x1>',
    '%0 = "ttnn.reshape"(%c) <{shape = [1 : i32, 1 : i32]}> : (T<1x1x1>) -> T<1x1>',
    '%1 = "ttnn.multiply"(%x, %0) : (T<4x32>, T<1x1>) -> T<4x32>',
    '%2 = "ttnn.reshape"(%x) <{shape = [1 : i32, 4 : i32, 32 : i32]}> : (T<4x32>) -> T<1x4x32>',
    '%3 = "ttnn.add"(%2, %c) : (T<1x4x32>, T<1x1x1>) -> T<1x4x32>',
    '%4 = "ttnn.reshape"(%3) <{shape = [4 : i32, 32 : i32]}> : (T<1x4x32>) -> T<4x32>',
    "return %1, %4 : T<4x32>, T<4x32>",
  ]);
  const after = passed(text, constEval).text;
  assertEquals(mainOf(after).filter((line) => line.includes("load_cached")).length, 2);
  assertEquals(mainOf(after).some((line) => line.includes("ttnn.full")), false);
});

Deno.test("inputs, and parameters that an op writes into, are no constants", () => {
  const text = ttnnModule(`(%x: T<1x2x32x64>, %c: T<1x2x64x64> ${PARAMETER}) -> T<1x2x64x64>`, [
    '"ttnn.fill_cache"(%c, %x) <{batch_offset = 0 : i32}> : (T<1x2x64x64>, T<1x2x32x64>) -> ()',
    '%0 = "ttnn.neg"(%c) : (T<1x2x64x64>) -> T<1x2x64x64>',
    "return %0 : T<1x2x64x64>",
  ]);
  assertEquals(passed(text, constEval).text, text);
});

keepsMeaning(
  "const-eval functions return what the ops did",
  constEval,
  fc.record({ n: fc.integer({ min: 1, max: 4 }), returned: fc.boolean() }).map(({ n, returned }) => {
    const type = `T<${n}x3>`;
    const text = ttnnModule(
      `(%x: ${type}, %w: ${type} ${PARAMETER}, %v: ${type} ${PARAMETER}) -> (${type}, ${type})`,
      [
        `%0 = "ttnn.multiply"(%w, %v) : (${type}, ${type}) -> ${type}`,
        `%1 = "ttnn.neg"(%0) : (${type}) -> ${type}`,
        `%2 = "ttnn.abs"(%v) : (${type}) -> ${type}`,
        `%3 = "ttnn.add"(%x, %1) : (${type}, ${type}) -> ${type}`,
        `%4 = "ttnn.subtract"(%3, %2) : (${type}, ${type}) -> ${type}`,
        `return %4, ${returned ? "%0" : "%x"} : ${type}, ${type}`,
      ],
    );
    return { text, ops: ["multiply", "abs"] };
  }),
);

corpusTest(
  "no op on parameters alone is left in a forward function, and what is written is sound",
  async (t) => {
    for (const [index, file] of corpusFiles("lowered/models").entries()) {
      if (index % 6 !== 0) continue;
      await t.step(corpusName(file), () => {
        const module = parseModule(Deno.readTextFileSync(file), file);
        const { text } = runPasses(module, TEST_WORMHOLE, DEFAULT_PASS_OPTIONS);
        const passedModule = parseModule(text, file);
        const errors = verifyModule(passedModule).filter(({ severity }) => severity === "error");
        assertEquals(errors.map(({ code, message }) => `${code} ${message}`), []);
        for (const view of functionsOf(passedModule)) {
          const kind = attributeMap(passedModule, view.operation).get("tt.function_type");
          if (kind?.kind !== "string" || kind.value !== "forward_device") continue;
          const constants = new Set(
            view.arguments.filter(({ attributes }) => {
              const role = attributes.get("ttcore.argument_type");
              return role?.kind === "dialect" && /parameter|constant/.test(role.body);
            }).map(({ value }) => value),
          );
          const left = view.blocks.flatMap(({ operations }) => operations).filter(({ name, operands }) =>
            name.startsWith("ttnn.") && !/deallocate|cache/.test(name) && operands.length > 0 &&
            operands.every(({ value }) => constants.has(value))
          );
          assertEquals(left.map(({ name }) => name), []);
        }
      });
    }
  },
);

Deno.test("the inference places const-eval results in L1 that it reads there, but not those that only pass through L1 at load", () => {
  const inL1 = (name: string, from: string): string =>
    `%${name} = "ttnn.to_memory_config"(%${from}) : (T<64x32>) -> L<64x32>`;
  const header = `(%x: T<64x32>, %w: T<64x32> ${PARAMETER}) -> T<64x32>`;
  const read = ttnnModule(header, [
    inL1("0", "w"),
    '%1 = "ttnn.add"(%x, %0) : (T<64x32>, L<64x32>) -> T<64x32>',
    "return %1 : T<64x32>",
  ]);
  assertEquals(passed(read, constEval).text, read);
  const passing = ttnnModule(header, [
    inL1("0", "w"),
    '%1 = "ttnn.neg"(%0) : (L<64x32>) -> T<64x32>',
    '%2 = "ttnn.add"(%x, %1) : (T<64x32>, T<64x32>) -> T<64x32>',
    "return %2 : T<64x32>",
  ]);
  assertEquals(mainOf(passed(passing, constEval).text).length, 3);
  // The product stays with the sum that the inference reads from L1.
  const behind = ttnnModule(header, [
    '%0 = "ttnn.add"(%w, %w) : (T<64x32>, T<64x32>) -> L<64x32>',
    '%1 = "ttnn.multiply"(%0, %0) : (L<64x32>, L<64x32>) -> T<64x32>',
    '%2 = "ttnn.add"(%x, %0) : (T<64x32>, L<64x32>) -> T<64x32>',
    '%3 = "ttnn.add"(%2, %1) : (T<64x32>, T<64x32>) -> T<64x32>',
    "return %3 : T<64x32>",
  ]);
  assertEquals(passed(behind, constEval).text, behind);
  const marked = read.replace('"(%w)', '"(%w) {ttnn.const_eval_allowed}');
  assertEquals(mainOf(passed(marked, constEval).text)[0]?.includes("load_cached"), true);
});

Deno.test("ops without operands are hoisted with each of their users", () => {
  const text = ttnnModule(`(%x: T<32x64>, %w: T<32x64> ${PARAMETER}) -> T<32x64>`, [
    '%0 = "ttnn.ones"() <{shape = #ttnn.shape<32x64>}> : () -> T<32x64>',
    '%1 = "ttnn.add"(%x, %0) : (T<32x64>, T<32x64>) -> T<32x64>',
    '%2 = "ttnn.add"(%w, %0) : (T<32x64>, T<32x64>) -> T<32x64>',
    '%3 = "ttnn.multiply"(%1, %2) : (T<32x64>, T<32x64>) -> T<32x64>',
    "return %3 : T<32x64>",
  ]);
  const after = passed(text, constEval).text;
  assertEquals(mainOf(after).filter((line) => line.includes("load_cached")).length, 2);
  assertEquals(after.match(/"ttnn.ones"/g)?.length, 2);
});

Deno.test("quantised parameters are computed at load, on a device that is opened once", () => {
  const quantised = "tensor<64x32x!quant.uniform<i32:f32, 5.000000e-02>, #ttnn_layout_64x32_f32>";
  const text = ttnnModule(`(%x: T<2x64, f32>, %w: T<64x32, f32> ${PARAMETER}) -> T<2x32, f32>`, [
    '%d = "ttnn.get_device"() <{mesh_offset = #ttnn<mesh_offset 0x0>, mesh_shape = #ttnn<mesh_shape 1x1>}> : () -> !ttnn.device',
    '%s = "ttnn.full"(%d) <{fill_value = 5.000000e-02 : f32, shape = #ttnn.shape<1>}> : (!ttnn.device) -> T<1, f32>',
    `%q = "ttnn.quantize"(%w, %s, %s) <{output_dtype = #ttcore.supportedDataTypes<si32>}> : (T<64x32, f32>, T<1, f32>, T<1, f32>) -> ${quantised}`,
    `%e = "ttnn.dequantize"(%q, %s, %s) <{output_dtype = #ttcore.supportedDataTypes<f32>}> : (${quantised}, T<1, f32>, T<1, f32>) -> T<64x32, f32>`,
    '%y = "ttnn.matmul"(%x, %e) <{transpose_a = false, transpose_b = false}> : (T<2x64, f32>, T<64x32, f32>) -> T<2x32, f32>',
    "return %y : T<2x32, f32>",
  ]);
  const after = passed(text, constEval).text;
  const names = (lines: readonly string[]): readonly (string | undefined)[] =>
    lines.map((line) => /(?:ttnn|ttcore)\.\w+/.exec(line)?.[0]);
  assertEquals(names(mainOf(after)), ["ttcore.load_cached", "ttnn.matmul", undefined]);
  assertEquals(after.match(/"ttnn.get_device"/g)?.length, 1);
  // More work on what is computed there goes to the same function, with the device that is open there.
  const extended = after.replace(
    /( +)%y = "ttnn.matmul"\(%x, (%\w+)\)(.*?: \(.*?), (tensor<64x32x[^>]*>)\)/,
    (_, indent, weight, rest, type) =>
      `${indent}%n = "ttnn.neg"(${weight}) : (${type}) -> ${type}\n` +
      `${indent}%y = "ttnn.matmul"(%x, %n)${rest}, ${type})`,
  );
  const twice = passed(extended, constEval).text;
  assertEquals(names(mainOf(twice)), ["ttcore.load_cached", "ttnn.matmul", undefined]);
  assertEquals(twice.match(/"ttnn.get_device"/g)?.length, 1);
});
