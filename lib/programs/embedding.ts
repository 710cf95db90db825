// SPDX-License-Identifier: Apache-2.0
import { type ChipDescription, workerCores } from "../device/chip_description.ts";
import { elementBytes } from "../layout/data_type.ts";
import { roundUp } from "../layout/make_layout.ts";
import { tileColumns, tileRows } from "../layout/tile_shape.ts";
import type { OpLaunch } from "./op_launch.ts";
import type { CircularBuffer } from "./circular_buffer.ts";
import { inOrder, type OpPrograms, unknownPrograms } from "./program.ts";
import {
  bytesPerTile,
  deviceMemory,
  isPresent,
  type ProgramTensor,
  rowMajorTensor,
} from "./program_tensor.ts";
import { splitWorkToCores } from "./split_work.ts";
import { streamProgram, wherePlaced, wholeTensor } from "./stream.ts";
import { tilizeProgram } from "./tilize.ts";

/** Indices that a core fetches and looks up at once. */
const INDEX_BLOCK = 32;

/**
 * `embedding`: each index is one read of a row of the table, which is untilized before where it has tiles. A tiled result
 * is tilized by the same program, a row of tiles at a time; rows are fetched and written one by one (tt-metal:embedding).
 */
export function embeddingPrograms(op: OpLaunch, chip: ChipDescription): OpPrograms {
  const [indices, table] = op.inputs;
  const [output] = op.outputs;
  if (indices === undefined || table === undefined || output === undefined) {
    return unknownPrograms(op.name, "needs indices, a table and a result");
  }
  const inRows = (tensor: ProgramTensor) =>
    tensor.tiled ? rowMajorTensor(tensor.shape, "bf16", deviceMemory(tensor)) : tensor;
  const rows = inRows(table);
  const picked = inRows(output);
  const columns = tileColumns(output.shape);
  const units = Math.ceil(picked.pages / INDEX_BLOCK);
  const rowsPerUnit = picked.pages / units;
  const common = {
    units,
    reads: [wholeTensor(indices), { tensor: rows, bytes: picked.bytes, transactionBytes: rows.pageBytes }],
  };
  const lookup = streamProgram(
    output.tiled
      ? {
        ...common,
        writes: [{ ...wherePlaced(output), departs: true }],
        compute: [{ operation: "tilize", count: columns }],
        // For the indices, and for all of their rows.
        readBarriers: 2,
        circularBuffers: ["rows", "out"].map((name) => ({ name, bytes: tiledRowBytes(output, columns) })),
      }
      : {
        ...common,
        writes: [wherePlaced(output)],
        parts: rowsPerUnit,
        readBarriers: 1 + rowsPerUnit,
        writeBarriers: rowsPerUnit,
        circularBuffers: rowBuffers(picked, chip),
      },
    chip,
  );
  return inOrder(...(rows === table ? [] : [tilizeProgram(table, rows, chip)]), lookup);
}

/** Larger rows of a table are fetched in parts of this many bytes (tt-metal:embedding, `max_l1_budget_bytes`). */
const PART_BYTES = 1024 * 1024;

/** Tiles of a row in one of its parts (tt-metal:embedding, `max_double_buffer_tiles`). */
const TILES_PER_PART = 64;

/** A row of tiles, or two parts of a row that is too large for that. */
function tiledRowBytes(output: ProgramTensor, columns: number): number {
  const row = columns * bytesPerTile(output);
  return 2 * row > PART_BYTES ? 2 * TILES_PER_PART * bytesPerTile(output) : row;
}

/** Words of the memory that a core fetches at once to read an index, each of so many bytes in the buffer. */
const INDEX_BYTES = 32;

/** Rows, or parts of them, twice where a core looks up several; and a word of the memory full of indices. */
function rowBuffers(picked: ProgramTensor, chip: ChipDescription): readonly CircularBuffer[] {
  const row = roundUp(picked.pageBytes, chip.dramAlignment);
  const part = Math.min(row, PART_BYTES);
  const several = picked.pages > workerCores(chip);
  const indices = { name: "index", bytes: chip.dramAlignment / elementBytes("u32") * INDEX_BYTES };
  return picked.placement === "l1_sharded"
    ? [indices]
    : [{ name: "rows", bytes: (several ? 2 : 1) * part }, indices];
}

/** Bytes of indices, mask and chunk counts of `embedding_bw` (derived:circular-buffers, one recorded shape). */
const BACKWARD_TABLE_BYTES = 112;

/** `embedding_bw`: columns of tiles go over the cores, each adds all rows of the gradient to those of its columns. */
export function embeddingBackwardPrograms(op: OpLaunch, chip: ChipDescription): OpPrograms {
  const gradient = op.inputs[2];
  const [output] = op.outputs;
  if (gradient === undefined || output === undefined) {
    return unknownPrograms(op.name, "needs a gradient and a result");
  }
  const columns = Math.max(1, tileColumns(output.shape));
  const perCore = splitWorkToCores(workerCores(chip), columns).unitsPerCoreGroup1;
  const perColumn = Math.max(1, tileRows(gradient.shape));
  return inOrder(streamProgram({
    units: columns,
    reads: op.inputs.filter(isPresent).filter((tensor) => tensor !== op.inputs[1]).map(wholeTensor),
    writes: [wholeTensor(output)],
    compute: [{ operation: "eltwise", count: perColumn }],
    readBarriers: perColumn,
    flops: gradient.tiles * 1024,
    circularBuffers: [
      ...["gradient", "out", "scratch"].map((name) => ({ name, bytes: perCore * bytesPerTile(gradient) })),
      { name: "tables", bytes: BACKWARD_TABLE_BYTES },
    ],
  }, chip));
}
