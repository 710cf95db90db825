// SPDX-License-Identifier: Apache-2.0
import { assertEquals, assertThrows } from "@std/assert";
import { GraphBuilder } from "./graph_builder.ts";
import { computeFunctionLiveness, computeLiveness, liveBuffersAt } from "./liveness.ts";

const TENSOR = { shape: [32, 64], dataType: "bf16" } as const;

Deno.test("computeFunctionLiveness() ends a value at its last use", () => {
  const builder = new GraphBuilder();
  const x = builder.argument(TENSOR);
  const a = builder.op("ttnn.relu", [x], TENSOR);
  const b = builder.op("ttnn.exp", [a], TENSOR);
  const c = builder.op("ttnn.add", [a, b], TENSOR);
  const unused = builder.op("ttnn.neg", [c], TENSOR);
  builder.return(c);
  const liveness = computeFunctionLiveness(builder.build());
  assertEquals([liveness.definedAt[a], liveness.bufferEnd[a]], [0, 2]);
  assertEquals([liveness.definedAt[b], liveness.bufferEnd[b]], [1, 2]);
  assertEquals(liveness.bufferEnd[c], 4, "a returned value lives to the end");
  assertEquals(liveness.bufferEnd[unused], 3, "an unused result lives during its op");
  assertEquals(liveBuffersAt(liveness, 1), [x, a, b]);
});

Deno.test("computeFunctionLiveness() keeps a buffer for the views of it, and for views of views", () => {
  const builder = new GraphBuilder();
  const x = builder.argument(TENSOR);
  const a = builder.op("ttnn.relu", [x], TENSOR);
  const view = builder.op("ttnn.reshape", [a], TENSOR);
  const view2 = builder.op("ttnn.reshape", [view], TENSOR);
  const b = builder.op("ttnn.exp", [x], TENSOR);
  const c = builder.op("ttnn.add", [view2, b], TENSOR);
  builder.return(c);
  const fn = builder.build();
  const liveness = computeFunctionLiveness(fn, (op) => fn.ops[op]?.name === "ttnn.reshape" ? 0 : undefined);
  assertEquals(liveness.owner[view2], a);
  assertEquals(liveness.lastUse[a], 1);
  assertEquals(liveness.bufferEnd[a], 4);
  assertEquals(liveBuffersAt(liveness, 3), [x, a, b]);
});

Deno.test("computeFunctionLiveness() follows another schedule", () => {
  const builder = new GraphBuilder();
  const x = builder.argument(TENSOR);
  const a = builder.op("ttnn.relu", [x], TENSOR);
  const b = builder.op("ttnn.exp", [x], TENSOR);
  builder.return(builder.op("ttnn.add", [a, b], TENSOR));
  const fn = builder.build();
  const liveness = computeFunctionLiveness(fn, undefined, [1, 0, 2]);
  assertEquals([liveness.definedAt[a], liveness.definedAt[b]], [1, 0]);
  assertThrows(() => computeFunctionLiveness(fn, undefined, [2, 0, 1]), RangeError, "before its definition");
});

Deno.test("computeLiveness() counts a sink op as a use and a missing tensor as none", () => {
  const liveness = computeLiveness(
    3,
    [
      { reads: [], defines: [{ tensor: 0, aliasOf: undefined }] },
      { reads: [0], defines: [] },
    ],
    [],
    [],
  );
  assertEquals(liveness.bufferEnd[0], 1);
  assertEquals(liveness.definedAt[2], -2);
  assertEquals(liveBuffersAt(liveness, 1), [0]);
});
