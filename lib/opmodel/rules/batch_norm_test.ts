// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import { integersAttribute } from "../../../testing/op_queries.ts";
import { answerOf } from "../testing/recorded_answer.ts";

/** Answer to an inference on `2x64x28x28`. @param operands format and memory of input, mean, variance, weight and bias */
function batchNorm(operands: readonly (string | undefined)[], memory = "null", channels = "1x64x1x1") {
  const inputs = operands.filter((operand) => operand !== undefined);
  const answer = answerOf({
    op: "batch_norm_inference",
    inputs: inputs.map((operand, index) => `${index === 0 ? "2x64x28x28" : channels} ${operand}`),
    results: [`2x64x28x28 ${memory}`],
    attributes: {
      operandSegmentSizes: integersAttribute(
        Array.from({ length: 5 }, (_, index) => operands[index] === undefined ? 0 : 1),
      ),
    },
  });
  return typeof answer === "string" ? answer : answer.bytes;
}

Deno.test("weight and bias of a batch norm are optional, mean and variance are not", () => {
  assertEquals(batchNorm(["dram", "dram", "dram"]), [36_864, 0, 0]);
  assertEquals(batchNorm(["dram", "dram", "dram", "dram"]), [36_864, 0, 0]);
  assertEquals(batchNorm(["dram", "dram", "dram", undefined, "dram"]), [36_864, 0, 0]);
  assertEquals(batchNorm(["dram", "dram", "dram", "dram", "dram"], "l1"), [36_864, 4096, 4096]);
  assertEquals(batchNorm(["dram"]), "batch_norm/statistics");
  assertEquals(batchNorm(["dram", "dram"]), "batch_norm/statistics");
});

Deno.test("buffers of a batch norm are f32 if anything is, those of absent operands bf16", () => {
  const wide = "f32 dram";
  assertEquals(batchNorm([wide, wide, wide, wide]), [69_632, 0, 0]);
  assertEquals(batchNorm([wide, "dram", "dram", "dram", "dram"]), [57_344, 0, 0]);
  assertEquals(batchNorm(["dram", wide, wide]), [65_536, 0, 0]);
  assertEquals(batchNorm(["dram", wide, wide, wide, wide]), [73_728, 0, 0]);
});

Deno.test("a batch norm takes interleaved tiles of floats, its statistics in one format", () => {
  assertEquals(batchNorm(["hs 8x1", "dram", "dram"]), "batch_norm/operand");
  assertEquals(batchNorm(["dram", "dram", "hs 2x1"]), "batch_norm/operand");
  assertEquals(batchNorm(["dram-rm", "dram", "dram"]), "batch_norm/operand");
  assertEquals(batchNorm(["bfp_bf8 dram", "dram", "dram"]), "batch_norm/operand");
  assertEquals(batchNorm(["dram", "dram", "f32 dram"]), "batch_norm/statistics");
  assertEquals(batchNorm(["dram", "dram", "dram"], "null", "1x32x1x1"), "batch_norm/statistics");
  assertEquals(batchNorm(["dram", "dram", "dram"], "hs 8x1"), "batch_norm/sharded-output");
});
