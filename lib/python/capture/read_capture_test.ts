// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { join } from "@std/path";
import { chipDescription } from "../../../sim/devices/device.ts";
import { getDevice } from "../../../sim/devices/device_registry.ts";
import { PROJECT_ROOT } from "../../../testing/corpus.ts";
import { type Diagnostic, DiagnosticError } from "../../diagnostics/diagnostic.ts";
import { looksLikeCapture } from "./capture_text.ts";
import { programCall } from "./captured_programs.ts";
import { captureArchitecture, readCapture } from "./read_capture.ts";

const CHIP = chipDescription(getDevice("n150"));
const FOLDER = join(PROJECT_ROOT, "testdata", "captures");
const GRAPH = await Deno.readTextFile(join(FOLDER, "model.json"));
const CALLS = await Deno.readTextFile(join(FOLDER, "model.python_io.json"));

/** The ops of a text, each with its operands, as `name(operands)`. */
function opsOf(text: string): readonly string[] {
  return [...text.matchAll(/"ttnn\.([\w.]+)"\(([^)]*)\)/g)].filter(([, name]) => name !== "deallocate")
    .map(([, name, operands]) => `${name}(${operands})`);
}

/** Remarks on calls. */
function saidOf(remarks: readonly Diagnostic[]): readonly string[] {
  return remarks.filter(({ code }) => code !== "capture/held").map(({ message }) => message);
}

/** The recorded calls with one of them changed. */
function changed(name: string, change: (call: Record<string, string>) => void): string {
  const calls: { name: string; arguments: Record<string, string> }[] = JSON.parse(CALLS);
  calls.filter((call) => call.name === name).forEach((call) => change(call.arguments));
  return JSON.stringify(calls);
}

Deno.test("readCapture() reads every call of a hand-written model in order, with its tensors where they were", () => {
  assert(looksLikeCapture(GRAPH));
  assertEquals(captureArchitecture(GRAPH, "model.json"), "WORMHOLE_B0");
  const { text, remarks } = readCapture(GRAPH, CALLS, "model.json", CHIP);
  assertEquals(opsOf(text), [
    "rms_norm(%arg0, %arg1)",
    "linear(%0, %arg2, %arg3)",
    "to_memory_config(%1)",
    "relu(%2)",
    "to_memory_config(%3)",
    "multiply(%4)",
    "slice_static(%5)",
    "concat(%6, %6)",
    "reshape(%7)",
    "permute(%8)",
    "mean(%9)",
    "typecast(%9)",
    "softmax(%11)",
  ]);
  assertEquals(saidOf(remarks), []);
  assert(
    remarks.some(({ code, message }) =>
      code === "capture/held" && message.startsWith("Python held 2 results")
    ),
  );
  assertStringIncludes(text, "return %10, %12");
  // Python's defaults and its own words.
  assertStringIncludes(text, "math_fidelity = hifi4");
  assertStringIncludes(text, "epsilon = 9.99999974E-6 : f32");
  assertStringIncludes(text, "ends = [1 : i32, 1 : i32, 256 : i32, 256 : i32]");
  assertStringIncludes(text, "dim_arg = [-1 : i32], keep_dim = true");
  // 64 cores hold a row of tiles in two columns each.
  assertStringIncludes(text, "<8x8>, memref<1x2x!ttcore.tile<32x32, bf16>, #l1>, <block_sharded>");
});

/** A capture that also makes a tensor in L1 that no op reads, and frees it if told. */
function withUnread(isFreed: boolean): readonly [graph: string, calls: string] {
  const graph: { graph: unknown[] } = JSON.parse(GRAPH);
  const memory =
    "MemoryConfig(memory_layout=TensorMemoryLayout::INTERLEAVED,buffer_type=BufferType::L1,shard_spec=std::nullopt)";
  const entry = (node_type: string, params: unknown): unknown => ({ node_type, arguments: [], params });
  const [address, size] = [1_400_000, 2_097_152];
  graph.graph.unshift(
    entry("function_start", { name: "ttnn.empty" }),
    entry("function_start", { name: "tt::tt_metal::create_device_tensor" }),
    entry("function_end", { name: "tt::tt_metal::create_device_tensor" }),
    entry("tensor", {
      tensor_id: 900,
      shape: "Shape([1, 1, 1024, 1024])",
      dtype: "DataType::BFLOAT16",
      layout: "Layout::TILE",
      memory_config: memory,
      address,
      size,
    }),
    entry("function_end", { name: "ttnn.empty" }),
    ...isFreed ? [entry("buffer_deallocate", { address, size })] : [],
  );
  const calls: unknown[] = JSON.parse(CALLS);
  calls.unshift({ name: "ttnn.empty", arguments: {}, output_tensor_ids: [901] });
  return [JSON.stringify(graph), JSON.stringify(calls)];
}

