// SPDX-License-Identifier: Apache-2.0
import { type ChipDescription, workerCores } from "../../device/chip_description.ts";
import { sameCoreRanges } from "../../layout/core_range.ts";
import { elementBytes } from "../../layout/data_type.ts";
import { roundUp } from "../../layout/make_layout.ts";
import type { CircularBuffer } from "../circular_buffer.ts";
import type { DeviceProgram } from "../program.ts";
import { alignmentOf, bytesPerTile, type ProgramTensor } from "../program_tensor.ts";
import { residentProgram, streamProgram, wholeTensor } from "../stream.ts";

/** Swaps of two dimensions with their own program: width/height, height/channels, channels/batch. */
export type DimensionExchange = "wh" | "hc" | "cn";

/** Bytes of a row of a row-major tensor, including the padding of the last shard. */
function wholeRowBytes({ shape, shardShape, dataType }: ProgramTensor): number {
  return roundUp(shape.at(-1) ?? 1, shardShape.at(-1) ?? 1) * elementBytes(dataType);
}

/**
 * `Transpose` of a row-major tensor, page by page in any memory. Between shards of whole rows on the same cores
 * `hc` copies without buffers, and between shards of whole matrices `wh` transposes in each core
 * (`ttnn:backend-0-81-1`).
 */
export function exchangeRows(
  exchange: DimensionExchange,
  input: ProgramTensor,
  output: ProgramTensor,
  chip: ChipDescription,
): DeviceProgram {
  const [batch = 1, channels = 1, rows = 1, columns = 1] = input.shape;
  const stays = staysInShards(input, output);
  const stream = (units: number, circularBuffers: readonly CircularBuffer[], transposes = 0): DeviceProgram =>
    streamProgram({
      units,
      reads: [wholeTensor(input)],
      writes: [{ ...wholeTensor(output), scattered: true }],
      ...transposes > 0 ? { compute: { work: transposedTiles(transposes) } } : {},
      circularBuffers,
    }, chip);
  switch (exchange) {
    case "wh": {
      const [down, across] = [Math.ceil(rows / 32), Math.ceil(columns / 32)];
      const buffers = turningBuffers(down, across, bytesPerTile(input));
      return stays && permutesInShards(input, output)
        ? residentProgram(input.shardCores, transposedTiles(Math.ceil(input.tiles / input.shardCores)), {
          circularBuffers: buffers.inShards,
        })
        : stream(batch * channels, buffers.byPages, down * across);
    }
    case "hc": {
      if (stays && holdsRows(input) && holdsRows(output)) {
        return residentProgram(input.shardCores, [], { copiedBytes: input.shardBytes });
      }
      const units = batch * channels * rows;
      const page = Math.max(
        columns * elementBytes(input.dataType),
        ...[input, output].map((tensor) => roundUp(tensor.pageBytes, alignmentOf(tensor, chip))),
      );
      return stream(units, [{ name: "in0", bytes: Math.ceil(units / workerCores(chip)) * page }]);
    }
    case "cn":
      return stream(batch * channels * rows, [{ name: "in0", bytes: 2 * wholeRowBytes(input) }]);
  }
}

function transposedTiles(count: number) {
  return [
    { operation: "tilize", count },
    { operation: "transpose", count },
    { operation: "untilize", count },
  ] as const;
}

/** Height in tiles up to which the kernel untilizes a whole tile column at once. */
const MOST_TILES_HIGH = 8;

/**
 * Buffers of a matrix that is transposed as tiles: two tile rows of input, the matrix, two tile columns of
 * output.
 */
function turningBuffers(
  down: number,
  across: number,
  tile: number,
): Readonly<Record<"inShards" | "byPages", readonly CircularBuffer[]>> {
  const buffer = (name: string, tiles: number, kind?: "circular"): CircularBuffer => ({
    name,
    bytes: tiles * tile,
    ...kind === undefined ? {} : { kind },
  });
  return {
    inShards: [
      buffer("in0", 2 * across, "circular"),
      buffer("tilized", down * across, "circular"),
      ...down > MOST_TILES_HIGH
        ? [buffer("turned", down, "circular"), buffer("out", 2 * down, "circular")]
        : [],
    ],
    byPages: [buffer("in0", 2 * across), buffer("out", 2 * down), buffer("tilized", down * across)],
  };
}

/**
 * Whether operand and result are height or width sharded in whole tiles on the same cores, the operand
 * filling its shards.
 */
function staysInShards(input: ProgramTensor, output: ProgramTensor): boolean {
  const isLine = ({ placement, memoryLayout, shardShape: [height = 0, width = 0] }: ProgramTensor) =>
    placement === "l1_sharded" && memoryLayout !== "block_sharded" && height * width % 1024 === 0;
  return isLine(input) && isLine(output) && input.extent[0] % (input.shardShape[0] ?? 1) === 0 &&
    sameCoreRanges(input.coreRanges, output.coreRanges);
}

/** Whether shards hold whole rows. */
function holdsRows({ shape, shardShape }: ProgramTensor): boolean {
  return (shardShape.at(-1) ?? 0) >= (shape.at(-1) ?? 1);
}

/** Whether shards of whole matrices are permuted into such shards. */
function permutesInShards(input: ProgramTensor, output: ProgramTensor): boolean {
  const [rows = 1, columns = 1] = input.shape.slice(-2);
  const [height = 0] = input.shardShape;
  const [newHeight = 0] = output.shardShape;
  return holdsRows(input) && height % rows === 0 && holdsRows(output) && newHeight % columns === 0;
}
