// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals } from "@std/assert";
import { corpusFiles, corpusName, corpusTest } from "../../testing/corpus.ts";
import { parseModule, parseModules } from "../ir/mod.ts";
import { createdLayouts, verifyModule, type VerifyOptions } from "./verify_module.ts";

const ALIASES = `#dram = #ttnn.buffer_type<dram>
#l1 = #ttnn.buffer_type<l1>
#host = #ttnn.buffer_type<system_memory>
#a = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<2x2x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#rm = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<64x64xbf16, #dram>, <interleaved>>
#f32 = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<2x2x!ttcore.tile<32x32, f32>, #dram>, <interleaved>>
#hs = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <2x1>, memref<1x2x!ttcore.tile<32x32, bf16>, #l1>, <height_sharded>, core_ranges = <[#ttnn.core_range<(0,0), (1,0)>]>>
#far = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <2x1>, memref<1x2x!ttcore.tile<32x32, bf16>, #l1>, <height_sharded>, core_ranges = <[#ttnn.core_range<(8,0), (9,0)>]>>
#nocores = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<2x2x!ttcore.tile<32x32, bf16>, #l1>, <block_sharded>, core_ranges = <>>
#blockdram = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<2x2x!ttcore.tile<32x32, bf16>, #dram>, <block_sharded>, core_ranges = <[#ttnn.core_range<(0,0), (0,0)>]>>
#wrongmemref = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<3x7x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#wrongmap = #ttnn.ttnn_layout<(d0, d1) -> (d0 * 2, d1), <1x1>, memref<2x2x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
`;
const T = "tensor<64x64xbf16, #a>";
const WORKER_GRID = { rows: 8, columns: 8 };

function codes(body: string, options: VerifyOptions = {}): string[] {
  const module = parseModule(ALIASES + body, "v.mlir");
  return verifyModule(module, { workerGrid: WORKER_GRID, ...options }).map(({ code, severity }) =>
    `${severity} ${code}`
  );
}

/** A function with an argument `%x: T` and the given ops. */
function inFunction(ops: string, result = "%x", type = T): string {
  return `func.func @f(%x: ${T}) -> ${type} {\n${ops}\n  return ${result} : ${type}\n}`;
}

/** A function whose only op produces a tensor of the given type without operands. */
function makes(type: string): string {
  return `func.func @f() -> ${type} {\n  %0 = "x.make"() : () -> ${type}\n  return %0 : ${type}\n}`;
}

Deno.test("verifyModule() finds nothing in a correct module", () => {
  assertEquals(
    codes(inFunction(
      `%0 = "ttnn.add"(%x, %x) : (${T}, ${T}) -> ${T}
       %1 = "ttnn.to_memory_config"(%0) : (${T}) -> tensor<64x64xbf16, #hs>
       "ttnn.deallocate"(%0) <{force = false}> : (${T}) -> ()
       %2 = "ttnn.to_memory_config"(%1) : (tensor<64x64xbf16, #hs>) -> ${T}`,
      "%2",
    )),
    [],
  );
});

Deno.test("verifyModule() V1: a use before the definition, also from inside the defining op", () => {
  assertEquals(
    codes(inFunction(`%0 = "ttnn.relu"(%1) : (${T}) -> ${T}\n%1 = "ttnn.relu"(%x) : (${T}) -> ${T}`)),
    ["error V1/dominance"],
  );
  assertEquals(
    codes(inFunction(`%0 = "x.loop"() ({ "x.use"(%0) : (${T}) -> () }) : () -> ${T}`)),
    ["error V1/dominance"],
  );
  assertEquals(codes(inFunction(`"x.loop"() ({ "x.use"(%x) : (${T}) -> () }) : () -> ()`)), []);
});

Deno.test("verifyModule() V2: to_layout reads with the device operand that it had until 2025", () => {
  const device = `%d = "ttnn.get_device"() <{mesh_shape = #ttnn<mesh_shape 1x1>}> : () -> !ttnn.device`;
  const move = `%0 = "ttnn.to_layout"(%x, %d) : (${T}, !ttnn.device) -> ${T}`;
  assertEquals(codes(inFunction(`${device}\n${move}`)).filter((code) => code.includes("V2")), []);
});

