// SPDX-License-Identifier: Apache-2.0
import { type ChipDescription, workerCores } from "../device/chip_description.ts";
import {
  type DeviceProgram,
  type HostTransfer,
  inOrder,
  type KnownPrograms,
  NO_PROGRAMS,
  type OpLaunch,
  type OpPrograms,
  type StreamProgram,
  type TransferProgram,
  unknownPrograms,
} from "./program.ts";
import { inDram, isInterleaved, isPresent, type ProgramTensor, sameShards } from "./program_tensor.ts";
import { streamProgram, wholeTensor } from "./stream.ts";

/**
 * A tensor from one layout to another: interleaved to sharded and back, shards to other shards, tilize and untilize,
 * format changes.
 */
export function relayout(input: ProgramTensor, output: ProgramTensor, chip: ChipDescription): KnownPrograms {
  if (input.placement === "host" || output.placement === "host") {
    return inOrder(hostTransfer([input, output]));
  }
  const sameForm = input.tiled === output.tiled && input.dataType === output.dataType;
  if (sameForm && (sameShards(input, output) || sameBanks(input, output))) return NO_PROGRAMS;
  return inOrder(relayoutProgram(input, output, chip));
}

/** Whether two interleaved tensors lie in the same memory. */
function sameBanks(input: ProgramTensor, output: ProgramTensor): boolean {
  return isInterleaved(input) && input.placement === output.placement;
}

/** The program of {@linkcode relayout} on the device. */
function relayoutProgram(input: ProgramTensor, output: ProgramTensor, chip: ChipDescription): DeviceProgram {
  const sharded = input.placement === "l1_sharded" || output.placement === "l1_sharded";
  if (!sharded) return pageConversion(input, output, chip);
  if (input.tiled !== output.tiled) return shardConversion(input, output);
  return shardTransfer(input, output);
}

/** Tilize, untilize, typecast or copy between interleaved buffers: one row of tiles (or page) is a unit of work. */
function pageConversion(input: ProgramTensor, output: ProgramTensor, chip: ChipDescription): StreamProgram {
  if (input.tiled === output.tiled) {
    return streamProgram({
      units: output.pages,
      reads: [wholeTensor(input)],
      writes: [wholeTensor(output)],
      compute: input.dataType === output.dataType ? [] : [{ operation: "eltwise", count: 1 }],
    }, chip);
  }
  const tiled = input.tiled ? input : output;
  const rowsOfTiles = Math.max(1, Math.ceil(tiled.extent[0] / 32));
  // Few and wide rows are tilized column by column.
  const rows = output.tiled && rowsOfTiles * 4 < workerCores(chip)
    ? Math.max(rowsOfTiles, tiled.tiles)
    : rowsOfTiles;
  const tilesPerRow = Math.max(1, tiled.tiles / rows);
  // The tiled side waits tile by tile, the row-major side once per row of tiles; where padding has to be added or taken
  // off, once per row of elements.
  const rowMajor = input.tiled ? output : input;
  const sticks = isPadded(rowMajor) ? Math.max(1, Math.min(32, rowMajor.extent[0] / rowsOfTiles)) : 1;
  return streamProgram({
    units: rows,
    reads: [wholeTensor(input)],
    writes: [wholeTensor(output)],
    compute: output.tiled
      ? [{ operation: "tilize", count: tilesPerRow }]
      : [{ operation: "untilize_row", count: 1 }, { operation: "untilize", count: tilesPerRow }],
    readBarriers: output.tiled ? sticks : tilesPerRow,
    writeBarriers: output.tiled ? tilesPerRow : sticks,
  }, chip);
}

/** Whether the last two extents do not fill whole tiles. */
function isPadded({ shape }: ProgramTensor): boolean {
  return (shape.at(-1) ?? 1) % 32 !== 0 || (shape.at(-2) ?? 1) % 32 !== 0;
}

