// SPDX-License-Identifier: Apache-2.0
import { normalDim } from "../layout/extents.ts";
import type { ChipDescription } from "../device/chip_description.ts";
import { readBool, readInteger } from "../dialect/attribute_values.ts";
import { tileBytes } from "../layout/data_type.ts";
import { roundUp } from "../layout/make_layout.ts";
import { BLOCK_TILES, rowBlock, rowPasses } from "./row_passes.ts";
import type { OpLaunch } from "./op_launch.ts";
import type { CircularBuffer } from "./circular_buffer.ts";
import { circularBufferBytes, inOrder, type OpPrograms, unknownPrograms } from "./program.ts";
import { bytesPerTile, type ProgramTensor } from "./program_tensor.ts";

/** Tiles of a row that the large kernel holds where the whole row does not fit (tt-metal `softmax_multi_core`). */
const LARGE_ROW_TILES = 80;

/**
 * Exponential (as long as two other passes), sum and scaling of each tile; a numerically stable run takes the maximum and
 * the difference from it first. Exponentials of a row that does not fit are taken again for the result.
 */
const PASSES = {
  held: { plain: 3, stable: 6 },
  readAgain: { plain: 6, stable: 9 },
};

/** The sum of the exponentials, and the maximum before it. */
const HAND_OVERS = { plain: 1, stable: 2 };

/** A row that does not fit is read for its maximum, for the sum, and for the result. */
const READINGS_OF_LONG_ROWS = 3;

/** Words of the mask of a row's last tile, which hides its padding (tt-metal:softmax). */
const MASK_WORDS = 32 * 32 / 2;

/** L1 per core that the general kernel fills before it reads its input again (tt-metal:softmax). */
const GENERAL_BYTES = 512 * 1024;

/**
 * Softmax: maximum, exponentials with their sum, scaling. Along the last dimension of up to four by the kernel that
 * attention uses, a row of tiles at a time, whatever memory the rows lie in; along others by the general one.
 */
export function softmaxPrograms(op: OpLaunch, chip: ChipDescription): OpPrograms {
  const [input] = op.inputs;
  const [output] = op.outputs;
  if (input === undefined || output === undefined) {
    return unknownPrograms(op.name, "needs an input and a result");
  }
  const rank = input.shape.length;
  const dim = normalDim(readInteger(op.attributes, "dimension") ?? -1, rank);
  const extent = input.shape[dim] ?? 1;
  const length = Math.max(1, dim >= rank - 2 ? Math.ceil(extent / 32) : extent);
  const isStable = readBool(op.attributes, "numericStable") ?? false;
  const kind = isStable ? "stable" : "plain";
  const isWide = op.config?.computeConfig?.fp32DestAccEn === true;
  const interm = isWide ? tileBytes("f32") : bytesPerTile(input);
  const buffers = dim === rank - 1 && rank <= 4
    ? rowBuffers(input, output, { columns: length, interm, isStable }, chip)
    : generalBuffers(input, length, interm, chip);
  const masks = dim === rank - 1 && extent % 32 !== 0;
  const held = buffers.find(({ name }) => name === "exps")?.bytes ?? 0;
  const isHeld = held >= length * interm;
  const program = rowPasses(input, [], output, {
    length,
    block: rowBlock(length, isWide ? BLOCK_TILES / 2 : BLOCK_TILES),
    passes: PASSES[isHeld ? "held" : "readAgain"][kind],
    holdsRow: false,
    handOvers: HAND_OVERS[kind],
    wide: isWide,
    readings: isHeld ? 1 : READINGS_OF_LONG_ROWS,
    buffers,
  }, chip);
  return inOrder({ ...program, leadWords: masks ? MASK_WORDS : 0 });
}

/** A row that a softmax is over. */
interface SoftmaxRow {
  /** Tiles. */
  readonly columns: number;
  /** Bytes of an intermediate tile. */
  readonly interm: number;
  /** Whether its maximum is taken off first. */
  readonly isStable: boolean;
}

/**
 * Two blocks in and out, the whole row of exponentials, one scaler, two reciprocals; a numerically stable run keeps the
 * row minus its maximum too.
 */
function rowBuffers(
  input: ProgramTensor,
  output: ProgramTensor,
  { columns, interm, isStable }: SoftmaxRow,
  chip: ChipDescription,
): readonly CircularBuffer[] {
  const block = rowBlock(columns, BLOCK_TILES);
  const buffersOf = (row: number): readonly CircularBuffer[] => [
    { name: "in0", bytes: 2 * block * bytesPerTile(input) },
    { name: "scaler", bytes: tileBytes("bf16") },
    { name: "exps", bytes: row * interm },
    { name: "recip_sum_exps", bytes: 2 * interm },
    ...(isStable ? [{ name: "max", bytes: interm }, { name: "x_minus_max", bytes: row * interm }] : []),
    { name: "out", bytes: 2 * block * bytesPerTile(output) },
  ];
  const whole = buffersOf(roundUp(columns, block));
  return circularBufferBytes({ circularBuffers: whole }) < chip.l1Size - chip.l1UnreservedBase
    ? whole
    : buffersOf(LARGE_ROW_TILES);
}

/** The whole reduced dimension when it fits, else a dozen tiles. */
function generalBuffers(
  input: ProgramTensor,
  tiles: number,
  interm: number,
  chip: ChipDescription,
): readonly CircularBuffer[] {
  const tile = bytesPerTile(input);
  const small: readonly CircularBuffer[] = [
    { name: "in0", bytes: tiles * tile },
    { name: "mask_and_scaler", bytes: 2 * tile },
    { name: "exps", bytes: tiles * interm },
    { name: "sums_and_max", bytes: 3 * interm },
    { name: "x_minus_max", bytes: tiles * interm },
    { name: "out", bytes: tiles * tile },
  ];
  return chip.l1UnreservedBase + circularBufferBytes({ circularBuffers: small }) <= GENERAL_BYTES
    ? small
    : [{ name: "tiles", bytes: 6 * tile }, { name: "intermediates", bytes: 6 * interm }];
}
