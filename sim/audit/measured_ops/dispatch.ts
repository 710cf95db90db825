// SPDX-License-Identifier: Apache-2.0
import { periodMicroseconds } from "../../microbenchmarks/dispatch.ts";
import { type AuditRow, excluding } from "../row_model.ts";
import { measuredChip } from "./measured_chip.ts";
import type { MeasuredOp } from "./measured_op.ts";
import { numberIn } from "./texts.ts";

/** Rows of equal programs that follow each other in a trace, by the time from start to start. */
export function dispatchPeriodRow(row: MeasuredOp): AuditRow {
  const { group, params, measured: { unit, value } } = row;
  const chip = measuredChip(row);
  const device = chip?.device ?? row.chip;
  const excluded = excluding(group, device);
  const [cores, kernelUs] = [numberIn(params, "cores"), numberIn(params, "kernel_us")];
  if (chip === undefined) return excluded("the chip is not modelled");
  if (cores === undefined || kernelUs === undefined || unit !== "us") {
    return excluded("cores or length of the kernels are not in the row");
  }
  return {
    status: "modelled",
    group,
    device,
    configuration: `${group} ${device} ${JSON.stringify(params)}`,
    table: `${group} ${device} ${row.source}`,
    measured: value,
    unit: "us",
    predict: (measured) => periodMicroseconds({ cores, kernelUs }, measured),
  };
}
