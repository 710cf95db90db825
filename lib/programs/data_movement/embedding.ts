// SPDX-License-Identifier: Apache-2.0
import { type ChipDescription, workerCores } from "../../device/chip_description.ts";
import { elementBytes } from "../../layout/data_type.ts";
import { volume } from "../../layout/extents.ts";
import { roundUp } from "../../layout/make_layout.ts";
import { tileColumns, tileRows } from "../../layout/tile_shape.ts";
import { inRows } from "./concat.ts";
import { rowBytes } from "./memory_move.ts";
import { tilizeSteps, untilizeSteps } from "./tilize.ts";
import { chainStep, endOf, launchChain } from "../launch_sequence.ts";
import type { LaunchContext, OpLaunch } from "../op_launch.ts";
import { type DeviceProgram, inOrder, type OpPrograms, unknownPrograms } from "../program.ts";
import {
  alignmentOf,
  bytesPerTile,
  deviceMemory,
  isInShards,
  type ProgramTensor,
  rowMajorTensor,
} from "../program_tensor.ts";
import type { PageStream } from "../program_work.ts";
import { splitWorkToCores, streamProgram, wherePlaced, wholeTensor } from "../stream.ts";

/** Indices that a core fetches and looks up together. */
const INDEX_BLOCK = 32;

/** Whether rows are gathered directly into tiles: whole tiles, with row-major indices. */
export function picksTiles(indices: ProgramTensor, table: ProgramTensor, tiled: boolean): boolean {
  return tiled && !indices.tiled && (indices.shape.at(-1) ?? 1) % INDEX_BLOCK === 0 &&
    (table.shape.at(-1) ?? 1) % 32 === 0;
}

/**
 * `embedding`: each index reads one row of the table, which is untilized first if tiled. A result of whole
 * tile rows is tilized by the same program, one tile row at a time; other tiled results by a second program
 * (tt-metal:embedding, `ttnn:backend-0-81-1`).
 */
export function embeddingPrograms(op: OpLaunch, { chip }: LaunchContext): OpPrograms {
  const [indices, table] = op.inputs;
  const [output] = op.outputs;
  if (indices === undefined || table === undefined || output === undefined) {
    return unknownPrograms(op.name, "needs indices, a table and a result");
  }
  const untilized = table.tiled
    ? untilizeSteps(table, rowMajorTensor(table.shape, table.dataType, deviceMemory(table)), chip)
    : [];
  const lookup = { indices, rows: endOf(untilized, table), chip };
  const picked = output.tiled ? inRows(output) : output;
  const steps = picksTiles(indices, table, output.tiled) ? [chainStep(output, pickTiles(lookup, output))] : [
    chainStep(picked, pickRows(lookup, picked)),
    ...output.tiled ? tilizeSteps(picked, output, chip) : [],
  ];
  return launchChain([...untilized, ...steps], chip);
}

/** Row-major rows of a table, and the indices of those that are picked. */
interface Lookup {
  readonly indices: ProgramTensor;
  readonly rows: ProgramTensor;
  readonly chip: ChipDescription;
}

/** Row width in tiles up to which two rows are in flight; also the part size of wider rows. */
const DOUBLE_BUFFERED_TILES = 64;

/**
 * Rows above this size in bytes are fetched in parts; with tilizing, both buffers count together
 * (tt-metal:embedding).
 */
const PART_BYTES = 1024 * 1024;

/** Tiles of a row buffer: twice a narrow row, once a wide one, twice a part of a still wider one. */
function pickedTiles(columns: number, tile: number): number {
  if (columns <= DOUBLE_BUFFERED_TILES) return 2 * columns;
  return 2 * columns * tile <= PART_BYTES ? columns : 2 * DOUBLE_BUFFERED_TILES;
}

