// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { keepsMeaning } from "../../testing/keeps_meaning.ts";
import type { GraphPass } from "../../graph_pass.ts";
import type { RewritePattern } from "../../rewrite_pattern.ts";
import { passedBody, testedPass, ttnnModule } from "../../testing/passed_body.ts";
import { spellOutAttention } from "../upstream/spell_out_attention.ts";
import { fuseAttention, fuseAttentionAsUpstream, fuseAttentionInItsType } from "./fuse_attention.ts";

interface Shape {
  readonly batch: number;
  readonly heads: number;
  readonly shared: number;
  readonly rows: number;
  readonly keys: number;
  readonly size: number;
}

interface Spelling {
  /** `where` of a flag between zero and minus infinity; the same around the scores, both ways; any numbers; nothing. */
  readonly mask: "hides" | "stands in" | "is stood in for" | "adds" | "none";
  readonly isSafe: boolean;
  /** Where the scale stands. */
  readonly scaled: "product" | "factors" | "none";
  readonly transposeFlag: boolean;
  /** Heads copied by one op, or along a dimension of their own. */
  readonly copies: "interleaved" | "own dimension";
  /** Whether the rows that see no key are found, or those that see one. */
  readonly guard: "none" | "any";
  /** Over one key: the last product element by element, the keys turned by a reshape. */
  readonly isOuter: boolean;
}

const FULL = (name: string, value: string): string =>
  `${name} = "ttnn.full"(%d) <{fill_value = ${value} : f32, shape = #ttnn.shape<1x1x1x1>}> : (!ttnn.device) -> T<1x1x1x1, f32>`;

function shapeOf(extents: string): string {
  return extents.split("x").map((extent) => `${extent} : i32`).join(", ");
}

