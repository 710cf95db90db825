// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import { TEST_WORMHOLE } from "../../../testing/chips.ts";
import {
  integerAttribute,
  integersAttribute,
  layoutOf,
  signatureOf,
  tensorOf,
} from "../../../testing/op_queries.ts";
import { LayoutTable } from "../../layout/layout_table.ts";
import { createOpModel } from "../create_op_model.ts";

// Shapes of host biases that ttnn.conv2d of 0.81.1 takes with 64 output channels.
Deno.test("a bias on the host is one row of four dimensions, with a number per output channel", () => {
  const model = createOpModel({ chip: TEST_WORMHOLE, layouts: new LayoutTable() });
  const runs = (bias: readonly number[]): string => {
    const operands = [tensorOf([1, 1, 1024, 64]), tensorOf([64, 64, 3, 3]), tensorOf(bias)];
    const result = tensorOf([1, 1, 900, 64]);
    const op = signatureOf("ttnn.conv2d", operands, [result], {
      in_channels: integerAttribute(64),
      out_channels: integerAttribute(64),
      batch_size: integerAttribute(1),
      input_height: integerAttribute(32),
      input_width: integerAttribute(32),
      groups: integerAttribute(1),
      kernel_size: integersAttribute([3, 3]),
      stride: integersAttribute([1, 1]),
      padding: integersAttribute([0, 0]),
      dilation: integersAttribute([1, 1]),
    });
    const places = ["dram", "host", "host"] as const;
    const layouts = operands.map((tensor, index) => layoutOf(model, tensor, places[index] ?? "dram"));
    const answer = model.queryOpConstraints(op, layouts, undefined, undefined);
    return answer.status === "valid" ? "runs" : answer.rule;
  };
  assertEquals(runs([1, 1, 1, 64]), "runs");
  for (const bias of [[64], [1, 64], [1, 64, 1, 1], [1, 1, 1, 1], [1, 1, 1, 32]]) {
    assertEquals(runs(bias), "conv2d/bias-shape");
  }
});
