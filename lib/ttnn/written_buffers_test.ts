// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals, assertThrows } from "@std/assert";
import { TEST_WORMHOLE } from "../../testing/chips.ts";
import { functionsOf, parseModule } from "../ir/mod.ts";
import { ttnnModule } from "../passes/testing/passed_body.ts";
import type { TtnnOp } from "./op.ts";
import { type TtnnFunction, UnsafePlace } from "./function.ts";
import { readFunction } from "./read.ts";

const [A, B, R] = ["T<2x2x32x2>", "T<4x32x2>", "T<1x2x32x2>"];

const TEXT = ttnnModule(`(%x: ${A}, %r: ${R}) -> (${B}, ${A}, ${R})`, [
  `%0 = "ttnn.neg"(%r) : (${R}) -> ${R}`,
  `%1 = "ttnn.reshape"(%x) <{shape = [4 : i32, 32 : i32, 2 : i32]}> : (${A}) -> ${B}`,
  `%2 = "ttnn.abs"(%1) : (${B}) -> ${B}`,
  `"ttnn.fill_cache"(%x, %0) <{batch_offset = 0 : i32}> : (${A}, ${R}) -> ()`,
  `%3 = "ttnn.relu"(%x) : (${A}) -> ${A}`,
  `return %2, %3, %0 : ${B}, ${A}, ${R}`,
]);

function bodyOf(text: string): TtnnFunction {
  const module = parseModule(text, "t.mlir");
  const [view] = functionsOf(module);
  const body = view && readFunction(module, view, TEST_WORMHOLE.workerGrid, new Map());
  assert(body !== undefined);
  body.protectWritten();
  return body;
}

function opNamed(body: TtnnFunction, name: string): TtnnOp {
  const op = [...body.ops()].find(({ opName }) => opName === `ttnn.${name}`);
  assert(op !== undefined);
  return op;
}

Deno.test("what holds memory up to its last write is pinned, what comes behind it and other tensors are not", () => {
  const body = bodyOf(TEXT);
  assertEquals([...body.ops()].filter(({ isPinned }) => isPinned).map(({ opName }) => opName), [
    "ttnn.reshape",
    "ttnn.abs",
    "ttnn.fill_cache",
  ]);
  assertEquals([body.has("ttnn.reshape"), body.has("ttnn.relu")], [false, true]);
});

Deno.test("memory is read behind its last write only", () => {
  const body = bodyOf(TEXT);
  const [early, late] = [opNamed(body, "neg"), opNamed(body, "relu")];
  const [cache] = late.operands;
  assert(cache !== undefined);
  const spec = { name: "ttnn.exp", operands: [cache], resultTypes: [cache.type] };
  assertThrows(() => body.insertBefore(early, spec), UnsafePlace);
  assertThrows(() => body.moveBefore(late, early), UnsafePlace);
  assertThrows(() => body.setOperand(early, 0, cache), UnsafePlace);
  assertThrows(() => body.replaceAllUses(early.operands[0] ?? cache, cache), UnsafePlace);
  assertEquals(body.isChanged, false);
  assertEquals(body.insertBefore(late, spec).next, late);
});
