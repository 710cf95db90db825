// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { keepsMeaning } from "../../testing/keeps_meaning.ts";
import { passedBody, ttnnModule } from "../../testing/passed_body.ts";
import { foldInverseViews } from "./fold_inverse_views.ts";
import { reduceBelowPermute, reduceMergedDimensions } from "./reduce_views.ts";
import { sinkViews } from "./sink_views.ts";

type Extents = readonly number[];

const type = (extents: Extents): string => `T<${extents.join("x")}>`;
const list = (extents: Extents): string => `[${extents.map((extent) => `${extent} : i32`).join(", ")}]`;

function reduction(
  name: string,
  source: string,
  shape: Extents,
  dims: Extents,
  keeps: boolean,
): [string, Extents] {
  const result = shape.flatMap((extent, dim) => !dims.includes(dim) ? [extent] : keeps ? [1] : []);
  const text = `%r = "ttnn.${name}"(${source}) <{dim_arg = ${list(dims)}, keep_dim = ${keeps}}> : (${
    type(shape)
  }) -> ${type(result)}`;
  return [text, result];
}

function permuted(name: string, shape: Extents, by: Extents, dims: Extents, keeps: boolean): string {
  const permuted = by.map((dim) => shape[dim] ?? 1);
  const [text, result] = reduction(name, "%0", permuted, dims, keeps);
  return ttnnModule(`(%x: ${type(shape)}) -> ${type(result)}`, [
    `%0 = "ttnn.permute"(%x) <{permutation = array<i64: ${by.join(", ")}>}> : (${type(shape)}) -> ${
      type(permuted)
    }`,
    text,
    `return %r : ${type(result)}`,
  ]);
}

function reshaped(name: string, from: Extents, shape: Extents, dims: Extents, keeps: boolean): string {
  const [text, result] = reduction(name, "%0", shape, dims, keeps);
  return ttnnModule(`(%x: ${type(from)}) -> ${type(result)}`, [
    `%0 = "ttnn.reshape"(%x) <{shape = ${list(shape)}}> : (${type(from)}) -> ${type(shape)}`,
    text,
    `return %r : ${type(result)}`,
  ]);
}

const extent = fc.integer({ min: 2, max: 4 });
const name = fc.constantFrom("sum", "mean", "max", "min");
const shape = fc.tuple(extent, extent, extent, extent);

keepsMeaning(
  "reductions of permuted tensors",
  [reduceBelowPermute],
  fc.record({
    name,
    shape,
    by: fc.shuffledSubarray([0, 1, 2, 3], { minLength: 4 }),
    dims: fc.subarray([0, 1, 2, 3], { minLength: 1, maxLength: 3 }),
    keeps: fc.boolean(),
  }).map((one) => ({ text: permuted(one.name, one.shape, one.by, one.dims, one.keeps), ops: [one.name] })),
  100,
);

keepsMeaning(
  "reductions of neighbouring dimensions that a reshape made",
  [reduceMergedDimensions],
  fc.record({ name, shape, dims: fc.constantFrom([0, 1], [1, 2], [0, 1, 2]), keeps: fc.boolean() }).map(
    (one) => {
      const [a, b, c, d] = one.shape;
      return {
        text: reshaped(one.name, [1, 1, a * b * c, d], one.shape, one.dims, one.keeps),
        ops: [one.name],
      };
    },
  ),
  60,
);

const ops = (text: string, pattern: typeof reduceBelowPermute): readonly string[] =>
  passedBody(text, pattern).flatMap((line) => /"ttnn\.(\w+)"/.exec(line)?.[1] ?? []);

Deno.test("the mean over height and width of an image in front of its permute needs no permute", () => {
  assertEquals(ops(permuted("mean", [8, 56, 56, 64], [0, 3, 1, 2], [2, 3], false), reduceBelowPermute), [
    "mean",
  ]);
});

Deno.test("rows of an image are reduced as one dimension, its columns are not", () => {
  const rows = passedBody(
    reshaped("mean", [1, 1, 25088, 64], [8, 56, 56, 64], [1, 2], false),
    reduceMergedDimensions,
  );
  assertEquals(rows.some((line) => line.includes("tensor<8x3136x64x")), true, rows.join("\n"));
  const columns = passedBody(
    reshaped("mean", [1, 1, 448, 64], [8, 56, 8, 8], [2, 3], false),
    reduceMergedDimensions,
  );
  assertEquals(columns.some((line) => line.includes("%pass")), false);
});

Deno.test("a permuted tensor that something else reads is reduced as it is", () => {
  const x = type([8, 56, 56, 64]);
  const text = ttnnModule(`(%x: ${x}) -> (${type([8, 64])}, ${type([8, 64, 56, 56])})`, [
    `%0 = "ttnn.permute"(%x) <{permutation = array<i64: 0, 3, 1, 2>}> : (${x}) -> ${type([8, 64, 56, 56])}`,
    reduction("sum", "%0", [8, 64, 56, 56], [2, 3], false)[0],
    `return %r, %0 : ${type([8, 64])}, ${type([8, 64, 56, 56])}`,
  ]);
  assertEquals(ops(text, reduceBelowPermute), ["permute", "sum"]);
});

/** Channels of an image weighted by their means ("squeeze and excitation"), in front of a permute back. */
function weighted(height: number, width: number, channels: number, rows: boolean): string {
  const [x, y] = [[1, height, width, channels], [1, channels, height, width]];
  const weight = [1, channels, rows ? height : 1, 1];
  return ttnnModule(`(%x: ${type(x)}, %w: ${type(weight)}) -> ${type(x)}`, [
    `%0 = "ttnn.permute"(%x) <{permutation = array<i64: 0, 3, 1, 2>}> : (${type(x)}) -> ${type(y)}`,
    reduction("mean", "%0", y, [2, 3], true)[0],
    `%1 = "ttnn.multiply"(%0, %r) : (${type(y)}, ${type([1, channels, 1, 1])}) -> ${type(y)}`,
    `%2 = "ttnn.multiply"(%1, %w) : (${type(y)}, ${type(weight)}) -> ${type(y)}`,
    `%3 = "ttnn.permute"(%2) <{permutation = array<i64: 0, 2, 3, 1>}> : (${type(y)}) -> ${type(x)}`,
    `return %3 : ${type(x)}`,
  ]);
}

/** Height, width and channels: no more tiles as rows of channels than as channels of rows. */
const IMAGE = fc.tuple(
  fc.integer({ min: 3, max: 4 }),
  fc.integer({ min: 16, max: 20 }),
  fc.integer({ min: 4, max: 6 }),
);

const WEIGHTED = [reduceBelowPermute, sinkViews, foldInverseViews];

keepsMeaning(
  "channels weighted by their means",
  WEIGHTED,
  IMAGE.map((
    [height, width, channels],
  ) => ({
    text: weighted(height, width, channels, false),
    ops: ["mean", "!permute"],
  })),
  10,
);

keepsMeaning(
  "weights per channel and row are turned, the image is not",
  WEIGHTED,
  IMAGE.map((
    [height, width, channels],
  ) => ({
    text: weighted(height, width, channels, true),
    ops: ["mean", "permute"],
  })),
  10,
);
