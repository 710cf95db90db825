// SPDX-License-Identifier: Apache-2.0
import { roundUp } from "../layout/make_layout.ts";
import type { SlidingWindow } from "../ops/sliding_window.ts";
import { type CoreBounds, type MovedWindow, paddedImage } from "./sliding_window.ts";

/** Consecutive pixels of the padded images, all padding or all image. */
interface PixelRun {
  /** Index in the padded images. */
  readonly start: number;
  readonly length: number;
  /** Index in the images without padding; `undefined` for padding. */
  readonly source: number | undefined;
}

/** Transfers out of a core's shard; one entry per transfer. */
interface Transfers {
  /** The receiving cores. */
  readonly targets: number[];
  /** Offset in the source shard. */
  readonly from: number[];
  /** Offset in the target's part of the padded images. */
  readonly to: number[];
  readonly lengths: number[];
}

/** The input's shards, as the halo program reads them. */
export interface HaloInput {
  /** Pixels of a shard. */
  readonly shardRows: number;
  readonly tiled: boolean;
  /** Column and row of the core of a shard, by which transfers of one row block are sorted. */
  readonly placeOf: (core: number) => readonly [number, number];
}

/** Tile height; transfers of tiled shards are split at tile rows, which are untilized one by one. */
const BLOCK_ROWS = 32;

/** Half-words per target, and per transfer, in a list of transfers. */
const PER_TARGET = 3;
const PER_TRANSFER = 3;

/**
 * Bytes of the four config tensors of a halo program: of padding and of pixels, for each of the two data movement
 * threads (tt-metal:sliding-window, `generate_halo_kernel_config_tensors`; `ttnn:backend-0-81-1`).
 */
export function haloConfigBytes(
  moved: MovedWindow,
  bounds: readonly CoreBounds[],
  input: HaloInput,
): readonly number[] {
  const { shardRows } = input;
  const runs = cachedRuns(moved);
  const padding: number[] = [];
  const none = (): Transfers => ({ targets: [], from: [], to: [], lengths: [] });
  const own = bounds.map(none);
  const remote = bounds.map(none);
  for (const [core, { firstInput, lastInput }] of bounds.entries()) {
    let runsOfPadding = 0;
    let paddedUntil = -1;
    for (let at = runAt(runs, firstInput); at < runs.length; at++) {
      const run = runs[at];
      if (run === undefined || run.start > lastInput || lastInput < firstInput) break;
      const low = Math.max(run.start, firstInput);
      const length = Math.min(run.start + run.length - 1, lastInput) - low + 1;
      const to = low - firstInput;
      if (run.source === undefined) {
        if (paddedUntil !== to) runsOfPadding++;
        paddedUntil = to + length;
        continue;
      }
      let pixel = run.source + low - run.start;
      for (let done = 0; done < length;) {
        const from = pixel % shardRows;
        const part = Math.min(length - done, shardRows - from);
        const holder = Math.floor(pixel / shardRows);
        const list = (holder === core ? own : remote)[holder];
        if (list !== undefined) append(list, core, from, to + done, part);
        done += part;
        pixel += part;
      }
    }
    padding.push(runsOfPadding);
  }
  const rankOf = input.tiled ? ranks(bounds.length, input.placeOf) : undefined;
  let [even, odd] = [1, 1];
  for (const [core, given] of own.entries()) {
    const lists = [given, remote[core] ?? none()] as const;
    const [first, second] = rankOf === undefined ? halfWordsOfRows(lists) : halfWordsOfTiles(lists, rankOf);
    even = Math.max(even, first);
    odd = Math.max(odd, second);
  }
  const fills = (half: (runs: number) => number) => 2 * Math.max(0, ...padding.map(half)) + 2;
  return [
    fills((runs) => Math.floor(runs / 2)),
    fills((runs) => Math.ceil(runs / 2)),
    roundUp(even, 2),
    roundUp(odd, 2),
  ].map((words) => 2 * words);
}

/** Appends a transfer; extends the last one if contiguous. */
function append(list: Transfers, target: number, from: number, to: number, length: number): void {
  const last = list.targets.length - 1;
  const lastLength = list.lengths[last] ?? 0;
  if (
    list.targets[last] === target && (list.from[last] ?? 0) + lastLength === from &&
    (list.to[last] ?? 0) + lastLength === to
  ) {
    list.lengths[last] = lastLength + length;
    return;
  }
  list.targets.push(target);
  list.from.push(from);
  list.to.push(to);
  list.lengths.push(length);
}

/** Half-words of both threads' lists; rows alternate between the threads. */
function halfWordsOfRows([own, remote]: readonly [Transfers, Transfers]): readonly [number, number] {
  const words: [number, number] = [1, 1];
  const last: [number, number] = [-1, -1];
  for (const [index, target] of [...own.targets, ...remote.targets].entries()) {
    const thread = index % 2 === 0 ? 0 : 1;
    if (target !== last[thread]) words[thread] += PER_TARGET;
    last[thread] = target;
    words[thread] += PER_TRANSFER;
  }
  return words;
}

/** More cores than a chip has. */
const CORES = 4096;

