// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { DiagnosticError } from "../lib/diagnostics/diagnostic.ts";
import { DEFAULT_POLICY_OPTIONS } from "../lib/policy/options.ts";
import { getPolicy } from "../lib/policy/policies.ts";
import { getDevice } from "../sim/devices/device_registry.ts";
import { DEFAULT_PASS_OPTIONS } from "../lib/passes/pass_options.ts";
import { loadModule } from "./load_module.ts";
import { planDocument } from "./plan_document.ts";
import { unfinishedWarning } from "./prepared_module.ts";
import { optimizeModule } from "./optimize.ts";

function ttir(op: string): string {
  const tensor = "tensor<64x64xbf16>";
  return `func.func @main(%x: ${tensor}) -> ${tensor} {
  %0 = "${op}"(%x) : (${tensor}) -> ${tensor}
  return %0 : ${tensor}
}
`;
}

Deno.test("loadModule() lowers TTIR, keeps its graph or passes it, and says so", () => {
  const module = loadModule(ttir("ttir.relu"), { device: "p150", fileName: "relu.mlir" });
  assertEquals(module.device.name, "p150");
  assertEquals(module.module.fileName, "relu.mlir");
  assertEquals(module.binding.graph.functions[0]?.ops.map(({ name }) => name).includes("ttnn.relu"), true);
  assertEquals(module.remarks, [{
    code: "load/lowered",
    severity: "remark",
    message: "relu.mlir is TTIR; lowered to TTNN with DRAM interleaved layouts first",
  }]);
});

Deno.test("loadModule() takes a device, the name of one, or the one that the module was compiled for", () => {
  const text = ttir("ttir.relu");
  const p150 = getDevice("p150");
  assertEquals(loadModule(text, { device: p150 }).device, p150);
  assertEquals(loadModule(text).device.name, "n150");
  assertEquals(loadModule(text, { meshShape: [2, 4] }).device.name, "t3000");
  assertThrows(() => loadModule(text, { device: "n15" }), DiagnosticError, "devices are");
});

Deno.test("loadModule() keeps ops without a lowering with a warning, and refuses them when strict", () => {
  const text = ttir("ttir.unheard_of");
  assertEquals(loadModule(text).remarks.map(({ code, severity }) => [code, severity]), [
    ["load/lowered", "remark"],
    ["load/kept", "warning"],
  ]);
  assertThrows(() => loadModule(text, { isStrict: true }), DiagnosticError, "ttir.unheard_of");
});

Deno.test("a graph pass that stopped at its limit is a warning that names function and patterns", () => {
  assertEquals(
    unfinishedWarning({ pass: "fusing", function: "main", patterns: ["there", "back"], sweeps: 64 }),
    {
      code: "load/unfinished-pass",
      severity: "warning",
      message: "graph pass fusing stopped in @main after 64 sweeps: there, back still matched; " +
        "the graph is valid and is used in that state",
    },
  );
});

Deno.test("loadModule() accepts a TTNN program that returns its arguments; its time is 0", () => {
  const layout =
    "#dram_layout = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<2x2x!ttcore.tile<32x32, bf16>, " +
    "#ttnn.buffer_type<dram>>, <interleaved>>";
  const tensor = "tensor<64x64xbf16, #dram_layout>";
  const workbench = loadModule(
    `${layout}\nfunc.func @main(%x: ${tensor}) -> ${tensor} {\n  return %x : ${tensor}\n}\n`,
  );
  const { timeline, memory } = optimizeModule(workbench, getPolicy("auto"), DEFAULT_POLICY_OPTIONS);
  assertEquals([timeline.inference.totalUs, memory.verdict.status], [0, "fits"]);
});

Deno.test("loadModule() refuses a function of several blocks, where the first TTNN op of them stands", () => {
  const text = `func.func @main(%x: tensor<64x64xbf16>) -> tensor<64x64xbf16> {
  cf.br ^bb1(%x : tensor<64x64xbf16>)
^bb1(%y: tensor<64x64xbf16>):
  %0 = "ttnn.relu"(%y) : (tensor<64x64xbf16>) -> tensor<64x64xbf16>
  return %0 : tensor<64x64xbf16>
}
`;
  const { diagnostics } = assertThrows(() => loadModule(text), DiagnosticError, "several blocks");
  assertEquals(diagnostics.map(({ code, location }) => [code, location?.line]), [["input/control-flow", 4]]);
});

