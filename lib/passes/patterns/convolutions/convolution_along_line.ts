// SPDX-License-Identifier: Apache-2.0
import { windowOf, writtenPadding } from "../../../ops/op_windows.ts";
import type { SlidingWindow } from "../../../ops/sliding_window.ts";
import { rowCount, sameExtents } from "../../../layout/extents.ts";
import { sameType, type TensorValue } from "../../../ttnn/value.ts";
import { tensorType } from "../../../ttnn/tensor_type.ts";
import { convolutionOperands } from "./convolution_source.ts";
import { type PassBuilder, replacing, type RewritePattern } from "../../rewrite_pattern.ts";

/** Attributes that `conv1d` and `conv2d` share, and that a line keeps however it lies. */
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
 * Replaces a `conv1d` by the `conv2d` of an image one pixel high, which is what TTNN runs for it
 * (`ttnn:backend-0-81-1`). A `conv1d` prepares its weights on the host in every inference, because no op does that
 * at load; weights of a `conv2d` are prepared once. Also enables the folds into convolutions.
 *
 * An image one pixel wide is laid down as well: only the window of one that is one pixel high has a kernel for
 * depthwise convolutions, and the backend's table of windows has an entry for every end of an image row, and space
 * for 15 entries per 32 windows, which a stride above 1 exceeds (`ttnn:backend-0-81-1`).
 */
export const convolutionAlongLine: RewritePattern = replacing({
  name: "convolution-along-line",
  upstream: "none",
  roots: ["ttnn.conv1d", "ttnn.conv2d"],
  replace: (op, site, result) => {
    const given = convolutionOperands(op);
    const window = windowOf({ name: op.opName, attributes: op.attributeMap() });
    if (given === undefined || window === undefined) return undefined;
    const { input, weight, bias, device } = given;
    if (weight.type.layout.bufferType !== "system_memory") return undefined;
    if (result.type.shape.length !== 4) return undefined;
    if (op.name === "ttnn.conv2d" ? !isUpright(window) : weight.type.shape.length !== 3) return undefined;
    const line = op.name === "ttnn.conv2d" ? laidDown(window) : window;
    const configs = SHARED.flatMap((key): [string, string][] => {
      const text = op.properties.get(key);
      return text === undefined ? [] : [[key, text]];
    });
    const kernel = [1, line.kernelWidth];
    const properties = {
      ...Object.fromEntries(configs),
      batch_size: line.batch,
      groups: line.groups,
      in_channels: line.inChannels,
      out_channels: line.outChannels,
      dilation: [1, line.dilationWidth],
      input_height: 1,
      input_width: line.inputWidth,
      kernel_size: kernel,
      padding: writtenPadding("ttnn.conv2d", line.padding),
      stride: [1, line.strideWidth],
    };
    const shape = [...weight.type.shape.slice(0, 2), ...kernel];
    const onHost = { rowMajor: true, bufferType: "system_memory" } as const;
    const type = site.type(shape, weight.type.dataType, onHost);
    const read = site.op("ttnn.reshape", [weight], type, { shape });
    const operands = [flatImage(site, input), read, ...bias === undefined ? [] : [bias], device];
    return site.op("ttnn.conv2d", operands, result.type, properties);
  },
});

/** Whether the image of a convolution is a line one pixel wide, with nothing beside it. */
function isUpright({ inputHeight, inputWidth, kernelWidth, padding }: SlidingWindow): boolean {
  return inputHeight > 1 && inputWidth === 1 && kernelWidth === 1 && padding.left === 0 &&
    padding.right === 0;
}

/** An upright line as an image one pixel high. */
function laidDown(line: SlidingWindow): SlidingWindow {
  const { padding: { top, bottom } } = line;
  return {
    ...line,
    inputHeight: 1,
    inputWidth: line.inputHeight,
    kernelHeight: 1,
    kernelWidth: line.kernelHeight,
    dilationWidth: line.dilationHeight,
    strideWidth: line.strideHeight,
    padding: { top: 0, left: top, bottom: 0, right: bottom },
  };
}

/** `[1, 1, positions, channels]`, tiled if it was tiled before and no tile becomes partly empty. */
function flatImage(site: PassBuilder, input: TensorValue): TensorValue {
  const { shape, dataType, layout } = input.type;
  const channels = shape.at(-1) ?? 1;
  const positions = rowCount(shape);
  const flat = [1, 1, positions, channels];
  if (sameExtents(shape, flat)) return input;
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
