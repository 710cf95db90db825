// SPDX-License-Identifier: Apache-2.0
import { roundUp } from "../layout/make_layout.ts";
import { type CoreBounds, type MovedWindow, paddedImage } from "./sliding_window.ts";

/** Pixels of the padded images that lie together, all of them padding or all of them of one shard of the input. */
interface Run {
  /** Index in the padded images. */
  readonly start: number;
  readonly length: number;
  /** Index in the images without padding; `undefined` for padding. */
  readonly source: number | undefined;
}

/** Pixels that go from a core's shard to a core that needs them. */
interface Transfer {
  readonly target: number;
  /** In the shard that it comes from. */
  readonly from: number;
  /** In the target's part of the padded images. */
  readonly to: number;
  readonly length: number;
}

/** The input's shards, as the halo program reads them. */
export interface HaloInput {
  /** Pixels of a shard. */
  readonly shardRows: number;
  readonly tiled: boolean;
  /** Column and row of the core with a shard, by which transfers of one block of rows are sorted. */
  readonly placeOf: (core: number) => readonly [number, number];
}

/** Rows of a tile, at which transfers of tiled shards are cut: they are untilized block by block. */
const BLOCK_ROWS = 32;

/** Half-words that a list of transfers takes per target, and per transfer. */
const PER_TARGET = 3;
const PER_TRANSFER = 3;

/**
 * Bytes of the four config tensors of a halo program: of padding and of pixels, for each of the two data movement
 * threads (tt-metal:sliding-window, `generate_halo_kernel_config_tensors`; `ttnn-0.81.1`).
 */
export function haloConfigBytes(
  moved: MovedWindow,
  bounds: readonly CoreBounds[],
  input: HaloInput,
): readonly number[] {
  const runs = runsOfImages(moved, input.shardRows);
  const padding: number[] = [];
  const transfers: Transfer[][] = bounds.map(() => []);
  const remote: Transfer[][] = bounds.map(() => []);
  for (const [core, { firstInput, lastInput }] of bounds.entries()) {
    let runsOfPadding = 0;
    let paddedUntil = -1;
    const open = new Map<number, Transfer[]>();
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
      const pixel = run.source + low - run.start;
      const holder = Math.floor(pixel / input.shardRows);
      append(open, holder, { target: core, from: pixel % input.shardRows, to, length });
    }
    padding.push(runsOfPadding);
    for (const [holder, list] of open) (holder === core ? transfers : remote)[holder]?.push(...list);
  }
  let [even, odd] = [1, 1];
  for (const [core, own] of transfers.entries()) {
    const [first, second] = dealt([...own, ...remote[core] ?? []], input);
    even = Math.max(even, halfWords(first));
    odd = Math.max(odd, halfWords(second));
  }
  const fills = (half: (runs: number) => number) => 2 * Math.max(0, ...padding.map(half)) + 2;
  return [
    fills((runs) => Math.floor(runs / 2)),
    fills((runs) => Math.ceil(runs / 2)),
    roundUp(even, 2),
    roundUp(odd, 2),
  ].map((words) => 2 * words);
}

/** Adds a transfer to those from a shard, to the last one if it goes on where that ends. */
function append(open: Map<number, Transfer[]>, holder: number, next: Transfer): void {
  let list = open.get(holder);
  if (list === undefined) open.set(holder, list = []);
  const last = list.at(-1);
  if (
    last !== undefined && last.from + last.length === next.from && last.to + last.length === next.to
  ) list[list.length - 1] = { ...last, length: last.length + next.length };
  else list.push(next);
}

/**
 * The transfers of a core for its two threads: rows in turn; blocks of tiles in turn, because each thread untilizes its
 * own.
 */
function dealt(
  transfers: readonly Transfer[],
  { tiled, placeOf }: HaloInput,
): readonly [readonly Transfer[], readonly Transfer[]] {
  if (!tiled) {
    return [transfers.filter((_, index) => index % 2 === 0), transfers.filter((_, index) => index % 2 === 1)];
  }
  const cut = transfers.flatMap(cutAtBlocks).map((transfer) => ({
    transfer,
    place: placeOf(transfer.target),
  }))
    .sort((a, b) => a.transfer.from - b.transfer.from || a.place[0] - b.place[0] || a.place[1] - b.place[1])
    .map(({ transfer }) => transfer);
  const ofBlock = (rest: number) => cut.filter(({ from }) => Math.floor(from / BLOCK_ROWS) % 2 === rest);
  return [ofBlock(0), ofBlock(1)];
}

function cutAtBlocks(transfer: Transfer): readonly Transfer[] {
  const parts: Transfer[] = [];
  const end = transfer.from + transfer.length;
  for (let from = transfer.from; from < end;) {
    const next = Math.min(end, (Math.floor(from / BLOCK_ROWS) + 1) * BLOCK_ROWS);
    parts.push({ ...transfer, from, to: transfer.to + from - transfer.from, length: next - from });
    from = next;
  }
  return parts;
}

/** Half-words of a list of transfers: one to end it, and a head whenever the target changes. */
function halfWords(transfers: readonly Transfer[]): number {
  let words = 1;
  let last: number | undefined;
  for (const { target } of transfers) {
    if (target !== last) words += PER_TARGET;
    last = target;
    words += PER_TRANSFER;
  }
  return words;
}

/** Index of the run that holds a pixel of the padded images. */
function runAt(runs: readonly Run[], pixel: number): number {
  let [low, high] = [0, runs.length - 1];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((runs[middle]?.start ?? Infinity) <= pixel) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** All padded images as runs, in order, cut where the input's shards end. */
function runsOfImages(moved: MovedWindow, shardRows: number): readonly Run[] {
  const runs: Run[] = [];
  const ofImage = moved.transposed ? spreadImage(moved) : plainImage(moved);
  let start = 0;
  let source = 0;
  for (let image = 0; image < moved.window.batch; image++) {
    for (const { length, isPadding } of ofImage) {
      for (let rest = length; rest > 0;) {
        const part = isPadding ? rest : Math.min(rest, shardRows - source % shardRows);
        runs.push({ start, length: part, source: isPadding ? undefined : source });
        start += part;
        rest -= part;
        if (!isPadding) source += part;
      }
    }
  }
  return runs;
}

/** Pixels of one image that lie together. */
interface Piece {
  readonly length: number;
  readonly isPadding: boolean;
}

/** Rows of padding above and below, and padding at both ends of every row of pixels. */
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

/** The image of a transposed convolution: every pixel apart by the stride, with what the kernel reaches around them. */
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