Deno.test("the time of TTNN's control flow is unknown, by name, and in no total", () => {
  const tensor = (rows: number) => `tensor<${rows}x1024xbf16, #l${rows}>`;
  const alias = (rows: number) =>
    `#l${rows} = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<${
      rows / 32
    }x32x!ttcore.tile<32x32, bf16>, ` +
    "#ttnn.buffer_type<dram>>, <interleaved>>\n";
  const [x, w] = [tensor(32), tensor(1024)];
  const region = `{
  ^bb0(%a: ${x}, %v: ${w}):
    %m = "ttnn.matmul"(%a, %v) <{transpose_a = false, transpose_b = false}> : (${x}, ${w}) -> ${x}
    "ttnn.yield"(%m) : (${x}) -> ()
  }`;
  const custom = `ttnn.while inits(%x : ${x}) captures(%w : ${w}) cond ${region} do ${region} -> (${x})`;
  const spellings: Readonly<Record<string, string>> = {
    "ttnn.while": `"ttnn.while"(%x, %w) (${region}, ${region}) : (${x}, ${w}) -> ${x}`,
    "ttnn.case": `"ttnn.case"(%x, %w) (${region}, ${region}) : (${x}, ${w}) -> ${x}`,
  };
  for (const [name, op] of [...Object.entries(spellings), ["ttnn.while", custom] as const]) {
    const text = `${alias(32)}${alias(1024)}func.func @main(%x: ${x}, %w: ${w}) -> ${x} {
  %0 = ${op}
  return %0 : ${x}
}
`;
    const workbench = loadModule(text);
    const optimized = optimizeModule(workbench, getPolicy("auto"), DEFAULT_POLICY_OPTIONS);
    assertEquals(optimized.timeline.unpriced.map((op) => op.name), [name]);
    assertEquals(optimized.timeline.inference.totalUs, 0);
    const { summary } = planDocument(optimized, { input: "a.mlir", version: "0", wallMs: 0 });
    assertEquals(summary.unknownTimes, [name]);
  }
});

Deno.test("collectives read with the device as a further operand, as until November 2025", () => {
  const [part, whole] = ["tensor<32x1024xbf16, #a>", "tensor<32x2048xbf16, #b>"];
  const alias = (name: string, tiles: number) =>
    `#${name} = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<1x${tiles}x!ttcore.tile<32x32, bf16>, ` +
    "#ttnn.buffer_type<dram>>, <interleaved>>\n";
  const us = (operands: string, types: string, op: string, from: string, to: string) => {
    const text = `${alias("a", 32)}${alias("b", 64)}func.func @main(%x: ${from}) -> ${to} {
  %d = "ttnn.get_device"() <{mesh_shape = #ttnn<mesh_shape 1x2>}> : () -> !ttnn.device
  %0 = "ttnn.${op}"(${operands}) <{all_gather_dim = 1 : si32, scatter_dim = 1 : si32, reduce_type = #ttcore.reduce_type<sum>, cluster_axis = 1 : ui32}> : (${types}) -> ${to}
  return %0 : ${to}
}
`;
    const workbench = loadModule(text, { meshShape: [1, 2] });
    return optimizeModule(workbench, getPolicy("dram"), DEFAULT_POLICY_OPTIONS).timeline.inference.totalUs;
  };
  const cases = [["all_gather", part, whole], ["reduce_scatter", whole, part], [
    "all_reduce",
    part,
    part,
  ]] as const;
  for (const [op, from, to] of cases) {
    const now = us("%x", from, op, from, to);
    assert(now > 0, op);
    assertEquals(us("%x, %d", `${from}, !ttnn.device`, op, from, to), now, op);
  }
});

