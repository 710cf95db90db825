// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import { LayoutTable } from "../layout/layout_table.ts";
import { ToyCostModel } from "../propagation/testing/toy_models.ts";
import { dramInterleavedTiled } from "../../testing/graph_builder.ts";
import type { CostModel } from "./cost_model.ts";
import { occupiedMicroseconds } from "./occupied_time.ts";

Deno.test("occupiedMicroseconds() is the dispatcher's time for short kernels only", () => {
  const layouts = new LayoutTable();
  const toy = new ToyCostModel(layouts);
  const tensor = { shape: [32, 32], dataType: "bf16" } as const;
  const layout = layouts.intern(dramInterleavedTiled(tensor));
  const estimate = toy.getReshardRuntime(tensor, layout, layout);
  const at = (programSendMicroseconds: number | undefined): CostModel => ({
    getOpRuntime: (...question) => toy.getOpRuntime(question[0], question[1], question[2]),
    getReshardRuntime: (...question) => toy.getReshardRuntime(...question),
    ...(programSendMicroseconds === undefined ? {} : { programSendMicroseconds }),
  });
  assertEquals(occupiedMicroseconds(estimate, at(undefined)), estimate.microseconds);
  assertEquals(occupiedMicroseconds(estimate, at(100)), 100);
  assertEquals(occupiedMicroseconds({ ...estimate, bound: "HOST" }, at(100)), estimate.microseconds);
  assertEquals(occupiedMicroseconds({ ...estimate, microseconds: 0 }, at(100)), 0);
});