/** Attention as torch's math path spells it, computed in f32. */
function attention(
  { batch, heads, shared, rows, keys, size }: Shape,
  { mask, isSafe, scaled, transposeFlag, copies, guard, isOuter }: Spelling,
): string {
  const all = heads * shared;
  const query = `${batch}x${all}x${rows}x${size}`;
  const key = `${batch}x${all}x${keys}x${size}`;
  const scores = `${batch}x${all}x${rows}x${keys}`;
  const bits = `${batch}x1x${rows}x${keys}`;
  const isOneKey = isOuter && keys === 1;
  const copied = (name: string): readonly string[] => {
    const own = `${batch}x${heads}x${keys}x${size}`;
    if (copies === "interleaved") {
      return [
        `%${name}0 = "ttnn.repeat_interleave"(%${name}) <{dim = 1 : si32, repeats = ${shared} : ui32}> : (T<${own}>) -> T<${key}>`,
      ];
    }
    const [one, many] = [1, shared].map((extent) =>
      isOneKey ? `${batch}x${heads}x1x${extent}x${size}` : `${batch}x${heads}x${extent}x${keys}x${size}`
    );
    const factors = isOneKey ? `1x1x1x${shared}x1` : `1x1x${shared}x1x1`;
    return [
      `%${name}8 = "ttnn.reshape"(%${name}) <{shape = [${shapeOf(one ?? "")}]}> : (T<${own}>) -> T<${one}>`,
      `%${name}9 = "ttnn.repeat"(%${name}8) <{repeat_dims = #ttnn.shape<${factors}>}> : (T<${one}>) -> T<${many}>`,
      `%${name}0 = "ttnn.reshape"(%${name}9) <{shape = [${shapeOf(key)}]}> : (T<${many}>) -> T<${key}>`,
    ];
  };
  const lines = [
    '%d = "ttnn.get_device"() <{mesh_offset = #ttnn<mesh_offset 0x0>, mesh_shape = #ttnn<mesh_shape 1x1>}> : () -> !ttnn.device',
    FULL("%half", "5.000000e-01"),
    FULL("%zero", "0.000000e+00"),
    FULL("%inf", "0xFF800000"),
    `%q0 = "ttnn.typecast"(%q) : (T<${query}>) -> T<${query}, f32>`,
    ...copied("k"),
    `%k1 = "ttnn.typecast"(%k0) : (T<${key}>) -> T<${key}, f32>`,
    ...copied("v"),
    `%v1 = "ttnn.typecast"(%v0) : (T<${key}>) -> T<${key}, f32>`,
  ];
  let [q, k] = ["%q0", "%k1"];
  const permuted = `${batch}x${all}x${size}x${keys}`;
  if (!transposeFlag) {
    const many = `${batch}x${heads}x1x${shared}x${size}`;
    const isPermutedAtOnce = isOneKey && copies === "own dimension";
    lines.push(
      ...(isPermutedAtOnce
        ? [
          `%k7 = "ttnn.reshape"(%k9) <{shape = [${shapeOf(permuted)}]}> : (T<${many}>) -> T<${permuted}>`,
          `%k2 = "ttnn.typecast"(%k7) : (T<${permuted}>) -> T<${permuted}, f32>`,
        ]
        : isOneKey
        ? [
          `%k2 = "ttnn.reshape"(%k1) <{shape = [${
            shapeOf(permuted)
          }]}> : (T<${key}, f32>) -> T<${permuted}, f32>`,
        ]
        : [
          `%k2 = "ttnn.permute"(%k1) <{permutation = array<i64: 0, 1, 3, 2>}> : (T<${key}, f32>) -> T<${permuted}, f32>`,
        ]),
    );
    k = "%k2";
  }
  const keyType = transposeFlag ? key : permuted;
  if (scaled === "factors") {
    lines.push(`%q1 = "ttnn.multiply"(%q0, %half) : (T<${query}, f32>, T<1x1x1x1, f32>) -> T<${query}, f32>`);
    lines.push(
      `%k3 = "ttnn.multiply"(${k}, %half) : (T<${keyType}, f32>, T<1x1x1x1, f32>) -> T<${keyType}, f32>`,
    );
    [q, k] = ["%q1", "%k3"];
  }
  lines.push(
    `%s0 = "ttnn.matmul"(${q}, ${k}) <{transpose_a = false, transpose_b = ${transposeFlag}}> : (T<${query}, f32>, T<${keyType}, f32>) -> T<${scores}, f32>`,
  );
  let s = "%s0";
  if (scaled === "product") {
    lines.push(
      `%s1 = "ttnn.multiply"(%s0, %half) : (T<${scores}, f32>, T<1x1x1x1, f32>) -> T<${scores}, f32>`,
    );
    s = "%s1";
  }
  if (mask !== "none") {
    const name = mask === "hides" ? "%m1" : "%m";
    if (mask !== "adds") {
      lines.push(`%m0 = "ttnn.ge"(%m, %zero) : (T<${bits}, f32>, T<1x1x1x1, f32>) -> T<${bits}, f32>`);
    }
    if (mask === "hides") {
      lines.push(
        `%m1 = "ttnn.where"(%m0, %zero, %inf) : (T<${bits}, f32>, T<1x1x1x1, f32>, T<1x1x1x1, f32>) -> T<${bits}, f32>`,
      );
    }
    lines.push(
      mask === "stands in"
        ? `%s2 = "ttnn.where"(%m0, %inf, ${s}) : (T<${bits}, f32>, T<1x1x1x1, f32>, T<${scores}, f32>) -> T<${scores}, f32>`
        : mask === "is stood in for"
        ? `%s2 = "ttnn.where"(%m0, ${s}, %inf) : (T<${bits}, f32>, T<${scores}, f32>, T<1x1x1x1, f32>) -> T<${scores}, f32>`
        : `%s2 = "ttnn.add"(${s}, ${name}) : (T<${scores}, f32>, T<${bits}, f32>) -> T<${scores}, f32>`,
    );
    s = "%s2";
  }
  lines.push(
    `%p0 = "ttnn.softmax"(${s}) <{dimension = 3 : si32, numericStable = true}> : (T<${scores}, f32>) -> T<${scores}, f32>`,
  );
  let p = "%p0";
  if (isSafe) {
    const row = `${batch}x${all}x${rows}x1`;
    lines.push(
      `%g0 = "ttnn.eq"(${s}, %inf) : (T<${scores}, f32>, T<1x1x1x1, f32>) -> T<${scores}>`,
      `%g1 = "ttnn.logical_not"(%g0) : (T<${scores}>) -> T<${scores}>`,
      `%g2 = "ttnn.sum"(%g1) <{dim_arg = [3 : i32], keep_dim = false}> : (T<${scores}>) -> T<${batch}x${all}x${rows}>`,
      `%g3 = "ttnn.reshape"(%g2) <{shape = [${shapeOf(row)}]}> : (T<${batch}x${all}x${rows}>) -> T<${row}>`,
      ...(guard === "none"
        ? [
          `%g4 = "ttnn.logical_not"(%g3) : (T<${row}>) -> T<${row}>`,
          `%g5 = "ttnn.typecast"(%g4) : (T<${row}>) -> T<${row}, f32>`,
          `%p1 = "ttnn.where"(%g5, %zero, %p0) : (T<${row}, f32>, T<1x1x1x1, f32>, T<${scores}, f32>) -> T<${scores}, f32>`,
        ]
        : [
          `%g5 = "ttnn.typecast"(%g3) : (T<${row}>) -> T<${row}, f32>`,
          `%p1 = "ttnn.where"(%g5, %p0, %zero) : (T<${row}, f32>, T<${scores}, f32>, T<1x1x1x1, f32>) -> T<${scores}, f32>`,
        ]),
    );
    p = "%p1";
  }
  lines.push(
    isOneKey
      ? `%o0 = "ttnn.multiply"(${p}, %v1) : (T<${scores}, f32>, T<${key}, f32>) -> T<${query}, f32>`
      : `%o0 = "ttnn.matmul"(${p}, %v1) <{transpose_a = false, transpose_b = false}> : (T<${scores}, f32>, T<${key}, f32>) -> T<${query}, f32>`,
    `%o1 = "ttnn.typecast"(%o0) : (T<${query}, f32>) -> T<${query}>`,
    `return %o1 : T<${query}>`,
  );
  const arguments_ =
    `(%q: T<${query}>, %k: T<${batch}x${heads}x${keys}x${size}>, %v: T<${batch}x${heads}x${keys}x${size}>, %m: T<${bits}, f32>)`;
  return ttnnModule(`${arguments_} -> T<${query}>`, lines);
}

