// SPDX-License-Identifier: Apache-2.0
import fc from "fast-check";
import { dims32, extent, i32s, i64s, keepsMeaning, shapes, single, type } from "./testing/keeps_meaning.ts";
import { ttirFunction } from "./testing/lowered_body.ts";

const permutationOf = (rank: number): fc.Arbitrary<number[]> => {
  const dims = Array.from({ length: rank }, (_, dim) => dim);
  return fc.shuffledSubarray(dims, { minLength: rank, maxLength: rank });
};

keepsMeaning(
  "reductions",
  fc.record({
    op: fc.constantFrom("sum", "mean", "max", "min", "prod", "argmax"),
    shape: shapes(1, 4),
    mask: fc.nat(15),
    keep: fc.boolean(),
  }).map(({ op, shape, mask, keep }) => {
    const all = shape.map((_, dim) => dim);
    const several = all.filter((dim) => mask >> dim & 1);
    const dims = several.length === 0
      ? all
      : op === "argmax" && several.length < all.length
      ? several.slice(0, 1)
      : several;
    const reduced = keep
      ? shape.map((own, dim) => (dims.includes(dim) ? 1 : own))
      : shape.filter((_, dim) => !dims.includes(dim));
    const element = op === "argmax" ? "si32" : "f32";
    const negative = dims.map((dim) => dim - shape.length);
    return {
      text: single(op, [type(shape)], [type(reduced, element)], [
        `dim_arg = ${i32s(mask % 2 === 0 ? dims : negative)}, keep_dim = ${keep}`,
      ]),
    };
  }),
  120,
);

keepsMeaning(
  "reductions of booleans that become numbers",
  fc.record({ op: fc.constantFrom("reduce_or", "reduce_and"), rows: extent, columns: extent }).map(
    ({ op, rows, columns }) => ({
      text: ttirFunction(`(%a: ${type([rows, columns], "i1")}) -> ${type([1, rows])}`, [
        `%0 = "ttir.${op}"(%a) <{dim_arg = [1 : i32], keep_dim = false}> : ` +
        `(${type([rows, columns], "i1")}) -> ${type([rows], "i1")}`,
        `%1 = "ttir.reshape"(%0) <{shape = ${i32s([1, rows])}}> : (${type([rows], "i1")}) -> ${
          type([1, rows], "i1")
        }`,
        `%2 = "ttir.typecast"(%1) <{conservative_folding = false}> : (${type([1, rows], "i1")}) -> ${
          type([1, rows])
        }`,
        `return %2 : ${type([1, rows])}`,
      ]),
    }),
  ),
);

keepsMeaning(
  "softmax and scans",
  fc.record({
    op: fc.constantFrom("softmax", "cumsum"),
    shape: shapes(1, 4),
    dim: fc.nat(3),
    stable: fc.boolean(),
  })
    .map(({ op, shape, dim, stable }) => {
      const own = dim % shape.length;
      const properties = op === "softmax"
        ? `dimension = ${own - shape.length} : si32, numericStable = ${stable}`
        : `dim = ${own} : i64`;
      return { text: single(op, [type(shape)], [type(shape)], [properties]) };
    }),
);

keepsMeaning(
  "norms",
  fc.record({
    shape: shapes(2, 4),
    op: fc.constantFrom("layer_norm", "rms_norm"),
    inner: fc.integer({ min: 1, max: 2 }),
    weight: fc.boolean(),
    bias: fc.boolean(),
  }).map(({ shape, op, inner, weight, bias }) => {
    const normalized = shape.slice(-inner);
    const operands = [
      type(shape),
      ...(weight ? [type(normalized)] : []),
      ...(bias ? [type(normalized)] : []),
    ];
    return {
      text: single(op, operands, [type(shape)], [
        `epsilon = 1.000000e-02 : f32, normalized_shape = ${i64s(normalized)}`,
        `operandSegmentSizes = ${dims32([1, weight ? 1 : 0, bias ? 1 : 0])}`,
      ]),
    };
  }),
);

keepsMeaning(
  "batch and group norm",
  fc.record({
    shape: shapes(4, 4),
    dim: fc.integer({ min: 1, max: 3 }),
    groups: fc.integer({ min: 1, max: 2 }),
    batch: fc.boolean(),
  })
    .map(({ shape, dim, groups, batch }) => {
      const own = (shape[dim] ?? 1) * groups;
      const input = shape.with(dim, own);
      const channel = type([own]);
      // A variance is not negative: integers are not either.
      const variance = type([own], "si32");
      const text = batch
        ? single("batch_norm_inference", [type(input), channel, channel, channel, variance], [type(input)], [
          `dimension = ${dim} : i32, epsilon = 1.250000e-01 : f32`,
        ])
        : single("group_norm", [type(input), channel, channel], [type(input)], [
          `channel_dim = ${dim} : i64, epsilon = 1.250000e-01 : f32, num_groups = ${groups} : i64`,
          "operandSegmentSizes = array<i32: 1, 0, 1, 1>",
        ]);
      return { text };
    }),
);

keepsMeaning(
  "matrix products",
  fc.record({
    batch: shapes(0, 2),
    rows: extent,
    depth: extent,
    columns: extent,
    transposed: fc.tuple(fc.boolean(), fc.boolean()),
    shared: fc.boolean(),
    bias: fc.constantFrom("none", "row", "whole"),
  }).map(({ batch, rows, depth, columns, transposed: [a, b], shared, bias }) => {
    const left = [...batch, ...(a ? [depth, rows] : [rows, depth])];
    const right = [...(shared ? [] : batch), ...(b ? [columns, depth] : [depth, columns])];
    const product = [...batch, rows, columns];
    const properties = [`transpose_a = ${a}, transpose_b = ${b}`];
    const addend = bias === "row" ? [type([columns])] : bias === "whole" ? [type(product)] : [];
    const name = bias === "none" ? "matmul" : "linear";
    return { text: single(name, [type(left), type(right), ...addend], [type(product)], properties) };
  }),
);

