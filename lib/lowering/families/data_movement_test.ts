// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals, assertThrows } from "@std/assert";
import { DiagnosticError } from "../../diagnostics/diagnostic.ts";
import { loweredBody, ttirFunction } from "../testing/lowered_body.ts";

Deno.test("a broadcast that merges into its neighbour is a repeat_interleave", () => {
  const text = ttirFunction("(%a: tensor<2x8x64x32xbf16>) -> tensor<2x32x64x32xbf16>", [
    '%0 = "ttir.reshape"(%a) <{shape = [2 : i32, 8 : i32, 1 : i32, 64 : i32, 32 : i32]}> : (tensor<2x8x64x32xbf16>) -> tensor<2x8x1x64x32xbf16>',
    '%1 = "ttir.broadcast"(%0) <{broadcast_dimensions = array<i64: 1, 1, 4, 1, 1>}> : (tensor<2x8x1x64x32xbf16>) -> tensor<2x8x4x64x32xbf16>',
    '%2 = "ttir.reshape"(%1) <{shape = [2 : i32, 32 : i32, 64 : i32, 32 : i32]}> : (tensor<2x8x4x64x32xbf16>) -> tensor<2x32x64x32xbf16>',
    "return %2 : tensor<2x32x64x32xbf16>",
  ]);
  assertEquals(loweredBody(text), [
    '%0 = "ttnn.repeat_interleave"(%arg0) <{dim = 1 : si32, repeats = 4 : ui32}> : (tensor<2x8x64x32xbf16>) -> tensor<2x32x64x32xbf16>',
    "return %0 : tensor<2x32x64x32xbf16>",
  ]);
});

Deno.test("reshapes and permutes compose and identities vanish", () => {
  const text = ttirFunction("(%a: tensor<2x8x16xf32>) -> tensor<2x8x16xf32>", [
    '%0 = "ttir.transpose"(%a) <{dim0 = -3 : si32, dim1 = -2 : si32}> : (tensor<2x8x16xf32>) -> tensor<8x2x16xf32>',
    '%1 = "ttir.permute"(%0) <{permutation = array<i64: 1, 0, 2>}> : (tensor<8x2x16xf32>) -> tensor<2x8x16xf32>',
    '%2 = "ttir.reshape"(%1) <{shape = [16 : i32, 16 : i32]}> : (tensor<2x8x16xf32>) -> tensor<16x16xf32>',
    '%3 = "ttir.unsqueeze"(%2) <{dim = 0 : si32}> : (tensor<16x16xf32>) -> tensor<1x16x16xf32>',
    '%4 = "ttir.reshape"(%3) <{shape = [2 : i32, 8 : i32, 16 : i32]}> : (tensor<1x16x16xf32>) -> tensor<2x8x16xf32>',
    '%5 = "ttir.relu"(%4) : (tensor<2x8x16xf32>) -> tensor<2x8x16xf32>',
    "return %5 : tensor<2x8x16xf32>",
  ]);
  assertEquals(loweredBody(text), [
    '%0 = "ttnn.relu"(%arg0) : (tensor<2x8x16xf32>) -> tensor<2x8x16xf32>',
    "return %0 : tensor<2x8x16xf32>",
  ]);
});

Deno.test("a permute that moves only extents of one is a reshape", () => {
  const text = ttirFunction("(%a: tensor<32x8x1x64xbf16>) -> tensor<1x32x8x64xbf16>", [
    '%0 = "ttir.permute"(%a) <{permutation = array<i64: 2, 0, 1, 3>}> : (tensor<32x8x1x64xbf16>) -> tensor<1x32x8x64xbf16>',
    "return %0 : tensor<1x32x8x64xbf16>",
  ]);
  assertEquals(loweredBody(text), [
    '%0 = "ttnn.reshape"(%arg0) <{shape = [1 : i32, 32 : i32, 8 : i32, 64 : i32]}> : (tensor<32x8x1x64xbf16>) -> tensor<1x32x8x64xbf16>',
    "return %0 : tensor<1x32x8x64xbf16>",
  ]);
});

