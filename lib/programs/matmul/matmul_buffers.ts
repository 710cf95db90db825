// SPDX-License-Identifier: Apache-2.0
import type { ChipDescription } from "../../device/chip_description.ts";
import { boundingBox, coreCount, type CoreRange, walkCores } from "../../layout/core_range.ts";
import { tileBytes } from "../../layout/data_type.ts";
import { volume } from "../../layout/extents.ts";
import type { MatmulProgramConfig } from "../../op_config/op_config.ts";
import type { CircularBuffer } from "../circular_buffer.ts";
import { dramShares, type MatmulProblem, outputBatches } from "./matmul_blocks.ts";
import { inDram, isInShards, type ProgramTensor } from "../program_tensor.ts";

export type ConfigOf<Kind extends MatmulProgramConfig["kind"]> = Extract<MatmulProgramConfig, { kind: Kind }>;
type Multicast2dConfig = ConfigOf<"matmul_multi_core_reuse_multi_cast">;
type Multicast1dConfig = ConfigOf<"matmul_multi_core_reuse_multi_cast_1d">;

/** A buffer of a matmul, before those backed by a tensor's own shard are dropped. */
interface Drawn extends CircularBuffer {
  /** The tensor whose shard serves as the buffer, so that it takes no extra L1. */
  readonly backedBy?: ProgramTensor;
}

/** Marks the buffer of a tensor that may be backed by shards on the computing cores. */
function heldBy(tensor: ProgramTensor | undefined, isHeld = true): Pick<Drawn, "backedBy"> {
  return tensor !== undefined && isHeld && isInShards(tensor) ? { backedBy: tensor } : {};
}

/**
 * Buffers of a matmul in bytes per core (`ttnn:backend-0-81-1`). Buffers backed by a tensor's own shard are not
 * listed.
 *
 * @param problem with the result's final memory
 * @param config `undefined` for the program without data reuse
 */
export function matmulBuffers(
  problem: MatmulProblem,
  config: MatmulProgramConfig | undefined,
  { dramBanks }: Pick<ChipDescription, "dramBanks">,
): readonly CircularBuffer[] {
  return drawn(problem, config, dramBanks)
    .filter(({ bytes, backedBy }) => bytes > 0 && backedBy === undefined)
    .map(({ backedBy: _, ...buffer }) => buffer);
}

function drawn(
  problem: MatmulProblem,
  config: MatmulProgramConfig | undefined,
  banks: number,
): readonly Drawn[] {
  switch (config?.kind) {
    case undefined:
      return singleTileBuffers(problem);
    case "matmul_multi_core_reuse":
      return reuseBuffers(problem, config);
    case "matmul_multi_core_reuse_multi_cast":
      return multicastBuffers(problem, config, bothAxesOperands(problem, config));
    case "matmul_multi_core_reuse_multi_cast_1d":
      if (config.gatherIn0) return ringBuffers(problem, config);
      return multicastBuffers(
        problem,
        config,
        config.mcastIn0 ? in0Operands(problem, config) : in1Operands(problem, config),
      );
    case "matmul_multi_core_reuse_multi_cast_dram_sharded":
      return dramShardedBuffers(problem, config, banks);
  }
}

/** Two tiles per tensor. */
function singleTileBuffers({ in0TileBytes, in1TileBytes, outTileBytes }: MatmulProblem): readonly Drawn[] {
  return [
    { name: "in0", bytes: 2 * in0TileBytes },
    { name: "in1", bytes: 2 * in1TileBytes },
    { name: "out", bytes: 2 * outTileBytes },
  ];
}

/**
 * Format of partial sums: f32 if the destination register accumulates in f32, bf16 if the packer accumulates
 * several K blocks in L1, else the result's.
 *
 * @param steps K blocks, or cores of a ring
 */
function partialsFormat({ compute, output }: MatmulProblem, steps: number) {
  if (compute.fp32DestAccEn) return "f32";
  return compute.packerL1Acc && steps > 1 ? "bf16" : output.dataType;
}

function kBlocks({ tilesK }: MatmulProblem, { in0BlockW }: Pick<MatmulProgramConfig, "in0BlockW">): number {
  return Math.floor(tilesK / in0BlockW);
}

/** Tile rows of one matrix in a core's share. */
function rowsPerMatrix({ tilesM }: MatmulProblem, { perCoreM }: MatmulProgramConfig): number {
  return Math.min(perCoreM, tilesM);
}

