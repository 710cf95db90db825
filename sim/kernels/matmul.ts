// SPDX-License-Identifier: Apache-2.0
import { tileBytes } from "../../lib/layout/data_type.ts";
import { greatestCommonDivisor } from "../../lib/layout/extents.ts";
import type { MathFidelity } from "../../lib/op_config/math_fidelity.ts";
import { matmulDramTensors } from "../../lib/programs/matmul/matmul.ts";
import {
  blockedRows,
  type MatmulBlocks,
  type MatmulProblem,
} from "../../lib/programs/matmul/matmul_blocks.ts";
import type { MatmulProgram } from "../../lib/programs/program.ts";
import { inDram, type ProgramTensor } from "../../lib/programs/program_tensor.ts";
import { type Device, idealTileCycles } from "../devices/device.ts";
import { dramCycles, dramFloorCycles, shortPageBytes } from "./dram.ts";
import { FREE, type KernelCost, smoothMax, tileWorkCycles } from "./kernel.ts";

/** Bytes of a tile of the first and of the second operand. */
export type OperandTileBytes = readonly [in0: number, in1: number];

/**
 * Cycles of one 32x32x32 tile matmul with operands in L1: the larger of the matrix engine's and the
 * unpackers'. Operands are reused inside a subblock of the destination register, so smaller subblocks unpack
 * more per tile matmul; along the longer side of the subblock every product unpacks a new tile.
 */
export function matmulTileCycles(
  device: Device,
  fidelity: MathFidelity,
  [in0Bytes, in1Bytes]: OperandTileBytes,
  subblockH: number,
  subblockW: number,
): number {
  const { tileScale, tileOffset, unpackPerKib, unpackReuse } = device.matmul;
  const math = idealTileCycles(device, fidelity) * tileScale + tileOffset;
  const streamed = subblockW >= subblockH ? in1Bytes : in0Bytes;
  const reloaded = in0Bytes / subblockW + in1Bytes / subblockH;
  const unpack = unpackPerKib / 1024 * (streamed + unpackReuse * reloaded);
  return Math.max(math, unpack);
}

/** One K block of one core's output block, as the compute threads see it. Extents in tiles. */
export interface BlockCompute {
  readonly outBlockH: number;
  readonly outBlockW: number;
  readonly in0BlockW: number;
  /** Height and width of a subblock. */
  readonly subblock: readonly [number, number];
  readonly tileBytes: OperandTileBytes;
  readonly fidelity: MathFidelity;
  /**
   * Treatment of partial sums before the last K block: unpacked again in every block, or accumulated in L1 by
   * the packer.
   */
  readonly partials: "none" | "reloaded" | "added_in_l1";
}

/**
 * Cycles of the compute threads for one K block: tile matmuls, packing, subblocks, partial sums. Accumulation
 * in L1: the packer reads and writes each tile; a lower bound, reached by short K blocks (published:ops-3, 1
 * and 2 tiles on Wormhole).
 */
export function blockComputeCycles(block: BlockCompute, device: Device): number {
  const [height, width] = block.subblock;
  const tiles = block.outBlockH * block.outBlockW;
  const tile = matmulTileCycles(device, block.fidelity, block.tileBytes, height, width);
  const multiplied = tiles * block.in0BlockW * tile + tiles * device.matmul.packTile +
    tiles / (height * width) * device.matmul.subblock;
  switch (block.partials) {
    case "none":
      return multiplied;
    case "reloaded":
      return multiplied + tiles * device.matmul.reloadTile;
    case "added_in_l1":
      return Math.max(multiplied, tiles * device.matmul.addTile);
  }
}

/**
 * Time of a blocked matmul. One RISC gathers each K block (its sender reads and multicasts it) while the
 * previous one is multiplied. With a single K block the buffers are single and nothing overlaps. Output
 * blocks run in sequence: each is written before its buffer is reused.
 */
export function matmulCost(program: MatmulProgram, device: Device): KernelCost {
  const { problem, blocks, fidelity, cores } = program;
  const { outBlockH, outBlockW, in0BlockW, outSubblockH, outSubblockW, batches } = blocks;
  const kBlocks = Math.ceil(problem.tilesK / in0BlockW);
  const outBlocks = Math.ceil(blocks.perCoreM / outBlockH) * Math.ceil(blocks.perCoreN / outBlockW);
  const tiles = outBlockH * outBlockW;
  const compute = blockComputeCycles({
    outBlockH,
    outBlockW,
    in0BlockW,
    subblock: [outSubblockH, outSubblockW],
    tileBytes: [problem.in0TileBytes, problem.in1TileBytes],
    fidelity,
    partials: kBlocks === 1 ? "none" : problem.compute.packerL1Acc ? "added_in_l1" : "reloaded",
  }, device);
  const gather = gatherCycles(problem, blocks, cores, device);
  const write = writeCycles(problem, blocks, tiles, cores, device);
  const steps = batches * outBlocks * kBlocks;
  const rounds = batches * outBlocks;
  // The first block is gathered without overlap, the last one multiplied without overlap.
  const hidden = kBlocks === 1 ? 0 : batches * (outBlocks * kBlocks - 1);
  const busy = hidden * stepCycles(compute, gather, problem, blocks, device) +
    (steps - hidden) * (compute + gather) +
    (rounds - 1) * (write + device.matmul.roundSync) +
    biasCycles(program, compute, device) + activationCycles(program, device);
  const fromDram = matmulDramTensors(problem);
  // The startup is for many cores: a single core starts later by the spread and ends at the same time (see
  // `launchMicroseconds`).
  const startup = device.matmul.startup - (cores > 1 ? 0 : device.stream.spread);
  const cycles = Math.max(startup + busy + write, dramFloorCycles(device, fromDram));
  return {
    ...FREE,
    cycles,
    read: rounds * kBlocks * gather,
    compute: rounds * kBlocks * compute,
    write: rounds * write,
    drain: write,
    cores,
    dramBytes: fromDram.reduce((sum, tensor) => sum + tensor.bytes, 0),
    nocBytes: nocBytes(problem, blocks, cores),
    flops: program.flops,
  };
}

