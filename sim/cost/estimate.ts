// SPDX-License-Identifier: Apache-2.0
import type { Bound, RuntimeEstimate } from "../../lib/cost/cost_model.ts";
import type { CostClass } from "../../lib/ops/cost_class.ts";
import type { Device } from "../devices/device.ts";
import type { DeviceProgram, OpPrograms } from "../../lib/programs/program.ts";
import { type KernelCost, microsecondsOf, workers } from "../kernels/kernel.ts";
import { choosesBlocks, placementOf, predictedError } from "./coverage.ts";
import { priceOp, priceProgram } from "../kernels/price_program.ts";

/** Share of a peak above which tt-perf-report calls an op bound by it (tt-perf-report:columns). */
const BOUND_SHARE = 0.65;

/** An estimate under construction. */
type NewEstimate = { -readonly [Field in keyof RuntimeEstimate]: RuntimeEstimate[Field] };

/** Prices the programs of an op for policies and reports: adds launches, names the bound. */
export function estimateOf(launched: OpPrograms, costClass: CostClass, device: Device): RuntimeEstimate {
  const programs = launched.status === "known" ? launched.programs : [];
  const cost = priceOp({ status: "known", programs }, device);
  const launch = launchMicroseconds(programs, device) + cost.hostMicroseconds;
  const kernel = microsecondsOf(device, cost.cycles);
  const terms = {
    launch,
    read: microsecondsOf(device, cost.read),
    compute: microsecondsOf(device, cost.compute),
    write: microsecondsOf(device, cost.write),
  };
  let dominant: keyof typeof terms = "launch";
  if (terms.read > terms[dominant]) dominant = "read";
  if (terms.compute > terms[dominant]) dominant = "compute";
  if (terms.write > terms[dominant]) dominant = "write";
  const { relativeError, ownError, extrapolated } = predictedError(
    device,
    costClass,
    programs.length === 0 ? undefined : placementOf(programs),
    kernel,
    choosesBlocks(programs),
  );
  // Mutable fields: spreading objects would take as long as computing the estimate, of which searches make
  // thousands.
  const estimate: NewEstimate = {
    programs,
    microseconds: kernel + launch,
    bound: boundOf(cost, kernel, launch, dominant, device),
    relativeError,
    ownError,
    cores: cost.cores,
    dramBytes: cost.dramBytes,
    nocBytes: cost.nocBytes,
    flops: cost.flops,
    terms,
    dominant,
  };
  if (launched.status === "unknown") estimate.unknown = launched.reason;
  if (extrapolated !== undefined) estimate.extrapolated = extrapolated;
  return estimate;
}

/** {@linkcode RuntimeEstimate.microseconds} of programs, without the other fields. */
export function launchedMicroseconds(programs: readonly DeviceProgram[], device: Device): number {
  let cycles = 0;
  let hostMicroseconds = 0;
  for (let index = 0; index < programs.length; index++) {
    const program = programs[index];
    if (program === undefined) continue;
    const cost = priceProgram(program, device);
    cycles += cost.cycles;
    hostMicroseconds += cost.hostMicroseconds;
  }
  return microsecondsOf(device, cycles) + (launchMicroseconds(programs, device) + hostMicroseconds);
}

/**
 * µs before the first program of an op and between its programs; programs without cores are not launched. A
 * program on one core starts as late as the last of several cores: 1.5 µs after its predecessor, where others
 * start after 0.55 (published:ops-2, profiles, 27 of 31 traced programs on one Blackhole core).
 */
export function launchMicroseconds(
  programs: readonly Pick<DeviceProgram, "cores">[],
  device: Device,
): number {
  const { tracedGap } = device.dispatch;
  const alone = tracedGap + microsecondsOf(device, device.stream.spread);
  let us = 0;
  for (const { cores } of programs) us += cores === 0 ? 0 : cores === 1 ? alone : tracedGap;
  return us;
}

function boundOf(
  cost: KernelCost,
  kernel: number,
  launch: number,
  dominant: RuntimeEstimate["dominant"],
  device: Device,
): Bound {
  if (cost.hostMicroseconds > kernel) return "HOST";
  const dram = cost.dramBytes / Math.max(kernel, 1e-9) / (device.dram.peakBandwidth * 1000) >= BOUND_SHARE;
  const peakFlops = workers(device) * 2 * 32 ** 3 / device.tensix.matmulTileLofi * device.clock.aiclk;
  const flop = cost.flops / Math.max(kernel, 1e-9) / peakFlops >= BOUND_SHARE;
  if (dram && flop) return "BOTH";
  if (dram) return "DRAM";
  if (flop) return "FLOP";
  if (launch >= kernel && launch > 0) return "DISPATCH";
  if ((dominant === "read" || dominant === "write") && cost.nocBytes > cost.dramBytes) return "NOC";
  return "SLOW";
}
