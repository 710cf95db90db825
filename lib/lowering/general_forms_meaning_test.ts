// SPDX-License-Identifier: Apache-2.0
import fc from "fast-check";
import { windowPositions } from "../layout/window_positions.ts";
import { extent, i64s, keepsMeaning, single, type } from "./testing/keeps_meaning.ts";
import { ttirFunction } from "./testing/lowered_body.ts";

const MATRIX = 2;

/** Any order of the dimensions of a tensor with so many spatial ones: first role, spatial ones, second role. */
function orders(spatial: number): fc.Arbitrary<number[]> {
  const dims = Array.from({ length: spatial + 2 }, (_, dim) => dim);
  return fc.shuffledSubarray(dims, { minLength: dims.length });
}

/** Extents of the roles in the places that an order gives them. */
function placed(extents: readonly number[], order: readonly number[]): number[] {
  return extents.map((_, dim) => extents[order.indexOf(dim)] ?? 1);
}

const axis = fc.record({
  size: fc.integer({ min: 3, max: 5 }),
  kernel: fc.integer({ min: 1, max: 3 }),
  stride: fc.integer({ min: 1, max: 2 }),
  dilation: fc.integer({ min: 1, max: 2 }),
  padding: fc.tuple(fc.nat(1), fc.nat(1)),
  isReversed: fc.boolean(),
});

function convolutionText(
  orders: readonly (readonly number[])[],
  shapes: readonly (readonly number[])[],
  groups: readonly [batch: number, feature: number],
  lists: Readonly<Record<string, readonly number[]>>,
  reversal: readonly boolean[],
): string {
  const [input = [], kernel = [], output = []] = orders;
  const spatial = (order: readonly number[]): string => order.slice(1, -1).join("x");
  const layout = [
    `input_batch = ${input[0]}, input_feature = ${input.at(-1)}, input_spatial_dimensions = ${
      spatial(input)
    }`,
    `kernel_output_feature = ${kernel[0]}, kernel_input_feature = ${kernel.at(-1)}`,
    `kernel_spatial_dimensions = ${spatial(kernel)}, output_batch = ${output[0]}`,
    `output_feature = ${output.at(-1)}, output_spatial_dimensions = ${spatial(output)}`,
  ].join(", ");
  const [a = [], b = [], result = []] = shapes.map((own, index) => placed(own, orders[index] ?? []));
  return single("convolution", [type(a), type(b)], [type(result)], [
    `batch_group_count = ${groups[0]} : i64, feature_group_count = ${groups[1]} : i64`,
    `convolution_layout = #ttir<convolution_layout ${layout}>`,
    `window_reversal = array<i1: ${reversal.join(", ")}>`,
    ...Object.entries(lists).map(([name, values]) => `${name} = ${i64s(values)}`),
  ]);
}

keepsMeaning(
  "convolutions that spell every role out",
  fc.integer({ min: 1, max: 2 }).chain((spatial) =>
    fc.record({
      axes: fc.array(axis, { minLength: spatial, maxLength: spatial }),
      orders: fc.tuple(orders(spatial), orders(spatial), orders(spatial)),
      groups: fc.constantFrom<[number, number]>([1, 1], [2, 1], [1, 2], [3, 1]),
      batch: fc.integer({ min: 1, max: 2 }),
      per: extent,
      out: fc.integer({ min: 1, max: 2 }),
    })
  ).map(({ axes, orders, groups, batch, per, out }) => {
    const outputs = out * groups[0] * groups[1];
    const places = axes.map(({ size, ...window }) => windowPositions(size, window));
    const fits = places.every((count) => count > 0);
    const dilation = axes.map((own) => (fits ? own.dilation : 1));
    const positions = axes.map(({ size, ...window }, at) =>
      windowPositions(size, { ...window, dilation: dilation[at] ?? 1 })
    );
    return {
      text: convolutionText(
        orders,
        [
          [batch * groups[0], ...axes.map(({ size }) => size), per * groups[1]],
          [outputs, ...axes.map(({ kernel }) => kernel), per],
          [batch, ...positions, outputs],
        ],
        groups,
        {
          window_strides: axes.map(({ stride }) => stride),
          padding: axes.flatMap(({ padding }) => padding),
          input_dilation: axes.map(() => 1),
          weight_dilation: dilation,
        },
        axes.map(({ isReversed }) => isReversed),
      ),
    };
  }),
);

