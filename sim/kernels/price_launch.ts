// SPDX-License-Identifier: Apache-2.0
import type { CostClass } from "../../lib/ops/cost_class.ts";
import { launchPrograms } from "../../lib/programs/launch.ts";
import { emptyRoom, type LaunchContext, type OpLaunch } from "../../lib/programs/op_launch.ts";
import { chipDescription, type Device } from "../devices/device.ts";
import { FULL_RUN } from "../../lib/programs/run_assumptions.ts";
import type { KernelCost } from "./kernel.ts";
import { priceOp } from "./price_program.ts";
import { MEASURED_PROGRAM_RULES } from "../../lib/programs/program_rules.ts";

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

/** One chip with all of its L1 available, at the backend revision of most measured rows. */
export function loneChip(device: Device): LaunchContext {
  const chip = chipDescription(device);
  return {
    chip,
    room: () => emptyRoom(chip),
    mesh: [],
    programRules: MEASURED_PROGRAM_RULES,
    assumed: FULL_RUN,
  };
}
