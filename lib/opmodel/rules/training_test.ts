// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import { TEST_WORMHOLE } from "../../../testing/chips.ts";
import { layoutOf, signatureOf, tensorOf } from "../../../testing/op_queries.ts";
import { LayoutTable } from "../../layout/layout_table.ts";
import { createOpModel } from "../create_op_model.ts";

/** What the model says of an RMS norm of training from such a layout, asked for such a result. */
function norm(from: string, hint?: string, dataType: "bf16" | "f32" = "bf16"): string {
  const layouts = new LayoutTable();
  const model = createOpModel({ chip: TEST_WORMHOLE, layouts });
  const [input, gamma] = [tensorOf([1, 1, 256, 512], dataType), tensorOf([1, 1, 1, 512], dataType)];
  const results = [input, tensorOf([1, 1, 256, 1], dataType)];
  const op = signatureOf("ttnn.rmsnorm_fw", [input, gamma], results);
  const operands = [layoutOf(model, input, from), layoutOf(model, gamma, "dram")];
  const wanted = hint === undefined ? undefined : layoutOf(model, input, hint);
  const answer = model.queryOpConstraints(op, operands, wanted, undefined);
  if (answer.status !== "valid") return answer.rule;
  return answer.outputLayouts.map((id) => {
    const layout = id === undefined ? undefined : layouts.get(id);
    return `${layout?.bufferType} ${layout?.gridShape.join("x")}`;
  }).join(", ");
}

Deno.test("kernels of training take bf16 from DRAM and leave all results there", () => {
  assertEquals(norm("dram"), "dram 1x1, dram 1x1");
  assertEquals(norm("l1"), "training/dram");
  assertEquals(norm("hs 8x1"), "training/dram");
  assertEquals(norm("dram", "l1"), "training/dram");
  assertEquals(norm("dram", undefined, "f32"), "training/format");
});