Deno.test("verifyModule() V2: operand types as defined, aliases seen through; operand counts", () => {
  assertEquals(
    codes(inFunction(`%0 = "ttnn.relu"(%x) : (tensor<64x64xbf16, #hs>) -> tensor<64x64xbf16, #a>`)),
    ["error V2/operand-type"],
  );
  const inline =
    "tensor<64x64xbf16, #ttnn.ttnn_layout<(d0,d1) -> (d0,d1), <1x1>, memref<2x2x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>>";
  assertEquals(codes(inFunction(`%0 = "ttnn.relu"(%x) : (${inline}) -> ${T}`)), []);
  assertEquals(codes(inFunction(`%0 = "ttnn.relu"(%x, %x) : (${T}, ${T}) -> ${T}`)), [
    "error V2/operand-count",
  ]);
  assertEquals(codes(inFunction(`%0 = "ttnn.linear"(%x) : (${T}) -> ${T}`)), ["error V2/operand-count"]);
});

Deno.test("verifyModule() V2: as many results as the op has, of ops that we know", () => {
  const two = (name: string): readonly string[] =>
    codes(inFunction(`%0, %1 = "${name}"(%x) : (${T}) -> (${T}, ${T})`)).filter((code) =>
      code.includes("V2")
    );
  assertEquals(two("ttnn.relu"), ["error V2/result-count"]);
  assertEquals(two("ttnn.of_the_future"), []);
  assertEquals(
    codes(inFunction(`%0 = "ttnn.sort"(%x) <{dim = -1 : si8}> : (${T}) -> ${T}`)).filter((code) =>
      code.includes("V2")
    ),
    ["error V2/result-count"],
  );
});

Deno.test("verifyModule() V2: text that hands ops the tensors to write to is called by its age", () => {
  const called = (op: string): number => {
    const module = parseModule(ALIASES + inFunction(`  %e = "ttnn.empty"() : () -> ${T}\n  ${op}`), "v.mlir");
    const messages = verifyModule(module, { workerGrid: WORKER_GRID }).map(({ message }) => message);
    return messages.filter((message) => message.includes("before mid 2025")).length;
  };
  assertEquals(called(`%0 = "ttnn.relu"(%x, %e) : (${T}, ${T}) -> ${T}`), 1);
  const sort = (values: string, indices: string): string =>
    `%0, %1 = "ttnn.sort"(%x, ${values}, ${indices}) <{dim = -1 : si8}> : (${T}, ${T}, ${T}) -> (${T}, ${T})`;
  assertEquals(called(sort("%e", "%e")), 1);
  assertEquals(called(sort("%e", "%x")), 0);
});

Deno.test("verifyModule() V3: no function calls itself, through others or not", () => {
  const calling = (name: string, ...callees: string[]) =>
    `func.func @${name}(%x: ${T}) -> ${T} {\n` +
    callees.map((callee, index) => `  %${index} = call @${callee}(%x) : (${T}) -> ${T}\n`).join("") +
    `  return %x : ${T}\n}\n`;
  assertEquals(codes(calling("f", "f")), ["error V3/recursion"]);
  assertEquals(codes(calling("f", "g") + calling("g", "h") + calling("h", "f")), ["error V3/recursion"]);
  assertEquals(codes(calling("f", "g", "h", "g") + calling("g", "h") + calling("h")), []);
  // A chain longer than the stack depth, and the same one closed to a cycle.
  const chain = Array.from({ length: 10_000 }, (_, level) => calling(`f${level}`, `f${level + 1}`)).join("");
  assertEquals(codes(chain + calling("f10000")), []);
  assertEquals(codes(chain + calling("f10000", "f0")), ["error V3/recursion"]);
});

