// SPDX-License-Identifier: Apache-2.0
import type { DataType } from "../../lib/layout/data_type.ts";
import {
  alone,
  BF16_SELDOM_F32,
  dense,
  integer,
  ofOneTensor,
  type QuestionMaker,
  type QuestionParts,
} from "./question.ts";
import type { Random } from "./random.ts";
import type { AskedTensor, TensorMaker } from "./tensors.ts";

/** Height, width, channels in, channels out, kernel, stride, padding, groups. */
type AskedWindow = readonly [
  height: number,
  width: number,
  inner: number,
  outer: number,
  kernel: number,
  stride: number,
  padding: number,
  groups: number,
];

/** Convolutions of ResNet-50, U-Net, SegFormer, MobileNet, ViT and YOLO. */
const CONVOLUTIONS: readonly AskedWindow[] = [
  [224, 224, 3, 64, 7, 2, 3, 1],
  [56, 56, 64, 64, 1, 1, 0, 1],
  [56, 56, 64, 64, 3, 1, 1, 1],
  [56, 56, 256, 128, 1, 1, 0, 1],
  [56, 56, 128, 128, 3, 2, 1, 1],
  [28, 28, 128, 512, 1, 1, 0, 1],
  [14, 14, 256, 256, 3, 1, 1, 1],
  [14, 14, 1024, 256, 1, 1, 0, 1],
  [7, 7, 512, 2048, 1, 1, 0, 1],
  [32, 32, 320, 320, 3, 1, 1, 1],
  [128, 128, 3, 32, 3, 2, 1, 1],
  [64, 64, 32, 64, 3, 1, 1, 1],
  [32, 32, 160, 160, 3, 1, 1, 160],
  [112, 112, 32, 32, 3, 1, 1, 32],
  [16, 16, 64, 32, 1, 1, 0, 1],
];

function spread(extent: number, kernel: number, stride: number, padding: number): number {
  return Math.floor((extent + 2 * padding - kernel) / stride) + 1;
}

function config(random: Random): string {
  const fields: string[] = [];
  fields.push(`weights_dtype = ${random.pick(["bf16", "bf16", "bf16", "bfp_bf8"])}`);
  if (random.chance(0.25)) fields.push("activation = #ttnn.unary_with_param<op_type = <relu>>");
  fields.push(`deallocate_activation = ${random.chance(0.5)}`);
  fields.push(`act_block_h_override = ${random.pick([0, 0, 0, 32, 64])}`);
  if (random.chance(0.75)) {
    fields.push(
      `shard_layout = ${random.pick(["height_sharded", "height_sharded", "block_sharded", "width_sharded"])}`,
    );
  }
  if (random.chance(0.2)) fields.push("enable_act_double_buffer = true");
  if (random.chance(0.15)) fields.push("enable_weights_double_buffer = true");
  fields.push("enable_kernel_stride_folding = false", "config_tensors_in_dram = true");
  return `#ttnn.conv2d_config<${fields.join(", ")}>`;
}

/** The parts in which questions about convolutions differ. */
interface AskedConvolution {
  readonly op: "conv2d" | "conv_transpose2d";
  readonly window: AskedWindow;
  readonly batch?: number;
  readonly outputPadding?: number;
  readonly input: AskedTensor;
  readonly dataType?: DataType;
  readonly hasBias: boolean;
  readonly hint: (shape: readonly number[]) => AskedTensor | undefined;
  readonly conv2dConfig: () => string | null;
  readonly slices?: () => string | undefined;
}

function convolutionParts(tensors: TensorMaker, parts: AskedConvolution): QuestionParts {
  const { op, window, batch = 1, outputPadding = 0, input, dataType = "bf16", hasBias } = parts;
  const [height, width, inner, outer, kernel, stride, padding, groups] = window;
  const isTransposed = op === "conv_transpose2d";
  const extent = (before: number) =>
    isTransposed
      ? (before - 1) * stride - 2 * padding + kernel + outputPadding
      : spread(before, kernel, stride, padding);
  const result = [1, 1, batch * extent(height) * extent(width), outer];
  const hint = parts.hint(result);
  const conv2dConfig = parts.conv2dConfig();
  const slices = parts.slices?.();
  return {
    op,
    operands: [
      input,
      tensors.onHost([...(isTransposed ? [inner, outer / groups] : [outer, inner / groups]), kernel, kernel]),
      ...(hasBias ? [tensors.onHost([1, 1, 1, outer])] : []),
      { type: "!ttnn.device" },
    ],
    results: [{ shape: result, dataType }],
    hint,
    attrs: {
      in_channels: integer(inner),
      out_channels: integer(outer),
      batch_size: integer(batch),
      input_height: integer(height),
      input_width: integer(width),
      kernel_size: dense([kernel, kernel], "i32"),
      stride: dense([stride, stride], "i32"),
      padding: dense([padding, padding], "i32"),
      ...(isTransposed ? { output_padding: dense([outputPadding, outputPadding], "i32") } : {}),
      dilation: dense([1, 1], "i32"),
      groups: integer(groups),
      ...(slices === undefined ? {} : { conv2d_slice_config: `#ttnn.conv2d_slice_config<${slices}>` }),
    },
    config: { kind: "conv2d", conv2dConfig, deviceComputeKernelConfig: null },
  };
}

