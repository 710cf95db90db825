// SPDX-License-Identifier: Apache-2.0

/** Hot paths of lib/layout: interning and reshard transfers. */

import { LayoutTable } from "../lib/layout/layout_table.ts";
import type { ChipNodes } from "../lib/layout/ttnn/nodes.ts";
import { reshardTransfers } from "../lib/layout/ttnn/reshard_transfers.ts";
import type { TtnnLayout } from "../lib/layout/ttnn_layout.ts";
import { layoutFrom, type LayoutText, tensorOf } from "../testing/op_queries.ts";

const CHIP: ChipNodes = { workerGrid: { rows: 8, columns: 8 }, dramBanks: 12 };

function layout(shape: readonly number[], place: LayoutText): TtnnLayout {
  return layoutFrom(CHIP, tensorOf(shape), place);
}

const layouts = Array.from({ length: 1_000_000 }, (_, index) => {
  const number = (index * 7919) % 10_000;
  return layout([32 * (1 + number % 100), 32 * (1 + Math.floor(number / 100))], "dram");
});

Deno.bench("intern a million layout objects, ten thousand distinct", () => {
  const table = new LayoutTable();
  for (const each of layouts) table.intern(each);
});

const square = [4096, 4096];
const block = layout(square, "bs 8x8");
const height = layout(square, "hs 64x1");
const dram = layout(square, "dram");
const l1 = layout(square, "l1");
const large = [1, 32, 8192, 4096];

Deno.bench("transfers of 4096x4096 bf16, block 8x8 to height 64", () => {
  reshardTransfers(square, block, height, CHIP);
});

Deno.bench("transfers of 4096x4096 bf16, interleaved DRAM to height 64", () => {
  reshardTransfers(square, dram, height, CHIP);
});

Deno.bench("transfers of 4096x4096 bf16, interleaved L1 to block 8x8", () => {
  reshardTransfers(square, l1, block, CHIP);
});

const largeTiles = layout(large, "dram");
const largeRows = layout(large, "dram-rm");

Deno.bench("transfers of 32x8192x4096 bf16 in DRAM, tiles to rows", () => {
  reshardTransfers(large, largeTiles, largeRows, CHIP);
});