Deno.test("verifyModule() V3: return, call, unknown and duplicate functions", () => {
  assertEquals(
    codes(`func.func @f(%x: ${T}) -> tensor<64x64xbf16, #hs> {\n  return %x : ${T}\n}`),
    ["error V3/return"],
  );
  assertEquals(codes(`func.func @f(%x: ${T}) {\n  return %x : ${T}\n}`), ["error V3/return"]);
  assertEquals(
    codes(
      `func.func private @g(${T}) -> ${T}\n` +
        inFunction(`%0 = call @g(%x) : (${T}) -> tensor<64x64xbf16, #hs>\n%1 = call @h(%x) : (${T}) -> ${T}`),
    ),
    ["error V3/call-results", "error V3/unknown-callee"],
  );
  assertEquals(codes(`func.func private @g()\nfunc.func private @g()`), ["error V3/duplicate-symbol"]);
  assertEquals(codes(`ttcore.device @d = <a>\nttcore.device @d = <a>`), ["error V3/duplicate-symbol"]);
  assertEquals(codes(`func.func @f() {\n  return\n  return\n}`), ["error V3/terminator"]);
  assertEquals(codes(`func.func @f() {\n  ttcore.global @g = i32\n}`), ["error V3/terminator"]);
  assertEquals(codes(`ttnn.new_form %0 : i32`.replace("%0 ", "@x ")), ["warning V2/unread-form"]);
  assertEquals(
    codes(`module {\n func.func private @g()\n module {\n func.func private @g()\n }\n}`),
    [],
    "nested modules have symbols of their own",
  );
});

Deno.test("verifyModule() V5: the rules of upstream's layout verifier", () => {
  assertEquals(codes(makes("tensor<64x64xbf16, #nocores>")), ["error V5/core-ranges/required"]);
  assertEquals(codes(makes("tensor<?x64xbf16, #a>")), ["error V5/dynamic-shape"]);
  assertEquals(codes(makes("tensor<64x64xbf16, #blockdram>")), ["error V5/memory-layout/dram-block-sharded"]);
  assertEquals(codes(makes("tensor<64x64x!ttcore.tile<32x32, bfp_bf8>, #rm>")), ["error V5/block-float"]);
});

Deno.test("verifyModule() V5: the grid of worker cores on a tensor in DRAM is an old compiler's, or an error", () => {
  const layout = (grid: string) =>
    `#ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <${grid}>, memref<1x1x!ttcore.tile<32x32, bf16>, ` +
    "#ttnn.buffer_type<dram>>, <interleaved>>";
  const found = (grid: string) => codes(makes(`tensor<64x64xbf16, ${layout(grid)}>`));
  assertEquals(found("8x8, (d0, d1) -> (0, d0, d1)"), ["warning V5/grid/one-by-one"]);
  assertEquals(found("8x8"), ["error V5/grid/one-by-one"]);
});

Deno.test("verifyModule() V6 and V7: warnings on the input, errors on created layouts", () => {
  assertEquals(codes(makes("tensor<64x64xbf16, #wrongmemref>")), ["warning V6/memref-shape"]);
  const isCreated = () => true;
  assertEquals(codes(makes("tensor<64x64xbf16, #wrongmemref>"), { isCreated }), ["error V6/memref-shape"]);
  assertEquals(codes(makes("tensor<64x64xbf16, #wrongmap>"), { isCreated }), ["error V6/map"]);
  assertEquals(codes(makes("tensor<1x64x64xbf16, #a>"), { isCreated }), ["error V6/map-rank"]);
  assertEquals(codes(makes("tensor<64x64xf32, #a>"), { isCreated }), ["error V7/element-type"]);
});

Deno.test("verifyModule() V6: a scalar in a shard may have the map of the matrix that holds it, one in DRAM may not", () => {
  const found = (memory: string) =>
    codes(makes(
      `tensor<bf16, #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<1x1x!ttcore.tile<32x32, bf16>, ${memory}>>`,
    ));
  assertEquals(found("#l1>, <height_sharded>, core_ranges = <[#ttnn.core_range<(0,0), (0,0)>]>"), []);
  assertEquals(found("#dram>, <interleaved>"), ["warning V6/map-rank"]);
});

