// SPDX-License-Identifier: Apache-2.0

/** Random convolutions with parameters, for tests of what folds into them. */

import fc from "fast-check";
import { ttnnModule } from "./passed_body.ts";

/** Extents of a random convolution without padding. */
export interface ConvolutionExtents {
  readonly channels: number;
  readonly filters: number;
  readonly size: number;
  readonly kernel: number;
  readonly hasBias: boolean;
  /** Extents of the bias; a number per filter where none are given. */
  readonly biasExtents?: string;
  readonly isChannelFirst: boolean;
  /** No view after the convolution: the image is its result as the kernel has it. */
  readonly isFlat?: boolean;
  /** The input is on the host. */
  readonly isOnHost?: boolean;
  /** A `conv_transpose2d` instead of a `conv2d`. */
  readonly isTransposed?: boolean;
}

/** Small ones. */
export const CONVOLUTIONS: fc.Arbitrary<ConvolutionExtents> = fc.record({
  channels: fc.integer({ min: 1, max: 3 }),
  filters: fc.integer({ min: 2, max: 4 }),
  size: fc.integer({ min: 3, max: 4 }),
  kernel: fc.constantFrom(1, 3),
  hasBias: fc.boolean(),
  isChannelFirst: fc.boolean(),
});

/** Convolutions of both kinds, with views after them or without. */
export const ANY_CONVOLUTIONS: fc.Arbitrary<ConvolutionExtents> = fc.tuple(
  CONVOLUTIONS,
  fc.boolean(),
  fc.boolean(),
).map(([extents, isTransposed, isFlat]) => ({ ...extents, isTransposed, isFlat }));

/** Attributes of an argument. */
export const PARAMETER = "{ttcore.argument_type = #ttcore.argument_type<parameter>}";

/**
 * A module with a convolution of `%x` with the parameter `%w` (and `%b`), its result `%y` as an image.
 *
 * @param parameters further parameters, by name and type
 * @param lines ops after it; `IMAGE` is the type of `%y`
 */
export function convolutionModule(
  extents: ConvolutionExtents,
  parameters: Readonly<Record<string, string>>,
  lines: readonly string[],
): string {
  const { channels, filters, size, kernel, hasBias, isTransposed = false, isFlat = false, isOnHost = false } =
    extents;
  const isChannelFirst = hasChannelFirst(extents);
  const out = isTransposed ? size + kernel - 1 : size - kernel + 1;
  const flatIn = `${isOnHost ? "H" : "T"}<1x1x${size * size}x${channels}>`;
  const flatOut = `T<1x1x${out * out}x${filters}>`;
  const image = isFlat
    ? flatOut
    : isChannelFirst
    ? `T<1x${filters}x${out}x${out}>`
    : `T<1x${out}x${out}x${filters}>`;
  const biasType = `T<${extents.biasExtents ?? `1x1x1x${filters}`}>`;
  const between = isTransposed ? `${channels}x${filters}` : `${filters}x${channels}`;
  const weight = `H<${between}x${kernel}x${kernel}>`;
  const all = { w: weight, ...(hasBias ? { b: biasType } : {}), ...parameters };
  const signature = Object.entries(all).map(([name, type]) => `%${name}: ${type} ${PARAMETER}`).join(", ");
  const operands = hasBias ? "%x, %w, %b, %d" : "%x, %w, %d";
  const types = hasBias
    ? `${flatIn}, ${weight}, ${biasType}, !ttnn.device`
    : `${flatIn}, ${weight}, !ttnn.device`;
  const properties =
    "batch_size = 1 : i32, conv2d_config = #ttnn.conv2d_config<config_tensors_in_dram = true>, " +
    `dilation = array<i32: 1, 1>, groups = 1 : i32, in_channels = ${channels} : i32, input_height = ${size} : i32, ` +
    `input_width = ${size} : i32, kernel_size = array<i32: ${kernel}, ${kernel}>, out_channels = ${filters} : i32, ` +
    `${isTransposed ? "output_padding = array<i32: 0, 0>, " : ""}padding = array<i32: 0, 0, 0, 0>, ` +
    "stride = array<i32: 1, 1>";
  const name = isTransposed ? "conv_transpose2d" : "conv2d";
  const nhwc = `T<1x${out}x${out}x${filters}>`;
  const shape = `shape = [1 : i32, ${out} : i32, ${out} : i32, ${filters} : i32]`;
  const restored = isFlat ? [] : isChannelFirst
    ? [
      `%r = "ttnn.reshape"(%c) <{${shape}}> : (${flatOut}) -> ${nhwc}`,
      `%y = "ttnn.permute"(%r) <{permutation = array<i64: 0, 3, 1, 2>}> : (${nhwc}) -> ${image}`,
    ]
    : [`%y = "ttnn.reshape"(%c) <{${shape}}> : (${flatOut}) -> ${image}`];
  return ttnnModule(`(%x: ${flatIn}, ${signature}) -> ${image}`, [
    `%d = "ttnn.get_device"() <{mesh_offset = #ttnn<mesh_offset 0x0>, mesh_shape = #ttnn<mesh_shape 1x1>}> : () -> !ttnn.device`,
    `${isFlat ? "%y" : "%c"} = "ttnn.${name}"(${operands}) <{${properties}}> : (${types}) -> ${flatOut}`,
    ...restored,
    ...lines.map((line) => line.replaceAll("IMAGE", image)),
  ]);
}

/** Type of one number per channel, to broadcast over the image. */
export function channelType(extents: ConvolutionExtents): string {
  return hasChannelFirst(extents) ? `T<1x${extents.filters}x1x1>` : `T<1x1x1x${extents.filters}>`;
}

/** The kernel has channels last. */
function hasChannelFirst({ isChannelFirst, isFlat = false }: ConvolutionExtents): boolean {
  return isChannelFirst && !isFlat;
}
