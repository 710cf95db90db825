// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import { TEST_WORMHOLE } from "../../../testing/chips.ts";
import { layoutOf, signatureOf, tensorOf } from "../../../testing/op_queries.ts";
import type { Attribute } from "../../ir/mod.ts";
import { LayoutTable } from "../../layout/layout_table.ts";
import type { Conv3dConfig } from "../../op_config/op_config.ts";
import { createOpModel } from "../create_op_model.ts";

const i32 = (value: number): Attribute => ({ kind: "integer", value: BigInt(value), type: "i32" });
const i32s = (values: readonly number[]): Attribute => ({ kind: "denseArray", elementType: "i32", values });

interface Asked {
  readonly input: number;
  readonly output?: number;
  readonly groups?: number;
  readonly fp32DestAccEn?: boolean;
}

/** The rule that refuses a conv3d with a window of 1x3x3; `runs` if none does. */
function answer(
  { input, output = 96, groups = 1, fp32DestAccEn = true }: Asked,
  conv3dConfig: Conv3dConfig,
): string {
  const model = createOpModel({ chip: TEST_WORMHOLE, layouts: new LayoutTable() });
  const [image, weight] = [tensorOf([1, 4, 18, 18, input]), tensorOf([9 * input, output])];
  const result = tensorOf([1, 4, 16, 16, output]);
  const op = signatureOf("ttnn.conv3d", [image, weight], [result], {
    kernel_size: i32s([1, 3, 3]),
    stride: i32s([1, 1, 1]),
    padding: i32s([0, 0, 0]),
    in_channels: i32(input),
    out_channels: i32(output),
    groups: i32(groups),
    batch_size: i32(1),
    input_depth: i32(4),
    input_height: i32(18),
    input_width: i32(18),
  });
  const layouts = [image, weight].map((type) => layoutOf(model, type, "dram"));
  const config = { kind: "conv3d", conv3dConfig, computeConfig: { fp32DestAccEn } } as const;
  const found = model.queryOpConstraints(op, layouts, undefined, config);
  return found.status === "invalid" ? found.rule : "runs";
}

Deno.test("conv3d takes the blocks, groups and grids that ttnn 0.81.1 takes", () => {
  const blocks = { cInBlock: 32, cOutBlock: 32 };
  // Blocks divide the channels themselves, not whole tiles of them.
  assertEquals(answer({ input: 48 }, { ...blocks, cInBlock: 48 }), "runs");
  assertEquals(answer({ input: 80 }, { ...blocks, cInBlock: 80 }), "runs");
  assertEquals(answer({ input: 80 }, { ...blocks, cInBlock: 32 }), "conv3d/c-in-block");
  assertEquals(answer({ input: 40 }, { ...blocks, cInBlock: 40 }), "conv3d/c-in-block");
  assertEquals(answer({ input: 48, output: 48 }, { cInBlock: 16, cOutBlock: 64 }), "runs");
  assertEquals(answer({ input: 48, output: 48 }, { cInBlock: 16, cOutBlock: 48 }), "conv3d/c-out-block");
  assertEquals(answer({ input: 96, groups: 96 }, blocks), "runs");
  assertEquals(answer({ input: 32, groups: 3 }, blocks), "conv3d/groups");
  assertEquals(answer({ input: 96, output: 64, groups: 3 }, blocks), "conv3d/groups");
  // A core adds up one block of input channels.
  assertEquals(answer({ input: 2048 }, blocks), "runs");
  assertEquals(answer({ input: 2560 }, blocks), "conv3d/c-in-blocks");
  assertEquals(
    answer({ input: 64 }, { ...blocks, computeWithStorageGridSize: [1, 1] }),
    "conv3d/c-in-blocks",
  );
  assertEquals(answer({ input: 64 }, { ...blocks, computeWithStorageGridSize: [13, 10] }), "conv3d/grid");
  // Subblocks are as wide as the destination register.
  assertEquals(answer({ input: 32, output: 160 }, { cInBlock: 32, cOutBlock: 160 }), "conv3d/subblock");
  assertEquals(
    answer({ input: 32, output: 160, fp32DestAccEn: false }, { cInBlock: 32, cOutBlock: 160 }),
    "runs",
  );
});
