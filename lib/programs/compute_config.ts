// SPDX-License-Identifier: Apache-2.0
import type { ChipDescription } from "../device/chip_description.ts";
import { computeConfigInUse, type ComputeDefaults } from "../op_config/default_compute_config.ts";
import type { OpLaunch } from "./op_launch.ts";
import { isPresent } from "./program_tensor.ts";

/** The compute config that an op runs with: its own, or TTNN's default for its formats; `undefined` if not known. */
export function computeConfigOf(
  op: OpLaunch,
  { architecture }: ChipDescription,
): ComputeDefaults | undefined {
  const [result] = op.outputs;
  return result === undefined ? undefined : computeConfigInUse(op.config?.computeConfig, {
    op: op.name,
    operands: op.inputs.filter(isPresent).map(({ dataType }) => dataType),
    result: result.dataType,
    architecture,
  });
}

/** Whether the destination register accumulates in f32, so that intermediates are f32 too. */
export function accumulatesInF32(op: OpLaunch, chip: ChipDescription): boolean {
  return computeConfigOf(op, chip)?.fp32DestAccEn === true;
}
