// SPDX-License-Identifier: Apache-2.0
import { DRAM, placedProgramTensor, type PlaceRequest } from "./op_question.ts";
import { type DataType, ttnnFormat } from "../../lib/layout/data_type.ts";
import { fidelityNamed, type MathFidelity } from "../../lib/op_config/math_fidelity.ts";
import { matmulProgram, programOfBlocks } from "../../lib/programs/matmul/matmul.ts";
import { autoMatmulConfig, type MatmulRevision } from "../../lib/programs/matmul/matmul_auto_config.ts";
import { chooseSubblock } from "../../lib/programs/matmul/matmul_blocking.ts";
import type { MatmulBlocks, MatmulProblem } from "../../lib/programs/matmul/matmul_blocks.ts";
import { emptyRoom } from "../../lib/programs/op_launch.ts";
import { type ProgramTensor, programTensor } from "../../lib/programs/program_tensor.ts";
import { chipDescription, type Device } from "../devices/device.ts";
import { type KernelCost, microsecondsOf } from "../kernels/kernel.ts";
import { blockComputeCycles, matmulCost } from "../kernels/matmul.ts";
import { wallMicroseconds } from "../microbenchmarks/profiler.ts";
import { numberIn, productExtents, textIn } from "./measured_ops/texts.ts";
import type { MeasuredRow } from "./measured_row.ts";
import { type BaselineWork, bytesOf, leaveOut, required, requiring, type RowReading } from "./row_model.ts";

/** The single-core table is of `bfp_bf8` operands. */
const BFP8_TILE_BYTES = 1088;

const IDEAL_TILE: Readonly<Record<MathFidelity, number>> = { lofi: 16, hifi2: 32, hifi3: 48, hifi4: 64 };

/** Rows of the GEMM tables: device time where the table has it, wall time otherwise. */
export function gemmRow(row: MeasuredRow, hostFloor: (row: MeasuredRow) => number | undefined): RowReading {
  const known = isTuned(row);
  const need = requiring("shape, data type or time is missing");
  const { M, K, N } = need(productExtents(row.shapes));
  const dataType = need(ttnnFormat(row.dtype));
  const us = need(numberIn(row.measured, "us"));
  const needRun = requiring("fidelity or grid is missing");
  const fidelity = needRun(fidelityNamed(row.fidelity));
  const grid = needRun(gridOf(row.grid));
  if (row.device !== "n150" && row.device !== "p150") leaveOut("the chip is not modelled");
  const onDevice = numberIn(row.measured, "device_us_derived");
  const traced = row.config.trace === true;
  const floor = traced ? 0 : hostFloor(row);
  required("host time of the untraced run is not known", onDevice ?? floor);
  const problem = gemmProblem(row.layouts, [M, K, N], dataType, fidelity, grid);
  const blocks = known ? benchmarkBlocks(row.dtype, [M, K, N], grid, problem) : undefined;
  const cost = (device: Device) => productCost(problem, blocks, "2025", device);
  return {
    costClass: "matmul",
    placement: problem.in0.placement,
    byBackend: !known,
    workerGrid: grid,
    configuration: [gemmGroup(row), row.device, row.grid, row.dtype, row.fidelity, M, K, N].join(" "),
    table: [row.device, row.grid, row.dtype, row.fidelity, String(row.config.tuning)].join(" "),
    measured: onDevice ?? us,
    unit: "us",
    predict: (device) =>
      onDevice !== undefined
        ? mathThreadMicroseconds(cost(device), device)
        : Math.max(floor ?? 0, wallMicroseconds(cost(device), device)),
    work: workOf(problem, fidelity),
  };
}

function isTuned(row: MeasuredRow): boolean {
  return row.config.tuning === "tuned";
}

/** Report group of a row of the GEMM tables: by whether its block config is known. */
export function gemmGroup(row: MeasuredRow): string {
  return isTuned(row) ? "gemm_known_config" : "gemm_out_of_box";
}

/** A matmul of one batch on `grid` (columns, rows), each matrix in the memory that the row states. */
function gemmProblem(
  layouts: MeasuredRow["layouts"],
  [M, K, N]: readonly [number, number, number],
  dataType: DataType,
  mathFidelity: MathFidelity,
  [columns, rows]: readonly [number, number],
): MatmulProblem {
  const tensor = (height: number, width: number, layout: string): ProgramTensor => {
    const place: PlaceRequest = layout === "L1_block_sharded"
      ? { bufferType: "l1", memoryLayout: "block_sharded", grid: [rows, columns] }
      : DRAM;
    return placedProgramTensor({ shape: [1, 1, height, width], dataType, place }, { rows, columns }, 12);
  };
  const [in0, in1, output] = [
    tensor(M, K, textIn(layouts, "in0")),
    tensor(K, N, textIn(layouts, "in1")),
    tensor(M, N, textIn(layouts, "out")),
  ];
  return plainProduct({ in0, in1, output, ...tilesOf(M, K, N) }, dataType, mathFidelity);
}

