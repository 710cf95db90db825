// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import { TEST_WORMHOLE } from "../../../testing/chips.ts";
import { integersAttribute, layoutOf, signatureOf, tensorOf } from "../../../testing/op_queries.ts";
import { LayoutTable } from "../../layout/layout_table.ts";
import { createOpModel } from "../create_op_model.ts";

Deno.test("upsample keeps the sharding of its rows, and takes no tiles in shards", () => {
  const model = createOpModel({ chip: TEST_WORMHOLE, layouts: new LayoutTable() });
  const [image, larger] = [tensorOf([1, 16, 16, 64]), tensorOf([1, 32, 32, 64])];
  const op = signatureOf("ttnn.upsample", [image], [larger], { scale_factor: integersAttribute([2, 2]) });
  const rule = (from: string, to: string): string => {
    const answer = model.queryOpConstraints(
      op,
      [layoutOf(model, image, from)],
      layoutOf(model, larger, to),
      undefined,
    );
    return answer.status === "valid" ? "" : answer.rule;
  };
  assertEquals(rule("hs-rm 8x1", "hs-rm 8x1"), "");
  assertEquals(rule("dram-rm", "dram-rm"), "");
  assertEquals(rule("hs-rm 8x1", "bs-rm 8x2"), "upsample/sharding");
  assertEquals(rule("hs-rm 8x1", "dram-rm"), "upsample/sharding");
  assertEquals(rule("hs 8x1", "hs 8x1"), "upsample/tile");
});
