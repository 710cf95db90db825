// SPDX-License-Identifier: Apache-2.0
import { assert, assertAlmostEquals, assertEquals } from "@std/assert";
import { GraphBuilder } from "../../testing/graph_builder.ts";
import { createCostModel } from "../../sim/cost/runtime.ts";
import { getDevice } from "../../sim/devices/device_registry.ts";
import { plainOpModel } from "../../sim/testing/models.ts";
import { simulateGraph } from "../../sim/timeline/simulate.ts";
import { type NetworkLoad, networkLoads } from "./network_load.ts";

const P150 = getDevice("p150");

/** Loads of copies of matrices in DRAM, one after the other. */
function loads(rows: readonly number[]): readonly NetworkLoad[] {
  const opModel = plainOpModel(P150);
  const cost = createCostModel({ device: P150, layouts: opModel.layouts, opModel });
  const builder = new GraphBuilder("main");
  for (const extent of rows) {
    const tensor = { shape: [extent, 1024], dataType: "bf16" } as const;
    builder.return(builder.op("ttnn.relu", [builder.argument(tensor)], tensor));
  }
  const { functions: [timeline] } = simulateGraph(
    builder.buildGraph(),
    undefined,
    { device: P150, opModel, cost },
  );
  assert(timeline !== undefined);
  return networkLoads(timeline, P150);
}

Deno.test("networkLoads() shows the longest step first, and equal steps once", () => {
  assertEquals(loads([1024, 2048, 1024, 2048]).map(({ step }) => step), [1, 0]);
});

Deno.test("networkLoads() places workers by column and row, and counts every byte of DRAM", () => {
  const [load] = loads([1024]);
  assert(load !== undefined);
  assertEquals(load.workers.length, P150.grid.workerColumns * P150.grid.workerRows);
  // Blackhole has more columns of workers than rows.
  assertEquals([load.columns, load.rows], [17, 12]);
  assert(load.workers.every(([x, y]) => x < load.columns && y < load.rows));
  assertEquals(new Set(load.workers.map(([x]) => x)).size, P150.grid.workerColumns);
  assertEquals(load.bankBytes.length, P150.dram.banks);
  const bytes = load.bankBytes.reduce((sum, each) => sum + each, 0);
  assertAlmostEquals(bytes, 2 * 1024 * 1024 * 2, P150.dram.banks / 2, "each bank is rounded to a byte");
  const injected = load.nodes.reduce((sum, node) => sum + node.injected, 0);
  const ejected = load.nodes.reduce((sum, node) => sum + node.ejected, 0);
  assertEquals(injected, ejected, "what enters the networks leaves them");
});