/** Gathers and tilizes rows of the result or of its shards. */
function pickTiles({ indices, rows, chip }: Lookup, output: ProgramTensor): DeviceProgram {
  const columns = tileColumns(output.shape);
  const bytes = pickedTiles(output.shardShape.at(-1) ?? columns, bytesPerTile(output)) * bytesPerTile(output);
  return streamProgram({
    units: Math.ceil(volume(indices.shape) / INDEX_BLOCK),
    reads: pickedReads(indices, rows),
    writes: [{ ...wherePlaced(output), flushesPages: true }],
    compute: { work: [{ operation: "tilize", count: columns }] },
    // One barrier for the indices, one for all of their rows.
    reader: { barriers: 2 },
    circularBuffers: [
      { name: "rows", bytes },
      ...isInShards(output) ? [] : [{ name: "out", bytes }],
      { name: "index", bytes: INDEX_BLOCK * elementBytes(indices.dataType), kind: "scratch" },
    ],
  }, chip);
}

/** The indices, and a table row per index. */
function pickedReads(indices: ProgramTensor, rows: ProgramTensor): readonly PageStream[] {
  const bytes = volume(indices.shape) * rows.pageBytes;
  return [wholeTensor(indices), { tensor: rows, bytes, transactionBytes: rows.pageBytes }];
}

/** Gathers row-major rows: into a buffer and from there to the result, or directly into the height shards of the result. */
function pickRows({ indices, rows, chip }: Lookup, picked: ProgramTensor): DeviceProgram {
  const units = Math.ceil(picked.pages / INDEX_BLOCK);
  const rowsPerUnit = picked.pages / units;
  const isInPlace = picked.memoryLayout === "height_sharded" && !indices.tiled;
  const several = indices.tiled || volume(indices.shape) > workerCores(chip);
  // Rows are padded as the memory of the indices asks (`ttnn:backend-0-81-1`).
  const row = Math.min(roundUp(rowBytes(rows), alignmentOf(indices, chip)), PART_BYTES);
  return streamProgram({
    units,
    reads: pickedReads(indices, rows),
    writes: [wherePlaced(picked)],
    parts: rowsPerUnit,
    reader: { barriers: 1 + rowsPerUnit },
    writer: { barriers: rowsPerUnit },
    circularBuffers: [
      ...isInPlace ? [] : [{ name: "rows", bytes: (several ? 2 : 1) * row }],
      { name: "index", bytes: indexBytes(indices, chip), kind: "scratch" },
    ],
  }, chip);
}

/** Bytes of the index buffer per row-major index: its size rounded up to a multiple of 32 B. */
const INDEX_BYTES = 32;

/** Bytes of the index buffer: one tile, or the row-major indices of one aligned read (alignment / bytes of an index). */
function indexBytes(indices: ProgramTensor, chip: ChipDescription): number {
  return indices.tiled
    ? bytesPerTile(indices)
    : alignmentOf(indices, chip) / elementBytes(indices.dataType) * INDEX_BYTES;
}

/** Bytes of mask and chunk counts of `embedding_bw` (`ttnn:backend-0-81-1`). */
const BACKWARD_TABLE_BYTES = 48;

/**
 * `embedding_bw`: the cores divide the tile columns; each adds every gradient row to the rows of its columns.
 */
export function embeddingBackwardPrograms(op: OpLaunch, { chip }: LaunchContext): OpPrograms {
  const [indices, , gradient] = op.inputs;
  const [output] = op.outputs;
  if (indices === undefined || gradient === undefined || output === undefined) {
    return unknownPrograms(op.name, "needs indices, a gradient and a result");
  }
  const columns = Math.max(1, tileColumns(output.shape));
  const perCore = splitWorkToCores(workerCores(chip), columns).unitsPerCoreGroup1;
  const perColumn = Math.max(1, tileRows(gradient.shape));
  return inOrder(streamProgram({
    units: columns,
    reads: [indices, gradient].map(wholeTensor),
    writes: [wholeTensor(output)],
    compute: { work: [{ operation: "eltwise", count: perColumn }] },
    reader: { barriers: perColumn },
    flops: gradient.tiles * 1024,
    circularBuffers: [
      ...["gradient", "out", "scratch"].map((name) => ({ name, bytes: perCore * bytesPerTile(gradient) })),
      { name: "indices", bytes: 32 * elementBytes(indices.dataType) },
      { name: "tables", bytes: BACKWARD_TABLE_BYTES },
    ],
  }, chip));
}