Deno.test("verifyModule() V8 and V12: properties and memory ops say what the result type says", () => {
  const op = (name: string, properties: string, layout: string) =>
    inFunction(`%0 = "ttnn.${name}"(%x) <{${properties}}> : (${T}) -> tensor<64x64xbf16, #${layout}>`);
  const spec = (shape: string) =>
    `memory_config = #ttnn.memory_config<#l1, <height_sharded>, #ttnn.shard_spec<<[#ttnn.core_range<(0,0), (1,0)>]>, <${shape}>, <row_major>>>`;
  assertEquals(codes(op("to_memory_config", spec("32x64"), "hs")), []);
  assertEquals(codes(op("to_memory_config", spec("64x64"), "hs")), ["error V8/memory_config"]);
  assertEquals(
    codes(op("to_memory_config", "memory_config = #ttnn.memory_config<#dram, <interleaved>>", "hs")),
    ["error V8/memory_config"],
  );
  assertEquals(codes(op("relu", "dtype = #ttcore.supportedDataTypes<f32>", "a")), ["error V8/dtype"]);
  assertEquals(codes(op("to_layout", "layout = #ttnn.layout<tile>", "rm")), ["error V8/layout"]);
  const bare = (name: string, layout: string) =>
    inFunction(`%0 = "ttnn.${name}"(%x) : (${T}) -> tensor<64x64xbf16, #${layout}>`);
  assertEquals(codes(bare("to_layout", "hs")), ["warning V12/to-layout"]);
  const isCreated = () => true;
  assertEquals(codes(bare("to_layout", "hs"), { isCreated }), ["error V12/to-layout"]);
  assertEquals(codes(bare("to_memory_config", "rm"), { isCreated }), ["error V12/to-memory-config"]);
});

Deno.test("verifyModule() V9: shards on cores of the device", () => {
  assertEquals(codes(makes("tensor<64x64xbf16, #far>")), ["error V9/worker-grid"]);
  assertEquals(codes(makes("tensor<64x64xbf16, #far>"), { workerGrid: { rows: 10, columns: 13 } }), []);
});

Deno.test("verifyModule() V9: no core of a grid is left without a tile", () => {
  const sharded = (rows: number) =>
    makes(
      `tensor<128x64xbf16, #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <${rows}x1>, memref<1x2x!ttcore.tile<32x32, bf16>, ` +
        `#l1>, <height_sharded>, core_ranges = <[#ttnn.core_range<(0,0), (${rows - 1},0)>]>>>`,
    );
  assertEquals(codes(sharded(4)), []);
  assertEquals(codes(sharded(8)), ["warning V9/empty-cores"]);
  assertEquals(codes(sharded(8), { isCreated: () => true }), ["warning V9/empty-cores"]);
});

Deno.test("verifyModule() V9: a kernel may keep the grid of what it reads", () => {
  const onGrid = (tiles: number): string =>
    `tensor<${
      32 * tiles
    }x64xbf16, #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <8x1>, memref<1x2x!ttcore.tile<32x32, bf16>, ` +
    "#l1>, <height_sharded>, core_ranges = <[#ttnn.core_range<(0,0), (7,0)>]>>>";
  const cut = (from: string): string =>
    inFunction(
      `%0 = "x.make"() : () -> ${from}\n%1 = "x.cut"(%0) : (${from}) -> ${onGrid(1)}`,
    );
  assertEquals(codes(cut(onGrid(8))), []);
  assertEquals(codes(cut("tensor<64x64xbf16, #hs>")), ["warning V9/empty-cores"]);
  // A reduction of eight height shards that is asked for width shards leaves them on the same cores.
  const wide = (cores: number): string =>
    `tensor<256x64xbf16, #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x${cores}>, memref<8x1x!ttcore.tile<32x32, bf16>, ` +
    `#l1>, <width_sharded>, core_ranges = <[#ttnn.core_range<(0,0), (${cores - 1},0)>]>>>`;
  const summed = (cores: number): string =>
    inFunction(
      `%0 = "x.make"() : () -> ${onGrid(8)}\n%1 = "x.sum"(%0) : (${onGrid(8)}) -> ${wide(cores)}`,
    );
  assertEquals([codes(summed(8)), codes(summed(4))], [[], ["warning V9/empty-cores"]]);
});

