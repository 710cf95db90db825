// SPDX-License-Identifier: Apache-2.0
import { inDram } from "../../lib/programs/program_tensor.ts";
import { getMeasuredDevice } from "../microbenchmarks/measured_device.ts";
import type { MeasuredChip } from "./measured_ops/measured_chip.ts";
import type { DeviceOp } from "./device_op.ts";
import { type MeasuredRow, textOf } from "./measured_row.ts";
import { deviceOpClass, deviceOpMicroseconds } from "./questions/device_op_time.ts";
import { programTensors } from "./questions/placed_op.ts";
import { readPerfReportRow } from "./readers/perf_report.ts";
import { type AuditRow, type BaselineWork, excluding, withWorkerGrid } from "./row_model.ts";

/** Chips of the profiles that are modelled, by the row's device, with the bundled device and worker grid. */
const DEVICES: Readonly<Record<string, readonly [device: string, columns: number, rows: number]>> = {
  "p100": ["p100", 11, 10],
  "p150": ["p150", 11, 10],
  "p150 (1 of 8)": ["p150", 11, 10],
  "n150/n300-chip (8x8 WH)": ["n150", 8, 8],
  // Blackhole chips configured to use only a part of their cores.
  "blackhole-20core": ["p150-13x10", 5, 4],
  "blackhole-64core": ["p150-13x10", 8, 8],
};

/** Rows of op profiles: device kernel duration of one op with all its tensors. */
export function profileRow(row: MeasuredRow): AuditRow {
  const group = "op_profile";
  const named = DEVICES[row.device];
  const excluded = excluding(group, named?.[0] ?? row.device);
  if (row.quality !== "") return excluded(`flagged: ${row.quality.replace(/ \(.*/s, "")}`);
  if (named === undefined) return excluded("the chip is not modelled");
  const [device, columns, rows] = named;
  const op = readPerfReportRow(row);
  if (op === undefined) return excluded("tensors or time are missing");
  const measured = withWorkerGrid(getMeasuredDevice(device), [columns, rows]);
  const chip: MeasuredChip = { device, columns, rows, dramBanks: measured.dram.banks, chips: 1 };
  if (deviceOpMicroseconds(op, chip, measured) === undefined) {
    return excluded(`the op ${row.op} is not modelled`);
  }
  const attributes = textOf(row.config, "attributes");
  return {
    status: "modelled",
    group,
    ...deviceOpClass(op, chip),
    device,
    workerGrid: [columns, rows],
    configuration: [device, row.op, JSON.stringify(row.shapes), row.dtype, row.grid, attributes].join(" "),
    table: `${device} ${op.op}`,
    measured: op.us,
    unit: "us",
    predict: (chipDevice) => deviceOpMicroseconds(op, chip, chipDevice) ?? NaN,
    work: workOf(op, chip),
  };
}

/** Input of the public models for an op: its bytes. */
function workOf(op: DeviceOp, chip: MeasuredChip): BaselineWork {
  const { inputs, outputs: [output] } = programTensors(op, chip);
  return {
    flops: 0,
    tileCycles: 16,
    elements: (output?.tiles ?? 0) * 1024,
    inputBytes: inputs.map(({ bytes }) => bytes),
    outputBytes: output?.bytes ?? 0,
    dramInputBytes: inputs.filter(inDram).map(({ bytes }) => bytes),
    dramOutputBytes: output !== undefined && inDram(output) ? output.bytes : 0,
  };
}
