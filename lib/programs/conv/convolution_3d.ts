// SPDX-License-Identifier: Apache-2.0
import { readAttributes } from "../../ops/attributes/read_attributes.ts";
import { CONV3D, PREPARE_CONV3D } from "../../ops/attributes/window.ts";
import { workerCores } from "../../device/chip_description.ts";
import { elementBytes, tileBytes } from "../../layout/data_type.ts";
import { rowCount, volume } from "../../layout/extents.ts";
import { roundUp } from "../../layout/make_layout.ts";
import { CONV_3D_COMPUTE } from "../../op_config/default_compute_config.ts";
import type { Conv3dConfig } from "../../op_config/op_config.ts";
import type { CircularBuffer } from "../circular_buffer.ts";
import type { LaunchContext, OpLaunch } from "../op_launch.ts";
import { chainStep, launchChain, LaunchSequence } from "../launch_sequence.ts";
import { PAD_BEHIND, padSteps } from "../data_movement/pad.ts";
import { permutation } from "../data_movement/permute.ts";
import { type OpPrograms, unknownPrograms } from "../program.ts";
import { rowMajorTensor, withShape } from "../program_tensor.ts";
import { hostTransfer } from "../data_movement/relayout.ts";

/** Blocks if the config names none (tt-mlir conversion default, tt-mlir:conv3d-config). */
const DEFAULT_BLOCKS = { cInBlock: 32, cOutBlock: 32, tOutBlock: 1, hOutBlock: 1, wOutBlock: 1 } as const;

/**
 * Blocks of a conv3d: input and output channels, and the box of output pixels that a core computes at a time.
 */
export type Conv3dBlocks = Required<Omit<Conv3dConfig, "weightsDtype" | "computeWithStorageGridSize">>;

/** Blocks that a conv3d runs with. */
export function conv3dBlocks(config: OpLaunch["config"]): Conv3dBlocks {
  return { ...DEFAULT_BLOCKS, ...(config?.kind === "conv3d" ? config.conv3dConfig ?? {} : {}) };
}

/** The extents of a conv3d, in elements. */
interface VolumeWork {
  readonly blocks: Conv3dBlocks;
  /** Depth, height and width. */
  readonly kernel: readonly number[];
  readonly stride: readonly number[];
  readonly inChannels: number;
  readonly hasBias: boolean;
  /** Bytes of an element of the activation, of a tile of weights and of a tile of partial results. */
  readonly elementBytes: number;
  readonly weightTileBytes: number;
  readonly partialTileBytes: number;
  /** Whether the patches of a block are all tilized before the product, or row of tiles by row of tiles. */
  readonly tilizesAll: boolean;
}

/** Extents of a block in tiles: pixels, contracted dimension, output channels. */
function blockTiles(
  { blocks, kernel }: Pick<VolumeWork, "blocks" | "kernel">,
): readonly [number, number, number] {
  const tiles = (extent: number) => Math.max(1, Math.ceil(extent / 32));
  const pixels = blocks.tOutBlock * blocks.hOutBlock * blocks.wOutBlock;
  return [tiles(pixels), tiles(volume(kernel) * blocks.cInBlock), tiles(blocks.cOutBlock)];
}

/**
 * Circular buffers of the conv3d kernel, bytes per core (`ttnn:backend-0-81-1`): the input region of a block,
 * its patches row-major and tiled, weights, partial and reduced results, the result.
 */
function volumeBuffers(work: VolumeWork): readonly CircularBuffer[] {
  const { blocks, kernel, stride, elementBytes, weightTileBytes, partialTileBytes } = work;
  const [m, k, n] = blockTiles(work);
  const box = [blocks.tOutBlock, blocks.hOutBlock, blocks.wOutBlock];
  const image = volume(box.map((extent, axis) => (extent - 1) * (stride[axis] ?? 1) + (kernel[axis] ?? 1)));
  const isReduced = work.inChannels > blocks.cInBlock;
  // A row of tiles of patches is tilized while the next one is gathered, unless rows of patches fill tiles.
  const pixels = Math.min(volume(box), volume(box) % 32 === 0 ? 32 : 64);
  const rows = pixels * volume(kernel) * blocks.cInBlock * elementBytes;
  return [
    { name: "image", bytes: image * blocks.cInBlock * elementBytes },
    { name: "patches", bytes: rows },
    { name: "patches_tilized", bytes: (work.tilizesAll ? m : 1) * k * 1024 * elementBytes },
    { name: "weights", bytes: k * n * weightTileBytes },
    { name: "partials", bytes: m * n * partialTileBytes },
    { name: "reduced", bytes: isReduced ? m * n * partialTileBytes + 2048 : 0 },
    { name: "out", bytes: m * n * 1024 * elementBytes },
    { name: "bias", bytes: work.hasBias ? n * weightTileBytes : 0 },
  ].filter(({ bytes }) => bytes > 0);
}

