// SPDX-License-Identifier: Apache-2.0
import { type ChipDescription, workerCores } from "../../device/chip_description.ts";
import { tileBytes } from "../../layout/data_type.ts";
import { roundUp } from "../../layout/make_layout.ts";
import { tileColumns, tileRows } from "../../layout/tile_shape.ts";
import { definitionOf, type OpFamily } from "../../ops/op_book.ts";
import type { CircularBuffer } from "../circular_buffer.ts";
import type { LaunchContext, OpLaunch } from "../op_launch.ts";
import { inOrder, type OpPrograms, type StreamProgram, unknownPrograms } from "../program.ts";
import { alignmentOf, bytesPerTile, isPresent, type ProgramTensor } from "../program_tensor.ts";
import type { TileWork } from "../program_work.ts";
import { pageBuffer, streamProgram, wherePlaced, wholeTensor } from "../stream.ts";

/**
 * Writes of new keys and values into a cache; only new rows move. An update of single rows reads the tiles
 * that contain them, untilizes, replaces the rows and tilizes again; a fill copies whole tiles. Unit of work:
 * a tile row of new data; sharded new rows stay on their cores (tt-metal:paged-cache).
 */
export function cachePrograms(op: OpLaunch, { chip }: LaunchContext): OpPrograms {
  const [cache, update, ...rest] = op.inputs;
  if (cache === undefined || update === undefined) {
    return unknownPrograms(op.name, "needs a cache and new rows");
  }
  const tables = rest.filter(isPresent);
  const { family } = definitionOf(op.name);
  const fills = family === "fill_cache" || family === "paged_fill_cache";
  if (family === "paged_update_cache") return inOrder(updateRows(cache, update, tables, chip));
  const target = { tensor: cache, bytes: update.bytes };
  const units = Math.max(1, tileRows(update.shape));
  const perUnit = update.tiles / units;
  const compute: readonly TileWork[] = fills
    ? []
    : [{ operation: "untilize", count: perUnit }, { operation: "tilize", count: perUnit }];
  return inOrder(streamProgram({
    units,
    maxCores: update.placement === "l1_sharded" ? update.shardCores : workerCores(chip),
    reads: [wherePlaced(update), ...(fills ? [] : [target]), ...tables.map(wholeTensor)],
    writes: [target],
    compute: { work: compute },
    // A fill has one barrier per tile row, plus one for each table before the first.
    reader: { barriers: fills ? 1 : perUnit, setupBarriers: tables.length },
    writer: { barriers: fills ? 1 : perUnit },
    circularBuffers: buffersOf(family, cache, update, tables, chip),
  }, chip));
}

/** Barriers for positions, page table and new rows before the first head. */
const TABLE_WAITS = 3;

/**
 * A core updates the heads of one user: for each head it reads the tile row at the user's position, untilizes
 * it, replaces one row, tilizes and writes it, while the new row of the next head arrives
 * (tt-metal:paged-cache).
 */
function updateRows(
  cache: ProgramTensor,
  update: ProgramTensor,
  tables: readonly ProgramTensor[],
  chip: ChipDescription,
): StreamProgram {
  const users = update.shape.at(-3) ?? 1;
  // New rows from a split of heads are padded to whole tiles of heads.
  const heads = Math.min(update.shape.at(-2) ?? 1, cache.shape.at(-3) ?? 1);
  const tiles = heads * tileColumns(cache.shape);
  const target = { tensor: cache, bytes: users * tiles * bytesPerTile(cache) };
  return streamProgram({
    units: users * heads,
    maxCores: Math.min(users, update.placement === "l1_sharded" ? update.shardCores : workerCores(chip)),
    reads: [wherePlaced(update), target, ...tables.map(wholeTensor)],
    writes: [target],
    compute: {
      work: [
        { operation: "untilize_row", count: 1 },
        { operation: "untilize", count: tiles / heads },
        { operation: "tilize", count: tiles / heads },
      ],
    },
    reader: { setupBarriers: TABLE_WAITS },
    circularBuffers: buffersOf("paged_update_cache", cache, update, tables, chip),
  }, chip);
}

/** Bytes of the buffer for the positions of users, whatever their number (`ttnn:backend-0-81-1`). */
const POSITION_BYTES = 4096;

/** Bytes of a user id that `paged_fill_cache` reads from a tensor. */
const USER_BYTES = 4;

/** A tile row per buffer and a row of each table; sharded new rows need no buffer (`ttnn:backend-0-81-1`). */
function buffersOf(
  family: OpFamily,
  cache: ProgramTensor,
  update: ProgramTensor,
  tables: readonly ProgramTensor[],
  chip: ChipDescription,
): readonly CircularBuffer[] {
  const [pages, user] = tables;
  const columns = tileColumns(cache.shape);
  const row = columns * bytesPerTile(cache);
  const isF32 = cache.dataType === "f32";
  const untilized = columns * tileBytes(isF32 ? "f32" : "bf16");
  const isThere = update.placement === "l1_sharded";
  switch (family) {
    case "update_cache": {
      // Two users at a time if the cache has several.
      const together = Math.min(2, cache.shape.at(-4) ?? 1);
      const input = (isF32 ? 1 : 2) * columns * bytesPerTile(update);
      return [
        { name: "cache", bytes: 2 * together * row },
        ...isThere ? [] : [{ name: "in0", bytes: input }],
        { name: "untilized_cache", bytes: 2 * together * untilized },
        { name: "untilized_in0", bytes: (isF32 ? 1 : 2 * together) * untilized },
        { name: "out", bytes: 32 * Math.ceil((update.shape.at(-2) ?? 1) / 32) * row },
      ];
    }
    case "paged_update_cache":
      return [
        { name: "cache", bytes: 2 * row },
        { name: "untilized_cache", bytes: 2 * untilized },
        { name: "untilized_in0", bytes: 2 * untilized },
        { name: "out", bytes: (update.shape.at(-3) ?? 1) * row },
        { name: "positions", bytes: POSITION_BYTES },
        ...tables.slice(1, 2).map((table) => pageBuffer("page_table", 1, table)),
      ];
    case "paged_fill_cache":
      return [
        { name: "in0", bytes: 2 * columns * bytesPerTile(update) },
        ...pages === undefined
          ? []
          : [{ name: "page_table", bytes: roundUp(pages.pageBytes, alignmentOf(pages, chip)) }],
        ...user === undefined ? [] : [{ name: "user", bytes: USER_BYTES }],
      ];
    default:
      return isThere ? [] : [pageBuffer("in0", 2, update)];
  }
}
