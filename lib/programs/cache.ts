// SPDX-License-Identifier: Apache-2.0
import { definitionOf } from "../ops/op_book.ts";
import type { ChipDescription } from "../device/chip_description.ts";
import { inOrder, type OpLaunch, type OpPrograms, unknownPrograms } from "./program.ts";
import { streamProgram, wholeTensor } from "./stream.ts";

/**
 * Writes of new keys and values into a cache: only the new rows move. An update of single rows reads the tiles that it
 * hits, untilizes them, replaces the rows and tilizes them again; a fill copies whole tiles.
 */
export function cachePrograms(op: OpLaunch, chip: ChipDescription): OpPrograms {
  const [cache, update] = op.inputs;
  if (cache === undefined || update === undefined) {
    return unknownPrograms(op.name, "needs a cache and new rows");
  }
  const { family } = definitionOf(op.name);
  const fills = family === "fill_cache" || family === "paged_fill_cache";
  const target = { tensor: cache, bytes: update.bytes };
  return inOrder(streamProgram({
    units: update.tiles,
    reads: fills ? [wholeTensor(update)] : [wholeTensor(update), target],
    writes: [target],
    compute: fills ? [] : [{ operation: "untilize", count: 1 }, { operation: "tilize", count: 1 }],
  }, chip));
}