Deno.test("a negative pad is a slice in front of a pad, and what is padded in front is rows", () => {
  const text = ttirFunction("(%a: tensor<8x32xf32>) -> tensor<7x34xf32>", [
    '%0 = "ttir.pad"(%a) <{padding = array<i32: -1, 0, 1, 1>, value = 0.0 : f32}> : (tensor<8x32xf32>) -> tensor<7x34xf32>',
    "return %0 : tensor<7x34xf32>",
  ]);
  assertEquals(loweredBody(text), [
    '%0 = "ttnn.slice_static"(%arg0) <{begins = [1 : i32, 0 : i32], ends = [8 : i32, 32 : i32], step = [1 : i32, 1 : i32]}> : (tensor<8x32xf32>) -> tensor<7x32xf32>',
    '%1 = "ttnn.to_layout"(%0) : (tensor<7x32xf32>) -> tensor<7x32xf32, rm>',
    '%2 = "ttnn.pad"(%1) <{padding = array<i32: 0, 0, 1, 1>, use_multicore = true, value = 0.000000e+00 : f32}> : (tensor<7x32xf32, rm>) -> tensor<7x34xf32, rm>',
    '%3 = "ttnn.to_layout"(%2) : (tensor<7x34xf32, rm>) -> tensor<7x34xf32>',
    "return %3 : tensor<7x34xf32>",
  ]);
});

