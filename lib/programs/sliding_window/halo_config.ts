// SPDX-License-Identifier: Apache-2.0
import { roundUp } from "../../layout/make_layout.ts";
import type { SlidingWindow } from "../../ops/sliding_window.ts";
import { type CoreBounds, type MovedWindow, paddedImage } from "./sliding_window.ts";

/** Pixels of the padded images: padding that lies together, or pixels at equal distances. */
interface PixelRun {
  /** Index in the padded images. */
  readonly start: number;
  readonly length: number;
  /** Index in the images without padding; `undefined` for padding. */
  readonly source: number | undefined;
  /** Distance between its pixels; between them is padding. */
  readonly step: number;
}

/** Transfers out of a core's shard; one entry per transfer. */
interface Transfers {
  /** The receiving cores. */
  readonly targets: number[];
  /** Offset in the source shard. */
  readonly from: number[];
  /** One past the last pixel in the target's part of the padded images. */
  readonly toEnd: number[];
  readonly lengths: number[];
  /** Whether each of its pixels is a transfer of its own, because they lie apart in the padded images. */
  readonly apart: boolean[];
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
  const runs = RUN_CACHE.getOrInsertComputed(moved.window, () => runsOfImages(moved));
  const padding: number[] = [];
  const none = (): Transfers => ({ targets: [], from: [], toEnd: [], lengths: [], apart: [] });
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
      const { start, step } = run;
      const first = Math.ceil((low - start) / step);
      const count = Math.floor((low + length - 1 - start) / step) - first + 1;
      if (step > 1) {
        const gaps = Math.min(Math.floor((low + length - 2 - start) / step), (run.length - 1) / step - 1);
        runsOfPadding += Math.max(0, gaps - Math.ceil((low + 1 - start) / step) + 2);
      }
      let pixel = run.source + first;
      for (let done = 0; done < count;) {
        const from = pixel % shardRows;
        const part = Math.min(count - done, shardRows - from);
        const holder = Math.floor(pixel / shardRows);
        const list = (holder === core ? own : remote)[holder];
        const target = start + (first + done) * step - firstInput;
        if (list !== undefined) append(list, core, from, target, part, step);
        done += part;
        pixel += part;
      }
    }
    padding.push(runsOfPadding);
  }
  const lists = own.map((given, core) => [given, remote[core] ?? none()] as const);
  const rankOf = input.tiled ? ranks(bounds.length, input.placeOf) : undefined;
  const words = lists.map((each) =>
    rankOf === undefined ? halfWordsOfRows(each) : halfWordsOfTiles(each, rankOf)
  );
  const fills = (half: (runs: number) => number) => 2 * Math.max(0, ...padding.map(half)) + 2;
  return [
    fills((runs) => Math.floor(runs / 2)),
    fills((runs) => Math.ceil(runs / 2)),
    roundUp(Math.max(1, ...words.map(([even]) => even)), 2),
    roundUp(Math.max(1, ...words.map(([, odd]) => odd)), 2),
  ].map((words) => 2 * words);
}

/**
 * Adds a transfer, or one for each of some pixels that lie `step` apart in the target; the first goes on with the last one
 * if it begins where that ends.
 */
function append(
  list: Transfers,
  target: number,
  from: number,
  to: number,
  length: number,
  step: number,
): void {
  const last = list.targets.length - 1;
  const lastLength = list.lengths[last] ?? 0;
  const goesOn = list.targets[last] === target && (list.from[last] ?? 0) + lastLength === from &&
    list.toEnd[last] === to;
  if (!goesOn) return push(list, target, from, to, length, step);
  const joined = step > 1 ? 1 : length;
  if (list.apart[last] === true) {
    list.lengths[last] = lastLength - 1;
    push(list, target, from - 1, to - 1, 1 + joined, 1);
  } else {
    list.lengths[last] = lastLength + joined;
    list.toEnd[last] = to + joined;
  }
  if (joined < length) push(list, target, from + 1, to + step, length - 1, step);
}