Deno.test("verifyModule() V9: a convolution keeps the rows of what it reads, and its columns are its own", () => {
  const blocks = (shape: string, rows: number, columns: number, memref: string): string =>
    `tensor<${shape}xbf16, #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <${rows}x${columns}>, memref<${memref}, #l1>, ` +
    `<block_sharded>, core_ranges = <[#ttnn.core_range<(0,0), (${columns - 1},${rows - 1})>]>>>`;
  const made = blocks("64x64", 8, 2, "1x1x!ttcore.tile<32x32, bf16>");
  const convolved = (from: string): string =>
    inFunction(`%0 = "x.make"() : () -> ${from}\n%1 = "x.convolve"(%0) : (${from}) -> ${made}`);
  assertEquals(codes(convolved(blocks("64x64", 8, 1, "8x64xbf16"))), []);
  assertEquals(codes(convolved(blocks("64x64", 4, 2, "16x32xbf16"))), ["warning V9/empty-cores"]);
});

Deno.test("verifyModule() V10: operandSegmentSizes adds up", () => {
  assertEquals(
    codes(inFunction(
      `%0 = "ttnn.rms_norm"(%x) <{operandSegmentSizes = array<i32: 1, 1, 0>}> : (${T}) -> ${T}`,
    )),
    ["error V10/operand-segments"],
  );
});

Deno.test("verifyModule() V11: shapes that operands and attributes imply", () => {
  const plain = (shape: string) => `tensor<${shape}xf32>`;
  const op = (name: string, properties: string, inputs: string[], result: string) => {
    const names = inputs.map((_, index) => `%a${index}`);
    const declared = inputs.map((shape, index) => `%a${index}: ${plain(shape)}`).join(", ");
    return codes(
      `func.func @f(${declared}) {
         %0 = "ttnn.${name}"(${names.join(", ")}) <{${properties}}> : (${inputs.map(plain).join(", ")}) -> ${
        plain(result)
      }
         return
       }`,
    );
  };
  const bad = ["error V11/shape"];
  assertEquals(op("add", "", ["1x512", "4x1"], "4x512"), []);
  assertEquals(op("add", "", ["1x512", "4x1"], "1x512"), bad);
  assertEquals(op("add", "", ["2x512", "4x512"], "4x512"), bad);
  assertEquals(op("reshape", "shape = [2 : i32, 3 : i32]", ["6"], "2x3"), []);
  assertEquals(op("reshape", "shape = [3 : i32, 2 : i32]", ["6"], "2x3"), bad);
  assertEquals(op("reshape", "", ["6"], "7"), bad);
  assertEquals(op("permute", "permutation = array<i64: 1, 0>", ["2x3"], "3x2"), []);
  assertEquals(op("permute", "permutation = array<i64: 1, 1>", ["2x3"], "3x3"), bad);
  assertEquals(op("transpose", "dim0 = -2 : si32, dim1 = -1 : si32", ["5x2x3"], "5x3x2"), []);
  assertEquals(op("concat", "dim = 1 : si32", ["2x3", "2x4"], "2x7"), []);
  assertEquals(op("concat", "dim = 1 : si32", ["2x3", "3x4"], "2x7"), bad);
  const slice = "begins = [0 : i32, 1 : i32], ends = [2 : i32, 7 : i32], step = [1 : i32, 2 : i32]";
  assertEquals(op("slice_static", slice, ["2x8"], "2x3"), []);
  assertEquals(op("slice_static", slice, ["2x6"], "2x3"), bad);
  assertEquals(op("repeat", "repeat_dims = #ttnn.shape<2x1>", ["2x3"], "4x3"), []);
  assertEquals(op("pad", "padding = array<i32: 0, 0, 1, 2>", ["2x3"], "2x6"), []);
  assertEquals(op("mean", "dim_arg = [-1 : i32], keep_dim = true", ["2x3"], "2x1"), []);
  assertEquals(op("sum", "keep_dim = false", ["2x3"], "2"), bad);
  assertEquals(op("matmul", "transpose_b = true", ["5x2x3", "4x3"], "5x2x4"), []);
  assertEquals(op("matmul", "transpose_b = false", ["5x2x3", "4x3"], "5x2x4"), bad);
  assertEquals(op("linear", "", ["2x3", "3x4", "7x1x4"], "7x2x4"), []);
});

