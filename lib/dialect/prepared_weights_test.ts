// SPDX-License-Identifier: Apache-2.0
import { assertEquals, assertMatch } from "@std/assert";
import { makeLayout } from "../layout/make_layout.ts";
import { preparationTexts, type PreparingOp } from "./prepared_weights.ts";

const textsOf = (op: PreparingOp, bufferType: "dram" | "l1", format: string, slices: string) =>
  preparationTexts(
    op,
    makeLayout({ shape: [1, 1, 3136, 64], dataType: "bf16", bufferType, memoryLayout: "interleaved" }, {
      rows: 8,
      columns: 8,
    }),
    new Map([
      ["conv2d_config", `#ttnn.conv2d_config<weights_dtype = ${format}>`],
      ["conv2d_slice_config", `#ttnn.conv2d_slice_config<${slices}, 0>`],
    ]),
  );
const WEIGHTS: PreparingOp = { prepares: "weights", transposed: false };
const BIAS: PreparingOp = { prepares: "bias", transposed: false };
const memoryOf = (...question: Parameters<typeof textsOf>): string =>
  /buffer_type<(\w+)>/.exec(textsOf(...question).get("input_memory_config") ?? "")?.[1] ?? "none";

// ttnn 0.81.1 refuses a bias in bfp_bf8 for an input in DRAM, whatever the slice config of its convolution.
Deno.test("a bias in blocks is prepared for L1 where its convolution reads the input whole", () => {
  assertEquals(memoryOf(BIAS, "dram", "bfp_bf8", "l1_full"), "l1");
  assertEquals(memoryOf(BIAS, "dram", "bf16", "l1_full"), "dram");
  assertEquals(memoryOf(BIAS, "dram", "bfp_bf8", "dram_height"), "dram");
  assertEquals(memoryOf(WEIGHTS, "dram", "bfp_bf8", "l1_full"), "dram");
});

// ttnn 0.81.1 takes l1_full for automatic slices there: 1088 channels on a height-sharded config find none.
Deno.test("weights of transposed convolutions that read their input whole are prepared for L1 without slices", () => {
  for (const op of [{ ...WEIGHTS, transposed: true }, { ...BIAS, transposed: true }]) {
    for (const memory of ["dram", "l1"] as const) {
      assertEquals(memoryOf(op, memory, "bf16", "l1_full"), "l1");
      assertEquals(textsOf(op, memory, "bf16", "l1_full").get("conv2d_slice_config"), undefined);
    }
    assertEquals(memoryOf(op, "dram", "bf16", "dram_width"), "dram");
    assertMatch(textsOf(op, "dram", "bf16", "dram_width").get("conv2d_slice_config") ?? "", /dram_width/);
  }
  assertMatch(textsOf(WEIGHTS, "l1", "bf16", "l1_full").get("conv2d_slice_config") ?? "", /l1_full/);
});
