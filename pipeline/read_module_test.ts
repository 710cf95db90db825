// SPDX-License-Identifier: Apache-2.0
import { assertEquals, assertMatch, assertThrows } from "@std/assert";
import { DiagnosticError } from "../lib/diagnostics/diagnostic.ts";
import { functionsOf, type ModuleText, textOf } from "../lib/ir/mod.ts";
import { loadModule } from "./load_module.ts";
import { readModule } from "./read_module.ts";

const T = "tensor<32x64xf32>";
const L = "tensor<32x64xbf16, #ttnn_layout7>";

/** Functions as `name(arguments) -> results: ops`. */
function shapeOf(module: ModuleText): readonly string[] {
  return functionsOf(module).map(({ name, arguments: taken, resultTypes, blocks }) =>
    `${name}(${taken.map(({ value, type }) => `${value?.name}: ${textOf(module, type)}`).join(", ")}) -> ${
      resultTypes.map((type) => textOf(module, type)).join(", ")
    }: ${blocks.flatMap(({ operations }) => operations.map((op) => op.name)).join(" ")}`
  );
}

function read(...lines: readonly string[]): { readonly functions: readonly string[]; readonly said: string } {
  const { module, remarks } = readModule(lines.join("\n"), "a.txt");
  return { functions: shapeOf(module), said: remarks.map(({ message }) => message).join("\n") };
}

const RELU = `    %1 = "ttir.relu"(%0) : (${T}) -> ${T}`;
const ADD = `    %2 = "ttir.add"(%1, %arg0) : (${T}, ${T}) -> ${T}`;
const HEAD = `  func.func @f(%arg0: ${T} {tt.x}, %arg1: ${T}) -> (${T}, ${T}) attributes {a} {`;
const RETURN = `    return %2 : ${T}`;
const BODY = "ttir.relu ttir.add func.return";

Deno.test("ops without a function take what they do not define, and return what nothing reads", () => {
  const { functions, said } = read(RELU, ADD);
  assertEquals(functions, [`main(%0: ${T}, %arg0: ${T}) -> ${T}: ${BODY}`]);
  assertEquals(
    said,
    "a.txt holds only a part of a program, which is read: 2 ops on lines 1 to 2, with a function @main around; " +
      "%0, %arg0 are not made there and become its arguments; what nothing reads is its result",
  );
  const several = read(`%3:2 = "ttir.x"(%9#1) : (${T}) -> (${T}, ${T})`, `"ttir.use"(%3#0) : (${T}) -> ()`);
  assertEquals(several.functions, [`main(%9_of_1: ${T}) -> ${T}: ttir.x ttir.use func.return`]);
});

Deno.test("ops are found in pages and logs", () => {
  const fence = "```";
  assertEquals(read("It fails on", fence, RELU, fence, "as said").functions, [
    `main(%0: ${T}) -> ${T}: ttir.relu func.return`,
  ]);
  assertEquals(read(`12:01 x.cc:3 note: see current operation: ${RELU.trim()}`).functions, [
    `main(%0: ${T}) -> ${T}: ttir.relu func.return`,
  ]);
  assertMatch(
    read("These ops:", RELU, "become:", `%7 = "ttnn.relu"(%6) : (${L}) -> ${L}`).said,
    /2 parts of programs, of which the one on line 4 is read/,
  );
  assertMatch(
    read("Before:", RELU, "After:", RELU.replace("relu", "exp")).said,
    /2 parts of programs, of which the one on line 4 is read/,
  );
});

