// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { LayoutTable } from "../../lib/layout/layout_table.ts";
import { makeLayout } from "../../lib/layout/make_layout.ts";
import { congestionModelOf, withCongestion } from "./congestion.ts";
import { chipDescription, withConstants } from "../devices/device.ts";
import { getDevice } from "../devices/device_registry.ts";
import { createCostModel } from "../cost/runtime.ts";
import { launcherOf } from "../testing/models.ts";

const tensor = { shape: [512, 1024], dataType: "bf16" } as const;

function setup(name: string) {
  const device = getDevice(name);
  const { workerGrid } = chipDescription(device);
  const layouts = new LayoutTable();
  const cost = createCostModel({ device, layouts, opModel: launcherOf(device, layouts) });
  const dram = layouts.intern(
    makeLayout({ ...tensor, bufferType: "dram", memoryLayout: "interleaved" }, workerGrid),
  );
  const block = (rows: number, columns: number) =>
    layouts.intern(makeLayout(
      { ...tensor, bufferType: "l1", memoryLayout: "block_sharded", grid: [rows, columns] },
      workerGrid,
    ));
  return { device, layouts, cost, dram, block };
}

Deno.test("refine() is never faster than the estimate and changes no bytes", () => {
  for (const name of ["n150", "p150-13x10"]) {
    const { device, layouts, cost, dram, block } = setup(name);
    const congestion = congestionModelOf(device, layouts);
    const extent = fc.constantFrom(1, 2, 4, 8);
    const place = fc.oneof(fc.constant(dram), fc.tuple(extent, extent).map(([r, c]) => block(r, c)));
    fc.assert(fc.property(place, place, (from, to) => {
      const before = cost.getReshardRuntime(tensor, from, to);
      const after = congestion.refine(before, tensor, from, to);
      assert(after.microseconds >= before.microseconds);
      assertEquals([after.dramBytes, after.nocBytes], [before.dramBytes, before.nocBytes]);
      assertEquals(congestion.refine(before, tensor, from, to), after);
    }));
  }
});

Deno.test("refine() reports NOC if one column of readers shares its links", () => {
  const { device, layouts, cost, dram, block } = setup("n150");
  const congestion = congestionModelOf(device, layouts);
  const column = block(8, 1);
  const before = cost.getReshardRuntime(tensor, dram, column);
  const after = congestion.refine(before, tensor, dram, column);
  assert(after.microseconds > before.microseconds);
  assertEquals(after.bound, "NOC");
  assertEquals(after.dominant, "read");
});

Deno.test("withCongestion() adds the network's share to an estimate, and omits a zero share", () => {
  const { device, layouts, cost, dram, block } = setup("n150");
  const congestion = congestionModelOf(device, layouts);
  const refined = withCongestion(cost, device, layouts);
  for (const [to, adds] of [[block(8, 1), true], [block(8, 8), false]] as const) {
    const alone = cost.getReshardRuntime(tensor, dram, to);
    const extra = refined.congestionMicroseconds?.(alone, tensor, dram, to);
    assertEquals(extra, congestion.refine(alone, tensor, dram, to).microseconds - alone.microseconds);
    assertEquals((extra ?? 0) > 0, adds);
  }
});

Deno.test("refine() leaves shards alone that are tilized or untilized where they lie: they cross no link", () => {
  for (const name of ["n150", "p150-13x10"]) {
    const { device, layouts, cost } = setup(name);
    const congestion = congestionModelOf(device, layouts);
    const { workerGrid } = chipDescription(device);
    const [tiles, rows] = [{}, { tile: null }].map((pages) =>
      layouts.intern(makeLayout(
        { ...tensor, ...pages, bufferType: "l1", memoryLayout: "height_sharded", grid: [8, 1] },
        workerGrid,
      ))
    );
    assert(tiles !== undefined && rows !== undefined);
    for (const [from, to] of [[tiles, rows], [rows, tiles]] as const) {
      const alone = cost.getReshardRuntime(tensor, from, to);
      assertEquals(congestion.refine(alone, tensor, from, to), alone);
    }
  }
});

Deno.test("moves between the same cores take the time of their own bytes, equal ones that of the first", () => {
  const reads = ({ device, layouts, cost }: ReturnType<typeof setup>, shape: readonly number[]) => {
    const { workerGrid } = chipDescription(device);
    const moved = { shape, dataType: "bf16" } as const;
    const from = layouts.intern(
      makeLayout({ ...moved, bufferType: "dram", memoryLayout: "interleaved" }, workerGrid),
    );
    const to = layouts.intern(makeLayout(
      { ...moved, bufferType: "l1", memoryLayout: "block_sharded", grid: [8, 1] },
      workerGrid,
    ));
    const alone = cost.getReshardRuntime(moved, from, to);
    return congestionModelOf(device, layouts).refine(alone, moved, from, to).terms.read;
  };
  const shared = setup("n150");
  const shapes = [[512, 1024], [512, 2048], [1, 512, 1024], [1536, 1024]];
  const times = shapes.map((shape) => reads(shared, shape));
  assertEquals(times, shapes.map((shape) => reads(setup("n150"), shape)));
  assertEquals(new Set(times).size, 3);
});

Deno.test("refine() keeps the estimate where the cores have no known place on the torus", () => {
  const { device, layouts, cost, dram, block } = setup("n150");
  const wide = withConstants(device, { grid: { workerColumns: 12 } }, "test", "guess");
  const estimate = cost.getReshardRuntime(tensor, dram, block(8, 1));
  assertEquals(congestionModelOf(wide, layouts).refine(estimate, tensor, dram, block(8, 1)), estimate);
});
