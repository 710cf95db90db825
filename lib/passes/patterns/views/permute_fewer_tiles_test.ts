// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import { getDevice } from "../../../../sim/devices/device_registry.ts";
import { graphQuestions } from "../../../../pipeline/prepared_graph.ts";
import fc from "fast-check";
import { volume } from "../../../layout/extents.ts";
import type { TtnnTensorType } from "../../../ttnn/value.ts";
import type { ProposedOp } from "../../graph_pass.ts";
import { keepsMeaning } from "../../testing/keeps_meaning.ts";
import { movedTiles } from "../../testing/moved_tiles.ts";
import { passedBody, ttnnModule } from "../../testing/passed_body.ts";
import { permuteFewerTiles } from "./permute_fewer_tiles.ts";

const TOOLS = { microseconds: movedTiles };

/** A reshape, a permute and a reshape. */
function permuted(
  from: readonly number[],
  before: readonly number[],
  permutation: readonly number[],
  to: readonly number[],
): string {
  const type = (extents: readonly number[]): string => `T<${extents.join("x")}>`;
  const after = permutation.map((dim) => before[dim] ?? 1);
  const reshape = (name: string, source: string, shape: readonly number[]): string =>
    `${name} = "ttnn.reshape"(${source}) <{shape = [${
      shape.map((extent) => `${extent} : i32`).join(", ")
    }]}>`;
  return ttnnModule(`(%x: ${type(from)}) -> ${type(to)}`, [
    `${reshape("%0", "%x", before)} : (${type(from)}) -> ${type(before)}`,
    `%1 = "ttnn.permute"(%0) <{permutation = array<i64: ${permutation.join(", ")}>}> : ` +
    `(${type(before)}) -> ${type(after)}`,
    `${reshape("%2", "%1", to)} : (${type(after)}) -> ${type(to)}`,
    `return %2 : ${type(to)}`,
  ]);
}

/** Extents with some of one strewn in. */
const withOnes = (extents: readonly number[]): fc.Arbitrary<readonly number[]> =>
  fc.tuple(...Array.from({ length: extents.length + 1 }, () => fc.boolean())).map((
    places,
  ) => [
    ...extents.flatMap((extent, index) => places[index] === true ? [1, extent] : [extent]),
    ...(places.at(-1) === true ? [1] : []),
  ]);

const cases = fc.array(fc.integer({ min: 2, max: 5 }), { minLength: 2, maxLength: 3 }).chain((extents) =>
  fc.tuple(withOnes(extents), withOnes(extents)).chain(([from, before]) =>
    fc.shuffledSubarray([...before.keys()], { minLength: before.length, maxLength: before.length }).chain(
      (permutation) => {
        const after = permutation.map((dim) => before[dim] ?? 1);
        return withOnes(after.filter((extent) => extent !== 1)).map((to) => ({
          from,
          before,
          permutation,
          to,
        }));
      },
    )
  )
);

/** Dimensions that a reshape joins before the permute, which another may part behind it. */
const joinedCases = fc.tuple(
  fc.array(fc.integer({ min: 2, max: 12 }), { minLength: 3, maxLength: 4 }),
  fc.nat({ max: 2 }),
  fc.boolean(),
).chain(([extents, place, isParted]) => {
  const first = Math.min(place, extents.length - 2);
  const [a = 1, b = 1] = extents.slice(first, first + 2);
  const before = extents.toSpliced(first, 2, a * b);
  return fc.shuffledSubarray([...before.keys()], { minLength: before.length, maxLength: before.length }).map(
    (permutation) => ({
      from: extents,
      before,
      permutation,
      to: permutation.flatMap((dim) => isParted && dim === first ? [a, b] : [before[dim] ?? 1]),
    }),
  );
});

keepsMeaning(
  "permutes of dimensions that a reshape joins",
  [permuteFewerTiles],
  joinedCases.map(({ from, before, permutation, to }) => ({
    text: permuted(from, before, permutation, to),
    ops: [],
  })),
  60,
  TOOLS,
);

