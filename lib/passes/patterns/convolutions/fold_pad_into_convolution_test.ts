// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { keepsMeaning } from "../../testing/keeps_meaning.ts";
import { passedBody, ttnnModule } from "../../testing/passed_body.ts";
import { foldPadIntoConvolution, foldPadOfLine } from "./pads.ts";

interface Padded {
  /** Two for an image, three for a volume. */
  readonly spatial: 2 | 3;
  /** Before and after, per spatial dimension. */
  readonly pads: readonly (readonly [number, number])[];
  /** What the convolution pads itself, on every side. */
  readonly own: number;
  /** The pad comes before a permute that makes channels last. */
  readonly isChannelFirst: boolean;
  readonly stride: number;
  readonly value?: string;
  /** What channels are padded by. */
  readonly channels?: number;
  readonly mode?: string;
}

const [SIZE, KERNEL, CHANNELS, FILTERS] = [4, 2, 2, 3];

function padded(given: Padded): string {
  const { spatial, pads, own, isChannelFirst, stride, value = "0.000000e+00", channels = 0, mode = "zeros" } =
    given;
  const axes = new Array<number>(spatial).fill(0).map((_, axis) => axis);
  const extents = axes.map((axis) => SIZE + (pads[axis]?.[0] ?? 0) + (pads[axis]?.[1] ?? 0));
  const out = extents.map((extent) => Math.floor((extent + 2 * own - KERNEL) / stride) + 1);
  const order = (dims: readonly number[], count: number): readonly number[] =>
    isChannelFirst ? [1, count, ...dims] : [1, ...dims, count];
  const [image, grown] = [order(axes.map(() => SIZE), CHANNELS), order(extents, CHANNELS + channels)];
  const amounts = [
    [0, 0],
    ...isChannelFirst
      ? [[0, channels], ...pads.slice(0, spatial)]
      : [...pads.slice(0, spatial), [0, channels]],
  ].flat();
  const last = [1, ...extents, CHANNELS + channels].join("x");
  const list = (numbers: readonly number[]): string => numbers.join(", ");
  const all = CHANNELS + channels;
  const kernel = axes.map(() => KERNEL);
  const common = `groups = 1 : i32, in_channels = ${all} : i32, out_channels = ${FILTERS} : i32, ` +
    `kernel_size = array<i32: ${list(kernel)}>, stride = array<i32: ${
      list(axes.map(() => stride))
    }>, batch_size = 1 : i32`;
  const [depth, height, width] = spatial === 3 ? extents : [1, ...extents];
  const permutation = [0, ...axes.map((axis) => axis + 2), 1];
  const lines = [
    `%d = "ttnn.get_device"() <{mesh_offset = #ttnn<mesh_offset 0x0>, mesh_shape = #ttnn<mesh_shape 1x1>}> : () -> !ttnn.device`,
    `%r = "ttnn.to_layout"(%x) : (T<${image.join("x")}>) -> R<${image.join("x")}>`,
    `%p = "ttnn.pad"(%r) <{padding = array<i32: ${
      list(amounts)
    }>, use_multicore = true, value = ${value} : f32}> : (R<${image.join("x")}>) -> R<${grown.join("x")}>`,
    `%t = "ttnn.to_layout"(%p) : (R<${grown.join("x")}>) -> T<${grown.join("x")}>`,
    ...isChannelFirst
      ? [
        `%n = "ttnn.permute"(%t) <{permutation = array<i64: ${list(permutation)}>}> : (T<${
          grown.join("x")
        }>) -> T<${last}>`,
      ]
      : [],
  ];
  const input = isChannelFirst ? "%n" : "%t";
  if (spatial === 2) {
    const [flat, result] = [
      `1x1x${(height ?? 1) * (width ?? 1)}x${all}`,
      `1x1x${(out[0] ?? 1) * (out[1] ?? 1)}x${FILTERS}`,
    ];
    return ttnnModule(
      `(%x: T<${image.join("x")}>, %w: H<${FILTERS}x${all}x${KERNEL}x${KERNEL}>) -> T<${result}>`,
      [
        ...lines,
        `%f = "ttnn.reshape"(${input}) <{shape = [${
          flat.split("x").map((extent) => `${extent} : i32`).join(", ")
        }]}> : (T<${last}>) -> T<${flat}>`,
        `%c = "ttnn.conv2d"(%f, %w, %d) <{conv2d_config = #ttnn.conv2d_config<config_tensors_in_dram = true>, ` +
        `dilation = array<i32: 1, 1>, input_height = ${height} : i32, input_width = ${width} : i32, ` +
        `padding = array<i32: ${list([own, own, own, own])}>, ${common}}> : ` +
        `(T<${flat}>, H<${FILTERS}x${all}x${KERNEL}x${KERNEL}>, !ttnn.device) -> T<${result}>`,
        `return %c : T<${result}>`,
      ],
    );
  }
  const rows = `${32 * KERNEL ** 3}x${FILTERS}`;
  const result = [1, ...out, FILTERS].join("x");
  return ttnnModule(`(%x: T<${image.join("x")}>, %w: T<${rows}>) -> R<${result}>`, [
    ...lines,
    `%f = "ttnn.to_layout"(${input}) : (T<${last}>) -> R<${last}>`,
    `%c = "ttnn.conv3d"(%f, %w, %d) <{input_depth = ${depth} : i32, input_height = ${height} : i32, ` +
    `input_width = ${width} : i32, padding = array<i32: ${
      list([own, own, own])
    }>, padding_mode = "${mode}", ${common}}> : ` +
    `(R<${last}>, T<${rows}>, !ttnn.device) -> R<${result}>`,
    `return %c : R<${result}>`,
  ]);
}

