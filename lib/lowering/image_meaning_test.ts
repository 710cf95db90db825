// SPDX-License-Identifier: Apache-2.0
import fc from "fast-check";
import { windowPositions } from "../layout/window_positions.ts";
import { dims32, extent, keepsMeaning, single, type } from "./testing/keeps_meaning.ts";

const window = fc.record({
  batch: fc.integer({ min: 1, max: 2 }),
  size: fc.tuple(fc.integer({ min: 3, max: 5 }), fc.integer({ min: 3, max: 5 })),
  kernel: fc.tuple(fc.integer({ min: 1, max: 3 }), fc.integer({ min: 1, max: 3 })),
  stride: fc.tuple(fc.integer({ min: 1, max: 2 }), fc.integer({ min: 1, max: 2 })),
  padding: fc.array(fc.integer({ min: 0, max: 2 }), { minLength: 4, maxLength: 4 }),
  channelsFirst: fc.boolean(),
});

/** Attributes that say which dimension is which. */
function axes(channelsFirst: boolean): string {
  return channelsFirst
    ? "batch_dim = 0 : i64, channel_dim = 1 : i64, height_dim = 2 : i64, width_dim = 3 : i64"
    : "batch_dim = 0 : i64, height_dim = 1 : i64, width_dim = 2 : i64, channel_dim = 3 : i64";
}

function imageShape(
  channelsFirst: boolean,
  [batch, height, width, channels]: readonly number[],
): readonly number[] {
  const all = channelsFirst ? [batch, channels, height, width] : [batch, height, width, channels];
  return all.map((own) => own ?? 1);
}

keepsMeaning(
  "convolutions",
  fc.record({ window, groups: fc.integer({ min: 1, max: 2 }), bias: fc.boolean(), per: extent, out: extent })
    .map(
      ({ window: { batch, size, kernel, stride, padding, channelsFirst }, groups, bias, per, out }) => {
        const [top = 0, left = 0, bottom = 0, right = 0] = padding;
        const height = Math.floor((size[0] + top + bottom - kernel[0]) / stride[0]) + 1;
        const width = Math.floor((size[1] + left + right - kernel[1]) / stride[1]) + 1;
        const channels = out * groups;
        const biasType = channelsFirst ? [1, channels, 1, 1] : [1, 1, 1, channels];
        return {
          text: single(
            "conv2d",
            [
              type(imageShape(channelsFirst, [batch, ...size, per * groups])),
              type([channels, per, ...kernel]),
              ...(bias ? [type(biasType)] : []),
            ],
            [type(imageShape(channelsFirst, [batch, height, width, channels]))],
            [
              `stride = ${dims32(stride)}, padding = ${dims32(padding)}, dilation = array<i32: 1, 1>`,
              `groups = ${groups} : i32, ${axes(channelsFirst)}`,
            ],
          ),
        };
      },
    ),
);

keepsMeaning(
  "transposed convolutions",
  fc.record({ window, groups: fc.integer({ min: 1, max: 2 }), per: extent, out: extent }).map(
    ({ window: { batch, size, kernel, stride, channelsFirst }, groups, per, out }) => {
      const height = (size[0] - 1) * stride[0] + kernel[0];
      const width = (size[1] - 1) * stride[1] + kernel[1];
      return {
        text: single(
          "conv_transpose2d",
          [
            type(imageShape(channelsFirst, [batch, ...size, per * groups])),
            type([per * groups, out, ...kernel]),
          ],
          [type(imageShape(channelsFirst, [batch, height, width, out * groups]))],
          [
            `stride = ${dims32(stride)}, padding = array<i32: 0, 0, 0, 0>, dilation = array<i32: 1, 1>`,
            `output_padding = array<i32: 0, 0>, groups = ${groups} : i32, ${axes(channelsFirst)}`,
          ],
        ),
      };
    },
  ),
);

keepsMeaning(
  "pools and resampling",
  fc.record({
    window,
    which: fc.constantFrom("max_pool2d", "avg_pool2d", "upsample2d", "global_avg_pool2d"),
    counted: fc.boolean(),
    ceilMode: fc.boolean(),
  })
    .map(
      (
        { window: { batch, size, kernel, stride, padding: given, channelsFirst }, which, counted, ceilMode },
      ) => {
        // More than half a window is padded explicitly, which an average that does not count it refuses; the last window
        // of ceil_mode would begin elsewhere.
        const most = (of: number): number =>
          (which === "avg_pool2d" && !counted) || ceilMode ? Math.floor(of / 2) : of - 1;
        const padding = given.map((own, side) => Math.min(own, most(kernel[side % 2] ?? 1)));
        const [top = 0, left = 0, bottom = 0, right = 0] = padding;
        const image = (extents: readonly number[]): string =>
          type(imageShape(channelsFirst, [batch, ...extents, 3]));
        if (which === "upsample2d") {
          const scaled = [size[0] * 2, size[1] * 3];
          return {
            text: single(which, [image(size)], [image(scaled)], [
              `scale_factor = array<i32: 2, 3>, mode = "nearest", ${axes(channelsFirst)}`,
            ]),
          };
        }
        if (which === "global_avg_pool2d") {
          return { text: single(which, [type([batch, ...size, 3])], [type([batch, 1, 1, 3])]) };
        }
        const positions = (extent: number, before: number, after: number, axis: 0 | 1): number =>
          windowPositions(extent, {
            kernel: kernel[axis],
            stride: stride[axis],
            dilation: 1,
            padding: [before, after],
            ceilMode,
          });
        const height = positions(size[0], top, bottom, 0);
        const width = positions(size[1], left, right, 1);
        return {
          text: single(which, [image(size)], [image([height, width])], [
            `kernel = ${dims32(kernel)}, stride = ${dims32(stride)}, padding = ${dims32(padding)}`,
            `dilation = array<i32: 1, 1>, ceil_mode = ${ceilMode}, ${axes(channelsFirst)}`,
            ...(which === "avg_pool2d" ? [`count_include_pad = ${counted}`] : []),
          ]),
        };
      },
    ),
);

keepsMeaning(
  "convolutions of lines",
  fc.record({
    batch: extent,
    length: fc.integer({ min: 3, max: 6 }),
    perGroup: fc.integer({ min: 1, max: 3 }),
    groups: fc.integer({ min: 1, max: 2 }),
    filters: fc.integer({ min: 1, max: 2 }),
    kernel: fc.integer({ min: 1, max: 3 }),
    stride: fc.integer({ min: 1, max: 2 }),
    padding: fc.tuple(fc.nat(1), fc.nat(1)),
    hasBias: fc.boolean(),
  }).map(({ batch, length, perGroup, groups, filters, kernel, stride, padding, hasBias }) => {
    const [channels, outChannels] = [perGroup * groups, filters * groups];
    const places = windowPositions(length, { kernel, stride, dilation: 1, padding });
    const weight = type([outChannels, perGroup, kernel]);
    const operands = [
      type([batch, length, channels]),
      weight,
      ...(hasBias ? [type([1, 1, outChannels])] : []),
    ];
    return {
      text: single("conv1d", operands, [type([batch, places, outChannels])], [
        `dilation = 1 : i32, groups = ${groups} : i32, stride = ${stride} : i32, padding = ${
          dims32(padding)
        }`,
      ]),
    };
  }),
);
