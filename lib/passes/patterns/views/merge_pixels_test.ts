// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { keepsMeaning } from "../../testing/keeps_meaning.ts";
import { movedTiles } from "../../testing/moved_tiles.ts";
import { passedBody, ttnnModule } from "../../testing/passed_body.ts";
import { foldInverseViews } from "./fold_inverse_views.ts";
import { mergePixels } from "./merge_pixels.ts";

/** What reads an image of a list of pixels. */
type Reader = "mean" | "flat mean" | "factor" | "image" | "plain factor" | "rows" | "columns";

interface Pixels {
  readonly batch: number;
  readonly height: number;
  readonly width: number;
  readonly channels: number;
  readonly readers: readonly Reader[];
  /** Whether what readers make is a list of pixels again. */
  readonly flat: boolean;
}

const i32s = (extents: readonly number[]): string => extents.map((extent) => `${extent} : i32`).join(", ");

function pixels({ batch, height, width, channels, readers, flat }: Pixels): string {
  const list = [1, 1, batch * height * width, channels];
  const image = [batch, height, width, channels];
  const type = (extents: readonly number[]): string => `T<${extents.join("x")}, f32>`;
  const reshape = (to: string, from: string, before: readonly number[], after: readonly number[]): string =>
    `${to} = "ttnn.reshape"(${from}) <{shape = [${i32s(after)}]}> : (${type(before)}) -> ${type(after)}`;
  const results: { readonly name: string; readonly shape: readonly number[] }[] = [];
  const lines = readers.flatMap((reader, at) => {
    const name = `%${at}`;
    const reduced = (dims: readonly number[], isKept = true): readonly string[] => {
      const shape = isKept
        ? image.map((extent, dim) => (dims.includes(dim) ? 1 : extent))
        : image.filter((_, dim) => !dims.includes(dim));
      results.push({ name, shape });
      return [
        `${name} = "ttnn.mean"(%i) <{dim_arg = [${i32s(dims)}], keep_dim = ${isKept}}> : (${
          type(image)
        }) -> ${type(shape)}`,
      ];
    };
    const scaled = (operand: string, shape: readonly number[]): readonly string[] => {
      results.push(flat ? { name: `${name}f`, shape: list } : { name, shape: image });
      return [
        `${name} = "ttnn.multiply"(%i, ${operand}) : (${type(image)}, ${type(shape)}) -> ${type(image)}`,
        ...flat ? [reshape(`${name}f`, name, image, list)] : [],
      ];
    };
    switch (reader) {
      case "mean":
        return reduced([1, 2]);
      case "flat mean":
        return reduced([1, 2], false);
      case "rows":
        return reduced([2]);
      case "factor":
        return scaled("%f", [batch, 1, 1, channels]);
      case "plain factor":
        return scaled("%g", [channels]);
      case "columns":
        return scaled("%h", [1, 1, width, channels]);
      case "image":
        return scaled("%j", image);
    }
  });
  const types = results.map(({ shape }) => type(shape));
  return ttnnModule(
    `(%x: ${type(list)}, %f: ${type([batch, 1, 1, channels])}, %g: ${type([channels])}, %h: ${
      type([1, 1, width, channels])
    }, %j: ${type(image)}) -> ${types.length === 1 ? types[0] : `(${types.join(", ")})`}`,
    [
      reshape("%i", "%x", list, image),
      ...lines,
      `return ${results.map(({ name }) => name).join(", ")} : ${types.join(", ")}`,
    ],
  );
}

/** Reshapes cost what they move; so does everything else. */
const TOOLS = { microseconds: movedTiles };

const extent = fc.integer({ min: 2, max: 5 });

keepsMeaning(
  "means and factors of images whose pixels are one dimension",
  [mergePixels, foldInverseViews],
  fc.record({
    batch: fc.integer({ min: 1, max: 3 }),
    height: fc.constantFrom(4, 8),
    width: fc.constant(8),
    channels: extent,
    readers: fc.subarray<Reader>(["mean", "flat mean", "factor", "image", "plain factor"], { minLength: 1 }),
    flat: fc.constant(true),
  }).map((given) => ({ text: pixels(given), ops: [] })),
  30,
  TOOLS,
);

/** Extents of what is read of the pixels, by the ops that read them. */
function shapesOf(given: Partial<Pixels>): readonly string[] {
  const text = pixels({
    batch: 2,
    height: 8,
    width: 8,
    channels: 4,
    readers: ["mean", "factor"],
    flat: true,
    ...given,
  });
  return passedBody(text, mergePixels, undefined, TOOLS).flatMap((line) =>
    /"ttnn\.(?:mean|multiply)".*: \(tensor<([\dx]+)xf32/.exec(line)?.[1] ?? []
  );
}

Deno.test("pixels that everything reads alike stay one dimension where the reshapes cost less", () => {
  assertEquals(shapesOf({}), ["2x1x64x4", "2x1x64x4"]);
  assertEquals(shapesOf({ readers: ["factor", "plain factor"] }), ["2x1x64x4", "2x1x64x4"]);
  assertEquals(shapesOf({ readers: ["flat mean", "factor"] }), ["2x1x64x4", "2x1x64x4"]);
  // The forms of a single image are compared by another pass.
  assertEquals(shapesOf({ batch: 1 }), ["1x8x8x4", "1x8x8x4"]);
  // Something needs rows or columns of their own.
  assertEquals(shapesOf({ readers: ["mean", "rows"] }), ["2x8x8x4", "2x8x8x4"]);
  assertEquals(shapesOf({ readers: ["mean", "columns"] }), ["2x8x8x4", "2x8x8x4"]);
  // What is made is wanted as an image, so that nothing is saved.
  assertEquals(shapesOf({ readers: ["factor"], flat: false }), ["2x8x8x4"]);
});
