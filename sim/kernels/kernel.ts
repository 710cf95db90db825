// SPDX-License-Identifier: Apache-2.0
import type { TileOperation, TileWork } from "../../lib/programs/program_work.ts";
import type { Device } from "../devices/device.ts";

/**
 * Time of one op's device programs in AICLK cycles, and the traffic of the whole chip. The time is the
 * profiler's device kernel duration: from the start of the first core to the end of the last one.
 */
export interface KernelCost {
  /** Kernel duration in cycles. Never below any of the busy times or floors that it was built from. */
  readonly cycles: number;
  /** Cycles that the slowest core's reader, compute and writer are busy. */
  readonly read: number;
  readonly compute: number;
  readonly write: number;
  /** Cycles at the end during which only the last output is written. */
  readonly drain: number;
  /** Cores of the program; of several, `inSequence` takes the largest number, `priceOp` that of the program with the most flops. */
  readonly cores: number;
  /** Bytes, whole chip. */
  readonly dramBytes: number;
  readonly nocBytes: number;
  /** Floating point operations, whole chip. */
  readonly flops: number;
  /** Host time in µs that the device waits for, 0 for most ops. */
  readonly hostMicroseconds: number;
}

/** An op that costs nothing: views, and ops that only change bookkeeping. */
export const FREE: KernelCost = {
  cycles: 0,
  read: 0,
  compute: 0,
  write: 0,
  drain: 0,
  cores: 0,
  dramBytes: 0,
  nocBytes: 0,
  flops: 0,
  hostMicroseconds: 0,
};

/**
 * Time of two activities a and b that overlap but share resources: (a^s + b^s)^(1/s) with s = `sharpness`. s
 * = 1 gives the sum, s = ∞ the maximum.
 */
export function smoothMax(a: number, b: number, sharpness: number): number {
  const large = Math.max(a, b);
  if (large === 0) return 0;
  return large * (1 + (Math.min(a, b) / large) ** sharpness) ** (1 / sharpness);
}

/** Cycles of an empty program: several cores do not start simultaneously. */
export function startCycles(cores: number, device: Device): number {
  return device.stream.startup + (cores > 1 ? device.stream.spread : 0);
}

/** Programs one after another. */
export function inSequence(costs: readonly KernelCost[]): KernelCost {
  const [first] = costs;
  if (first !== undefined && costs.length === 1) return first;
  const sum = (part: keyof KernelCost) => costs.reduce((total, cost) => total + cost[part], 0);
  return {
    cycles: sum("cycles"),
    read: sum("read"),
    compute: sum("compute"),
    write: sum("write"),
    drain: costs.at(-1)?.drain ?? 0,
    cores: costs.reduce((cores, cost) => Math.max(cores, cost.cores), 0),
    dramBytes: sum("dramBytes"),
    nocBytes: sum("nocBytes"),
    flops: sum("flops"),
    hostMicroseconds: sum("hostMicroseconds"),
  };
}

/** Worker cores of the device. */
export function workers(device: Device): number {
  return device.grid.workerRows * device.grid.workerColumns;
}

/** AICLK cycles of a time. */
export function cyclesOf(device: Device, microseconds: number): number {
  return microseconds * device.clock.aiclk;
}

/** Microseconds of AICLK cycles. */
export function microsecondsOf(device: Device, cycles: number): number {
  return cycles / device.clock.aiclk;
}

/** AICLK cycles of one tile operation on one core. */
const CYCLES: Readonly<Record<TileOperation, (device: Device) => number>> = {
  eltwise: ({ tensix }) => tensix.eltwiseTile,
  eltwise_wide: ({ tensix }) => tensix.eltwiseTileWide,
  reduce: ({ tensix }) => tensix.reduceTile,
  reduce_row: ({ tensix }) => tensix.reduceRow,
  add_part: ({ tensix }) => tensix.addPart,
  pass: ({ tensix }) => tensix.passTile,
  pass_wide: ({ tensix }) => tensix.passTileWide,
  pass_block: ({ tensix }) => tensix.passBlock,
  group_pass: ({ tensix }) => tensix.groupTile,
  scan_element: ({ tensix }) => tensix.scanElement,
  scan_row: ({ tensix }) => tensix.scanRow,
  scan_share: ({ tensix }) => tensix.scanShare,
  gather_element: ({ tensix }) => tensix.gatherElement,
  rank_element: ({ tensix }) => tensix.rankElement,
  sort_step: ({ tensix }) => tensix.sortStep,
  sort_merge: ({ tensix }) => tensix.sortMerge,
  tilize: ({ tensix }) => tensix.tilizeTile,
  untilize: ({ tensix }) => tensix.untilizeTile,
  untilize_wide: ({ tensix }) => tensix.untilizeWideTile,
  untilize_row: ({ tensix }) => tensix.untilizeRow,
  transpose: ({ tensix }) => tensix.transposeTile,
  fill_word: ({ stream }) => stream.fillWord,
  copy_byte: ({ stream }) => stream.copyByte,
  pad_word: ({ stream }) => stream.padWord,
  rotate: ({ tensix, matmul }) => tensix.matmulTileHifi4 * matmul.tileScale + matmul.tileOffset,
  rotary_pass: ({ tensix }) => tensix.rotaryTile,
  lookup: ({ sfpu }) => sfpu.lookup,
  simple: ({ sfpu }) => sfpu.simple,
  product: ({ sfpu }) => sfpu.product,
  reciprocal: ({ sfpu }) => sfpu.reciprocal,
  exp: ({ sfpu }) => sfpu.exp,
  polynomial: ({ sfpu }) => sfpu.polynomial,
  quotient: ({ sfpu }) => sfpu.quotient,
  transcendental: ({ sfpu }) => sfpu.transcendental,
  inverse: ({ sfpu }) => sfpu.inverse,
};

/** AICLK cycles of a core's compute threads for some tile operations, one after the other. */
export function tileWorkCycles(work: readonly TileWork[], device: Device): number {
  let cycles = 0;
  for (const { operation, count } of work) cycles += count * CYCLES[operation](device);
  return cycles;
}