Deno.test("loadModule() refuses TTNN that calls a function of TTNN ops, and writes such calls of TTIR out", () => {
  const calling = (dialect: string, attributes: string) =>
    `func.func private @part(%x: tensor<64x64xbf16>) -> tensor<64x64xbf16>${attributes} {
  %0 = "${dialect}.exp"(%x) : (tensor<64x64xbf16>) -> tensor<64x64xbf16>
  return %0 : tensor<64x64xbf16>
}
func.func @main(%x: tensor<64x64xbf16>) -> tensor<64x64xbf16> {
  %0 = call @part(%x) : (tensor<64x64xbf16>) -> tensor<64x64xbf16>
  %1 = func.call @part(%0) : (tensor<64x64xbf16>) -> tensor<64x64xbf16>
  %2 = "${dialect}.relu"(%1) : (tensor<64x64xbf16>) -> tensor<64x64xbf16>
  return %2 : tensor<64x64xbf16>
}
`;
  const { diagnostics } = assertThrows(
    () => loadModule(calling("ttnn", "")),
    DiagnosticError,
    "Cannot evaluate a call of @part",
  );
  assertEquals(diagnostics.map(({ code, location }) => [code, location?.line]), [["input/device-call", 6]]);
  loadModule(calling("ttnn", ' attributes {tt.function_type = "forward_cpu"}'));
  const [main] = loadModule(calling("ttir", "")).binding.graph.functions;
  assertEquals(main?.ops.filter(({ name }) => name === "ttnn.exp").length, 2);
});

Deno.test("ops of other dialects have no time, in TTIR and in TTNN, and are reported", () => {
  const foreign = (around: string) =>
    `func.func @main(%x: tensor<64x64xbf16>) -> tensor<64x64xbf16> {
  %0 = "${around}.relu"(%x) : (tensor<64x64xbf16>) -> tensor<64x64xbf16>
  %1 = "stablehlo.tanh"(%0) : (tensor<64x64xbf16>) -> tensor<64x64xbf16>
  return %1 : tensor<64x64xbf16>
}
`;
  for (const [around, op] of [["ttir", 1], ["ttnn", 1]] as const) {
    const workbench = loadModule(foreign(around));
    assertEquals(workbench.remarks.filter(({ code }) => code === "load/kept").map(({ message }) => message), [
      "no lowering for stablehlo.tanh: 1 kept as written, time unknown",
    ]);
    const { timeline } = optimizeModule(workbench, getPolicy("greedy"), DEFAULT_POLICY_OPTIONS);
    assertEquals(timeline.unpriced.map((unknown) => [unknown.op, unknown.name]), [[op, "stablehlo.tanh"]]);
  }
});

Deno.test("loadModule() refuses text that cannot be simulated", () => {
  const refuse = (text: string, message: string) =>
    assertThrows(() => loadModule(text), DiagnosticError, message);
  refuse("module {", "module");
  refuse("func.func @main() {\n  return\n}\n", "it holds no TTNN or TTIR op; give");
  refuse(`"test.a"() : () -> ()\n`, "it holds no TTNN or TTIR op, but test.a;");
  refuse(ttir("stablehlo.abs"), "lower it to TTIR first: ttmlir-opt --stablehlo-to-ttir-pipeline;");
  refuse(ttir("tosa.abs"), "it holds tosa.abs; lower it to TTIR first");
  refuse(ttir("ttnn.relu").replace("(%x) :", "(%y) :"), "%y");
});

Deno.test("loadModule() names the missing decomposition of a composite, with its location", () => {
  const tensor = "tensor<64x64xbf16>";
  const composite = (declaration: string) =>
    `func.func @main(%x: ${tensor}) -> ${tensor} {
  %0 = "ttcore.composite"(%x) <{composite_name = "router", decomposition = @parts, composite_attributes = {}}> : (${tensor}) -> ${tensor}
  return %0 : ${tensor}
}
${declaration}`;
  const error = assertThrows(
    () => loadModule(composite(`func.func private @parts(${tensor}) -> ${tensor}\n`)),
    DiagnosticError,
    'it holds ttcore.composite "router", but no TTIR op that it stands for; give @parts a body of TTIR ops',
  );
  assertEquals(error.diagnostics.map(({ location }) => [location?.line, location?.column]), [[2, 8]]);
  const body = `func.func private @parts(%y: ${tensor}) -> ${tensor} {
  %0 = "ttir.relu"(%y) : (${tensor}) -> ${tensor}
  return %0 : ${tensor}
}
`;
  assertEquals(
    loadModule(composite(body)).binding.graph.functions[0]?.ops.map(({ name }) => name).includes("ttnn.relu"),
    true,
  );
});

