// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals } from "@std/assert";
import { integerAttribute } from "../../testing/op_queries.ts";
import { adamwPrograms } from "./miscellaneous.ts";
import type { ProgramTensor } from "./program_tensor.ts";
import { CONTEXT, tensor } from "./testing/launching.ts";

Deno.test("a step of AdamW moves the same whether rate and powers are operands or properties", () => {
  const [moment, one] = [tensor([64, 64]), tensor([1])];
  const moved = (inputs: readonly ProgramTensor[], ...properties: readonly string[]) => {
    const attributes = new Map(properties.map((name) => [name, integerAttribute(1)]));
    const op = { name: "ttnn.adamw", attributes, inputs, outputs: [], config: undefined };
    const launched = adamwPrograms(op, CONTEXT);
    assert(launched.status === "known");
    return launched.programs.map(({ reads, writes }) => [reads.length, writes.length]);
  };
  const four = [moment, moment, moment, moment];
  const properties = ["lr", "beta1_pow", "beta2_pow"];
  assertEquals(moved(four, ...properties), [[4, 3]]);
  assertEquals(moved([...four, one, one], "lr"), [[4, 3]]);
  assertEquals(moved([...four, one, one, one]), [[4, 3]]);
  // AMSGrad's moment comes last.
  assertEquals(moved([...four, moment], ...properties), [[5, 4]]);
  assertEquals(moved([...four, one, one, moment], "lr"), [[5, 4]]);
  assertEquals(moved([...four, one, one, one, moment]), [[5, 4]]);
});
