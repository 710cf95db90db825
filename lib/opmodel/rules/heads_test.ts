// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import { TEST_WORMHOLE } from "../../../testing/chips.ts";
import { integerAttribute, layoutOf, signatureOf, tensorOf } from "../../../testing/op_queries.ts";
import { LayoutTable } from "../../layout/layout_table.ts";
import { createOpModel } from "../create_op_model.ts";

/** The rule that refuses a split of `[8, 384, …]` into heads of 64, or `"valid"`. */
function split(heads: number, keyHeads: number, from: string, hint?: string): string {
  const model = createOpModel({ chip: TEST_WORMHOLE, layouts: new LayoutTable() });
  const input = tensorOf([8, 384, (heads + 2 * keyHeads) * 64]);
  const results = [heads, keyHeads, keyHeads].map((count) => tensorOf([8, count, 384, 64]));
  const op = signatureOf("ttnn.split_query_key_value_and_split_heads", [input], results, {
    num_heads: integerAttribute(heads),
    num_kv_heads: integerAttribute(keyHeads),
  });
  const wanted = hint === undefined ? undefined : layoutOf(model, tensorOf([8, heads, 384, 64]), hint);
  const answer = model.queryOpConstraints(op, [layoutOf(model, input, from)], wanted, undefined);
  return answer.status === "valid" ? "valid" : answer.rule;
}

Deno.test("columns of shards take whole heads of queries and of keys", () => {
  assertEquals(split(12, 12, "bs 8x4"), "valid");
  assertEquals(split(12, 12, "bs 8x8"), "heads/shards");
  assertEquals(split(8, 2, "bs 8x4"), "heads/shards");
  assertEquals(split(8, 2, "bs 8x2"), "valid");
});

Deno.test("keys and values apart from queries have as many rows; both ops ask for the same", () => {
  const model = createOpModel({ chip: TEST_WORMHOLE, layouts: new LayoutTable() });
  const answer = (name: string, rows: number, shape: (rows: number, width: number) => readonly number[]) => {
    const inputs = [tensorOf(shape(64, 512)), tensorOf(shape(rows, 1024))];
    const results = [64, rows, rows].map((count) => tensorOf([1, 8, count, 64]));
    const heads = name === "nlp_create_qkv_heads" ? "num_q_heads" : "num_heads";
    const op = signatureOf(`ttnn.${name}`, inputs, results, { [heads]: integerAttribute(8) });
    const verdict = model.queryOpConstraints(
      op,
      inputs.map((input) => layoutOf(model, input, "dram")),
      undefined,
      undefined,
    );
    return verdict.status === "valid" ? "valid" : verdict.rule;
  };
  for (const rows of [64, 96]) {
    const wanted = rows === 64 ? "valid" : "heads/rows";
    assertEquals(
      answer("split_query_key_value_and_split_heads", rows, (count, width) => [1, count, width]),
      wanted,
    );
    assertEquals(answer("nlp_create_qkv_heads", rows, (count, width) => [1, 1, count, width]), wanted);
  }
});

Deno.test("heads of an interleaved product are interleaved", () => {
  assertEquals(split(12, 12, "dram"), "valid");
  assertEquals(split(12, 12, "dram", "l1"), "valid");
  assertEquals(split(12, 12, "dram", "bs 8x4"), "heads/interleaved");
});
