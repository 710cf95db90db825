// SPDX-License-Identifier: Apache-2.0
import { tileBytes } from "../../lib/layout/data_type.ts";
import type {
  AttentionChunks,
  AttentionDecodeProgram,
  AttentionProgram,
} from "../../lib/programs/program.ts";
import type { ProgramBase } from "../../lib/programs/program_work.ts";
import type { Device } from "../devices/device.ts";
import { bytesInDram, dramCycles, interleavedReadCycles } from "./dram.ts";
import { FREE, type KernelCost, smoothMax } from "./kernel.ts";
import { matmulTileCycles } from "./matmul.ts";

/**
 * Flash attention over a whole sequence (prefill), in rounds of one unit per core; in the last round the
 * remaining cores share all of DRAM. Each step multiplies one chunk of keys while the next one is read.
 */
export function attentionCost(program: AttentionProgram, device: Device): KernelCost {
  const { cores, units, blocks, steps } = program;
  const compute = stepCompute(program, device);
  // With forwarding, a block begins when its first chunk has passed all cores: longer chunks take longer
  // (published:ops-2, p100, chunks of 128, 256 and 512 keys).
  const unit = (active: number) =>
    blocks * device.attention.block + (program.forwards ? stepRead(program, active, device) : 0) +
    steps * overlapped(compute, stepRead(program, active, device));
  // A core whose chunks are forwarded by its neighbour only waits for them.
  const overlapped = (own: number, read: number) =>
    program.forwards ? Math.max(own, read) : smoothMax(own, read, device.matmul.overlap);
  const full = Math.floor(units / cores);
  const rest = units - full * cores;
  const rounds = Math.ceil(units / cores);
  const busy = full * unit(cores) + (rest > 0 ? unit(rest) : 0);
  const dramBytes = program.forwards ? operandBytes(program) : units * steps * chunkBytes(program);
  return {
    ...FREE,
    cycles: Math.max(device.attention.startup + busy, floorOf(program, device)),
    read: full * steps * stepRead(program, cores, device) +
      (rest > 0 ? steps * stepRead(program, rest, device) : 0),
    compute: rounds * steps * compute,
    cores,
    dramBytes,
    nocBytes: units * steps * chunkBytes(program),
    flops: program.flops,
  };
}

/**
 * Flash decoding: a fixed time, the groups of a core one after another, the cache at the readers' rate. Cores
 * that share a head add their partial results in a binary tree (tt-metal:sdpa).
 */
export function attentionDecodeCost(program: AttentionDecodeProgram, device: Device): KernelCost {
  const { cores, groups, steps, streamedBytes } = program;
  const tile = tileBytes(program.keyType);
  const own = groups * steps * chunkTiles(program) * readerTile(tile, device);
  const shared = sharedRead(program, streamedBytes, device);
  const read = smoothMax(own, shared, device.stream.sharingOverlap);
  const compute = groups * steps * stepCompute(program, device);
  const { decodeStartup, headGroup, combineTile, maskTile } = device.attention;
  // Keys after the newest one are masked in the last chunk, whose mask the writer fills tile by tile.
  const mask = program.byPosition ? program.keyTiles * maskTile : 0;
  const combine = Math.ceil(Math.log2(program.sharers)) * program.valueTiles * combineTile;
  const cycles = decodeStartup + mask + groups * (headGroup + combine) +
    smoothMax(compute, read, device.matmul.overlap);
  return {
    ...FREE,
    cycles: Math.max(cycles, floorOf(program, device)),
    read,
    compute,
    cores,
    dramBytes: streamedBytes,
    nocBytes: streamedBytes,
    flops: program.flops,
  };
}

/** Cycles of the compute threads per key chunk: two matmuls and the softmax of each score tile. */
function stepCompute(chunks: AttentionChunks, device: Device): number {
  const { queryTiles, keyTiles, headTiles, valueTiles } = chunks;
  const bytes = tileBytes(chunks.keyType);
  const product = matmulTileCycles(device, chunks.fidelity, [tileBytes("bf16"), bytes], 2, 4);
  const { score, wideScore, row, step } = device.attention;
  const perScore = (headTiles + valueTiles) * product + score + (chunks.wide ? wideScore : 0);
  return step + queryTiles * (keyTiles * perScore + row);
}

/** Cycles in which one chunk of keys and values reaches each of this many cores. */
function stepRead(program: AttentionProgram, active: number, device: Device): number {
  const bytes = tileBytes(program.keyType);
  const tiles = chunkTiles(program);
  const mask = active * program.maskBytes;
  if (program.forwards) {
    return Math.max(tiles * device.attention.forwardedTile, sharedRead(program, mask, device));
  }
  const shared = sharedRead(program, active * tiles * bytes + mask, device);
  return smoothMax(tiles * readerTile(bytes, device), shared, device.stream.sharingOverlap);
}

/** Cycles in which all cores read `bytes` from DRAM; cores in few grid columns share fewer routes. */
function sharedRead(chunks: AttentionChunks, bytes: number, device: Device): number {
  const cycles = interleavedReadCycles(device, bytes, tileBytes(chunks.keyType));
  return cycles / chunks.columnShare ** device.attention.columnExponent;
}

/** Cycles of one core's reader per tile of keys or values. */
function readerTile(bytes: number, device: Device): number {
  return device.attention.readerTile + bytes / device.noc.readBytesPerCycle;
}

function chunkTiles({ keyTiles, streamedTiles }: AttentionChunks): number {
  return keyTiles * streamedTiles;
}

function chunkBytes(program: AttentionProgram): number {
  return chunkTiles(program) * tileBytes(program.keyType);
}

function operandBytes({ reads, writes }: ProgramBase): number {
  return bytesInDram([...reads, ...writes]);
}

/** Lower bound of attention: its operands' bytes over the DRAM interface. */
function floorOf(program: ProgramBase, device: Device): number {
  return dramCycles(device, operandBytes(program), 1);
}
