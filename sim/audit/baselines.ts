// SPDX-License-Identifier: Apache-2.0
import type { Device } from "../devices/device.ts";
import { workers } from "../kernels/kernel.ts";
import type { BaselineWork } from "./row_model.ts";
import { sum } from "./statistics.ts";

/** A public performance model, for one op. */
export interface Baseline {
  readonly name: string;
  readonly summary: string;
  /** Predicted time in µs. */
  readonly predict: (work: BaselineWork, device: Device) => number;
}

/** Multiplications and additions of a 32x32x32 tile matmul. */
const TILE_FLOPS = 2 * 32 ** 3;

/** Grayskull (bandwidth in GB/s), with which ttnn's built-in model still computes for chips other than Wormhole. */
const GRAYSKULL = { cores: 108, flopsPerCycle: 2048, gigahertz: 1.2, bandwidth: 96 } as const;

/** The models that the audit compares with on the same rows (derived:baselines). */
export const BASELINES: readonly Baseline[] = [
  {
    name: "roofline",
    summary: "matrix engine or DRAM at peak rate",
    predict: roofline,
  },
  {
    name: "roofline/0.7",
    summary: "tt-mlir's performance target: the roofline divided by 0.7",
    predict: (work, device) => roofline(work, device) / 0.7,
  },
  {
    name: "polaris 0.6/0.8",
    summary:
      "polaris: 60 % of peak compute without fidelities, every tensor through DRAM at 80 % of its peak",
    predict: polaris,
  },
  {
    name: "ttnn ideal",
    summary:
      "ttnn's op performance model: peak compute or the slowest single tensor, with its own chip constants",
    predict: ttnnIdeal,
  },
];

function roofline(work: BaselineWork, device: Device): number {
  const compute = work.flops / TILE_FLOPS * work.tileCycles / workers(device) / device.clock.aiclk;
  const bytes = sum(work.dramInputBytes) + work.dramOutputBytes;
  return Math.max(compute, bytes / (device.dram.peakBandwidth * 1000));
}

function polaris(work: BaselineWork, device: Device): number {
  // 512 multiply-accumulates per cycle and core, 32 vector lanes; no math fidelity.
  const cycles = work.flops / 2 / 512 / workers(device) + work.elements / 32 / workers(device);
  const compute = cycles / 0.6 / device.clock.aiclk;
  const memory = (sum(work.inputBytes) + work.outputBytes) / (device.dram.peakBandwidth * 1000 * 0.8);
  return Math.max(compute, memory) + 50 / device.clock.aiclk;
}

function ttnnIdeal(work: BaselineWork, device: Device): number {
  const wormhole = device.architecture === "wormhole_b0";
  const fidelity = work.tileCycles / 16;
  const rate = wormhole
    ? 64 * 4096 * device.clock.aiclk
    : GRAYSKULL.cores * GRAYSKULL.flopsPerCycle * GRAYSKULL.gigahertz * 1000;
  const compute = work.flops / rate * fidelity;
  const bandwidth = wormhole ? 6 * 2 * 21.5 * 2 ** 30 / 1e9 : GRAYSKULL.bandwidth;
  const slowest = Math.max(0, ...work.dramInputBytes, work.dramOutputBytes);
  return Math.max(compute, slowest / (bandwidth * 1000), 0.001);
}
