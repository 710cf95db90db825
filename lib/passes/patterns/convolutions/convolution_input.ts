// SPDX-License-Identifier: Apache-2.0
import { PassBuilder, type RewritePattern } from "../../rewrite_pattern.ts";
import { sameType, type TensorValue, type TtnnTensorType } from "../../../ttnn/value.ts";
import { tensorType } from "../../../ttnn/tensor_type.ts";
import type { TtnnOp } from "../../../ttnn/op.ts";
import type { PassContext, ProposedOp } from "../../graph_pass.ts";
import {
  isPlain,
  predictedMicroseconds,
  proposedWith,
  rowMajorType,
  toLayoutMicroseconds,
} from "../matching.ts";
import { CONV2D } from "../../../ops/attributes/window.ts";
import { withoutConvolutionField } from "../../convolution_config.ts";

/**
 * Makes a convolution read tiles where level 0 untilizes them first: upstream's layout workarounds are off
 * from level 1 on, and the plan decides (tt-mlir:options, `enable-layout-workaround-pass`).
 */
export const tiledConvolutionInput: RewritePattern = {
  name: "tiled-convolution-input",
  upstream: "level-0",
  roots: ["ttnn.conv2d", "ttnn.conv_transpose2d"],
  rewrite: (op, body, context) => {
    const input = op.tensorOperand(0);
    const source = input?.producer?.tensorOperand(0);
    if (input === undefined || source === undefined || input.producer?.name !== "ttnn.to_layout") {
      return false;
    }
    const { shape, dataType } = source.type;
    const isDetour = input.type.layout.tile === undefined && input.type.dataType === dataType &&
      sameType(source.type, tensorType(context.chip, shape, dataType));
    if (!isDetour) return false;
    body.setOperand(op, 0, source);
    return true;
  },
};

/** Another form of a convolution is chosen only below this share of the predicted µs: both are predictions. */
export const WORTH_IT = 0.9;

/**
 * Makes a convolution read row-major pages in two cases: the backend rejects it with tiled input only,
 * usually because its buffers exceed L1; or its input was tilized for this convolution alone and row-major
 * takes less than {@linkcode WORTH_IT} of the predicted time of tilize and convolution. Tiled input is padded
 * to 32 channels, row-major to 8, a quarter of the window for images of three channels (tt-metal:conv2d). The
 * first case occurs with large patches of many channels, the second with channels-last images.
 *
 * Prices assume DRAM. Policies with exact search choose pages together with layouts, so the convolution may
 * still tilize these rows, or untilize other tiles.
 */
export const rowMajorConvolutionInput: RewritePattern = {
  name: "row-major-convolution-input",
  upstream: "none",
  roots: ["ttnn.conv2d", "ttnn.conv_transpose2d"],
  rewrite: (op, body, context) => {
    const input = op.tensorOperand(0);
    if (input === undefined || !isPlain(input.type)) return false;
    const onInput = asIfReading(op);
    const rows = rowMajorType(input.type, context);
    // Most convolutions fit L1 with tiles that were tiled originally; they are left alone.
    const staysOnTiles = context.isLegal(onInput(input.type)) &&
      !isQuickerInRows(onInput, input, rows, context);
    if (staysOnTiles || !context.isLegal(onInput(rows))) return false;
    body.setOperand(op, 0, new PassBuilder(body, op, context).op("ttnn.to_layout", [input], rows));
    return true;
  },
};

/** The query of a convolution with an input of another type. */
function asIfReading(op: TtnnOp): (type: TtnnTensorType) => ProposedOp {
  const [, ...others] = op.operands.map((operand) => operand.type);
  return (type) => proposedWith(op, { operands: [type, ...others] });
}

function isQuickerInRows(
  onInput: (type: TtnnTensorType) => ProposedOp,
  input: TensorValue,
  rows: TtnnTensorType,
  context: PassContext,
): boolean {
  const tiling = tilingOf(input);
  const source = tiling?.tensorOperand(0);
  const tiled = tiling?.tensorResult;
  if (source === undefined || tiled === undefined || source.type.dataType !== rows.dataType) return false;
  const made = toLayoutMicroseconds(source.type, tiled.type, context);
  const [onTiles, onRows] = [input.type, rows].map((type) => context.microseconds(onInput(type)));
  return Number.isFinite(made) && onTiles !== undefined && onRows !== undefined &&
    onRows < WORTH_IT * (made + onTiles);
}

/**
 * The `to_layout` that tilized the input; `undefined` if the input or a tiled value before it has a second use.
 * Only reshapes that keep the last dimension may lie in between; they become reshapes of the row-major value.
 */
function tilingOf(input: TensorValue): TtnnOp | undefined {
  let value = input;
  for (;;) {
    const { producer } = value;
    const source = producer?.tensorOperand(0);
    if (producer === undefined || source === undefined || value.uses.size !== 1) return undefined;
    if (producer.name === "ttnn.to_layout") {
      return source.type.layout.tile === undefined ? producer : undefined;
    }
    const keepsRows = source.type.shape.at(-1) === value.type.shape.at(-1);
    if (producer.name !== "ttnn.reshape" || !keepsRows) return undefined;
    value = source;
  }
}

/**
 * Lets the backend fold windows that tile the image into channels, after which the convolution is one of single
 * pixels: removes `enable_kernel_stride_folding = false`, which upstream writes everywhere, if the weight is in system
 * memory and the convolution is predicted to be faster without it, or to run only without it
 * (`ttnn:backend-0-81-1`, patches of ViT).
 */
export const foldWindowsIntoChannels: RewritePattern = {
  name: "fold-windows-into-channels",
  upstream: "none",
  roots: ["ttnn.conv2d"],
  rewrite: (op, _body, context) => {
    const { conv2d_config: config, kernel_size: kernel, stride } = op.read(CONV2D);
    const tiles = kernel.every((extent, axis) => extent > 1 && extent === stride[axis]);
    if (!tiles || op.tensorOperand(1)?.type.layout.bufferType !== "system_memory") return false;
    const folded = withoutConvolutionField(config, "enable_kernel_stride_folding", "false");
    if (folded === undefined) return false;
    const properties = { conv2d_config: folded };
    const microseconds = context.microseconds(proposedWith(op, { properties }));
    const before = predictedMicroseconds(op, context) ?? Infinity;
    if (microseconds === undefined || microseconds >= before) return false;
    op.set(properties);
    return true;
  },
};
