// SPDX-License-Identifier: Apache-2.0
import { getDevice } from "../../devices/device_registry.ts";
import type { MeasuredOp } from "./measured_op.ts";

/** The chip of a measurement in the bundled devices' terms. */
export interface MeasuredChip {
  /** Bundled device that the prediction starts from. */
  readonly device: string;
  /** Columns of the worker grid. */
  readonly columns: number;
  /** Rows of the worker grid. */
  readonly rows: number;
  /** Banks of DRAM. */
  readonly dramBanks: number;
  /** Chips that take part; 1 but for collectives. */
  readonly chips: number;
}

/** Chips by name. Boards of the measurements have 110 workers where they are Blackhole, 64 where they are Wormhole. */
const DEVICES: Readonly<Record<string, string>> = {
  "n150": "n150",
  "n300-chip": "n300",
  "wormhole": "n150",
  "p100": "p100",
  "p150": "p150-harvested",
  "p300-chip": "p150-harvested",
  "blackhole": "p150-harvested",
};

/** Machines whose chips are those of a bundled device, for ops that run on every chip by itself or between them. */
const MACHINES: readonly (readonly [RegExp, string])[] = [
  [/blackhole.*12x10/i, "p150-one-column-harvested"],
  [/T3K/, "n300"],
  [/p150|p300|blackhole/i, "p150-harvested"],
  [/\bWH\b|wormhole/i, "n300"],
];

/** The chip of a row; `undefined` when no bundled device is like it. */
export function measuredChip({ chip, params }: MeasuredOp): MeasuredChip | undefined {
  const machine = /^machine:/.test(chip) ? chip : undefined;
  const device = machine === undefined
    ? DEVICES[chip]
    : MACHINES.find(([pattern]) => pattern.test(machine))?.[1];
  if (device === undefined) return undefined;
  const { grid: { workerColumns, workerRows }, dram } = getDevice(device);
  const told = params.chips ?? params.devices ?? /(\d+) chips/.exec(String(params.ring ?? ""))?.[1];
  return {
    device,
    columns: workerColumns,
    rows: workerRows,
    dramBanks: dram.banks,
    chips: machine === undefined || told === undefined ? 1 : Number(told),
  };
}
