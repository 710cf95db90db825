// SPDX-License-Identifier: Apache-2.0
import { assertEquals, assertThrows } from "@std/assert";
import { GraphBuilder } from "../../testing/graph_builder.ts";
import {
  firstResult,
  functionNamed,
  idAt,
  isOp,
  opAt,
  opId,
  returnPlace,
  valueAt,
  valueId,
} from "./graph.ts";

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

Deno.test("ops, values and functions that are not there are errors that say what was looked for", () => {
  const fn = twoOps();
  const graph = { functions: [fn], constEvalL1Bytes: 0 };
  assertEquals(fn.ops.map((op) => opAt(fn, op.id)), fn.ops);
  assertEquals(fn.values.map((value) => valueAt(fn, value.id)), fn.values);
  assertEquals(functionNamed(graph, "main"), fn);
  assertEquals(fn.ops.map((op) => firstResult(fn, op)?.id), fn.ops.map((op) => op.results[0]));
  assertThrows(() => opAt(fn, idAt(2)), RangeError, "op 2");
  assertThrows(() => valueAt(fn, idAt(3)), RangeError, "value 3");
  assertThrows(() => functionNamed(graph, "other"), RangeError, "@other");
});
