// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import { makeLayout } from "../layout/make_layout.ts";
import { constEvalResidentBytes } from "./const_eval_residents.ts";
import type { GraphFunction } from "./graph.ts";
import { GraphBuilder } from "../../testing/graph_builder.ts";

const tensor = { shape: [256, 512], dataType: "bf16" } as const;
const inL1 = makeLayout(
  { ...tensor, bufferType: "l1", memoryLayout: "height_sharded", grid: [8, 1] },
  { rows: 8, columns: 8 },
);

/** A function that loads the results of const-eval functions, by default in L1. */
function loads(name: string, callees: readonly string[], layout = [inL1]): GraphFunction {
  const builder = new GraphBuilder(name);
  const w = builder.argument(tensor);
  for (const callee of callees) {
    builder.op("ttcore.load_cached", [w], tensor, {
      attributes: { callee: { kind: "symbol", name: callee } },
      layouts: layout,
    });
  }
  return builder.build();
}

Deno.test("constEvalResidentBytes() counts each cached result in L1 once", () => {
  const shard = 256 / 8 * 512 * 2;
  assertEquals(constEvalResidentBytes([loads("a", ["c0", "c1"])]), 2 * shard);
  assertEquals(constEvalResidentBytes([loads("a", ["c0", "c0"]), loads("b", ["c0"])]), shard);
});

Deno.test("constEvalResidentBytes() excludes DRAM", () => {
  assertEquals(constEvalResidentBytes([loads("a", ["c0"], [])]), 0);
});
