// SPDX-License-Identifier: Apache-2.0
import type { ChipDescription } from "../../device/chip_description.ts";
import { tileBytes } from "../../layout/data_type.ts";
import { normalDim } from "../../layout/extents.ts";
import { roundUp } from "../../layout/make_layout.ts";
import { SOFTMAX } from "../../ops/attributes/normalization.ts";
import { readAttributes } from "../../ops/attributes/read_attributes.ts";
import type { CircularBuffer } from "../circular_buffer.ts";
import { BLOCK_TILES, rowBlock, rowPasses } from "./row_passes.ts";
import { accumulatesInF32, type LaunchContext, type UnaryLaunch } from "../op_launch.ts";
import { inOrder, type OpPrograms } from "../program.ts";
import { bytesPerTile, type ProgramTensor } from "../program_tensor.ts";
import { fillingWords, tileBuffer } from "../stream.ts";

/**
 * Time of exponentials, their sum and scaling, in passes over a tile; a numerically stable softmax adds maximum and
 * subtraction. Exponentials of a row that does not fit are computed again for the result.
 */
const PASSES = {
  held: { plain: 3, stable: 6 },
  readAgain: { plain: 6, stable: 9 },
};

/** Hand-overs: the sum of the exponentials; if stable, also the maximum. */
const HAND_OVERS = { plain: 1, stable: 2 };

/** Rank up to which rows have a kernel of their own; those of more dimensions run like columns (`ttnn:backend-0-81-1`). */
const MOST_DIMENSIONS_OF_ROWS = 4;

/** Reads of a row that does not fit: for its maximum, its sum, its result. */
const READINGS_OF_LONG_ROWS = 3;

/** 4-byte words of the mask of a row's last tile, which excludes its padding (tt-metal:softmax). */
const MASK_WORDS = 32 * 32 / 2;

/**
 * Softmax: maximum, exponentials with their sum, scaling; operand in any memory. Along the last dimension
 * tile row by tile row, otherwise by tile columns.
 */
export function softmaxPrograms(op: UnaryLaunch, { chip }: LaunchContext): OpPrograms {
  const { input, output } = op;
  const rank = input.shape.length;
  const { dimension, numericStable: isStable } = readAttributes(op, SOFTMAX);
  const dim = normalDim(dimension, rank);
  const extent = input.shape[dim] ?? 1;
  const length = Math.max(1, dim >= rank - 2 ? Math.ceil(extent / 32) : extent);
  const kind = isStable ? "stable" : "plain";
  const isGiven = op.config?.computeConfig !== undefined;
  const wide = !isGiven || accumulatesInF32(op, chip);
  const alongRow = dim === rank - 1;
  const work: SoftmaxWork = {
    input,
    output,
    length,
    wide,
    // Asked for, exponentials are f32 as well; by default only those of f32.
    exponentials: wide && (isGiven || input.dataType === "f32") ? "f32" : "bf16",
    isStable,
    isRagged: extent % 32 !== 0,
  };
  const { buffers, isHeld } = alongRow && rank <= MOST_DIMENSIONS_OF_ROWS
    ? rowBuffers(work, chip)
    : dim >= rank - 2
    ? columnBuffers(work, chip)
    : outerBuffers(work);
  const program = rowPasses(input, [], output, {
    length,
    block: rowBlock(length, wide ? BLOCK_TILES / 2 : BLOCK_TILES),
    passes: PASSES[isHeld ? "held" : "readAgain"][kind],
    holdsRow: false,
    handOvers: HAND_OVERS[kind],
    wide,
    readings: isHeld ? 1 : READINGS_OF_LONG_ROWS,
    buffers,
  }, chip);
  return inOrder(fillingWords(program, alongRow && extent % 32 !== 0 ? MASK_WORDS : 0));
}

/** A softmax of one kernel: of rows, of columns, or of an earlier dimension (`ttnn:backend-0-81-1`). */
interface SoftmaxWork {
  readonly input: ProgramTensor;
  readonly output: ProgramTensor;
  /** Tiles along the dimension; for an earlier dimension its extent. */
  readonly length: number;
  /** Whether the destination register accumulates in f32. */
  readonly wide: boolean;
  /** Format of exponentials, differences and maximum along the last dimension. */
  readonly exponentials: "f32" | "bf16";
  /** Whether the maximum is subtracted first. */
  readonly isStable: boolean;
  /** Whether the dimension does not fill its tiles. */
  readonly isRagged: boolean;
}

