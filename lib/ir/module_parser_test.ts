// SPDX-License-Identifier: Apache-2.0
import { assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { DiagnosticError } from "../diagnostics/diagnostic.ts";
import {
  applyPatches,
  attributeMap,
  attributeOf,
  functionsOf,
  locationName,
  locationText,
  type ModuleText,
  type Operation,
  parseModule,
  parseModules,
  resolveAlias,
  tensorTypeOf,
} from "./mod.ts";

const MODULE = `#dram = #ttnn.buffer_type<dram>
#layout = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<1x1x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#loc = loc(unknown)
module @a.b attributes {x.y = 3 : i32} { // a comment with "quotes and {
  ttcore.device_module {
    builtin.module attributes {ttcore.system_desc = #system_desc} {
      ttcore.device @default_device = <workerGrid = #ttcore.grid<8x8, virt_to_physical_map = (d0, d1) -> (0, d0, d1)>, chipIds = [0]>
      func.func private @main_const_eval_0(%arg0: tensor<32x32xbf16, #layout>) -> tensor<32x32xbf16, #layout> attributes {tt.function_type = "const_eval"} {
        return %arg0 : tensor<32x32xbf16, #layout>
      }
      func.func @main(%arg0: tensor<32x32xbf16, #layout> {ttcore.argument_type = #ttcore.argument_type<input>} loc("in"),
                      %arg1: tensor<32x32xbf16, #layout>) -> (tensor<32x32xbf16, #layout> {jax.result_info = "r"}) attributes {tt.function_type = "forward_device"} {
        %0 = ttcore.load_cached(@main_const_eval_0, [%arg1]) : (tensor<32x32xbf16, #layout>) -> tensor<32x32xbf16, #layout>
        %values, %indices = "ttnn.sort"(%0) <{dim = -1 : si8, "quoted key" = [1 : i32, 2.5 : f32]}> {unit_attr} : (tensor<32x32xbf16, #layout>) -> (tensor<32x32xbf16, #layout>, tensor<32x32xsi32, #layout>) loc(#loc7)
        %1:2 = "ttnn.split"(%values) : (tensor<32x32xbf16, #layout>) -> (tensor<32x32xbf16, #layout>, tensor<32x32xbf16, #layout>)
        "ttnn.deallocate"(%1#0) <{force = false}> : (tensor<32x32xbf16, #layout>) -> ()
        return %1#1 : tensor<32x32xbf16, #layout>
      } loc(#loc)
    }
  }
}
#system_desc = #ttcore.system_desc<[{role = host}]>
#loc1 = loc("sort_1"(#loc))
#loc7 = loc(callsite(#loc1 at "main.py":3:4))
`;

function named(module: ModuleText, name: string): Operation {
  const found = module.operations.find((operation) => operation.name === name);
  if (found === undefined) throw new Error(`no ${name}`);
  return found;
}

Deno.test("parseModule() numbers operations in pre-order and links them both ways", () => {
  const module = parseModule(MODULE, "a.mlir");
  assertEquals(
    module.operations.map((operation) => operation.id),
    module.operations.map((_, index) => index),
  );
  assertEquals(module.operations.map((operation) => operation.name), [
    "builtin.module",
    "ttcore.device_module",
    "builtin.module",
    "ttcore.device",
    "func.func",
    "func.return",
    "func.func",
    "ttcore.load_cached",
    "ttnn.sort",
    "ttnn.split",
    "ttnn.deallocate",
    "func.return",
  ]);
  assertEquals(named(module, "ttnn.sort").parent?.name, "func.func");
  assertEquals(module.topLevel.length, 1);
});

Deno.test("parseModule() resolves operands to the values that define them", () => {
  const module = parseModule(MODULE, "a.mlir");
  const [values] = named(module, "ttnn.sort").results;
  assertEquals(named(module, "ttnn.split").operands[0]?.value, values);
  assertEquals(values?.name, "%values");
  const split = named(module, "ttnn.split");
  assertEquals(split.results.map((result) => result.name), ["%1#0", "%1#1"]);
  assertEquals(named(module, "ttnn.deallocate").operands[0]?.value, split.results[0]);
  const main = functionsOf(module)[1];
  assertEquals(main?.terminator?.operands[0]?.value, split.results[1]);
  assertEquals(named(module, "ttcore.load_cached").operands[0]?.value, main?.arguments[1]?.value);
});

Deno.test("attributeMap() merges properties, dictionaries and syntax", () => {
  const module = parseModule(MODULE, "a.mlir");
  assertEquals([...attributeMap(module, named(module, "ttnn.sort"))], [
    ["unit_attr", { kind: "unit" }],
    ["dim", { kind: "integer", value: -1n, type: "si8" }],
    ["quoted key", {
      kind: "array",
      elements: [{ kind: "integer", value: 1n, type: "i32" }, { kind: "float", value: 2.5, type: "f32" }],
    }],
  ]);
  const load = named(module, "ttcore.load_cached");
  assertEquals(attributeOf(module, load, "callee"), { kind: "symbol", name: "main_const_eval_0" });
  const inner = module.operations[2];
  assertEquals(inner === undefined ? undefined : attributeOf(module, inner, "ttcore.system_desc"), {
    kind: "dialect",
    dialect: "ttcore",
    mnemonic: "system_desc",
    body: "[{role = host}]",
  });
});

Deno.test("functionsOf() shows arguments, attributes and results of custom and generic functions", () => {
  const [constEval, main] = functionsOf(parseModule(MODULE, "a.mlir"));
  assertEquals(constEval?.name, "main_const_eval_0");
  assertEquals(main?.arguments.map((argument) => [argument.value?.name, argument.attributes.size]), [
    ["%arg0", 1],
    ["%arg1", 0],
  ]);
  assertEquals(main?.resultTypes.length, 1);
  const generic = parseModule(
    `"func.func"() <{arg_attrs = [{a = 1 : i32}, {}], function_type = (i32, f32) -> i32, sym_name = "f"}> ({
     ^bb0(%a: i32, %b: f32):
       "func.return"(%a) : (i32) -> ()
     }) : () -> ()`,
    "g.mlir",
  );
  const [view] = functionsOf(generic);
  assertEquals(view?.name, "f");
  assertEquals(view?.arguments.map((argument) => [argument.value?.name, argument.attributes.size]), [
    ["%a", 1],
    ["%b", 0],
  ]);
  assertEquals(view?.terminator?.name, "func.return");
});

Deno.test("tensorTypeOf() follows an alias of the element", () => {
  const module = parseModule(
    '!q = !quant.uniform<i8:f32, 0.1>\n%0 = "a.b"() : () -> tensor<4x8x!q>\n',
    "q.mlir",
  );
  const [value] = module.operations[0]?.results ?? [];
  assertEquals(value && tensorTypeOf(module, value)?.elementType, "!quant.uniform<i8:f32, 0.1>");
});

Deno.test("tensorTypeOf() reads shape, element type and encoding", () => {
  const module = parseModule(
    `!t = tensor<4x!ttcore.tile<32x32, bfp_bf8>>
     "a.b"() : () -> (tensor<1 x 2x bf16 , #x.y<(d0) -> (0, d0), "a,b>">>, tensor<f32>, !t, tensor<?xf32>, i32)`,
    "t.mlir",
  );
  assertEquals(named(module, "a.b").results.map((result) => tensorTypeOf(module, result)), [
    { shape: [1, 2], elementType: "bf16", encoding: '#x.y<(d0) -> (0, d0), "a,b>">' },
    { shape: [], elementType: "f32", encoding: undefined },
    { shape: [4], elementType: "!ttcore.tile<32x32, bfp_bf8>", encoding: undefined },
    { shape: [-1], elementType: "f32", encoding: undefined },
    undefined,
  ]);
});

Deno.test("locationText() resolves aliases and locationName() finds the name", () => {
  const module = parseModule(MODULE, "a.mlir");
  const { location } = named(module, "ttnn.sort");
  assertEquals(locationText(module, location), 'callsite("sort_1"(unknown) at "main.py":3:4)');
  assertEquals(locationName(module, location), "sort_1");
});

Deno.test("applyPatches() replaces and inserts in one pass and rejects overlaps", () => {
  assertEquals(
    applyPatches("abcdef", [
      { start: 4, end: 5, text: "E" },
      { start: 1, end: 1, text: "1" },
      { start: 1, end: 3, text: "BC" },
      { start: 1, end: 1, text: "2" },
    ]),
    "a12BCdEf",
  );
  assertThrows(
    () => applyPatches("abc", [{ start: 0, end: 2, text: "" }, { start: 1, end: 3, text: "" }]),
    RangeError,
  );
});

Deno.test("parseModules() parses the pieces between split markers with places in the whole file", () => {
  const text =
    `// RUN: x\n// -----\n#a = 1 : i32\n"x.y"() {v = #a} : () -> ()\n// -----\n#a = 2 : i32\n"x.z"() {v = #a} : () -> ()\n`;
  const modules = parseModules(text, "s.mlir");
  assertEquals(modules.map((module) => module.operations[0]?.name), ["x.y", "x.z"]);
  const error = assertThrows(
    () => parseModules(`${text}// -----\n"x.w"(%0) : (i32) -> ()`, "s.mlir"),
    DiagnosticError,
  );
  assertEquals(error.diagnostics[0]?.location?.line, 9);
  const whole = assertThrows(() => parseModule(text, "s.mlir"), DiagnosticError);
  assertStringIncludes(whole.message, "cut it at its '// -----' lines");
});

Deno.test("resolveAlias() gives what an alias stands for, through others, and nothing for a name that none has", () => {
  const module = parseModule("#a = 5 : i32\n#b = #a\nmodule {}\n", "aliases.mlir");
  assertEquals(resolveAlias(module, "b"), { kind: "integer", value: 5n, type: "i32" });
  assertEquals(resolveAlias(module, "c"), undefined);
});

Deno.test("a region reads values of the ops around it, up to the outermost", () => {
  const module = parseModule(
    `%0 = "test.a"() : () -> i32
"test.b"() ({
  "test.c"(%0) : (i32) -> ()
}) : () -> ()
`,
    "outermost.mlir",
  );
  const [made, outer] = module.operations;
  const [inner] = outer?.regions[0]?.blocks[0]?.operations ?? [];
  assertEquals(inner?.operands[0]?.value, made?.results[0]);
});

Deno.test("a region does not name a value as one around it is named", () => {
  const text = `%0 = "test.a"() : () -> i32
"test.b"() ({
  %0 = "test.c"() : () -> i32
}) : () -> ()
`;
  assertStringIncludes(
    assertThrows(() => parseModule(text, "twice.mlir"), DiagnosticError).message,
    "redefinition of SSA value '%0', first defined 2 lines above",
  );
});
