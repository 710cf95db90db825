// SPDX-License-Identifier: Apache-2.0

/**
 * Programs as people wrote them for tt-metal (published:expert-times), in TTNN text: every result where the program puts
 * it, and every op with the config that it is given.
 *
 * @module
 */

import { HEAD_PROFILE } from "../../lib/dialect/ttnn_profile.ts";
import type { DataType } from "../../lib/layout/data_type.ts";
import type {
  ComputeKernelConfig,
  Conv2dConfig,
  MatmulProgramConfig,
  OpSpecificAttributes,
} from "../../lib/op_config/op_config.ts";
import type { MathFidelity } from "../../lib/op_config/math_fidelity.ts";
import { opConfigProperties } from "../../lib/op_config/print.ts";
import {
  isShardKind,
  outputConfig,
  type ParallelConfig,
  parallelConfig,
  type ShardKind,
  spreadOverCores,
} from "../../lib/programs/sliding_window/parallel_config.ts";
import type { Properties } from "../../lib/ttnn/op.ts";
import type { TensorValue, ZooFunction, ZooPlacement } from "../../testdata/zoo/builder.ts";
import { type Image, ZOO_CHIP, type ZooWindow } from "../../testdata/zoo/tensors.ts";

/** Rows and columns of cores. */
type HandWrittenGrid = readonly [rows: number, columns: number];

/** Blocks over a rectangle of cores. */
export function blocks(...grid: HandWrittenGrid): ZooPlacement {
  return { bufferType: "l1", memoryLayout: "block_sharded", grid };
}

/** Rows over this many cores. */
export function heights(cores: number): ZooPlacement {
  return { bufferType: "l1", memoryLayout: "height_sharded", grid: [cores, 1] };
}

/** Columns over this many cores. */
export function widths(cores: number): ZooPlacement {
  return { bufferType: "l1", memoryLayout: "width_sharded", grid: [1, cores] };
}

/** Interleaved in L1. */
export const L1: ZooPlacement = { bufferType: "l1" };

/** The format of weights and most results. */
export const BFP8: { readonly dataType: DataType } = { dataType: "bfp_bf8" };

/** The memory and grid of another value. */
export function like({ type: { layout } }: TensorValue): ZooPlacement {
  const { bufferType, memoryLayout = "interleaved", gridShape: [rows = 1, columns = 1] } = layout;
  return { bufferType, memoryLayout, ...(memoryLayout === "interleaved" ? {} : { grid: [rows, columns] }) };
}

/** An op as the program runs it. */
interface HandWrittenRun {
  /** Of its result. */
  readonly place?: ZooPlacement;
  readonly config?: OpSpecificAttributes;
  readonly properties?: Properties;
}

/** Adds an op whose shape follows from its operands. */
export function run(
  f: ZooFunction,
  name: string,
  operands: readonly TensorValue[],
  { place, config, properties = {} }: HandWrittenRun = {},
): TensorValue {
  return f.inferred(`ttnn.${name}`, operands, { ...properties, ...stated(name, config) }, place);
}

/** Adds a `linear` to so many columns, with weight and bias in bfp8. */
export function linear(
  f: ZooFunction,
  name: string,
  x: TensorValue,
  columns: number,
  written: HandWrittenRun,
): TensorValue {
  const weight = f.parameter(`${name}.weight`, [x.type.shape.at(-1) ?? 1, columns], BFP8);
  return run(f, "linear", [x, weight, f.parameter(`${name}.bias`, [1, columns], BFP8)], written);
}

/** Adds a `layer_norm`, after the sum with a residual where there is one. */
export function layerNorm(
  f: ZooFunction,
  name: string,
  [x, ...residual]: readonly [TensorValue, ...TensorValue[]],
  place: ZooPlacement,
): TensorValue {
  const width = [x.type.shape.at(-1) ?? 1];
  const affine = ["weight", "bias"].map((part) => f.parameter(`${name}.${part}`, width));
  return run(f, "layer_norm", [x, ...affine, ...residual], {
    place,
    properties: { epsilon: 1e-12, operandSegmentSizes: [1, 1, 1, residual.length] },
  });
}

