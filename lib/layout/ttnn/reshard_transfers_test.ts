// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals, assertThrows } from "@std/assert";
import fc from "fast-check";
import { LayoutError } from "../layout_error.ts";
import { makeLayout } from "../make_layout.ts";
import { type ChipNodes, formatNode, hostNode } from "./nodes.ts";
import { reshardTransfers } from "./reshard_transfers.ts";
import { delinearize } from "./ttnn_coordinates.ts";
import { arbitraryReshard, referencePlace } from "../testing/reference_placement.ts";

const WORMHOLE: ChipNodes = { workerGrid: { rows: 8, columns: 8 }, dramBanks: 12 };

/** Moves every element on its own: elements and page pairs per pair of nodes. */
function movedElementByElement(
  { shape, from, to, chip }: {
    shape: number[];
    from: ReturnType<typeof makeLayout>;
    to: ReturnType<typeof makeLayout>;
    chip: ChipNodes;
  },
): Map<string, { elements: number; pagePairs: Set<string> }> {
  const pairs = new Map<string, { elements: number; pagePairs: Set<string> }>();
  const volume = shape.reduce((product, extent) => product * extent, 1);
  for (let element = 0; element < volume; element++) {
    const index = delinearize(element, shape);
    const source = referencePlace(shape, from, chip, index);
    const destination = referencePlace(shape, to, chip, index);
    const key = `${source.node}>${destination.node}`;
    const pair = pairs.get(key) ?? { elements: 0, pagePairs: new Set() };
    pair.elements++;
    pair.pagePairs.add(`${source.page}>${destination.page}`);
    pairs.set(key, pair);
  }
  return pairs;
}

Deno.test("reshardTransfers() equals moving every numbered element for all shardings, ranks 1 to 6", () => {
  fc.assert(
    fc.property(arbitraryReshard(), (reshard) => {
      const { shape, from, to, chip } = reshard;
      const expected = movedElementByElement(reshard);
      const set = reshardTransfers(shape, from, to, chip);
      const sameTiles = from.tile !== undefined && from.tile.height === to.tile?.height &&
        from.tile.width === to.tile?.width;
      assertEquals(set.source.length, expected.size);
      let previous = -1;
      for (let entry = 0; entry < set.source.length; entry++) {
        const source = set.source[entry] ?? -1;
        const destination = set.destination[entry] ?? -1;
        const order = source * (hostNode(chip) + 1) + destination;
        assert(order > previous, "entries are sorted and unique");
        previous = order;
        const pair = expected.get(`${source}>${destination}`);
        assert(
          pair !== undefined,
          `${formatNode(chip, source)} sends nothing to ${formatNode(chip, destination)}`,
        );
        assertEquals(set.pages[entry], pair.pagePairs.size);
        const tileVolume = from.tile === undefined ? 0 : from.tile.height * from.tile.width;
        assertEquals(set.elements[entry], sameTiles ? pair.pagePairs.size * tileVolume : pair.elements);
      }
    }),
    { numRuns: 60, seed: 20240811 },
  );
});

Deno.test("reshardTransfers() totals are the sums of the entries", () => {
  fc.assert(
    fc.property(arbitraryReshard(), ({ shape, from, to, chip }) => {
      const set = reshardTransfers(shape, from, to, chip);
      let bytes = 0;
      let local = 0;
      let pages = 0;
      for (let entry = 0; entry < set.source.length; entry++) {
        bytes += set.bytes[entry] ?? 0;
        pages += set.pages[entry] ?? 0;
        if (set.source[entry] === set.destination[entry]) local += set.bytes[entry] ?? 0;
      }
      assertEquals([bytes, local, pages], [set.totalBytes, set.localBytes, set.totalPages]);
    }),
    { numRuns: 100, seed: 7 },
  );
});

Deno.test("reshardTransfers() moves 4096x4096 bf16 from block 8x8 to height 64 as 8 cores per strip", () => {
  const shape = [4096, 4096];
  const base = { shape, dataType: "bf16", bufferType: "l1" } as const;
  const from = makeLayout({ ...base, memoryLayout: "block_sharded", grid: [8, 8] }, WORMHOLE.workerGrid);
  const to = makeLayout({ ...base, memoryLayout: "height_sharded", grid: [64, 1] }, WORMHOLE.workerGrid);
  const set = reshardTransfers(shape, from, to, WORMHOLE);
  // Each strip of 64 rows gets 64x512 elements (2x16 tiles) from each of the 8 cores of one row of blocks.
  assertEquals(set.source.length, 64 * 8);
  assertEquals(new Set(set.pages), new Set([32]));
  assertEquals(set.totalBytes, 4096 * 4096 * 2);
  assertEquals(set.totalPages, 128 * 128);
  // Row i of blocks feeds cores 8i to 8i+7, which are the cores of the same row: one eighth stays where it is.
  assertEquals(set.localBytes, 4096 * 4096 * 2 / 8);
});