Deno.test("a text that is cut is read as far as it is whole", () => {
  const bottom = read("module @m {", HEAD, RELU.replace("%0", "%arg1"), ADD, RELU.slice(0, 30));
  assertEquals(bottom.functions, [`f(%arg0: ${T}, %arg1: ${T}) -> ${T}: ${BODY}`]);
  assertMatch(bottom.said, /2 ops on lines 2 to 4, of @f; .*line 5 is cut and left out$/);
  const top = read(`) : (${T}) -> ${T}`, ADD, RETURN, "  }", "}");
  assertEquals(top.functions, [`main(%1: ${T}, %arg0: ${T}) -> ${T}: ttir.add func.return`]);
  assertMatch(top.said, /line 1 is cut and left out$/);
  // Wherever the line above the first op was cut; an op may lack its name only.
  for (let from = 1; from < RELU.length - 1; from++) {
    const { functions, said } = read(RELU.slice(from), ADD);
    assertMatch(said, / on lines 1 to 2, |line 1 is cut and left out$/, `${from}`);
    assertMatch(functions.join(), /\) -> tensor<32x64xf32>: .*ttir.add func.return$/, `${from}`);
  }
  const middle = read("module {", "  func.func @g(...) {", "    ...", ADD, "    ...", RETURN, "  }", "}");
  assertEquals(middle.functions, [`g(%1: ${T}, %arg0: ${T}) -> ${T}: ttir.add func.return`]);
});

Deno.test("the logs of an archive, and pages with the line ends of Windows, hold modules", () => {
  const module = ["module @m {", `func.func @r(%0: ${T}) -> ${T} {`, RELU, `return %1 : ${T}`, "}", "}"];
  const log = ["a", "MLIR Module ttir:", ...module, "--- END OF MLIR MODULE ---", "b"]
    .map((line, at) => `2026-01-02T03:04:05.${1000000 + at}Z ${line}\n`).join("");
  const archive = read(JSON.stringify({ "1_a.txt": "2026-01-02T03:04:05.1Z module\n", "2_b.txt": log }));
  assertEquals(archive.functions.length, 1);
  assertMatch(archive.said, /which is read: 1 2_b.txt ttir$/);
  const fence = "```";
  const page = ["# A", fence, ...module, fence, "<b>then</b>", fence, ...module, fence].join("\r\n");
  assertMatch(read(page).said, /^a.txt holds 2 modules [^]* is read, from line 12; --module names another$/);
});

Deno.test("a dialect before or behind TTNN is named, with what to give", () => {
  for (
    const [ops, named, next] of [
      [["stablehlo.add"], "stablehlo.add", "--stablehlo-to-ttir-pipeline"],
      [["vhlo.add_v1"], "vhlo.add_v1", "--vhlo-legalize-to-stablehlo"],
      [["torch.aten.mm", "stablehlo.add"], "stablehlo.add", "--stablehlo-to-ttir-pipeline"],
      [["onnx.MatMul"], "onnx.MatMul", "StableHLO"],
      [["linalg.generic", "d2m.generic"], "d2m.generic", "no model of time"],
      [["emitpy.call_opaque"], "emitpy.call_opaque", "TTNN module that it was made from"],
      [["a.b"], "a.b", "a module of one of both dialects"],
    ] as const
  ) {
    const error = assertThrows(
      () => read(`func.func @f() {`, ...ops.map((op) => `"${op}"() : () -> ()`), "return", "}"),
      DiagnosticError,
      next,
    );
    assertMatch(error.message, new RegExp(` ${named.replaceAll(".", "\\.")}[;,]`));
  }
});

