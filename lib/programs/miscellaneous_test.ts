// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals } from "@std/assert";
import { adamwPrograms } from "./miscellaneous.ts";
import type { ProgramTensor } from "./program_tensor.ts";
import { CHIP, tensor } from "./testing/launching.ts";

Deno.test("a step of AdamW moves the same whether rate and powers are operands or properties", () => {
  const [moment, one] = [tensor([64, 64]), tensor([1])];
  const moved = (inputs: readonly ProgramTensor[]) => {
    const op = { name: "ttnn.adamw", attributes: new Map(), inputs, outputs: [], config: undefined };
    const launched = adamwPrograms(op, CHIP);
    assert(launched.status === "known");
    return launched.programs.map(({ reads, writes }) => [reads.length, writes.length]);
  };
  const four = [moment, moment, moment, moment];
  assertEquals(moved(four), [[4, 3]]);
  assertEquals(moved([...four, one, one, one]), moved(four));
  assertEquals(moved([...four, one, one, one, moment]), moved([...four, moment]));
});
