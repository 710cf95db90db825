// SPDX-License-Identifier: Apache-2.0
import { makeAttributes } from "../../../ops/attributes/print_attributes.ts";
import { CONCAT } from "../../../ops/attributes/movement.ts";
import { CONV2D } from "../../../ops/attributes/window.ts";
import { sameExtents, volume } from "../../../layout/extents.ts";
import { tensorType } from "../../../ttnn/tensor_type.ts";
import type { TtnnOp } from "../../../ttnn/op.ts";
import type { TensorValue, TtnnTensorType } from "../../../ttnn/value.ts";
import type { ProposedOp } from "../../graph_pass.ts";
import { InvariantValues } from "../../invariant_values.ts";
import { type PassBuilder, replacing, type RewritePattern } from "../../rewrite_pattern.ts";
import { isPlain, proposed } from "../matching.ts";
import { biasOf } from "./fold_into_convolution.ts";

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
    const [input, weight, bias, device] = [
      op.tensorOperand(0),
      op.tensorOperand(1),
      biasOf(op),
      op.operands.at(-1),
    ];
    if (input === undefined || weight === undefined || device === undefined || !isPlain(input.type)) {
      return undefined;
    }
    const { groups, kernel_size: kernel, in_channels: inputs, out_channels: outputs } = op.read(CONV2D);
    const filters = [outputs, inputs / groups, ...kernel];
    if (weight.type.layout.bufferType !== "system_memory" || !sameExtents(weight.type.shape, filters)) {
      return undefined;
    }
    const values = new InvariantValues(site.body);
    if (groups === 1 || ![weight, ...bias === undefined ? [] : [bias]].every((value) => values.has(value))) {
      return undefined;
    }
    const whole = site.context.microseconds(proposed(op)) ?? Infinity;
    const [best] = partsOf(groups, Math.min(inputs, outputs))
      .map((parts) => ({
        parts,
        time: site.context.inSequence(questions(op, parts, site))?.microseconds ?? Infinity,
      }))
      .toSorted((a, b) => a.time - b.time);
    if (best === undefined || !(best.time < MOST_APART * whole)) return undefined;
    const { parts } = best;
    const properties = op.propertiesWith(channelsOf(op, parts));
    const own = site.type(type.shape.with(-1, outputs / parts), type.dataType);
    const apart = Array.from({ length: parts }, (_, part) => {
      const among = (extent: number) => ({ from: part * extent / parts, to: (part + 1) * extent / parts });
      return site.op(
        op.name,
        [
          site.slice(input, -1, among(inputs)),
          filtersOf(site, weight, among(outputs)),
          ...bias === undefined ? [] : [site.slice(site.tiled(bias), -1, among(outputs))],
          device,
        ],
        own,
        properties,
      );
    });
    return site.op("ttnn.concat", apart, type, { dim: type.shape.length - 1 });
  },
});

/** Largest share of the time in DRAM: a policy may keep the channels of one convolution together in shards. */
const MOST_APART = 0.5;

/** Most convolutions that one becomes: each is launched, and reads its columns of the image. */
const MOST_PARTS = 16;

/** Columns of a tile. */
const TILE = 32;

/** Numbers of parts that groups can be divided into, of whole tiles of channels. */
function partsOf(groups: number, channels: number): readonly number[] {
  return Array.from({ length: Math.min(groups, MOST_PARTS) - 1 }, (_, at) => at + 2)
    .filter((parts) => groups % parts === 0 && channels % (TILE * parts) === 0);
}

/** Attributes of a convolution of one of several parts. */
function channelsOf(op: TtnnOp, parts: number): Record<"groups" | "in_channels" | "out_channels", number> {
  const { groups, in_channels: inputs, out_channels: outputs } = op.read(CONV2D);
  return { groups: groups / parts, in_channels: inputs / parts, out_channels: outputs / parts };
}

/** What runs for all parts; nothing for columns of the image, which are whole tiles. */
function questions(op: TtnnOp, parts: number, { chip }: PassBuilder): readonly ProposedOp[] {
  const share = (type: TtnnTensorType, dim: number): TtnnTensorType => {
    const place = type.layout.tile === undefined
      ? { rowMajor: true, bufferType: type.layout.bufferType }
      : {};
    return tensorType(chip, type.shape.with(dim, (type.shape.at(dim) ?? 1) / parts), type.dataType, place);
  };
  const whole = proposed(op);
  const results = whole.results.map((type) => type.kind === "tensor" ? share(type, -1) : type);
  const operands = whole.operands.map((type, index) =>
    type.kind === "tensor" ? share(type, index === 1 ? 0 : -1) : type
  );
  const one = { ...whole, operands, results, attributes: op.attributesWith(channelsOf(op, parts)) };
  const joined: ProposedOp = {
    name: "ttnn.concat",
    operands: Array.from({ length: parts }, () => results[0] ?? whole.results[0]).filter((type) =>
      type !== undefined
    ),
    results: whole.results,
    attributes: makeAttributes(CONCAT, { dim: (op.tensorResult?.type.shape.length ?? 1) - 1 }),
  };
  return [...Array.from({ length: parts }, () => one), joined];
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
