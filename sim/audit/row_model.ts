// SPDX-License-Identifier: Apache-2.0
import { COST_CLASSES, type CostClass } from "../../lib/ops/cost_class.ts";
import { inDram, type ProgramTensor, type TensorPlacement } from "../../lib/programs/program_tensor.ts";
import type { Device } from "../devices/device.ts";
import { type MeasuredDevice, withMeasuredConstants } from "../microbenchmarks/measured_device.ts";

/** Input of the public models for an op; see `baselines.ts`. */
export interface BaselineWork {
  /** Floating point operations of the matrix engine. */
  readonly flops: number;
  /** Ideal cycles of a tile matmul at the op's fidelity. */
  readonly tileCycles: number;
  /** Elements that vector work touches. */
  readonly elements: number;
  /** One per operand, whole chip. */
  readonly inputBytes: readonly number[];
  /** Whole chip. */
  readonly outputBytes: number;
  /** The part of {@linkcode inputBytes} in DRAM. */
  readonly dramInputBytes: readonly number[];
  /** The part of {@linkcode outputBytes} in DRAM. */
  readonly dramOutputBytes: number;
}

/** The bytes of an op's tensors, as public models count them. */
export function bytesOf(
  inputs: readonly ProgramTensor[],
  output: ProgramTensor | undefined,
): Omit<BaselineWork, "flops" | "tileCycles" | "elements"> {
  return {
    inputBytes: inputs.map(({ bytes }) => bytes),
    outputBytes: output?.bytes ?? 0,
    dramInputBytes: inputs.filter(inDram).map(({ bytes }) => bytes),
    dramOutputBytes: output !== undefined && inDram(output) ? output.bytes : 0,
  };
}

/** Classes of ops that share a published error. */
export type AccuracyClass = keyof Device["accuracy"];

/** The class whose published error a row counts for; `undefined` for rows that are no ops. */
export function accuracyClassOf({ costClass }: Pick<RowModel, "costClass">): AccuracyClass | undefined {
  return costClass === undefined ? undefined : COST_CLASSES[costClass].accuracy;
}

/** A measurement that the simulator can predict. */
export interface RowModel {
  /** Tells it from {@linkcode RowExclusion}. */
  readonly status: "modelled";
  /** Group to report it under; finer than the row's own group where targets differ. */
  readonly group: string;
  /** Cost class of the op, whose published error and range the row counts for; absent for rows that are no ops. */
  readonly costClass?: CostClass;
  /** Placement of the op's first operand; absent for rows that are no ops. */
  readonly placement?: TensorPlacement;
  /** Whether the backend chose the blocks of a product. */
  readonly byBackend?: boolean;
  /** Bundled device that the prediction starts from. */
  readonly device: string;
  /** Worker grid `[columns, rows]` of the measured chip, where it is known to differ from the device's. */
  readonly workerGrid?: readonly [number, number];
  /** Identity of the measured configuration; repeats of one configuration never straddle a fold. */
  readonly configuration: string;
  /** The published table of the row; held out as a whole to test generalisation. */
  readonly table: string;
  /**
   * Parameters of the run, by name (see `measured_pairs.ts`); absent for rows that no plan decides anything
   * of.
   */
  readonly parameters?: Readonly<Record<string, string>>;
  /** Measured value, in `unit`. */
  readonly measured: number;
  /** Unit of `measured` and of what `predict` returns. */
  readonly unit: "us" | "cycles" | "GB/s" | "bytes/cycle";
  /** Prediction in the same unit. */
  readonly predict: (device: MeasuredDevice) => number;
  /** Absent for rows that public models say nothing about. */
  readonly work?: BaselineWork;
}

/** A measurement that is not predicted, and why. */
export interface RowExclusion {
  /** Tells it from {@linkcode RowModel}. */
  readonly status: "excluded";
  /** The row's own group. */
  readonly group: string;
  /** The row's own device. */
  readonly device: string;
  /** Equal reasons are counted together in reports. */
  readonly reason: string;
}

/** The audit's result for one row. */
export type AuditRow = RowModel | RowExclusion;

/** A row as its reader models it; its group and device are those that it is reported under, unless it names a device. */
export type RowReading = Omit<RowModel, "status" | "group" | "device"> & Partial<Pick<RowModel, "device">>;

/** Thrown where a row cannot be predicted, as the op model's rules end with a refusal. It carries no stack. */
class RowRefusal {
  readonly reason: string;

  constructor(reason: string) {
    this.reason = reason;
  }
}

/** Ends the reading of a row: it is left out. @param reason equal reasons are counted together in reports */
export function leaveOut(reason: string): never {
  throw new RowRefusal(reason);
}

/** The reason to leave out a row whose kernel the backend has replaced. */
export const EARLIER_KERNEL = "kernel of an earlier revision, not compared";

/** The value; where it is missing, the row that it is read from is left out. */
export function required<Value>(reason: string, value: Value | undefined): Value {
  return value === undefined ? leaveOut(reason) : value;
}

/** {@linkcode required} for several values of a row with one reason. */
export function requiring(reason: string): <Value>(value: Value | undefined) => Value {
  return (value) => required(reason, value);
}

/** A row as `read` models it, or its exclusion with the reason for which `read` leaves it out. */
export function auditRow(group: string, device: string, read: () => RowReading): AuditRow {
  try {
    return { status: "modelled", group, device, ...read() };
  } catch (error) {
    if (error instanceof RowRefusal) return excluded(group, device, error.reason);
    throw error;
  }
}

/** A row of a group and a device that is left out. */
export function excluded(group: string, device: string, reason: string): RowExclusion {
  return { status: "excluded", group, device, reason };
}

/** Devices with other worker grids, by `columns x rows`: a fit asks for the same ones with every row. */
const REGRIDDED: WeakMap<MeasuredDevice, Map<string, MeasuredDevice>> = new WeakMap();

/** A device with the worker grid of a measured chip. */
export function withWorkerGrid(
  device: MeasuredDevice,
  workerGrid: readonly [number, number] | undefined,
): MeasuredDevice {
  if (workerGrid === undefined) return device;
  const [workerColumns, workerRows] = workerGrid;
  if (workerColumns === device.grid.workerColumns && workerRows === device.grid.workerRows) return device;
  return REGRIDDED.getOrInsertComputed(device, () => new Map())
    .getOrInsertComputed(workerGrid.join("x"), () => {
      const grid = { workerColumns, workerRows };
      return withMeasuredConstants(device, { grid }, "grid of the measured chip", "stated");
    });
}
