// SPDX-License-Identifier: Apache-2.0
import { assertEquals, assertMatch, assertStringIncludes, assertThrows } from "@std/assert";
import { DiagnosticError } from "../../diagnostics/diagnostic.ts";
import { loweredBody, ttirFunction } from "../testing/lowered_body.ts";

Deno.test("update_cache writes one sharded position per user; views made before keep the old contents", () => {
  const text = ttirFunction(
    "(%c: tensor<8x4x64x32xbf16>, %x: tensor<1x4x8x32xbf16>, %i: tensor<1xi64>) -> tensor<8x4x64x32xbf16>",
    [
      '%v = "ttir.reshape"(%c) <{shape = [32 : i32, 64 : i32, 32 : i32]}> : (tensor<8x4x64x32xbf16>) -> tensor<32x64x32xbf16>',
      '%0 = "ttir.update_cache"(%c, %x, %i) <{batch_offset = 0 : i32}> : (tensor<8x4x64x32xbf16>, tensor<1x4x8x32xbf16>, tensor<1xi64>) -> tensor<8x4x64x32xbf16>',
      '%w = "ttir.reshape"(%v) <{shape = [8 : i32, 4 : i32, 64 : i32, 32 : i32]}> : (tensor<32x64x32xbf16>) -> tensor<8x4x64x32xbf16>',
      '%1 = "ttir.add"(%0, %w) : (tensor<8x4x64x32xbf16>, tensor<8x4x64x32xbf16>) -> tensor<8x4x64x32xbf16>',
      "return %1 : tensor<8x4x64x32xbf16>",
    ],
  );
  assertEquals(loweredBody(text), [
    '%0 = "ttnn.reshape"(%arg0) <{shape = [32 : i32, 64 : i32, 32 : i32]}> : (tensor<8x4x64x32xbf16>) -> tensor<32x64x32xbf16>',
    '%1 = "ttnn.assign"(%0) : (tensor<32x64x32xbf16>) -> tensor<32x64x32xbf16>',
    '%2 = "ttnn.permute"(%arg1) <{permutation = array<i64: 0, 2, 1, 3>}> : (tensor<1x4x8x32xbf16>) -> tensor<1x8x4x32xbf16>',
    '%3 = "ttnn.to_memory_config"(%2) : (tensor<1x8x4x32xbf16>) -> tensor<1x8x4x32xbf16, l1 height_sharded 8x1>',
    '%4 = "ttnn.repeat"(%arg2) <{repeat_dims = #ttnn.shape<8>}> : (tensor<1xsi32>) -> tensor<8xsi32>',
    '%5 = "ttnn.to_layout"(%4) : (tensor<8xsi32>) -> tensor<8xsi32, rm>',
    '"ttnn.paged_update_cache"(%arg0, %3, %5) <{share_cache = false}> : (tensor<8x4x64x32xbf16>, tensor<1x8x4x32xbf16, l1 height_sharded 8x1>, tensor<8xsi32, rm>) -> ()',
    '%6 = "ttnn.reshape"(%1) <{shape = [8 : i32, 4 : i32, 64 : i32, 32 : i32]}> : (tensor<32x64x32xbf16>) -> tensor<8x4x64x32xbf16>',
    '%7 = "ttnn.add"(%arg0, %6) : (tensor<8x4x64x32xbf16>, tensor<8x4x64x32xbf16>) -> tensor<8x4x64x32xbf16>',
    "return %7 : tensor<8x4x64x32xbf16>",
  ]);
});