Deno.test("verifyModule() V13: deallocated once, not used or returned afterwards", () => {
  const free = `"ttnn.deallocate"(%0) <{force = false}> : (${T}) -> ()`;
  const make = `%0 = "ttnn.relu"(%x) : (${T}) -> ${T}`;
  assertEquals(codes(inFunction(`${make}\n${free}`)), []);
  assertEquals(codes(inFunction(`${make}\n${free}\n${free}`)), ["error V13/double-deallocate"]);
  assertEquals(
    codes(inFunction(`${make}\n${free}\n%1 = "ttnn.relu"(%0) : (${T}) -> ${T}`)),
    ["error V13/use-after-deallocate"],
  );
  assertEquals(codes(inFunction(`${make}\n${free}`, "%0")), ["error V13/use-after-deallocate"]);
});

Deno.test("verifyModule() V15: op configs that lack a field, and fields that we cannot read, at their place", () => {
  const matmul = (compute: string) =>
    `%0 = "ttnn.matmul"(%x, %x) <{compute_config = #ttnn.device_compute_kernel_config<${compute}>}> : (${T}, ${T}) -> ${T}`;
  assertEquals(codes(inFunction(matmul("math_fidelity = hifi4"))), []);
  assertEquals(codes(inFunction(matmul("math_fidelity = hifi4, newer = 1"))), ["warning V15/op-config"]);
  const config =
    "matmul_program_config = #ttnn.matmul_multi_core_reuse_multi_cast_dram_sharded_program_config<" +
    "in0_block_w = 0, per_core_n = 4>";
  const module = parseModule(
    ALIASES + inFunction(`%0 = "ttnn.matmul"(%x, %x) <{${config}}> : (${T}, ${T}) -> ${T}`),
    "v.mlir",
  );
  const diagnostics = verifyModule(module);
  assertEquals(diagnostics.map(({ severity, message }) => [severity, message]), [
    [
      "error",
      "matmul_program_config of 'ttnn.matmul' is not read: in0_block_w = 0 is not a valid value, it takes an integer " +
      "of at least 1",
    ],
    ["error", "matmul_program_config of 'ttnn.matmul' is not read: per_core_m is missing"],
  ]);
  assertEquals(diagnostics.map(({ location }) => location?.offset), [
    module.text.indexOf(config),
    module.text.indexOf(config),
  ]);
});

Deno.test("verifyModule() V15: configs of ops that have none", () => {
  const chunks =
    "program_config = #ttnn.sdpa_program_config<compute_with_storage_grid_size = #ttnn.core_coord<8, 8>, " +
    "q_chunk_size = 32, k_chunk_size = 32>";
  const attention = (name: string) =>
    `%0 = "ttnn.${name}"(%x, %x, %x) <{${chunks}, is_causal = true, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0${
      name.endsWith("decode") ? "" : ", 0, 0"
    }>}> : (${T}, ${T}, ${T}) -> ${T}`;
  assertEquals(codes(inFunction(attention("scaled_dot_product_attention_decode"))), []);
  assertEquals(codes(inFunction(attention("scaled_dot_product_attention"))), ["error V15/op-config"]);
  const wrong = `%0 = "ttnn.relu"(%x) <{conv2d_config = #ttnn.conv2d_config<>}> : (${T}) -> ${T}`;
  assertEquals(codes(inFunction(wrong)), ["error V15/op-config"]);
});

Deno.test("createdLayouts() tells new and changed aliases from those of the input", () => {
  const input = parseModule(ALIASES + makes(T), "in.mlir");
  const output = parseModule(
    (ALIASES + makes(T)).replace("#hs =", "#new = 1 : i32\n#hs =").replace(
      "<2x1>, memref<1x2x",
      "<1x1>, memref<2x2x",
    ),
    "out.mlir",
  );
  const isCreated = createdLayouts(input, output);
  assertEquals(["#a", "#new", "#hs"].map(isCreated), [false, true, true]);
});

