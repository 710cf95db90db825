// SPDX-License-Identifier: Apache-2.0
import fc from "fast-check";
import { assertEquals } from "@std/assert";
import { keepsMeaning } from "../../testing/keeps_meaning.ts";
import { passedBody, ttnnModule } from "../../testing/passed_body.ts";
import { fuseConcatenateHeadsDecode, fuseCreateHeadsDecode } from "./decode_heads.ts";

interface Heads {
  readonly users: number;
  readonly heads: number;
  readonly keyHeads: number;
  readonly size: number;
  /** Columns behind query, key and value. */
  readonly more: number;
  /** The rows are positions of one sequence, behind the heads in the end. */
  readonly isSequence?: boolean;
}

function heads({ users, heads, keyHeads, size, more, isSequence = false }: Heads): string {
  const width = (heads + 2 * keyHeads) * size + more;
  let from = 0;
  const counts = [heads, keyHeads, keyHeads];
  const lines = counts.flatMap((count, part) => {
    const [begin, end] = [from, from + count * size];
    from = end;
    const [cut, result] = [`T<${users}x${end - begin}>`, `T<1x${users}x${count}x${size}>`];
    return [
      `%s${part} = "ttnn.slice_static"(%0) <{begins = [0 : i32, ${begin} : i32], ends = [${users} : i32, ${end} : i32], ` +
      `step = [1 : i32, 1 : i32]}> : (T<${users}x${width}>) -> ${cut}`,
      `%h${part} = "ttnn.reshape"(%s${part}) <{shape = [1 : i32, ${users} : i32, ${count} : i32, ${size} : i32]}> : (${cut}) -> ${result}`,
      ...isSequence
        ? [
          `%p${part} = "ttnn.permute"(%h${part}) <{permutation = array<i64: 0, 2, 1, 3>}> : (${result}) -> T<1x${count}x${users}x${size}>`,
        ]
        : [],
    ];
  });
  const types = counts.map((count) =>
    isSequence ? `T<1x${count}x${users}x${size}>` : `T<1x${users}x${count}x${size}>`
  )
    .join(", ");
  const name = isSequence ? "p" : "h";
  return ttnnModule(`(%x: T<${users}x2>, %w: T<2x${width}>) -> (${types})`, [
    `%0 = "ttnn.matmul"(%x, %w) <{transpose_a = false, transpose_b = false}> : (T<${users}x2>, T<2x${width}>) -> T<${users}x${width}>`,
    ...lines,
    `return %${name}0, %${name}1, %${name}2 : ${types}`,
  ]);
}

keepsMeaning(
  "heads of one position per user",
  [fuseCreateHeadsDecode],
  fc.record({
    users: fc.integer({ min: 1, max: 3 }),
    keyHeads: fc.integer({ min: 1, max: 2 }),
    shared: fc.integer({ min: 1, max: 2 }),
  }).map(({ users, keyHeads, shared }) => ({
    text: heads({ users, keyHeads, heads: keyHeads * shared, size: 32, more: 0 }),
    ops: ["nlp_create_qkv_heads_decode", "!slice_static"],
  })),
  10,
);

const DECODE: Heads = { users: 32, heads: 4, keyHeads: 2, size: 64, more: 0 };

function fuses(given: Partial<Heads>, isLegal: boolean = true): boolean {
  const lines = passedBody(heads({ ...DECODE, ...given }), fuseCreateHeadsDecode, undefined, {
    isLegal: () => isLegal,
  });
  return lines.some((line) => line.includes("nlp_create_qkv_heads_decode"));
}

Deno.test("one op makes query, key and value of up to 32 users with heads of whole tiles", () => {
  assertEquals(passedBody(heads(DECODE), fuseCreateHeadsDecode).slice(1, -1), [
    '%pass_0 = "ttnn.reshape"(%0) <{shape = [1 : i32, 1 : i32, 32 : i32, 512 : i32]}> : (tensor<32x512xbf16>) -> tensor<1x1x32x512xbf16>',
    '%pass_1:3 = "ttnn.nlp_create_qkv_heads_decode"(%pass_0) <{num_heads = 4 : ui32, num_kv_heads = 2 : ui32}> : ' +
    "(tensor<1x1x32x512xbf16>) -> (tensor<1x32x4x64xbf16>, tensor<1x32x2x64xbf16>, tensor<1x32x2x64xbf16>)",
  ]);
  assertEquals(fuses({ users: 33 }), false);
  assertEquals(fuses({ size: 48 }), false);
  assertEquals(fuses({ heads: 34, keyHeads: 1 }), false);
  assertEquals(fuses({ more: 64 }), false);
  assertEquals(fuses({ isSequence: true }), false);
  assertEquals(fuses({}, false), false);
});

