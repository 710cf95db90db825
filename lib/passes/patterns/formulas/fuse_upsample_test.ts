// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { keepsMeaning } from "../../testing/keeps_meaning.ts";
import { passedBody, ttnnModule } from "../../testing/passed_body.ts";
import { fuseUpsample } from "./fuse_upsample.ts";

interface Image {
  readonly batch: number;
  readonly channels: number;
  readonly rows: number;
  readonly columns: number;
  readonly height: number;
  readonly width: number;
  readonly isLast: boolean;
}

/** Pixels repeated along dimensions of their own and merged. */
function repeated({ batch, channels, rows, columns, height, width, isLast }: Image): string {
  const shape = (pixels: readonly number[]): readonly number[] =>
    isLast ? [batch, ...pixels, channels] : [batch, channels, ...pixels];
  const [image, apart, copies, merged] = [
    shape([rows, columns]),
    shape([rows, 1, columns, 1]),
    shape([rows, height, columns, width]),
    shape([rows * height, columns * width]),
  ];
  const type = (extents: readonly number[]): string => `T<${extents.join("x")}>`;
  const list = (extents: readonly number[]): string => extents.map((extent) => `${extent} : i32`).join(", ");
  const factors = shape([1, height, 1, width]).map((extent, dim) => extent === apart[dim] ? 1 : extent);
  return ttnnModule(`(%x: ${type(image)}) -> ${type(merged)}`, [
    `%0 = "ttnn.reshape"(%x) <{shape = [${list(apart)}]}> : (${type(image)}) -> ${type(apart)}`,
    `%1 = "ttnn.repeat"(%0) <{repeat_dims = #ttnn.shape<${factors.join("x")}>}> : (${type(apart)}) -> ${
      type(copies)
    }`,
    `%2 = "ttnn.reshape"(%1) <{shape = [${list(merged)}]}> : (${type(copies)}) -> ${type(merged)}`,
    `return %2 : ${type(merged)}`,
  ]);
}

const extent = fc.integer({ min: 1, max: 4 });
const factor = fc.integer({ min: 2, max: 3 });

keepsMeaning(
  "pixels repeated are upsampled",
  [fuseUpsample],
  fc.record({
    batch: extent,
    // A single channel or pixel might be taken for another dimension.
    channels: fc.integer({ min: 2, max: 5 }),
    rows: fc.integer({ min: 2, max: 4 }),
    columns: fc.integer({ min: 2, max: 4 }),
    height: factor,
    width: factor,
    isLast: fc.boolean(),
  }).map((image) => ({ text: repeated(image), ops: ["upsample", "!repeat"] })),
);

const IMAGE: Image = { batch: 2, channels: 64, rows: 8, columns: 8, height: 2, width: 2, isLast: true };

Deno.test("pixels with channels last go through rows, with channels first through permutes as well", () => {
  const names = (image: Image): readonly (string | undefined)[] =>
    passedBody(repeated(image), fuseUpsample).map((line) => /ttnn\.(\w+)/.exec(line)?.[1]);
  assertEquals(names(IMAGE), ["to_layout", "upsample", "to_layout", undefined]);
  const first = names({ ...IMAGE, isLast: false });
  assertEquals(first, ["permute", "to_layout", "upsample", "to_layout", "permute", undefined]);
});

Deno.test("repeats of rows alone, and upsamples that the op model refuses, stay", () => {
  const count = (image: Image, isLegal = true): number =>
    passedBody(repeated(image), fuseUpsample, undefined, { isLegal: () => isLegal })
      .filter((line) => line.includes("ttnn.repeat")).length;
  assertEquals([count({ ...IMAGE, width: 1 }), count(IMAGE, false)], [1, 1]);
});
