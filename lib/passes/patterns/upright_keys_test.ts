// SPDX-License-Identifier: Apache-2.0
import fc from "fast-check";
import { keepsMeaning } from "../testing/keeps_meaning.ts";
import { ttnnModule } from "../testing/passed_body.ts";
import { transposeBehindSplit, transposeInSplit } from "./upright_keys.ts";

interface Split {
  readonly batch: number;
  readonly rows: number;
  readonly heads: number;
  /** Whether the split transposes the keys, instead of a transpose behind it. */
  readonly transposes: boolean;
}

function split({ batch, rows, heads, transposes }: Split): string {
  const input = `T<${batch}x${rows}x${96 * heads}>`;
  const upright = `T<${batch}x${heads}x${rows}x32>`;
  const transposed = `T<${batch}x${heads}x32x${rows}>`;
  return ttnnModule(`(%x: ${input}) -> (${upright}, ${transposed}, ${upright})`, [
    `%0:3 = "ttnn.split_query_key_value_and_split_heads"(%x) <{num_heads = ${heads} : ui32, transpose_key = ${transposes}}> : (${input}) -> (${upright}, ${
      transposes ? transposed : upright
    }, ${upright})`,
    ...(transposes ? [] : [
      `%1 = "ttnn.transpose"(%0#1) <{dim0 = -2 : si32, dim1 = -1 : si32}> : (${upright}) -> ${transposed}`,
    ]),
    `return %0#0, ${transposes ? "%0#1" : "%1"}, %0#2 : ${upright}, ${transposed}, ${upright}`,
  ]);
}

const extents = {
  batch: fc.integer({ min: 1, max: 2 }),
  rows: fc.integer({ min: 2, max: 3 }),
  heads: fc.integer({ min: 1, max: 2 }),
};

keepsMeaning(
  "keys of a split that transposes them, transposed behind it",
  [transposeBehindSplit],
  fc.record(extents).map((given) => ({
    text: split({ ...given, transposes: true }),
    ops: ["split_query_key_value_and_split_heads", "transpose"],
  })),
);

keepsMeaning(
  "keys that are transposed behind a split, transposed in it",
  [transposeInSplit],
  fc.record(extents).map((given) => ({
    text: split({ ...given, transposes: false }),
    ops: ["split_query_key_value_and_split_heads", "!transpose"],
  })),
);