/** A matmul of one batch with the compute config of the benchmarks: partial sums are added up in L1. */
function plainProduct(
  extents: Pick<MatmulProblem, "in0" | "in1" | "output" | "tilesM" | "tilesK" | "tilesN">,
  dataType: DataType,
  mathFidelity: MathFidelity,
): MatmulProblem {
  const bytes = programTensor({ shape: [32, 32], dataType }, undefined).pageBytes;
  return {
    ...extents,
    in0Transposed: false,
    in1Transposed: false,
    bias: undefined,
    batchA: 1,
    batchB: 1,
    in0TileBytes: bytes,
    in1TileBytes: bytes,
    outTileBytes: bytes,
    compute: { mathFidelity, fp32DestAccEn: false, packerL1Acc: true, mathApproxMode: false },
  };
}

/** Time of a matmul with the given blocks, or with the config that a backend makes. */
function productCost(
  problem: MatmulProblem,
  blocks: MatmulBlocks | undefined,
  revision: MatmulRevision,
  device: Device,
): KernelCost {
  if (blocks !== undefined) return matmulCost(programOfBlocks(problem, blocks, []), device);
  const chip = chipDescription(device);
  // The backend of 2025 counted L1_SMALL as free.
  const room = revision === "2025" ? chip.l1Size - chip.l1UnreservedBase : emptyRoom(chip).beforeResults;
  const { config } = autoMatmulConfig(problem, room, chip, revision);
  return matmulCost(matmulProgram(problem, config, chip), device);
}

/** A GEMM row without its device time, to be predicted by wall time under trace; `undefined` unless it has both times. */
export function wallRow(row: MeasuredRow): MeasuredRow | undefined {
  const hasBoth = row.config.trace === true && numberIn(row.measured, "device_us_derived") !== undefined;
  return hasBoth ? { ...row, measured: { us: row.measured.us } } : undefined;
}

/** Rows of L1 height-sharded matmuls whose data type is not recorded: bf16 with TTNN's defaults. */
export function heightShardedRow(row: MeasuredRow): RowReading {
  const need = requiring("shape, core count or time is missing");
  const { M, K, N } = need(productExtents(row.shapes));
  const us = need(numberIn(row.measured, "us"));
  const cores = Number(need(/^(\d+) cores/.exec(row.grid)?.[1]));
  const place: PlaceRequest = { bufferType: "l1", memoryLayout: "height_sharded", grid: [cores, 1] };
  const sharded = (height: number, width: number): ProgramTensor =>
    placedProgramTensor({ shape: [1, 1, height, width], dataType: "bf16", place }, { rows: 8, columns: 8 });
  const in1 = programTensor({ shape: [1, 1, K, N], dataType: "bf16" }, undefined);
  const problem = plainProduct(
    { in0: sharded(M, K), in1, output: sharded(M, N), ...tilesOf(M, K, N) },
    "bf16",
    "hifi2",
  );
  return {
    costClass: "matmul",
    placement: "dram_interleaved",
    configuration: [row.group, cores, M, K, N].join(" "),
    table: `${cores} cores`,
    measured: us,
    unit: "us",
    predict: (device) => microsecondsOf(device, productCost(problem, undefined, "0.81.1", device).cycles),
    work: workOf(problem, "hifi2"),
  };
}

/**
 * Rows of the compute-only single-core matmul: operands resident in L1, so that only the compute threads' part of the
 * model shows. The data type is not named; at LoFi only block-float operands can be unpacked as quickly as measured.
 */
export function singleCoreRow(row: MeasuredRow): RowReading {
  const need = requiring("shape, blocking, fidelity or cycles are missing");
  const { M, K, N } = need(productExtents(row.shapes));
  const cycles = need(numberIn(row.measured, "cycles"));
  const kBlocks = need(numberIn(row.config, "num_blocks"));
  const subblock = need(gridOf(textIn(row.config, "subblock")));
  const fidelity = need(fidelityNamed(row.fidelity.split(" ")[0] ?? ""));
  const { tilesM, tilesK, tilesN } = tilesOf(M, K, N);
  return {
    costClass: "matmul",
    placement: "l1_sharded",
    configuration: [row.group, M, K, N, fidelity, String(row.config.packer_l1_acc)].join(" "),
    table: row.group,
    measured: cycles,
    unit: "cycles",
    predict: (device) =>
      blockComputeCycles({
        outBlockH: tilesM,
        outBlockW: tilesN,
        in0BlockW: tilesK / kBlocks,
        subblock,
        tileBytes: [BFP8_TILE_BYTES, BFP8_TILE_BYTES],
        fidelity,
        partials: row.config.packer_l1_acc === true ? "added_in_l1" : "reloaded",
      }, device) * kBlocks,
  };
}

