// SPDX-License-Identifier: Apache-2.0
import { type ChipDescription, kernelsOf, workerCores } from "../../device/chip_description.ts";
import { elementBytes } from "../../layout/data_type.ts";
import { normalDim, rowCount } from "../../layout/extents.ts";
import { roundUp } from "../../layout/make_layout.ts";
import { tileColumns } from "../../layout/tile_shape.ts";
import { readAttributes } from "../../ops/attributes/read_attributes.ts";
import { ARGMAX } from "../../ops/attributes/reduction.ts";
import type { CircularBuffer } from "../circular_buffer.ts";
import { tilizeSteps, untilizeSteps } from "../data_movement/tilize.ts";
import { type ChainStep, chainStep, endOf, launchChain } from "../launch_sequence.ts";
import type { LaunchContext, UnaryLaunch } from "../op_launch.ts";
import type { OpPrograms, StreamProgram } from "../program.ts";
import { deviceMemory, inDram, type ProgramTensor, tiledTensor } from "../program_tensor.ts";
import { pageBuffer, splitWorkToCores, streamProgram, type StreamRequest, wholeTensors } from "../stream.ts";

/** Data movement processors per core; both scan row-major rows. */
const SCANNERS = 2;

/** Alignment in bytes of each buffer of row-major rows. */
const ALIGNMENT = 32;

/** Bytes of an index, in which the result is given. */
const INDEX_BYTES = 4;

/**
 * `argmax`. Row-major input: each row is split over the cores; a core compares elements one by one and sends
 * its maximum to one core, row after row; each data movement processor of a core takes half of the
 * rows. Tiled input, along one of the last two dimensions: one core, on which one processor waits for
 * every tile before scanning it (published:ops-2: 0.54 us per tile and 0.58 us for each of its rows on Blackhole);
 * along another one all cores compare tiles, and the indices are untilized. A row-major input that is reduced
 * along another dimension than the last is tilized first (`ttnn:backend-0-81-1`).
 */
export function argmaxPrograms(
  op: UnaryLaunch,
  { chip }: LaunchContext,
): OpPrograms {
  const { input, output } = op;
  const rank = input.shape.length;
  const { dim: asked } = readAttributes(op, ARGMAX);
  const dim = asked === undefined ? rank - 1 : normalDim(asked, rank);
  const steps: ChainStep[] = [];
  if (!input.tiled && dim !== rank - 1) {
    steps.push(...tilizeSteps(input, tiledTensor(input.shape, input.dataType, deviceMemory(input)), chip));
  }
  const searched = endOf(steps, input);
  if (dim < rank - 2) {
    const kept = searched.shape.with(dim, 1);
    const indices = tiledTensor(kept, "u32", deviceMemory(output));
    steps.push(chainStep(indices, outerScan(searched, indices, chip)));
    return launchChain([...steps, ...untilizeSteps(indices, { ...output, shape: kept }, chip)], chip);
  }
  const keeps = asked === undefined || output.shape.length === rank;
  const program = streamProgram({
    ...wholeTensors(searched, output),
    flops: searched.tiles * 1024,
    ...searched.tiled ? tileScan(searched, output) : rowScan(searched, rowSplit(searched, keeps, chip)),
  }, chip);
  return launchChain([...steps, chainStep(output, program)], chip);
}

/** Tiled input reduced along a dimension before the last two: every tile of indices is a unit of work. */
function outerScan(input: ProgramTensor, indices: ProgramTensor, chip: ChipDescription): StreamProgram {
  const tilesPerResult = input.tiles / Math.max(1, indices.tiles);
  return streamProgram({
    units: indices.tiles,
    ...wholeTensors(input, indices),
    compute: { work: [{ operation: "eltwise", count: 2 * tilesPerResult }] },
    reader: { barriers: tilesPerResult },
    flops: input.tiles * 1024,
    circularBuffers: [pageBuffer("in0", 2, input, "circular"), pageBuffer("out", 2, indices, "circular")],
  }, chip);
}