/** Tilize or untilize of shards, in place or towards interleaved memory. */
function shardConversion(input: ProgramTensor, output: ProgramTensor): TransferProgram {
  const cores = Math.max(1, output.placement === "l1_sharded" ? output.shardCores : input.shardCores);
  const tiles = Math.ceil(Math.max(input.tiles, output.tiles) / cores);
  const tiled = input.tiled ? input : output;
  const rows = tiled.placement === "l1_sharded"
    ? tiled.shardShape[0] ?? 1
    : Math.ceil(tiled.extent[0] / 32 / cores);
  const resident = input.placement === "l1_sharded" && output.placement === "l1_sharded";
  const source: ProgramTensor = input.placement === "l1_sharded"
    ? { ...output, placement: "l1_sharded" }
    : input;
  return {
    ...shardTransfer(source, output),
    cores,
    compute: output.tiled
      ? [{ operation: "tilize", count: tiles }]
      : [{ operation: "untilize_row", count: rows }, { operation: "untilize", count: tiles }],
    moves: !resident,
  };
}

/**
 * Pages from or to shards: the cores with the shards read or write what they need, page by page without waiting in
 * between, while all of them share DRAM (derived:cost-model). Congestion on the network is added where flows are known.
 *
 * @param stages whether rows of elements from DRAM go through a staging buffer, one by one, as `interleaved_to_sharded`
 *   has them
 */
export function shardTransfer(
  input: ProgramTensor,
  output: ProgramTensor,
  stages = true,
): TransferProgram {
  const pulls = output.placement === "l1_sharded";
  const [shards, pages] = pulls ? [output, input] : [input, output];
  const cores = Math.max(1, shards.shardCores);
  const transactionBytes = Math.max(1, Math.min(pages.pageBytes, shards.pageBytes));
  const perCore = shards.shardBytes === 0 ? shards.bytes / cores : shards.shardBytes;
  const transactions = Math.ceil(perCore / transactionBytes);
  const converts = input.dataType !== output.dataType && output.tiled;
  return {
    kind: "transfer",
    cores,
    circularBuffers: [],
    reads: [wholeTensor(input)],
    writes: [wholeTensor(output)],
    flops: 0,
    launches: 1,
    input,
    output,
    pulls,
    transactions,
    transactionBytes,
    staged: stages && pulls && !pages.tiled && inDram(pages),
    shortCopies: stages ? 0 : transactions,
    compute: converts ? [{ operation: "eltwise", count: Math.ceil(output.tiles / cores) }] : [],
    moves: true,
  };
}

/** Tensors over PCIe between host and device: as long as the largest takes. */
export function hostTransfer(tensors: readonly ProgramTensor[]): HostTransfer {
  return {
    kind: "host_transfer",
    cores: 0,
    circularBuffers: [],
    reads: [],
    writes: [],
    flops: 0,
    launches: 1,
    bytes: tensors.reduce((largest, tensor) => Math.max(largest, tensor.bytes), 0),
  };
}

/** `assign` and `copy`: a second tensor, also where nothing changes. */
function copyPrograms(input: ProgramTensor, output: ProgramTensor, chip: ChipDescription): KnownPrograms {
  if (input.placement === "host" || output.placement === "host") {
    return inOrder(hostTransfer([input, output]));
  }
  return inOrder(relayoutProgram(input, output, chip));
}

/** `to_layout` and `to_memory_config`, which do nothing where nothing changes, and copies, which do. */
export function layoutChangePrograms(op: OpLaunch, chip: ChipDescription): OpPrograms {
  const [input] = op.inputs;
  const [output] = op.outputs;
  return input === undefined || output === undefined
    ? unknownPrograms(op.name, "needs an input and a result")
    : op.name === "ttnn.assign" || op.name === "ttnn.copy"
    ? copyPrograms(input, output, chip)
    : relayout(input, output, chip);
}

/** Ops that bring tensors from the host to the device or back. */
export function hostTransferPrograms(op: OpLaunch): OpPrograms {
  return inOrder(hostTransfer([...op.inputs, ...op.outputs].filter(isPresent)));
}
