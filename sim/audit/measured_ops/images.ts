// SPDX-License-Identifier: Apache-2.0
import type { TensorMemoryLayout } from "../../../lib/layout/ttnn_layout.ts";
import { attributesOf, DRAM, type PlacedTensor } from "../op_question.ts";
import type { MeasuredChip } from "./measured_chip.ts";
import type { Params } from "./measured_op.ts";
import type { OpReader } from "./op_reader.ts";
import { dataTypeIn, fidelityIn, integersIn, numberIn, rectangle, textIn } from "./texts.ts";

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
): PlacedTensor["place"] {
  const base = { bufferType: "l1", memoryLayout: layout } as const;
  if (layout === "height_sharded") return { ...base, grid: [Math.min(cores, unitRows), 1] };
  if (layout === "width_sharded") return { ...base, grid: [1, Math.min(cores, unitColumns)] };
  const [columns, rows] = rectangle(cores, chip) ?? [chip.columns, chip.rows];
  return { ...base, grid: [Math.min(rows, unitRows), Math.min(columns, unitColumns)] };
}

/** A convolution whose input lies in shards as its own sharding wants. */
export const conv2dOp: OpReader = ({ params, what }, chip) => {
  const [height, width] = integersIn(params.hw) ?? [numberIn(params, "h"), numberIn(params, "w")];
  const inChannels = numberIn(params, "in_c", "cin");
  const outChannels = numberIn(params, "out_c", "cout");
  const kernel = numberIn(params, "k", "kernel");
  const layout = shardingOf(params);
  if (
    height === undefined || width === undefined || inChannels === undefined || outChannels === undefined ||
    kernel === undefined
  ) return "image, channels or window are not in the row";
  if (layout === undefined) return "the sharding is not in the row";
  if (params.activation_reuse === true) return "reuse of activations between windows is no op of the dialect";
  const batch = numberIn(params, "batch") ?? 1;
  const stride = numberIn(params, "stride") ?? 1;
  const pad = numberIn(params, "pad") ?? 0;
  const groups = numberIn(params, "groups") ?? 1;
  const extent = (input: number) => Math.floor((input + 2 * pad - kernel) / stride) + 1;
  const pixels = batch * height * width;
  const outPixels = batch * extent(height) * extent(width);
  const cores = numberIn(params, "cores") ?? chip.columns * chip.rows;
  const weightType = dataTypeIn(textIn(params, "weights")) ?? "bf16";
  const mathFidelity = fidelityIn(textIn(params, "fidelity"));
  const blockRows = numberIn(params, "act_block_h_tiles");
  const inType = dataTypeIn(textIn(params, "input_dtype", "dtype")) ?? "bf16";
  const outType = dataTypeIn(textIn(params, "out")) ?? inType;
  const place = (rows: number, channels: number) =>
    shards(layout, cores, chip, [Math.ceil(rows / 32), Math.ceil(channels / 32)]);
  return [{
    name: "ttnn.conv2d",
    ...(/no halo/.test(what) ? { only: "convolution" as const } : {}),
    attributes: attributesOf({
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
    }),
    inputs: [
      { shape: [1, 1, pixels, inChannels], dataType: inType, place: place(pixels, inChannels) },
      // Prepared: a column per output channel.
      { shape: [1, 1, kernel ** 2 * inChannels / groups, outChannels], dataType: weightType, place: DRAM },
    ],
    outputs: [{
      shape: [1, 1, outPixels, outChannels],
      dataType: outType,
      place: place(outPixels, outChannels),
    }],
    config: {
      kind: "conv2d",
      conv2dConfig: {
        weightsDtype: weightType,
        shardLayout: layout,
        ...(blockRows === undefined ? {} : { actBlockHOverride: blockRows * 32 }),
        ...(params.act_double_buffer === true ? { enableActDoubleBuffer: true } : {}),
        ...(params.weights_double_buffer === true ? { enableWeightsDoubleBuffer: true } : {}),
      },
      computeConfig: {
        ...(mathFidelity === undefined ? {} : { mathFidelity }),
        ...(typeof params.packer_l1_acc === "boolean" ? { packerL1Acc: params.packer_l1_acc } : {}),
        ...(params.fp32_acc === true ? { fp32DestAccEn: true } : {}),
      },
    },
  }];
};

/** A pool over an image in shards; what brings it there is not part of the measurement. */
export const poolOp: OpReader = ({ params, what }, chip) => {
  const [height, width] = [numberIn(params, "h"), numberIn(params, "w")];
  const [channels, kernel] = [numberIn(params, "c"), numberIn(params, "k")];
  const layout = shardingOf(params);
  if (height === undefined || width === undefined || channels === undefined || kernel === undefined) {
    return "image, channels or window are not in the row";
  }
  if (layout === undefined) return "the sharding is not in the row";
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
    inputs: [{ shape: [1, 1, rows, channels], dataType: "bf16", place: place(rows) }],
    outputs: [{ shape: [1, 1, outRows, channels], dataType: "bf16", place: place(outRows) }],
  }];
};
