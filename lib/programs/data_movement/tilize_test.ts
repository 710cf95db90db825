// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import fc from "fast-check";
import { testChipWithGrid } from "../../../testing/chips.ts";
import { workerCores } from "../../device/chip_description.ts";
import type { DataType } from "../../layout/data_type.ts";
import { circularBufferPeak, circularBufferPeakOnCore } from "../circular_buffer.ts";
import { emptyRoom } from "../op_launch.ts";
import { bytesPerBank, layoutOf, programTensor } from "../program_tensor.ts";
import { tilizeProgram, tilizeSteps, untilizeSteps } from "./tilize.ts";
import { tilizeFault } from "./tilize_cut.ts";
import { buffers, CHIP, onShards, ROWS, tensor } from "../testing/launching.ts";

const chips = fc.constantFrom([8, 8], [8, 7], [11, 10], [5, 1]).map(([rows = 1, columns = 1]) =>
  testChipWithGrid(rows, columns)
);

Deno.test("a program between tiles and rows puts every tile through once, and holds as many tiles in as out, or twice where L1 lacks the room", () => {
  const extents = fc.integer({ min: 1, max: 200 });
  const formats = fc.constantFrom<DataType>("bf16", "f32");
  fc.assert(
    fc.property(chips, extents, extents, fc.boolean(), formats, (chip, high, wide, untilizes, format) => {
      // Tilizing f32 takes a tile longer, which counts as several.
      const dataType = untilizes ? format : "bf16";
      const shape = [32 * high, 32 * wide];
      const [tiled, rows] = [tensor(shape, { dataType }, chip), tensor(shape, { ...ROWS, dataType }, chip)];
      const program = untilizes ? tilizeProgram(tiled, rows, chip) : tilizeProgram(rows, tiled, chip);
      const perUnit = program.compute.work.at(-1)?.count ?? 0;
      const work = program.units * perUnit;
      assert(work >= tiled.tiles && work < tiled.tiles + perUnit, `${work} of ${tiled.tiles} tiles`);
      assert(program.cores >= 1 && program.cores <= workerCores(chip));
      const { in0 = 0, out = 0 } = buffers(program);
      const lacksRoom = untilizes && 4 * out > emptyRoom(chip).besideResults;
      assert(in0 === out || (lacksRoom && in0 === 2 * out), `${in0} in, ${out} out`);
      assert(in0 > 0 && in0 <= 2 * wide * (dataType === "f32" ? 4096 : 2048));
    }),
  );
});

/** Bytes of each buffer over all groups of cores, as ttnn 0.81.1 answered for n150. */
const RECORDED: readonly (readonly [
  direction: "tilize" | "untilize",
  shape: readonly number[],
  dataType: DataType,
  cores: number,
  bytes: Readonly<Record<string, number>>,
])[] = [
  // A row of tiles per core; the generated kernel of untilize divides rows that are fewer than the cores.
  ["untilize", [64, 1024], "bf16", 64, { in0: 4096, out: 4096 }],
  ["untilize", [4096, 4096], "bf16", 64, { in0: 524_288, out: 524_288 }],
  ["tilize", [4096, 4096], "bf16", 64, { in0: 262_144, out: 262_144 }],
  // Two rows of tiles per core.
  ["untilize", [4096, 2048], "f32", 64, { in0: 524_288, out: 524_288 }],
  // Rows of more than 262,144 bytes go over one core, in the longest parts of that size that divide them.
  ["untilize", [2048, 3072], "f32", 1, { in0: 196_608, out: 196_608 }],
  ["untilize", [2048, 8192], "bf16", 1, { in0: 262_144, out: 262_144 }],
  // Blocks of 18 tiles and a last one of 4; rows to be tilized pass a scratchpad.
  ["untilize", [2048, 8192], "f32", 60, { in0: 22 * 4096, out: 22 * 4096 }],
  ["tilize", [2048, 8192], "f32", 60, { in0: 22 * 4096, out: 22 * 4096, staging: 2944 }],
  ["untilize", [32, 40_000], "bf16", 63, { in0: 81_920, out: 81_920 }],
];

Deno.test("programs between tiles and rows have the recorded buffers", () => {
  for (const [direction, shape, dataType, cores, bytes] of RECORDED) {
    const [tiled, rows] = [tensor(shape, { dataType }), tensor(shape, { ...ROWS, dataType })];
    const program = direction === "tilize"
      ? tilizeProgram(rows, tiled, CHIP)
      : tilizeProgram(tiled, rows, CHIP);
    const told = `${direction} ${shape} ${dataType}`;
    assertEquals(buffers(program), bytes, told);
    assertEquals(program.cores, cores, told);
  }
});