corpusTest("verifyModule() finds no error in the dumps and in what upstream lowered", () => {
  let modules = 0;
  const files = [...corpusFiles("dumps"), ...corpusFiles("models"), ...corpusFiles("lowered/models")];
  for (const path of files) {
    for (const module of parseModules(Deno.readTextFileSync(path), corpusName(path))) {
      const errors = verifyModule(module).filter(({ severity }) => severity === "error");
      assertEquals(errors.slice(0, 3), []);
      modules++;
    }
  }
  assert(modules > 150);
});

Deno.test("verifyModule() V19: an index is an integer, or bf16", () => {
  const looksUp = (index: string, table: string = T): string =>
    `func.func @f() -> ${table} {\n  %0 = "x.make"() : () -> ${index}\n  %1 = "x.make"() : () -> ${table}\n` +
    `  %2 = "ttnn.gather"(%1, %0) <{dim = 0 : si32}> : (${table}, ${index}) -> ${table}\n  return %2 : ${table}\n}`;
  const inTiles = (format: string): string =>
    "#ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, " +
    `memref<2x2x!ttcore.tile<32x32, ${format}>, #dram>, <interleaved>>`;
  assertEquals(codes(looksUp("tensor<64x64xf32, #f32>")), ["warning V19/index-format"]);
  assertEquals(codes(looksUp(`tensor<64x64x!ttcore.tile<32x32, bfp_bf8>, ${inTiles("bfp_bf8")}>`)), [
    "warning V19/index-format",
  ]);
  assertEquals(codes(looksUp(`tensor<64x64xui32, ${inTiles("u32")}>`)), []);
  assertEquals(codes(looksUp(T)), []);
  // The table that is looked up may have any format.
  assertEquals(codes(looksUp(T, "tensor<64x64xf32, #f32>")), []);
});

Deno.test("verifyModule() V16: results that a kernel returns in another format or in other pages", () => {
  const F = "tensor<64x64xf32, #f32>";
  const R = "tensor<64x64xbf16, #rm>";
  const made = (type: string, op: string): string =>
    `func.func @f() -> ${T} {\n  %0 = "x.make"() : () -> ${type}\n  %1 = "${op}"(%0) : (${type}) -> ${T}\n  return %1 : ${T}\n}`;
  assertEquals(codes(made(F, "ttnn.tanh")), ["warning V16/returned-format"]);
  assertEquals(codes(made(F, "ttnn.typecast")), []);
  assertEquals(codes(made(R, "ttnn.tanh")), ["warning V16/returned-pages"]);
  assertEquals(codes(made(T, "ttnn.tanh")), []);
  // A tensor on the host is not returned by a kernel.
  const H = "tensor<64x64xbf16, #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, " +
    "memref<64x64xbf16, #ttnn.buffer_type<system_memory>>>>";
  const onHost = `func.func @f() -> ${H} {\n  %0 = "x.make"() : () -> ${F}\n` +
    `  %1 = "ttnn.tanh"(%0) : (${F}) -> ${H}\n  return %1 : ${H}\n}`;
  assert(!codes(onHost).some((code) => code.includes("V16")));
});

Deno.test("verifyModule() V20: properties that shapes and time follow from are there", () => {
  const softmax = (properties: string) =>
    codes(inFunction(`%0 = "ttnn.softmax"(%x)${properties} : (${T}) -> ${T}`, "%0"));
  assertEquals(softmax(" <{dimension = -1 : si32}>"), []);
  // Older files have them among the attributes.
  assertEquals(softmax(" {dimension = -1 : si32}"), []);
  assertEquals(softmax(" <{numericStable = true}>"), ["error V20/attribute"]);
  assertEquals(softmax(' <{dimension = "last"}>'), ["error V20/attribute"]);
  assertEquals(codes(inFunction(`%0 = "ttnn.transpose"(%x) <{dim0 = 0 : si32}> : (${T}) -> ${T}`, "%0")), [
    "error V20/attribute",
  ]);
});
