// SPDX-License-Identifier: Apache-2.0
import type { Attribute } from "../../lib/ir/attribute.ts";
import { assert, assertAlmostEquals, assertEquals } from "@std/assert";
import type { ArgumentType } from "../../lib/graph/graph.ts";
import { type ArgumentOptions, GraphBuilder } from "../../testing/graph_builder.ts";
import { createCostModel } from "../cost/runtime.ts";
import { getDevice } from "../devices/device_registry.ts";
import { plainOpModel } from "../testing/models.ts";
import { advise } from "./advice.ts";
import { loadWork } from "./layout_advice.ts";
import { simulateGraph } from "./simulate.ts";

const SQUARE = { shape: [1024, 1024], dataType: "bf16" } as const;

const SWAPPED: Readonly<Record<string, Attribute>> = {
  dim0: { kind: "integer", value: 0n, type: "si32" },
  dim1: { kind: "integer", value: 1n, type: "si32" },
};

interface Given {
  /** What the input says of the weight. */
  readonly weight?: ArgumentType;
  /** Whether the prepared weight is read as an activation as well. */
  readonly isShared?: boolean;
  /** Whether the prepared weight is returned. */
  readonly isReturned?: boolean;
  /** Whether the function's input goes into what is made of the weight. */
  readonly isMixed?: boolean;
}

/** A product of an input and a weight that is cast and transposed first. */
function example({ weight = "default", isShared = false, isReturned = false, isMixed = false }: Given) {
  const device = getDevice("n150");
  const opModel = plainOpModel(device);
  const context = {
    device,
    opModel,
    cost: createCostModel({ device, layouts: opModel.layouts, opModel }),
  };
  const builder = new GraphBuilder("main");
  const unsaid: ArgumentOptions = { argumentType: "default" };
  const x = builder.argument(SQUARE, unsaid);
  const w = builder.argument({ ...SQUARE, dataType: "f32" }, { argumentType: weight });
  let made = builder.op("ttnn.typecast", [w], SQUARE);
  if (isMixed) made = builder.op("ttnn.add", [made, x], SQUARE);
  const permuted = builder.op("ttnn.transpose", [made], SQUARE, { attributes: SWAPPED });
  const input = builder.op("ttnn.relu", [x], SQUARE);
  builder.return(builder.op("ttnn.matmul", [input, permuted], SQUARE));
  if (isShared) builder.return(builder.op("ttnn.add", [permuted, input], SQUARE));
  if (isReturned) builder.return(permuted);
  const graph = builder.buildGraph();
  const timeline = simulateGraph(graph, undefined, context);
  const [fn, source] = [timeline.functions[0], graph.functions[0]];
  assert(fn !== undefined && source !== undefined);
  return { work: loadWork(fn, source), advice: advise(graph, timeline, context), fn };
}

Deno.test("advice: a chain that only produces a matmul's weight could run at load, with the time of its steps", () => {
  const { work, advice, fn } = example({});
  assertEquals(work.map(({ argument, name, steps }) => ({ argument, name, steps })), [
    { argument: 1, name: "%arg1", steps: [0, 1] },
  ]);
  const time = [0, 1].reduce(
    (sum, step) => sum + (fn.steps[step]?.deviceUs ?? 0) + (fn.steps[step]?.gapUs ?? 0),
    0,
  );
  assertAlmostEquals(work[0]?.microseconds ?? 0, time, 1e-9);
  const load = advice.find(({ topic }) => topic === "Load");
  assertAlmostEquals(load?.savedUs ?? 0, time, 1e-9);
  assert(load?.message.includes("argument 1 (%arg1)"));
});

Deno.test("no advice for chains from inputs or declared parameters, read as more than a weight, returned, or mixed with another argument", () => {
  for (const weight of ["input", "parameter", "constant"] as const) {
    assertEquals(example({ weight }).work, [], weight);
  }
  for (const given of [{ isShared: true }, { isReturned: true }, { isMixed: true }]) {
    assertEquals(example(given).work, [], JSON.stringify(given));
  }
  assertEquals(example({ isShared: true }).advice.some(({ topic }) => topic === "Load"), false);
});
