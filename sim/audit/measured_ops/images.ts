// SPDX-License-Identifier: Apache-2.0
import type { DataType } from "../../../lib/layout/data_type.ts";
import type { TensorMemoryLayout } from "../../../lib/layout/ttnn_layout.ts";
import type { OpSpecificAttributes } from "../../../lib/op_config/op_config.ts";
import { attributesOf, DRAM, type PlaceRequest, tensorAt } from "../op_question.ts";
import { statedCompute } from "../questions/matmul.ts";
import type { MeasuredChip, OpReader } from "./measured_chip.ts";
import type { Params } from "./measured_op.ts";
import { dataTypeIn, dataTypeOf, dataTypesOf, integersIn, numberIn, rectangle, textIn } from "./texts.ts";
import { leaveOut, required, requiring } from "../row_model.ts";

/** The sharding that a row names. */
function shardingOf(params: Params): TensorMemoryLayout | undefined {
  const match = /^(height|width|block)/i.exec(textIn(params, "shard"))?.[1]?.toLowerCase();
  return match === "height" || match === "width" || match === "block" ? `${match}_sharded` : undefined;
}

/** Shards over so many cores, none without a row or column of units. */
function shards(
  layout: TensorMemoryLayout,
  cores: number,
  chip: MeasuredChip,
  [unitRows, unitColumns]: readonly [number, number],
): PlaceRequest {
  const base = { bufferType: "l1", memoryLayout: layout } as const;
  if (layout === "height_sharded") return { ...base, grid: [Math.min(cores, unitRows), 1] };
  if (layout === "width_sharded") return { ...base, grid: [1, Math.min(cores, unitColumns)] };
  const [columns, rows] = rectangle(cores, chip) ?? [chip.columns, chip.rows];
  return { ...base, grid: [Math.min(rows, unitRows), Math.min(columns, unitColumns)] };
}

/**
 * Converts a row given as (M, K, N, height of the activation block) into the fields of the other convolution
 * rows; `undefined` for rows of another kind. Images are assumed to be halved where channels double, and K of
 * nine parts to come from a 3x3 window.
 */
function listedConvolution(params: Params, chip: MeasuredChip): Params | undefined {
  const [rows, depth, channels, cores] = ["out_rows", "k_dim", "out_channels", "cores"]
    .map((name) => numberIn(params, name));
  const [, height, width] = /(\d+)x(\d+)x\d+$/.exec(textIn(params, "stage"))?.map(Number) ?? [];
  const blockRows = Number(/ABH=\d+\|(\d+)/.exec(textIn(params, "flags"))?.[1] ?? NaN);
  if (
    rows === undefined || depth === undefined || channels === undefined || cores === undefined ||
    height === undefined || width === undefined || !Number.isFinite(blockRows)
  ) return undefined;
  const kernel = depth % 9 === 0 ? 3 : 1;
  const inChannels = depth / kernel ** 2;
  const stride = channels === 2 * inChannels ? 2 : 1;
  // Every core holds one block of rows; few blocks on many cores are spread over the channels too.
  const rowCores = Math.ceil(rows / 32 / blockRows);
  const blocked = rowCores <= chip.rows && cores % rowCores === 0;
  return {
    ...params,
    hw: [height * stride, width * stride],
    cin: inChannels,
    cout: channels,
    kernel,
    stride,
    pad: (kernel - 1) / 2,
    shard: blocked ? "BLOCK" : "HEIGHT",
    cores: blocked ? cores : rowCores,
    act_block_h_tiles: blockRows,
    act_double_buffer: /ADB/.test(textIn(params, "flags")),
    dtype: dataTypeOf(params),
    // Tiles would have padded the channels.
    input_layout: inChannels % 32 === 0 ? "TILE" : "ROW_MAJOR",
  };
}