/**
 * Cycles of one K block, gathered while another is multiplied: a smooth maximum of the two (`overlap`), since they hinder
 * each other where they take alike. DRAM shards of B: senders and receivers
 * synchronise per block (`shardedBlock` cycles). `dram_sharded`: several blocks are in flight, the largest of
 * gather, compute and synchronisation counts. `mcast_2d`: a column's sender restarts after every block,
 * synchronisation is added (published:ops-2, prefill of a 30B model: 305 cycles for each of 16 to 78 tile
 * columns, and 880 more per block).
 */
function stepCycles(
  compute: number,
  gather: number,
  { in1 }: MatmulProblem,
  { dataflow }: MatmulBlocks,
  device: Device,
): number {
  const { overlap, shardedBlock } = device.matmul;
  if (dataflow === "dram_sharded") return Math.max(compute, gather, shardedBlock);
  const agreed = dataflow === "mcast_2d" && in1.placement === "dram_sharded" ? shardedBlock : 0;
  return smoothMax(compute, gather, overlap) + agreed;
}

/**
 * Cycles of a bias row: read after the last block of B, in parallel with the last block's multiplication,
 * once per column of blocks; then every output tile is processed once more.
 */
function biasCycles({ problem, blocks, cores }: MatmulProgram, compute: number, device: Device): number {
  const { bias } = problem;
  if (bias === undefined) return 0;
  const { batches, perCoreM, perCoreN, outBlockW } = blocks;
  const biasBytes = tileBytes(bias.dataType);
  const read = pathCycles(bias, outBlockW, biasBytes, senders(blocks, cores).in1.receivers, device);
  const added = batches * Math.min(perCoreM, blockedRows(problem, blocks)) * perCoreN *
    device.tensix.eltwiseTile;
  return Math.ceil(perCoreN / outBlockW) * Math.max(0, read - compute) + added;
}

/** Cycles of a fused activation: one pass over every output tile after its last K block. */
function activationCycles({ problem, blocks, activation }: MatmulProgram, device: Device): number {
  const { batches, perCoreM, perCoreN } = blocks;
  const rows = Math.min(perCoreM, blockedRows(problem, blocks));
  return batches * rows * perCoreN * tileWorkCycles(activation, device);
}

/** Cycles in which one K block of both operands reaches the cores. */
function gatherCycles(problem: MatmulProblem, blocks: MatmulBlocks, cores: number, device: Device): number {
  const in0Tiles = blocks.in0BlockW * blocks.outBlockH;
  const in1Tiles = blocks.in0BlockW * blocks.outBlockW;
  const { in0, in1, in0TileBytes, in1TileBytes } = problem;
  const sent = senders(blocks, cores);
  // Cores at the edge read only the existing part of their block.
  const in0Bytes = Math.min(sent.in0.readers * in0Tiles, blocks.in0BlockW * blockedRows(problem, blocks)) *
    in0TileBytes;
  const in1Bytes = Math.min(sent.in1.readers * in1Tiles, blocks.in0BlockW * problem.tilesN) * in1TileBytes;
  const share = inputReadShare(problem, blocks, device);
  const fromDram = (tensor: ProgramTensor, bytes: number, share: number) =>
    inDram(tensor) ? dramCycles(device, shortPageBytes(device, bytes, tensor), share) : 0;
  const in0Share = blocks.dataflow === "mcast_in1" ? device.matmul.rowsReadShare : share;
  const shared = fromDram(in0, in0Bytes, in0Share) +
    fromDram(in1, in1Bytes, share) / banksInUse(problem, blocks, device);
  const in0Path = pathCycles(in0, in0Tiles, in0TileBytes, sent.in0.receivers, device);
  // A bank's own reader requests whole bursts, and the next block before the last one has arrived.
  const in1Path = blocks.dataflow === "dram_sharded"
    ? in1Tiles * in1TileBytes / device.noc.readBytesPerCycle
    : pathCycles(in1, in1Tiles, in1TileBytes, sent.in1.receivers, device);
  // Without multicast one reader fetches both operands sequentially.
  const paths = blocks.dataflow === "reuse" || blocks.dataflow === "single_tile"
    ? in0Path + in1Path
    : Math.max(in0Path, in1Path);
  // Senders multicast at different times, so the banks are always busy.
  return Math.max(paths, shared);
}

