// SPDX-License-Identifier: Apache-2.0
import { type Architecture, type KernelArchitecture, kernelsOf } from "../../device/chip_description.ts";
import type { DataType } from "../../layout/data_type.ts";

/** A NoC rate in bytes per ns that grows linearly with the transaction size from 16 bytes on. */
interface Rate {
  readonly slowest: number;
  readonly fastest: number;
  /** Bytes from which it is the fastest. */
  readonly from: number;
}

/**
 * The backend's estimates, used only for its choice of readers and for no predicted time (tt-metal:conv2d).
 */
interface Estimates {
  readonly gigahertz: number;
  /** Reads within one core's L1. */
  readonly local: Rate;
  /** Reads of one tile from DRAM, and multicasts of a block of weights. */
  readonly dram: Rate;
  readonly multicast: Rate;
  /** Cycles to tilize one tile, by source and target format; second value: with f32 accumulation. */
  readonly tilize: Readonly<Record<string, readonly [number, number]>>;
}

const ESTIMATES: Readonly<Record<KernelArchitecture, Estimates>> = {
  wormhole_b0: {
    gigahertz: 1,
    local: { slowest: 0.868, fastest: 27.84, from: 1024 },
    dram: { slowest: 0.436, fastest: 28.411, from: 2048 },
    multicast: { slowest: 0.318, fastest: 25.345, from: 65536 },
    tilize: {
      "f32 f32": [107, 128],
      "f32 bf16": [74, 74],
      "f32 bfp_bf8": [74, 70],
      "bf16 f32": [92, 117],
      "bf16 bf16": [61, 68],
      "bf16 bfp_bf8": [40, 43],
    },
  },
  blackhole: {
    gigahertz: 1.35,
    local: { slowest: 1.124, fastest: 80.48, from: 4096 },
    dram: { slowest: 0.671, fastest: 80.885, from: 2048 },
    multicast: { slowest: 0.182, fastest: 57.677, from: 65536 },
    tilize: {
      "f32 f32": [132, 132],
      "f32 bf16": [132, 80],
      "f32 bfp_bf8": [132, 77],
      "bf16 f32": [105, 128],
      "bf16 bf16": [72, 72],
      "bf16 bfp_bf8": [60, 60],
    },
  },
};

/** Inputs of the choice between one and two readers for a height-sharded convolution. */
export interface ReaderWork {
  /** Tiles of an activation block `[rows, columns]`. */
  readonly block: readonly [number, number];
  /** Padded channels. */
  readonly channels: number;
  readonly kernelWidth: number;
  readonly dilationWidth: number;
  readonly inputType: DataType;
  readonly outType: DataType;
  readonly accumulatesInF32: boolean;
  /** Bytes of one tile of weights, and tiles of a block of them. */
  readonly weightTileBytes: number;
  readonly weightTiles: number;
}

/**
 * Whether two data movement threads read the windows of a height-sharded convolution: the backend compares
 * its estimates for reading activations, reading weights and tilizing (tt-metal:conv2d,
 * `is_split_reader_viable`).
 *
 * @returns `undefined` for a result format without estimate; the backend then refuses the convolution
 */
export function readersShareWindows(work: ReaderWork, architecture: Architecture): boolean | undefined {
  const { block: [rows, columns], channels, kernelWidth, weightTileBytes } = work;
  const { gigahertz, local, dram, multicast, tilize } = ESTIMATES[kernelsOf(architecture)];
  const format = work.inputType === "f32" ? "f32" : "bf16";
  const perTile = tilize[`${format} ${work.outType}`];
  if (perTile === undefined) return undefined;
  const elementBytes = format === "f32" ? 4 : 2;
  const stick = elementBytes * channels * (work.dilationWidth === 1 ? kernelWidth : 1);
  const activations = gigahertz * elementBytes * rows * 32 * channels * kernelWidth / rateOf(local, stick);
  const weightBytes = weightTileBytes * work.weightTiles;
  const weights = gigahertz * weightBytes *
    (1 / rateOf(dram, weightTileBytes) + 1 / rateOf(multicast, weightBytes));
  const tilizing = perTile[work.accumulatesInF32 ? 1 : 0] * rows * columns;
  return activations / 2 + Math.max(weights, tilizing) < Math.max(activations + tilizing, weights);
}

function rateOf({ slowest, fastest, from }: Rate, bytes: number): number {
  const counted = Math.min(Math.max(bytes, 16), from);
  return slowest + (fastest - slowest) * (counted - 16) / (from - 16);
}