/** Columns that a reshape parts before a permute, or joins behind it. */
const columnCases = fc.tuple(
  fc.array(fc.integer({ min: 2, max: 12 }), { minLength: 3, maxLength: 5 }),
  fc.integer({ min: 2, max: 3 }),
  fc.boolean(),
).chain(([extents, count, isJoined]) =>
  fc.shuffledSubarray([...extents.keys()], { minLength: extents.length, maxLength: extents.length }).map(
    (permutation) => {
      const parts = Math.min(count, extents.length - 1);
      const whole = [...extents.slice(0, -parts), volume(extents.slice(-parts))];
      const after = permutation.map((dim) => extents[dim] ?? 1);
      const form = { from: whole, before: extents, permutation, to: after };
      const back = permutation.map((_, dim) => permutation.indexOf(dim));
      return isJoined ? { from: after, before: after, permutation: back, to: whole } : form;
    },
  )
);

keepsMeaning(
  "permutes of columns that a reshape parts or joins",
  [permuteFewerTiles],
  columnCases.map(({ from, before, permutation, to }) => ({
    text: permuted(from, before, permutation, to),
    ops: [],
  })),
  150,
  TOOLS,
);

Deno.test("heads are parted as rows, which fill tiles, and transposed behind that", () => {
  const text = permuted([4, 128, 384], [4, 128, 6, 64], [0, 2, 1, 3], [4, 6, 128, 64]);
  assertEquals(ops(text), [
    '%pass_0 = "ttnn.permute"(%x) <{permutation = array<i64: 0, 2, 1>}>',
    '%pass_1 = "ttnn.reshape"(%pass_0) <{shape = [4 : i32, 6 : i32, 64 : i32, 128 : i32]}>',
    '%pass_2 = "ttnn.permute"(%pass_1) <{permutation = array<i64: 0, 1, 3, 2>}>',
  ]);
});

Deno.test("and joined as rows", () => {
  const text = permuted([4, 6, 128, 64], [4, 6, 128, 64], [0, 2, 1, 3], [4, 128, 384]);
  assertEquals(ops(text), [
    '%pass_0 = "ttnn.permute"(%x) <{permutation = array<i64: 0, 1, 3, 2>}>',
    '%pass_1 = "ttnn.reshape"(%pass_0) <{shape = [4 : i32, 384 : i32, 128 : i32]}>',
    '%pass_2 = "ttnn.permute"(%pass_1) <{permutation = array<i64: 0, 2, 1>}>',
  ]);
});

Deno.test("heads whose rows would not fill tiles either stay", () => {
  const text = permuted([1, 2, 64], [1, 2, 2, 32], [0, 2, 1, 3], [1, 2, 2, 32]);
  assertEquals(ops(text).some((line) => line.includes("%pass")), false);
});

Deno.test("a reshape that rows take less time for counts as that", () => {
  const text = permuted([4, 128, 384], [4, 128, 6, 64], [0, 2, 1, 3], [4, 6, 128, 64]);
  const free = (question: ProposedOp): number =>
    question.operands.concat(question.results).some((type) => type.kind === "tensor" && isRows(type)) ||
      question.name === "ttnn.permute" && question.operands[0]?.kind === "tensor" &&
        question.operands[0].shape[2] === 6
      ? 0
      : movedTiles(question);
  const passed = passedBody(text, permuteFewerTiles, undefined, { microseconds: free });
  assertEquals(passed.some((line) => line.includes("%pass")), false);
});

const isRows = ({ layout }: TtnnTensorType): boolean => layout.tile === undefined;

Deno.test("an image whose pixels a reshape joins is transposed as it is where joining moves more tiles", () => {
  const text = permuted([8, 3, 64, 64], [8, 3, 4096], [0, 2, 1], [8, 64, 64, 3]);
  assertEquals(ops(text), ['%pass_0 = "ttnn.permute"(%x) <{permutation = array<i64: 0, 2, 3, 1>}>']);
});

