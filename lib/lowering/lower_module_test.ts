// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals, assertMatch, assertStringIncludes, assertThrows } from "@std/assert";
import { DiagnosticError } from "../diagnostics/diagnostic.ts";
import { parseModule } from "../ir/mod.ts";
import { lowerModule } from "./lower_module.ts";
import { needsLowering } from "./needs_lowering.ts";
import { TEST_WORMHOLE } from "../../testing/chips.ts";
import { loweredBody, ttirFunction } from "./testing/lowered_body.ts";

function lower(text: string): string {
  return lowerModule(parseModule(text, "test.mlir"), TEST_WORMHOLE, { isStrict: true });
}

function failure(text: string): DiagnosticError {
  return assertThrows(() => lower(text), DiagnosticError);
}

const RELU = '%0 = "ttir.relu"(%a) : (tensor<4x32xf32>) -> tensor<4x32xf32>';

Deno.test("lowerModule() names the place and the op that has no lowering", () => {
  const error = failure(ttirFunction("(%a: tensor<4x32xf32>) -> tensor<4x32xf32>", [
    '%0 = "ttir.no_such_op"(%a) : (tensor<4x32xf32>) -> tensor<4x32xf32>',
    "return %0 : tensor<4x32xf32>",
  ]));
  const [diagnostic] = error.diagnostics;
  assertMatch(diagnostic?.message ?? "", /^Cannot lower ttir\.no_such_op: there is no lowering/);
  assertEquals(diagnostic?.code, "lowering/unsupported");
  assertEquals([diagnostic?.location?.line, diagnostic?.location?.column], [3, 10]);
});

