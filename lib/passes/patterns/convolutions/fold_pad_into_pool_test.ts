// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { keepsMeaning } from "../../testing/keeps_meaning.ts";
import { passedBody, ttnnModule } from "../../testing/passed_body.ts";
import { foldPadIntoPool } from "./pads.ts";

interface Pool {
  readonly size: number;
  readonly kernel: number;
  /** Top, bottom, left, right. */
  readonly pads: readonly [number, number, number, number];
  /** What the pool pads itself, on every side. */
  readonly own: number;
  readonly value?: string;
  /** Reads tiles. */
  readonly tiled?: boolean;
  /** Pads rows, between changes of pages. */
  readonly rows?: boolean;
  /** An average, and whether it counts its padding; otherwise a maximum. */
  readonly average?: boolean;
}

function pooled(
  { size, kernel, pads, own, value = "0xFF800000", tiled = false, rows = false, average }: Pool,
): string {
  const [top, bottom, left, right] = pads;
  const [height, width] = [size + top + bottom, size + left + right];
  const out = (extent: number): number => extent + 2 * own - kernel + 1;
  const [image, padded] = [`T<2x${size}x${size}x3>`, `T<2x${height}x${width}x3>`];
  const [flat, result] = [`1x1x${2 * height * width}x3`, `R<1x1x${2 * out(height) * out(width)}x3>`];
  const shape = flat.split("x").map((extent) => `${extent} : i32`).join(", ");
  return ttnnModule(`(%x: ${image}) -> ${result}`, [
    ...rows ? [`%r = "ttnn.to_layout"(%x) : (${image}) -> R${image.slice(1)}`] : [],
    `${rows ? "%p" : "%0"} = "ttnn.pad"(${rows ? "%r" : "%x"}) <{padding = array<i32: 0, 0, ${
      pads.join(", ")
    }, 0, 0>, use_multicore = true, value = ${value} : f32}> : ` +
    (rows ? `(R${image.slice(1)}) -> R${padded.slice(1)}` : `(${image}) -> ${padded}`),
    ...rows ? [`%0 = "ttnn.to_layout"(%p) : (R${padded.slice(1)}) -> ${padded}`] : [],
    `%1 = "ttnn.reshape"(%0) <{shape = [${shape}]}> : (${padded}) -> T<${flat}>`,
    `%2 = "ttnn.to_layout"(%1) : (T<${flat}>) -> R<${flat}>`,
    `%3 = "ttnn.${average === undefined ? "max" : "avg"}_pool2d"(${
      tiled ? "%1" : "%2"
    }) <{batch_size = 2 : si32, ceil_mode = false, channels = 3 : si32, config_tensors_in_dram = true, ` +
    `dilation = array<i32: 1, 1>, ${
      average === undefined ? "" : `count_include_pad = ${average}, `
    }input_height = ${height} : si32, input_width = ${width} : si32, kernel_size = array<i32: ${kernel}, ${kernel}>, ` +
    `padding = array<i32: ${own}, ${own}>, reallocate_halo_output = false, stride = array<i32: 1, 1>}> : (${
      tiled ? "T" : "R"
    }<${flat}>) -> ${result}`,
    `return %3 : ${result}`,
  ]);
}

const side = fc.integer({ min: 0, max: 2 });

keepsMeaning(
  "pads of pools",
  [foldPadIntoPool],
  fc.record({
    size: fc.integer({ min: 4, max: 6 }),
    kernel: fc.constantFrom(4, 5),
    pads: fc.tuple(side, side, side, side),
    own: fc.constant(0),
    rows: fc.boolean(),
  }).filter(({ pads }) => pads.some((pad) => pad > 0)).map((pool) => ({
    text: pooled(pool),
    ops: ["max_pool2d", "!pad"],
  })),
  20,
);

keepsMeaning(
  "pads of averages",
  [foldPadIntoPool],
  fc.record({
    size: fc.integer({ min: 4, max: 6 }),
    kernel: fc.constantFrom(4, 5),
    pads: fc.tuple(side, side, side, side),
    own: fc.constant(0),
    average: fc.constant(true),
    value: fc.constant("0.000000e+00"),
  }).map((pool) => ({ text: pooled(pool), ops: ["avg_pool2d", "!pad"] })),
  10,
);

const POOL: Pool = { size: 6, kernel: 4, pads: [1, 1, 1, 1], own: 0 };

Deno.test("other numbers, and more than half of the window, are padded in front of the pool", () => {
  const folds = (pool: Partial<Pool>): boolean =>
    !passedBody(pooled({ ...POOL, ...pool }), foldPadIntoPool).some((line) => line.includes('"ttnn.pad"'));
  assertEquals(folds({}), true);
  assertEquals(folds({ own: 1 }), true);
  assertEquals(folds({ own: 2 }), false);
  assertEquals(folds({ pads: [3, 0, 0, 0] }), false);
  const zeros = { value: "0.000000e+00" };
  assertEquals([folds(zeros), folds({ ...zeros, average: true })], [false, true]);
  assertEquals([folds({ ...zeros, average: false }), folds({ average: true })], [false, false]);
});

Deno.test("a pool reads pages as it did: rows are made of tiles again, tiles are left", () => {
  const conversions = (tiled: boolean): readonly string[] =>
    passedBody(pooled({ ...POOL, tiled }), foldPadIntoPool).filter((line) =>
      line.includes('"ttnn.to_layout"')
    );
  assertEquals([conversions(false).length, conversions(true).length], [1, 0]);
});