function reuseBuffers(problem: MatmulProblem, config: ConfigOf<"matmul_multi_core_reuse">): readonly Drawn[] {
  const { in0, in1, output, bias, tilesK, in0TileBytes, in1TileBytes, outTileBytes } = problem;
  const { perCoreM, perCoreN, in0BlockW } = config;
  const rows = rowsPerMatrix(problem, config);
  const area = perCoreM * perCoreN;
  const partials = partialsFormat(problem, kBlocks(problem, config));
  const in0Bytes = rows * in0BlockW * 2 * in0TileBytes;
  const copied = isInShards(in0) ? perCoreM * tilesK * in0TileBytes : in0Bytes;
  return [
    { name: "in0", bytes: in0Bytes, ...heldBy(in0) },
    { name: "in1", bytes: perCoreN * in0BlockW * 2 * in1TileBytes, ...heldBy(in1) },
    { name: "out", bytes: area * outTileBytes, ...heldBy(output) },
    { name: "partials", bytes: partials === output.dataType ? 0 : area * tileBytes(partials) },
    { name: "bias", bytes: bias === undefined ? 0 : rows * perCoreN * tileBytes(bias.dataType) },
    { name: "in0 transposed", bytes: problem.in0Transposed ? copied : 0 },
  ];
}

/**
 * Buffer depth of an operand: 2 if several blocks follow each other, so that the next is read during this
 * one.
 */
function depth(blocks: number): number {
  return blocks > 1 ? 2 : 1;
}

/** The buffers of both operands of a multicast program. */
interface OperandBuffers {
  readonly in0Tiles: number;
  /** Whether A's shard may serve as the buffer. */
  readonly isHeld: boolean;
  /** Whether the trace counts the buffer again, for cores that hold a part of A but compute nothing. */
  readonly onOthers: boolean;
  /** K blocks of B that follow each other. */
  readonly in1Steps: number;
  readonly in1IsHeld: boolean;
}

/** Operands, result, partial sums and bias of a multicast program. */
function multicastBuffers(
  problem: MatmulProblem,
  config: Multicast1dConfig | Multicast2dConfig,
  { in0Tiles, isHeld, onOthers, in1Steps, in1IsHeld }: OperandBuffers,
): readonly Drawn[] {
  const { in0, in1, in0TileBytes, in1TileBytes, output, bias, outTileBytes } = problem;
  const { outBlockH, outBlockW, in0BlockW, perCoreM, perCoreN, outSubblockW } = config;
  const bytes = in0Tiles * in0TileBytes;
  const area = outBlockH * outBlockW;
  const format = partialsFormat(problem, kBlocks(problem, config));
  const severalBlocks = perCoreM !== outBlockH || perCoreN !== outBlockW;
  const untilizes = "untilizeOut" in config && config.untilizeOut && outBlockW > outSubblockW;
  const hasPartials = format !== output.dataType || (isInShards(output) && severalBlocks) || untilizes;
  return [
    {
      name: "in0",
      bytes: (onOthers ? 2 : 1) * bytes,
      ...onOthers ? { bytesOnCore: bytes } : {},
      ...heldBy(in0, isHeld),
    },
    {
      name: "in1",
      bytes: outBlockW * in0BlockW * depth(in1Steps) * in1TileBytes,
      ...heldBy(in1, in1IsHeld),
    },
    { name: "out", bytes: area * outTileBytes, ...heldBy(output) },
    { name: "partials", bytes: hasPartials ? area * tileBytes(format) : 0 },
    {
      name: "bias",
      bytes: bias === undefined ? 0 : outBlockW * tileBytes(bias.dataType),
      ...heldBy(bias, "mcastIn0" in config && config.mcastIn0),
    },
    { name: "in0 transposed", bytes: problem.in0Transposed ? bytes : 0 },
  ];
}

function bothAxesOperands(problem: MatmulProblem, config: Multicast2dConfig): OperandBuffers {
  const { in0, in1 } = problem;
  const steps = (config.fuseBatch ? 1 : outputBatches(problem)) * kBlocks(problem, config);
  return {
    in0Tiles: config.outBlockH * config.in0BlockW * depth(steps),
    isHeld: in0.memoryLayout === "height_sharded",
    onOthers: sendsFromOtherColumns(problem, config),
    in1Steps: steps,
    in1IsHeld: !inDram(in1),
  };
}

/** Whether block shards of A are in columns of cores that compute no part of the result. */
function sendsFromOtherColumns({ in0, tilesN }: MatmulProblem, { perCoreN }: Multicast2dConfig): boolean {
  if (!isInShards(in0) || in0.memoryLayout !== "block_sharded") return false;
  const box = boundingBox(in0.coreRanges);
  return box !== undefined && box.end.x + 1 > Math.ceil(tilesN / perCoreN);
}

function in0Operands(problem: MatmulProblem, config: Multicast1dConfig): OperandBuffers {
  const { in0, batchA, batchB, tilesN } = problem;
  const { outBlockH, in0BlockW, perCoreN, fuseBatch } = config;
  const steps = kBlocks(problem, config);
  return {
    in0Tiles: outBlockH * in0BlockW * depth((fuseBatch ? 1 : batchA) * steps),
    isHeld: false,
    onOthers: isInShards(in0) && liesOutside(in0.coreRanges, Math.ceil(tilesN / perCoreN), config),
    in1Steps: (fuseBatch ? 1 : batchB) * steps,
    in1IsHeld: true,
  };
}