/** Ranks of cores by column, then row. */
function ranks(cores: number, placeOf: HaloInput["placeOf"]): readonly number[] {
  const order = Array.from({ length: cores }, (_, core) => ({ core, place: placeOf(core) }))
    .sort((a, b) => a.place[0] - b.place[0] || a.place[1] - b.place[1]);
  const rank = new Array<number>(cores).fill(0);
  for (const [index, { core }] of order.entries()) rank[core] = index;
  return rank;
}

/**
 * Half-words of both threads' lists; tile rows alternate between the threads, because each untilizes its own:
 * transfers are split at tile rows and sorted by source offset, then by target.
 */
function halfWordsOfTiles(
  lists: readonly [Transfers, Transfers],
  rankOf: readonly number[],
): readonly [number, number] {
  let count = 0;
  for (const { from, lengths } of lists) {
    for (let index = 0; index < from.length; index++) {
      const begin = from[index] ?? 0;
      const last = begin + (lengths[index] ?? 0) - 1;
      if (last >= begin) count += Math.floor(last / BLOCK_ROWS) - Math.floor(begin / BLOCK_ROWS) + 1;
    }
  }
  const keys = new Float64Array(count);
  let filled = 0;
  for (const { targets, from, lengths } of lists) {
    for (let index = 0; index < from.length; index++) {
      const begin = from[index] ?? 0;
      const end = begin + (lengths[index] ?? 0);
      const rank = rankOf[targets[index] ?? 0] ?? 0;
      for (let at = begin; at < end; at = (Math.floor(at / BLOCK_ROWS) + 1) * BLOCK_ROWS) {
        keys[filled++] = at * CORES + rank;
      }
    }
  }
  keys.sort();
  let [even, odd] = [1, 1];
  let [lastEven, lastOdd] = [-1, -1];
  for (let index = 0; index < count; index++) {
    const key = keys[index] ?? 0;
    const target = key % CORES;
    if (Math.floor(key / CORES / BLOCK_ROWS) % 2 === 0) {
      even += PER_TRANSFER + (target === lastEven ? 0 : PER_TARGET);
      lastEven = target;
    } else {
      odd += PER_TRANSFER + (target === lastOdd ? 0 : PER_TARGET);
      lastOdd = target;
    }
  }
  return [even, odd];
}

/** Index of the run that contains a pixel of the padded images. */
function runAt(runs: readonly PixelRun[], pixel: number): number {
  let [low, high] = [0, runs.length - 1];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((runs[middle]?.start ?? Infinity) <= pixel) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** Runs by window: they do not depend on shards. */
const RUN_CACHE: WeakMap<SlidingWindow, readonly PixelRun[]> = new WeakMap();

function cachedRuns(moved: MovedWindow): readonly PixelRun[] {
  return RUN_CACHE.getOrInsertComputed(moved.window, () => runsOfImages(moved));
}

/** All padded images as runs, in order. */
function runsOfImages(moved: MovedWindow): readonly PixelRun[] {
  const runs: PixelRun[] = [];
  const ofImage = moved.transposed ? spreadImage(moved) : plainImage(moved);
  let start = 0;
  let source = 0;
  for (let image = 0; image < moved.window.batch; image++) {
    for (const { length, isPadding } of ofImage) {
      runs.push({ start, length, source: isPadding ? undefined : source });
      start += length;
      if (!isPadding) source += length;
    }
  }
  return runs;
}

/** Consecutive pixels of one image. */
interface Piece {
  readonly length: number;
  readonly isPadding: boolean;
}

/** Rows of padding above and below, and padding at both ends of every pixel row. */
function plainImage(moved: MovedWindow): readonly Piece[] {
  const { inputHeight, inputWidth, padding: { top, left } } = moved.window;
  const [height, width] = paddedImage(moved);
  const pieces: Piece[] = [];
  for (let row = 0; row < height; row++) {
    if (row < top || row >= top + inputHeight) pieces.push({ length: width, isPadding: true });
    else {
      pieces.push(
        { length: left, isPadding: true },
        { length: inputWidth, isPadding: false },
        { length: width - inputWidth - left, isPadding: true },
      );
    }
  }
  return pieces.filter(({ length }) => length > 0);
}

/**
 * The image of a transposed convolution: pixels spaced by the stride, with the kernel's reach around them.
 */
function spreadImage(moved: MovedWindow): readonly Piece[] {
  const { window } = moved;
  const { strideHeight, strideWidth, inputHeight, inputWidth } = window;
  const [height, width] = paddedImage(moved);
  const top = window.dilationHeight * (window.kernelHeight - 1) - window.padding.top;
  const left = window.dilationWidth * (window.kernelWidth - 1) - window.padding.left;
  const spread = (inputWidth - 1) * strideWidth + 1;
  const pieces: Piece[] = [];
  for (let row = 0; row < height; row++) {
    const isBetween = row < top || row >= top + (inputHeight - 1) * strideHeight + 1 ||
      (row - top) % strideHeight !== 0;
    if (isBetween) {
      pieces.push({ length: width, isPadding: true });
      continue;
    }
    pieces.push({ length: left, isPadding: true });
    for (let column = 0; column < inputWidth; column++) {
      if (column > 0) pieces.push({ length: strideWidth - 1, isPadding: true });
      pieces.push({ length: 1, isPadding: false });
    }
    pieces.push({ length: width - spread - left, isPadding: true });
  }
  return pieces.filter(({ length }) => length > 0);
}