Deno.test("of several modules the one that is compiled furthest is judged, or the one that is asked for", () => {
  const moduleOf = (op: string): string =>
    `module {\n  func.func @main(%x: tensor<32x32xbf16>) -> tensor<32x32xbf16> {
    %0 = "${op}"(%x) : (tensor<32x32xbf16>) -> tensor<32x32xbf16>
    return %0 : tensor<32x32xbf16>
  }\n}\n`;
  const logged = (name: string, op: string): string =>
    `2026-04-06 13:48:07.037 1| MLIR Module ${name}:\n${moduleOf(op)}------ END OF MLIR MODULE ------\n`;
  const dump = (pass: string, op: string): string =>
    `// -----// IR Dump After ${pass} (p) //----- //\n${moduleOf(op)}\n`;
  const read = (text: string, module?: string) => {
    const { remarks, binding } = loadModule(text, {
      device: "n150",
      fileName: "m.log",
      ...(module === undefined ? {} : { module }),
    });
    const [op] = binding.graph.functions[0]?.ops ?? [];
    const [first] = remarks;
    return [op?.name, first?.code === "load/module" ? first.message : undefined];
  };
  // Attributes of a dialect are no ops of it.
  const log =
    logged("shlo", "stablehlo.abs").replace("bf16>)", 'bf16> {mhlo.a = 1 : i32, ttir.name = "x"})') +
    logged("ttir", "ttir.abs") + logged("ttnn", "ttnn.relu") +
    logged("ttir", "ttir.neg");
  const held =
    "m.log holds 4 modules (1 shlo stablehlo, 2 ttir (line 10, @main, 1 op), 3 ttnn, 4 ttir (line 26, @main, 1 op))";
  assertEquals(read(log), ["ttnn.relu", `${held}; 3 ttnn is read, from line 18; --module names another`]);
  assertEquals(read(log, "ttir"), [
    "ttnn.neg",
    `${held}; 4 ttir (line 26, @main, 1 op), the last of 2 that match, is read, from line 26; --module names another`,
  ]);
  assertEquals(read(log, "2")[0], "ttnn.abs");
  for (const wanted of ["0", "5", "llvm"]) {
    const error = assertThrows(() => read(log, wanted), DiagnosticError);
    assertEquals(error.message, `Cannot read module '${wanted}' of m.log: it holds ${held.slice(23, -1)}`);
  }
  const dumps = dump("First", "ttir.abs") + dump("Last", "ttir.relu");
  assertEquals(read(dumps)[0], "ttnn.relu");
  assertEquals(read(dumps, "after first")[0], "ttnn.abs");
  // What a test checks the result for is no op of the module.
  const checked = ["abs", "neg", "relu"].map((op) => `// CHECK: "ttnn.${op}"\n${moduleOf(`ttir.${op}`)}`);
  assertEquals(read(checked.join("\n// -----\n\n")), [
    "ttnn.relu",
    "m.log holds 3 modules (1 ttir (line 1, @main, 1 op), 2 ttir (line 12, @main, 1 op), 3 ttir (line 22, @main, 1 op)); 3 ttir (line 22, @main, 1 op) is read, from line 22; --module names another",
  ]);
  // One after the other: never the sum of both.
  assertEquals(read(moduleOf("ttir.relu") + moduleOf("ttir.abs"))[0], "ttnn.abs");
  assertEquals(read(JSON.stringify({ content: moduleOf("ttir.relu") })), [
    "ttnn.relu",
    "m.log holds one module among other things, which is read: 1 content ttir",
  ]);
  const functions = moduleOf("ttir.relu").replace("@main", "@prefill") + moduleOf("ttir.abs");
  assertEquals([read(functions, "prefill")[0], read(functions, "@prefill")[0]], ["ttnn.relu", "ttnn.relu"]);
  assertEquals(read(moduleOf("ttir.relu"), "whatever"), [
    "ttnn.relu",
    "m.log is one module without a function of that name: --module whatever chooses nothing, and all of its functions are read",
  ]);
});

Deno.test("a format for weights that no weight gets is warned of", () => {
  const codes = (role: string) => {
    const text =
      `func.func @main(%x: tensor<64x64xbf16>, %w: tensor<64x64xbf16>${role}) -> tensor<64x64xbf16> {
  %0 = "ttir.matmul"(%x, %w) : (tensor<64x64xbf16>, tensor<64x64xbf16>) -> tensor<64x64xbf16>
  return %0 : tensor<64x64xbf16>
}`;
    const passes = { ...DEFAULT_PASS_OPTIONS, weightDtype: "bfp_bf8" as const };
    return loadModule(text, { device: "n150", passes }).remarks.map(({ code }) => code);
  };
  assertEquals(codes("").includes("load/weight-dtype"), true);
  assertEquals(
    codes(" {ttcore.argument_type = #ttcore.argument_type<parameter>}").includes("load/weight-dtype"),
    false,
  );
});