const convolution: QuestionMaker = ({ random, tensors }) => {
  const window = random.pick(CONVOLUTIONS);
  const [height, width, inner] = window;
  const batch = random.pick([1, 1, 2]);
  const tiled = inner > 3 && random.chance(0.6);
  return convolutionParts(tensors, {
    op: "conv2d",
    window,
    batch,
    input: tensors.any({ shape: [1, 1, batch * height * width, inner], tiled }),
    hasBias: random.chance(0.7),
    hint: (shape) => {
      const wanted = random.next();
      if (wanted < 0.5) return undefined;
      return wanted < 0.7 ? tensors.at("dram", { shape }) : tensors.any({ shape });
    },
    conv2dConfig: () => random.chance(0.9) ? config(random) : null,
    slices: () => random.chance(0.8) ? "l1_full, 0" : undefined,
  });
};

/** Up-samplings of U-Net and of mask heads. */
const TRANSPOSED: readonly AskedWindow[] = [
  [16, 16, 64, 32, 2, 2, 0, 1],
  [32, 32, 64, 32, 2, 2, 0, 1],
  [14, 14, 256, 256, 2, 2, 0, 1],
  [28, 28, 128, 64, 3, 1, 1, 1],
  [64, 64, 32, 16, 4, 2, 1, 1],
];

const transposedConvolution: QuestionMaker = ({ random, tensors }) => {
  const window = random.pick(TRANSPOSED);
  const [height, width, inner] = window;
  const tiled = random.chance(0.5);
  return convolutionParts(tensors, {
    op: "conv_transpose2d",
    window,
    input: tensors.any({ shape: [1, 1, height * width, inner], tiled }),
    hasBias: random.chance(0.6),
    hint: (shape) => random.chance(0.5) ? undefined : tensors.any({ shape }),
    conv2dConfig: () => config(random),
  });
};

/** Up-samplings of images that do not fit into L1, or of few channels on few cores. */
const SLICED: readonly AskedWindow[] = [
  [120, 160, 128, 64, 2, 2, 0, 1],
  [240, 320, 64, 32, 2, 2, 0, 1],
  [96, 96, 32, 16, 2, 2, 0, 1],
  [78, 78, 64, 64, 2, 2, 1, 1],
  [64, 48, 64, 32, 3, 1, 1, 1],
  [50, 70, 40, 21, 3, 2, 1, 1],
  [32, 64, 128, 64, 4, 2, 1, 1],
  [40, 40, 256, 128, 4, 3, 0, 1],
  [24, 94, 16, 64, 3, 3, 2, 1],
];

/** Of an operand in DRAM, which the backend cuts where it does not fit, or as it is told. */
const slicedTransposed: QuestionMaker = ({ random, tensors }) => {
  const window = random.pick(SLICED);
  const [height, width, inner, outer, , stride] = window;
  const isLarge = height * width > 10_000;
  const batch = isLarge ? 1 : random.pick([1, 1, 2]);
  const dataType = random.pick(BF16_SELDOM_F32);
  const tiled = random.chance(0.6);
  const outputPadding = stride > 1 && random.chance(0.25) ? 1 : 0;
  const input = tensors.at("dram", { shape: [1, 1, batch * height * width, inner], tiled, dataType });
  const hasBias = random.chance(0.5);
  const slices = isLarge || random.chance(0.3) ? undefined : random.pick(EXPLICIT_SLICES);
  return convolutionParts(tensors, {
    op: "conv_transpose2d",
    window,
    batch,
    outputPadding,
    input,
    dataType,
    hasBias,
    hint: (shape) => random.chance(0.5) ? undefined : tensors.at("dram", { shape, dataType }),
    conv2dConfig: () => {
      const text = config(random);
      return outer >= 32 && random.chance(0.15)
        ? text.replace("config<", "config<output_layout = row_major, ")
        : text;
    },
    slices: () => slices,
  });
};