/** `"13x10"` as columns and rows; likewise the height and width of a subblock. */
function gridOf(text: string): readonly [number, number] | undefined {
  const match = /^(\d+)x(\d+)$/.exec(text);
  return match === null ? undefined : [Number(match[1]), Number(match[2])];
}

function benchmarkBlocks(
  dtype: string,
  [M, K, N]: readonly [number, number, number],
  [columns, rows]: readonly [number, number],
  problem: MatmulProblem,
): MatmulBlocks {
  const [m, k, n] = [M / rows, K / columns, N / columns];
  const [widthDivision, blocksH, blocksW] = gemmDivisions(dtype, m, k, n);
  const perCoreM = Math.ceil(m / 32);
  const perCoreN = Math.ceil(n / 32);
  const outBlockH = Math.max(1, Math.floor(perCoreM / blocksH));
  const outBlockW = Math.max(1, Math.floor(perCoreN / blocksW));
  const flat = problem.output.placement === "l1_sharded";
  const { height: outSubblockH, width: outSubblockW } = chooseSubblock(
    outBlockH,
    outBlockW,
    8,
    flat ? "flat" : "any",
  );
  return {
    dataflow: "mcast_2d",
    gridX: columns,
    gridY: rows,
    perCoreM,
    perCoreN,
    in0BlockW: Math.max(1, Math.floor(k / 32 / widthDivision)),
    outBlockH,
    outBlockW,
    outSubblockH,
    outSubblockW,
    batches: 1,
  };
}

/** Time of the math thread, which is what the tables' device utilisation was computed from: no final write. */
function mathThreadMicroseconds(cost: KernelCost, device: Device): number {
  return microsecondsOf(device, cost.cycles - cost.drain);
}

function tilesOf(M: number, K: number, N: number): Pick<MatmulProblem, "tilesM" | "tilesK" | "tilesN"> {
  return { tilesM: Math.ceil(M / 32), tilesK: Math.ceil(K / 32), tilesN: Math.ceil(N / 32) };
}

function workOf(problem: MatmulProblem, fidelity: MathFidelity): BaselineWork {
  const tiles = problem.batchA * problem.tilesM * problem.tilesK * problem.tilesN;
  return {
    flops: tiles * 2 * 32 ** 3,
    tileCycles: IDEAL_TILE[fidelity],
    elements: 0,
    ...bytesOf([problem.in0, problem.in1], problem.output),
  };
}

/** How tt-metal's GEMM benchmark divides a core's block: K, output height, output width. */
export type GemmDivisions = readonly [in0BlockWDiv: number, outBlocksH: number, outBlocksW: number];

/**
 * Block divisions of the benchmark's tuned rows, by data type and `m,k,n` per core. Shapes scale with the
 * grid: M = m × rows, K = k × columns, N = n × columns, so every core has `m/32 × n/32` output tiles. Only
 * the larger shapes listed here divide that block (tt-metal
 * tests/ttnn/unit_tests/benchmarks/test_benchmark.py, `matmul_shapes_*`).
 */
const DIVISIONS: Readonly<Record<string, Readonly<Record<string, GemmDivisions>>>> = {
  bfloat16: {
    "256,384,384": [2, 1, 1],
    "384,384,384": [4, 1, 1],
    "384,384,512": [2, 1, 1],
    "384,512,512": [2, 1, 1],
    "512,512,512": [1, 2, 2],
    "1024,1024,1024": [2, 4, 4],
    "2048,2048,2048": [4, 8, 8],
  },
  bfloat8_b: {
    "384,384,384": [2, 1, 1],
    "384,384,512": [2, 1, 1],
    "384,512,512": [2, 1, 1],
    "512,512,512": [1, 2, 2],
    "1024,1024,1024": [2, 4, 4],
    "2048,2048,2048": [4, 8, 8],
  },
  bfloat4_b: {
    "384,512,512": [2, 1, 1],
    "512,512,512": [2, 1, 1],
    "1024,1024,1024": [2, 2, 2],
    "2048,2048,2048": [4, 4, 4],
  },
};

/** Divisions of a tuned row; blocks that the list does not name are not divided. */
export function gemmDivisions(dtype: string, m: number, k: number, n: number): GemmDivisions {
  return DIVISIONS[dtype]?.[`${m},${k},${n}`] ?? [1, 1, 1];
}