/** Buffers, and whether they hold all tiles along the dimension, so that these are read once. */
interface SoftmaxBuffers {
  readonly buffers: readonly CircularBuffer[];
  readonly isHeld: boolean;
}

/** Tiles of a row in the kernel for long rows. */
const LONG_ROW_TILES = 80;

/** Share of L1 for buffers of whole rows. */
const L1_SHARE = 0.9;

/** L1 bytes per core, unreserved base included, up to which whole columns are held. */
const COLUMN_BYTES = 512 * 1024;

/**
 * Block size in tiles for a row: the register's capacity, or a divisor of the row if that needs no more
 * blocks.
 */
function rowBlockTiles(length: number, wide: boolean): number {
  const most = wide ? BLOCK_TILES / 2 : BLOCK_TILES;
  const divisor = rowBlock(length, most);
  return Math.ceil(length / most) === length / divisor ? divisor : most;
}

function rowBuffers(
  { input, output, length, wide, exponentials, isStable, isRagged }: SoftmaxWork,
  chip: ChipDescription,
): SoftmaxBuffers {
  const block = rowBlockTiles(length, wide);
  const [tile, interm] = [bytesPerTile(input), tileBytes(wide ? "f32" : "bf16")];
  const exps = tileBytes(exponentials);
  const whole = roundUp(length, block);
  const keepsInput = isStable && !isRagged;
  const keepsDifferences = isStable && isRagged;
  const needed = (keepsInput ? whole : 2 * block) * tile + (keepsDifferences ? 2 : 1) * whole * exps +
    2 * block * bytesPerTile(output) + 5 * interm;
  const isHeld = needed <= L1_SHARE * chip.l1Size;
  const held = isHeld ? whole : Math.floor(LONG_ROW_TILES / block) * block;
  return {
    isHeld,
    buffers: [
      { name: "in0", bytes: (isHeld ? keepsInput ? whole : 2 * block : held) * tile },
      { name: "out", bytes: 2 * block * bytesPerTile(output) },
      { name: "reciprocal", bytes: interm },
      { name: "scaler", bytes: scalerBytes(input) },
      { name: "sum", bytes: interm },
      { name: "exps", bytes: held * exps },
      { name: "mask", bytes: tileBytes("bf16") },
      ...isStable ? [{ name: "max", bytes: exps }] : [],
      ...keepsDifferences || !isHeld ? [{ name: "x_minus_max", bytes: held * exps }] : [],
      ...isHeld ? [] : [{ name: "partial_sums_and_max", bytes: 2 * interm + exps }],
    ],
  };
}

function columnBuffers({ input, output, length, wide }: SoftmaxWork, chip: ChipDescription): SoftmaxBuffers {
  const interm = wide ? tileBytes("f32") : scalerBytes(input);
  const buffersOf = (inputs: number, exps: number, differences: number): readonly CircularBuffer[] => [
    { name: "in0", bytes: inputs * bytesPerTile(input) },
    { name: "masks_and_scaler", bytes: 3 * scalerBytes(input) },
    { name: "out", bytes: inputs * bytesPerTile(output) },
    { name: "exps", bytes: exps * interm },
    { name: "sums_and_max", bytes: 3 * interm },
    { name: "x_minus_max", bytes: differences * interm },
  ];
  const whole = buffersOf(length, length, length);
  const needed = 2 * (length + 1) * bytesPerTile(input) + (2 * length + 3) * interm;
  return chip.l1UnreservedBase + needed <= COLUMN_BYTES
    ? { buffers: whole, isHeld: true }
    : { buffers: buffersOf(2, 2, 1), isHeld: false };
}

function outerBuffers({ input, output, wide }: SoftmaxWork): SoftmaxBuffers {
  const buffers = [
    tileBuffer("in0", 2, input.dataType),
    tileBuffer("out", 2, output.dataType),
    tileBuffer("exps_and_sums", 5, wide ? "f32" : input.dataType),
    tileBuffer("max", 1, input.dataType),
  ];
  return { buffers, isHeld: false };
}

/** Bytes of a tile of a scaler or a mask. */
function scalerBytes({ dataType }: ProgramTensor): number {
  return tileBytes(dataType === "f32" ? "f32" : "bf16");
}
