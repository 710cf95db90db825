// SPDX-License-Identifier: Apache-2.0
import { type ChipDescription, workerCores } from "../../device/chip_description.ts";
import { elementBytes, tileBytes } from "../../layout/data_type.ts";
import { rowCount, volume } from "../../layout/extents.ts";
import { roundUp } from "../../layout/make_layout.ts";
import { CONV_3D_COMPUTE } from "../../op_config/default_compute_config.ts";
import type { Conv3dConfig } from "../../op_config/op_config.ts";
import { readAttributes } from "../../ops/attributes/read_attributes.ts";
import { CONV3D, PREPARE_CONV3D } from "../../ops/attributes/window.ts";
import type { CircularBuffer } from "../circular_buffer.ts";
import { PAD_BEHIND, padSteps } from "../data_movement/pad.ts";
import { permutation } from "../data_movement/permute.ts";
import { hostTransfer } from "../data_movement/relayout.ts";
import { chainStep, launchChain } from "../launch_sequence.ts";
import { largestDivisor, subblockRegisterTiles } from "../matmul/matmul_blocking.ts";
import type { LaunchContext, OpLaunch } from "../op_launch.ts";
import { type ConvolutionProgram, type OpPrograms, unknownPrograms } from "../program.ts";
import { type ProgramTensor, rowMajorTensor, withShape } from "../program_tensor.ts";
import { wholeTensor } from "../stream.ts";

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
  readonly input: ProgramTensor;
  readonly hasBias: boolean;
  readonly fp32DestAccEn: boolean;
}

/** Extents of a block: output pixels, and in tiles pixels, contracted dimension and output channels. */
function blockExtents({ blocks, kernel }: Pick<VolumeWork, "blocks" | "kernel">) {
  const tiles = (extent: number) => Math.max(1, Math.ceil(extent / 32));
  const pixels = blocks.tOutBlock * blocks.hOutBlock * blocks.wOutBlock;
  return { pixels, m: tiles(pixels), k: tiles(volume(kernel) * blocks.cInBlock), n: tiles(blocks.cOutBlock) };
}

/** L1 that the backend leaves to code when it chooses buffers, and the most that an image takes, bytes. */
const CODE_BYTES = 128 * 1024;
const MOST_IMAGE_BYTES = 500 * 1024;

/**
 * Circular buffers of the conv3d kernel, bytes per core (`tt-metal:conv3d`, `ttnn:backend-0-81-1`): patches row-major and
 * tiled, weights, partial and reduced results, the result, a window for reads that DRAM does not align, and the image:
 * the input region of a block.
 */
function volumeBuffers(work: VolumeWork, chip: ChipDescription): readonly CircularBuffer[] {
  const { blocks, input } = work;
  const { pixels, m, k, n } = blockExtents(work);
  const tile = tileBytes(input.dataType);
  const isReduced = (input.shape.at(-1) ?? 1) > blocks.cInBlock;
  const partials = m * n * (isReduced && work.fp32DestAccEn ? tileBytes("f32") : tile);
  // Products in f32 are added up beside the partial results.
  const isExact = isReduced && work.fp32DestAccEn && input.dataType === "f32";
  // A row of tiles of patches is tilized while the next one is gathered, unless rows of patches fill tiles.
  const rows = Math.min(pixels, pixels % 32 === 0 ? 32 : 64);
  const fixed = [
    { name: "patches", bytes: rows * k * 32 * elementBytes(input.dataType) },
    { name: "weights", bytes: k * n * tile },
    { name: "partials", bytes: partials },
    { name: "reduced", bytes: isReduced ? partials + tile : 0 },
    { name: "sum", bytes: isExact ? partials : 0 },
    { name: "out", bytes: m * n * tile },
    { name: "bias", bytes: work.hasBias ? n * tile : 0 },
    { name: "window", bytes: windowBytes(work, chip) },
  ];
  const room = chip.l1Size - chip.l1UnreservedBase - CODE_BYTES -
    fixed.reduce((sum, { bytes }) => sum + bytes, 0);
  const tilized = tilizedRows(work, Math.floor(room / (k * tile)), chip) * k * tile;
  return [
    ...fixed,
    { name: "patches_tilized", bytes: tilized },
    { name: "image", bytes: imageBytes(work, Math.min(room - tilized, MOST_IMAGE_BYTES), chip) },
  ].filter(({ bytes }) => bytes > 0);
}