Deno.test("fill_cache has no result; uses of its result are uses of the cache", () => {
  const text = ttirFunction(
    "(%c: tensor<1x8x64x32xbf16> {ttcore.argument_type = #ttcore.argument_type<input>}, %x: tensor<1x8x16x32xbf16>) -> tensor<1x8x64x32xbf16>",
    [
      '%0 = "ttir.fill_cache"(%c, %x) <{batch_offset = 0 : i32}> : (tensor<1x8x64x32xbf16>, tensor<1x8x16x32xbf16>) -> tensor<1x8x64x32xbf16>',
      "return %0 : tensor<1x8x64x32xbf16>",
    ],
  );
  assertEquals(loweredBody(text), [
    '%0 = "ttnn.pad"(%arg1) <{padding = array<i32: 0, 0, 0, 0, 0, 16, 0, 0>, use_multicore = true, value = 0.000000e+00 : f32}> : (tensor<1x8x16x32xbf16>) -> tensor<1x8x32x32xbf16>',
    '"ttnn.fill_cache"(%arg0, %0) <{batch_offset = 0 : i32}> : (tensor<1x8x64x32xbf16>, tensor<1x8x32x32xbf16>) -> ()',
    "return %arg0 : tensor<1x8x64x32xbf16>",
  ]);
});

Deno.test("attention keeps its optional operands apart", () => {
  const text = ttirFunction(
    "(%q: tensor<1x8x64x32xbf16>, %m: tensor<1x1x64x64xbf16>) -> tensor<1x8x64x32xbf16>",
    [
      '%0 = "ttir.scaled_dot_product_attention"(%q, %q, %q, %m) <{is_causal = false, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0>, scale = 0.125 : f32}> : (tensor<1x8x64x32xbf16>, tensor<1x8x64x32xbf16>, tensor<1x8x64x32xbf16>, tensor<1x1x64x64xbf16>) -> tensor<1x8x64x32xbf16>',
      "return %0 : tensor<1x8x64x32xbf16>",
    ],
  );
  assertEquals(loweredBody(text), [
    '%0 = "ttnn.scaled_dot_product_attention"(%arg0, %arg0, %arg0, %arg1) <{is_causal = false, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0>, scale = 1.250000e-01 : f32}> : (tensor<1x8x64x32xbf16>, tensor<1x8x64x32xbf16>, tensor<1x8x64x32xbf16>, tensor<1x1x64x64xbf16>) -> tensor<1x8x64x32xbf16>',
    "return %0 : tensor<1x8x64x32xbf16>",
  ]);
});

Deno.test("heads that are no whole tiles are filled up for attention, and rotated by the formula", () => {
  const head = "tensor<1x2x64x72xbf16>";
  const text = ttirFunction(`(%q: ${head}) -> ${head}`, [
    `%0 = "ttir.scaled_dot_product_attention"(%q, %q, %q) <{is_causal = true, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>}> : (${head}, ${head}, ${head}) -> ${head}`,
    `return %0 : ${head}`,
  ]);
  const opsOf = (body: readonly string[]) => body.map((line) => /"ttnn\.(\w+)"/.exec(line)?.[1]);
  const attended = loweredBody(text);
  assertEquals(opsOf(attended), [
    "pad",
    "pad",
    "pad",
    "scaled_dot_product_attention",
    "slice_static",
    undefined,
  ]);
  // 1/√72, not 1/√96.
  assertStringIncludes(attended[3] ?? "", "scale = 0.117851131 : f32}> : (tensor<1x2x64x96xbf16>");
  const rotated = loweredBody(ttirFunction(`(%q: ${head}, %c: tensor<1x1x64x72xbf16>) -> ${head}`, [
    `%0 = "ttir.rotary_embedding"(%q, %c, %c) : (${head}, tensor<1x1x64x72xbf16>, tensor<1x1x64x72xbf16>) -> ${head}`,
    `return %0 : ${head}`,
  ]));
  assertEquals(opsOf(rotated).includes("rotary_embedding"), false);
  assertEquals(opsOf(rotated).at(-2), "add");
});