function stated(name: string, config: OpSpecificAttributes | undefined): Properties {
  const texts = config === undefined ? [] : opConfigProperties(`ttnn.${name}`, config, HEAD_PROFILE);
  return Object.fromEntries(texts.map(({ key, value }) => [key, value]));
}

/** Tiles of a matmul config, as its hand-written source gives them. */
interface HandWrittenBlocking {
  readonly grid: HandWrittenGrid;
  /** Tiles of K per step. */
  readonly k: number;
  readonly subblock: readonly [h: number, w: number];
  /** Output tiles of a core. */
  readonly core: readonly [m: number, n: number];
  readonly activation?: "gelu" | "silu";
}

function subblocks({ grid: [rows, columns], k, subblock: [h, w], core: [m, n] }: HandWrittenBlocking) {
  return {
    computeWithStorageGridSize: [columns, rows],
    in0BlockW: k,
    outSubblockH: h,
    outSubblockW: w,
    perCoreM: m,
    perCoreN: n,
  } as const;
}

/** A fused gelu is the approximate one. */
function fused({ activation }: Pick<HandWrittenBlocking, "activation">) {
  const params = activation === "gelu" ? [1] : [];
  return activation === undefined ? {} : { fusedActivation: { opType: activation, params } };
}

/** A 2D multicast: rows of the first operand go along rows of cores, columns of the second down columns. */
export function multicast(blocking: HandWrittenBlocking): MatmulProgramConfig {
  const [outBlockH, outBlockW] = blocking.core;
  return {
    kind: "matmul_multi_core_reuse_multi_cast",
    ...subblocks(blocking),
    outBlockH,
    outBlockW,
    transposeMcast: false,
    ...fused(blocking),
    fuseBatch: true,
  };
}

/** A 1D multicast of the first operand: every core has its rows, and some columns of the result. */
export function multicast1d(blocking: HandWrittenBlocking): MatmulProgramConfig {
  const [outBlockH, outBlockW] = blocking.core;
  return {
    kind: "matmul_multi_core_reuse_multi_cast_1d",
    ...subblocks(blocking),
    outBlockH,
    outBlockW,
    fuseBatch: true,
    ...fused(blocking),
    mcastIn0: true,
    gatherIn0: false,
    hopCores: [],
    numGlobalCbReceivers: 0,
    untilizeOut: false,
  };
}

/** Batched products without multicast: a core has whole products, or blocks of one. */
export function reuse(blocking: HandWrittenBlocking): MatmulProgramConfig {
  return { kind: "matmul_multi_core_reuse", ...subblocks(blocking) };
}

/** A product that reads its weight from shards over the banks of DRAM. */
export function dramSharded(k: number, perCoreN: number, activation?: "silu"): MatmulProgramConfig {
  return {
    kind: "matmul_multi_core_reuse_multi_cast_dram_sharded",
    in0BlockW: k,
    perCoreM: 1,
    perCoreN,
    ...fused(activation === undefined ? {} : { activation }),
  };
}

/** The config of a product; with a fidelity also a compute config, else ttnn takes its default. */
export function product(
  programConfig: MatmulProgramConfig,
  mathFidelity?: MathFidelity,
): OpSpecificAttributes {
  return {
    kind: "matmul",
    programConfig,
    ...(mathFidelity === undefined ? {} : {
      computeConfig: { mathFidelity, mathApproxMode: false, fp32DestAccEn: false, packerL1Acc: true },
    }),
  };
}

/** Softmax in place over height shards, with sums in bf16 as tt-metal had them. */
export function softmaxInPlace(
  place: ZooPlacement,
  [rows, columns]: HandWrittenGrid,
  [blockH, blockW]: readonly [number, number],
  subblockW: number,
): HandWrittenRun {
  return {
    place,
    properties: { dimension: -1 },
    config: {
      kind: "norm",
      programConfig: {
        computeWithStorageGridSize: [columns, rows],
        subblockW,
        blockH,
        blockW,
        inplace: true,
      },
      computeConfig: {
        mathFidelity: "hifi4",
        mathApproxMode: true,
        fp32DestAccEn: false,
        packerL1Acc: false,
      },
    },
  };
}

