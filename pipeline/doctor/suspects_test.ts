// SPDX-License-Identifier: Apache-2.0
import { assertEquals, assertStringIncludes } from "@std/assert";
import { DEFAULT_L1_CAP } from "../../lib/device/chip_description.ts";
import { DEFAULT_POLICY_OPTIONS } from "../../lib/policy/options.ts";
import { checkMemory } from "../check_memory.ts";
import { loadModule } from "../load_module.ts";
import { failedCheckOf } from "./failed_check.ts";
import { patientsOf } from "./patient.ts";
import { readRuntimeLog, type RuntimeFailure } from "./runtime_log.ts";
import { type Suspect, suspectsOf } from "./suspects.ts";

function suspects(text: string, failure: RuntimeFailure | undefined): readonly Suspect[] {
  const workbench = loadModule(text, { device: "n150", fileName: "test.mlir" });
  const patients = patientsOf(workbench, DEFAULT_POLICY_OPTIONS);
  return suspectsOf(workbench, patients, checkMemory(workbench, DEFAULT_L1_CAP).verdict, failure);
}

Deno.test("the tensor that fills DRAM is found by its bytes per bank, with its padding", () => {
  const [from, to] = ["tensor<1x32x921600x4xf32>", "tensor<1x32x4x921600xf32>"];
  const text = `func.func @main(%x: ${to}) -> ${from} {
  %0 = "ttir.exp"(%x) : (${to}) -> ${to}
  %1 = "ttir.permute"(%0) <{permutation = array<i64: 0, 1, 3, 2>}> : (${to}) -> ${from}
  return %1 : ${from}
}`;
  const [full] = readRuntimeLog(
    "Not enough space to allocate 3774873600 B DRAM buffer across 12 banks, where each bank needs to store 314572800 B",
  );
  const [first] = suspects(text, full);
  assertEquals([first?.name, first?.foundBy], ["ttnn.exp", "bytes"]);
  assertStringIncludes(first?.facts.join() ?? "", "1x32x4x921600 f32");
  assertStringIncludes(first?.facts.join() ?? "", "471,859,200 B without the padding");
  assertStringIncludes(first?.advice[0] ?? "", "1/8");
});

const [DRAM, SHARDS] = [
  "#ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<4x4x!ttcore.tile<32x32, bf16>, #ttnn.buffer_type<dram>>, <interleaved>>",
  "#ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <4x1>, memref<1x4x!ttcore.tile<32x32, bf16>, #ttnn.buffer_type<l1>>, <height_sharded>, core_ranges = <[#ttnn.core_range<(0,0), (3,0)>]>>",
];
const PROGRAM = `func.func @main(%x: tensor<128x128xbf16, ${DRAM}>) -> tensor<128x128xbf16, ${DRAM}> {
  %0 = "ttnn.relu"(%x) : (tensor<128x128xbf16, ${DRAM}>) -> tensor<128x128xbf16, ${SHARDS}>
  %1 = "ttnn.layer_norm"(%0) <{epsilon = 1.0e-5 : f32, operandSegmentSizes = array<i32: 1, 0, 0>}> : (tensor<128x128xbf16, ${SHARDS}>) -> tensor<128x128xbf16, ${DRAM}>
  return %1 : tensor<128x128xbf16, ${DRAM}>
}`;

Deno.test("an op that our rules refuse as well comes first, then ops with the numbers of the message", () => {
  const [refusal] = readRuntimeLog(
    "TT_FATAL @ /x/layernorm_device_operation.cpp:1: layout != HEIGHT_SHARDED info: Height sharded inputs are not supported.",
  );
  const [first] = suspects(PROGRAM, refusal);
  assertEquals([first?.name, first?.foundBy], ["ttnn.layer_norm", "rule"]);
  const numbered = suspects(PROGRAM, failedCheckOf("Shard height 32 must match physical height 128"));
  assertEquals(numbered.map(({ name, foundBy }) => [name, foundBy]), [
    ["ttnn.layer_norm", "rule"],
    ["ttnn.relu", "numbers"],
  ]);
});

