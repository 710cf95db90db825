// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import { makeLayout } from "../lib/layout/make_layout.ts";
import { dramInterleavedTiled, GraphBuilder } from "../testing/graph_builder.ts";
import { undecidedFunction } from "./undecided_graph.ts";
import { idOf, idsOf } from "../testing/ids.ts";

Deno.test("undecidedFunction() takes reshards, shardings and program configs back", () => {
  const tensor = { shape: [1024, 64], dataType: "bf16" } as const;
  const sharded = makeLayout(
    { ...tensor, bufferType: "l1", memoryLayout: "height_sharded", grid: [32, 1] },
    { rows: 8, columns: 8 },
  );
  const builder = new GraphBuilder();
  const x = builder.argument(tensor);
  const moved = builder.op("ttnn.to_memory_config", [x], tensor, { layouts: [sharded] });
  const made = builder.op("ttnn.relu", [moved], tensor, {
    layouts: [sharded],
    attributes: { memory_config: { kind: "unit" }, kept: { kind: "unit" } },
  });
  const spilled = builder.op("ttnn.to_memory_config", [made], tensor);
  builder.return(builder.op("ttnn.neg", [spilled], tensor));
  const { fn, originalOp } = undecidedFunction(builder.build());
  assertEquals(originalOp, idsOf(1, 3));
  assertEquals(fn.ops.map((op) => [op.name, op.operands, op.results]), [
    ["ttnn.relu", idsOf(0), idsOf(1)],
    ["ttnn.neg", idsOf(1), idsOf(2)],
  ]);
  assertEquals(fn.values.map((value) => value.layout), Array(3).fill(dramInterleavedTiled(tensor)));
  assertEquals(fn.values[1]?.uses, [{ op: idOf(1), operand: 0 }]);
  assertEquals([...fn.ops[0]?.attributes.keys() ?? []], ["kept"]);
  assertEquals([fn.results, fn.values[2]?.returned], [[2], 1]);
});