const side = fc.nat(2);

keepsMeaning(
  "pads of images before convolutions",
  [foldPadIntoConvolution],
  fc.record({
    spatial: fc.constant<2>(2),
    pads: fc.tuple(fc.tuple(side, side), fc.tuple(side, side)),
    own: fc.nat(1),
    isChannelFirst: fc.boolean(),
    stride: fc.constantFrom(1, 2),
  }).map((given) => ({ text: padded(given), ops: ["conv2d", "!pad"] })),
  20,
);

/** A line of `length` pixels, padded, and a convolution along it. */
function paddedLine(
  length: number,
  [left, right]: readonly [number, number],
  own: number,
  inRows: boolean,
): string {
  const [grown, out] = [length + left + right, length + left + right + 2 * own - KERNEL + 1];
  const [given, padded, flat] = [[1, length, CHANNELS], [1, grown, CHANNELS], [1, 1, grown, CHANNELS]].map((
    shape,
  ) => shape.join("x"));
  const [weight, result] = [`H<${FILTERS}x${CHANNELS}x1x${KERNEL}>`, `T<1x1x${out}x${FILTERS}>`];
  const pages = inRows ? "R" : "T";
  return ttnnModule(`(%x: ${pages}<${given}>, %w: ${weight}) -> ${result}`, [
    `%d = "ttnn.get_device"() <{mesh_offset = #ttnn<mesh_offset 0x0>, mesh_shape = #ttnn<mesh_shape 1x1>}> : () -> !ttnn.device`,
    `%p = "ttnn.pad"(%x) <{padding = array<i32: 0, 0, ${left}, ${right}, 0, 0>, use_multicore = true, value = 0.0 : f32}> : (${pages}<${given}>) -> ${pages}<${padded}>`,
    ...inRows ? [`%q = "ttnn.to_layout"(%p) : (R<${padded}>) -> T<${padded}>`] : [],
    `%f = "ttnn.reshape"(${
      inRows ? "%q" : "%p"
    }) <{shape = [1 : i32, 1 : i32, ${grown} : i32, ${CHANNELS} : i32]}> : (T<${padded}>) -> T<${flat}>`,
    `%c = "ttnn.conv2d"(%f, %w, %d) <{conv2d_config = #ttnn.conv2d_config<config_tensors_in_dram = true>, ` +
    `dilation = array<i32: 1, 1>, input_height = 1 : i32, input_width = ${grown} : i32, ` +
    `padding = array<i32: 0, 0, ${own}, ${own}>, groups = 1 : i32, in_channels = ${CHANNELS} : i32, ` +
    `out_channels = ${FILTERS} : i32, kernel_size = array<i32: 1, ${KERNEL}>, stride = array<i32: 1, 1>, ` +
    `batch_size = 1 : i32}> : (T<${flat}>, ${weight}, !ttnn.device) -> ${result}`,
    `return %c : ${result}`,
  ]);
}

keepsMeaning(
  "pads of lines before convolutions, as causal ones have them",
  [foldPadOfLine],
  fc.tuple(fc.integer({ min: 2, max: 6 }), fc.tuple(side, side), fc.nat(1), fc.boolean()).map((
    [length, pads, own, inRows],
  ) => ({
    text: paddedLine(length, pads, own, inRows),
    ops: ["conv2d", "!pad"],
  })),
  20,
);

const AROUND: Padded = {
  spatial: 3,
  pads: [[0, 0], [1, 1], [2, 2]],
  own: 0,
  isChannelFirst: true,
  stride: 1,
};

function convolutionOf(given: Partial<Padded>): string | undefined {
  const lines = passedBody(padded({ ...AROUND, ...given }), foldPadIntoConvolution);
  return lines.some((line) => line.includes('"ttnn.pad"'))
    ? undefined
    : /padding = array<i32: ([\d, ]+)>/.exec(lines.join("\n"))?.[1];
}

Deno.test("a volume is padded by its convolution, alike on both sides, with zeros", () => {
  assertEquals(convolutionOf({}), "0, 1, 2");
  assertEquals(convolutionOf({ isChannelFirst: false, own: 1 }), "1, 2, 3");
  assertEquals(convolutionOf({ pads: [[0, 0], [1, 0], [1, 1]] }), undefined);
  assertEquals(convolutionOf({ mode: "replicate" }), undefined);
  assertEquals(convolutionOf({ value: "1.000000e+00" }), undefined);
  assertEquals(convolutionOf({ channels: 1 }), undefined);
});

Deno.test("an image is not padded with other numbers, or by channels", () => {
  assertEquals(convolutionOf({ spatial: 2 }), "0, 0, 1, 1");
  assertEquals(convolutionOf({ spatial: 2, value: "1.000000e+00" }), undefined);
  assertEquals(convolutionOf({ spatial: 2, channels: 1 }), undefined);
});