Deno.test("split heads and concatenate_heads", () => {
  const text = ttirFunction("(%a: tensor<1x32x1536xbf16>) -> tensor<1x32x512xbf16>", [
    '%q, %k, %v = "ttir.split_query_key_value_and_split_heads"(%a) <{num_heads = 8 : ui32, transpose_key = true}> : (tensor<1x32x1536xbf16>) -> (tensor<1x8x32x64xbf16>, tensor<1x8x64x32xbf16>, tensor<1x8x32x64xbf16>)',
    '%0 = "ttir.concatenate_heads"(%v) : (tensor<1x8x32x64xbf16>) -> tensor<1x32x512xbf16>',
    "return %0 : tensor<1x32x512xbf16>",
  ]);
  assertEquals(loweredBody(text), [
    '%0:3 = "ttnn.split_query_key_value_and_split_heads"(%arg0) <{num_heads = 8 : ui32, transpose_key = true}> : (tensor<1x32x1536xbf16>) -> (tensor<1x8x32x64xbf16>, tensor<1x8x64x32xbf16>, tensor<1x8x32x64xbf16>)',
    '%1 = "ttnn.permute"(%0#2) <{permutation = array<i64: 0, 2, 1, 3>}> : (tensor<1x8x32x64xbf16>) -> tensor<1x32x8x64xbf16>',
    '%2 = "ttnn.reshape"(%1) <{shape = [1 : i32, 32 : i32, 512 : i32]}> : (tensor<1x32x8x64xbf16>) -> tensor<1x32x512xbf16>',
    "return %2 : tensor<1x32x512xbf16>",
  ]);
});

Deno.test("keys and values of their own are split as well, whatever is said of the number of heads", () => {
  const heads = "(tensor<1x8x32x64xbf16>, tensor<1x8x32x64xbf16>, tensor<1x8x32x64xbf16>)";
  const split = (attributes: string, operands: string, types: string): string | undefined =>
    loweredBody(ttirFunction(
      `(%a: tensor<1x32x512xbf16>, %b: tensor<1x32x1024xbf16>, %d: tensor<1x8x32x64xbf16>) -> tensor<1x8x32x64xbf16>`,
      [
        `%q, %k, %v = "ttir.split_query_key_value_and_split_heads"(${operands}) <{num_heads = 8 : ui32, ${attributes}transpose_key = false}> : (${types}) -> ${heads}`,
        "return %v : tensor<1x8x32x64xbf16>",
      ],
    ))[0];
  const types = "tensor<1x32x512xbf16>, tensor<1x32x1024xbf16>";
  const destinations = ", tensor<1x8x32x64xbf16>, tensor<1x8x32x64xbf16>, tensor<1x8x32x64xbf16>";
  const expected =
    `%0:3 = "ttnn.split_query_key_value_and_split_heads"(%arg0, %arg1) <{num_heads = 8 : ui32, transpose_key = false}> : (${types}) -> ${heads}`;
  assertEquals(split("", "%a, %b", types), expected);
  assertEquals(split("", "%a, %b, %d, %d, %d", types + destinations), expected);
  const grouped = expected.replace("ui32, ", "ui32, num_kv_heads = 8 : ui32, ");
  assertEquals(split("num_kv_heads = 8 : ui32, ", "%a, %b", types), grouped);
});

Deno.test("heads that do not hold what is split are refused as bad input", () => {
  for (const [head, elements] of [["f32", 3], ["2x16x32x32xf32", 98304], ["2x16x32x65xf32", 199680]]) {
    const heads = `(${Array(3).fill(`tensor<${head}>`).join(", ")})`;
    const text = ttirFunction(`(%a: tensor<2x32x3072xf32>) -> tensor<${head}>`, [
      `%q, %k, %v = "ttir.split_query_key_value_and_split_heads"(%a) <{num_heads = 16 : ui32, transpose_key = false}> : (tensor<2x32x3072xf32>) -> ${heads}`,
      `return %q : tensor<${head}>`,
    ]);
    assertThrows(() => loweredBody(text), DiagnosticError, `196608 elements do not give ${elements}`);
  }
});

