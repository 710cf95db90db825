// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import { GraphBuilder } from "../../testing/graph_builder.ts";
import type { ValueId } from "../graph/graph.ts";
import type { OpSpecificAttributes } from "../op_config/op_config.ts";
import { withLiveActivationsKept } from "./live_activations.ts";
import { identityPlan } from "./steps.ts";

const TENSOR = { shape: [32, 32], dataType: "bf16" } as const;
const FREES: OpSpecificAttributes = { kind: "conv2d", conv2dConfig: { deallocateActivation: true } };

/** Whether the convolution of a function still frees its activation. */
function frees(
  build: (builder: GraphBuilder, activation: ValueId) => void,
  view = false,
): boolean | undefined {
  const builder = new GraphBuilder();
  const x = builder.argument(TENSOR);
  const a = builder.op("ttnn.relu", [x], TENSOR);
  build(builder, a);
  const fn = builder.build();
  const conv = fn.ops.findIndex((op) => op.name === "ttnn.conv2d");
  const plan = withLiveActivationsKept({
    fn,
    ownConfig: (op) => fn.ops[op]?.name === "ttnn.conv2d" ? FREES : undefined,
    traits: (op) => ({ viewOf: view && fn.ops[op]?.name === "ttnn.reshape" ? 0 : undefined }),
  }, identityPlan(fn));
  const config = plan.decisions[conv]?.config;
  return config === undefined || (config.kind === "conv2d" && config.conv2dConfig?.deallocateActivation);
}

Deno.test("withLiveActivationsKept() lets the last reader free the activation", () => {
  assertEquals(
    frees((builder, a) => {
      builder.op("ttnn.exp", [a], TENSOR);
      builder.return(builder.op("ttnn.conv2d", [a], TENSOR));
    }),
    true,
  );
});

Deno.test("withLiveActivationsKept() keeps activations that are read again, returned, or arguments", () => {
  assertEquals(
    frees((builder, a) => {
      const b = builder.op("ttnn.conv2d", [a], TENSOR);
      builder.return(builder.op("ttnn.add", [a, b], TENSOR));
    }),
    false,
  );
  assertEquals(
    frees((builder, a) => builder.return(builder.op("ttnn.conv2d", [a], TENSOR), a)),
    false,
  );
  assertEquals(
    frees((builder) => builder.return(builder.op("ttnn.conv2d", [builder.argument(TENSOR)], TENSOR))),
    false,
  );
});

Deno.test("withLiveActivationsKept() looks through views", () => {
  const build = (builder: GraphBuilder, a: ValueId): void => {
    const view = builder.op("ttnn.reshape", [a], TENSOR);
    builder.op("ttnn.conv2d", [a], TENSOR);
    builder.return(builder.op("ttnn.exp", [view], TENSOR));
  };
  assertEquals(frees(build, true), false);
  assertEquals(frees(build, false), true);
});