/** Cycles in which a sender reads `tiles` and multicasts them, or a core reads them for itself. */
function pathCycles(
  tensor: ProgramTensor,
  tiles: number,
  tileBytes: number,
  receivers: number,
  { matmul, noc }: Device,
): number {
  // Before a block is sent, every receiver signals that it has room.
  const multicast = receivers === 0
    ? 0
    : receivers * matmul.receiver + tiles * tileBytes / noc.multicastBytesPerCycle;
  if (tensor.placement === "l1_sharded") return receivers === 0 ? 0 : matmul.multicastLatency + multicast;
  // A bank's shard stores the tiles of a block row contiguously: one transaction for all of them.
  const issue = tensor.placement === "dram_sharded" ? 0 : matmul.tileIssue;
  const read = tiles * Math.max(issue, tileBytes / noc.readBytesPerCycle);
  return matmul.senderLatency + read + multicast;
}

/**
 * Share of DRAM banks that the readers of B use at a time: min(1, 2 `in0BlockW` / gcd(`tilesK`, banks)) if B
 * is transposed and interleaved. Multicast keeps the readers within two K blocks; tiles of equal K are
 * `tilesK` pages apart, so few banks hold them (published:ops-2, Qwen 3 4B on Blackhole, 80 tiles of K in
 * blocks of 2: 4 of 8 banks, 84 us instead of 60 with all banks).
 */
function banksInUse(problem: MatmulProblem, blocks: MatmulBlocks, { dram }: Device): number {
  const { in1, in1Transposed, tilesK } = problem;
  const inStep = blocks.dataflow === "mcast_in0" || blocks.dataflow === "mcast_2d";
  if (!in1Transposed || !inStep || in1.placement !== "dram_interleaved") return 1;
  return Math.min(1, 2 * blocks.in0BlockW / greatestCommonDivisor(tilesK, dram.banks));
}

/**
 * Share of the DRAM bandwidth that the readers reach: lower for a row and a column of senders than for all
 * cores.
 */
function inputReadShare(problem: MatmulProblem, blocks: MatmulBlocks, device: Device): number {
  if (problem.in1.placement === "dram_sharded") return device.dram.shardedReadShare;
  return blocks.dataflow === "mcast_2d" || blocks.dataflow === "mcast_in1"
    ? device.matmul.inputReadShare
    : device.dram.interleavedReadShare;
}

/**
 * Of both operands: how many cores read their block from memory at the same time, and how many cores they multicast it to;
 * 0 where every core reads for itself.
 */
function senders({ dataflow, gridX, gridY }: MatmulBlocks, cores: number) {
  const [across, down] = [Math.min(gridX, cores), Math.min(gridY, cores)];
  const own = { readers: cores, receivers: 0 };
  const shared = { readers: 1, receivers: cores };
  switch (dataflow) {
    case "mcast_2d":
      return { in0: { readers: down, receivers: across }, in1: { readers: across, receivers: down } };
    case "mcast_in0":
    case "dram_sharded":
      return { in0: shared, in1: own };
    case "mcast_in1":
      return { in0: own, in1: shared };
    default:
      return { in0: own, in1: own };
  }
}

/**
 * Cycles in which each core writes one output block to interleaved memory; sharded outputs are computed in
 * place.
 */
function writeCycles(
  problem: MatmulProblem,
  { dataflow }: MatmulBlocks,
  tiles: number,
  cores: number,
  device: Device,
): number {
  const { output, outTileBytes } = problem;
  if (output.placement === "l1_sharded") return 0;
  const bytes = tiles * outTileBytes;
  const own = tiles * Math.max(device.noc.writeIssue, outTileBytes / device.noc.writeBytesPerCycle);
  if (!inDram(output)) return Math.max(own, bytes * cores / device.noc.allToAllChipBytesPerCycle);
  const share = dataflow === "mcast_in1" ? device.matmul.rowsWriteShare : device.matmul.outputWriteShare;
  return Math.max(own, dramCycles(device, bytes * cores, share));
}

/** Bytes that enter cores through the network: every multicast counts once per receiver. */
function nocBytes(problem: MatmulProblem, blocks: MatmulBlocks, cores: number): number {
  const perCore = blocks.perCoreM * problem.tilesK * problem.in0TileBytes +
    blocks.perCoreN * problem.tilesK * problem.in1TileBytes;
  const local = problem.in0.placement === "l1_sharded" && blocks.dataflow === "mcast_in1"
    ? blocks.perCoreM * problem.tilesK * problem.in0TileBytes
    : 0;
  const written = problem.output.placement === "l1_sharded" ? 0 : problem.output.bytes;
  return cores * blocks.batches * (perCore - local) + written;
}
