// SPDX-License-Identifier: Apache-2.0
import type { ChipDescription } from "../device/chip_description.ts";
import { tileBytes } from "../layout/data_type.ts";
import type {
  ComputeKernelConfig,
  MathFidelity,
  MatmulProgramConfig,
  OpSpecificAttributes,
} from "../op_config/op_config.ts";
import { blockOf, type BlockTileBytes, matmulCircularBuffers } from "./matmul_blocking.ts";
import { autoMatmulBlocks, blocksOfConfig, type MatmulBlocks, matmulCores } from "./matmul_blocks.ts";
import { type MatmulProblem, matmulProblem, outputBatches } from "./matmul_problem.ts";
import type { OpLaunch } from "./op_launch.ts";
import type { CircularBuffer } from "./circular_buffer.ts";
import { inOrder, type MatmulProgram, type OpPrograms, unknownPrograms } from "./program.ts";
import { inDram, isInShards, isPresent, type ProgramTensor } from "./program_tensor.ts";
import { streamProgram, wholeTensor } from "./stream.ts";

/** Fidelity that a compute config asks for; TTNN's default otherwise. */
export function fidelityOf(config: OpSpecificAttributes | undefined): MathFidelity {
  return config?.computeConfig?.mathFidelity ?? "hifi2";
}

/**
 * Programs of `matmul` and `linear`, with the given program config or with the one that the backend would derive. A
 * bias that is not a row vector is added by a separate binary program.
 */
export function matmulPrograms(op: OpLaunch, chip: ChipDescription): OpPrograms {
  const whole = matmulProblem(op);
  if (whole === undefined) return unknownPrograms(op.name, "needs two operands and a result");
  const added = whole.bias !== undefined && !isRowVector(whole.bias.shape) ? whole.bias : undefined;
  const problem: MatmulProblem = added === undefined ? whole : { ...whole, bias: undefined };
  const config = op.config?.kind === "matmul" ? op.config.programConfig : undefined;
  const blocks = config === undefined
    ? autoMatmulBlocks(problem, chip)
    : blocksOfConfig(problem, config, chip.dramBanks);
  const buffers = matmulBuffers(problem, blocks, blockTileBytes(problem), config);
  const product = matmulProgram(problem, blocks, fidelityOf(op.config), buffers);
  if (added === undefined) return inOrder(product);
  const { output } = problem;
  return inOrder(
    product,
    streamProgram({
      units: output.tiles,
      reads: [wholeTensor(output), wholeTensor(added)],
      writes: [wholeTensor(output)],
      compute: [{ operation: "eltwise", count: 1 }],
      readBarriers: 2,
      flops: output.tiles * 1024,
      circularBuffers: output.placement === "l1_sharded" && added.placement === "l1_sharded" ? [] : [
        { name: "product", bytes: 2 * problem.outTileBytes },
        { name: "bias", bytes: 2 * tileBytes(added.dataType) },
        { name: "out", bytes: 2 * problem.outTileBytes },
      ],
    }, chip),
  );
}

/** The program of a matmul whose blocks are known. */
export function matmulProgram(
  problem: MatmulProblem,
  blocks: MatmulBlocks,
  fidelity: MathFidelity,
  circularBuffers: readonly CircularBuffer[],
): MatmulProgram {
  const { in0, in1, bias, output, tilesM, tilesK, tilesN } = problem;
  return {
    kind: "matmul",
    cores: matmulCores(problem, blocks),
    circularBuffers,
    reads: [in0, in1, bias].filter(isPresent).map(wholeTensor),
    writes: [wholeTensor(output)],
    flops: outputBatches(problem) * tilesM * tilesN * tilesK * 2 * 32 ** 3,
    launches: 1,
    problem,
    blocks,
    fidelity,
  };
}

/**
 * Circular buffers of a matmul; the program without data reuse keeps two tiles of everything.
 *
 * @param config program config that says which block a core makes at a time; else it is that of `blocks`
 */
export function matmulBuffers(
  problem: MatmulProblem,
  blocks: MatmulBlocks,
  tile: BlockTileBytes,
  config: MatmulProgramConfig | undefined,
): readonly CircularBuffer[] {
  if (blocks.dataflow === "single_tile") {
    return [
      { name: "in0", bytes: 2 * tile.in0 },
      { name: "in1", bytes: 2 * tile.in1 },
      { name: "out", bytes: 2 * tile.out },
    ];
  }
  const { outBlockH: height, outBlockW: width, in0BlockW } = blocks;
  const block = config === undefined ? { height, width, in0BlockW } : blockOf(config);
  return matmulCircularBuffers(problem.tilesK, block, tile, {
    a: shardingOf(problem.in0),
    outputSharded: isInShards(problem.output),
  });
}

/**
 * Tile bytes of the circular buffers. Partials are f32 when the destination register accumulates in f32, else bf16
 * with L1 accumulation, else the output's own format (tt-metal matmul program factories).
 */
export function blockTileBytes(problem: MatmulProblem): BlockTileBytes {
  const { in0TileBytes, in1TileBytes, outTileBytes, bias, compute } = problem;
  return {
    in0: in0TileBytes,
    in1: in1TileBytes,
    out: outTileBytes,
    partials: matmulPartialBytes(compute, outTileBytes),
    bias: bias === undefined ? 0 : tileBytes(bias.dataType),
  };
}

function matmulPartialBytes(compute: ComputeKernelConfig | undefined, out: number): number {
  if (compute?.fp32DestAccEn === true) return tileBytes("f32");
  return compute?.packerL1Acc === true ? tileBytes("bf16") : out;
}

function shardingOf(in0: ProgramTensor): "interleaved" | "height" | "block_or_width" {
  if (!isInShards(in0)) return "interleaved";
  return in0.memoryLayout === "height_sharded" ? "height" : "block_or_width";
}

/** Whether a bias has one row, so that the matmul program adds it itself. */
export function isRowVector(shape: readonly number[]): boolean {
  return shape.slice(0, -1).every((extent) => extent === 1);
}

/** Operands and result of a matmul that lie in DRAM. */
export function matmulDramTensors({ in0, in1, bias, output }: MatmulProblem): readonly ProgramTensor[] {
  return [in0, in1, bias, output].filter(isPresent).filter(inDram);
}
