// SPDX-License-Identifier: Apache-2.0
import { getDevice } from "../../devices/device_registry.ts";
import type { OpQuestion } from "../op_question.ts";
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
  "p150": "p150",
  "p300-chip": "p150",
  "blackhole": "p150",
};

/** Machines and boards whose chips are those of a bundled device. */
const NAMED: readonly (readonly [RegExp, string])[] = [
  [/blackhole.*12x10/i, "p150-12x10"],
  [/T3K|n300/i, "n300"],
  [/n150/i, "n150"],
  [/p100/i, "p100"],
  [/p150|p300|blackhole/i, "p150"],
  [/\bWH\b|wormhole/i, "n300"],
];

/** The chip of a row; `undefined` when no bundled device is like it. */
export function measuredChip({ chip, params }: MeasuredOp): MeasuredChip | undefined {
  const isMachine = chip.startsWith("machine:");
  const found = isMachine ? chipNamed(chip) : chipOf(DEVICES[chip]) ?? chipNamed(chip);
  const told = params.chips ?? params.devices ?? /(\d+) chips/.exec(String(params.ring ?? ""))?.[1];
  return found === undefined || !isMachine || told === undefined ? found : { ...found, chips: Number(told) };
}

/** The chip that a description names, as `blackhole p300c, one chip`; `undefined` when no bundled device is like it. */
export function chipNamed(text: string): MeasuredChip | undefined {
  return chipOf(NAMED.find(([pattern]) => pattern.test(text))?.[1]);
}

function chipOf(device: string | undefined): MeasuredChip | undefined {
  if (device === undefined) return undefined;
  const { grid: { workerColumns, workerRows }, dram } = getDevice(device);
  return { device, columns: workerColumns, rows: workerRows, dramBanks: dram.banks, chips: 1 };
}

/** The ops of a row of one family, whose times are added. It leaves out rows that do not say them. */
export type OpReader = (row: MeasuredOp, chip: MeasuredChip) => readonly OpQuestion[];
