// SPDX-License-Identifier: Apache-2.0
import { assert, assertAlmostEquals, assertEquals } from "@std/assert";
import { makeLayout } from "../../lib/layout/make_layout.ts";
import type { TtnnLayout } from "../../lib/layout/ttnn_layout.ts";
import { chipDescription } from "../devices/device.ts";
import { getDevice } from "../devices/device_registry.ts";
import { networkOf } from "./network.ts";
import { reshardFlows } from "./reshard_traffic.ts";
import { type Flow, flowTraffic } from "./traffic.ts";

const device = getDevice("n150");
const chip = chipDescription(device);
const shape = [512, 1024];

function dram(): TtnnLayout {
  return makeLayout(
    { shape, dataType: "bf16", bufferType: "dram", memoryLayout: "interleaved" },
    chip.workerGrid,
  );
}

/** A block of cores, `rows` by `columns` from the origin. */
function block(rows: number, columns: number): TtnnLayout {
  return makeLayout(
    { shape, dataType: "bf16", bufferType: "l1", memoryLayout: "block_sharded", grid: [rows, columns] },
    chip.workerGrid,
  );
}

function totalBytes(flows: readonly Flow[] | undefined): number {
  return (flows ?? []).reduce((sum, flow) => sum + flow.bytes, 0);
}

Deno.test("reshardFlows() moves every byte of the tensor once", () => {
  const bytes = 512 * 1024 * 2;
  assertEquals(totalBytes(reshardFlows(shape, dram(), block(4, 4), chip)), bytes);
  assertEquals(totalBytes(reshardFlows(shape, block(4, 4), dram(), chip)), bytes);
  assertEquals(totalBytes(reshardFlows(shape, block(4, 4), block(2, 8), chip)), bytes);
});

Deno.test("reshardFlows() reads into shards, writes out of them, and uses both networks between shards", () => {
  const kinds = (flows: readonly Flow[] | undefined) =>
    [...new Set((flows ?? []).map((flow) => `${flow.kind} on NoC${flow.noc}`))].sort();
  assertEquals(kinds(reshardFlows(shape, dram(), block(4, 4), chip)), ["read on NoC0"]);
  assertEquals(kinds(reshardFlows(shape, block(4, 4), dram(), chip)), ["write on NoC1"]);
  assertEquals(kinds(reshardFlows(shape, block(4, 4), block(2, 8), chip)), ["read on NoC0", "read on NoC1"]);
});

Deno.test("reshardFlows() leaves copies and host transfers to the kernels", () => {
  assertEquals(reshardFlows(shape, dram(), dram(), chip), undefined);
  const host = makeLayout(
    { shape, dataType: "bf16", bufferType: "system_memory", memoryLayout: undefined },
    chip.workerGrid,
  );
  assertEquals(reshardFlows(shape, host, block(4, 4), chip), undefined);
});

Deno.test("a column of cores reads from DRAM slower than a row of cores, as measured", () => {
  // tt-npe:traces DRAM_TO_4x1_BLOCK and DRAM_TO_4x4_BLOCK on n150, 1 MiB each: 28550 and 9274 cycles. The
  // four readers of one column share its y links. The traces hold 130 cycles of overhead per read that we leave out.
  const network = networkOf(device);
  assert(network);
  const time = (to: TtnnLayout) =>
    flowTraffic(device, network).time(reshardFlows(shape, dram(), to, chip) ?? []);
  const column = time(block(4, 1));
  assertEquals(column.bottleneck?.kind, "y");
  assertAlmostEquals(column.cycles, 28550, 28550 * 0.18);
  assert(column.cycles > 2 * time(block(1, 4)).cycles);
  assert(time(block(4, 4)).cycles < 9274);
});