/** A square convolution as a row describes it. */
interface ListedConvolution {
  readonly batch: number;
  readonly height: number;
  readonly width: number;
  readonly inChannels: number;
  readonly outChannels: number;
  readonly kernel: number;
  readonly stride: number;
  readonly pad: number;
  readonly groups: number;
}

/** The numbers of a row. */
function convolutionOf(params: Params): ListedConvolution {
  const sides = integersIn(params.hw) ?? [numberIn(params, "h"), numberIn(params, "w")];
  const need = requiring("image, channels or window are not in the row");
  const height = need(sides[0]);
  const width = need(sides[1]);
  const inChannels = need(numberIn(params, "in_c", "cin"));
  const outChannels = need(numberIn(params, "out_c", "cout"));
  const kernel = need(numberIn(params, "k", "kernel"));
  const orElse = (name: string, value: number) => numberIn(params, name) ?? value;
  return {
    batch: orElse("batch", 1),
    height,
    width,
    inChannels,
    outChannels,
    kernel,
    stride: orElse("stride", 1),
    pad: orElse("pad", 0),
    groups: orElse("groups", 1),
  };
}

/** A convolution whose input lies in shards as its own sharding wants. */
export const conv2dOp: OpReader = (row, chip) => {
  const params = listedConvolution(row.params, chip) ?? row.params;
  const convolution = convolutionOf(params);
  const layout = required("the sharding is not in the row", shardingOf(params));
  if (params.activation_reuse === true) {
    leaveOut("reuse of activations between windows is not an op of the dialect");
  }
  const { batch, height, width, inChannels, outChannels, kernel, stride, pad, groups } = convolution;
  const extent = (input: number) => Math.floor((input + 2 * pad - kernel) / stride) + 1;
  const pixels = batch * height * width;
  const outPixels = batch * extent(height) * extent(width);
  const cores = numberIn(params, "cores") ?? chip.columns * chip.rows;
  const told = dataTypesOf({ dtypes: row.params.dtypes });
  const weightType = dataTypeIn(textIn(params, "weights")) ?? told.inputs[1] ?? "bf16";
  const inType = dataTypeIn(textIn(params, "input_dtype", "dtype")) ?? "bf16";
  const outType = dataTypeIn(textIn(params, "out")) ?? inType;
  const place = (rows: number, channels: number) =>
    shards(layout, cores, chip, [Math.ceil(rows / 32), Math.ceil(channels / 32)]);
  const page = /^ROW/.test(textIn(params, "input_layout")) ? { tile: null } : {};
  const inputPlace = { ...place(pixels, inChannels), ...page };
  const outputPlace = place(outPixels, outChannels);
  // Prepared: a column per output channel.
  const weightShape = [1, 1, kernel ** 2 * inChannels / groups, outChannels];
  return [{
    name: "ttnn.conv2d",
    ...(/no halo|Conv2d \d/.test(row.what) ? { only: "convolution" as const } : {}),
    attributes: convolutionAttributes(convolution),
    inputs: [
      tensorAt([1, 1, pixels, inChannels], inputPlace, inType),
      tensorAt(weightShape, DRAM, weightType),
    ],
    outputs: [tensorAt([1, 1, outPixels, outChannels], outputPlace, outType)],
    config: convolutionConfig(params, layout, weightType),
  }];
};

function convolutionAttributes(
  { batch, height, width, inChannels, outChannels, kernel, stride, pad, groups }: ListedConvolution,
) {
  return attributesOf({
    batch_size: batch,
    input_height: height,
    input_width: width,
    in_channels: inChannels,
    out_channels: outChannels,
    kernel_size: [kernel, kernel],
    stride: [stride, stride],
    padding: [pad, pad],
    dilation: [1, 1],
    groups,
  });
}

