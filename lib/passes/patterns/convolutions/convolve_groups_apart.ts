// SPDX-License-Identifier: Apache-2.0
import { TILE } from "../../../layout/tile_shape.ts";
import { CONV2D } from "../../../ops/attributes/window.ts";
import { sameExtents, volume } from "../../../layout/extents.ts";
import type { TtnnOp } from "../../../ttnn/op.ts";
import type { TensorValue, TtnnTensorType } from "../../../ttnn/value.ts";
import { InvariantValues } from "../../invariant_values.ts";
import { type PassBuilder, replacing, type RewritePattern } from "../../rewrite_pattern.ts";
import { isPlain, predictedMicroseconds, proposed } from "../matching.ts";
import { type ConvolutionOperands, convolutionOperands } from "./convolution_source.ts";

/**
 * Splits a convolution of several groups into some of fewer groups each, side by side, where that is faster: the backend
 * multiplies with dense weights that are zero between groups (`ttnn:backend-0-81-1`), so that halves take half the work.
 * The positions of wav2vec 2.0 are convolved in 16 groups of 48 channels with a kernel of 128.
 */
export const convolveGroupsApart: RewritePattern = replacing({
  name: "convolve-groups-apart",
  upstream: "none",
  roots: ["ttnn.conv2d"],
  replace: (op, site, { type }) => {
    const given = convolutionOperands(op);
    const { groups, kernel_size: kernel, in_channels: inputs, out_channels: outputs } = op.read(CONV2D);
    const filters = [outputs, inputs / groups, ...kernel];
    if (given === undefined || groups === 1 || !isPlain(given.input.type)) return undefined;
    const { weight, bias } = given;
    if (weight.type.layout.bufferType !== "system_memory" || !sameExtents(weight.type.shape, filters)) {
      return undefined;
    }
    const values = InvariantValues.of(site.body);
    if (![weight, ...bias === undefined ? [] : [bias]].every((value) => values.has(value))) return undefined;
    const { body, context } = site;
    const make = (parts: number): TensorValue => convolvedApart(given, type, parts, site);
    // Columns of the image, which are whole tiles, are cut at no cost.
    const timeOf = (ops: readonly TtnnOp[]): number =>
      context.inSequence(
        ops.filter((each) => each.name === op.name || each === ops.at(-1)).map(proposed),
      )?.microseconds ?? Infinity;
    const [best] = partsOf(groups, Math.min(inputs, outputs)).map((parts) => {
      let time = Infinity;
      body.trial(() => make(parts), (_, ops) => {
        time = timeOf(ops);
        return false;
      });
      return { parts, time };
    }).toSorted((a, b) => a.time - b.time);
    const whole = predictedMicroseconds(op, context) ?? Infinity;
    return best !== undefined && best.time < MOST_APART * whole ? make(best.parts) : undefined;
  },
});

/** Convolutions of some groups each, whose results are put side by side. */
function convolvedApart(
  { input, weight, bias, device }: ConvolutionOperands,
  type: TtnnTensorType,
  parts: number,
  site: PassBuilder,
): TensorValue {
  const { anchor: op } = site;
  const { groups, in_channels: inputs, out_channels: outputs } = op.read(CONV2D);
  const properties = op.propertiesWith({
    groups: groups / parts,
    in_channels: inputs / parts,
    out_channels: outputs / parts,
  });
  const own = site.type(type.shape.with(-1, outputs / parts), type.dataType);
  const apart = Array.from({ length: parts }, (_, part) => {
    const among = (extent: number) => ({ from: part * extent / parts, to: (part + 1) * extent / parts });
    const operands = [
      site.slice(input, -1, among(inputs)),
      filtersOf(site, weight, among(outputs)),
      ...bias === undefined ? [] : [site.slice(site.tiled(bias), -1, among(outputs))],
      device,
    ];
    return site.op(op.name, operands, own, properties);
  });
  return site.op("ttnn.concat", apart, type, { dim: type.shape.length - 1 });
}

/** Largest share of the time in DRAM: a policy may keep the channels of one convolution together in shards. */
const MOST_APART = 0.5;

/** Most convolutions that one becomes: each is launched, and reads its columns of the image. */
const MOST_PARTS = 16;

/** Numbers of parts that groups can be divided into, of whole tiles of channels. */
function partsOf(groups: number, channels: number): readonly number[] {
  return Array.from({ length: Math.min(groups, MOST_PARTS) - 1 }, (_, at) => at + 2)
    .filter((parts) => groups % parts === 0 && channels % (TILE * parts) === 0);
}

/** Some of the filters, on the host as all of them. */
function filtersOf(
  site: PassBuilder,
  weight: TensorValue,
  { from, to }: { readonly from: number; readonly to: number },
): TensorValue {
  const { shape, dataType } = weight.type;
  const width = volume(shape.slice(1));
  const rows = site.rowMajorReshape(weight, [shape[0] ?? 1, width]);
  const type = site.type([to - from, width], dataType, { rowMajor: true });
  const some = site.op("ttnn.slice_static", [rows], type, {
    begins: [from, 0],
    ends: [to, width],
    step: [1, 1],
  });
  return site.toHost(site.rowMajorReshape(some, shape.with(0, to - from)));
}
