// SPDX-License-Identifier: Apache-2.0
import type { Graph } from "../../lib/graph/graph.ts";
import { GraphBuilder } from "../../testing/graph_builder.ts";
import { makeLayout } from "../../lib/layout/make_layout.ts";
import { identityPlan } from "../../lib/plan/steps.ts";
import type { Plan } from "../../lib/plan/plan.ts";
import { withConstants } from "../devices/device.ts";
import { getDevice } from "../devices/device_registry.ts";
import { simulateGraph, type SimulationContext, type SimulationOptions } from "../timeline/simulate.ts";
import type { Timeline } from "../timeline/timeline.ts";
import { fixedCostModel, plainOpModel } from "./models.ts";
import { idOf } from "../../testing/ids.ts";

/** A simulated example with everything that it was made from. */
export interface ExampleTimeline {
  readonly graph: Graph;
  readonly plan: Plan;
  readonly context: SimulationContext;
  readonly timeline: Timeline;
}

/**
 * A small program on n150 with fixed prices: a const-eval function, and `from_device(relu(x @ w))` seen through a
 * reshape, with one copy into a height-sharded layout.
 */
export function exampleTimeline(options: SimulationOptions = {}): ExampleTimeline {
  // Constants that may be fitted anew are given, so that expected texts stay.
  const device = withConstants(
    getDevice("n150"),
    { dispatch: { programSend: 3, untracedHost: 50 }, accuracy: { dataMovement: 0.3 } },
    "example",
    "guess",
  );
  const opModel = plainOpModel(device, 64 * 1024);
  const cost = fixedCostModel({
    "ttnn.matmul": {
      microseconds: 101.2,
      bound: "FLOP",
      relativeError: 0.1,
      ownError: 0.1,
      cores: 64,
      dramBytes: 6_291_456,
      nocBytes: 8_000_000,
      flops: 8_589_934_592,
      terms: { launch: 1.2, read: 40, compute: 95, write: 10 },
      dominant: "compute",
    },
    "ttnn.relu": {
      microseconds: 11.2,
      bound: "DRAM",
      relativeError: 0.2,
      ownError: 0.2,
      cores: 8,
      dramBytes: 2_097_152,
      nocBytes: 2_097_152,
      terms: { launch: 1.2, read: 3, compute: 4, write: 9.5 },
      dominant: "write",
    },
    "ttnn.from_device": {
      microseconds: 50,
      bound: "HOST",
      relativeError: 0.5,
      ownError: 0.5,
      dramBytes: 2_097_152,
      terms: { launch: 50, read: 0, compute: 0, write: 0 },
    },
    reshard: {
      microseconds: 0.4,
      bound: "NOC",
      relativeError: 0.25,
      ownError: 0.25,
      cores: 8,
      nocBytes: 1_048_576,
      terms: { launch: 0.1, read: 0.2, compute: 0, write: 0 },
      dominant: "read",
    },
  }, opModel);
  const graph = exampleGraph();
  const plan = examplePlan(graph);
  const context = { device, opModel, cost };
  return {
    graph,
    plan,
    context,
    timeline: simulateGraph(graph, plan, context, { network: "analytic", ...options }),
  };
}

const PRODUCT = { shape: [1024, 1024], dataType: "bf16" } as const;

function exampleGraph(): Graph {
  const weights = new GraphBuilder("main_const_eval_0", "const_eval");
  const raw = weights.argument({ shape: [1024, 4096], dataType: "bf16" }, { argumentType: "parameter" });
  weights.return(weights.op("ttnn.relu", [raw], { shape: [1024, 4096], dataType: "bf16" }));

  const main = new GraphBuilder("main");
  const x = main.argument({ shape: [1024, 4096], dataType: "bf16" });
  const w = main.argument({ shape: [4096, 1024], dataType: "bfp_bf8" }, { argumentType: "parameter" });
  const y = main.op("ttnn.matmul", [x, w], PRODUCT, { location: "fc1" });
  const z = main.op("ttnn.relu", [y], PRODUCT, { location: "act1" });
  const view = main.op("ttnn.reshape", [z], { shape: [1, 1024, 1024], dataType: "bf16" });
  main.return(main.op("ttnn.from_device", [view], { shape: [1, 1024, 1024], dataType: "bf16" }));
  return { functions: [weights.build(), main.build()], constEvalL1Bytes: 0 };
}

/** As written, but `relu` reads a copy of the product that is sharded over eight cores. */
function examplePlan(graph: Graph): Plan {
  const [weights, main] = graph.functions.map(identityPlan);
  if (weights === undefined || main === undefined) throw new RangeError("Cannot plan: functions are missing");
  const layout = makeLayout(
    { ...PRODUCT, bufferType: "l1", memoryLayout: "height_sharded", grid: [8, 1] },
    { rows: 8, columns: 8 },
  );
  return {
    schema: "tilewright.plan/1",
    policy: "example",
    device: "n150",
    functions: [weights, {
      ...main,
      conversions: [{
        id: 0,
        value: idOf(2),
        source: { kind: "value" },
        layout,
        beforeOp: idOf(1),
        reason: "reshard",
        note: "relu wants shards",
      }],
      decisions: main.decisions.map((decision) =>
        decision.op === 1 ? { ...decision, operands: [{ kind: "conversion", conversion: 0 }] } : decision
      ),
    }],
  };
}