Deno.test("TTNN without layouts gets one error with its remedy", () => {
  const ttnn = (encoding: string, definition = "") =>
    `${definition}func.func @main(%x: tensor<64x64xbf16${encoding}>) -> tensor<64x64xbf16${encoding}> {
  %0 = "ttnn.relu"(%x) : (tensor<64x64xbf16${encoding}>) -> tensor<64x64xbf16${encoding}>
  return %0 : tensor<64x64xbf16${encoding}>
}
`;
  const { remarks } = loadModule(ttnn(""), { device: "n150" });
  assertEquals(remarks.map(({ code, severity }) => `${severity} ${code}`), ["warning load/no-layouts"]);
  assertStringIncludes(remarks[0]?.message ?? "", "operands of 1 op of module.mlir (ttnn.relu)");
  assertStringIncludes(remarks[0]?.message ?? "", "give the TTIR that they come from");
  const dram = "#dram = #ttnn.buffer_type<dram>\n#a = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, " +
    "memref<2x2x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>\n";
  assertEquals(loadModule(ttnn(", #a", dram), { device: "n150" }).remarks, []);
});

Deno.test("TTNN in formats that ttnn lacks gets a warning with the formats to write", () => {
  const ttnn = (format: string, tile: string = format) =>
    `#dram = #ttnn.buffer_type<dram>
#a = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<2x2x!ttcore.tile<32x32, ${tile}>, #dram>, <interleaved>>
func.func @main(%x: tensor<64x64x${format}, #a>) -> tensor<64x64x${format}, #a> {
  %0 = "ttnn.relu"(%x) : (tensor<64x64x${format}, #a>) -> tensor<64x64x${format}, #a>
  return %0 : tensor<64x64x${format}, #a>
}
`;
  const remarksOf = (text: string) =>
    loadModule(text, { device: "n150" }).remarks.map(({ code, message }) => `${code}: ${message}`);
  const lacks = "load/no-format: module.mlir has tensors of ";
  assertEquals(remarksOf(ttnn("f16")), [
    `${lacks}f16, which ttnn lacks, so that nothing runs on them; write them as bf16`,
  ]);
  assertEquals(remarksOf(ttnn("!ttcore.tile<32x32, bfp_f8>", "bfp_f8")), [
    `${lacks}bfp_f8, which ttnn lacks, so that nothing runs on them; write them as bf16, bfp_bf8 or bfp_bf4`,
  ]);
  assertEquals(remarksOf(ttnn("bf16")), []);
});

Deno.test("collectives of an unstated mesh get a hint on stating it", () => {
  const text = `func.func @main(%a: tensor<32x64xbf16>) -> tensor<32x64xbf16> {
  %0 = "ttir.all_reduce"(%a) <{cluster_axis = 1 : ui32, reduce_type = #ttcore.reduce_type<sum>}> : (tensor<32x64xbf16>) -> tensor<32x64xbf16>
  return %0 : tensor<32x64xbf16>
}`;
  const told = (meshShape?: readonly number[]) =>
    loadModule(text, { device: "t3000", ...(meshShape === undefined ? {} : { meshShape }) }).remarks
      .filter(({ code }) => code === "load/chips").map(({ message }) => message);
  assertStringIncludes(told()[0] ?? "", "give the mesh with --mesh-shape, such as 1x8");
  assertEquals(told([1, 8]), []);
});

Deno.test("options of upstream's passes, and chips without kernels, are reported", () => {
  const text = `module attributes {ttnn.tensor_l1_usage_cap = 8.000000e-01 : f32} {
  func.func @main(%x: tensor<64x64xbf16>) -> tensor<64x64xbf16> {
    %0 = "ttir.relu"(%x) : (tensor<64x64xbf16>) -> tensor<64x64xbf16>
    return %0 : tensor<64x64xbf16>
  }
}`;
  const told = (options: Parameters<typeof loadModule>[1]) =>
    loadModule(text, options).remarks.map(({ code }) => code).filter((code) => code !== "load/lowered");
  assertEquals(told({ device: "n150" }), ["load/l1-cap"]);
  assertEquals(told({ device: "n150", tensorL1UsageCap: 0.8 }), []);
  assertEquals(told({ device: "quasar", tensorL1UsageCap: 0.8 }), ["load/kernels"]);
});