const small = (min: number, max: number): fc.Arbitrary<number> => fc.integer({ min, max });
const spelling = fc.record({
  mask: fc.constantFrom<Spelling["mask"]>("hides", "stands in", "is stood in for", "adds", "none"),
  isSafe: fc.boolean(),
  scaled: fc.constantFrom("product" as const, "factors" as const, "none" as const),
  transposeFlag: fc.boolean(),
  copies: fc.constantFrom("interleaved" as const, "own dimension" as const),
  guard: fc.constantFrom("none" as const, "any" as const),
  isOuter: fc.boolean(),
});

keepsMeaning(
  "attention over a sequence",
  [fuseAttention],
  fc.record({
    shape: fc.record({
      batch: small(1, 2),
      heads: small(1, 2),
      shared: small(1, 3),
      rows: small(2, 4),
      keys: small(1, 4),
      size: small(1, 4),
    }),
    spelling,
  }).map(({ shape, spelling }) => ({
    text: attention(shape, spelling),
    ops: ["scaled_dot_product_attention", "!softmax", "!matmul", "!repeat_interleave"],
  })),
  80,
);

keepsMeaning(
  "attention of one position per user",
  [fuseAttention],
  fc.record({
    shape: fc.record({
      batch: small(1, 3),
      heads: small(1, 2),
      shared: small(1, 3),
      rows: fc.constant(1),
      keys: small(1, 4),
      size: small(1, 4),
    }),
    spelling,
  }).map(({ shape, spelling }) => ({
    text: attention(shape, spelling),
    ops: ["scaled_dot_product_attention_decode", "!softmax", "!matmul"],
  })),
  80,
);

Deno.test("scores that another number replaces are hidden if it is as low as -1e9", () => {
  const shape = { batch: 1, heads: 2, shared: 1, rows: 4, keys: 4, size: 4 };
  const text = attention(shape, {
    mask: "stands in",
    isSafe: false,
    scaled: "product",
    transposeFlag: false,
    copies: "interleaved",
    guard: "none",
    isOuter: false,
  });
  const isFused = (number: string): boolean =>
    passedBody(text.replace("0xFF800000", number), fuseAttention)
      .some((line) => line.includes("scaled_dot_product_attention"));
  assertEquals(["-1.000000e+09", "-3.4e+38"].map(isFused), [true, true]);
  assertEquals(["-1.000000e+04", "0.000000e+00"].map(isFused), [false, false]);
});

/** Attention over several keys, of one position and of more. */
const severalKeys = fc.record({
  shape: fc.record({
    batch: small(1, 3),
    heads: small(1, 2),
    shared: small(1, 3),
    rows: small(1, 3),
    keys: small(2, 4),
    size: small(1, 4),
  }),
  spelling,
});

keepsMeaning(
  "attention in the types that upstream leaves around it",
  [fuseAttentionAsUpstream],
  severalKeys.map(({ shape, spelling }) => ({
    text: attention(shape, spelling),
    ops: shape.rows === 1 && spelling.mask === "adds" ? ["softmax"] : ["!softmax", "!repeat_interleave"],
  })),
  80,
);

/** Fuses and spells out again, as upstream's level 0. */
const RESPELLED: GraphPass = {
  name: "test",
  upstream: "level-0",
  run: (context) => {
    for (const pattern of [fuseAttentionInItsType, spellOutAttention]) testedPass([pattern]).run(context);
  },
};

