// SPDX-License-Identifier: Apache-2.0
import { type ChipDescription, workerCores } from "../device/chip_description.ts";
import { inOrder, type OpLaunch, type OpPrograms, unknownPrograms } from "./program.ts";
import {
  bytesPerTile,
  deviceMemory,
  isPresent,
  type ProgramTensor,
  rowMajorTensor,
  tileColumns,
  tileRows,
} from "./program_tensor.ts";
import { splitWorkToCores } from "./split_work.ts";
import { pageBuffer, streamProgram, wherePlaced, wholeTensor } from "./stream.ts";
import { tilizeProgram } from "./tilize.ts";

/** Indices that a core fetches and follows at once. */
const INDEX_BLOCK = 32;

/** Waits of a block: for its indices, for the padding row, for the rows, and for the buffer behind them. */
const INDEX_BARRIERS = 4;

/**
 * `embedding`: each index is one read of a row of the table. Table and result are rows on the way; a tiled table is
 * untilized before, a tiled result tilized afterwards (tt-metal:embedding).
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
  return inOrder(
    ...(rows === table ? [] : [tilizeProgram(table, rows, chip)]),
    streamProgram({
      units: Math.ceil(picked.pages / INDEX_BLOCK),
      reads: [wholeTensor(indices), { tensor: rows, bytes: picked.bytes, transactionBytes: rows.pageBytes }],
      writes: [wherePlaced(picked)],
      readBarriers: INDEX_BARRIERS,
      circularBuffers: [pageBuffer("rows", 2, picked), pageBuffer("index", 1, indices)],
    }, chip),
    ...(picked === output ? [] : [tilizeProgram(picked, output, chip)]),
  );
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
