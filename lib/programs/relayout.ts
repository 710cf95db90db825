// SPDX-License-Identifier: Apache-2.0
import { enumWord } from "../dialect/attribute_values.ts";
import { definitionOf } from "../ops/op_book.ts";
import type { ChipDescription } from "../device/chip_description.ts";
import type { OpLaunch } from "./op_launch.ts";
import type { CircularBuffer } from "./circular_buffer.ts";
import {
  type DeviceProgram,
  type HostTransfer,
  inOrder,
  type KnownPrograms,
  NO_PROGRAMS,
  type OpPrograms,
  type StreamProgram,
  type TransferProgram,
  unknownPrograms,
} from "./program.ts";
import { inDram, isInShards, isPresent, type ProgramTensor } from "./program_tensor.ts";
import { pageBuffer, streamProgram, wholeTensor } from "./stream.ts";
import { tilizeBuffers, tilizeProgram } from "./tilize.ts";
import { keepsPlace } from "./view.ts";

/** Transactions that interleaved_to_sharded keeps in flight (tt-metal `num_trids`; recorded: 4 tiles). */
const SCRATCH_PAGES = 4;

/**
 * A tensor from one layout to another: interleaved to sharded and back, shards to other shards, tilize and untilize,
 * format changes.
 */
export function relayout(input: ProgramTensor, output: ProgramTensor, chip: ChipDescription): KnownPrograms {
  if (input.placement === "host" || output.placement === "host") {
    return inOrder(hostTransfer([input, output]));
  }
  return keepsPlace(input, output) ? NO_PROGRAMS : inOrder(relayoutProgram(input, output, chip));
}

/** The program of {@linkcode relayout} on the device. */
function relayoutProgram(input: ProgramTensor, output: ProgramTensor, chip: ChipDescription): DeviceProgram {
  const sharded = input.placement === "l1_sharded" || output.placement === "l1_sharded";
  if (!sharded) return pageConversion(input, output, chip);
  if (input.tiled !== output.tiled) return shardConversion(input, output, chip);
  return shardTransfer(input, output);
}

/** Copy between interleaved buffers page by page; tilize and untilize where pages change. */
function pageConversion(input: ProgramTensor, output: ProgramTensor, chip: ChipDescription): StreamProgram {
  if (input.tiled !== output.tiled) return tilizeProgram(input, output, chip);
  return streamProgram({
    units: output.pages,
    reads: [wholeTensor(input)],
    writes: [wholeTensor(output)],
    compute: input.dataType === output.dataType ? [] : [{ operation: "eltwise", count: 1 }],
    circularBuffers: copyBuffers(input, output),
  }, chip);
}

/** Two pages in flight; two more where the format changes. */
function copyBuffers(input: ProgramTensor, output: ProgramTensor): readonly CircularBuffer[] {
  const read = pageBuffer("in0", 2, input);
  return input.dataType === output.dataType ? [read] : [read, pageBuffer("out", 2, output)];
}

/**
 * Circular buffers between shards and pages: the shards' own buffer lies on the tensor and is free, pages on the way
 * into shards have a scratch (tt-metal:reshard).
 */
function transferBuffers(input: ProgramTensor, output: ProgramTensor): readonly CircularBuffer[] {
  const converts = input.dataType !== output.dataType;
  if (!isInShards(output)) return copyBuffers(input, output);
  if (isInShards(input)) return converts ? copyBuffers(input, output) : [];
  const scratch = pageBuffer("scratch", SCRATCH_PAGES, output);
  return converts ? [scratch, pageBuffer("in0", 2, input)] : [scratch];
}

/** Tilize or untilize of shards, in place or towards interleaved memory. */
function shardConversion(
  input: ProgramTensor,
  output: ProgramTensor,
  chip: ChipDescription,
): TransferProgram {
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
    circularBuffers: resident ? [] : tilizeBuffers(input, output, chip),
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
    circularBuffers: transferBuffers(input, output),
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

/** `assign`, and `copy` into a tensor that is there: the bytes move, also where nothing changes. */
function copyPrograms(input: ProgramTensor, output: ProgramTensor, chip: ChipDescription): KnownPrograms {
  if (input.placement === "host" || output.placement === "host") {
    return inOrder(hostTransfer([input, output]));
  }
  return inOrder({ ...relayoutProgram(input, output, chip), circularBuffers: copyBuffers(input, output) });
}

/** `to_layout` and `to_memory_config`, which do nothing where nothing changes, and copies, which do. */
export function layoutChangePrograms(op: OpLaunch, chip: ChipDescription): OpPrograms {
  const { family } = definitionOf(op.name);
  const [input, target] = op.inputs;
  const [output] = family === "copy" ? [target] : op.outputs;
  return input === undefined || output === undefined
    ? unknownPrograms(
      op.name,
      family === "copy" ? "needs a source and a target" : "needs an input and a result",
    )
    : family === "assign" || family === "copy"
    ? copyPrograms(input, output, chip)
    : relayout(input, output, chip);
}

/**
 * Ops that bring tensors from the host to the device or back. A `mesh_shard` of type identity hands its tensor on, which
 * is on its chips already (tt-mlir:mesh-shard).
 */
export function hostTransferPrograms(op: OpLaunch): OpPrograms {
  if (enumWord(op.attributes.get("shard_type")) === "identity") return NO_PROGRAMS;
  return inOrder(hostTransfer([...op.inputs, ...op.outputs].filter(isPresent)));
}
