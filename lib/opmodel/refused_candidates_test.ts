// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import { makeLayout } from "../layout/make_layout.ts";
import { LayoutTable } from "../layout/layout_table.ts";
import type { OpSignature } from "../ops/op_signature.ts";
import { TEST_WORMHOLE } from "../../testing/chips.ts";
import { createOpModel } from "./create_op_model.ts";
import { RefusedCandidates } from "./refused_candidates.ts";

const TENSOR = { shape: [256, 64], dataType: "bf16" } as const;
const RELU: OpSignature = {
  name: "ttnn.relu",
  attributes: new Map(),
  operands: [TENSOR],
  operandSegmentSizes: undefined,
  results: [TENSOR],
};
const DRAM = makeLayout(
  { ...TENSOR, bufferType: "dram", memoryLayout: "interleaved" },
  TEST_WORMHOLE.workerGrid,
);
const HEIGHT = makeLayout(
  { ...TENSOR, bufferType: "l1", memoryLayout: "height_sharded", grid: [8, 1] },
  TEST_WORMHOLE.workerGrid,
);

Deno.test("an op model refuses forbidden candidates with their given message, and no others", () => {
  const refused = new RefusedCandidates();
  const layouts = new LayoutTable();
  const [dram, height] = [layouts.intern(DRAM), layouts.intern(HEIGHT)];
  assertEquals(refused.add(RELU, [HEIGHT], HEIGHT, "no such kernel"), true);
  assertEquals(refused.add(RELU, [HEIGHT], HEIGHT, "again"), false);
  const opModel = createOpModel({ chip: TEST_WORMHOLE, layouts, filters: [refused] });
  const status = (from: typeof dram, to: typeof dram) =>
    opModel.queryOpConstraints(RELU, [from], to, undefined);
  const answer = status(height, height);
  assertEquals(answer.status === "invalid" && [answer.rule, answer.message], [
    "backend/refused",
    "ttnn.relu: no such kernel",
  ]);
  assertEquals([status(dram, dram).status, status(height, dram).status], ["valid", "valid"]);
  // Another size is another question.
  const wide = { shape: [256, 128], dataType: "bf16" } as const;
  assertEquals(
    refused.refusalOf({
      op: { ...RELU, operands: [wide], results: [wide] },
      inputs: [HEIGHT],
      outputs: [HEIGHT],
    }),
    undefined,
  );
});

Deno.test("weights of a convolution are ignored in forbidden candidates, because a plan writes them in another form", () => {
  const refused = new RefusedCandidates();
  const conv: OpSignature = { ...RELU, name: "ttnn.conv2d", operands: [TENSOR, TENSOR] };
  refused.add(conv, [HEIGHT, DRAM], HEIGHT, "clash");
  const other = { ...conv, operands: [TENSOR, { shape: [1, 1, 64, 64], dataType: "bf16" } as const] };
  assertEquals(refused.refusalOf({ op: other, inputs: [HEIGHT, HEIGHT], outputs: [HEIGHT] }), "clash");
  assertEquals(refused.refusalOf({ op: other, inputs: [DRAM, HEIGHT], outputs: [HEIGHT] }), undefined);
});

Deno.test("kinds of layouts that are refused on two grids are refused on every grid", () => {
  const refused = new RefusedCandidates();
  const on = (rows: number) =>
    makeLayout(
      { ...TENSOR, bufferType: "l1", memoryLayout: "height_sharded", grid: [rows, 1] },
      TEST_WORMHOLE.workerGrid,
    );
  const refusalOn = (rows: number) => refused.refusalOf({ op: RELU, inputs: [DRAM], outputs: [on(rows)] });
  refused.add(RELU, [DRAM], on(8), "no shards");
  assertEquals([refusalOn(8), refusalOn(4), refusalOn(2)], ["no shards", undefined, undefined]);
  refused.add(RELU, [DRAM], on(4), "no shards either");
  assertEquals(refusalOn(2), "no shards either");
  assertEquals(refused.refusalOf({ op: RELU, inputs: [DRAM], outputs: [DRAM] }), undefined);
});
