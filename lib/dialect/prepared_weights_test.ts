// SPDX-License-Identifier: Apache-2.0
import { assertEquals, assertStringIncludes } from "@std/assert";
import { makeLayout } from "../layout/make_layout.ts";
import { biasInputTexts } from "./prepared_weights.ts";

// ttnn 0.81.1 refuses a bias in bfp_bf8 for an input in DRAM, whatever the slice config of its convolution.
Deno.test("a bias in blocks is prepared for L1 where its convolution reads the input whole", () => {
  const textOf = (bufferType: "dram" | "l1", format: string, slice: string): string | undefined =>
    biasInputTexts(
      makeLayout({ shape: [1, 1, 3136, 64], dataType: "bf16", bufferType, memoryLayout: "interleaved" }, {
        rows: 8,
        columns: 8,
      }),
      new Map([
        ["conv2d_config", `#ttnn.conv2d_config<weights_dtype = ${format}>`],
        ["conv2d_slice_config", `#ttnn.conv2d_slice_config<${slice}, 0>`],
      ]),
    ).get("input_memory_config");
  assertStringIncludes(textOf("dram", "bfp_bf8", "l1_full") ?? "", "#ttnn.buffer_type<l1>");
  for (
    const [memory, format, slice] of [
      ["dram", "bf16", "l1_full"],
      ["dram", "bfp_bf8", "dram_height"],
      ["l1", "bfp_bf8", "l1_full"],
    ] as const
  ) assertEquals(textOf(memory, format, slice), undefined);
});
