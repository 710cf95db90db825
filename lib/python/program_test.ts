// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals, assertMatch, assertStringIncludes, assertThrows } from "@std/assert";
import { DiagnosticError } from "../diagnostics/diagnostic.ts";
import { parseModule } from "../ir/mod.ts";
import { type PythonProgram, pythonProgram, type PythonProgramOptions } from "./program.ts";

const HEAD = `#dram = #ttnn.buffer_type<dram>
#l1 = #ttnn.buffer_type<l1>
#rows = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<64x64xbf16, #dram>, <interleaved>>
#tiles = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<2x2x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#height = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <2x1>, memref<1x2x!ttcore.tile<32x32, bf16>, #l1>, <height_sharded>, core_ranges = <[#ttnn.core_range<(0,0), (1,0)>]>>
`;

function program(body: string, options: Partial<PythonProgramOptions> = {}): PythonProgram {
  const module = parseModule(`${HEAD}${body}`, "test.mlir");
  return pythonProgram(module, { workerGrid: { rows: 8, columns: 8 }, title: "test", mesh: [], ...options });
}

/** The statements of a function, without its head, each as one line. */
function bodyOf({ text }: PythonProgram, name: string): readonly string[] {
  const lines = text.split("\n");
  const start = lines.findIndex((line) => line.startsWith(`def ${name}(`));
  const end = lines.findIndex((line, index) => index > start && line === "");
  return lines.slice(start + 1, end).join("\n").replace(
    /\(( {2}# .*)?\n([^]*?),\n {4}\)$/gm,
    (_, comment: string | undefined, items: string) =>
      `(${items.trim().replace(/\n\s*/g, " ")})${comment ?? ""}`,
  ).split("\n").map((line) => line.trim());
}

const CHAIN = `func.func @main(%arg0: tensor<64x64xbf16, #tiles>) -> tensor<64x64xbf16, #tiles> {
  %0 = "ttnn.to_memory_config"(%arg0) : (tensor<64x64xbf16, #tiles>) -> tensor<64x64xbf16, #height>
  %1 = "ttnn.relu"(%0) : (tensor<64x64xbf16, #height>) -> tensor<64x64xbf16, #height>
  FREE
  %2 = "ttnn.exp"(%1) : (tensor<64x64xbf16, #height>) -> tensor<64x64xbf16, #tiles>
  return %2 : tensor<64x64xbf16, #tiles>
}`;

Deno.test("the slope of elu is named, as ttnn asks", () => {
  const made = program(
    CHAIN.replace("FREE", "").replace(/"ttnn.relu"\(%0\)/, '"ttnn.elu"(%0) <{alpha = 5.000000e-01 : f32}>'),
  );
  assertStringIncludes(made.text, "ttnn.elu(moved_0, alpha=0.5, memory_config=HEIGHT_2x1_32x64)");
});

Deno.test("one statement per op, with its memory config by name and its shape behind it", () => {
  const made = program(
    CHAIN.replace("FREE", `"ttnn.deallocate"(%0) <{force = false}> : (tensor<64x64xbf16, #height>) -> ()`),
  );
  assertEquals(bodyOf(made, "main"), [
    "moved_0 = ttnn.to_memory_config(arg0, HEIGHT_2x1_32x64)  # 64x64",
    "relu_1 = ttnn.relu(moved_0, memory_config=HEIGHT_2x1_32x64)  # 64x64",
    "free(moved_0)",
    "exp_2 = ttnn.exp(relu_1, memory_config=DRAM)  # 64x64",
    "return [exp_2]",
  ]);
  assertStringIncludes(
    made.text,
    "HEIGHT_2x1_32x64 = sharded(ttnn.TensorMemoryLayout.HEIGHT_SHARDED, [(0, 0, 1, 0)], [32, 64])",
  );
  // Every op is found at its line.
  const lines = made.text.split("\n");
  assertEquals(made.ops.map(({ operation }) => operation.name), [
    "ttnn.to_memory_config",
    "ttnn.relu",
    "ttnn.exp",
  ]);
  for (const { line, results: [result] } of made.ops) {
    assert(lines[line - 1]?.includes(`${result?.text} = `), `line ${line}`);
  }
});

Deno.test("a text without deallocations frees after the last use", () => {
  const lines = bodyOf(program(CHAIN.replace("FREE", "")), "main");
  assertEquals(lines.filter((line) => /^(free|del)/.test(line)), [
    "free(moved_0)",
    "free(relu_1)",
  ]);
  assertEquals(lines[1]?.startsWith("relu_1"), true);
});

/** How functions say that they run once: before `tt.function_type`, and since. */
const SAYING_CONST_EVAL = ["const_eval", 'tt.function_type = "const_eval"'];

for (const saying of SAYING_CONST_EVAL) {
  Deno.test(`const-eval functions run once, before, and what they make is held among the weights: {${saying}}`, () => {
    const made = program(
      `func.func private @main_const_eval_0(%arg0: tensor<64x64xbf16, #rows>) -> tensor<64x64xbf16, #tiles> attributes {${saying}} {
  %0 = "ttnn.to_layout"(%arg0) : (tensor<64x64xbf16, #rows>) -> tensor<64x64xbf16, #tiles>
  return %0 : tensor<64x64xbf16, #tiles>
}
func.func @main(%arg0: tensor<64x64xbf16, #tiles> {ttcore.argument_type = #ttcore.argument_type<input>, ttir.name = "x"}, %arg1: tensor<64x64xbf16, #rows> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "layer.0.weight"}) -> tensor<64x64xbf16, #tiles> attributes {tt.function_type = "forward_device"} {
  %0 = ttcore.load_cached(@main_const_eval_0, [%arg1]) : (tensor<64x64xbf16, #rows>) -> tensor<64x64xbf16, #tiles>
  %1 = "ttnn.matmul"(%arg0, %0) <{transpose_a = false, transpose_b = true}> : (tensor<64x64xbf16, #tiles>, tensor<64x64xbf16, #tiles>) -> tensor<64x64xbf16, #tiles>
  return %1 : tensor<64x64xbf16, #tiles>
}`,
    );
    assertEquals(
      bodyOf(made, "prepare_main")[1],
      "weights.layer_0_weight = main_const_eval_0(device, weights.layer_0_weight)",
    );
    assertEquals(
      bodyOf(made, "main")[0],
      "layer_0 = ttnn.matmul(x, weights.layer_0_weight, transpose_b=True, dtype=ttnn.bfloat16, memory_config=DRAM)  # 64x64",
    );
    assertMatch(
      made.text,
      /\("layer_0_weight", "weight", \(64, 64\), ttnn\.bfloat16, ttnn\.ROW_MAJOR_LAYOUT, DRAM\)/,
    );
  });
}

Deno.test("const-eval functions that say the same are one, but where every op is to have its line", () => {
  const constEval = (index: number, shape: string) =>
    `func.func private @prepare_${index}(%arg0: ${shape}, #rows>) -> ${shape}, #tiles> attributes {tt.function_type = "const_eval"} {
  %0 = "ttnn.to_layout"(%arg0) : (${shape}, #rows>) -> ${shape}, #tiles>
  return %0 : ${shape}, #tiles>
}`;
  const load = (index: number, shape: string) =>
    `  %${index} = ttcore.load_cached(@prepare_${index}, [%arg${index}]) : (${shape}, #rows>) -> ${shape}, #tiles>`;
  const [square, other] = ["tensor<64x64xbf16", "tensor<2x32x64xbf16"] as const;
  const shapes = [square, square, other];
  const body = `${shapes.map((shape, index) => constEval(index, shape)).join("\n")}
func.func @main(${
    shapes.map((shape, index) =>
      `%arg${index}: ${shape}, #rows> {ttcore.argument_type = #ttcore.argument_type<parameter>}`
    ).join(", ")
  }) -> ${square}, #tiles> {
${shapes.map((shape, index) => load(index, shape)).join("\n")}
  %3 = "ttnn.add"(%0, %1) : (${square}, #tiles>, ${square}, #tiles>) -> ${square}, #tiles>
  return %3 : ${square}, #tiles>
}`;
  const shared = program(body);
  assertEquals(bodyOf(shared, "prepare_main").slice(1), [
    "weights.arg0 = to_layout(device, weights.arg0)",
    "weights.arg1 = to_layout(device, weights.arg1)",
    "weights.arg2 = to_layout(device, weights.arg2)",
  ]);
  assertEquals(bodyOf(shared, "to_layout"), [
    // What they make has several shapes.
    "to_layout_0 = ttnn.to_layout(arg0, ttnn.TILE_LAYOUT, memory_config=DRAM)",
    "return to_layout_0",
  ]);
  assert(!/def prepare_\d/.test(shared.text), "they are no functions of their own");
  assertEquals(program(body, { standIns: true }).ops.map(({ function: name }) => name), [
    "prepare_0",
    "prepare_1",
    "prepare_2",
    "main",
  ]);
});

Deno.test("constants in which const-eval functions differ are parameters of the one that stands for them", () => {
  const rows = "tensor<64x64xbf16, #rows>";
  const constEval = (index: number, ...layouts: readonly string[]) =>
    `func.func private @prepare_${index}(%arg0: ${rows}) -> tensor<64x64xbf16, ${
      layouts.at(-1)
    }> attributes {tt.function_type = "const_eval"} {
  %0 = "ttnn.to_layout"(%arg0) : (${rows}) -> tensor<64x64xbf16, ${layouts[0]}>
  %1 = "ttnn.relu"(%0) : (tensor<64x64xbf16, ${layouts[0]}>) -> tensor<64x64xbf16, ${layouts[0]}>
  %2 = "ttnn.to_memory_config"(%1) : (tensor<64x64xbf16, ${layouts[0]}>) -> tensor<64x64xbf16, ${layouts[1]}>
  return %2 : tensor<64x64xbf16, ${layouts[1]}>
}`;
  const types = ["#tiles", "#height", "#height"];
  const made = program(
    `${constEval(0, "#height", "#tiles")}
${constEval(1, "#tiles", "#height")}
${constEval(2, "#tiles", "#height")}
func.func @main(${
      types.map((_, index) =>
        `%arg${index}: ${rows} {ttcore.argument_type = #ttcore.argument_type<parameter>}`
      ).join(", ")
    }) -> tensor<64x64xbf16, #height> {
${
      types.map((type, index) =>
        `  %${index} = ttcore.load_cached(@prepare_${index}, [%arg${index}]) : (${rows}) -> tensor<64x64xbf16, ${type}>`
      ).join("\n")
    }
  return %1 : tensor<64x64xbf16, #height>
}`,
  );
  assertStringIncludes(made.text, "def moved(device, arg0, memory_config, memory):");
  assertEquals(bodyOf(made, "moved"), [
    "to_layout_0 = ttnn.to_layout(arg0, ttnn.TILE_LAYOUT, memory_config=memory_config)  # 64x64",
    "relu_1 = ttnn.relu(to_layout_0, memory_config=memory_config)  # 64x64",
    "free(to_layout_0)",
    "moved_2 = ttnn.to_memory_config(relu_1, memory)  # 64x64",
    "free(relu_1)",
    "return moved_2",
  ]);
  assertEquals(bodyOf(made, "prepare_main").slice(1), [
    "weights.arg0 = moved(device, weights.arg0, HEIGHT_2x1_32x64, DRAM)",
    "weights.arg1 = moved(device, weights.arg1, DRAM, HEIGHT_2x1_32x64)",
    "weights.arg2 = moved(device, weights.arg2, DRAM, HEIGHT_2x1_32x64)",
  ]);
});

Deno.test("weights stay whatever the text frees; a buffer that two variables may share goes with the last", () => {
  const tensor = "tensor<64x64xbf16, #tiles>";
  const free = (value: string) => `"ttnn.deallocate"(${value}) <{force = false}> : (${tensor}) -> ()`;
  const made = program(
    `func.func @main(%arg0: ${tensor}, %arg1: ${tensor} {ttcore.argument_type = #ttcore.argument_type<parameter>}) -> ${tensor} {
  %0 = "ttnn.add"(%arg0, %arg1) : (${tensor}, ${tensor}) -> ${tensor}
  ${free("%arg1")}
  ${free("%arg0")}
  %1 = "ttnn.reshape"(%0) <{shape = [64 : i32, 64 : i32]}> : (${tensor}) -> ${tensor}
  ${free("%0")}
  %2 = "ttnn.relu"(%1) : (${tensor}) -> ${tensor}
  ${free("%1")}
  return %2 : ${tensor}
}`,
  );
  assertEquals(bodyOf(made, "main").filter((line) => !line.includes(" = ")), [
    "free(arg0)",
    "del add_0",
    "del reshape_1",
    "return [relu_2]",
  ]);
});

Deno.test("an argument that a variable may share is freed once that is deleted", () => {
  const tensor = "tensor<64x64xbf16, #tiles>";
  const free = (value: string) => `"ttnn.deallocate"(${value}) <{force = false}> : (${tensor}) -> ()`;
  const made = program(
    `func.func @main(%arg0: ${tensor}) -> ${tensor} {
  %0 = "ttnn.reshape"(%arg0) <{shape = [64 : i32, 64 : i32]}> : (${tensor}) -> ${tensor}
  ${free("%arg0")}
  %1 = "ttnn.relu"(%0) : (${tensor}) -> ${tensor}
  ${free("%0")}
  return %1 : ${tensor}
}`,
  );
  assertEquals(bodyOf(made, "main").filter((line) => !line.includes(" = ")), [
    "free(arg0)",
    "del reshape_0",
    "free(arg0)",
    "return [relu_1]",
  ]);
});

const CONFIGURED = (activation: string, fused: string) =>
  `func.func @main(%arg0: tensor<64x64xbf16, #tiles>, %arg1: tensor<64x64xbf16, #tiles>) -> tensor<64x64xbf16, #tiles> {
  %0 = "ttnn.matmul"(%arg0, %arg1) <{${activation}matmul_program_config = #ttnn.matmul_multi_core_reuse_multi_cast_1d_program_config<compute_with_storage_grid_size = #ttnn.core_coord<8, 1>, in0_block_w = 2, out_subblock_h = 1, out_subblock_w = 1, out_block_h = 2, out_block_w = 1, per_core_m = 2, per_core_n = 1, fuse_batch = true, ${fused}mcast_in0 = true, gather_in0 = false, hop_cores = <[]>, num_global_cb_receivers = 0, untilize_out = false>}> : (tensor<64x64xbf16, #tiles>, tensor<64x64xbf16, #tiles>) -> tensor<64x64xbf16, #tiles>
  %1 = "ttnn.matmul"(%0, %arg1) <{matmul_program_config = #ttnn.matmul_multi_core_reuse_multi_cast_1d_program_config<compute_with_storage_grid_size = #ttnn.core_coord<8, 1>, in0_block_w = 2, out_subblock_h = 1, out_subblock_w = 1, out_block_h = 2, out_block_w = 1, per_core_m = 2, per_core_n = 1, fuse_batch = true, ${fused}mcast_in0 = true, gather_in0 = false, hop_cores = <[]>, num_global_cb_receivers = 0, untilize_out = false>}> : (tensor<64x64xbf16, #tiles>, tensor<64x64xbf16, #tiles>) -> tensor<64x64xbf16, #tiles>
  return %1 : tensor<64x64xbf16, #tiles>
}`;

Deno.test("equal configs have one name, and an activation is applied once", () => {
  const apart = program(CONFIGURED('activation = "silu", ', ""));
  assertEquals(apart.text.match(/MatmulMultiCoreReuseMultiCast1DProgramConfig/g)?.length, 1);
  assertStringIncludes(bodyOf(apart, "main")[0] ?? "", 'program_config=MATMUL_1D_2x1, activation="silu"');
  const fused = program(
    CONFIGURED('activation = "silu", ', "fused_activation = #ttnn.unary_with_param<op_type = silu>, "),
  );
  assertStringIncludes(fused.text, "fused_activation=ttnn.UnaryWithParam(ttnn.UnaryOpType.SILU)");
  assert(!(bodyOf(fused, "main")[0] ?? "").includes("activation="));
});

Deno.test("a slice between bounds on the device takes every element where the text says no step", () => {
  const [tiles, bounds] = [
    "tensor<64x64xbf16, #tiles>",
    "tensor<2xui32, #ttnn.ttnn_layout<(d0) -> (0, d0), <1x1>, memref<1x1x!ttcore.tile<32x32, u32>, #dram>, <interleaved>>>",
  ];
  const slice = (step: string) =>
    program(`func.func @main(%x: ${tiles}, %b: ${bounds}, %e: ${bounds}) -> ${tiles} {
  %0 = "ttnn.slice_dynamic"(%x, %b, %e)${step} : (${tiles}, ${bounds}, ${bounds}) -> ${tiles}
  return %0 : ${tiles}
}`).text;
  assertStringIncludes(slice(""), "ttnn.slice(x, b, e, [1, 1], memory_config=DRAM)");
  assertStringIncludes(
    slice(" <{step = [2 : i32, 1 : i32]}>"),
    "ttnn.slice(x, b, e, [2, 1], memory_config=DRAM)",
  );
});

Deno.test("a sparse product passes its marks, its program and how many pairs are marked", () => {
  const config = /#ttnn\.matmul_multi.*?untilize_out = false>/.exec(CONFIGURED("", ""))?.[0];
  const [tiles, result] = ["1x2x64x64", "1x2x1x2x64x64"].map((shape) => `tensor<${shape}xbf16, #tiles>`);
  const marks = "tensor<1x2x1x2xbf16, #rows>";
  const made = program(
    `func.func @main(%arg0: ${tiles}, %arg1: ${tiles}, %arg2: ${marks}) -> ${result} {
  %0 = "ttnn.sparse_matmul"(%arg0, %arg1, %arg2) <{is_input_a_sparse = false, is_input_b_sparse = true, nnz = 3 : i64, program_config = ${config}}> : (${tiles}, ${tiles}, ${marks}) -> ${result}
  return %0 : ${result}
}`,
  );
  assertMatch(
    bodyOf(made, "main")[0] ?? "",
    /ttnn\.sparse_matmul\(arg0, arg1, sparsity=arg2, program_config=MATMUL_1D_2x1, nnz=3, is_input_a_sparse=False, /,
  );
});

const UNKNOWN = `func.func @main(%arg0: tensor<64x64xbf16, #tiles>) -> tensor<64x64xbf16, #tiles> {
  %0 = "ttnn.flip"(%arg0) : (tensor<64x64xbf16, #tiles>) -> tensor<64x64xbf16, #tiles>
  %1 = "ttnn.relu"(%0) <{slope = 1.0 : f32}> : (tensor<64x64xbf16, #tiles>) -> tensor<64x64xbf16, #tiles>
  return %1 : tensor<64x64xbf16, #tiles>
}`;

Deno.test("every op that cannot be said is named, also one with a property that no argument carries", () => {
  const { diagnostics } = assertThrows(() => program(UNKNOWN), DiagnosticError);
  assertEquals(diagnostics.map(({ message, location }) => [location?.line, message]), [
    [7, "ttnn's Python cannot say this ttnn.flip: no call is known for it"],
    [8, "ttnn's Python cannot say this ttnn.relu: its property slope"],
  ]);
});

Deno.test("an argument of more dimensions than numpy has is named", () => {
  const dims = Array.from({ length: 33 }, (_, dim) => `d${dim}`);
  const layout = `#deep = #ttnn.ttnn_layout<(${dims.join(", ")}) -> (${
    dims.slice(0, -1).map((dim) => `${dim} * 64`).join(" + ")
  }, ${dims.at(-1)}), <1x1>, memref<64x64xbf16, #dram>, <interleaved>>`;
  const type = `tensor<${"1x".repeat(31)}64x64xbf16, #deep>`;
  const body = `${layout}
func.func @main(%arg0: ${type}) -> ${type} {
  return %arg0 : ${type}
}`;
  assertThrows(() => program(body), DiagnosticError, "the argument %arg0 of 33 dimensions; numpy has 32");
});

Deno.test("tensors of the declared types stand in for them where that is asked for", () => {
  const made = program(UNKNOWN, { standIns: true });
  assertEquals(made.ops.map(({ unsayable }) => unsayable), ["no call is known for it", "its property slope"]);
  assertMatch(bodyOf(made, "main")[0] ?? "", /^flip_0 = ttnn\.empty\(\[64, 64\], dtype=ttnn\.bfloat16/);
});

Deno.test("variables are valid, each taken once, and none hides what the program uses", () => {
  const made = program(
    `func.func @main(%ttnn: tensor<64x64xbf16, #tiles>, %lambda: tensor<64x64xbf16, #tiles>, %weights: tensor<64x64xbf16, #tiles>) -> tensor<64x64xbf16, #tiles> {
  %free = "ttnn.relu"(%ttnn) : (tensor<64x64xbf16, #tiles>) -> tensor<64x64xbf16, #tiles>
  %relu_1 = "ttnn.relu"(%lambda) : (tensor<64x64xbf16, #tiles>) -> tensor<64x64xbf16, #tiles>
  %1 = "ttnn.relu"(%weights) : (tensor<64x64xbf16, #tiles>) -> tensor<64x64xbf16, #tiles>
  return %1 : tensor<64x64xbf16, #tiles>
}`,
  );
  assertStringIncludes(made.text, "def main(device, weights, v_ttnn, v_lambda, v_weights):");
  const names = made.ops.map(({ results: [result] }) => result?.text);
  assertEquals(new Set(names).size, 3);
  assert(!names.includes("free"));
});

Deno.test("constants are written out, whatever the text spells them as", () => {
  const body = (value: string, element: string) =>
    `#c = #ttnn.ttnn_layout<(d0) -> (0, d0), <1x1>, memref<1x2xf32, #dram>, <interleaved>>
func.func @main() -> tensor<2xf32, #c> {
  %d = "ttnn.get_device"() <{mesh_shape = #ttnn<mesh_shape 1x1>}> : () -> !ttnn.device
  %0 = "ttnn.constant"(%d) <{value = dense<${value}> : tensor<2x${element}>}> : (!ttnn.device) -> tensor<2xf32, #c>
  return %0 : tensor<2xf32, #c>
}`;
  const of = (value: string, element = "f32") => bodyOf(program(body(value, element)), "main")[0] ?? "";
  assertStringIncludes(of("[1.5, -2.0]"), "numpy.array([1.5, -2.0], numpy.float32).reshape((2,))");
  assertStringIncludes(of("0xFF800000"), 'numpy.full((2,), float("-inf"), numpy.float32)');
  assertStringIncludes(of("0xFF80", "bf16"), 'numpy.full((2,), float("-inf"), numpy.float32)');
  // Infinity of an f16, which read as bits of a bf16 would be a finite number.
  assertThrows(() => of("0x7C00", "f16"), Error, "0x7C00");
  assertStringIncludes(
    of('"0x0000C03F000000C0"'),
    'numpy.frombuffer(bytes.fromhex("0000C03F000000C0"), numpy.float32)',
  );
});

Deno.test("collectives are calls along their axis; sums are all that ttnn reduces by", () => {
  const body = (type: string) =>
    `func.func @main(%arg0: tensor<64x64xbf16, #tiles>) -> tensor<64x64xbf16, #tiles> {
  %0 = "ttnn.all_reduce"(%arg0) <{cluster_axis = 1 : ui32, reduce_type = #ttcore.reduce_type<${type}>, topology = #ttcore.topology<linear>}> : (tensor<64x64xbf16, #tiles>) -> tensor<64x64xbf16, #tiles>
  return %0 : tensor<64x64xbf16, #tiles>
}`;
  assertEquals(
    bodyOf(program(body("sum"), { mesh: [1, 2] }), "main")[0],
    "all_reduce_0 = ttnn.all_reduce(arg0, cluster_axis=1, memory_config=DRAM, topology=ttnn.Topology.Linear)  # 64x64",
  );
  assertThrows(() => program(body("max"), { mesh: [1, 2] }), DiagnosticError, "a reduction by max");
  assertThrows(() => program(body("sum"), { mesh: [2, 1] }), DiagnosticError, "mesh 2x1, which has one chip");
  assertThrows(() => program(body("sum")), DiagnosticError, "--mesh-shape says how many");
});

Deno.test("a chip sends to another into the tensor that the text has for it", () => {
  const sent = (receiver: string) =>
    `func.func @main(%arg0: tensor<64x64xbf16, #tiles>, %arg1: tensor<64x64xbf16, #tiles>) -> tensor<64x64xbf16, #tiles> {
  %0 = "ttnn.point_to_point"(%arg0, %arg1) <{receiver_coord = array<i64: ${receiver}>, sender_coord = array<i64: 0, 0>}> : (tensor<64x64xbf16, #tiles>, tensor<64x64xbf16, #tiles>) -> tensor<64x64xbf16, #tiles>
  return %0 : tensor<64x64xbf16, #tiles>
}`;
  assertStringIncludes(
    bodyOf(program(sent("0, 1"), { mesh: [1, 2] }), "main")[0] ?? "",
    "ttnn.point_to_point(arg0, ttnn.MeshCoordinate(0, 0), ttnn.MeshCoordinate(0, 1), output_tensor=arg1)",
  );
  assertThrows(() => program(sent("1"), { mesh: [1, 2] }), DiagnosticError, "by 1 of 2 coordinates");
});

const HOST =
  `#host = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<64x64xbf16, #ttnn.buffer_type<system_memory>>>
`;

Deno.test("host tensors are distributed over a mesh and put together by mappers of the text's placements", () => {
  const body = `${HOST}func.func @main(%arg0: tensor<64x128xbf16, #host>) -> tensor<64x128xbf16, #host> {
  %0 = "ttnn.get_device"() <{mesh_shape = #ttnn<mesh_shape 1x2>}> : () -> !ttnn.device
  %1 = "ttnn.distribute_tensor"(%arg0, %0) <{mapper_config = #ttnn.mesh_mapper_config<placements = [<replicate, -1 : i32>, <shard, 1 : i32>], mesh_shape_override = [1 : ui32, 2 : ui32]>}> : (tensor<64x128xbf16, #host>, !ttnn.device) -> tensor<64x64xbf16, #host>
  %2 = "ttnn.aggregate_tensor"(%1, %0) <{composer_config = #ttnn.mesh_composer_config<dims = [0 : i32, 1 : i32], mesh_shape_override = [1 : ui32, 2 : ui32]>}> : (tensor<64x64xbf16, #host>, !ttnn.device) -> tensor<64x128xbf16, #host>
  return %2 : tensor<64x128xbf16, #host>
}`;
  assertEquals(bodyOf(program(body, { mesh: [1, 2] }), "main").slice(0, 2), [
    "distribute_tensor_1 = ttnn.distribute_tensor(arg0, ttnn.create_mesh_mapper(device, ttnn.MeshMapperConfig([ttnn.PlacementReplicate(), ttnn.PlacementShard(1)], mesh_shape_override=ttnn.MeshShape([1, 2]))))  # 64x64",
    "aggregate_tensor_2 = ttnn.aggregate_tensor(distribute_tensor_1, ttnn.create_mesh_composer(device, ttnn.MeshComposerConfig([0, 1], mesh_shape_override=ttnn.MeshShape([1, 2]))))  # 64x128",
  ]);
});

Deno.test("a norm over chips has the semaphore that the text makes, and its configs by name", () => {
  const body =
    `func.func @main(%arg0: tensor<64x64xbf16, #height>, %arg1: tensor<64x64xbf16, #height>) -> tensor<64x64xbf16, #height> {
  %0 = "ttnn.get_device"() <{mesh_shape = #ttnn<mesh_shape 1x2>}> : () -> !ttnn.device
  %1 = "ttnn.create_global_semaphore"(%0) <{core_range_set = #ttnn.core_range_set<[#ttnn.core_range<(0,0), (7,7)>]>, initial_value = 0 : ui32}> : (!ttnn.device) -> !ttnn.global_semaphore
  %2 = "ttnn.distributed_rms_norm"(%arg0, %arg1, %1, %0) <{cluster_axis = 1 : ui32, epsilon = 1.0e-05 : f32, operandSegmentSizes = array<i32: 1, 0, 0, 1, 1, 1>, program_config = #ttnn.layernorm_sharded_multicore_program_config<compute_with_storage_grid_size = <2, 1>, subblock_w = 1, block_h = 1, block_w = 2, inplace = false>}> : (tensor<64x64xbf16, #height>, tensor<64x64xbf16, #height>, !ttnn.global_semaphore, !ttnn.device) -> tensor<64x64xbf16, #height>
  return %2 : tensor<64x64xbf16, #height>
}`;
  const made = program(body, { mesh: [1, 2] });
  assertEquals(bodyOf(made, "main").slice(0, 2), [
    "semaphore = ttnn.create_global_semaphore(device, CORES_8x8, 0)",
    "distributed_rms_norm_2 = ttnn.fused_rms_minimal(arg0, NORM_1x2, 1, device, semaphore, memory_config=HEIGHT_2x1_32x64, epsilon=0.00001, stats=arg1)  # 64x64",
  ]);
});