/**
 * Tile rows of patches per product: the largest divisor of the block's tile rows that is at most `most` (the rows that have
 * room) and whose results fit the destination register; one on other chips than Wormhole.
 */
function tilizedRows(work: VolumeWork, most: number, chip: ChipDescription): number {
  const { m, n } = blockExtents(work);
  const held = chip.architecture === "wormhole_b0" ? Math.floor(subblockRegisterTiles(work) / n) : 1;
  return largestDivisor(m, Math.max(1, Math.min(held, most)));
}

/** Bytes of the buffer for channels that are not aligned in a DRAM row and are read with their neighbours; 0 if aligned. */
function windowBytes({ blocks, input }: VolumeWork, { dramAlignment }: ChipDescription): number {
  const channels = blocks.cInBlock * elementBytes(input.dataType);
  const isOdd = input.placement === "dram_interleaved" && channels % dramAlignment !== 0;
  return isOdd ? roundUp(channels + dramAlignment - 1, dramAlignment) + dramAlignment : 0;
}

/**
 * Bytes of the input image of a block, 0 if it does not fit `room` or the kernel is a single element. Wide rows of all
 * channels in DRAM are read bank by bank into further rows behind the image: as many as it has, or as fit.
 */
function imageBytes(
  { blocks, kernel, stride, input }: VolumeWork,
  room: number,
  chip: ChipDescription,
): number {
  const box = [blocks.tOutBlock, blocks.hOutBlock, blocks.wOutBlock];
  const [frames = 1, height = 1, width = 1] = box.map((extent, axis) =>
    (extent - 1) * (stride[axis] ?? 1) + (kernel[axis] ?? 1)
  );
  const row = width * blocks.cInBlock * elementBytes(input.dataType);
  const image = frames * height * row;
  if (volume(kernel) === 1 || image > room) return 0;
  const isWide = input.placement === "dram_interleaved" && input.shape.at(-1) === blocks.cInBlock &&
    input.pageBytes % chip.dramAlignment === 0 && width >= 2 * chip.dramBanks;
  const rows = Math.min(frames * height, Math.floor((room - image) / row));
  return isWide && rows >= Math.min(frames * height, chip.dramBanks) ? image + rows * row : image;
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
  const compute = { ...CONV_3D_COMPUTE, ...op.config?.computeConfig };
  const { pixels, m, k, n } = blockExtents({ blocks, kernel });
  const [batch = 1, frames = 1, height = 1, width = 1] = output.shape;
  const boxes = batch * Math.ceil(frames / blocks.tOutBlock) * Math.ceil(height / blocks.hOutBlock) *
    Math.ceil(width / blocks.wOutBlock);
  const units = boxes * Math.ceil(roundUp(outChannels, 32) / blocks.cOutBlock);
  const cores = Math.max(1, Math.min(workerCores(chip), units));
  const perCore = Math.ceil(units / cores);
  const taps = volume(kernel);
  // Weights of groups are those of one, with zeros.
  const depth = Math.max(1, Math.ceil(taps * inChannels / 32));
  const work: VolumeWork = {
    blocks,
    kernel,
    stride: convolution.stride,
    input,
    hasBias: bias !== undefined,
    fp32DestAccEn: compute.fp32DestAccEn === true,
  };
  const program: ConvolutionProgram = {
    kind: "convolution",
    cores,
    circularBuffers: volumeBuffers(work, chip),
    reads: [input, weight].map(wholeTensor),
    writes: [wholeTensor(output)],
    flops: rowCount(output.shape) * outChannels * taps * inChannels * 2,
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
  };
  // Rows of the result are as long as whole tiles of channels (`ttnn:backend-0-81-1`).
  const made = withShape(output, output.shape.with(-1, roundUp(outChannels, 32)));
  return launchChain([{ tensor: made, result: 0, programs: [program] }], chip);
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
  const widened = padded === permuted ? [] : padSteps(permuted, padded, PAD_BEHIND, chip);
  return launchChain([
    chainStep(given, hostTransfer([weight])),
    chainStep(permuted, permutation(given, permuted, [2, 3, 4, 1, 0], chip), [given]),
    ...widened.map((step) => ({ ...step, frees: [permuted] })),
    chainStep(inBlocks, permutation(withShape(padded, parts), inBlocks, order, chip), [padded]),
  ], chip);
}
