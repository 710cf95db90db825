// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { PARAMETER } from "../../testing/convolution_case.ts";
import { keepsMeaning } from "../../testing/keeps_meaning.ts";
import { passedBody, ttnnModule } from "../../testing/passed_body.ts";
import { addConvolutions } from "./add_convolutions.ts";

interface Branches {
  readonly kernel: readonly [number, number];
  readonly dilation: number;
  readonly stride: number;
  readonly groups: number;
  /** Padding of the wide convolution: top, bottom, left, right. */
  readonly padding: readonly [number, number, number, number];
  readonly biases: readonly [boolean, boolean];
  readonly narrowFirst: boolean;
  /** Between the convolutions and the sum. */
  readonly views: readonly [View, View];
  /** What the convolution of pixels reads. */
  readonly image?: "%x" | "%z";
  readonly isReturned?: boolean;
  /** Role of the weights. */
  readonly role?: string;
}

/** Nothing, an image with channels first, or that with height and width exchanged. */
type View = "none" | "channels first" | "turned";

const [SIZE, CHANNELS, FILTERS] = [5, 2, 4];

function branches(given: Branches): string {
  const { kernel, dilation, stride, groups, padding, biases, narrowFirst, views } = given;
  const { image = "%x", isReturned = false, role = PARAMETER } = given;
  const [top, bottom, left, right] = padding;
  const positions = (before: number, after: number, extent: number): number =>
    Math.floor((SIZE + before + after - dilation * (extent - 1) - 1) / stride) + 1;
  const [high, wide] = [positions(top, bottom, kernel[0]), positions(left, right, kernel[1])];
  const [flat, out] = [`T<1x1x${SIZE * SIZE}x${CHANNELS}>`, `T<1x1x${high * wide}x${FILTERS}>`];
  const convolution = (
    to: string,
    from: string,
    extents: readonly number[],
    pads: readonly number[],
    bias: boolean,
  ) => {
    const weight = `H<${FILTERS}x${CHANNELS / groups}x${extents.join("x")}>`;
    const row = `T<1x1x1x${FILTERS}>`;
    return `%${to} = "ttnn.conv2d"(${from}, %w${to}, ${bias ? `%b${to}, ` : ""}%d) <{batch_size = 1 : i32, ` +
      `conv2d_config = #ttnn.conv2d_config<config_tensors_in_dram = true>, dilation = array<i32: ${dilation}, ${dilation}>, ` +
      `groups = ${groups} : i32, in_channels = ${CHANNELS} : i32, input_height = ${SIZE} : i32, input_width = ${SIZE} : i32, ` +
      `kernel_size = array<i32: ${extents.join(", ")}>, out_channels = ${FILTERS} : i32, ` +
      `padding = array<i32: ${pads.join(", ")}>, stride = array<i32: ${stride}, ${stride}>}> : ` +
      `(${flat}, ${weight}, ${bias ? `${row}, ` : ""}!ttnn.device) -> ${out}`;
  };
  const [nhwc, nchw] = [`T<1x${high}x${wide}x${FILTERS}>`, `T<1x${FILTERS}x${high}x${wide}>`];
  const result = views[0] === "none" ? out : nchw;
  const viewed = (name: string, view: View): readonly string[] => {
    const permuted = `T<1x${wide}x${high}x${FILTERS}>`;
    const from = view === "turned" ? permuted : nhwc;
    const dims = view === "turned" ? [wide, high] : [high, wide];
    return view === "none" ? [] : [
      `%r${name} = "ttnn.reshape"(%${name}) <{shape = [1 : i32, ${dims[0]} : i32, ${
        dims[1]
      } : i32, ${FILTERS} : i32]}> : (${out}) -> ${from}`,
      `%p${name} = "ttnn.permute"(%r${name}) <{permutation = array<i64: 0, 3, ${
        view === "turned" ? "2, 1" : "1, 2"
      }>}> : (${from}) -> ${nchw}`,
    ];
  };
  const wideLines = [convolution("a", "%x", kernel, padding, biases[0]), ...viewed("a", views[0])];
  // Of pixels: it has to have as many positions.
  const narrowLines = [
    convolution(
      "c",
      image,
      [1, 1],
      [
        0,
        stride * (high - 1) + 1 - SIZE,
        0,
        stride * (wide - 1) + 1 - SIZE,
      ].map((pad) => Math.max(pad, 0)),
      biases[1],
    ),
    ...viewed("c", views[1]),
  ];
  const last = (name: string, view: View): string => (view === "none" ? `%${name}` : `%p${name}`);
  const parameters = [
    `%wa: H<${FILTERS}x${CHANNELS / groups}x${kernel.join("x")}> ${role}`,
    `%wc: H<${FILTERS}x${CHANNELS / groups}x1x1> ${role}`,
    `%ba: T<1x1x1x${FILTERS}> ${PARAMETER}`,
    `%bc: T<1x1x1x${FILTERS}> ${PARAMETER}`,
  ];
  const results = isReturned ? [result, result] : [result];
  return ttnnModule(
    `(%x: ${flat}, %z: ${flat}, ${parameters.join(", ")}) -> ${
      isReturned ? `(${results.join(", ")})` : result
    }`,
    [
      `%d = "ttnn.get_device"() <{mesh_offset = #ttnn<mesh_offset 0x0>, mesh_shape = #ttnn<mesh_shape 1x1>}> : () -> !ttnn.device`,
      ...narrowFirst ? [...narrowLines, ...wideLines] : [...wideLines, ...narrowLines],
      `%s = "ttnn.add"(${last("a", views[0])}, ${last("c", views[1])}) : (${result}, ${result}) -> ${result}`,
      `return %s${isReturned ? `, ${last("c", views[1])}` : ""} : ${results.join(", ")}`,
    ],
  );
}