Deno.test("and a result whose pixels a reshape parts likewise", () => {
  const text = permuted([8, 64, 64, 3], [8, 4096, 3], [0, 2, 1], [8, 3, 64, 64]);
  assertEquals(ops(text), ['%pass_0 = "ttnn.permute"(%x) <{permutation = array<i64: 0, 3, 1, 2>}>']);
});

keepsMeaning(
  "permutes between reshapes",
  [permuteFewerTiles],
  cases.map(({ from, before, permutation, to }) => ({
    text: permuted(from, before, permutation, to),
    ops: [],
  })),
  150,
  TOOLS,
);

Deno.test("a convolution over one dimension turns its input before it gets a second", () => {
  const text = permuted([1, 80, 3000], [1, 80, 1, 3000], [0, 2, 3, 1], [1, 1, 3000, 80]);
  assertEquals(ops(text), [
    '%pass_0 = "ttnn.permute"(%x) <{permutation = array<i64: 0, 2, 1>}>',
    '%pass_1 = "ttnn.reshape"(%pass_0) <{shape = [1 : i32, 1 : i32, 3000 : i32, 80 : i32]}>',
  ]);
});

Deno.test("its result loses the second dimension before it turns back", () => {
  const text = permuted([1, 1, 1500, 384], [1, 1, 1500, 384], [0, 3, 1, 2], [1, 384, 1500]);
  assertEquals(ops(text).filter((line) => line.includes("permute")), [
    '%pass_0 = "ttnn.permute"(%x) <{permutation = array<i64: 0, 1, 3, 2>}>',
  ]);
});

Deno.test("an image goes to rows of channels as one dimension", () => {
  const text = permuted([1, 64, 80, 80], [1, 64, 80, 80], [0, 2, 3, 1], [1, 1, 6400, 64]);
  assertEquals(ops(text), [
    '%pass_0 = "ttnn.reshape"(%x) <{shape = [64 : i32, 6400 : i32]}>',
    '%pass_1 = "ttnn.permute"(%pass_0) <{permutation = array<i64: 1, 0>}>',
    '%pass_2 = "ttnn.reshape"(%pass_1) <{shape = [1 : i32, 1 : i32, 6400 : i32, 64 : i32]}>',
  ]);
});

Deno.test("where the time of ops is unknown, permutes stay", () => {
  const text = permuted([1, 80, 3000], [1, 80, 1, 3000], [0, 2, 3, 1], [1, 1, 3000, 80]);
  assertEquals(passedBody(text, permuteFewerTiles).some((line) => line.includes("%pass")), false);
});

Deno.test("a permute that turns as many tiles stays", () => {
  const text = permuted([64, 96, 1], [1, 64, 96], [0, 2, 1], [1, 96, 64]);
  assertEquals(ops(text).length, 3);
});

/** The ops of the passed text without their types. */
function ops(text: string): readonly string[] {
  return passedBody(text, permuteFewerTiles, undefined, TOOLS).filter((line) => line.includes("ttnn.")).map((
    line,
  ) => line.split(" : (")[0] ?? "");
}

Deno.test("heads are split as rows also where others read the reshape", () => {
  const lines = passedBody(
    ttnnModule("(%x: T<8x256x512>) -> (T<8x256x8x64>, T<8x8x256x64>)", [
      '%0 = "ttnn.reshape"(%x) <{shape = [8 : i32, 256 : i32, 8 : i32, 64 : i32]}> : (T<8x256x512>) -> T<8x256x8x64>',
      '%1 = "ttnn.permute"(%0) <{permutation = array<i64: 0, 2, 1, 3>}> : (T<8x256x8x64>) -> T<8x8x256x64>',
      "return %0, %1 : T<8x256x8x64>, T<8x8x256x64>",
    ]),
    permuteFewerTiles,
    undefined,
    graphQuestions(getDevice("n150")),
  );
  assertEquals(lines.flatMap((line) => /"ttnn\.permute".*-> tensor<([\dx]+)x/.exec(line)?.[1] ?? []), [
    "8x512x256",
    "8x8x256x64",
  ]);
});