Deno.test("copies of a user's heads to its core are left out", () => {
  const layout = (rows: number) =>
    "#ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0 * 1024 + d1 * 32 + d2, d3), <32x1>, " +
    `memref<${rows}x2x!ttcore.tile<32x32, bf16>, #ttnn.buffer_type<l1>>, <height_sharded>>`;
  const [plain] = /tensor<1x32x2x64xbf16, #[\w]+>/.exec(heads(DECODE)) ?? [];
  const moved = `tensor<1x32x2x64xbf16, ${layout(1)}>`;
  const text = heads(DECODE).replace(
    /return %h0, %h1, %h2 : (.*)/,
    `%m = "ttnn.to_memory_config"(%h2) : (${plain}) -> ${moved}\n    return %h0, %h1, %m : $1`,
  ).replace(/tensor<1x32x2x64xbf16, #[\w]+>\n/, `${moved}\n`).replace(
    /(-> \(.*), tensor<1x32x2x64xbf16, #[\w]+>\) \{/,
    `$1, ${moved}) {`,
  );
  assertEquals(text.includes("to_memory_config"), true);
  const lines = passedBody(text, fuseCreateHeadsDecode);
  assertEquals(lines.some((line) => line.includes("to_memory_config")), false);
});

interface Decoded {
  readonly users: number;
  readonly heads: number;
  readonly size: number;
  readonly result: readonly number[];
  /** Whether a guard stands behind the attention. */
  readonly isGuarded: boolean;
}

const POSITIONS = 2;

function decoded({ users, heads, size, result, isGuarded }: Decoded): string {
  const [query, cache] = [`T<1x${users}x${heads}x${size}>`, `T<${users}x${heads}x${POSITIONS}x${size}>`];
  const mask = `T<${users}x1x${heads}x${POSITIONS}>`;
  const merged = `T<${result.join("x")}>`;
  const shape = `shape = [${result.map((extent) => `${extent} : i32`).join(", ")}]`;
  const guard = `%1 = "ttnn.where"(%g, %z, %0) : (T<1x1x1x1>, T<1x1x1x1>, ${query}) -> ${query}`;
  return ttnnModule(
    `(%q: ${query}, %k: ${cache}, %v: ${cache}, %m: ${mask}, %g: T<1x1x1x1>, %z: T<1x1x1x1>) -> ${merged}`,
    [
      `%0 = "ttnn.scaled_dot_product_attention_decode"(%q, %k, %v, %m) <{is_causal = false, ` +
      `operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0>}> : (${query}, ${cache}, ${cache}, ${mask}) -> ${query}`,
      ...(isGuarded ? [guard] : []),
      `%2 = "ttnn.reshape"(%${isGuarded ? 1 : 0}) <{${shape}}> : (${query}) -> ${merged}`,
      `return %2 : ${merged}`,
    ],
  );
}

keepsMeaning(
  "heads merged behind decode attention",
  [fuseConcatenateHeadsDecode],
  fc.record({
    heads: fc.integer({ min: 1, max: 2 }),
    isFlat: fc.boolean(),
    isGuarded: fc.boolean(),
  }).map(({ heads, isFlat, isGuarded }) => ({
    text: decoded({
      users: 32,
      heads,
      size: 32,
      isGuarded,
      result: isFlat ? [32, heads * 32] : [1, 1, 32, heads * 32],
    }),
    ops: ["nlp_concat_heads_decode"],
  })),
  10,
);

const DECODED: Decoded = { users: 32, heads: 8, size: 64, result: [32, 512], isGuarded: false };

function lines(given: Partial<Decoded>, isLegal: boolean = true): readonly string[] {
  return passedBody(decoded({ ...DECODED, ...given }), fuseConcatenateHeadsDecode, undefined, {
    isLegal: () => isLegal,
  });
}

Deno.test("users go to a core each, heads come out on a core each", () => {
  const merged = lines({}).slice(1, -1);
  assertEquals(merged, [
    '%pass_0 = "ttnn.to_memory_config"(%0) : (tensor<1x32x8x64xbf16>) -> tensor<1x32x8x64xbf16>',
    '%pass_1 = "ttnn.nlp_concat_heads_decode"(%pass_0) <{num_heads = 8 : ui32}> : (tensor<1x32x8x64xbf16>) -> tensor<1x1x32x512xbf16>',
    '%pass_2 = "ttnn.reshape"(%pass_1) <{shape = [32 : i32, 512 : i32]}> : (tensor<1x1x32x512xbf16>) -> tensor<32x512xbf16>',
  ]);
});

Deno.test("other reshapes, users that are no rows, fewer users than ttnn's result has, and heads of part of a tile keep their reshape", () => {
  const kept = (given: Partial<Decoded>, isLegal?: boolean): boolean =>
    !lines(given, isLegal).some((line) => line.includes("concat_heads"));
  assertEquals(kept({ result: [32, 8, 64] }), true);
  assertEquals(kept({ result: [32, 1, 512] }), true);
  assertEquals(kept({ size: 48, result: [32, 384] }), true);
  for (const users of [1, 8, 33]) assertEquals(kept({ users, result: [users, 512] }), true);
  assertEquals(kept({}, false), true);
  assertEquals(kept({}), false);
});
