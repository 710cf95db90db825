// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { testChipWithGrid } from "../../testing/chips.ts";
import { workerCores } from "../device/chip_description.ts";
import { circularBufferPeak, circularBufferPeakOnCore } from "./program.ts";
import { tilizeProgram } from "./tilize.ts";
import { buffers, CHIP, ROWS, tensor } from "./testing/launching.ts";

const chips = fc.constantFrom([8, 8], [8, 7], [11, 10], [5, 1]).map(([rows = 1, columns = 1]) =>
  testChipWithGrid(rows, columns)
);

Deno.test("a program between tiles and rows puts every tile through once, in blocks where rows are few and wide", () => {
  const extents = fc.integer({ min: 1, max: 200 });
  fc.assert(fc.property(chips, extents, extents, fc.boolean(), (chip, high, wide, untilizes) => {
    const shape = [32 * high, 32 * wide];
    const [tiled, rows] = [tensor(shape, {}, chip), tensor(shape, ROWS, chip)];
    const program = untilizes ? tilizeProgram(tiled, rows, chip) : tilizeProgram(rows, tiled, chip);
    const perUnit = program.compute.at(-1)?.count ?? 0;
    const work = program.units * perUnit;
    assert(work >= tiled.tiles && work < tiled.tiles + perUnit, `${work} of ${tiled.tiles} tiles`);
    assert(program.cores >= 1 && program.cores <= workerCores(chip));
    const { in0 = 0, out = 0 } = buffers(program);
    assertEquals(in0, out);
    assert(in0 > 0 && in0 + out <= chip.l1Size / 2);
  }));
  // 64x1024 untilizes a row of 32 tiles at a time, recorded as 131072 bytes; 1x128 tiles are cut into blocks.
  const row = tilizeProgram(tensor([64, 1024]), tensor([64, 1024], ROWS), CHIP);
  assertEquals([row.cores, buffers(row)], [2, { in0: 65_536, out: 65_536 }]);
  const wide = tilizeProgram(tensor([32, 4096], ROWS), tensor([32, 4096]), CHIP);
  assertEquals(wide.cores, 43);
});

Deno.test("blocks whose rows are too long for their buffers stream them in parts", () => {
  // A million elements of f32 once needed 521 tiles on either side and were refused; parts of 130 and a rest of 8 fit.
  const million = [1, 1_048_576];
  const long = tilizeProgram(
    tensor(million, { ...ROWS, dataType: "f32" }),
    tensor(million, { dataType: "f32" }),
    CHIP,
  );
  assertEquals([long.cores, buffers(long)], [64, { in0: 138 * 4096, out: 138 * 4096 }]);
  fc.assert(
    fc.property(
      chips,
      fc.integer({ min: 1, max: 8 }),
      fc.integer({ min: 2000, max: 80_000 }),
      (chip, high, wide) => {
        const shape = [32 * high, 32 * wide];
        const program = tilizeProgram(tensor(shape, ROWS, chip), tensor(shape, {}, chip), chip);
        const perUnit = program.compute.at(-1)?.count ?? 0;
        const work = program.units * perUnit;
        assert(work >= high * wide && work < high * wide + perUnit, `${work} of ${high * wide} tiles`);
        assert(program.cores >= 1 && program.cores <= workerCores(chip));
      },
    ),
  );
});

Deno.test("rows below the last one are filled in one run, those of a block one by one", () => {
  const padding = (width: number) => {
    const { paddingWords, paddingRuns } = tilizeProgram(
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
  assertEquals([program.cores, circularBufferPeak(known)], [63, 2 * (131 + 72) * 4096]);
  assertEquals(circularBufferPeakOnCore(known), 2 * 131 * 4096);
  // 40 by 100 tiles in blocks of 9: eleven whole ones across and one of 1, four down and one of 4. The trace adds up the
  // rows of the blocks in all four corners.
  const corners = tilizeProgram(tensor([1280, 3200], ROWS), tensor([1280, 3200]), CHIP);
  const launched = { status: "known", programs: [corners] } as const;
  assertEquals([corners.cores, circularBufferPeak(launched)], [60, 2 * (9 + 1 + 9 + 1) * 2048]);
  assertEquals(circularBufferPeakOnCore(launched), 2 * 9 * 2048);
  fc.assert(fc.property(
    chips,
    fc.integer({ min: 1, max: 8 }),
    fc.integer({ min: 1, max: 80_000 }),
    (chip, high, wide) => {
      const shape = [32 * high, 32 * wide];
      const program = tilizeProgram(tensor(shape, ROWS, chip), tensor(shape, {}, chip), chip);
      const launched = { status: "known", programs: [program] } as const;
      const held = circularBufferPeakOnCore(launched);
      assert(held <= chip.l1Size - chip.l1UnreservedBase, `${held} bytes on a core`);
      // Whole blocks, a ragged column, a ragged row, and where these meet: four groups at the most.
      assert(held <= circularBufferPeak(launched) && circularBufferPeak(launched) <= 4 * held);
    },
  ));
});