/** The fields of a program that depend on the kind of scan. */
type Scan = Pick<
  StreamRequest,
  "units" | "maxCores" | "parts" | "reader" | "compute" | "circularBuffers"
>;

/** Scan of tile rows, one after another on one core. */
function tileScan(input: ProgramTensor, output: ProgramTensor): Scan {
  const rows = rowCount(input.shape);
  const perUnit = Math.min(32, rows);
  const width = input.shape.at(-1) ?? 1;
  return {
    units: Math.ceil(input.extent[0] / 32),
    maxCores: 1,
    compute: {
      work: [
        { operation: "scan_row", count: perUnit },
        { operation: "scan_element", count: perUnit * width },
      ],
      isSingleBuffered: true,
    },
    parts: tileColumns(input.shape),
    reader: { barriers: tileColumns(input.shape) },
    circularBuffers: [
      pageBuffer("in0", 1, input),
      { name: "indices", bytes: INDEX_BYTES * (output.shape.at(-1) ?? 1), kind: "scratch" },
    ],
  };
}

/**
 * Row pieces begin at the read alignment of the memory. If the dimension is not kept and a matrix has several
 * rows, fewer cores share a row, and the results of all rows of a matrix are collected.
 */
function rowSplit(
  input: ProgramTensor,
  keepsDim: boolean,
  chip: ChipDescription,
): { readonly cores: number; readonly circularBuffers: readonly CircularBuffer[] } {
  const lines = keepsDim || input.shape.length < 2 ? 1 : input.shape.at(-2) ?? 1;
  const keeps = lines === 1;
  const element = elementBytes(input.dataType);
  const width = input.shape.at(-1) ?? 1;
  const pieceElements = !inDram(input) ? 8 : kernelsOf(chip.architecture) === "blackhole" ? 32 : 16;
  const pieces = Math.ceil(width / pieceElements);
  const all = workerCores(chip);
  const cores = Math.min(pieces, keeps ? all : Math.min(all, sharers(width * element)));
  const { unitsPerCoreGroup1, unitsPerCoreGroup2 } = splitWorkToCores(cores, pieces);
  const copies = keeps ? 1 : SCANNERS;
  const bytesOf = (count: number) => copies * roundUp(count * pieceElements * element, ALIGNMENT);
  const isEven = unitsPerCoreGroup2 === 0;
  const inGroups = keeps || cores === pieces || cores === all;
  const ranges = cores > chip.workerGrid.columns && cores % chip.workerGrid.columns !== 0 ? 2 : 1;
  const most = bytesOf(unitsPerCoreGroup1);
  const rowBytes = inGroups ? most + (isEven ? 0 : bytesOf(unitsPerCoreGroup2)) : ranges * most;
  const indices = roundUp(INDEX_BYTES * lines, ALIGNMENT);
  return {
    cores,
    circularBuffers: [
      { name: "in0", bytes: rowBytes, bytesOnCore: most },
      { name: "out", bytes: indices },
      { name: "indices", bytes: cores * indices },
      { name: "values", bytes: cores * (keeps ? ALIGNMENT : roundUp(element * lines, ALIGNMENT)) },
    ],
  };
}

/** Cores that share a row of `bytes`: the least power of two ≥ √(bytes / 8). */
function sharers(bytes: number): number {
  let cores = 1;
  while (8 * cores * cores < bytes) cores *= 2;
  return cores;
}

/** Scan of row-major rows, each shared by all cores. */
function rowScan(
  input: ProgramTensor,
  { cores, circularBuffers }: ReturnType<typeof rowSplit>,
): Scan {
  const rows = rowCount(input.shape);
  const scanned = Math.ceil(rows / SCANNERS);
  return {
    units: cores,
    compute: {
      work: [
        { operation: "scan_row", count: scanned },
        { operation: "scan_element", count: scanned * Math.ceil((input.shape.at(-1) ?? 1) / cores) },
        { operation: "scan_share", count: rows * cores },
      ],
    },
    parts: rows,
    circularBuffers,
  };
}