/**
 * Widths in tiles of the buffers beside live tensors, as ttnn 0.81.1 made them on p150 (110 cores) for matrices of so many
 * tiles, by how wide the free L1 would hold them.
 */
const BESIDE: readonly (readonly [
  rows: number,
  columns: number,
  limit: number,
  widths: readonly number[] | undefined,
])[] = [
  // Whole rows; blocks of 19 tiles, of which the last has 13; in parts that divide 19, 20 and 21.
  [1024, 32, 33, [32]],
  [1024, 32, 19, [19, 13]],
  [1024, 32, 18, [1, 13]],
  [1024, 32, 13, [10, 12]],
  [1024, 32, 12, [7, 11]],
  [640, 32, 16, [16]],
  [640, 32, 15, [8]],
  [640, 32, 8, [4]],
  [512, 64, 8, [1, 7]],
  [512, 64, 7, [5, 4]],
  [512, 64, 1, undefined],
];

Deno.test("beside live tensors blocks take as many tiles as the L1 that is left holds, in parts that divide them", () => {
  const chip = testChipWithGrid(10, 11);
  for (const [high, wide, limit, widths] of BESIDE) {
    const shape = [32 * high, 32 * wide];
    const [tiled, rows] = [tensor(shape, {}, chip), tensor(shape, ROWS, chip)];
    const bytes = limit * (2 * 2048 + 64) + 2 * chip.dramAlignment + 1000;
    const room = () => ({ beforeResults: bytes, besideResults: bytes, freeBytes: bytes });
    const told = `${high}x${wide} in ${limit}`;
    assertEquals(
      tilizeFault({ input: rows, output: tiled, chip, room }) === undefined,
      widths !== undefined,
      told,
    );
    if (widths === undefined) continue;
    const { in0 } = buffers(tilizeProgram(rows, tiled, chip, room));
    assertEquals(in0, 2048 * widths.reduce((sum, width) => sum + width, 0), told);
  }
});

Deno.test("a result that will find a hole counts below the lowest tensor; blocks wider than the tensor have no buffers", () => {
  const chip = testChipWithGrid(10, 11);
  const fault = (rows: number) => {
    const shape = [1, 1, 32 * rows, 512];
    const inL1 = { bufferType: "l1" } as const;
    const [tiled, lines] = [tensor(shape, inL1, chip), tensor(shape, { ...inL1, ...ROWS }, chip)];
    // 262 tiles per core are left below the operand, and as many above it, where the result goes.
    const bytes = emptyRoom(chip).beforeResults - 2 * bytesPerBank(tiled, chip);
    const room = { beforeResults: bytes, besideResults: bytes, freeBytes: bytes };
    return tilizeFault({ input: lines, output: tiled, chip, room: () => room });
  };
  assertStringIncludes(fault(1800) ?? "", "blocks of 17 tiles, wider than the tensor");
  assertEquals(fault(1785), undefined);
});

Deno.test("rows below the last one are filled in one run, those of a block one by one", () => {
  const padding = (width: number) => {
    const { reader: { paddingWords, paddingRuns } } = tilizeProgram(
      tensor([1, 1, 1, width], ROWS),
      tensor([1, 1, 1, width]),
      CHIP,
    );
    return [paddingWords, paddingRuns];
  };
  assertEquals(padding(64), [31 * 32, 1]);
  // Wide rows go over the cores in blocks of two tiles.
  assertEquals(padding(2880), [31 * 32, 31]);
  // A run behind every row that there is.
  assertEquals(padding(50), [31 * 25 + 32 * 7, 2]);
});

Deno.test("a core holds the buffers of its own group: a ragged last column lies on other cores", () => {
  // 8194 tiles of f32 logits: 62 blocks of 131 tiles and one of 72, in and out.
  const wide = [32, 262_208];
  const [rows, tiles] = [tensor(wide, { ...ROWS, dataType: "f32" }), tensor(wide, { dataType: "f32" })];
  const program = tilizeProgram(rows, tiles, CHIP);
  const known = { status: "known", programs: [program] } as const;
  const staging = (width: number) => width * 32 * 4 + 2 * CHIP.dramAlignment;
  assertEquals(
    [program.cores, circularBufferPeak(known)],
    [63, 2 * (131 + 72) * 4096 + staging(131) + staging(72)],
  );
  assertEquals(circularBufferPeakOnCore(known), 2 * 131 * 4096 + staging(131));
  fc.assert(fc.property(
    chips,
    fc.integer({ min: 1, max: 8 }),
    fc.integer({ min: 1, max: 80_000 }),
    (chip, high, wide) => {
      const shape = [32 * high, 32 * wide];
      const program = tilizeProgram(tensor(shape, ROWS, chip), tensor(shape, {}, chip), chip);
      const launched = { status: "known", programs: [program] } as const;
      const held = circularBufferPeakOnCore(launched);
      // Whole blocks, and a ragged column.
      assert(held <= circularBufferPeak(launched) && circularBufferPeak(launched) <= 2 * held);
    },
  ));
});

