// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals } from "@std/assert";
import { TEST_WORMHOLE } from "../../../testing/chips.ts";
import { normByStatistics, normStatistics } from "./normalization.ts";
import type { OpLaunch } from "../op_launch.ts";
import { circularBufferBytes } from "../circular_buffer.ts";
import { programTensor } from "../program_tensor.ts";
import { rowBlock, rowPasses } from "./row_passes.ts";

const tensor = (...shape: readonly number[]) => programTensor({ shape, dataType: "bf16" }, undefined);
const X = tensor(1, 1, 128, 1024);

function launch(name: string, inputs: OpLaunch["inputs"], output: OpLaunch["outputs"][number]): OpLaunch {
  return { name: `ttnn.${name}`, attributes: new Map(), inputs, outputs: [output], config: undefined };
}

Deno.test("statistics hold two rows of tiles and their squares, and write a tile or two per row", () => {
  for (const [centres, tiles] of [[false, 1], [true, 2]] as const) {
    const sums = tensor(1, 1, 128, 32 * tiles);
    const program = normStatistics(launch("norm_pre_all_gather", [X], sums), X, sums, centres, TEST_WORMHOLE);
    // 32 tiles per row, twice, and as many squares; one tile to reduce with.
    assertEquals(circularBufferBytes(program), (2 * 32 + 2 * 32 + 1 + tiles) * 2048);
    assertEquals([program.units, program.cores], [4, 4]);
    const fused = normStatistics(
      launch("norm_pre_all_gather", [X, X], sums),
      X,
      sums,
      centres,
      TEST_WORMHOLE,
    );
    assertEquals(circularBufferBytes(fused) - circularBufferBytes(program), 3 * 32 * 2048);
    assert(fused.reads.length === program.reads.length + 1);
  }
});

Deno.test("the part behind the gather holds a row of tiles per operand and step", () => {
  const sums = tensor(1, 1, 128, 4 * 64);
  const [rms, layer] = [false, true].map((centres) =>
    normByStatistics(
      launch("post_all_gather", [X, sums, tensor(1, 1024), tensor(1, 1024)], X),
      X,
      X,
      centres,
      TEST_WORMHOLE,
    )
  );
  assert(rms !== undefined && layer !== undefined);
  // in0, two weights, scaled and out; statistics of four chips, epsilon and scaler, moments.
  assertEquals(circularBufferBytes(rms), (5 * 32 + 8 + 2 + 4) * 2048);
  assertEquals(circularBufferBytes(layer), (7 * 32 + 8 + 2 + 6) * 2048);
  assert(layer.flops > rms.flops);
});

Deno.test("rows that exceed L1 are held in parts", () => {
  const wide = tensor(1, 1, 32, 32 * 2048);
  const sums = tensor(1, 1, 32, 32);
  const program = normByStatistics(
    launch("post_all_gather", [wide, sums], wide),
    wide,
    wide,
    false,
    TEST_WORMHOLE,
  );
  assert(circularBufferBytes(program) < TEST_WORMHOLE.l1Size - TEST_WORMHOLE.l1UnreservedBase);
});

Deno.test("rows are taken in blocks that divide them, but never of five or seven tiles", () => {
  assertEquals([1, 2, 5, 6, 7, 10, 35, 80].map((tiles) => rowBlock(tiles, 8)), [1, 2, 1, 6, 1, 2, 1, 8]);
  assertEquals([6, 80].map((tiles) => rowBlock(tiles, 4)), [3, 4]);
  // Five tiles one by one are handed over as often as forty in eights.
  const blocks = (tiles: number) => {
    const input = tensor(32, tiles * 32);
    const { compute } = rowPasses(input, [], input, {
      length: tiles,
      block: rowBlock(tiles, 8),
      passes: 3,
      holdsRow: true,
      handOvers: 1,
      wide: false,
      readings: 1,
      buffers: [],
    }, TEST_WORMHOLE);
    return compute.work.find(({ operation }) => operation === "pass_block")?.count;
  };
  assertEquals(blocks(5), 15);
  assertEquals(blocks(40), 15);
});
