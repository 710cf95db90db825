// SPDX-License-Identifier: Apache-2.0
import type { RuntimeEstimate } from "../../lib/cost/cost_model.ts";
import type { MathFidelity } from "../../lib/op_config/op_config.ts";
import { COST_CLASSES, type CostClass } from "../../lib/ops/cost_class.ts";
import type { Device } from "../devices/device.ts";
import type { DeviceProgram } from "../../lib/programs/program.ts";
import type { Utilisation } from "./timeline.ts";

/** Fidelity that a step's matrix engine runs at, `undefined` for steps that do not use it. */
export function stepFidelity(
  costClass: CostClass,
  programs: readonly DeviceProgram[],
): MathFidelity | undefined {
  if (!COST_CLASSES[costClass].matrixEngine) return undefined;
  for (const program of programs) if ("fidelity" in program) return program.fidelity;
  return undefined;
}

/** Peak of one core's matrix engine in floating point operations per µs: a 32x32x32 tile matmul in its ideal cycles. */
function peakFlopsPerMicrosecond(device: Device, fidelity: MathFidelity): number {
  const cycles = {
    lofi: device.tensix.matmulTileLofi,
    hifi2: device.tensix.matmulTileHifi2,
    hifi3: device.tensix.matmulTileHifi3,
    hifi4: device.tensix.matmulTileHifi4,
  }[fidelity];
  return 2 * 32 ** 3 / cycles * device.clock.aiclk;
}

/** Theoretical DRAM bandwidth of the chip in bytes per µs. */
function peakDramBytesPerMicrosecond(device: Device): number {
  return device.dram.peakBandwidth * 1000;
}

/** Shares of the peaks that a step reaches while its kernel runs, as tt-perf-report counts them. */
export function utilisationOf(
  estimate: RuntimeEstimate,
  fidelity: MathFidelity | undefined,
  device: Device,
): Utilisation {
  const deviceUs = estimate.microseconds - estimate.terms.launch;
  if (deviceUs <= 0) return { dram: 0, flops: 0 };
  const peakFlops = fidelity === undefined ? 0 : peakFlopsPerMicrosecond(device, fidelity) * estimate.cores;
  return {
    dram: estimate.dramBytes / deviceUs / peakDramBytesPerMicrosecond(device),
    flops: peakFlops === 0 ? 0 : estimate.flops / deviceUs / peakFlops,
  };
}
