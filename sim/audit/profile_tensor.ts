// SPDX-License-Identifier: Apache-2.0
import { type DataType, elementBytes, tileBytes } from "../../lib/layout/data_type.ts";
import { rowCount } from "../../lib/layout/extents.ts";
import { roundUp } from "../../lib/layout/make_layout.ts";
import type { TensorMemoryLayout } from "../../lib/layout/ttnn_layout.ts";
import type { ProgramTensor, TensorPlacement } from "../../lib/programs/program_tensor.ts";
import { type MeasuredRow, shapeOf, textOf } from "./measured_row.ts";

const DATA_TYPES: Readonly<Record<string, DataType>> = {
  BFLOAT16: "bf16",
  BFLOAT8_B: "bfp_bf8",
  BFLOAT4_B: "bfp_bf4",
  FLOAT32: "f32",
  UINT32: "u32",
  INT32: "si32",
  UINT16: "u16",
  UINT8: "u8",
};

/** Tensors of a profiled op, by the names of the row: `in0`, `in1`, …, `out`. */
export interface ProfileTensors {
  readonly inputs: readonly ProgramTensor[];
  readonly output: ProgramTensor | undefined;
  /** Cores that the profile counted. */
  readonly cores: number;
  /** Cores of the chip's worker grid. */
  readonly available: number;
}

/**
 * Reads shapes, data types, layouts and core counts of a profile row; `undefined` when a part is not understood.
 *
 * @param grid columns and rows of the worker grid
 */
export function profileTensors(
  row: MeasuredRow,
  grid: readonly [number, number],
): ProfileTensors | undefined {
  const counts = /^(\d+) cores of (\d+)/.exec(row.grid);
  if (counts === null) return undefined;
  const used: UsedCores = { cores: Number(counts[1]), available: Number(counts[2]), grid };
  const [inputTypes = "", outputType = ""] = row.dtype.split(">");
  const types = inputTypes.split("+");
  const inputs: ProgramTensor[] = [];
  for (let index = 0; row.shapes[`in${index}`] !== undefined; index++) {
    const tensor = tensorOf(row, `in${index}`, types[index] ?? "", used);
    if (tensor === undefined) return undefined;
    inputs.push(tensor);
  }
  const output = row.shapes.out === undefined
    ? undefined
    : tensorOf(row, "out", outputType.split("+")[0] ?? "", used);
  return { inputs, output, cores: used.cores, available: used.available };
}

/** Cores of a profile row: what its shards may lie on. */
interface UsedCores extends Pick<ProfileTensors, "cores" | "available"> {
  /** Columns and rows of the worker grid. */
  readonly grid: readonly [number, number];
}

function tensorOf(
  row: MeasuredRow,
  name: string,
  type: string,
  { cores, available, grid }: UsedCores,
): ProgramTensor | undefined {
  const shape = shapeOf(row.shapes, name);
  const dataType = DATA_TYPES[type];
  const [memory = "", pages = ""] = textOf(row.layouts, name).split("/");
  const place = /^(DRAM|L1)_(INTERLEAVED|HEIGHT_SHARDED|WIDTH_SHARDED|BLOCK_SHARDED)$/.exec(memory);
  if (shape === undefined || dataType === undefined || place === null) return undefined;
  const tiled = pages === "TILE";
  const sharded = place[2] !== "INTERLEAVED";
  const placement: TensorPlacement = `${place[1] === "DRAM" ? "dram" : "l1"}_${
    sharded ? "sharded" : "interleaved"
  }`;
  const rows = rowCount(shape);
  const width = shape.at(-1) ?? 1;
  const [height, padded] = tiled ? [roundUp(rows, 32), roundUp(width, 32)] : [rows, width];
  const bytes = tiled
    ? height * padded / 1024 * tileBytes(dataType)
    : height * padded * elementBytes(dataType);
  const shardCores = !sharded ? 0 : Math.max(1, Math.min(cores, available));
  const split = shardSplit(place[2] ?? "", [height, padded], shardCores, tiled, grid);
  const shardWidth = sharded ? Math.ceil(padded / split[1]) : padded;
  const pageBytes = tiled ? tileBytes(dataType) : shardWidth * elementBytes(dataType);
  const unit = tiled ? 32 : 1;
  return {
    shape,
    dataType,
    placement,
    memoryLayout: MEMORY_LAYOUTS[place[2] ?? ""],
    tiled,
    extent: [height, padded],
    tiles: Math.ceil(height * padded / 1024),
    pageBytes,
    pages: Math.max(1, Math.ceil(bytes / Math.max(1, pageBytes))),
    bytes,
    shardCores,
    shardBytes: sharded ? bytes / shardCores : 0,
    shardShape: sharded ? [Math.ceil(height / split[0] / unit), Math.ceil(padded / split[1] / unit)] : [],
    gridShape: sharded ? split : [],
    coreRanges: [],
  };
}

const MEMORY_LAYOUTS: Readonly<Record<string, TensorMemoryLayout>> = {
  INTERLEAVED: "interleaved",
  HEIGHT_SHARDED: "height_sharded",
  WIDTH_SHARDED: "width_sharded",
  BLOCK_SHARDED: "block_sharded",
};

/**
 * Shards along rows and columns. A block's split is not in the row: of those that fit the worker grid one way or the
 * other, the one that leaves the squarest shards.
 */
function shardSplit(
  layout: string,
  [height, width]: readonly [number, number],
  cores: number,
  tiled: boolean,
  grid: readonly [number, number],
): readonly [number, number] {
  if (layout === "HEIGHT_SHARDED") return [cores, 1];
  if (layout === "WIDTH_SHARDED") return [1, cores];
  if (layout !== "BLOCK_SHARDED") return [1, 1];
  const columnsAtMost = Math.max(1, Math.floor(width / (tiled ? 32 : 16)));
  let best: readonly [number, number] = [cores, 1];
  let bestRatio = Infinity;
  for (let columns = 1; columns <= Math.min(cores, columnsAtMost); columns++) {
    if (cores % columns !== 0) continue;
    const rows = cores / columns;
    if (Math.max(rows, columns) > Math.max(...grid) || Math.min(rows, columns) > Math.min(...grid)) continue;
    const ratio = Math.abs(Math.log((height / rows) / (width / columns)));
    if (ratio < bestRatio) {
      best = [rows, columns];
      bestRatio = ratio;
    }
  }
  return best;
}