Deno.test("figures say what the device would refuse, and what runs on the host", () => {
  const mesh = 'module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 2x4>]>} {';
  const gather = (to: string) =>
    `%0 = "ttnn.all_gather"(%x) <{all_gather_dim = 1 : si32, cluster_axis = 0 : ui32}> : (${T}) -> tensor<${to}xf32>`;
  const said = (to: string) =>
    read(
      mesh,
      `func.func @f(%x: ${T}) -> tensor<${to}xf32> {`,
      gather(to),
      `return %0 : tensor<${to}xf32>`,
      "}",
      "}",
    )
      .said;
  assertEquals(said("32x128"), "");
  assertMatch(
    said("32x256"),
    /^a.txt:3: 'ttnn.all_gather'.* is no 32x256; over axis 1 of the mesh 2x4 it is; figures/,
  );
  const shape = `%1 = "ttnn.relu"(%x) : (${T}) -> tensor<64x64xf32>`;
  assertMatch(
    read(`func.func @f(%x: ${T}) -> tensor<64x64xf32> {`, shape, "return %1 : tensor<64x64xf32>", "}").said,
    /^a.txt:2: 'ttnn.relu': result must be 32x64, but is 64x64; .*'tilewright lint a.txt'/,
  );
  const called = (calls: number, kind = "forward_device") =>
    read(
      `func.func private @h(${T}) -> ${T}`,
      `func.func @f(%x: ${T}) -> ${T} attributes {tt.function_type = "${kind}"} {`,
      ...Array<string>(calls).fill(`"func.call"(%x) <{callee = @h}> {ttir.cpu_hoist_call} : (${T}) -> ${T}`),
      `%9 = "ttnn.relu"(%x) : (${T}) -> ${T}`,
      `return %9 : ${T}`,
      "}",
    ).said;
  assertEquals(called(0), "");
  assertMatch(called(1), /^a.txt:3: the call of @h runs on the CPU/);
  assertMatch(called(3), /^a.txt:3: the call of @h, and 2 more, run on the CPU.* from the totals$/);
  assertMatch(called(1, "const_eval"), /^a.txt:3: the call of @h runs on the CPU.* from the time at load$/);
});

