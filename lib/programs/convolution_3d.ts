// SPDX-License-Identifier: Apache-2.0
import { type ChipDescription, workerCores } from "../device/chip_description.ts";
import { readInteger, readIntegers } from "../dialect/attribute_values.ts";
import { rowCount } from "../layout/extents.ts";
import { roundUp } from "../layout/make_layout.ts";
import type { Conv3dConfig } from "../op_config/op_config.ts";
import { fidelityOf } from "./matmul.ts";
import type { OpLaunch } from "./op_launch.ts";
import { inOrder, type OpPrograms, unknownPrograms } from "./program.ts";

/** Blocks if the config names none (tt-mlir conversion default, tt-mlir:conv3d-config). */
const DEFAULT_BLOCKS = { cInBlock: 32, cOutBlock: 32, tOutBlock: 1, hOutBlock: 1, wOutBlock: 1 } as const;

/** Blocks of a conv3d: channels in and out, and the box of output pixels that a core makes at a time. */
export type Conv3dBlocks = Required<Omit<Conv3dConfig, "weightsDtype" | "computeWithStorageGridSize">>;

/** Blocks that a conv3d runs with. */
export function conv3dBlocks(config: OpLaunch["config"]): Conv3dBlocks {
  return { ...DEFAULT_BLOCKS, ...(config?.kind === "conv3d" ? config.conv3dConfig ?? {} : {}) };
}

/** Programs of `conv3d`: patches of the interleaved input are gathered, tilized and multiplied block by block. */
export function volumeConvolutionPrograms(op: OpLaunch, chip: ChipDescription): OpPrograms {
  const [input, weight] = op.inputs;
  const [output] = op.outputs;
  if (input === undefined || weight === undefined || output === undefined) {
    return unknownPrograms(op.name, "needs an input, a weight and a result");
  }
  const blocks = conv3dBlocks(op.config);
  const kernel = (readIntegers(op.attributes, "kernel_size") ?? [1, 1, 1]).reduce((a, b) => a * b, 1);
  const inChannels = readInteger(op.attributes, "in_channels") ?? input.shape.at(-1) ?? 1;
  const outChannels = readInteger(op.attributes, "out_channels") ?? output.shape.at(-1) ?? 1;
  const groups = Math.max(1, readInteger(op.attributes, "groups") ?? 1);
  const pixels = blocks.tOutBlock * blocks.hOutBlock * blocks.wOutBlock;
  const [m, k, n] = [pixels / 32, kernel * blocks.cInBlock / 32, blocks.cOutBlock / 32].map(Math.ceil);
  if (m === undefined || k === undefined || n === undefined) {
    throw new RangeError("a block has three extents");
  }
  const outputPixels = rowCount(output.shape);
  const boxes = Math.ceil(outputPixels / Math.max(1, pixels));
  const units = boxes * Math.ceil(roundUp(outChannels, 32) / blocks.cOutBlock);
  const cores = Math.max(1, Math.min(workerCores(chip), units));
  const perCore = Math.ceil(units / cores);
  const depth = Math.max(1, Math.ceil(kernel * inChannels / groups / 32));
  return inOrder({
    kind: "convolution",
    cores,
    // Patches as rows and as tiles, weights, partial and reduced results, result as tiles and as rows.
    circularBuffers: [
      { name: "patches", bytes: 2 * m * k * 2048 },
      { name: "weights", bytes: k * n * 2048 },
      { name: "results", bytes: 4 * m * n * 2048 },
    ],
    reads: [{ tensor: input, bytes: input.bytes }, { tensor: weight, bytes: weight.bytes }],
    writes: [{ tensor: output, bytes: output.bytes }],
    flops: outputPixels * outChannels * kernel * inChannels * 2 / groups,
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
    fidelity: fidelityOf(op.config),
    activationType: "bf16",
    weightType: weight.dataType,
    pixels: perCore * pixels,
    readsPerPixel: kernel,
  });
}