Deno.test("a destination in the middle is left out when it is made empty, and refused when it is not", () => {
  const cache = "tensor<8x8x32x64xbf16>";
  const query = "tensor<1x1x8x64xbf16>";
  const types = `(${query}, ${cache}, ${cache}, tensor<1x4xi32>, ${query}, tensor<1xi32>) -> ${query}`;
  const sizes = "<{is_causal = true, operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 1, 0>}>";
  const attention = (destination: string): string =>
    `%1 = "ttir.paged_scaled_dot_product_attention_decode"(%q, %c, %c, %t, ${destination}, %p) ${sizes} : ${types}`;
  const signature = `(%q: ${query}, %c: ${cache}, %t: tensor<1x4xi32>, %p: tensor<1xi32>) -> ${query}`;
  const made = [`%0 = ttir.empty() : ${query}`, attention("%0"), `return %1 : ${query}`];
  const [table, positions, op] = loweredBody(ttirFunction(signature, made));
  assertEquals([table?.slice(0, 21), positions?.slice(0, 21)], [
    '%0 = "ttnn.to_layout"',
    '%1 = "ttnn.to_layout"',
  ]);
  assertMatch(op ?? "", /decode"\(%arg0, %arg1, %arg1, %0, %1\) <\{.*array<i32: 1, 1, 1, 1, 0, 1, 0>\}>/);
  const passed = ttirFunction(signature, [attention("%q"), `return %1 : ${query}`]);
  assertThrows(() => loweredBody(passed), DiagnosticError, "which operand is the destination");
});

Deno.test("chunked attention reads page table and start in rows, with and without the destination of older generations", () => {
  const [query, cache] = ["tensor<1x12x64x64xbf16>", "tensor<128x12x32x64xbf16>"];
  const indices = "tensor<1x8xi32>, tensor<1xi32>";
  const signature = `(%q: ${query}, %c: ${cache}, %t: tensor<1x8xi32>, %s: tensor<1xi32>) -> ${query}`;
  const name = "ttir.chunked_scaled_dot_product_attention";
  const newest =
    `%1 = "${name}"(%q, %c, %c, %t, %s) <{scale = 1.250000e-01 : f32}> : (${query}, ${cache}, ${cache}, ${indices}) -> ${query}`;
  const older = newest.replace("%s)", "%s, %0)").replace(`${indices})`, `${indices}, ${query})`);
  const bodies = [[newest], [`%0 = ttir.empty() : ${query}`, older]].map((lines) =>
    loweredBody(ttirFunction(signature, [...lines, `return %1 : ${query}`]))
  );
  assertEquals(bodies[0], [
    '%0 = "ttnn.to_layout"(%arg2) : (tensor<1x8xsi32>) -> tensor<1x8xsi32, rm>',
    '%1 = "ttnn.to_layout"(%arg3) : (tensor<1xsi32>) -> tensor<1xsi32, rm>',
    `%2 = "ttnn.chunked_scaled_dot_product_attention"(%arg0, %arg1, %arg1, %0, %1) <{scale = 1.250000e-01 : f32}> : (${query}, ${cache}, ${cache}, tensor<1x8xsi32, rm>, tensor<1xsi32, rm>) -> ${query}`,
    `return %2 : ${query}`,
  ]);
  assertEquals(bodies[1], bodies[0]);
});

Deno.test("latent attention says how wide its values are", () => {
  const [query, key] = ["tensor<1x1x32x64xbf16>", "tensor<1x1x2048x64xbf16>"];
  const [, , op] = loweredBody(
    ttirFunction(`(%q: ${query}, %k: ${key}, %t: tensor<1x64xui32>, %p: tensor<1xsi32>) -> ${query}`, [
      `%1 = "ttir.paged_flash_multi_latent_attention_decode"(%q, %k, %t, %p) <{head_dim_v = 64 : ui32, is_causal = true, operandSegmentSizes = array<i32: 1, 1, 0, 1, 0, 1, 0>}> : (${query}, ${key}, tensor<1x64xui32>, tensor<1xsi32>) -> ${query}`,
      `return %1 : ${query}`,
    ]),
  );
  assertMatch(
    op ?? "",
    /decode"\(%arg0, %arg1, %0, %1\) <\{head_dim_v = 64 : ui32, is_causal = true, operandSegmentSizes = array<i32: 1, 1, 0, 1, 0, 1, 0>\}>.*<1x64xui32, rm>.*<1xsi32, rm>/,
  );
});

Deno.test("views of every kind that are read after the cache changes are written before it does", () => {
  const cache = "tensor<1x8x64x32xbf16>";
  const views = [
    ["reshape", "shape = [8 : i32, 64 : i32, 32 : i32]", "8x64x32"],
    ["permute", "permutation = array<i64: 0, 2, 1, 3>", "1x64x8x32"],
    ["broadcast", "broadcast_dimensions = array<i64: 2, 1, 1, 1>", "2x8x64x32"],
  ] as const;
  for (const [view, attributes, extents] of views) {
    const lines = loweredBody(
      ttirFunction(`(%c: ${cache}, %x: tensor<1x8x16x32xbf16>) -> tensor<${extents}xbf16>`, [
        `%v = "ttir.${view}"(%c) <{${attributes}}> : (${cache}) -> tensor<${extents}xbf16>`,
        `%0 = "ttir.fill_cache"(%c, %x) <{batch_offset = 0 : i32}> : (${cache}, tensor<1x8x16x32xbf16>) -> ${cache}`,
        `%1 = "ttir.relu"(%v) : (tensor<${extents}xbf16>) -> tensor<${extents}xbf16>`,
        `return %1 : tensor<${extents}xbf16>`,
      ]),
    );
    const names = lines.map((line) => /"ttnn\.(\w+)"/.exec(line)?.[1]);
    // A reshape that keeps pages lies in the cache.
    const copied = view === "reshape" ? ["assign"] : [];
    assertEquals(names.slice(1, copied.length + 4), [...copied, "pad", "fill_cache", "relu"], view);
    assertMatch(lines[0] ?? "", /\(%arg0\)/);
  }
});

Deno.test("rows that do not go into their cache are refused, each op by its own dimensions", () => {
  const lowered = (name: string, rows: string, more: string, attributes: string) => {
    const [cache, input] = ["tensor<8x4x64x32xbf16>", `tensor<${rows}xbf16>`];
    const operands = more === "" ? "%c, %x" : "%c, %x, %i";
    const index = more === "" ? "" : `, tensor<${more}xi32>`;
    return ttirFunction(
      `(%c: ${cache}, %x: ${input}${more === "" ? "" : `, %i: tensor<${more}xi32>`}) -> ${cache}`,
      [
        `%0 = "ttir.${name}"(${operands}) <{${attributes}}> : (${cache}, ${input}${index}) -> ${cache}`,
        `return %0 : ${cache}`,
      ],
    );
  };
  const refused: readonly (readonly [string, string, string, string])[] = [
    ["update_cache", "32x32", "1", "batch_offset = 0 : i32"],
    ["update_cache", "1x3x8x32", "8", "batch_offset = 0 : i32"],
    ["fill_cache", "1x4x16x64", "", "batch_offset = 0 : i32"],
    ["paged_update_cache", "1x8x4x64", "8", "share_cache = false"],
  ];
  for (const args of refused) {
    assertThrows(
      () => loweredBody(lowered(...args)),
      DiagnosticError,
      `rows of shape ${args[1]} do not go into a cache of shape 8x4x64x32`,
    );
  }
  loweredBody(lowered("update_cache", "1x4x8x32", "8", "batch_offset = 0 : i32"));
  loweredBody(lowered("fill_cache", "1x4x16x32", "", "batch_offset = 0 : i32"));
});
