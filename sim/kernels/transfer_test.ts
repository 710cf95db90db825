// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals } from "@std/assert";
import type { TransferProgram } from "../../lib/programs/program.ts";
import { getDevice } from "../devices/device_registry.ts";
import { pricedTensor } from "../testing/priced.ts";
import { transferCost } from "./transfer.ts";

const N150 = getDevice("n150");
const SHAPE = [1024, 1024];
const SHARDS = pricedTensor(N150, SHAPE, { bufferType: "l1", memoryLayout: "block_sharded", grid: [8, 8] });
const STRIPS = pricedTensor(N150, SHAPE, { bufferType: "l1", memoryLayout: "height_sharded", grid: [32, 1] });
const PAGES = pricedTensor(N150, SHAPE);

function cycles(of: Pick<TransferProgram, "input" | "output" | "pulls">, transactions: number): number {
  return transferCost({
    kind: "transfer",
    ...of,
    transactions,
    transactionBytes: 64,
    staged: false,
    shortCopies: 0,
    compute: [],
    moves: true,
    cores: 32,
    circularBuffers: [],
    reads: [],
    writes: [],
    flops: 0,
  }, N150).cycles;
}

// Many small transactions, so that neither DRAM nor a source's port sets the time.
Deno.test("between shards two threads of a core read half of the transactions each, one of them the odd one", () => {
  const between = { input: SHARDS, output: STRIPS, pulls: true };
  assertEquals(cycles(between, 99_999), cycles(between, 100_000));
  assert(cycles(between, 99_999) > cycles(between, 99_998));
});

Deno.test("pages from DRAM, and shards that are written, are moved by one thread", () => {
  for (
    const moved of [{ input: PAGES, output: SHARDS, pulls: true }, {
      input: SHARDS,
      output: PAGES,
      pulls: false,
    }]
  ) {
    assert(cycles(moved, 100_000) > cycles(moved, 99_999));
    const own = cycles(moved, 200_000) - cycles(moved, 100_000);
    const halved = cycles({ input: SHARDS, output: STRIPS, pulls: true }, 200_000) -
      cycles({ input: SHARDS, output: STRIPS, pulls: true }, 100_000);
    if (moved.pulls) assert(own > 1.5 * halved, `${own} ${halved}`);
  }
});