function convolutionConfig(
  params: Params,
  shardLayout: TensorMemoryLayout,
  weightsDtype: DataType,
): OpSpecificAttributes {
  const blockRows = numberIn(params, "act_block_h_tiles");
  return {
    kind: "conv2d",
    conv2dConfig: {
      weightsDtype,
      shardLayout,
      ...(blockRows === undefined ? {} : { actBlockHOverride: blockRows * 32 }),
      ...(params.act_double_buffer === true ? { enableActDoubleBuffer: true } : {}),
      ...(params.weights_double_buffer === true ? { enableWeightsDoubleBuffer: true } : {}),
    },
    computeConfig: statedCompute({ params, attributes: "" }),
  };
}

/**
 * The halo of a convolution or pool over an image in shards. Padding that the row does not name is what keeps the
 * image's size, as in the models that the rows are from.
 */
export const haloOp: OpReader = ({ params }, chip) => {
  const sides = integersIn(params.hw) ?? [];
  const need = requiring("the image or the window is not in the row");
  const height = need(sides[0]);
  const width = need(sides[1]);
  const kernel = need(numberIn(params, "kernel"));
  const needShards = requiring("the shards are not in the row");
  const shape = needShards(integersIn(params.in_shape));
  const cores = needShards(numberIn(params, "cores"));
  const layout = needShards(shardingOf(params));
  const [pixels = 1, channels = 1] = shape.slice(-2);
  const stride = numberIn(params, "stride") ?? 1;
  const padding = numberIn(params, "pad") ?? (kernel - 1) / 2;
  const dataType = dataTypeIn(textIn(params, "dtype")) ?? "bf16";
  const page = /ROW/.test(textIn(params, "in_layout")) ? { tile: null } : {};
  const place = {
    ...shards(layout, cores, chip, [Math.ceil(pixels / 32), Math.ceil(channels / 32)]),
    ...page,
  };
  const extent = (input: number) => Math.floor((input + 2 * padding - kernel) / stride) + 1;
  return [{
    name: "ttnn.conv2d",
    only: "halo",
    attributes: convolutionAttributes({
      batch: pixels / (height * width),
      height,
      width,
      inChannels: channels,
      outChannels: channels,
      kernel,
      stride,
      pad: padding,
      groups: 1,
    }),
    inputs: [
      tensorAt(shape, place, dataType),
      tensorAt([1, 1, kernel ** 2 * channels, channels], DRAM, dataType),
    ],
    outputs: [tensorAt([1, 1, extent(height) * extent(width), channels], place, dataType)],
    config: { kind: "conv2d", conv2dConfig: { shardLayout: layout } },
  }];
};

/** A pool over an image in shards; the measurement does not include the move into shards. */
export const poolOp: OpReader = ({ params, what }, chip) => {
  const need = requiring("image, channels or window are not in the row");
  const height = need(numberIn(params, "h"));
  const width = need(numberIn(params, "w"));
  const channels = need(numberIn(params, "c"));
  const kernel = need(numberIn(params, "k"));
  const layout = required("the sharding is not in the row", shardingOf(params));
  const batch = numberIn(params, "batch") ?? 1;
  const stride = numberIn(params, "stride") ?? kernel;
  const pad = numberIn(params, "pad") ?? 0;
  const extent = (input: number) => Math.floor((input + 2 * pad - kernel) / stride) + 1;
  const place = (rows: number) => ({
    ...shards(layout, chip.columns * chip.rows, chip, [rows, Math.ceil(channels / 32)]),
    tile: null,
  });
  const rows = batch * height * width;
  const outRows = batch * extent(height) * extent(width);
  return [{
    name: `ttnn.${textIn(params, "pool") === "avg" ? "avg" : "max"}_pool2d`,
    ...(/no halo/.test(what) ? { only: "pool" as const } : {}),
    attributes: attributesOf({
      batch_size: batch,
      input_height: height,
      input_width: width,
      channels,
      kernel_size: [kernel, kernel],
      stride: [stride, stride],
      padding: [pad, pad],
      dilation: [1, 1],
    }),
    inputs: [tensorAt([1, 1, rows, channels], place(rows))],
    outputs: [tensorAt([1, 1, outRows, channels], place(outRows))],
  }];
};
