// SPDX-License-Identifier: Apache-2.0
import { type ChipDescription, workerCores } from "../device/chip_description.ts";
import { rowCount } from "../layout/extents.ts";
import { tileColumns } from "../layout/tile_shape.ts";
import type { OpLaunch } from "./op_launch.ts";
import { inOrder, type OpPrograms, unknownPrograms } from "./program.ts";
import type { ProgramRules } from "./program_rules.ts";
import type { ProgramTensor } from "./program_tensor.ts";
import { pageBuffer, streamProgram, type StreamRequest, wholeTensor } from "./stream.ts";

/** Least bytes of a row that one core searches. */
const ARGMAX_PIECE_BYTES = 32;

/** Data movement processors of a core; both search rows of elements. */
const SCANNERS = 2;

/**
 * `argmax`: a row of elements is split over the cores, which compare the elements one by one and send their largest to
 * one core, row after row; each of a core's data movement processors has half of the rows. Rows of tiles go to one core
 * each, where one processor waits for every tile before it searches it (published:ops-2: 0.54 us per tile and 0.58 us
 * for each of its rows on Blackhole). One row and one row of the result are in flight (derived:circular-buffers).
 */
export function argmaxPrograms(
  op: OpLaunch,
  chip: ChipDescription,
  { argmaxHalvesRows }: Pick<ProgramRules, "argmaxHalvesRows">,
): OpPrograms {
  const [input] = op.inputs;
  const [output] = op.outputs;
  if (input === undefined || output === undefined) {
    return unknownPrograms(op.name, "needs an input and a result");
  }
  const width = input.shape.at(-1) ?? 1;
  const rows = rowCount(input.shape);
  return inOrder(streamProgram({
    reads: [wholeTensor(input)],
    writes: [wholeTensor(output)],
    flops: input.tiles * 1024,
    circularBuffers: [pageBuffer("in0", 1, input), pageBuffer("out", 1, output)],
    ...input.tiled ? tileScan(input, rows, width) : rowScan(input, rows, width, argmaxHalvesRows, chip),
  }, chip));
}

/** The parts of a program that depend on what is searched. */
type Scan = Pick<StreamRequest, "units" | "compute" | "parts" | "readBarriers" | "singleBuffered">;

/** Rows of tiles, which are independent of each other. */
function tileScan(input: ProgramTensor, rows: number, width: number): Scan {
  const perUnit = Math.min(32, rows);
  return {
    units: Math.ceil(input.extent[0] / 32),
    compute: [
      { operation: "scan_row", count: perUnit },
      { operation: "scan_element", count: perUnit * width },
    ],
    parts: tileColumns(input.shape),
    readBarriers: tileColumns(input.shape),
    singleBuffered: true,
  };
}

/** Rows of elements, each of which all cores search together. */
function rowScan(
  input: ProgramTensor,
  rows: number,
  width: number,
  halved: boolean,
  chip: ChipDescription,
): Scan {
  const units = Math.min(workerCores(chip), Math.ceil(input.pageBytes / ARGMAX_PIECE_BYTES));
  const scanned = Math.ceil(rows / (halved ? SCANNERS : 1));
  return {
    units,
    compute: [
      { operation: "scan_row", count: scanned },
      { operation: "scan_element", count: scanned * Math.ceil(width / units) },
      { operation: "scan_share", count: rows * units },
    ],
    parts: rows,
  };
}
