// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals } from "@std/assert";
import { TEST_WORMHOLE } from "../../../testing/chips.ts";
import {
  integerAttribute,
  integersAttribute,
  layoutOf,
  signatureOf,
  tensorOf,
} from "../../../testing/op_queries.ts";
import type { DataType } from "../../layout/data_type.ts";
import { makeLayout } from "../../layout/make_layout.ts";
import { LayoutTable } from "../../layout/layout_table.ts";
import type { TensorShape } from "../../ops/op_signature.ts";
import { createOpModel } from "../create_op_model.ts";

// Shapes of host biases that ttnn.conv2d of 0.81.1 takes with 64 output channels.
Deno.test("a bias on the host is one row of four dimensions, with a number per output channel", () => {
  const runs = (bias: readonly number[]): string =>
    answerTo(3, [tensorOf([1, 1, 1024, 64]), tensorOf([64, 64, 3, 3]), tensorOf(bias)]);
  assertEquals(runs([1, 1, 1, 64]), "runs");
  for (const bias of [[64], [1, 64], [1, 64, 1, 1], [1, 1, 1, 1], [1, 1, 1, 32]]) {
    assertEquals(runs(bias), "conv2d/bias-shape");
  }
});

// Run on ttnn 0.81.1 with every format, on an n150 and transposed on a p150.
Deno.test("weights are prepared from floats and u32, and a product takes floats alone", () => {
  const runs = (kernel: number, input: DataType, weights: DataType): string =>
    answerTo(kernel, [tensorOf([1, 1, 1024, 64], input), tensorOf([64, 64, kernel, kernel], weights)]);
  for (const kernel of [1, 3]) {
    for (const weights of ["f32", "bf16"] as const) assertEquals(runs(kernel, "bf16", weights), "runs");
    for (const weights of ["si32", "u16", "u8"] as const) {
      assertEquals(runs(kernel, "f32", weights), "conv2d/weight-format");
    }
    // Those on the device are read back, and prepared as well.
    const onDevice = [tensorOf([1, 1, 1024, 64], "f32"), tensorOf([64, 64, kernel, kernel], "si32")];
    assertEquals(answerTo(kernel, onDevice, "dram", "dram"), "conv2d/weight-format");
  }
  assertEquals(runs(3, "bf16", "u32"), "runs");
  assertEquals(runs(3, "si32", "bf16"), "runs");
  assertEquals(runs(1, "bf16", "u32"), "conv2d/product-format");
  assertEquals(runs(1, "si32", "bf16"), "conv2d/product-format");
});

Deno.test("an input on the host is read as from DRAM", () => {
  assertEquals(answerTo(3, [tensorOf([1, 1, 1024, 64]), tensorOf([64, 64, 3, 3])], "host"), "runs");
});

// ttnn.conv1d of 0.81.1 returns 8x6 shards of 96x64; upright its table of windows would be too long.
Deno.test("a conv1d with a stride runs on block shards: its line is one pixel high", () => {
  const layouts = new LayoutTable();
  const model = createOpModel({ chip: TEST_WORMHOLE, layouts });
  const [line, weight] = [tensorOf([1, 1500, 384]), tensorOf([384, 384, 3])];
  const op = signatureOf("ttnn.conv1d", [line, weight], [tensorOf([1, 1, 750, 384])], {
    in_channels: integerAttribute(384),
    out_channels: integerAttribute(384),
    batch_size: integerAttribute(1),
    input_length: integerAttribute(1500),
    groups: integerAttribute(1),
    kernel_size: integerAttribute(3),
    stride: integerAttribute(2),
    padding: integersAttribute([1, 1]),
    dilation: integerAttribute(1),
  });
  const shards = layouts.intern(
    makeLayout({
      shape: line.shape,
      dataType: "bf16",
      bufferType: "l1",
      memoryLayout: "block_sharded",
      grid: [8, 6],
    }, TEST_WORMHOLE.workerGrid),
  );
  const answer = model.queryOpConstraints(
    op,
    [shards, layoutOf(model, weight, "host")],
    undefined,
    undefined,
  );
  assert(answer.status === "valid", JSON.stringify(answer));
  const [made] = answer.outputLayouts;
  assert(made !== undefined);
  const { memoryLayout, gridShape, shardShape } = layouts.get(made);
  assertEquals([memoryLayout, gridShape, shardShape], ["block_sharded", [8, 6], [3, 2]]);
});

/** The op model's answer about a convolution of an image of 32 x 32 with 64 channels on an n150. */
function answerTo(
  kernel: number,
  operands: readonly TensorShape[],
  input: "dram" | "host" = "dram",
  weights: "dram" | "host" = "host",
): string {
  const model = createOpModel({ chip: TEST_WORMHOLE, layouts: new LayoutTable() });
  const result = tensorOf([1, 1, (33 - kernel) ** 2, 64], operands[0]?.dataType);
  const op = signatureOf("ttnn.conv2d", operands, [result], {
    in_channels: integerAttribute(64),
    out_channels: integerAttribute(64),
    batch_size: integerAttribute(1),
    input_height: integerAttribute(32),
    input_width: integerAttribute(32),
    groups: integerAttribute(1),
    kernel_size: integersAttribute([kernel, kernel]),
    stride: integersAttribute([1, 1]),
    padding: integersAttribute([0, 0]),
    dilation: integersAttribute([1, 1]),
  });
  const layouts = operands.map((tensor, index) => layoutOf(model, tensor, index === 0 ? input : weights));
  const answer = model.queryOpConstraints(op, layouts, undefined, undefined);
  return answer.status === "valid" ? "runs" : answer.rule;
}