keepsMeaning(
  "convolutions of dilated inputs",
  fc.record({
    axes: fc.array(axis, { minLength: MATRIX, maxLength: MATRIX }),
    orders: fc.tuple(orders(MATRIX), orders(MATRIX), orders(MATRIX)),
    groups: fc.integer({ min: 1, max: 2 }),
    batch: fc.integer({ min: 1, max: 2 }),
    per: extent,
    out: fc.integer({ min: 1, max: 2 }),
  }).map(({ axes, orders, groups, batch, per, out }) => {
    const windows = axes.map(({ size, kernel, dilation, padding: [cut, added] }) => {
      const reach = dilation * (kernel - 1);
      const front = Math.max(0, reach - cut);
      return {
        size: (size - 1) * 2 + 1,
        kernel,
        stride: 1,
        dilation,
        padding: [front, front + added] as const,
      };
    });
    return {
      text: convolutionText(
        orders,
        [
          [batch, ...axes.map(({ size }) => size), per * groups],
          [out * groups, ...axes.map(({ kernel }) => kernel), per],
          [batch, ...windows.map(({ size, ...window }) => windowPositions(size, window)), out * groups],
        ],
        [1, groups],
        {
          window_strides: [1, 1],
          padding: windows.flatMap(({ padding }) => padding),
          input_dilation: [2, 2],
          weight_dilation: axes.map(({ dilation }) => dilation),
        },
        axes.map(({ isReversed }) => isReversed),
      ),
    };
  }),
);

keepsMeaning(
  "pools that spell every dimension out",
  fc.record({
    axes: fc.tuple(axis, axis),
    method: fc.constantFrom("Max", "Average", "Sum"),
    form: fc.constantFrom("first", "last", "one picture", "one channel"),
  }).map(({ axes, method, form }) => {
    const isFirst = form !== "last";
    const left = form === "one channel" ? 2 : form === "one picture" ? 1 : 0;
    const along = (first: number, values: readonly number[], last: number): number[] =>
      isFirst ? [first, last, ...values].slice(left) : [first, ...values, last];
    // A window of one pixel in both spatial dimensions leaves open which they are.
    const kernel = axes.map(({ kernel }) => Math.max(2, kernel));
    const padding = axes.map(({ padding }, at) =>
      padding.map((own) => Math.min(own, Math.floor((kernel[at] ?? 1) / 2)))
    );
    const places = axes.map(({ size, stride }, at) =>
      windowPositions(size, {
        kernel: kernel[at] ?? 1,
        stride,
        dilation: 1,
        padding: [padding[at]?.[0] ?? 0, padding[at]?.[1] ?? 0],
      })
    );
    const pads = isFirst ? [0, 0, 0, 0, ...padding.flat()].slice(2 * left) : [0, 0, ...padding.flat(), 0, 0];
    return {
      text: single(
        "pooling",
        [type(along(2, axes.map(({ size }) => size), 3))],
        [type(along(2, places, 3))],
        [
          `pooling_method = #ttir<pooling_method ${method}>, window_dimensions = ${
            i64s(along(1, kernel, 1))
          }`,
          `window_strides = ${i64s(along(1, axes.map(({ stride }) => stride), 1))}, padding = ${i64s(pads)}`,
          `base_dilations = ${i64s(along(1, [1, 1], 1))}, window_dilations = ${i64s(along(1, [1, 1], 1))}`,
        ],
      ),
    };
  }),
);

keepsMeaning(
  "gathers of slices",
  fc.record({
    shape: fc.array(fc.integer({ min: 2, max: 4 }), { minLength: 1, maxLength: 4 }),
    batch: fc.array(extent, { minLength: 0, maxLength: 2 }),
    picks: fc.array(fc.nat(11), { minLength: 4, maxLength: 4 }),
    isScalar: fc.boolean(),
    keeps: fc.boolean(),
    cuts: fc.boolean(),
  }).map(({ shape, batch, picks, isScalar, keeps, cuts }) => {
    const dims = shape.map((_, dim) => dim).toSorted((a, b) => (picks[a] ?? 0) - (picks[b] ?? 0));
    const named = dims.slice(0, isScalar ? 1 : Math.min(2, shape.length));
    const sizes = shape.map((extent, dim) => (named.includes(dim) ? 1 : cuts ? extent - 1 : extent));
    const collapsed = keeps ? [] : named.toSorted((a, b) => a - b);
    const kept = sizes.filter((_, dim) => !collapsed.includes(dim));
    // Slices go to the front, or behind the indices.
    const isFront = (picks[0] ?? 0) % 2 === 0;
    const result = isFront ? [...kept, ...batch] : [...batch, ...kept];
    const offsets = kept.map((_, at) => at + (isFront ? 0 : batch.length));
    const vectorDim = isScalar ? batch.length : (picks[1] ?? 0) % (batch.length + 1);
    const indices = isScalar ? batch : batch.toSpliced(vectorDim, 0, named.length);
    return {
      text: single(
        "gather",
        [type(shape), type(indices, "si32")],
        [type(result)],
        [
          `collapsed_slice_dims = ${i64s(collapsed)}, index_vector_dim = ${vectorDim} : si64`,
          `offset_dims = ${i64s(offsets)}, slice_sizes = ${i64s(sizes)}, start_index_map = ${i64s(named)}`,
          "operand_batching_dims = array<i64>, start_indices_batching_dims = array<i64>, indices_are_sorted = false",
        ].map((line) => line.replaceAll("array<i64: >", "array<i64>")),
      ),
      limit: 1,
    };
  }),
);