Deno.test("TTNN without its aliases, device and const-eval functions", () => {
  const lines = [
    `%0 = ttcore.load_cached(@main_const_eval_0, [%arg1]) : (${L}) -> ${L}`,
    `%1 = "ttnn.add"(%arg0, %0) : (${L}, ${L}) -> ${L} loc(#loc3)`,
    `%2 = "ttnn.x"(%1, %dev) : (${L}, !ttnn.device) -> ${L}`,
  ];
  const { functions, said } = read(...lines);
  assertEquals(functions, [
    `main(%arg0: ${L}, %0: ${L}) -> ${L}: ttnn.get_device ttnn.add ttnn.x func.return`,
  ]);
  assertMatch(said, /#ttnn_layout7 is not defined: taken for tensors interleaved in DRAM$/);
  const { binding } = loadModule(lines.slice(1, 2).join("\n"), { device: "n150" });
  assertEquals(binding.graph.functions.map(({ ops }) => ops.length), [1]);
});

Deno.test("a location that is cut, a head of several lines and a module without its aliases are no faults", () => {
  const executed =
    `RuntimeTTNN | DEBUG | Executing operation: ${ADD.trim()} loc("a"(callsite("b"("/x.py":45:0) at`;
  assertEquals(read(executed, "").functions, [`main(%1: ${T}, %arg0: ${T}) -> ${T}: ttir.add func.return`]);
  const head = ["func.func @g(", `    %0: ${T},`, `    %arg0: ${T}`, `  ) -> ${T} {`];
  assertEquals(read("module {", ...head, RELU, ADD.slice(0, 30)).functions, [
    `g(%0: ${T}, %arg0: ${T}) -> ${T}: ttir.relu func.return`,
  ]);
  const body = [
    `func.func @h(%0: ${L}) -> ${L} {`,
    `%1 = "ttnn.relu"(%0) : (${L}) -> ${L}`,
    `return %1 : ${L}`,
    "}",
  ];
  const { functions, said } = read("module {", ...body, "}");
  assertEquals(functions, [`h(%0: ${L}) -> ${L}: ttnn.relu func.return`]);
  assertMatch(said, /which is read: #ttnn_layout7 is not defined: taken for tensors interleaved in DRAM$/);
  const old = `%2 = "ttnn.x"(%1) : (tensor<32x32xf32, #layout5>) -> tensor<32x32xf32, #layout5>`;
  const space =
    "#layout5 = #tt.layout<(d0, d1) -> (d0, d1), undef, <1x1>, memref<1x1x!tt.tile<32x32, f32>, #l1_>, width_sharded>";
  assertEquals(read(space, old).functions.length, 1);
  // A whole function on a page, and two of one name.
  const relu = ["func.func @r(%0: T) -> T {", '%1 = "ttir.relu"(%0) : (T) -> T', "return %1 : T", "}"]
    .map((line) => line.replaceAll("T", T));
  assertEquals(read("It fails:", "```", ...relu, "```", "and calling").functions, [
    `r(%0: ${T}) -> ${T}: ttir.relu func.return`,
  ]);
  assertMatch(
    read("Before:", "```", ...relu, "```", "After:", "```", ...relu, "```").said,
    /2 parts of programs/,
  );
  // A patch, where the form without the marks holds more, and an editor's quotation marks.
  assertEquals(read(...relu.map((line) => `+${line}`)).functions, [
    `r(%0: ${T}) -> ${T}: ttir.relu func.return`,
  ]);
  assertEquals(read("module @\u201cm-n\u201d {", ...relu, "}").functions, [
    `r(%0: ${T}) -> ${T}: ttir.relu func.return`,
  ]);
  for (const call of ["x = ttnn.relu(y)", "ttnn.deallocate(x)"]) {
    assertThrows(() => read("import ttnn", call), DiagnosticError, "it is a Python program");
  }
  assertEquals(read("import ttnn", "x = ttnn.relu(y)", "gives:", "```", ...relu, "```").functions, [
    `r(%0: ${T}) -> ${T}: ttir.relu func.return`,
  ]);
  // A text whose only op is cut holds no part, and its own fault says where it ends.
  assertThrows(() => read("module {", HEAD, RELU.slice(0, 41)), DiagnosticError, "malformed tensor type");
});

Deno.test("a fault in the middle of a program is a fault", () => {
  const whole = ["module {", HEAD, RELU, ADD, RETURN, "  }", "}"];
  assertThrows(() => read(...whole), DiagnosticError, "undeclared SSA value name '%0'");
  const broken = whole.with(2, RELU.replace("->", "-"));
  assertThrows(() => read(...broken), DiagnosticError, "expected '->'");
});

Deno.test("StableHLO between TTIR ops is kept, with all that its form says", () => {
  const { remarks, module } = loadModule(
    [
      "func.func @f(%arg0: tensor<32x64xf32>, %arg1: tensor<64x16xf32>) -> tensor<32xf32> {",
      '  %0 = "ttir.relu"(%arg0) : (tensor<32x64xf32>) -> tensor<32x64xf32>',
      "  %c = stablehlo.constant dense<0.0> : tensor<f32>",
      "  %1 = stablehlo.dot_general %0, %arg1, contracting_dims = [1] x [0] : (tensor<32x64xf32>, tensor<64x16xf32>) -> tensor<32x16xf32>",
      "  %2 = stablehlo.cosine %1 : tensor<32x16xf32>",
      "  %3 = stablehlo.reduce(%2 init: %c) applies stablehlo.add across dimensions = [1] : (tensor<32x16xf32>, tensor<f32>) -> tensor<32xf32>",
      "  return %3 : tensor<32xf32>",
      "}",
    ].join("\n"),
    { device: "n150" },
  );
  const kept = remarks.filter(({ code }) => code === "load/kept").map(({ message }) => message.split(":")[0]);
  assertEquals(
    kept,
    ["constant", "dot_general", "cosine", "reduce"].map((name) => `no lowering for stablehlo.${name}`),
  );
  assertMatch(
    module.text,
    /"stablehlo.dot_general"\(%\w+, %\w+\) \{custom_form = ".*contracting_dims = \[1\] x \[0\]/,
  );
});

Deno.test("kernels with layouts of TTNN are no program, and a log that wraps a shape is joined", () => {
  const layout =
    "#l = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<1x1x!ttcore.tile<32x32, bf16>, #ttnn.buffer_type<dram>>, <interleaved>>\n";
  const kernel =
    `${layout}func.func @k(%x: tensor<32x32xbf16, #l>) {\n  ttl.wait %x : tensor<32x32xbf16, #l>\n  return\n}\n`;
  assertThrows(() => readModule(kernel, "k.mlir"), DiagnosticError, "no TTNN or TTIR op");
  const { functions } = read(
    'x | Executing: %1 = "ttir.relu"(%0) : (tensor<8x',
    "28xf32>) -> tensor<8x28xf32>",
  );
  assertEquals(functions, ["main(%0: tensor<8x28xf32>) -> tensor<8x28xf32>: ttir.relu func.return"]);
});

Deno.test("of one module a function is chosen by its name, with what it calls", () => {
  const text = [
    `func.func private @w(%0: ${T}) -> ${T} {`,
    RELU,
    `    return %1 : ${T}`,
    "}",
    `func.func @g(%0: ${T}) -> ${T} {`,
    RELU.replace("relu", "abs"),
    `    return %1 : ${T}`,
    "}",
    `func.func @f(%0: ${T}) -> ${T} {`,
    `    %1 = ttcore.load_cached(@w, [%0]) : (${T}) -> ${T}`,
    `    return %1 : ${T}`,
    "}",
    "",
  ].join("\n");
  const { module, remarks } = readModule(text, "a.mlir", "@f");
  assertEquals(functionsOf(module).map(({ name }) => name), ["w", "f"]);
  assertEquals(remarks.map(({ message }) => message), [
    "a.mlir: @f and what it calls are read; 1 other function is left out",
  ]);
});

Deno.test("a choice among modules that chooses nothing is told", () => {
  const text = [`func.func @f(%0: ${T}) -> ${T} {`, RELU, `    return %1 : ${T}`, "}", ""].join("\n");
  const { remarks } = readModule(text, "a.mlir", "g");
  assertEquals(remarks.map(({ code, severity }) => `${code} ${severity}`), ["load/module warning"]);
});

Deno.test("a module is chosen by its symbol, a function, or its header, and told apart from others of its kind", () => {
  const module = (symbol: string, func: string, op = "relu") => [
    `module ${symbol}{`,
    `func.func @${func}(%0: ${T}) -> ${T} {`,
    RELU.replace("relu", op),
    `return %1 : ${T}`,
    "}",
    "}",
  ];
  const header = (symbol: string) =>
    `// -----// IR Dump After TTNNFusing (ttnn-fusing) ('builtin.module' operation: ${symbol}) //----- //`;
  const said = (lines: readonly string[], wanted: string) =>
    readModule(lines.join("\n"), "a.txt", wanted).remarks[0]?.message.match(/; (.*) is read/)?.[1];
  const graphs = [...module("@g.12 ", "main"), ...module("@g.40 ", "prefill"), ...module("@g.4 ", "main")];
  const dump = [header("@a"), ...module("@a ", "main"), header("@b"), ...module("@b ", "main")];
  const log = ["MLIR Module ttir:", ...module("@c ", "x"), "MLIR Module ttir:", ...module("@d ", "y")];
  const json = [JSON.stringify({ s: [module("@e ", "x"), module("@f ", "y")].map((one) => one.join("\n")) })];
  for (
    const [lines, wanted, answer] of [
      [graphs, "g.12", "1 g.12 ttir"],
      [graphs, "module @g.4", "3 g.4 ttir"],
      [graphs, "prefill", "2 g.40 ttir"],
      [graphs, "40", "2 g.40 ttir"],
      [dump, "a", "1 After TTNNFusing (ttnn-fusing) @a ttir"],
      [dump, header("@a"), "1 After TTNNFusing (ttnn-fusing) @a ttir"],
      [dump, "fusing", "2 After TTNNFusing (ttnn-fusing) @b ttir, the last of 2 that match,"],
      [log, "@c", "1 ttir @c"],
      [log, "x", "1 ttir @c"],
      [json, "e", "1 s.0 @e ttir"],
      [json, "@y", "2 s.1 @f ttir"],
    ] as const
  ) assertEquals(said(lines, wanted), answer, wanted);
  assertThrows(
    () => said(json, "z"),
    DiagnosticError,
    "Cannot read module 'z' of a.txt: it holds 1 s.0 @e ttir",
  );
  // Without symbols: lines, functions and ops.
  const nameless = [...module("", "main"), ...module("", "main", "exp")];
  assertEquals(said(nameless, "1"), "1 ttir (line 1, @main, 1 op)");
  assertEquals(said(nameless, "line 7"), "2 ttir (line 7, @main, 1 op)");
});