/** Kind and number of slices, 0 for as many as it takes. */
const EXPLICIT_SLICES = [
  "dram_height, 0",
  "dram_width, 0",
  "dram_height, 1",
  "dram_height, 2",
  "dram_width, 2",
  "dram_height, 3",
  "dram_width, 3",
  "dram_height, 5",
];

/** Height, width, channels, kernel, stride, padding of pools. */
const POOLS: readonly (readonly [number, number, number, number, number, number])[] = [
  [112, 112, 64, 3, 2, 1],
  [56, 56, 128, 2, 2, 0],
  [32, 32, 32, 2, 2, 0],
  [28, 28, 256, 3, 1, 1],
  [14, 14, 512, 2, 2, 0],
  [7, 7, 480, 7, 1, 0],
  [26, 26, 16, 2, 2, 0],
];

function pool(op: "max_pool2d" | "avg_pool2d"): QuestionMaker {
  return ({ random, tensors }) => {
    const [height, width, channels, kernel, stride, padding] = random.pick(POOLS);
    const batch = random.pick([1, 1, 2]);
    const tiled = random.chance(0.3);
    const dataType = random.pick<DataType>(["bf16", "bf16", "bf16", "bfp_bf8", "f32"]);
    const input = tensors.any({
      shape: [1, 1, batch * height * width, channels],
      tiled: tiled || dataType === "bfp_bf8",
      dataType,
    });
    const result = [
      1,
      1,
      batch * spread(height, kernel, stride, padding) * spread(width, kernel, stride, padding),
      channels,
    ];
    const asymmetric = padding > 0 && random.chance(0.15);
    return {
      op,
      operands: [input],
      results: [{ shape: result, tiled: false }],
      hint: random.chance(0.6) ? undefined : tensors.any({ shape: result, tiled: false }),
      attrs: {
        batch_size: integer(batch, "si32"),
        input_height: integer(height, "si32"),
        input_width: integer(width, "si32"),
        channels: integer(channels, "si32"),
        kernel_size: dense([kernel, kernel], "i32"),
        stride: dense([stride, stride], "i32"),
        padding: dense(asymmetric ? [padding, padding, padding, padding] : [padding, padding], "i32"),
        ...(op === "max_pool2d"
          ? { dilation: dense([1, 1], "i32") }
          : { count_include_pad: String(random.chance(0.5)) }),
        ceil_mode: "false",
        reallocate_halo_output: String(random.chance(0.5)),
        config_tensors_in_dram: String(random.chance(0.7)),
      },
    };
  };
}

const GLOBAL_POOLS = [[1, 7, 7, 2048], [1, 1, 49, 512], [2, 14, 14, 256], [1, 8, 8, 1280]];

const upsample: QuestionMaker = ({ random, tensors }) => {
  const shape = random.pick([[1, 16, 16, 64], [1, 32, 32, 128], [2, 14, 14, 256], [1, 28, 28, 32]]);
  const factor = random.pick([2, 2, 4]);
  const input = tensors.any({ shape, tiled: random.chance(0.2) });
  const [batch = 1, height = 1, width = 1, channels = 1] = shape;
  const result = [batch, factor * height, factor * width, channels];
  return {
    op: "upsample",
    operands: [input],
    results: [{ shape: result, tiled: false }],
    hint: tensors.hint(input, { shape: result, tiled: false }),
    attrs: {
      scale_factor: random.chance(0.5) ? integer(factor, "si32") : dense([factor, factor], "i32"),
      mode: `"${random.pick(["nearest", "nearest", "bilinear"])}"`,
    },
  };
};

/** Makers of the families that slide windows. */
export const WINDOWS: Readonly<Record<string, QuestionMaker>> = {
  conv2d: convolution,
  conv_transpose2d: transposedConvolution,
  conv_transpose2d_dram: slicedTransposed,
  max_pool: pool("max_pool2d"),
  avg_pool: pool("avg_pool2d"),
  global_pool: ofOneTensor("global_avg_pool2d", alone(GLOBAL_POOLS), {}, (_, [shape]) => ({
    result: [shape[0] ?? 1, 1, 1, shape[3] ?? 1],
  })),
  upsample,
};
