// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import { parseModule, readAttributeText } from "../lib/ir/mod.ts";
import { DEFAULT_PASS_OPTIONS, PASS_SWITCHES, type PassOptions } from "../lib/passes/pass_options.ts";
import { tensorType } from "../lib/ttnn/tensor_type.ts";
import { verifyModule } from "../lib/verify/verify_module.ts";
import { getDevice } from "../sim/devices/device_registry.ts";
import { TEST_WORMHOLE } from "../testing/chips.ts";
import { assertSameMeaning, randomInputs } from "../testing/interpreter/same_meaning.ts";
import { loadModule, prepareModule } from "./load_module.ts";
import { graphQuestions } from "./prepared_graph.ts";

/** `isfinite` asks of f32 and answers in f32, where TTIR has a bit; `abs` answers in what it is given. */
const ASKED = parseModule(
  `func.func @main(%x: tensor<32x32xf32>, %y: tensor<32x32xbf16>) -> (tensor<32x32xi1>, tensor<32x32xf32>) {
  %0 = "ttir.isfinite"(%x) : (tensor<32x32xf32>) -> tensor<32x32xi1>
  %1 = "ttir.abs"(%y) : (tensor<32x32xbf16>) -> tensor<32x32xf32>
  return %0, %1 : tensor<32x32xi1>, tensor<32x32xf32>
}
`,
  "asked.mlir",
);

const device = getDevice("n150");

Deno.test("lowered TTIR declares the types that kernels return, with any graph passes off", () => {
  const switchedOff = { ...DEFAULT_PASS_OPTIONS, off: new Set(PASS_SWITCHES) };
  for (const passes of ["none", switchedOff, DEFAULT_PASS_OPTIONS] as const) {
    const { module, graphChanges } = prepareModule(ASKED, device, { passes });
    assertEquals(verifyModule(module), []);
    if (passes === "none") assertEquals(graphChanges, []);
    assertSameMeaning(ASKED, module, "main", randomInputs(ASKED, "main", 1));
  }
});

Deno.test("TTNN with a kept graph keeps its declared types", () => {
  const types = `#dram = #ttnn.buffer_type<dram>
#f = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<1x1x!ttcore.tile<32x32, f32>, #dram>, <interleaved>>
#b = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<1x1x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
`;
  const ttnn = `${types}func.func @main(%x: tensor<32x32xf32, #f>) -> tensor<32x32xbf16, #b> {
  %0 = "ttnn.isfinite"(%x) : (tensor<32x32xf32, #f>) -> tensor<32x32xbf16, #b>
  return %0 : tensor<32x32xbf16, #b>
}
`;
  const { module } = prepareModule(parseModule(ttnn, "ttnn.mlir"), device, { passes: "none" });
  assertEquals(module.text, ttnn);
  assertEquals(verifyModule(module).map(({ code }) => code), ["V16/returned-format"]);
});

Deno.test("a requested fidelity changes no other field of compute configs", () => {
  const config = (written: string, options: Partial<PassOptions>) => {
    const type = "tensor<64x64xbf16, #L>";
    const text = `#dram = #ttnn.buffer_type<dram>
#L = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<2x2x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
func.func @main(%x: ${type}, %w: ${type}) -> ${type} {
  %0 = "ttnn.matmul"(%x, %w) <{compute_config = #ttnn.device_compute_kernel_config<${written}>, transpose_a = false, transpose_b = false}> : (${type}, ${type}) -> ${type}
  return %0 : ${type}
}
`;
    const { module } = prepareModule(parseModule(text, "fidelity.mlir"), device, {
      passes: { ...DEFAULT_PASS_OPTIONS, ...options },
    });
    return /device_compute_kernel_config<([^>]*)>/.exec(module.text)?.[1];
  };
  // What level 0 writes stands for the backend's default: HiFi2, sums in 16 bits and added in L1.
  const byLevelZero = "math_fidelity = hifi4, fp32_dest_acc_en = true";
  assertEquals(
    config(byLevelZero, { computeConfig: { mathFidelity: "lofi" } }),
    "math_fidelity = lofi, math_approx_mode = false, fp32_dest_acc_en = false, packer_l1_acc = true",
  );
  assertEquals(
    config(byLevelZero, { computeConfig: { fp32DestAccEn: true } }),
    "math_fidelity = hifi2, math_approx_mode = false, fp32_dest_acc_en = true, packer_l1_acc = true",
  );
  assertEquals(
    config("math_fidelity = hifi4, packer_l1_acc = true", {
      computeConfig: { mathFidelity: "hifi3", dstFullSyncEn: true },
    }),
    "math_fidelity = hifi3, packer_l1_acc = true, dst_full_sync_en = true",
  );
});

Deno.test("a decided op is legal where its result fits as declared, whatever memory the backend would choose", () => {
  const { isLegal } = graphQuestions(getDevice("n150"));
  const question = (memory: "dram" | "l1") => ({
    name: "ttnn.reshape",
    operands: [tensorType(TEST_WORMHOLE, [32, 51200], "bf16", { bufferType: "l1" })],
    // 32 rows of tiles, of which one row of elements is used.
    results: [tensorType(TEST_WORMHOLE, [32, 1, 51200], "bf16", { bufferType: memory })],
    attributes: new Map([["shape", readAttributeText(ASKED, "[32 : i32, 1 : i32, 51200 : i32]")]]),
  });
  assertEquals([isLegal(question("dram")), isLegal(question("l1"))], [true, false]);
});

Deno.test("block floats arrive in tiles, inputs on the device and weights that are computed at load on the host", () => {
  const type = "tensor<64x64x!ttcore.tile<32x32, bfp_bf8>>";
  const argument = (kind: string) => `${type} {ttcore.argument_type = #ttcore.argument_type<${kind}>}`;
  const { text } = loadModule(
    `module {
      func.func @main(%x: ${argument("input")}, %w: ${argument("parameter")}) -> ${type} {
        %0 = "ttir.exp"(%w) : (${type}) -> ${type}
        %1 = "ttir.multiply"(%x, %0) : (${type}, ${type}) -> ${type}
        return %1 : ${type}
      }
    }`,
    { device: "n150" },
  ).module;
  const [, ...names] = /@main\(%\w+: [^#]*(#ttnn_layout\w*)[^%]*%\w+: [^#]*(#ttnn_layout\w*)/.exec(text) ??
    [];
  const layouts = names.map((name) => text.split("\n").find((line) => line.startsWith(`${name} = `)) ?? "");
  assertEquals(layouts.map((line) => /memref<(.*?), #(?:ttnn\.buffer_type<)?(\w+)/.exec(line)?.slice(1)), [
    ["2x2x!ttcore.tile<32x32, bfp_bf8>", "dram"],
    ["2x2x!ttcore.tile<32x32, bfp_bf8>", "system_memory"],
  ]);
});