/**
 * Programs of `conv3d`: gathers patches of the interleaved input, tilizes and multiplies them block by block.
 */
export function volumeConvolutionPrograms(op: OpLaunch, { chip }: LaunchContext): OpPrograms {
  const [input, weight, bias] = op.inputs;
  const [output] = op.outputs;
  if (input === undefined || weight === undefined || output === undefined) {
    return unknownPrograms(op.name, "needs an input, a weight and a result");
  }
  const blocks = conv3dBlocks(op.config);
  const convolution = readAttributes(op, CONV3D);
  const { kernel_size: kernel, in_channels: inChannels, out_channels: outChannels } = convolution;
  const groups = Math.max(1, convolution.groups);
  const compute = { ...CONV_3D_COMPUTE, ...op.config?.computeConfig };
  const [m, k, n] = blockTiles({ blocks, kernel });
  const pixels = blocks.tOutBlock * blocks.hOutBlock * blocks.wOutBlock;
  const [batch = 1, frames = 1, height = 1, width = 1] = output.shape;
  const boxes = batch * Math.ceil(frames / blocks.tOutBlock) * Math.ceil(height / blocks.hOutBlock) *
    Math.ceil(width / blocks.wOutBlock);
  const outputPixels = rowCount(output.shape);
  const units = boxes * Math.ceil(roundUp(outChannels, 32) / blocks.cOutBlock);
  const cores = Math.max(1, Math.min(workerCores(chip), units));
  const perCore = Math.ceil(units / cores);
  const taps = volume(kernel);
  const depth = Math.max(1, Math.ceil(taps * inChannels / groups / 32));
  const sequence = new LaunchSequence(chip);
  // Rows of the result are as long as whole tiles of channels (`ttnn:backend-0-81-1`).
  sequence.allocateResult(0, withShape(output, output.shape.with(-1, roundUp(outChannels, 32))));
  sequence.run({
    kind: "convolution",
    cores,
    circularBuffers: volumeBuffers({
      blocks,
      kernel,
      stride: convolution.stride,
      inChannels: inChannels / groups,
      hasBias: bias !== undefined,
      elementBytes: elementBytes(input.dataType),
      weightTileBytes: tileBytes(weight.dataType),
      partialTileBytes: tileBytes(
        compute.fp32DestAccEn && inChannels / groups > blocks.cInBlock ? "f32" : "bf16",
      ),
      tilizesAll: chip.architecture === "wormhole_b0",
    }),
    reads: [{ tensor: input, bytes: input.bytes }, { tensor: weight, bytes: weight.bytes }],
    writes: [{ tensor: output, bytes: output.bytes }],
    flops: outputPixels * outChannels * taps * inChannels * 2 / groups,
    launches: 1,
    rows: perCore * m,
    columns: n,
    depth,
    ownDepth: depth,
    blockRows: m,
    reloadsWeights: false,
    doubleBuffered: false,
    blockDepth: Math.max(1, k),
    subblock: [1, Math.min(4, n)],
    fidelity: compute.mathFidelity,
    activationType: "bf16",
    weightType: weight.dataType,
    pixels: perCore * pixels,
    readsPerPixel: taps,
  });
  return sequence.launched();
}

/**
 * Programs of `prepare_conv3d_weights`, in rows of DRAM (`ttnn:backend-0-81-1`): `[out, in, …kernel]` is permuted to
 * `[…kernel, in, out]`, its input channels, those of all groups, are padded, and their blocks come first.
 */
export function prepareVolumeWeights(op: OpLaunch, { chip }: LaunchContext): OpPrograms {
  const [weight] = op.inputs;
  if (weight === undefined) return unknownPrograms(op.name, "needs weights");
  const [outChannels = 1, perGroup = 1, ...kernel] = weight.shape;
  const { alignment = 32, c_in_block: block = 32, groups } = readAttributes(op, PREPARE_CONV3D);
  const rows = (shape: readonly number[]) => rowMajorTensor(shape, weight.dataType, "dram");
  const channels = perGroup * groups;
  const given = rows([outChannels, channels, ...kernel]);
  const permuted = rows([...kernel, channels, outChannels]);
  const width = roundUp(channels, alignment);
  const padded = width === channels ? permuted : rows([...kernel, width, outChannels]);
  const parts = [...kernel, width / block, block, outChannels];
  const order = [3, 0, 1, 2, 4, 5];
  const inBlocks = rows(order.map((dim) => parts[dim] ?? 1));
  return launchChain([
    { tensor: given, programs: [hostTransfer([weight])] },
    { ...chainStep(permuted, permutation(given, permuted, [2, 3, 4, 1, 0], chip)), frees: [given] },
    ...(padded === permuted
      ? []
      : padSteps(permuted, padded, PAD_BEHIND, chip).map((step) => ({ ...step, frees: [permuted] }))),
    { ...chainStep(inBlocks, permutation(withShape(padded, parts), inBlocks, order, chip)), frees: [padded] },
  ], chip);
}
