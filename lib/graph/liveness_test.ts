// SPDX-License-Identifier: Apache-2.0
import { assertEquals, assertThrows } from "@std/assert";
import { buffersByEnd, computeLiveness, type Liveness, type LivenessStep } from "./liveness.ts";

/** A step that reads tensors and defines one, which may share the buffer of another. */
function step(reads: readonly number[], tensor: number, aliasOf?: number): LivenessStep {
  return { reads, defines: [{ tensor, aliasOf }] };
}

/** Per step: the owners whose buffers end there. */
function endings(liveness: Liveness, steps: number): readonly (readonly number[])[] {
  const { first, next } = buffersByEnd(liveness, steps);
  return Array.from(first, (start) => {
    const chain: number[] = [];
    for (let tensor = start; tensor >= 0; tensor = next[tensor] ?? -1) chain.push(tensor);
    return chain;
  });
}

Deno.test("computeLiveness() ends a tensor at its last use", () => {
  const [x, a, b, c, unused] = [0, 1, 2, 3, 4];
  const steps = [step([x], a), step([a], b), step([a, b], c), step([c], unused)];
  const liveness = computeLiveness(5, steps, [x], [c]);
  assertEquals([liveness.definedAt[a], liveness.bufferEnd[a]], [0, 2]);
  assertEquals([liveness.definedAt[b], liveness.bufferEnd[b]], [1, 2]);
  assertEquals(liveness.bufferEnd[c], 4, "a returned tensor lives to the end");
  assertEquals(liveness.bufferEnd[unused], 3, "an unused result lives during its step");
  assertEquals(endings(liveness, 4), [[x], [], [a, b], [unused]], "a given tensor ends as others do");
  assertEquals(computeLiveness(5, steps, [x], [c, x]).bufferEnd[x], 4, "unless it is live at the end");
});

Deno.test("computeLiveness() keeps a buffer for the views of it, and for views of views", () => {
  const [x, a, view, view2, b, c] = [0, 1, 2, 3, 4, 5];
  const steps = [
    step([x], a),
    step([a], view, a),
    step([view], view2, view),
    step([x], b),
    step([view2, b], c),
  ];
  const liveness = computeLiveness(6, steps, [x], [c]);
  assertEquals(liveness.owner[view2], a);
  assertEquals(liveness.lastUse[a], 1);
  assertEquals(liveness.bufferEnd[a], 4);
  assertEquals(endings(liveness, 5)[4], [a, b]);
});

Deno.test("computeLiveness() refuses a schedule that reads a tensor before its definition", () => {
  const [x, a, b] = [0, 1, 2];
  const made = step([x], a);
  const reads = step([a], b);
  assertEquals(computeLiveness(3, [made, reads], [x], []).definedAt[b], 1);
  assertThrows(() => computeLiveness(3, [reads, made], [x], []), RangeError, "before its definition");
});

Deno.test("computeLiveness() counts a sink as a use and a missing tensor as none", () => {
  const liveness = computeLiveness(3, [step([], 0), { reads: [0], defines: [] }], [], []);
  assertEquals(liveness.bufferEnd[0], 1);
  assertEquals(liveness.definedAt[2], -2);
});

Deno.test("computeLiveness() ends a buffer with the last of its views, in whatever order they are numbered", () => {
  // View 0 of buffer 1 is read last; the buffer has the higher id.
  const steps = [step([], 1), step([1], 0, 1), step([1], 2), step([0], 3)];
  const liveness = computeLiveness(4, steps, [], []);
  assertEquals(liveness.bufferEnd[1], 3);
  assertEquals(endings(liveness, 4), [[], [], [2], [1, 3]]);
  const reversed = computeLiveness(3, [step([], 0), step([0], 1, 0), step([0], 2)], [], []);
  assertEquals(reversed.bufferEnd[0], 2);
});
