// SPDX-License-Identifier: Apache-2.0
import type { CostClass } from "../../lib/ops/cost_class.ts";
import { launchPrograms } from "../../lib/programs/launch.ts";
import { emptyRoom, FULL_RUN, type LaunchContext, type OpLaunch } from "../../lib/programs/op_launch.ts";
import { coresOf, type DeviceProgram, type KnownPrograms } from "../../lib/programs/program.ts";
import { chipDescription, type Device } from "../devices/device.ts";
import { attentionCost, attentionDecodeCost } from "./attention.ts";
import { collectiveCost } from "./collective.ts";
import { convolutionCost, haloCost, poolCost } from "./convolution.ts";
import { inSequence, type KernelCost } from "./kernel.ts";
import { matmulCost } from "./matmul.ts";
import { residentCost, streamCost } from "./stream.ts";
import { hostTransferCost, transferCost } from "./transfer.ts";

/** Time of an op: the sum of its programs. */
export function priceOp(launched: KnownPrograms, device: Device): KernelCost {
  const costs = launched.programs.map((program) => priceProgram(program, device));
  return { ...inSequence(costs), cores: coresOf(launched) };
}

/**
 * Time of a device program.
 *
 * @throws {RangeError} if a formula gives no finite time
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

/**
 * Time of an op outside a graph, for measured rows: the price of its programs.
 *
 * @throws {RangeError} if the op's programs are unknown
 */
export function priceLaunch(costClass: CostClass, op: OpLaunch, device: Device): KernelCost {
  const launched = launchPrograms(costClass, op, loneChip(device));
  if (launched.status === "unknown") throw new RangeError(launched.reason);
  return priceOp(launched, device);
}

/** One chip with all of its L1 free. */
export function loneChip(device: Device): LaunchContext {
  const chip = chipDescription(device);
  return {
    chip,
    room: () => emptyRoom(chip),
    mesh: [],
    assumed: FULL_RUN,
  };
}