/** Whether some of these cores are not among the first of the config's grid in row-major order. */
function liesOutside(
  ranges: readonly CoreRange[],
  blocks: number,
  { computeWithStorageGridSize: [columns] }: Multicast1dConfig,
): boolean {
  return walkCores(ranges).some(({ x, y }) => x >= columns || y * columns + x >= blocks);
}

function in1Operands(problem: MatmulProblem, config: Multicast1dConfig): OperandBuffers {
  const { in0, batchA, batchB } = problem;
  const { outBlockH, outBlockW, in0BlockW, perCoreM, perCoreN, fuseBatch } = config;
  const steps = kBlocks(problem, config);
  const [matricesA, matricesB] = fuseBatch ? [1, 1] : [batchA, batchB];
  const holdsAll = perCoreM * steps * in0BlockW;
  // A shard of several K blocks, or one that is read again for every column of blocks, is copied first.
  const isCopied = Math.floor((in0.shardShape[1] ?? 1) / in0BlockW) > 1 ||
    (perCoreM > outBlockH && perCoreN > outBlockW);
  const in0Tiles = matricesA === 1 && matricesB > 1
    ? holdsAll
    : isInShards(in0)
    ? holdsAll * matricesA
    : outBlockH * in0BlockW * depth(matricesA * steps);
  return { in0Tiles, isHeld: !isCopied, onOthers: false, in1Steps: matricesB * steps, in1IsHeld: false };
}

/** `gather_in0`: parts of A circulate in a ring of cores. */
function ringBuffers(problem: MatmulProblem, config: Multicast1dConfig): readonly Drawn[] {
  const { in0, in1, output, in0TileBytes, in1TileBytes } = problem;
  const { perCoreM, perCoreN } = config;
  const ring = coreCount(in0.coreRanges);
  const width = in0.shardShape[1] ?? 1;
  const format = partialsFormat(problem, ring);
  const received = ring > 1 ? (ring - 1) * width * perCoreM : 1;
  const buffers: readonly Drawn[] = [
    { name: "in1", bytes: 2 * width * perCoreN * in1TileBytes, ...heldBy(in1, !inDram(in1)) },
    { name: "in0 of others", bytes: received * in0TileBytes },
    { name: "signal", bytes: RING_SIGNAL_BYTES },
    { name: "sync", bytes: RING_SIGNAL_BYTES },
    {
      name: "partials",
      bytes: format === output.dataType ? 0 : perCoreM * perCoreN * tileBytes(format),
    },
  ];
  return buffers.map((buffer) => ({ ...buffer, kind: "circular" }));
}

/** Bytes of each of two signal buffers of a ring (`ttnn:backend-0-81-1`). */
const RING_SIGNAL_BYTES = 16;

/** DRAM-sharded: each bank's workers multiply their bank's part, with K blocks triple-buffered. */
function dramShardedBuffers(
  problem: MatmulProblem,
  config: ConfigOf<"matmul_multi_core_reuse_multi_cast_dram_sharded">,
  banks: number,
): readonly Drawn[] {
  const { in0, output, bias, in0TileBytes, in1TileBytes, outTileBytes } = problem;
  const { in0BlockW, numWorkersPerDramBank } = config;
  const { held, width } = dramShares(problem, banks, numWorkersPerDramBank);
  const steps = kBlocks(problem, config);
  const format = partialsFormat(problem, steps);
  const gathers = in0BlockW > (in0.shardShape[1] ?? 1);
  return [
    { name: "in0", bytes: depth(steps) * in0BlockW * in0TileBytes },
    { name: "in0 of several shards", bytes: gathers ? in0BlockW * in0TileBytes : 0, kind: "scratch" },
    { name: "in1", bytes: (steps > 1 ? 3 : 1) * in0BlockW * held * in1TileBytes },
    { name: "bias", bytes: bias === undefined ? 0 : width * tileBytes(bias.dataType) },
    { name: "out", bytes: width * outTileBytes },
    { name: "partials", bytes: format === output.dataType ? 0 : width * tileBytes(format) },
  ];
}

/** Why an operand's shard is too small to serve as its buffer; `undefined` if it is not, or the program multicasts no A. */
export function backedBufferFault(problem: MatmulProblem, config: MatmulProgramConfig): string | undefined {
  if (config.kind !== "matmul_multi_core_reuse_multi_cast" && !isIn0Multicast(config)) return undefined;
  const small = drawn(problem, config, 1).find(({ bytes, backedBy }) =>
    backedBy !== undefined && backedBy !== problem.output &&
    bytes > volume(backedBy.shardShape) * tileBytes(backedBy.dataType)
  );
  return small === undefined
    ? undefined
    : `the buffer of ${small.name} is larger than the shard that it would be`;
}

function isIn0Multicast(config: MatmulProgramConfig): boolean {
  return config.kind === "matmul_multi_core_reuse_multi_cast_1d" && config.mcastIn0;
}
