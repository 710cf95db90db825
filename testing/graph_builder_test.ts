// SPDX-License-Identifier: Apache-2.0
import { assertEquals, assertThrows } from "@std/assert";
import { GraphBuilder } from "./graph_builder.ts";
import { idOf, idsOf } from "./ids.ts";

const TENSOR = { shape: [32, 64], dataType: "bf16" } as const;

Deno.test("GraphBuilder lists uses in schedule order, then operand order", () => {
  const builder = new GraphBuilder();
  const x = builder.argument(TENSOR);
  const y = builder.op("ttnn.relu", [x], TENSOR);
  const z = builder.op("ttnn.add", [y, y], TENSOR);
  builder.op("ttnn.subtract", [x, y], TENSOR);
  builder.return(z, z);
  const fn = builder.build();
  assertEquals(fn.values[y]?.uses, [{ op: idOf(1), operand: 0 }, { op: idOf(1), operand: 1 }, {
    op: idOf(2),
    operand: 1,
  }]);
  assertEquals(fn.values[x]?.uses, [{ op: idOf(0), operand: 0 }, { op: idOf(2), operand: 0 }]);
  assertEquals(fn.values[z]?.returned, 2);
});

Deno.test("GraphBuilder gives tensors a DRAM interleaved layout unless told otherwise", () => {
  const builder = new GraphBuilder();
  const x = builder.argument(TENSOR);
  const device = builder.argument(undefined);
  const bare = builder.argument(TENSOR, { layout: null });
  const fn = builder.build();
  assertEquals(fn.values[x]?.layout?.bufferType, "dram");
  assertEquals(fn.values[x]?.layout?.shardShape, [1, 2]);
  assertEquals(fn.values[device]?.tensor, undefined);
  assertEquals(fn.values[bare]?.layout, undefined);
});

Deno.test("GraphBuilder numbers the results of an op with several results", () => {
  const builder = new GraphBuilder();
  const x = builder.argument(TENSOR);
  const [first, second] = builder.multiOp("ttnn.sort", [x], [TENSOR, TENSOR]);
  const fn = builder.build();
  assertEquals(fn.values[first ?? -1]?.definition, { kind: "result", op: idOf(0), index: 0 });
  assertEquals(fn.values[second ?? -1]?.name, "%0#1");
});

Deno.test("GraphBuilder refuses an operand that does not exist", () => {
  const builder = new GraphBuilder();
  assertThrows(() => builder.op("ttnn.relu", idsOf(7), TENSOR), RangeError, "operand 0 is undefined");
});
