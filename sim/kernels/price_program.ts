// SPDX-License-Identifier: Apache-2.0
import { coresOf, type DeviceProgram, type KnownPrograms } from "../../lib/programs/program.ts";
import type { Device } from "../devices/device.ts";
import { attentionCost, attentionDecodeCost } from "./attention.ts";
import { collectiveCost } from "./collective.ts";
import { convolutionCost } from "./convolution.ts";
import { haloCost } from "./halo.ts";
import { inSequence, type KernelCost } from "./kernel.ts";
import { matmulCost } from "./matmul.ts";
import { poolCost } from "./pool.ts";
import { residentCost, streamCost } from "./stream.ts";
import { hostTransferCost, transferCost } from "./transfer.ts";

/** Time of an op: the sum of its programs, each times its launches. */
export function priceOp(launched: KnownPrograms, device: Device): KernelCost {
  const costs = launched.programs.map((program) => repeated(priceProgram(program, device), program.launches));
  return { ...inSequence(costs), cores: coresOf(launched) };
}

/**
 * Time of one launch of a device program.
 *
 * @throws {RangeError} if a formula gives no finite time: a number out of nothing must not leave
 */
export function priceProgram(program: DeviceProgram, device: Device): KernelCost {
  const cost = costOf(program, device);
  const { cycles, hostMicroseconds } = cost;
  if (cycles >= 0 && cycles < Infinity && hostMicroseconds >= 0 && hostMicroseconds < Infinity) return cost;
  throw new RangeError(
    `Cannot price a ${program.kind} program: ${cycles} cycles, ${hostMicroseconds} µs of the host`,
  );
}

function costOf(program: DeviceProgram, device: Device): KernelCost {
  switch (program.kind) {
    case "stream":
      return streamCost(program, device);
    case "resident":
      return residentCost(program, device);
    case "matmul":
      return matmulCost(program, device);
    case "halo":
      return haloCost(program, device);
    case "convolution":
      return convolutionCost(program, device);
    case "pool":
      return poolCost(program, device);
    case "transfer":
      return transferCost(program, device);
    case "attention":
      return attentionCost(program, device);
    case "attention_decode":
      return attentionDecodeCost(program, device);
    case "collective":
      return collectiveCost(program, device);
    case "host_transfer":
      return hostTransferCost(program, device);
  }
}

/** A program launched this many times, one launch after the other. */
function repeated(cost: KernelCost, launches: number): KernelCost {
  if (launches === 1) return cost;
  return {
    cycles: cost.cycles * launches,
    read: cost.read * launches,
    compute: cost.compute * launches,
    write: cost.write * launches,
    drain: cost.drain,
    cores: cost.cores,
    dramBytes: cost.dramBytes * launches,
    nocBytes: cost.nocBytes * launches,
    flops: cost.flops * launches,
    hostMicroseconds: cost.hostMicroseconds * launches,
  };
}