keepsMeaning(
  "scatters of slices",
  fc.record({
    shape: fc.array(fc.integer({ min: 2, max: 4 }), { minLength: 1, maxLength: 4 }),
    batch: fc.array(extent, { minLength: 0, maxLength: 2 }),
    picks: fc.array(fc.nat(11), { minLength: 4, maxLength: 4 }),
    isScalar: fc.boolean(),
    names: fc.integer({ min: 1, max: 4 }),
  }).map(({ shape, batch, picks, isScalar, names }) => {
    const dims = shape.map((_, dim) => dim).toSorted((a, b) => (picks[a] ?? 0) - (picks[b] ?? 0));
    const named = dims.slice(0, isScalar ? 1 : names);
    const kept = shape.filter((_, dim) => !named.includes(dim));
    // Windows go in front of what the indices number, behind it or around it.
    const before = (picks[0] ?? 0) % (kept.length + 1);
    const updates = kept.toSpliced(before, 0, ...batch);
    const windows = kept.map((_, at) => at + (at < before ? 0 : batch.length));
    const vectorDim = isScalar ? batch.length : (picks[1] ?? 0) % (batch.length + 1);
    const indices = isScalar ? batch : batch.toSpliced(vectorDim, 0, named.length);
    return {
      text: single(
        "scatter",
        [type(shape), type(indices, "si32"), type(updates)],
        [type(shape)],
        [
          `inserted_window_dims = ${
            i64s(named.toSorted((a, b) => a - b))
          }, index_vector_dim = ${vectorDim} : i32`,
          `update_window_dims = ${i64s(windows)}, scatter_dims_to_operand_dims = ${i64s(named)}`,
          "input_batching_dims = array<i64>, scatter_indices_batching_dims = array<i64>, unique_indices = false",
        ].map((line) => line.replaceAll("array<i64: >", "array<i64>")),
      ),
      limit: 1,
    };
  }),
);

keepsMeaning(
  "gathers at constant places",
  fc.record({
    shape: fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 3 }),
    pick: fc.nat(2),
    before: fc.nat(2),
    behind: fc.nat(2),
    isShuffled: fc.boolean(),
  }).map(({ shape, pick, before, behind, isShuffled }) => {
    const dim = pick % shape.length;
    const extent = shape[dim] ?? 1;
    const body = Array.from({ length: extent }, (_, at) => (isShuffled ? (2 * at + 1) % extent : at));
    const places = [
      ...new Array<number>(before).fill(0),
      ...body,
      ...new Array<number>(behind).fill(extent - 1),
    ];
    const sizes = shape.with(dim, 1);
    const result = shape.with(dim, places.length);
    const offsets = shape.flatMap((_, at) => (at === dim ? [] : [at]));
    const indices = type([places.length, 1], "si32");
    const attributes = [
      `collapsed_slice_dims = ${i64s([dim])}, index_vector_dim = 1 : si64, offset_dims = ${i64s(offsets)}`,
      `slice_sizes = ${i64s(sizes)}, start_index_map = ${i64s([dim])}, indices_are_sorted = false`,
      "operand_batching_dims = array<i64>, start_indices_batching_dims = array<i64>",
    ].map((line) => line.replaceAll("array<i64: >", "array<i64>")).join(", ");
    return {
      text: ttirFunction(`(%a: ${type(shape)}) -> ${type(result)}`, [
        `%0 = "ttir.constant"() <{value = dense<[${
          places.map((place) => `[${place}]`).join(", ")
        }]> : ${indices}}> : () -> ${indices}`,
        `%1 = "ttir.gather"(%a, %0) <{${attributes}}> : (${type(shape)}, ${indices}) -> ${type(result)}`,
        `return %1 : ${type(result)}`,
      ]),
      limit: 1,
    };
  }),
);