Deno.test("lowerModule() lowers f16 to bf16, as upstream: ttnn has no f16", () => {
  const text = lower(ttirFunction("(%a: tensor<2x2xf16>) -> tensor<2x2xf32>", [
    '%0 = "ttir.constant"() <{value = dense<[[1.0, 2.0], [0.5, 4.0]]> : tensor<2x2xf16>}> : () -> tensor<2x2xf16>',
    '%1 = "ttir.add"(%a, %0) : (tensor<2x2xf16>, tensor<2x2xf16>) -> tensor<2x2xf16>',
    '%2 = "ttir.typecast"(%1) : (tensor<2x2xf16>) -> tensor<2x2xf32>',
    "return %2 : tensor<2x2xf32>",
  ]));
  assert(!/xf16|, f16>, #/.test(text), text);
  assertStringIncludes(text, "(%arg0: tensor<2x2xbf16, ");
  assertStringIncludes(text, "value = dense<[[1.0, 2.0], [0.5, 4.0]]> : tensor<2x2xbf16>");
});

/** Cases with one operand `%a` of 4x32 f32: op, shape of the result, message. */
function refusedTextually(
  cases: readonly (readonly [string, string, string])[],
): readonly (readonly [string, string, string])[] {
  return cases.map(([op, shape, message]) => [
    op,
    `%0 = ${op} : (tensor<4x32xf32>) -> tensor<${shape}xf32>`,
    message,
  ]);
}

Deno.test("lowerModule() refuses what TTNN cannot say", async (t) => {
  const cases: readonly (readonly [string, string, string])[] = [
    ["a dynamic extent", '%0 = "ttir.relu"(%a) : (tensor<4x32xf32>) -> tensor<?x32xf32>', "dynamic extent"],
    [
      "an unknown element",
      '%0 = "ttir.relu"(%a) : (tensor<4x32xf32>) -> tensor<4x32xf8E5M2>',
      "no element type",
    ],
    [
      "another volume",
      '%0 = "ttir.reshape"(%a) : (tensor<4x32xf32>) -> tensor<4x31xf32>',
      "differ in volume",
    ],
    [
      "a missing attribute",
      '%0 = "ttir.softmax"(%a) : (tensor<4x32xf32>) -> tensor<4x32xf32>',
      "'dimension' is missing",
    ],
    [
      "a dimension out of range",
      '%0 = "ttir.cumsum"(%a) <{dim = 2 : i64}> : (tensor<4x32xf32>) -> tensor<4x32xf32>',
      "dimension 2 is outside of rank 2",
    ],
    ...refusedTextually([
      ['"ttir.softmax"(%a) <{dimension = 2 : si32}>', "4x32", "dimension 2 is outside of rank 2"],
      ['"ttir.sum"(%a) <{dim_arg = [1 : i32, -1 : i32], keep_dim = true}>', "4x1", "a dimension twice: 1, 1"],
      ['"ttir.repeat"(%a) <{repeat_dimensions = array<i64: 1>}>', "4x32", "needs 2 numbers, it has 1"],
      ['"ttir.unsqueeze"(%a) <{dim = 3 : si32}>', "4x32x1", "dimension 3 is outside of rank 3"],
      ['"ttir.unsqueeze"(%a) <{dim = 0 : si32}>', "4x1x32", "should have shape 1x4x32"],
      ['"ttir.squeeze"(%a) <{dim = 0 : si32}>', "32x4", "dimension 0 has extent 4"],
    ]),
    [
      "numbers that are not as many as the result holds",
      '%0 = "ttir.arange"() <{start = 0 : si64, end = 9 : si64, step = 0 : si64, arange_dimension = 0 : i64}> : () -> tensor<9xi32>',
      "0 to 9 by 0 are not the 9 numbers",
    ],
    [
      "a fill of another shape",
      '%0 = "ttir.full"() <{shape = array<i32: 4, 31>, fill_value = 1.0 : f32}> : () -> tensor<4x32xf32>',
      "result 0 should have shape 4x31, not 4x32",
    ],
    [
      "a result of another shape",
      '%0 = "ttir.sum"(%a) <{dim_arg = [1 : i32], keep_dim = true}> : (tensor<4x32xf32>) -> tensor<4xf32>',
      "result 0 should have shape 4x1, not 4",
    ],
    [
      "factors that do not multiply",
      '%0 = "ttir.matmul"(%a, %a) : (tensor<4x32xf32>, tensor<4x32xf32>) -> tensor<4x32xf32>',
      "4x32 and 4x32 do not multiply",
    ],
    [
      "operands that do not broadcast to the result",
      '%0 = "ttir.add"(%a, %a) : (tensor<4x32xf32>, tensor<4x32xf32>) -> tensor<8x32xf32>',
      "operands of shape 4x32, 4x32 do not give 8x32",
    ],
    [
      "too many operands",
      '%0 = "ttir.relu"(%a, %a, %a) : (tensor<4x32xf32>, tensor<4x32xf32>, tensor<4x32xf32>) -> tensor<4x32xf32>',
      "it has 3 operands, expected 1",
    ],
    [
      "a constant that holds too few elements",
      '%0 = "ttir.constant"() <{value = dense<"0x0000803F0000803F"> : tensor<4x32xf32>}> : () -> tensor<4x32xf32>',
      "holds 2 elements",
    ],
  ];
  for (const [name, op, message] of cases) {
    await t.step(name, () => {
      const type = op.slice(op.lastIndexOf("tensor<"));
      const error = failure(ttirFunction(`(%a: tensor<4x32xf32>) -> ${type}`, [op, `return %0 : ${type}`]));
      assertStringIncludes(error.message, message);
      assert(error.diagnostics.every(({ location }) => location !== undefined && location.line > 1));
    });
  }
});

Deno.test("lowerModule() refuses control flow and functions that call themselves", () => {
  const blocks = `func.func @f(%a: tensor<4x32xf32>) -> tensor<4x32xf32> {
    cf.br ^bb1
  ^bb1:
    ${RELU}
    return %0 : tensor<4x32xf32>
  }`;
  assertStringIncludes(failure(blocks).message, "must have one block, it has 2");
  const type = "(tensor<4x32xf32>) -> tensor<4x32xf32>";
  const recursive = `func.func @main(%a: tensor<4x32xf32>) -> tensor<4x32xf32> {
    ${RELU}
    %1 = call @g(%0) : ${type}
    return %1 : tensor<4x32xf32>
  }
  func.func private @g(%a: tensor<4x32xf32>) -> tensor<4x32xf32> {
    %0 = call @g(%a) : ${type}
    return %0 : tensor<4x32xf32>
  }`;
  assertStringIncludes(failure(recursive).message, "or 'g' calls itself; inline some of them first");
});

Deno.test("lowerModule() refuses calls that double with every level, instead of writing them out for ever", () => {
  const type = "(tensor<4x32xf32>) -> tensor<4x32xf32>";
  const functions = Array.from({ length: 40 }, (_, level) => {
    const body = level < 39
      ? `%0 = call @f${level + 1}(%a) : ${type}\n  %1 = call @f${level + 1}(%0) : ${type}`
      : `%1 = "ttir.relu"(%a) : ${type}`;
    return `func.func ${level === 0 ? "" : "private "}@f${level}(%a: tensor<4x32xf32>) -> tensor<4x32xf32> {
  ${body}
  return %1 : tensor<4x32xf32>
}
`;
  });
  assertStringIncludes(failure(functions.join("")).message, "the module has more than 200000 ops");
});

Deno.test("lowerModule() inlines private functions and composites", () => {
  const type = "(tensor<4x32xf32>) -> tensor<4x32xf32>";
  const text = `module {
    func.func @main(%a: tensor<4x32xf32>) -> tensor<4x32xf32> {
      %0 = call @twice(%a) : ${type}
      %1 = "ttcore.composite"(%0) <{composite_name = "thrice", decomposition = @twice}> : ${type}
      return %1 : tensor<4x32xf32>
    }
    func.func private @twice(%a: tensor<4x32xf32>) -> tensor<4x32xf32> {
      %0 = "ttir.add"(%a, %a) : (tensor<4x32xf32>, tensor<4x32xf32>) -> tensor<4x32xf32>
      return %0 : tensor<4x32xf32>
    }
  }`;
  const add = "(tensor<4x32xf32>, tensor<4x32xf32>) -> tensor<4x32xf32>";
  assertEquals(loweredBody(text), [
    `%0 = "ttnn.add"(%arg0, %arg0) : ${add}`,
    `%1 = "ttnn.add"(%0, %0) : ${add}`,
    "return %1 : tensor<4x32xf32>",
  ]);
});

Deno.test("lowerModule() keeps apart what several modules of a file call alike", () => {
  const part = (op: string): string =>
    `module {
  func.func @main(%a: tensor<4x32xf32>) -> tensor<4x32xf32> {
    %0 = func.call @own(%a) : (tensor<4x32xf32>) -> tensor<4x32xf32>
    return %0 : tensor<4x32xf32>
  }
  func.func private @own(%a: tensor<4x32xf32>) -> tensor<4x32xf32> {
    %0 = "ttir.${op}"(%a) : (tensor<4x32xf32>) -> tensor<4x32xf32>
    return %0 : tensor<4x32xf32>
  }
}
`;
  const text = lower(part("relu") + part("exp") + part("abs"));
  const bodies = text.matchAll(/func\.func @(\w+)[^]*?"ttnn\.(\w+)"/g).map(([, name, op]) =>
    `${name}: ${op}`
  );
  assertEquals(bodies.toArray(), ["main: relu", "main_0: exp", "main_1: abs"]);
});

Deno.test("lowerModule() places arguments as upstream does", () => {
  const text = `module {
    func.func @f(%x: tensor<1x8x8x32xbf16> {ttcore.argument_type = #ttcore.argument_type<input>},
                 %w: tensor<64x32x1x1xbf16> {ttcore.argument_type = #ttcore.argument_type<parameter>},
                 %c: tensor<1x8x64x32xbf16> {ttcore.argument_type = #ttcore.argument_type<input>},
                 %k: tensor<1x8x16x32xbf16>) -> (tensor<1x8x8x64xbf16> {ttir.name = "out"}) {
      "ttir.fill_cache"(%c, %k) <{batch_offset = 0 : i32}> : (tensor<1x8x64x32xbf16>, tensor<1x8x16x32xbf16>) -> ()
      %0 = "ttir.conv2d"(%x, %w) <{dilation = 1 : i32, groups = 1 : i32, padding = 0 : i32, stride = 1 : i32}>
        : (tensor<1x8x8x32xbf16>, tensor<64x32x1x1xbf16>) -> tensor<1x8x8x64xbf16>
      return %0 : tensor<1x8x8x64xbf16>
    }
  }`;
  const lowered = lower(text);
  const line = lowered.split("\n").find((candidate) => candidate.includes("func.func")) ?? "";
  const layoutOf = (argument: number): string => {
    const name = new RegExp(`%arg${argument}: tensor<[^#]*(#ttnn_layout\\d*)>`).exec(line)?.[1] ?? "";
    return new RegExp(`^${name} = .*memref<(.*)$`, "m").exec(lowered)?.[1] ?? "";
  };
  assertEquals([0, 1, 2, 3].map(layoutOf), [
    "64x32xbf16, #dram>, <interleaved>>",
    "2048x1xbf16, #system_memory>>",
    "16x1x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>",
    "8x1x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>",
  ]);
  assertMatch(line, /%arg1: [^{]*\{[^}]*ttir\.conv2d_weight\}/);
  assertMatch(line, /%arg2: [^{]*\{[^}]*ttcore\.kv_cache\}/);
  assertMatch(line, /\) -> \(tensor<1x8x8x64xbf16, #ttnn_layout\d*> \{ttir\.name = "out"\}\) attributes/);
});

Deno.test("lowerModule() sees a convolution's weight through a permute that moves nothing", () => {
  const weightPlace = (permutation: string): boolean =>
    lower(`func.func @f(%x: tensor<1x8x8x64xbf16>, %w: tensor<64x64x3x3xbf16>) -> tensor<1x6x6x64xbf16> {
      %0 = "ttir.permute"(%w) <{permutation = array<i64: ${permutation}>}> : (tensor<64x64x3x3xbf16>) -> tensor<64x64x3x3xbf16>
      %1 = "ttir.conv2d"(%x, %0) <{stride = 1 : i32, padding = 0 : i32, dilation = 1 : i32, groups = 1 : i32}> : (tensor<1x8x8x64xbf16>, tensor<64x64x3x3xbf16>) -> tensor<1x6x6x64xbf16>
      return %1 : tensor<1x6x6x64xbf16>
    }`).includes("ttir.conv2d_weight");
  assertEquals(weightPlace("0, 1, 2, 3"), true);
  assertEquals(weightPlace("1, 0, 2, 3"), false);
});

Deno.test("lowerModule() keeps module attributes, names, locations and the mesh", () => {
  const lowered = lower(`#loc1 = loc("relu"("model.py":3:1))
module @"my model" attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x2>]>} {
  func.func @f(%a: tensor<4x32xf32> loc("a")) -> tensor<4x32xf32> {
    ${RELU} loc(#loc1)
    return %0 : tensor<4x32xf32>
  }
}
`);
  assertStringIncludes(lowered, `#loc1 = loc("relu"("model.py":3:1))\n`);
  assertStringIncludes(
    lowered,
    `module @"my model" attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x2>]>} {`,
  );
  assertStringIncludes(lowered, "meshShape = 1x2, chipIds = [0, 1]>");
  assertMatch(lowered, /"ttnn\.relu"\(%arg0\) : .* loc\(#loc1\)\n/);
  const module = parseModule(lowered, "lowered.mlir");
  assert(!needsLowering(module));
});

Deno.test("needsLowering() leaves TTIR of CPU modules to the host", () => {
  const relu = ttirFunction("(%a: tensor<4x32xf32>) -> tensor<4x32xf32>", [
    RELU,
    "return %0 : tensor<4x32xf32>",
  ]);
  assert(needsLowering(parseModule(relu, "test.mlir")));
  const inner = relu.replace("module {", "builtin.module {");
  assert(!needsLowering(parseModule(`module {\nttcore.cpu_module {\n${inner}}\n}\n`, "test.mlir")));
});

Deno.test("lowerModule() drops ops that nothing needs", () => {
  const body = loweredBody(ttirFunction("(%a: tensor<4x32xf32>) -> tensor<4x32xf32>", [
    RELU,
    '%1 = "ttir.exp"(%0) : (tensor<4x32xf32>) -> tensor<4x32xf32>',
    "return %0 : tensor<4x32xf32>",
  ]));
  assertEquals(body.length, 2);
});
