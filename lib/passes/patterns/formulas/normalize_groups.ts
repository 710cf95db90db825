// SPDX-License-Identifier: Apache-2.0
import { PERMUTE } from "../../../ops/attributes/movement.ts";
import { sameExtents, volume } from "../../../layout/extents.ts";
import { tileCount } from "../../../layout/tile_shape.ts";
import { sameShape, type TensorValue } from "../../../ttnn/value.ts";
import { type PassBuilder, replacing, type RewritePattern } from "../../rewrite_pattern.ts";
import { isPlain, madeBy, withoutCasts } from "../matching.ts";
import { normalizedBy } from "./normalized.ts";
import { isUndone, permutedBack } from "../views/view.ts";

/**
 * Normalises groups of channels in the convolutions' layout (channels last): means per channel, then per
 * group of channels. The decomposition of `group_norm` (also in tt-mlir) makes the channels of a group a
 * dimension of its own, which fills no tile, and moves every element there and back.
 */
export const normalizeGroups: RewritePattern = replacing({
  name: "normalize-groups",
  upstream: "none",
  roots: ["ttnn.multiply", "ttnn.divide"],
  replace: (op, site, result) => {
    const found = normalizedBy(op, site.context);
    if (found === undefined || !isPlain(result.type)) return undefined;
    if (!sameShape(found.input, result)) return undefined;
    const image = madeBy(found.input, "reshape")?.tensorOperand(0);
    if (image === undefined || !isPlain(image.type)) return undefined;
    const groups = groupsOf(image.type.shape, found.input.type.shape, found.dims);
    if (groups === undefined || tileCount(lastShape(image, groups)) > tileCount(result.type.shape)) {
      return undefined;
    }
    const last = groups.channelDim === image.type.shape.length - 1
      ? { source: site.reshape(image, lastShape(image, groups)), order: undefined }
      : channelsLast(image) ?? permutedWhereUndone(image, result, site);
    if (last === undefined) return undefined;
    const pixels = site.typecast(last.source, result.type.dataType);
    const normalized = normalize(site, pixels, groups.count, found.epsilon);
    const permuted = last.order === undefined ? normalized : site.permute(normalized, last.order);
    return site.reshape(permuted, result.type.shape);
  },
});

interface ChannelGroups {
  readonly count: number;
  /** The channel dimension of the image. */
  readonly channelDim: number;
  /** Number of images; convolutions leave all pixels of all images in one dimension. */
  readonly batch: number;
}

/**
 * The groups into which a reshape splits an image's channels, with means over all dimensions except image and
 * group: `[N, G, C/G, pixels]` or `[N, G, C/G · pixels]` of `[N, C, …]`, `[N, pixels, G, C/G]` of `[N, …,
 * C]`.
 */
function groupsOf(
  image: readonly number[],
  split: readonly number[],
  dims: readonly number[],
): ChannelGroups | undefined {
  const [own, first = 1] = image;
  const batch = split[0] ?? 1;
  const kept = split.map((_, dim) => dim).filter((dim) => split[dim] !== 1 && !dims.includes(dim));
  if (image.length < 3 || dims.includes(0)) return undefined;
  const [groupDim, ...others] = kept.filter((dim) => dim !== 0);
  if (groupDim === undefined || others.length > 0) return undefined;
  const count = split[groupDim] ?? 1;
  const [before, behind] = [split.slice(1, groupDim), split.slice(groupDim + 1)];
  const channels = image.at(-1) ?? 1;
  // Channels first: after the groups come the channels of a group, then pixels.
  if (
    own === batch && volume(before) === 1 && first % count === 0 &&
    volume(behind) === volume(image.slice(1)) / count
  ) {
    const isLast = volume(image.slice(1, -1)) === 1;
    if (!isLast) return { count, channelDim: 1, batch };
  }
  const isLast = channels % count === 0 && sameExtents(behind, [channels / count]) &&
    batch * volume(before) === volume(image.slice(0, -1));
  return isLast ? { count, channelDim: image.length - 1, batch } : undefined;
}

/** The shape of images with channels last. */
function lastShape(
  { type: { shape } }: TensorValue,
  { channelDim, batch }: ChannelGroups,
): readonly number[] {
  const last = [...shape.toSpliced(channelDim, 1), shape[channelDim] ?? 1];
  return last[0] === batch ? last : [batch, volume(last.slice(0, -1)) / batch, last.at(-1) ?? 1];
}

/** An image with channels last, and the permutation that moves them to the front again. */
interface ChannelsLast {
  readonly source: TensorValue;
  readonly order: readonly number[];
}

/** The permutation that moves the last dimension to index 1. */
function fromLast(rank: number): readonly number[] {
  return [0, rank - 1, ...Array.from({ length: rank - 2 }, (_, dim) => dim + 1)];
}

/**
 * The image permuted to channels last, if the result is permuted so too: a user of it reshapes it to the image's
 * shape and permutes that. The two permutes then cancel.
 */
function permutedWhereUndone(
  image: TensorValue,
  result: TensorValue,
  site: PassBuilder,
): ChannelsLast | undefined {
  const order = fromLast(image.type.shape.length);
  const isUndoneBehind = result.uses.keys().some((user) =>
    user.name === "ttnn.reshape" && sameExtents(user.tensorResult?.type.shape ?? [], image.type.shape) &&
    isUndone(user.result, { source: image, permutation: order })
  );
  return isUndoneBehind ? { source: permutedBack(site, image, order), order } : undefined;
}

/** The channels-last image below a permute that moved channels to the front, and that permutation. */
function channelsLast(image: TensorValue): ChannelsLast | undefined {
  const permute = madeBy(withoutCasts(image), "permute");
  const source = permute?.tensorOperand(0);
  if (permute === undefined || source === undefined || !isPlain(source.type)) return undefined;
  const order = permute.read(PERMUTE).permutation;
  return sameExtents(order, fromLast(order.length)) ? { source, order } : undefined;
}

/** `[N, …, C]` normalised per group of channels. */
function normalize(site: PassBuilder, pixels: TensorValue, groups: number, epsilon: number): TensorValue {
  const { shape, dataType } = pixels.type;
  const perChannel = shape.map((extent, dim) => (dim === 0 || dim === shape.length - 1 ? extent : 1));
  const [batch = 1, channels = 1] = [shape[0], shape.at(-1)];
  const apart = [batch, 1, groups, channels / groups];
  const perGroup = apart.with(-1, 1);
  const mean = (of: TensorValue, dims: readonly number[], reduced: readonly number[]): TensorValue =>
    site.tensor("ttnn.mean", [of], { shape: reduced, dataType }, {
      dim_arg: dims,
      keep_dim: true,
    });
  const spatial = shape.map((_, dim) => dim).slice(1, -1);
  const groupMean = (of: TensorValue): TensorValue =>
    mean(site.reshape(mean(of, spatial, perChannel), apart), [3], perGroup);
  const spread = (of: TensorValue): TensorValue => site.reshape(site.repeat(of, apart), perChannel);
  const compute = (name: string, operands: readonly TensorValue[], like: TensorValue): TensorValue =>
    site.tensor(name, operands, { shape: like.type.shape, dataType });
  const difference = compute("ttnn.subtract", [pixels, spread(groupMean(pixels))], pixels);
  const variance = groupMean(compute("ttnn.multiply", [difference, difference], pixels));
  const shift = site.full([1, 1, 1, 1], dataType, epsilon);
  const inverse = compute("ttnn.rsqrt", [compute("ttnn.add", [variance, shift], variance)], variance);
  return compute("ttnn.multiply", [difference, spread(inverse)], pixels);
}