Deno.test("without a message, an op that our rules refuse is told with layouts that it takes, or with what its rule asks", () => {
  const [norm] = suspects(PROGRAM, undefined);
  assertEquals([norm?.name, norm?.foundBy], ["ttnn.layer_norm", "rule"]);
  assertStringIncludes(norm?.advice[0] ?? "", "%1 as dram/interleaved, which the op takes");
  const sharded = SHARDS?.replace("<4x1>", "<1x4>").replace("1x4x!", "2x1x!").replace("height", "width");
  const short = `func.func @main(%x: tensor<128x128xbf16, ${DRAM}>) -> tensor<128x128xbf16, ${sharded}> {
  %0 = "ttnn.relu"(%x) : (tensor<128x128xbf16, ${DRAM}>) -> tensor<128x128xbf16, ${sharded}>
  return %0 : tensor<128x128xbf16, ${sharded}>
}`;
  const [relu] = suspects(short, undefined);
  assertEquals(relu?.name, "ttnn.relu");
  assertStringIncludes(relu?.advice.join() ?? "", "which the op takes");
  assertStringIncludes(relu?.advice.join() ?? "", "the function returns %0 as it is declared");
});

Deno.test("where DRAM is full, what arguments take of a bank is told, and what parameters would take in blocks", () => {
  const table = "tensor<262144x16384xbf16>";
  const program = (role: string) =>
    `func.func @main(%x: tensor<32x262144xbf16>, %w: ${table}${role}, %v: ${table}${role}) -> tensor<32x16384xbf16> {
  %0 = "ttir.matmul"(%x, %w) : (tensor<32x262144xbf16>, ${table}) -> tensor<32x16384xbf16>
  %1 = "ttir.matmul"(%x, %v) : (tensor<32x262144xbf16>, ${table}) -> tensor<32x16384xbf16>
  %2 = "ttir.add"(%0, %1) : (tensor<32x16384xbf16>, tensor<32x16384xbf16>) -> tensor<32x16384xbf16>
  return %2 : tensor<32x16384xbf16>
}`;
  const [full] = suspects(program(" {ttcore.argument_type = #ttcore.argument_type<parameter>}"), undefined);
  assertEquals(full?.foundBy, "room");
  // Two tables of 8 GiB over 12 banks, and 16 MiB of %x.
  assertStringIncludes(
    full?.facts[0] ?? "",
    "3 arguments take 1366.7 MiB of each bank, of which a bank has 1021.6 MiB",
  );
  assertStringIncludes(
    full?.advice[0] ?? "",
    "--experimental-weight-dtype bfp_bf8) take 725.3 MiB instead of 1365.3 MiB",
  );
  assertStringIncludes(full?.advice[1] ?? "", "at least 2 chips");
  assertStringIncludes(suspects(program(""), undefined)[0]?.advice[0] ?? "", "--argument-types");
});

Deno.test("a tensor that is larger than DRAM is named, and computed in parts; scores of attention need not be there", () => {
  const [rows, scores] = ["tensor<1x32x16384x64xf32>", "tensor<1x32x16384x16384xf32>"];
  const program = (between: string, left: string) =>
    `func.func @main(%q: ${rows}, %k: tensor<1x32x64x16384xf32>, %v: ${rows}) -> ${rows} {
  %0 = "ttir.matmul"(%q, %k) : (${rows}, tensor<1x32x64x16384xf32>) -> ${scores}
  %1 = ${between} : (${scores}) -> ${scores}
  %2 = "ttir.matmul"(${left}, %v) : (${scores}, ${rows}) -> ${rows}
  return %2 : ${rows}
}`;
  const [product, exponential] = suspects(program('"ttir.exp"(%0)', "%1"), undefined);
  assertStringIncludes(
    product?.facts[0] ?? "",
    "its result 1x32x16384x16384 f32 takes 2730.7 MiB of each bank, more than a whole bank",
  );
  assertEquals(product?.advice.map((each) => each.split(" ", 6).join(" ")), [
    "scaled_dot_product_attention in place of both products",
    "compute it in at least 3",
    "in bf16 it takes half",
    "split over at least 3 chips,",
  ]);
  // It holds what it reads as well.
  assertStringIncludes(exponential?.advice.join() ?? "", "in at least 6 parts");
  const [other] = suspects(program('"ttir.relu"(%0)', "%1"), undefined);
  assertEquals(other?.advice[0]?.startsWith("compute it in at least 3 parts"), true);
});

Deno.test("nothing is suspected of a message whose numbers the program has not", () => {
  const found = suspects(PROGRAM, failedCheckOf("Shard width 77 must match physical width 99"));
  assertEquals(found.filter(({ foundBy }) => foundBy === "numbers"), []);
});

Deno.test("an op that a message of another version refuses, and our rules take, is said to be taken", () => {
  const text =
    "TT_FATAL @ /x/ttnn/cpp/ttnn/operations/eltwise/unary/device/unary.cpp:1: a == b info: ttnn.relu: ";
  const [found] = suspects(PROGRAM, readRuntimeLog(`${text}input rank must be at most 1`)[0]);
  assertEquals([found?.name, found?.foundBy], ["ttnn.relu", "taken"]);
});