keepsMeaning(
  "attention that is fused and spelled out again",
  RESPELLED,
  severalKeys.map(({ shape, spelling }) => ({
    text: attention(shape, spelling),
    ops: ["softmax", "!scaled_dot_product_attention", "!scaled_dot_product_attention_decode"],
  })),
  80,
);

Deno.test("attention spelled out again repeats heads behind their typecast and scales scores once", () => {
  const lines = passedBody(attention(SHAPE, { ...PLAIN, scaled: "factors" }), RESPELLED);
  assertEquals(lines.map((line) => /ttnn\.(\w+)/.exec(line)?.[1]).filter((name) => name !== undefined), [
    "get_device",
    "typecast",
    "typecast",
    "typecast",
    "repeat_interleave",
    "repeat_interleave",
    "full",
    "transpose",
    "matmul",
    "multiply",
    "softmax",
    "matmul",
    "typecast",
  ]);
});

const PLAIN: Spelling = {
  mask: "none",
  isSafe: false,
  scaled: "product",
  transposeFlag: true,
  copies: "interleaved",
  guard: "none",
  isOuter: false,
};
const SHAPE: Shape = { batch: 1, heads: 2, shared: 2, rows: 32, keys: 64, size: 64 };

Deno.test("a group of query heads reads its one key head", () => {
  const lines = passedBody(attention(SHAPE, PLAIN), fuseAttention);
  assertEquals(lines.slice(0, -1), [
    '%pass_0 = "ttnn.scaled_dot_product_attention"(%q, %k, %v) <{is_causal = false, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>, ' +
    "scale = 5.000000e-01 : f32}> : (tensor<1x4x32x64xbf16>, tensor<1x2x64x64xbf16>, tensor<1x2x64x64xbf16>) -> tensor<1x4x32x64xbf16>",
    '%pass_1 = "ttnn.typecast"(%pass_0) : (tensor<1x4x32x64xbf16>) -> tensor<1x4x32x64xf32>',
    '%o1 = "ttnn.typecast"(%pass_1) : (tensor<1x4x32x64xf32>) -> tensor<1x4x32x64xbf16>',
  ]);
});

Deno.test("as upstream writes it, rows without keys are looked for in the type of the scores, and one key is no attention", () => {
  const safe: Spelling = { ...PLAIN, mask: "hides", isSafe: true };
  const typeOf = (pattern: RewritePattern): string | undefined =>
    passedBody(attention(SHAPE, safe), pattern).find((line) => line.includes("ttnn.max"))?.split("-> ")[1];
  assertEquals(typeOf(fuseAttention), "tensor<1x1x32x1xbf16>");
  assertEquals(typeOf(fuseAttentionAsUpstream), "tensor<1x1x32x1xf32>");
  const oneKey = attention({ ...SHAPE, rows: 1, keys: 1 }, { ...PLAIN, isOuter: true });
  const isFused = (pattern: RewritePattern): boolean =>
    passedBody(oneKey, pattern).some((line) => line.includes("scaled_dot_product_attention_decode"));
  assertEquals([fuseAttention, fuseAttentionAsUpstream].map(isFused), [true, false]);
});

Deno.test("without the op model's leave attention stays spelled out", () => {
  const text = attention(SHAPE, PLAIN);
  const lines = passedBody(text, fuseAttention, undefined, { isLegal: () => false });
  assertEquals(lines.some((line) => line.includes("scaled_dot_product_attention")), false);
});

Deno.test("a cache that is written behind its reader is not read later", () => {
  const text = ttnnModule("(%q: T<1x1x2x4>, %k: T<1x1x2x4>, %x: T<1x1x2x4>) -> T<1x1x2x4>", [
    '%t = "ttnn.permute"(%k) <{permutation = array<i64: 0, 1, 3, 2>}> : (T<1x1x2x4>) -> T<1x1x4x2>',
    '"ttnn.fill_cache"(%k, %x) <{batch_offset = 0 : i32}> : (T<1x1x2x4>, T<1x1x2x4>) -> ()',
    '%s = "ttnn.matmul"(%q, %t) <{transpose_a = false, transpose_b = false}> : (T<1x1x2x4>, T<1x1x4x2>) -> T<1x1x2x2>',
    '%p = "ttnn.softmax"(%s) <{dimension = 3 : si32, numericStable = true}> : (T<1x1x2x2>) -> T<1x1x2x2>',
    '%o = "ttnn.matmul"(%p, %x) <{transpose_a = false, transpose_b = false}> : (T<1x1x2x2>, T<1x1x2x4>) -> T<1x1x2x4>',
    "return %o : T<1x1x2x4>",
  ]);
  assertEquals(passedBody(text, fuseAttention).length, 6);
});
