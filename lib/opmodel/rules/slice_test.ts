// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals } from "@std/assert";
import { TEST_WORMHOLE } from "../../../testing/chips.ts";
import { integersAttribute, layoutOf, signatureOf, tensorOf } from "../../../testing/op_queries.ts";
import { LayoutTable } from "../../layout/layout_table.ts";
import { createOpModel } from "../create_op_model.ts";

/** `[circular buffers, peak of L1 tensors]` of a slice of bf16 tensors. */
function bytesOf(
  from: readonly number[],
  begins: readonly number[],
  to: readonly number[],
  memory: "dram" | "l1" | "dram-rm",
): readonly number[] {
  const model = createOpModel({ chip: TEST_WORMHOLE, layouts: new LayoutTable() });
  const ends = begins.map((begin, dim) => begin + (to[dim] ?? 1));
  const op = signatureOf("ttnn.slice_static", [tensorOf(from)], [tensorOf(to)], {
    begins: integersAttribute(begins),
    ends: integersAttribute(ends),
    step: integersAttribute(begins.map(() => 1)),
  });
  const input = layoutOf(model, tensorOf(from), memory);
  const answer = model.queryOpConstraints(op, [input], layoutOf(model, tensorOf(to), memory), undefined);
  assert(answer.status === "valid", answer.status === "invalid" ? answer.message : "");
  return [answer.cbPeakBytes, answer.tensorL1PeakBytes];
}

Deno.test("a slice that begins on tiles copies tiles, whatever its size", () => {
  assertEquals(bytesOf([32, 17, 51200], [0, 0, 0], [32, 1, 51200], "dram"), [4096, 0]);
  assertEquals(bytesOf([1, 128, 128], [0, 64, 32], [1, 64, 65], "dram"), [4096, 0]);
});

Deno.test("a slice of a wide row inside of a tile goes through blocks, not through whole rows of tiles", () => {
  // 1600 tiles in 62 blocks of 26: 26 tiles and 14 in the ragged one, in and out; the rows take two pages of 102400.
  assertEquals(bytesOf([32, 17, 51200], [0, 16, 0], [32, 1, 51200], "dram"), [2 * 102_400, 0]);
  assertEquals(bytesOf([32, 17, 25600], [0, 16, 0], [32, 1, 12800], "dram"), [(13 + 7) * 4096, 0]);
});

Deno.test("a slice inside of a tile untilizes into the memory of its result", () => {
  // A row of 4 tiles in and out; row-major copies of 64 and 8 rows, one page of 256 bytes on each core.
  assertEquals(bytesOf([1, 64, 128], [0, 8, 0], [1, 8, 128], "l1"), [4 * 4096, 256 + 256 + 2048]);
});

Deno.test("a slice of rows merges rows up to one read of 4096 bytes", () => {
  assertEquals(bytesOf([1, 4096, 64], [0, 32, 0], [1, 2048, 64], "dram-rm"), [2 * 32 * 128, 0]);
  assertEquals(bytesOf([1, 4096, 4096], [0, 32, 0], [1, 2048, 4096], "dram-rm"), [2 * 8192, 0]);
});
