// SPDX-License-Identifier: Apache-2.0
import { assert, assertAlmostEquals, assertEquals } from "@std/assert";
import { makeLayout } from "../../lib/layout/make_layout.ts";
import type { TtnnLayout } from "../../lib/layout/ttnn_layout.ts";
import { chipDescription } from "../devices/device.ts";
import { DEVICE_NAMES, getDevice } from "../devices/device_registry.ts";
import { stepFlows, stepTraffic, type TrafficStep } from "./step_traffic.ts";
import { exampleTimeline } from "../testing/example_timeline.ts";

const device = getDevice("n150");
const grid = chipDescription(device).workerGrid;
const shape = [1024, 1024];

const dram = makeLayout({ shape, dataType: "bf16", bufferType: "dram", memoryLayout: "interleaved" }, grid);
const block = makeLayout(
  { shape, dataType: "bf16", bufferType: "l1", memoryLayout: "block_sharded", grid: [8, 8] },
  grid,
);

function eltwise(input: TtnnLayout, output: TtnnLayout, cores = 64): TrafficStep {
  const example = exampleTimeline().timeline.functions[1]?.steps[2];
  assert(example);
  return {
    ...example,
    estimate: { ...example.estimate, cores },
    inputShapes: [shape],
    outputShapes: [shape],
    inputLayouts: [input],
    outputLayouts: [output],
  };
}

function bytesOf(step: TrafficStep): Record<string, number> {
  const sums: Record<string, number> = {};
  for (const flow of stepFlows(step, device)) {
    const kind = flow.destinations.length > 1 ? "multicast" : flow.kind;
    sums[kind] = (sums[kind] ?? 0) + flow.bytes;
  }
  // Shares of cores and banks are fractions; their sum is a whole number of bytes again.
  return Object.fromEntries(Object.entries(sums).map(([kind, bytes]) => [kind, Math.round(bytes)]));
}

Deno.test("stepFlows() of an eltwise op reads and writes every byte of interleaved tensors once", () => {
  assertEquals(bytesOf(eltwise(dram, dram)), { read: 2 ** 21, write: 2 ** 21 });
  assertEquals(bytesOf(eltwise(dram, block)), { read: 2 ** 21 });
});

Deno.test("stepFlows() has no flows of operands without a layout or on the host", () => {
  const host = makeLayout(
    { shape, dataType: "bf16", bufferType: "system_memory", memoryLayout: undefined },
    grid,
  );
  assertEquals(bytesOf({ ...eltwise(dram, dram), inputLayouts: [undefined] }), { write: 2 ** 21 });
  assertEquals(bytesOf(eltwise(host, dram)), { write: 2 ** 21 });
});

Deno.test("stepFlows() of shards on the cores that use them moves nothing", () => {
  assertEquals(stepFlows(eltwise(block, block), device), []);
  assertEquals(stepTraffic(eltwise(block, block), device), undefined);
});

Deno.test("stepFlows() of a matmul reads each operand once and multicasts it", () => {
  const matmul = exampleTimeline().timeline.functions[1]?.steps[0];
  assert(matmul);
  const flows = stepFlows(matmul, device);
  const reads = flows.filter((flow) => flow.kind === "read");
  const in0 = 1024 * 4096 * 2;
  const in1 = 4096 / 32 * 1024 / 32 * 1088;
  assertAlmostEquals(reads.reduce((sum, flow) => sum + flow.bytes, 0), in0 + in1, 1);
  assert(flows.some((flow) => flow.destinations.length > 1));
  const traffic = stepTraffic(matmul, device);
  assert(traffic);
  assertAlmostEquals(traffic.bankBytes.reduce((sum, bytes) => sum + bytes, 0), in0 + in1 + 2 ** 21, 1);
});

Deno.test("stepTraffic() of a layout change equals the bytes that have to move", () => {
  const reshard = exampleTimeline().timeline.functions[1]?.steps[1];
  assert(reshard);
  const traffic = stepTraffic(reshard, device);
  assertAlmostEquals(traffic?.bankBytes.reduce((sum, bytes) => sum + bytes, 0) ?? 0, 2 ** 21, 1e-3);
});

Deno.test("all cores together read DRAM at flow level faster than measured and slower than the theoretical peak", () => {
  // The flow level knows banks, links and issuing cores, but not the lock step of real programs, which the measured
  // shares hold; so it has to lie between the two on every device.
  for (const name of DEVICE_NAMES) {
    const chip = getDevice(name);
    const { workerGrid } = chipDescription(chip);
    const cores = workerGrid.rows * workerGrid.columns;
    const layout = makeLayout(
      { shape, dataType: "bf16", bufferType: "dram", memoryLayout: "interleaved" },
      grid,
    );
    const large = [16384, 4096];
    const step = {
      ...eltwise(layout, block, cores),
      inputShapes: [large],
      outputShapes: [],
      outputLayouts: [],
    };
    const traffic = stepTraffic(step, chip);
    assert(traffic);
    const gigabytes = 16384 * 4096 * 2 / traffic.cycles * chip.clock.aiclk / 1000;
    assert(gigabytes < chip.dram.peakBandwidth, `${name} ${gigabytes}`);
    assert(gigabytes > chip.dram.peakBandwidth * chip.dram.interleavedReadShare, `${name} ${gigabytes}`);
  }
});
