// SPDX-License-Identifier: Apache-2.0
import { windowOf } from "../../ops/op_windows.ts";
import { rowCount } from "../../layout/extents.ts";
import { writtenPadding } from "../../ops/op_windows.ts";
import { sameType, type TensorValue } from "../../ttnn/value.ts";
import { tensorType } from "../../ttnn/tensor_type.ts";
import type { RewritePattern } from "../rewrite_pattern.ts";
import { PassBuilder } from "../pass_builder.ts";

/** Attributes that `conv1d` and `conv2d` share. */
const SHARED: readonly string[] = [
  "batch_size",
  "compute_config",
  "conv2d_config",
  "conv2d_slice_config",
  "dtype",
  "groups",
  "in_channels",
  "out_channels",
];

/**
 * Replaces a `conv1d` by the `conv2d` of an image one pixel wide, which is what TTNN runs for it
 * (tt-metal:conv2d). A `conv1d` prepares its weights on the host in every inference, because no op does that
 * at load; weights of a `conv2d` are prepared once. Also enables the folds into convolutions.
 */
export const convolutionAlongLine: RewritePattern = {
  name: "convolution-along-line",
  upstream: "none",
  roots: ["ttnn.conv1d"],
  rewrite: (op, body, context) => {
    const [input, weight] = [op.tensorOperand(0), op.tensorOperand(1)];
    const bias = op.operands.length > 3 ? op.tensorOperand(2) : undefined;
    const device = op.operands.at(-1);
    const result = op.tensorResult;
    const line = windowOf({ name: op.opName, attributes: op.attributeMap() });
    if (input === undefined || weight === undefined || device === undefined || result === undefined) {
      return false;
    }
    if (line === undefined || weight.type.shape.length !== 3) return false;
    if (weight.type.layout.bufferType !== "system_memory" || result.type.shape.length !== 4) return false;
    const site = new PassBuilder(body, op, context);
    const configs = SHARED.flatMap((key): [string, string][] => {
      const text = op.properties.get(key);
      return text === undefined ? [] : [[key, text]];
    });
    const properties = {
      ...Object.fromEntries(configs),
      batch_size: line.batch,
      groups: line.groups,
      in_channels: line.inChannels,
      out_channels: line.outChannels,
      dilation: [line.dilationHeight, 1],
      input_height: line.inputHeight,
      input_width: 1,
      kernel_size: [line.kernelHeight, 1],
      padding: writtenPadding("ttnn.conv2d", line.padding),
      stride: [line.strideHeight, 1],
    };
    const { shape, dataType } = weight.type;
    const onHost = { rowMajor: true, bufferType: "system_memory" } as const;
    const kernel = site.op(
      "ttnn.reshape",
      [weight],
      tensorType(context.chip, [...shape, 1], dataType, onHost),
      { shape: [...shape, 1] },
    );
    const operands = [flatImage(site, input), kernel, ...bias === undefined ? [] : [bias], device];
    const image = site.op("ttnn.conv2d", operands, result.type, properties);
    body.replaceAllUses(result, image);
    return true;
  },
};

/** `[1, 1, positions, channels]`, tiled if it was tiled before and no tile becomes partly empty. */
function flatImage(site: PassBuilder, input: TensorValue): TensorValue {
  const { shape, dataType, layout } = input.type;
  const channels = shape.at(-1) ?? 1;
  const positions = rowCount(shape);
  const flat = [1, 1, positions, channels];
  const tiled = input.producer?.name === "ttnn.to_layout" ? input.producer.tensorOperand(0) : undefined;
  const isDetour = tiled !== undefined && layout.tile === undefined && tiled.type.dataType === dataType &&
    sameType(tiled.type, tensorType(site.chip, shape, dataType));
  const keepsTiles = positions === shape.at(-2) || (shape.at(-2) ?? 0) % (layout.tile?.height ?? 32) === 0;
  if (isDetour && keepsTiles) return site.reshape(tiled, flat);
  if (layout.tile !== undefined) return site.reshape(input, flat);
  return site.op(
    "ttnn.reshape",
    [input],
    tensorType(site.chip, flat, dataType, { rowMajor: true }),
    { shape: flat },
  );
}
