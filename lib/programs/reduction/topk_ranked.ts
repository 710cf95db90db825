// SPDX-License-Identifier: Apache-2.0
import type { ChipDescription } from "../../device/chip_description.ts";
import { roundUp } from "../../layout/make_layout.ts";
import { tileColumns, tileRows } from "../../layout/tile_shape.ts";
import type { CircularBuffer } from "../circular_buffer.ts";
import { LaunchSequence } from "../launch_sequence.ts";
import { moveSteps } from "../data_movement/memory_move.ts";
import type { OpPrograms, StreamProgram } from "../program.ts";
import {
  bytesPerTile,
  deviceMemory,
  interleavedCopy,
  type ProgramTensor,
  rowMajorTensor,
  withShape,
} from "../program_tensor.ts";
import { sliceOfTiles } from "../data_movement/slice.ts";
import { streamProgram, wholeTensor } from "../stream.ts";

/** Most tiles that a core makes rows of at once. */
const BLOCK_TILES = 8;

/** Ranked places of a row are a multiple of so many. */
const PLACES = 16;

/** Bytes of the places that a core reads and of those it sorts, at a time. */
const SORTED_PLACES = 1024;

/** Merges that sort the ranked rows of a tile, for any number of results. */
const MERGES_AT_LEAST = 9;

/**
 * `topk` of wide rows on Blackhole: tiles become rows, each core ranks the elements of one row, and the best are sorted
 * and tilized, all in the input's memory. Results of other than whole tiles, unless of rank 4, are sliced; others that
 * belong elsewhere are copied (published:ops-2, `topk_large_indices` and surrounding programs; `ttnn:backend-0-81-1`).
 *
 * @param results values and indices
 * @param largest results per row
 */
export function rankedPrograms(
  input: ProgramTensor,
  results: readonly ProgramTensor[],
  largest: number,
  chip: ChipDescription,
): OpPrograms {
  const memory = deviceMemory(input);
  const tile = bytesPerTile(input);
  const kept = Math.ceil(largest / 32);
  const cuts = input.shape.length !== 4 && largest % 32 !== 0;
  const sequence = new LaunchSequence(chip);
  const rows = rowMajorTensor(input.shape, input.dataType, memory);
  const places = rowMajorTensor(rows.shape.with(-1, roundUp(largest, PLACES)), "u32", memory);
  const sorted = results.map((result) => {
    const made = interleavedCopy(result, memory);
    return cuts ? withShape(made, made.shape.with(-1, 32 * kept)) : made;
  });
  const areResults = !cuts && results.every((result) => deviceMemory(result) === memory);

  const rowsName = sequence.allocate(rows);
  sequence.run(rowsOfTiles(input, rows, chip));
  const placesName = sequence.allocate(places);
  sequence.run(streamProgram({
    units: rows.pages,
    reads: [wholeTensor(rows)],
    writes: [wholeTensor(places)],
    compute: { work: [{ operation: "rank_element", count: input.shape.at(-1) ?? 1 }] },
    circularBuffers: buffers({ in0: 2 * tile, out: 2 * tile }),
  }, chip));
  const names = sorted.map((tensor, result) =>
    areResults ? sequence.allocateResult(result, tensor) : sequence.allocate(tensor)
  );
  sequence.run(streamProgram({
    units: tileRows(input.shape),
    reads: [wholeTensor(places)],
    writes: sorted.map(wholeTensor),
    compute: { work: [{ operation: "sort_merge", count: MERGES_AT_LEAST + kept / 2 }] },
    circularBuffers: [
      ...buffers({ places: SORTED_PLACES, sorted: SORTED_PLACES, values: 2 * tile, gathered: 2 * tile }),
      ...sorted.flatMap((result, index) => buffers({ [`out${index}`]: bytesPerTile(result) })),
    ],
  }, chip));
  sequence.free(placesName);
  sequence.free(rowsName);
  if (areResults) return sequence.launched();
  for (const [result, tensor] of results.entries()) {
    const made = sorted[result] ?? tensor;
    sequence.allocateResult(result, tensor);
    if (cuts) {
      sequence.run(sliceOfTiles(made, tensor, chip));
      sequence.free(names[result] ?? 0);
    } else sequence.run(...moveSteps(made, tensor, chip).flatMap(({ programs }) => programs));
  }
  if (!cuts) { for (const name of names) sequence.free(name); }
  return sequence.launched();
}

/** The program that makes rows of tiles, blocks of one row of them over all cores. */
function rowsOfTiles(input: ProgramTensor, rows: ProgramTensor, chip: ChipDescription): StreamProgram {
  const count = Math.min(BLOCK_TILES, tileColumns(input.shape));
  const block = 2 * count * bytesPerTile(input);
  return streamProgram({
    units: Math.ceil(input.tiles / count),
    reads: [wholeTensor(input)],
    writes: [{ ...wholeTensor(rows), scattered: true }],
    compute: {
      work: [{ operation: "untilize_row", count: 1 }, { operation: "untilize", count }],
    },
    reader: { barriers: count },
    circularBuffers: buffers({ in0: block, out: block }),
  }, chip);
}

function buffers(sizes: Readonly<Record<string, number>>): readonly CircularBuffer[] {
  return Object.entries(sizes).map(([name, bytes]) => ({ name, bytes, kind: "circular" }));
}