/** Padding that keeps the number of positions, as much before as places are before the single pixel. */
function around(
  kernel: readonly [number, number],
  places: readonly [number, number],
  dilation: number,
): Branches["padding"] {
  const [high, wide] = kernel.map((extent, axis) => dilation * (extent - 1 - (places[axis] ?? 0)));
  return [dilation * places[0], high ?? 0, dilation * places[1], wide ?? 0];
}

const flag = fc.boolean();

keepsMeaning(
  "sums of convolutions of one image",
  [addConvolutions],
  fc.record({
    kernel: fc.constantFrom([3, 3] as const, [3, 1] as const, [2, 3] as const),
    at: fc.tuple(fc.nat(2), fc.nat(2)),
    dilation: fc.constantFrom(1, 2),
    stride: fc.constantFrom(1, 2),
    groups: fc.constantFrom(1, 2),
    biases: fc.tuple(flag, flag),
    narrowFirst: flag,
    view: fc.constantFrom<View>("none", "channels first"),
  }).map(({ at, view, ...given }) => {
    const places = [Math.min(at[0], given.kernel[0] - 1), Math.min(at[1], given.kernel[1] - 1)] as const;
    const padding = around(given.kernel, places, given.dilation);
    return { text: branches({ ...given, padding, views: [view, view] }), ops: ["conv2d", "pad"] };
  }),
);

Deno.test("only convolutions of the same pixels of one image, that nothing else reads, become one", () => {
  const plain: Branches = {
    kernel: [3, 3],
    dilation: 1,
    stride: 1,
    groups: 1,
    padding: [1, 1, 1, 1],
    biases: [true, false],
    narrowFirst: false,
    views: ["channels first", "channels first"],
  };
  const left = (given: Partial<Branches>): number =>
    passedBody(branches({ ...plain, ...given }), addConvolutions)
      .filter((line) => line.includes('"ttnn.conv2d"')).length;
  assertEquals(left({}), 1);
  assertEquals(left({ views: ["none", "none"], narrowFirst: true }), 1);
  assertEquals(left({ image: "%z" }), 2, "two images");
  assertEquals(left({ isReturned: true }), 2, "another reader");
  assertEquals(left({ views: ["channels first", "turned"] }), 2, "other views");
  assertEquals(
    left({ role: "{ttcore.argument_type = #ttcore.argument_type<input>}" }),
    2,
    "weights that change",
  );
  assertEquals(left({ kernel: [1, 1], padding: [0, 0, 0, 0] }), 1, "both of pixels");
});
