// SPDX-License-Identifier: Apache-2.0
import { assertEquals, assertThrows } from "@std/assert";
import { GraphBuilder } from "../../testing/graph_builder.ts";
import { idAt, isOp, opId, returnPlace, valueId } from "./graph.ts";

const TENSOR = { shape: [32, 32], dataType: "bf16" } as const;

function twoOps() {
  const builder = new GraphBuilder();
  builder.return(
    builder.op("ttnn.gelu", [builder.op("ttnn.relu", [builder.argument(TENSOR)], TENSOR)], TENSOR),
  );
  return builder.build();
}

Deno.test("ids are given for what a function has, and for nothing else", () => {
  const fn = twoOps();
  assertEquals(fn.ops.map(({ id }) => opId(fn, id)), fn.ops.map(({ id }) => id));
  assertEquals(valueId(fn, 2), fn.values.at(-1)?.id);
  for (const index of [-1, 0.5, 2, NaN]) assertThrows(() => opId(fn, index), RangeError);
  for (const index of [-1, 0.5, 3, NaN]) assertThrows(() => valueId(fn, index), RangeError);
  assertThrows(() => idAt(-1), RangeError, "-1");
});

Deno.test("return has a place behind the last op, and is no op", () => {
  const fn = twoOps();
  assertEquals([...fn.ops.map(({ id }) => id), returnPlace(fn)].map((place) => isOp(fn, place)), [
    true,
    true,
    false,
  ]);
});
