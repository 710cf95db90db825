// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { TEST_WORMHOLE } from "../../testing/chips.ts";
import { layoutOf, signatureOf, tensorOf } from "../../testing/op_queries.ts";
import { LayoutTable } from "../layout/layout_table.ts";
import { createOpModel } from "../opmodel/create_op_model.ts";
import { type AllocationRecord, placeBesideLive } from "./allocation_query.ts";
import { l1Region } from "./l1_schedule.ts";

const REGION = l1Region(TEST_WORMHOLE, 0.95, 0);
const LAYOUTS = new LayoutTable();
const MODEL = createOpModel({ chip: TEST_WORMHOLE, layouts: LAYOUTS });

/** Places a relu of `tiles` x 8 tiles that is height sharded over 8 cores, `tiles` x 2048 bytes each. */
function placeRelu(tiles: number, live: readonly AllocationRecord[], output = "hs 8x1") {
  const tensor = tensorOf([tiles * 32, 8 * 32]);
  const hint = layoutOf(MODEL, tensor, output);
  const op = signatureOf("ttnn.relu", [tensor], [tensor]);
  const input = layoutOf(MODEL, tensor, "hs 8x1");
  const answer = MODEL.queryOpConstraints(op, [input], hint, undefined, Number.NEGATIVE_INFINITY);
  assert(answer.status === "valid", answer.status === "invalid" ? answer.message : "");
  return placeBesideLive(op, answer, live, REGION, MODEL);
}

function l1Record(address: number, sizePerBank: number): AllocationRecord {
  return { bufferType: "l1", address, sizePerBank };
}

Deno.test("placeBesideLive() places top-down, first fit, around live buffers", () => {
  const bytes = 8 * 2048;
  const top = REGION.top;
  assertEquals(placeRelu(8, []), { status: "placed", outputs: [l1Record(top - bytes, bytes)] });
  // A hole of one tensor's size between two live ones is taken before what is below them.
  const live = [l1Record(top - bytes, bytes), l1Record(top - 3 * bytes, bytes)];
  assertEquals(placeRelu(8, live), { status: "placed", outputs: [l1Record(top - 2 * bytes, bytes)] });
  // A hole that is too small is skipped.
  const narrow = [l1Record(top - bytes / 2, bytes / 2), l1Record(top - 2 * bytes, bytes)];
  assertEquals(placeRelu(8, narrow), { status: "placed", outputs: [l1Record(top - 3 * bytes, bytes)] });
});

Deno.test("placeBesideLive() returns the missing bytes if nothing fits", () => {
  const answer = placeRelu(8, [l1Record(REGION.base + 64, REGION.top - REGION.base - 64)]);
  assert(answer.status === "out_of_memory");
  assertEquals([answer.kind, answer.shortBytes], ["no_space", 8 * 2048 - 64]);
});

Deno.test("placeBesideLive() finds circular buffers that reach the lowest live tensor", () => {
  const tensor = tensorOf([1024, 1024]);
  const dram = layoutOf(MODEL, tensor, "dram");
  const op = signatureOf("ttnn.exp", [tensor], [tensor]);
  const answer = MODEL.queryOpConstraints(op, [dram], dram, undefined);
  assert(answer.status === "valid" && answer.cbPeakBytes > 64);
  const place = (free: number) =>
    placeBesideLive(op, answer, [l1Record(REGION.base + free, 64)], REGION, MODEL);
  const clash = place(answer.cbPeakBytes - 32);
  assert(clash.status === "out_of_memory");
  assertEquals(clash.kind, "circular_buffer_clash");
  // If the buffers fit, only the budget can be exceeded: the live tensor is at the bottom of L1.
  const over = place(answer.cbPeakBytes);
  assert(over.status === "out_of_memory");
  assertEquals(over.kind, "over_budget");
});

Deno.test("placeBesideLive() reports results in DRAM at the lowest address of a bank, and views at 0", () => {
  const dram = placeRelu(8, [], "dram");
  assert(dram.status === "placed");
  assertEquals(dram.outputs.map(({ bufferType, address }) => [bufferType, address]), [
    ["dram", Math.ceil(TEST_WORMHOLE.dramUnreservedBase / 32) * 32],
  ]);
  const from = tensorOf([1, 2, 32, 64]);
  const to = tensorOf([2, 1, 32, 64]);
  const op = signatureOf("ttnn.reshape", [from], [to]);
  const input = layoutOf(MODEL, from, "l1");
  const answer = MODEL.queryOpConstraints(op, [input], layoutOf(MODEL, to, "l1"), undefined);
  assert(answer.status === "valid" && answer.aliasedOperand === 0);
  const view = placeBesideLive(op, answer, [], REGION, MODEL);
  assert(view.status === "placed");
  assertEquals(view.outputs.map(({ bufferType, address }) => [bufferType, address]), [["l1", 0]]);
});

Deno.test("placeBesideLive() never overlaps live buffers, in or outside of the region", () => {
  const records = fc.array(
    fc.record({ at: fc.integer({ min: -4, max: 90 }), size: fc.integer({ min: 1, max: 6 }) }),
    { maxLength: 12 },
  );
  fc.assert(fc.property(records, fc.integer({ min: 1, max: 40 }), (list, tiles) => {
    const live = list.map(({ at, size }) => l1Record(REGION.top - at * 16_384 + 7 * 32, size * 16_384));
    const answer = placeRelu(tiles, live);
    if (answer.status === "out_of_memory") return assert(answer.shortBytes > 0);
    const [output] = answer.outputs;
    assert(output !== undefined);
    assertEquals(output.address % REGION.alignment, 0);
    assert(output.address >= REGION.base && output.address + output.sizePerBank <= REGION.top);
    for (const { address, sizePerBank } of live) {
      assert(output.address + output.sizePerBank <= address || address + sizePerBank <= output.address);
    }
  }));
});