Deno.test("reshardTransfers() takes less than a millisecond for 4096x4096 from block 8x8 to height 64", () => {
  const shape = [4096, 4096];
  const base = { shape, dataType: "bf16", bufferType: "l1" } as const;
  const from = makeLayout({ ...base, memoryLayout: "block_sharded", grid: [8, 8] }, WORMHOLE.workerGrid);
  const to = makeLayout({ ...base, memoryLayout: "height_sharded", grid: [64, 1] }, WORMHOLE.workerGrid);
  const times = Array.from({ length: 50 }, () => {
    const start = performance.now();
    reshardTransfers(shape, from, to, WORMHOLE);
    return performance.now() - start;
  });
  // The shortest of many runs: a busy machine interrupts some of them.
  const ms = Math.min(...times);
  assert(ms < 1, `the shortest of ${times.length} runs took ${ms} ms`);
});

Deno.test("reshardTransfers() deals interleaved pages out to DRAM banks in turn", () => {
  const shape = [32, 32 * 14];
  const base = { shape, dataType: "bf16" } as const;
  const from = makeLayout({ ...base, bufferType: "dram", memoryLayout: "interleaved" }, WORMHOLE.workerGrid);
  const to = makeLayout(
    { ...base, bufferType: "l1", memoryLayout: "width_sharded", grid: [1, 2] },
    WORMHOLE.workerGrid,
  );
  const set = reshardTransfers(shape, from, to, WORMHOLE);
  // 14 tiles: banks 0 and 1 hold two; tiles 0 to 6 go to core 0, tiles 7 to 13 (banks 7 to 11, 0, 1) to core 1.
  const moved = Array.from(
    set.source,
    (source, entry) => [source - 64, set.destination[entry], set.bytes[entry]],
  );
  assertEquals(moved, [
    [0, 0, 2048],
    [0, 1, 2048],
    [1, 0, 2048],
    [1, 1, 2048],
    ...[2, 3, 4, 5, 6].map((bank) => [bank, 0, 2048]),
    ...[7, 8, 9, 10, 11].map((bank) => [bank, 1, 2048]),
  ]);
});

Deno.test("reshardTransfers() counts logical elements in the source's bytes when it untilizes block-float", () => {
  const shape = [2, 20, 40];
  const from = makeLayout(
    { shape, dataType: "bfp_bf8", bufferType: "dram", memoryLayout: "interleaved" },
    WORMHOLE.workerGrid,
  );
  const to = makeLayout(
    { shape, dataType: "bf16", tile: null, bufferType: "system_memory", memoryLayout: undefined },
    WORMHOLE.workerGrid,
  );
  const set = reshardTransfers(shape, from, to, WORMHOLE);
  // 2 batches of 1x2 tiles: 20x32 and 20x8 elements each; a tile row is 20 pieces.
  assertEquals(Array.from(set.elements), [640, 160, 640, 160]);
  assertEquals(Array.from(set.pages), [20, 20, 20, 20]);
  assertEquals(set.totalBytes, 1600 * 1088 / 1024);
});

Deno.test("reshardTransfers() refuses layouts that do not hold the tensor or do not fit the chip", () => {
  const request = {
    dataType: "bf16",
    bufferType: "l1",
    memoryLayout: "height_sharded",
    grid: [4, 1],
  } as const;
  const small = makeLayout({ ...request, shape: [128, 64] }, WORMHOLE.workerGrid);
  const refusal = assertThrows(() => reshardTransfers([256, 64], small, small, WORMHOLE), LayoutError);
  assertEquals(refusal.rule, "shard/covers-tensor");
  const tiny: ChipNodes = { workerGrid: { rows: 1, columns: 2 }, dramBanks: 1 };
  const outside = assertThrows(() => reshardTransfers([128, 64], small, small, tiny), LayoutError);
  assertEquals(outside.rule, "core-ranges/outside-worker-grid");
});

Deno.test("reshardTransfers() takes nd layouts with far more shards than cores", () => {
  const shape = [64, 64, 32, 32];
  const chip = WORMHOLE;
  const base = { shape, dataType: "bf16", bufferType: "l1" } as const;
  const from = makeLayout({ ...base, memoryLayout: "nd_sharded", grid: [64, 64, 1, 1] }, chip.workerGrid);
  const to = makeLayout({ ...base, memoryLayout: "nd_sharded", grid: [64, 32, 1, 1] }, chip.workerGrid);
  const set = reshardTransfers(shape, from, to, chip);
  // 64 x 64 tiles: tile (i, j) is shard 64i + j on core j; as half as many shards it is shard 32i + floor(j / 2), on
  // cores 0 to 31 for even i and 32 to 63 for odd i.
  assertEquals(set.totalPages, 64 * 64);
  assertEquals(set.source.length, 64 * 2);
  assertEquals(Array.from(set.destination.slice(0, 4)), [0, 32, 0, 32]);
  assertEquals(new Set(set.pages), new Set([32]));
});

Deno.test("reshardTransfers() refuses pages that no tensor can have", () => {
  const shape = [64, 64];
  const good = makeLayout(
    { shape, dataType: "bf16", bufferType: "dram", memoryLayout: "interleaved" },
    WORMHOLE.workerGrid,
  );
  const refuse = (bad: typeof good) =>
    assertThrows(() => reshardTransfers(shape, good, bad, WORMHOLE), LayoutError).rule;
  assertEquals(refuse({ ...good, tile: { height: 24, width: 32 } }), "tile/supported-shape");
  assertEquals(refuse({ ...good, tile: undefined, dataType: "bfp_bf8" }), "tile/block-float-needs-tiles");
});