Deno.test("a tensor in L1 that no op reads takes its room, unless Python frees it", () => {
  const unread = "tensor<1x1x1024x1024xbf16";
  const [graph, calls] = withUnread(false);
  assertStringIncludes(readCapture(graph, calls, "model.json", CHIP).text, `%arg4: ${unread}`);
  const [freed, same] = withUnread(true);
  assert(!readCapture(freed, same, "model.json", CHIP).text.includes(unread));
});

Deno.test("readCapture() reads convolutions with their config, pools, heads, and what is changed in place", async () => {
  const [graph, calls] = await Promise.all(
    ["image.json", "image.python_io.json"].map((name) => Deno.readTextFile(join(FOLDER, name))),
  );
  const { text, remarks } = readCapture(graph ?? "", calls ?? "", "image.json", CHIP);
  assertEquals(opsOf(text), [
    "get_device()",
    "conv2d(%arg0, %arg1, %arg2, %0)",
    "max_pool2d(%1)",
    "avg_pool2d(%2)",
    "split_query_key_value_and_split_heads(%arg3)",
    "relu(%4#0)",
    "add(%5, %4#2)",
    "exp(%6)",
  ]);
  assertEquals(saidOf(remarks), []);
  assertStringIncludes(text, "weights_dtype = bf16, activation = <op_type = relu>");
  assertStringIncludes(text, "enable_act_double_buffer = true");
  // Weights on the host are those that the call prepares, which its device operation reads.
  assertStringIncludes(text, "%arg1: tensor<1x1x576x128xbf16, #ttnn_layout1> {ttcore.argument_type");
  assertStringIncludes(text, "conv2d_slice_config = #ttnn.conv2d_slice_config<l1_full, 0>");
  assertStringIncludes(text, "return %3, %4#1, %7");
  // Python's four sides are top, bottom, left, right, those of a pool top, left, bottom, right.
  const uneven = (calls ?? "").replace('"7": "[1, 1]"', '"7": "[1, 2, 3, 4]"');
  assertStringIncludes(
    readCapture(graph ?? "", uneven, "image.json", CHIP).text,
    "padding = array<i32: 1, 3, 2, 4>",
  );
});

Deno.test("readCapture() reads heads, rotations, caches and experts, and calls that are several ops", async () => {
  const [graph = "", calls = ""] = await Promise.all(
    ["decoder.json", "decoder.python_io.json"].map((name) => Deno.readTextFile(join(FOLDER, name))),
  );
  const { text, remarks } = readCapture(graph, calls, "decoder.json", CHIP);
  assertEquals(opsOf(text), [
    "linear(%arg0, %arg1)",
    "nlp_create_qkv_heads(%0)",
    "rotary_embedding_llama(%1#0, %arg2, %arg3, %arg4)",
    "scaled_dot_product_attention(%2, %1#1, %1#2)",
    "nlp_concat_heads(%3)",
    "linear(%4, %arg5)",
    "paged_update_cache(%arg6, %arg7, %arg8)",
    "linear(%5, %arg9)",
    "topk(%6)",
    "slice_static(%5)",
    "slice_static(%5)",
    "multiply(%8, %9)",
    "subtract(%arg10, %8)",
    "reshape(%10)",
    "reshape(%11)",
    "concat(%12, %13)",
    "slice_static(%5)",
    "mean(%15)",
  ]);
  // The program that Python asks for, its functions, and the default number of the best.
  assertStringIncludes(text, "per_core_m = 4, per_core_n = 1, fuse_batch = true, mcast_in0 = true");
  assertStringIncludes(text, "input_tensor_a_activations = [#ttnn.unary_with_param<op_type = silu>]");
  assertStringIncludes(text, "k = 32 : i32, largest = true");
  assertStringIncludes(text, "num_kv_heads = 4 : ui32, transpose_key = false");
  assertEquals(saidOf(remarks), [
    "1 call of ttnn.std: priced as ttnn.mean",
  ]);
});