Deno.test("a pad in front of rows too wide for L1 is joined from its value, others stay pads", () => {
  const pads = (padding: string, from: string, to: string): readonly string[] =>
    loweredBody(ttirFunction(`(%a: tensor<${from}xbf16>) -> tensor<${to}xbf16>`, [
      `%0 = "ttir.pad"(%a) <{padding = array<i32: ${padding}>, value = 1.0 : f32}> : (tensor<${from}xbf16>) -> tensor<${to}xbf16>`,
      `return %0 : tensor<${to}xbf16>`,
    ]));
  const joins = (lines: readonly string[]): readonly (string | undefined)[] =>
    lines.filter((line) => line.includes("ttnn.concat")).map((line) => / : (\(.*)$/.exec(line)?.[1]);
  assertEquals(joins(pads("1, 0, 49000, 290", "2x1985", "3x51275")), [
    "(tensor<1x1985xbf16>, tensor<2x1985xbf16>) -> tensor<3x1985xbf16>",
    "(tensor<3x49000xbf16>, tensor<3x1985xbf16>, tensor<3x290xbf16>) -> tensor<3x51275xbf16>",
  ]);
  for (const [padding, to] of [["0, 0, 11130, 0", "1x13115"], ["0, 0, 0, 49290", "1x51275"]] as const) {
    const lines = pads(padding, "1x1985", to);
    assertEquals(joins(lines), []);
    assertEquals(lines.filter((line) => line.includes("ttnn.pad")).length, 1);
  }
});

Deno.test("gather_dim is the gather along a dimension, counted from the end as well", () => {
  const text = ttirFunction("(%a: tensor<4x6xf32>, %i: tensor<4x3xui16>) -> tensor<4x3xf32>", [
    '%0 = "ttir.gather_dim"(%a, %i) <{dim = -1 : i32}> : (tensor<4x6xf32>, tensor<4x3xui16>) -> tensor<4x3xf32>',
    "return %0 : tensor<4x3xf32>",
  ]);
  assertEquals(
    loweredBody(text)[0],
    '%0 = "ttnn.gather"(%arg0, %arg1) <{dim = 1 : si32}> : (tensor<4x6xf32>, tensor<4x3xui16>) -> tensor<4x3xf32>',
  );
});

Deno.test("reverse looks rows up in falling order", () => {
  const text = ttirFunction("(%a: tensor<2x3xbf16>) -> tensor<2x3xbf16>", [
    '%0 = "ttir.reverse"(%a) <{dimensions = array<i64: 1>}> : (tensor<2x3xbf16>) -> tensor<2x3xbf16>',
    "return %0 : tensor<2x3xbf16>",
  ]);
  assertEquals(loweredBody(text), [
    '%1 = "ttnn.constant"(%0) <{value = dense<[2, 1, 0]> : tensor<3xui32>}> : (!ttnn.device) -> tensor<3xui32>',
    '%2 = "ttnn.to_layout"(%1) : (tensor<3xui32>) -> tensor<3xui32, rm>',
    '%3 = "ttnn.permute"(%arg0) <{permutation = array<i64: 1, 0>}> : (tensor<2x3xbf16>) -> tensor<3x2xbf16>',
    '%4 = "ttnn.to_layout"(%3) : (tensor<3x2xbf16>) -> tensor<3x2xbf16, rm>',
    '%5 = "ttnn.embedding"(%2, %4) : (tensor<3xui32, rm>, tensor<3x2xbf16, rm>) -> tensor<3x2xbf16>',
    '%6 = "ttnn.permute"(%5) <{permutation = array<i64: 1, 0>}> : (tensor<3x2xbf16>) -> tensor<2x3xbf16>',
    "return %6 : tensor<2x3xbf16>",
  ]);
});

Deno.test("reverse of several dimensions is one look-up", () => {
  const text = ttirFunction("(%a: tensor<2x3x4x5xf32>) -> tensor<2x3x4x5xf32>", [
    '%0 = "ttir.reverse"(%a) <{dimensions = array<i64: 2, 0>}> : (tensor<2x3x4x5xf32>) -> tensor<2x3x4x5xf32>',
    "return %0 : tensor<2x3x4x5xf32>",
  ]);
  assertEquals(loweredBody(text).filter((line) => /permute|reshape|embedding|return/.test(line)), [
    '%3 = "ttnn.permute"(%arg0) <{permutation = array<i64: 0, 2, 1, 3>}> : (tensor<2x3x4x5xf32>) -> tensor<2x4x3x5xf32>',
    '%4 = "ttnn.reshape"(%3) <{shape = [8 : i32, 15 : i32]}> : (tensor<2x4x3x5xf32>) -> tensor<8x15xf32>',
    '%7 = "ttnn.embedding"(%2, %6) : (tensor<8xui32, rm>, tensor<8x15xbf16, rm>) -> tensor<8x15xbf16>',
    '%9 = "ttnn.reshape"(%8) <{shape = [2 : i32, 4 : i32, 3 : i32, 5 : i32]}> : (tensor<8x15xf32>) -> tensor<2x4x3x5xf32>',
    '%10 = "ttnn.permute"(%9) <{permutation = array<i64: 0, 2, 1, 3>}> : (tensor<2x4x3x5xf32>) -> tensor<2x3x4x5xf32>',
    "return %10 : tensor<2x3x4x5xf32>",
  ]);
});

Deno.test("index counts negative bounds from the end", () => {
  const text = ttirFunction("(%a: tensor<4x32x32xbf16>) -> tensor<4x32x1xbf16>", [
    '%0 = "ttir.index"(%a) <{dim = 2 : i32, begin = -2 : i32, end = 32 : i32, step = 2 : i32}> : (tensor<4x32x32xbf16>) -> tensor<4x32x1xbf16>',
    "return %0 : tensor<4x32x1xbf16>",
  ]);
  assertEquals(loweredBody(text), [
    '%0 = "ttnn.slice_static"(%arg0) <{begins = [0 : i32, 0 : i32, 30 : i32], ends = [4 : i32, 32 : i32, 32 : i32], step = [1 : i32, 1 : i32, 2 : i32]}> : (tensor<4x32x32xbf16>) -> tensor<4x32x1xbf16>',
    "return %0 : tensor<4x32x1xbf16>",
  ]);
});

Deno.test("concat and slice_static carry their bounds", () => {
  const text = ttirFunction("(%a: tensor<4x32xbf16>) -> tensor<4x16xbf16>", [
    '%0 = "ttir.concat"(%a, %a) <{dim = -1 : si32}> : (tensor<4x32xbf16>, tensor<4x32xbf16>) -> tensor<4x64xbf16>',
    '%1 = "ttir.slice_static"(%0) <{begins = [0 : i32, 16 : i32], ends = [4 : i32, 48 : i32], step = [1 : i32, 2 : i32]}> : (tensor<4x64xbf16>) -> tensor<4x16xbf16>',
    "return %1 : tensor<4x16xbf16>",
  ]);
  assertEquals(loweredBody(text), [
    '%0 = "ttnn.concat"(%arg0, %arg0) <{dim = 1 : si32}> : (tensor<4x32xbf16>, tensor<4x32xbf16>) -> tensor<4x64xbf16>',
    '%1 = "ttnn.slice_static"(%0) <{begins = [0 : i32, 16 : i32], ends = [4 : i32, 48 : i32], step = [1 : i32, 2 : i32]}> : (tensor<4x64xbf16>) -> tensor<4x16xbf16>',
    "return %1 : tensor<4x16xbf16>",
  ]);
});

Deno.test("a gather of whole rows is an embedding", () => {
  const text = ttirFunction("(%t: tensor<100x64xbf16>, %i: tensor<7xui32>) -> tensor<7x64xbf16>", [
    '%0 = "ttir.empty"() : () -> tensor<7x64xbf16>',
    '%1 = "ttir.gather"(%t, %i, %0) <{collapsed_slice_dims = array<i64: 0>, index_vector_dim = 1 : si64, indices_are_sorted = false, offset_dims = array<i64: 1>, operand_batching_dims = array<i64>, slice_sizes = array<i64: 1, 64>, start_index_map = array<i64: 0>, start_indices_batching_dims = array<i64>}> : (tensor<100x64xbf16>, tensor<7xui32>, tensor<7x64xbf16>) -> tensor<7x64xbf16>',
    "return %1 : tensor<7x64xbf16>",
  ]);
  assertEquals(loweredBody(text), [
    '%0 = "ttnn.to_layout"(%arg1) : (tensor<7xui32>) -> tensor<7xui32, rm>',
    '%1 = "ttnn.to_layout"(%arg0) : (tensor<100x64xbf16>) -> tensor<100x64xbf16, rm>',
    '%2 = "ttnn.embedding"(%0, %1) : (tensor<7xui32, rm>, tensor<100x64xbf16, rm>) -> tensor<7x64xbf16>',
    "return %2 : tensor<7x64xbf16>",
  ]);
});

Deno.test("a gather at few runs of constant places is slices, repeated and joined", () => {
  const gathered = (value: string): readonly string[] =>
    loweredBody(ttirFunction("(%a: tensor<2x4x32xbf16>) -> tensor<2x7x32xbf16>", [
      `%0 = "ttir.constant"() <{value = ${
        value.startsWith("dense") ? value : `dense<${value}>`
      } : tensor<7x1xi64>}> : () -> tensor<7x1xi64>`,
      '%1 = "ttir.gather"(%a, %0) <{collapsed_slice_dims = array<i64: 1>, index_vector_dim = 1 : si64, indices_are_sorted = false, offset_dims = array<i64: 0, 2>, operand_batching_dims = array<i64>, slice_sizes = array<i64: 2, 1, 32>, start_index_map = array<i64: 1>, start_indices_batching_dims = array<i64>}> : (tensor<2x4x32xbf16>, tensor<7x1xi64>) -> tensor<2x7x32xbf16>',
      "return %1 : tensor<2x7x32xbf16>",
    ]));
  const hex = [0, 0, 1, 2, 3, 3, 3].map((place) => `0${place}00000000000000`).join("");
  for (const value of ["[[0], [0], [1], [2], [3], [3], [3]]", `"0x${hex}"`]) {
    assertEquals(gathered(value), [
      '%0 = "ttnn.slice_static"(%arg0) <{begins = [0 : i32, 0 : i32, 0 : i32], ends = [2 : i32, 1 : i32, 32 : i32], step = [1 : i32, 1 : i32, 1 : i32]}> : (tensor<2x4x32xbf16>) -> tensor<2x1x32xbf16>',
      '%1 = "ttnn.slice_static"(%arg0) <{begins = [0 : i32, 3 : i32, 0 : i32], ends = [2 : i32, 4 : i32, 32 : i32], step = [1 : i32, 1 : i32, 1 : i32]}> : (tensor<2x4x32xbf16>) -> tensor<2x1x32xbf16>',
      '%2 = "ttnn.repeat"(%1) <{repeat_dims = #ttnn.shape<1x2x1>}> : (tensor<2x1x32xbf16>) -> tensor<2x2x32xbf16>',
      '%3 = "ttnn.concat"(%0, %arg0, %2) <{dim = 1 : si32}> : (tensor<2x1x32xbf16>, tensor<2x4x32xbf16>, tensor<2x2x32xbf16>) -> tensor<2x7x32xbf16>',
      "return %3 : tensor<2x7x32xbf16>",
    ]);
  }
  const others = ["[[3], [1], [2], [0], [3], [1], [2]]", "dense_resource<__elided__>"];
  for (const value of others) assert(gathered(value).some((line) => line.includes("ttnn.embedding")), value);
});

Deno.test("a slice beyond its tensor is refused", () => {
  const text = ttirFunction("(%a: tensor<3x4xf32>) -> tensor<3x9xf32>", [
    '%0 = "ttir.slice_static"(%a) <{begins = [0 : i32, 0 : i32], ends = [3 : i32, 9 : i32], step = [1 : i32, 1 : i32]}> : (tensor<3x4xf32>) -> tensor<3x9xf32>',
    "return %0 : tensor<3x9xf32>",
  ]);
  assertThrows(() => loweredBody(text), DiagnosticError, "is not within 3x4");
});

Deno.test("a reshape whose result is not of the shape that it asks for is refused", () => {
  const reshape = (shape: string, element = "f32") =>
    loweredBody(ttirFunction(`(%x: tensor<4x6x${element}>) -> tensor<3x8x${element}>`, [
      `%0 = "ttir.reshape"(%x) <{shape = [${shape}]}> : (tensor<4x6x${element}>) -> tensor<3x8x${element}>`,
      `return %0 : tensor<3x8x${element}>`,
    ]));
  assertEquals(reshape("3 : i32, 8 : i32").length, 2);
  assertEquals(reshape("-1 : i32, 8 : i32").length, 2);
  for (const shape of ["8 : i32, 3 : i32", "24 : i32", "1 : i32, 3 : i32, 8 : i32"]) {
    assertThrows(() => reshape(shape), DiagnosticError, "not 3x8");
  }
});

Deno.test("rearrange is refused where its pattern does not name every dimension once", () => {
  const rearrange = (pattern: string) =>
    loweredBody(ttirFunction("(%x: tensor<3x4x33xf32>) -> tensor<12x33xf32>", [
      `%0 = "ttir.rearrange"(%x) <{pattern = "${pattern}"}> : (tensor<3x4x33xf32>) -> tensor<12x33xf32>`,
      "return %0 : tensor<12x33xf32>",
    ]));
  assertEquals(rearrange("z y x -> (z y) x").length, 2);
  for (const pattern of ["z y x -> (z y)", "(z y) x -> z y x", "z y -> z y", "z y x z y x"]) {
    assertThrows(() => rearrange(pattern), DiagnosticError, "does not name each of its 3 dimensions once");
  }
  assertThrows(() => rearrange("z y x -> x z y"), DiagnosticError, "should have shape 33x3x4");
});

Deno.test("a dynamic slice reads rows of at least 16 bits and unsigned bounds", () => {
  const slice = (element: string): readonly string[] =>
    loweredBody(ttirFunction(
      `(%a: tensor<8x32x${element}>, %b: tensor<2xi32>, %e: tensor<2xi32>) -> tensor<4x32x${element}>`,
      [
        '%0 = "ttir.slice_dynamic"(%a, %b, %e) <{step = [1 : i32, 1 : i32]}> : ' +
        `(tensor<8x32x${element}>, tensor<2xi32>, tensor<2xi32>) -> tensor<4x32x${element}>`,
        `return %0 : tensor<4x32x${element}>`,
      ],
    )).filter((line) => line.includes("slice_dynamic"));
  const types = (element: string) =>
    `(tensor<8x32x${element}, rm>, tensor<2xui32>, tensor<2xui32>) -> tensor<4x32x${element}, rm>`;
  for (const [element, wide] of [["ui8", "ui32"], ["ui16", "ui32"], ["bf16", "bf16"]] as const) {
    assertEquals(slice(element).map((line) => line.split(" : ").at(-1)), [types(wide)], element);
  }
});

Deno.test("a scatter of windows that are smaller than the tensor says which windows are written", () => {
  assertThrows(
    () =>
      loweredBody(
        ttirFunction("(%a: tensor<4x8xf32>, %i: tensor<2xi32>, %u: tensor<2x3xf32>) -> tensor<4x8xf32>", [
          '%0 = "ttir.scatter"(%a, %i, %u) <{index_vector_dim = 1 : i32, inserted_window_dims = array<i32: 0>, scatter_dims_to_operand_dims = array<i32: 0>, update_window_dims = array<i32: 1>}> : (tensor<4x8xf32>, tensor<2xi32>, tensor<2x3xf32>) -> tensor<4x8xf32>',
          "return %0 : tensor<4x8xf32>",
        ]),
      ),
    DiagnosticError,
    "only windows of one position along dimension 0 and whole along the others have a TTNN counterpart; a part",
  );
});

Deno.test("a gather along the only dimension is one of two dimensions", () => {
  const text = ttirFunction("(%a: tensor<64xf32>, %i: tensor<3xui32>) -> tensor<3xf32>", [
    '%0 = "ttir.gather"(%a, %i) <{dim = 0 : i32}> : (tensor<64xf32>, tensor<3xui32>) -> tensor<3xf32>',
    "return %0 : tensor<3xf32>",
  ]);
  assertEquals(
    loweredBody(text).filter((line) => line.includes("gather")),
    ['%2 = "ttnn.gather"(%0, %1) <{dim = 1 : si32}> : (tensor<1x64xf32>, tensor<1x3xui32>) -> tensor<1x3xf32>'],
  );
});
