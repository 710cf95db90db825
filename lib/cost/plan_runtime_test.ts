// SPDX-License-Identifier: Apache-2.0
import { assertThrows } from "@std/assert";
import { TEST_WORMHOLE } from "../../testing/chips.ts";
import { dramInterleavedTiled, GraphBuilder } from "../../testing/graph_builder.ts";
import { returnPlace } from "../graph/graph.ts";
import { LayoutTable } from "../layout/layout_table.ts";
import { createOpModel } from "../opmodel/create_op_model.ts";
import { identityPlan } from "../plan/steps.ts";
import type { CostModel } from "./cost_model.ts";
import { planMicroseconds } from "./plan_runtime.ts";

const TENSOR = { shape: [64, 64], dataType: "bf16" } as const;

const UNASKED: CostModel = {
  getOpRuntime: () => {
    throw new Error("asked for an op");
  },
  getReshardRuntime: () => {
    throw new Error("asked for a copy");
  },
};

Deno.test("a copy of what has no known layout has no price, and is not free", () => {
  const builder = new GraphBuilder();
  const unknown = builder.argument(TENSOR, { layout: null });
  builder.return(unknown);
  const fn = builder.build();
  const plan = identityPlan(fn);
  const copy = {
    id: 0,
    value: unknown,
    source: { kind: "value" },
    layout: dramInterleavedTiled(TENSOR),
    beforeOp: returnPlace(fn),
    reason: "return",
    note: "",
  } as const;
  const opModel = createOpModel({ chip: TEST_WORMHOLE, layouts: new LayoutTable() });
  assertThrows(
    () => planMicroseconds(fn, { ...plan, conversions: [copy] }, opModel, UNASKED),
    RangeError,
    "conversion 0",
  );
});