Deno.test("readCapture() names every call that TTNN text cannot say, and every argument", () => {
  const calls = changed("ttnn.softmax", (given) => given["odd_option"] = "3").replaceAll(
    "ttnn.relu",
    "ttnn.relu_of_tomorrow",
  );
  const { text, remarks } = readCapture(GRAPH, calls, "model.json", CHIP);
  assertEquals(saidOf(remarks), [
    "1 call of ttnn.relu_of_tomorrow (there is no such op): counted as moving its tensors alone",
    "1 call of ttnn.softmax (argument odd_option is 3): read as what it ran",
  ]);
  assertStringIncludes(text, '"ttnn.python.relu_of_tomorrow"(%2)');
  assertStringIncludes(text, '"ttnn.softmax"(%11) <{dimension = 3 : si32');
  // A memory that TTNN text has no word for: neither the op nor one in its place can be written.
  const elsewhere = GRAPH.replaceAll("BufferType::L1", "BufferType::TRACE");
  assertThrows(
    () => readCapture(elsewhere, CALLS, "model.json", CHIP),
    DiagnosticError,
    "ttnn.linear (call 1): memory TRACE INTERLEAVED",
  );
});

Deno.test("readCapture() frees what Python deallocates, and no argument that it holds", () => {
  const calls: Record<string, unknown>[] = JSON.parse(CALLS);
  const [first] = calls;
  assert(!readCapture(GRAPH, CALLS, "model.json", CHIP).text.includes('"ttnn.deallocate"(%arg'));
  const freed = { name: "ttnn.deallocate", arguments: first?.["arguments"] };
  const { text } = readCapture(GRAPH, JSON.stringify([first, freed, ...calls.slice(1)]), "model.json", CHIP);
  assertEquals(text.match(/"ttnn.deallocate"\(%arg\d/g), [
    '"ttnn.deallocate"(%arg1',
    '"ttnn.deallocate"(%arg0',
  ]);
});

Deno.test("programCall() says each device operation of a call in Python's words", () => {
  const said = (
    name: string,
    words: string,
    tensors: readonly number[],
    made: readonly number[],
    call = "f",
  ) => {
    const program = { name: `${name}DeviceOperation`, arguments: [words], tensors, made, isInside: false };
    const { name: op, given, note } = programCall(program, call, "[UnaryOpType::SILU, UnaryOpType::EXP]");
    return [op, [...given].map(([key, text]) => `${key}: ${text}`).join("; "), note ?? ""];
  };
  const [a, b] = ["Tensor(tensor_id=1)", "Tensor(tensor_id=2)"];
  const slice = "SliceParams(Shape([0, 3]), Shape([8, 9]), Shape([1, 1]), MemoryConfig(), 0)";
  assertEquals(said("Slice", slice, [1, 3], [3]), [
    "slice",
    `0: ${a}; starts: Shape([0, 3]); ends: Shape([8, 9]); steps: Shape([1, 1])`,
    "",
  ]);
  assertEquals(said("Concat", "ConcatParams(1, 1)", [1, 2, 3], [3]), ["concat", `0: ${a},${b}; dim: 1`, ""]);
  const binary = (kind: string, right = "") =>
    `attributes(BinaryOpType::${kind}, SmallVector([]), SmallVector([${right}]), SmallVector([]), std::nullopt)`;
  assertEquals(said("BinaryNg", binary("MUL"), [1, 2, 3], [3]), ["mul", `0: ${a}; 1: ${b}`, ""]);
  assertEquals(said("BinaryNg", binary("ADD", "Unary(op_type=UnaryOpType::SILU)"), [1, 3], [3]), [
    "add",
    `0: ${a}; 1: 1; input_tensor_b_activations: [SmallVector([Unary(op_type=UnaryOpType::SILU)])]`,
    "",
  ]);
  const scaled = binary("ADD", "Unary(op_type=UnaryOpType::MUL_UNARY_SFPU,param={0.3})");
  assertEquals(said("BinaryNg", scaled, [1, 2, 3], [3]), [
    "add",
    `0: ${a}; 1: ${b}`,
    "a function that it applies is left out",
  ]);
  assertEquals(said("BinaryNg", binary("HYPOT"), [1, 2, 3], [3])[2], "priced as ttnn.add");
  assertEquals(said("Unary", "attributes({<BasicUnaryWithParam>})", [1, 3], [3]), [
    "silu",
    `0: ${a}`,
    "ttnn.silu stands for its chain",
  ]);
  assertEquals(said("Unary", "attributes({<BasicUnaryWithParam>})", [1, 3], [3], "geglu")[0], "gelu");
  assertEquals(said("WelfordReduce", "P(ReduceOpMath::VAR, ReduceOpDim::HW, 1)", [1, 3], [3]), [
    "mean",
    `0: ${a}; dim: [-2, -1]; keepdim: True`,
    "priced as ttnn.mean",
  ]);
  // In place: what it makes is what it reads first.
  const softmax = "SoftmaxParams(SoftmaxOperationType::ScaleMaskSoftmaxInPlace, 3, 0.125, 1)";
  assertEquals(said("Softmax", softmax, [1, 2], [1]), ["softmax", `0: ${a}; dim: 3`, "its mask is left out"]);
  assertThrows(() => said("FusedThing", "FusedThingParams()", [1, 3], [3]), Error, "is no call of its own");
});

Deno.test("readCapture() says which configs it does not read", () => {
  const calls = changed("ttnn.linear", (given) => given["program_config"] = "<ttnn object>");
  const { remarks } = readCapture(GRAPH, calls, "model.json", CHIP);
  assertEquals(saidOf(remarks), [
    "1 call of ttnn.linear: program_config is not read: the backend's own choice is priced",
  ]);
});

Deno.test("readCapture() leaves out calls that failed, and calls that others stand for", () => {
  const calls: Record<string, unknown>[] = JSON.parse(CALLS);
  const [first] = calls;
  const failed = { ...first, name: "ttnn.prefix_scan", error: "no", output_tensor_ids: undefined };
  const indexed = { ...first, name: "ttnn.Tensor.__getitem__", output_tensor_ids: undefined };
  const read = (text: unknown[]) => readCapture(GRAPH, JSON.stringify(text), "model.json", CHIP).text;
  assertEquals(read([failed, ...calls.slice(0, 6), indexed, ...calls.slice(6)]), read(calls));
});

Deno.test("readCapture() refuses files of another form", () => {
  const read = (graph: string, calls: string) => () => readCapture(graph, calls, "a.json", CHIP);
  assertThrows(read("{", CALLS), DiagnosticError, "it is no JSON");
  assertThrows(read('{"version": 2, "graph": [], "devices": []}', CALLS), DiagnosticError, "version");
  assertThrows(read(GRAPH, "[{}]"), DiagnosticError, "a.python_io.json");
  assertThrows(read(GRAPH, "[]"), DiagnosticError, "it calls no op");
});

Deno.test("readCapture() takes no factor for the sum that addcmul is in the dialect", () => {
  const withFactor = (value: string): string => {
    const calls: { name: string; arguments: Record<string, string> }[] = JSON.parse(CALLS);
    return JSON.stringify(calls.map((call) => {
      if (call.name !== "ttnn.multiply") return call;
      const tensor = Object.values(call.arguments)[0] ?? "";
      return { ...call, name: "ttnn.addcmul", arguments: { 0: tensor, 1: tensor, 2: tensor, value } };
    }));
  };
  const plain = readCapture(GRAPH, withFactor("1.0"), "model.json", CHIP);
  assert(opsOf(plain.text).includes("addcmul(%4, %4, %4)"), plain.text);
  const scaled = readCapture(GRAPH, withFactor("2.0"), "model.json", CHIP);
  assertEquals(opsOf(scaled.text).filter((op) => op.startsWith("addcmul")), []);
  assertStringIncludes(scaled.remarks[0]?.message ?? "", "argument value is 2.0");
});