keepsMeaning(
  "general dot products",
  fc.record({
    batch: shapes(0, 2),
    left: shapes(0, 2),
    right: shapes(0, 2),
    contract: shapes(1, 2),
    seed: fc.nat(1000),
  }).chain(({ batch, left, right, contract }) => {
    const sides = [left, right].map((free) => [...batch, ...free, ...contract]);
    const [lhs = [], rhs = []] = sides;
    return fc.tuple(permutationOf(lhs.length), permutationOf(rhs.length)).map(([orderA, orderB]) => {
      // `order[i]` is the role that dimension `i` plays.
      const place = (order: readonly number[], role: number): number => order.indexOf(role);
      const shapeOf = (roles: readonly number[], order: readonly number[]): number[] =>
        order.map((role) => roles[role] ?? 1);
      const dims = (order: readonly number[], from: number, count: number): number[] =>
        Array.from({ length: count }, (_, i) => place(order, from + i));
      const freeInOrder = (roles: readonly number[], order: readonly number[], count: number): number[] =>
        order.filter((role) => role >= batch.length && role < batch.length + count).map((role) =>
          roles[role] ?? 1
        );
      const result = [
        ...batch,
        ...freeInOrder(lhs, orderA, left.length),
        ...freeInOrder(rhs, orderB, right.length),
      ];
      const list = (values: readonly number[]): string => values.length === 0 ? "array<i64>" : i64s(values);
      return {
        text: single(
          "dot_general",
          [type(shapeOf(lhs, orderA)), type(shapeOf(rhs, orderB))],
          [type(result)],
          [
            `batch_dims_lhs = ${list(dims(orderA, 0, batch.length))}`,
            `batch_dims_rhs = ${list(dims(orderB, 0, batch.length))}`,
            `contract_dims_lhs = ${list(dims(orderA, batch.length + left.length, contract.length))}`,
            `contract_dims_rhs = ${list(dims(orderB, batch.length + right.length, contract.length))}`,
          ],
        ),
      };
    });
  }),
  150,
);

keepsMeaning(
  "attention and caches",
  fc.record({
    batch: fc.integer({ min: 1, max: 2 }),
    heads: fc.integer({ min: 1, max: 2 }),
    shared: fc.integer({ min: 1, max: 2 }),
    rows: extent,
    size: extent,
    which: fc.nat(6),
    causal: fc.boolean(),
  }).map(({ batch, heads, shared, rows, size, which, causal }) => {
    const queries = heads * shared;
    const query = type([batch, queries, rows, size]);
    const key = type([batch, heads, rows, size]);
    const cache = type([batch, heads, 5, size]);
    const split = [type([batch, queries, rows, size]), key, key];
    const texts = [
      single("scaled_dot_product_attention", [query, key, key], [query], [
        `is_causal = ${causal}, scale = 5.000000e-01 : f32, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>`,
      ]),
      single("scaled_dot_product_attention", [query, key, key, type([batch, 1, rows, rows])], [query], [
        "is_causal = false, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0>",
      ]),
      single(
        "split_query_key_value_and_split_heads",
        [
          type([batch, rows, (queries + 2 * heads) * size]),
        ],
        split,
        [`num_heads = ${queries} : ui32, num_kv_heads = ${heads} : ui32, transpose_key = false`]
          .map((text) => (shared === 1 ? text.replace(` num_kv_heads = ${heads} : ui32,`, "") : text)),
      ),
      single("rotary_embedding", [
        type([batch, heads, rows, 2 * size]),
        type([1, 1, rows, 2 * size]),
        type([1, 1, rows, 2 * size]),
      ], [type([batch, heads, rows, 2 * size])]),
      single("concatenate_heads", [query], [type([batch, rows, queries * size])]),
      single("fill_cache", [cache, key], [cache], ["batch_offset = 0 : i32"]),
      single("update_cache", [cache, type([1, heads, batch, size]), type([causal ? batch : 1], "si32")], [
        cache,
      ], [
        "batch_offset = 0 : i32",
      ]),
    ];
    return { text: texts[which] ?? "", limit: 5 };
  }),
  120,
);

keepsMeaning(
  "orderings",
  fc.record({
    op: fc.constantFrom("sort", "topk"),
    shape: shapes(1, 4),
    dim: fc.nat(3),
    k: fc.nat(3),
    up: fc.boolean(),
  })
    .map(({ op, shape, dim, k, up }) => {
      const own = dim % shape.length;
      const taken = op === "topk" ? shape.with(own, 1 + k % (shape[own] ?? 1)) : shape;
      const properties = op === "sort"
        ? [`descending = ${!up}, dim = ${own - shape.length} : si32, stable = false`]
        : [`dim = ${own} : i32, k = ${taken[own]} : i32, largest = ${!up}, sorted = true`];
      return { text: single(op, [type(shape)], [type(taken), type(taken, "si32")], properties) };
    }),
);

keepsMeaning(
  "numbers that are written where indices say",
  fc.record({ shape: shapes(1, 3), dim: fc.nat(2), reduce: fc.constantFrom("invalid", "sum") }).map(
    ({ shape, dim, reduce }) => {
      const own = dim % shape.length;
      return {
        text: single("scatter", [type(shape), type(shape, "si32"), type(shape)], [type(shape)], [
          `dim = ${own} : i32, scatter_reduce_type = #ttcore.reduce_type<${reduce}>`,
        ]),
        limit: shape[own] ?? 1,
      };
    },
  ),
);
