// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals } from "@std/assert";
import { exampleTimeline } from "../testing/example_timeline.ts";
import { layerRuns, opGroups } from "./dataflow.ts";
import type { StepTimeline } from "./timeline.ts";

/** The inference of the example: matmul, a copy, relu, a reshape, and a move to the host. */
function exampleSteps(): readonly StepTimeline[] {
  const [, main] = exampleTimeline().timeline.functions;
  assert(main !== undefined);
  return main.steps;
}

/** Steps of the example in another order, each as often as it is named. */
function stepsOf(...indices: readonly number[]): readonly StepTimeline[] {
  const steps = exampleSteps();
  return indices.map((from, index) => {
    const step = steps[from];
    assert(step !== undefined);
    return { ...step, index };
  });
}

Deno.test("opGroups() gives each op the moves before it, and the moves behind the last op to none", () => {
  assertEquals(exampleSteps().map(({ name, kind }) => kind === "op" ? name : kind), [
    "ttnn.matmul",
    "conversion",
    "ttnn.relu",
    "ttnn.reshape",
    "ttnn.from_device",
  ]);
  assertEquals(opGroups(exampleSteps()), [
    { moves: [], op: 0 },
    { moves: [1], op: 2 },
    { moves: [], op: 3 },
    { moves: [4], op: undefined },
  ]);
  assertEquals(opGroups(stepsOf(0, 2)).map(({ op }) => op), [0, 1]);
});

Deno.test("layerRuns() finds layers with equal computation, regardless of their copies", () => {
  const runsOf = (steps: readonly StepTimeline[]) => layerRuns(opGroups(steps), steps);
  const layer = [0, 2, 3, 2];
  assertEquals(runsOf(stepsOf(...layer, ...layer, ...layer)), [{ start: 0, period: 4, count: 3 }]);
  // One layer reads a copy, the next one does not, and the result goes to the host.
  assertEquals(runsOf(stepsOf(3, 0, 1, 2, 3, 2, ...layer, 4)), [{ start: 1, period: 4, count: 2 }]);
  assertEquals(runsOf(stepsOf(0, 2, 3, 2, 0, 3, 3, 2)), []);
});