function push(list: Transfers, target: number, from: number, to: number, length: number, step: number): void {
  list.targets.push(target);
  list.from.push(from);
  list.toEnd.push(to + (length - 1) * step + 1);
  list.lengths.push(length);
  list.apart.push(step > 1 && length > 1);
}

/** Half-words of the lists of the two threads, which take transfers in turn. */
function halfWordsOfRows(lists: readonly [Transfers, Transfers]): readonly [number, number] {
  const words: [number, number] = [1, 1];
  const last: [number, number] = [-1, -1];
  let taken = 0;
  for (const { targets, lengths, apart } of lists) {
    for (const [index, target] of targets.entries()) {
      const transfers = apart[index] === true ? lengths[index] ?? 0 : 1;
      for (const thread of [0, 1] as const) {
        const own = Math.floor((transfers + (taken + thread + 1) % 2) / 2);
        if (own === 0) continue;
        words[thread] += own * PER_TRANSFER + (target === last[thread] ? 0 : PER_TARGET);
        last[thread] = target;
      }
      taken += transfers;
    }
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
  for (const { from, lengths, apart } of lists) {
    for (let index = 0; index < from.length; index++) {
      const begin = from[index] ?? 0;
      const length = lengths[index] ?? 0;
      const last = begin + length - 1;
      if (apart[index] === true) count += length;
      else if (length > 0) count += Math.floor(last / BLOCK_ROWS) - Math.floor(begin / BLOCK_ROWS) + 1;
    }
  }
  const keys = new Float64Array(count);
  let filled = 0;
  for (const { targets, from, lengths, apart } of lists) {
    for (let index = 0; index < from.length; index++) {
      const begin = from[index] ?? 0;
      const end = begin + (lengths[index] ?? 0);
      const rank = rankOf[targets[index] ?? 0] ?? 0;
      const unit = apart[index] === true ? 1 : BLOCK_ROWS;
      for (let at = begin; at < end; at = (Math.floor(at / unit) + 1) * unit) {
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

/** All padded images as runs, in order. */
function runsOfImages(moved: MovedWindow): readonly PixelRun[] {
  const runs: PixelRun[] = [];
  const ofImage = piecesOf(moved);
  let start = 0;
  let source = 0;
  for (let image = 0; image < moved.window.batch; image++) {
    for (const { length, isPadding, step = 1 } of ofImage) {
      runs.push({ start, length, source: isPadding ? undefined : source, step });
      start += length;
      if (!isPadding) source += (length - 1) / step + 1;
    }
  }
  return runs;
}

/** Pixels of one image that lie together, or `step` apart. */
interface Piece {
  readonly length: number;
  readonly isPadding: boolean;
  readonly step?: number;
}

/**
 * Rows of padding, and padding at both ends of every pixel row. A transposed convolution's pixels are spaced by the stride,
 * with the kernel's reach around them.
 */
function piecesOf(moved: MovedWindow): readonly Piece[] {
  const { window, transposed } = moved;
  const { inputHeight, inputWidth, padding } = window;
  const [height, width] = paddedImage(moved);
  const [down, across] = transposed ? [window.strideHeight, window.strideWidth] : [1, 1];
  const top = transposed ? window.dilationHeight * (window.kernelHeight - 1) - padding.top : padding.top;
  const left = transposed ? window.dilationWidth * (window.kernelWidth - 1) - padding.left : padding.left;
  const spread = (inputWidth - 1) * across + 1;
  const pieces: Piece[] = [];
  for (let row = 0; row < height; row++) {
    if (row < top || row > top + (inputHeight - 1) * down || (row - top) % down !== 0) {
      pieces.push({ length: width, isPadding: true });
      continue;
    }
    pieces.push(
      { length: left, isPadding: true },
      { length: spread, isPadding: false, step: across },
      { length: width - spread - left, isPadding: true },
    );
  }
  return pieces.filter(({ length }) => length > 0);
}
