// SPDX-License-Identifier: Apache-2.0

/** Hot paths of lib/layout: interning and reshard transfers. */

import { LayoutTable } from "../lib/layout/layout_table.ts";
import { makeLayout } from "../lib/layout/make_layout.ts";
import type { ChipNodes } from "../lib/layout/ttnn/nodes.ts";
import { reshardTransfers } from "../lib/layout/ttnn/reshard_transfers.ts";
import type { BufferType, TensorMemoryLayout, TtnnLayout } from "../lib/layout/ttnn_layout.ts";

const CHIP: ChipNodes = { workerGrid: { rows: 8, columns: 8 }, dramBanks: 12 };

function layoutOf(
  shape: number[],
  bufferType: BufferType,
  memoryLayout: TensorMemoryLayout,
  grid?: readonly [number, number],
  rowMajor = false,
): TtnnLayout {
  return makeLayout(
    {
      shape,
      dataType: "bf16",
      bufferType,
      memoryLayout,
      ...(grid === undefined ? {} : { grid }),
      ...(rowMajor ? { tile: null } : {}),
    },
    CHIP.workerGrid,
    CHIP.dramBanks,
  );
}

const layouts = Array.from({ length: 1_000_000 }, (_, index) => {
  const number = (index * 7919) % 10_000;
  return layoutOf([32 * (1 + number % 100), 32 * (1 + Math.floor(number / 100))], "dram", "interleaved");
});

Deno.bench("intern a million layout objects, ten thousand distinct", () => {
  const table = new LayoutTable();
  for (const layout of layouts) table.intern(layout);
});

const square = [4096, 4096];
const block = layoutOf(square, "l1", "block_sharded", [8, 8]);
const height = layoutOf(square, "l1", "height_sharded", [64, 1]);
const dram = layoutOf(square, "dram", "interleaved");
const l1 = layoutOf(square, "l1", "interleaved");
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

const largeTiles = layoutOf(large, "dram", "interleaved");
const largeRows = layoutOf(large, "dram", "interleaved", undefined, true);

Deno.bench("transfers of 32x8192x4096 bf16 in DRAM, tiles to rows", () => {
  reshardTransfers(large, largeTiles, largeRows, CHIP);
});