/** A convolution as the program runs it. */
interface HandConvolution {
  readonly window: ZooWindow;
  /** Sharding where the input lies interleaved; elsewhere the input's shards decide. */
  readonly sharding?: ShardKind;
  readonly config?: Conv2dConfig;
  readonly activation?: "relu" | "relu6";
  /** Fields other than LoFi with sums in the packer. */
  readonly compute?: ComputeKernelConfig;
  /** Of the result, bfp8 by default. */
  readonly dataType?: DataType;
}

/** Adds a convolution with weights in bfp8, whose result lies where the kernel leaves it. */
export function convolution(
  f: ZooFunction,
  name: string,
  input: Image,
  channels: number,
  convolution: HandConvolution,
): Image {
  const { window } = convolution;
  const { kernel, stride = [1, 1], padding = [0, 0] } = window;
  const isMatmul = [...kernel, ...stride].every((extent) => extent === 1) &&
    padding.every((rows) => rows === 0);
  const written = convolutionForm("conv2d", input, channels, convolution, isMatmul);
  return f.conv2d(name, input, channels, window, undefined, written);
}

/** Adds the mean over all pixels of each image, in bfp8 in L1; the pool reads its operand in the given place. */
export function meanPixel(f: ZooFunction, image: Image, place: ZooPlacement): TensorValue {
  const { tensor, batch, height, width, channels } = image;
  return run(f, "avg_pool2d", [f.toMemoryConfig(tensor, place)], {
    place: { ...L1, ...BFP8 },
    properties: {
      batch_size: batch,
      ceil_mode: false,
      channels,
      config_tensors_in_dram: false,
      count_include_pad: true,
      dilation: [1, 1],
      input_height: height,
      input_width: width,
      kernel_size: [height, width],
      padding: [0, 0],
      stride: [1, 1],
    },
  });
}

/** Adds a transposed convolution that doubles the image. */
export function doubled(
  f: ZooFunction,
  name: string,
  input: Image,
  channels: number,
  by: Omit<HandConvolution, "window">,
): Image {
  const written = convolutionForm("conv_transpose2d", input, channels, by, false);
  return f.convTranspose2d(name, input, channels, 2, written);
}

/** Where the backend leaves a convolution's result, and the op's configs. */
function convolutionForm(
  name: string,
  input: Image,
  channels: number,
  { sharding = "height_sharded", config, activation, compute, dataType = "bfp_bf8" }: Omit<
    HandConvolution,
    "window"
  >,
  isMatmul: boolean,
) {
  const output = outputConfig(shardsOf(input, channels, sharding, config), channels, isMatmul, ZOO_CHIP);
  return {
    place: { bufferType: "l1", memoryLayout: output.kind, grid: [output.rows, output.columns], dataType },
    properties: stated(name, {
      kind: "conv2d",
      conv2dConfig: {
        weightsDtype: "bfp_bf8",
        ...(activation === undefined ? {} : { activation: { opType: activation, params: [] } }),
        ...config,
        shardLayout: output.kind,
      },
      computeConfig: {
        mathFidelity: "lofi",
        mathApproxMode: true,
        fp32DestAccEn: false,
        packerL1Acc: true,
        ...compute,
      },
      ...(name === "conv2d" ? { sliceConfig: { sliceType: "l1_full", numSlices: 0 } } : {}),
    }),
  } as const;
}

/** Cores of a convolution's input: those of its shards, or those that the backend chooses. */
function shardsOf(
  input: Image,
  outChannels: number,
  kind: ShardKind,
  config: Conv2dConfig = {},
): ParallelConfig {
  const { layout } = input.tensor.type;
  const isMoved = config.reshardIfNotOptimal === true && layout.memoryLayout !== kind;
  if (!isMoved && isShardKind(layout.memoryLayout)) {
    return parallelConfig(layout.memoryLayout, layout.coreRanges);
  }
  return spreadOverCores(kind, {
    pixels: input.batch * input.height * input.width,
    inChannels: input.channels,
    outChannels,
    channelAlignment: 32,
    padsChannels: true,
    rowUnit: 32,
    columnUnit: 32,
    rowMultiple: Math.max(1, (config.actBlockHOverride ?? 0) / 32),
  }, ZOO_CHIP);
}