Deno.test("shards of whole tiles change pages where they lie, padded height shards behind a program that pads them", () => {
  const rows = tensor([256, 64], onShards(8, ROWS));
  const [only, ...more] = tilizeSteps(rows, tensor([256, 64], onShards(8)), CHIP);
  assertEquals([only?.programs.map(({ cores }) => cores), buffers(only?.programs[0]), more], [[8], {}, []]);
  // Recorded: a row of 2048 bytes on 7 cores, then tiles in place.
  const padded = tensor([1, 1, 196, 512], { ...onShards(7, ROWS), dataType: "f32" });
  const steps = tilizeSteps(padded, tensor([1, 1, 196, 512], { ...onShards(7), dataType: "bfp_bf8" }), CHIP);
  assertEquals(steps.map(({ programs: [program] }) => buffers(program)), [{ row: 2048 }, {}]);
});

Deno.test("shards with rows too long for a core are tilized in DRAM, and copied where the result is elsewhere", () => {
  // As ttnn 0.81.1 runs `to_layout` on n150: ShardedToInterleaved, Tilize, and Copy or InterleavedToSharded.
  const shape = [64, 16384];
  const placements = (output: Parameters<typeof tensor>[1]): readonly string[] =>
    tilizeSteps(tensor(shape, onShards(2, ROWS)), tensor(shape, output), CHIP).map(({ tensor }) =>
      tensor.placement
    );
  assertEquals(placements({}), ["dram_interleaved", "dram_interleaved"]);
  assertEquals(placements({ bufferType: "l1" }), ["dram_interleaved", "dram_interleaved", "l1_interleaved"]);
  assertEquals(placements(onShards(2)), ["dram_interleaved", "dram_interleaved", "l1_sharded"]);
});

Deno.test("height shards with padded rows and columns become wider, then more, and lie in tiles at last", () => {
  // As ttnn 0.81.1 allocates on n150 for the rows of a pool: rows over the cores, or where the shards stay as high as
  // they were on their own cores.
  const cases = [
    [15, [1, 1, 450, 16], [[30, 32], [32, 32]], { in0: 32_768, padding_value: 64 }, 64],
    [57, [1, 1, 3600, 80], [[64, 96], [64, 96]], { row: 192 }, 192],
  ] as const;
  for (const [cores, shape, shards, widening, row] of cases) {
    const even = tensor(shape, onShards(cores, ROWS));
    const rows = programTensor(even, { ...layoutOf(even), shardShape: [shards[1][0], shape[3]] });
    const steps = tilizeSteps(rows, tensor(shape, onShards(cores)), CHIP);
    const made = steps.slice(0, -1).map(({ tensor }) => tensor);
    assertEquals(made.map(({ shardShape }) => shardShape), [...shards]);
    assertEquals(steps.map(({ programs: [program] }) => buffers(program)), [widening, { row }, {}]);
    // Each intermediate goes when the next one is written.
    assertEquals(steps.map(({ frees = [] }) => frees), [[], ...made.map((tensor) => [tensor])]);
  }
});

Deno.test("height shards of whole matrices are unpadded one matrix at a time, others as a whole", () => {
  // As ttnn 0.81.1 allocates on n150 for untilize_with_unpadding, bf16.
  const cases = [
    [4, [4, 130, 32], 20_480],
    [4, [8, 130, 32], 20_480],
    [5, [8, 130, 32], 32_768],
    [2, [8, 30, 32], 4096],
  ] as const;
  for (const [cores, shape, bytes] of cases) {
    const rows = tensor(shape, onShards(cores, ROWS));
    const [step] = untilizeSteps(tensor(shape, onShards(cores)), rows, CHIP, undefined, "unpadding");
    assertEquals(buffers(step?.programs[0]).out, bytes, shape.join("x"));
  }
});
