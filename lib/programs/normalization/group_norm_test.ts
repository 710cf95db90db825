// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import { groupNormProgram } from "./group_norm.ts";
import { CHIP, tensor } from "../testing/launching.ts";

/** Cores of a group norm of 32 groups over images of 1,024 pixels and 320 channels in DRAM. */
function coresOf(images: number): number {
  const image = tensor([images, 1, 1024, 320]);
  const attributes = new Map([["num_groups", { kind: "integer", value: 32n, type: "i64" } as const]]);
  const op = { name: "ttnn.group_norm", attributes, inputs: [image], outputs: [image], config: undefined };
  return groupNormProgram(op, image, image, [], CHIP).cores;
}

Deno.test("images of a group norm share the rows of the grid; two columns divide 32 groups and 10 tiles of channels", () => {
  // One image has all 8 rows of cores, four have two each, and twelve follow one another with one each.
  assertEquals([1, 4, 12].map(coresOf), [2 * 8, 2 * 8, 2 * 8]);
  // Three images leave two rows without work.
  assertEquals(coresOf(3), 2 * 6);
});
