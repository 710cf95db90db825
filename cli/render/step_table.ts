// SPDX-License-Identifier: Apache-2.0
import type { Bound } from "../../lib/cost/cost_model.ts";
import type { DataType } from "../../lib/layout/data_type.ts";
import { HIGH_GAP_US } from "../../sim/timeline/advice.ts";
import type { FunctionTimeline, StepTimeline } from "../../sim/timeline/timeline.ts";
import { type FittedCell, type FittedColumn, renderFittedTable } from "./fitted_table.ts";
import { familyColour } from "./family_colour.ts";
import { formatCount } from "./format.ts";
import type { Style } from "./style.ts";

/** What {@linkcode renderStepTable} shows and how. */
export interface StepTableOptions {
  /** Rows below this share of the total, in per cent, are dimmed (`--min-percentage`). */
  readonly minPercentage: number;
  /** First and last op id to show (`--id-range`), `undefined` for an open end. */
  readonly idRange: readonly [number | undefined, number | undefined] | undefined;
  /** Worker cores of the chip, to mark ops that use all of them. */
  readonly workerCores: number;
  readonly width: number;
}

/** The columns of tt-perf-report in its order (tt-perf-report:columns). */
const COLUMNS: readonly FittedColumn[] = [
  { title: "ID", align: "right", expendable: 0 },
  { title: "Total %", align: "right", expendable: 0 },
  { title: "Bound", align: "left", expendable: 1 },
  { title: "OP Code", align: "left", expendable: 0, shrinkTo: 24 },
  { title: "Device Time", align: "right", expendable: 0 },
  { title: "Op-to-Op Gap", align: "right", expendable: 5 },
  { title: "Cores", align: "right", expendable: 2 },
  { title: "DRAM", align: "right", expendable: 7 },
  { title: "DRAM %", align: "right", expendable: 3 },
  { title: "FLOPs", align: "right", expendable: 8 },
  { title: "FLOPs %", align: "right", expendable: 4 },
  { title: "Math Fidelity", align: "left", expendable: 6 },
];

/** tt-perf-report's short names of formats. */
const SHORT_TYPES: Readonly<Partial<Record<DataType, string>>> = {
  f32: "FP32",
  bf16: "BF16",
  bfp_bf8: "BFP8",
  bfp_bf4: "BFP4",
  u32: "UINT32",
  u16: "UINT16",
  u8: "UINT8",
  si32: "INT32",
};

const FIDELITIES = { lofi: "LoFi", hifi2: "HiFi2", hifi3: "HiFi3", hifi4: "HiFi4" } as const;

/** Cores below which tt-perf-report marks the count. */
const FEW_CORES = 10;

/** The per-op table of one function: a row per step that takes time (views and calls take none), totals below. */
export function renderStepTable(fn: FunctionTimeline, style: Style, options: StepTableOptions): string {
  const [first = 0, last = Infinity] = options.idRange ?? [];
  const inRange = fn.steps.filter((step) => step.op >= first && step.op <= last);
  const shown = inRange.filter((step) => step.deviceUs + step.gapUs > 0);
  return renderFittedTable(
    COLUMNS,
    {
      body: shown.map((step) => stepCells(step, fn.totalUs, style, options)),
      footer: [footerCells(shown, fn.totalUs, style)],
    },
    style,
    options.width,
  );
}

function stepCells(
  step: StepTimeline,
  totalUs: number,
  style: Style,
  options: StepTableOptions,
): FittedCell[] {
  const percent = totalUs === 0 ? 0 : (step.deviceUs + step.gapUs) / totalUs * 100;
  const minor = percent < options.minPercentage;
  const paint = (colour: (text: string) => string) => minor ? style.dim : colour;
  const plain = (text: string) => text;
  const { cores } = step.estimate;
  const gigabytes = step.deviceUs === 0 ? 0 : step.dramBytes / step.deviceUs / 1000;
  const teraflops = step.deviceUs === 0 ? 0 : step.flops / step.deviceUs / 1e6;
  const coresColour = cores < FEW_CORES ? style.red : cores === options.workerCores ? style.green : plain;
  const bound = boundColour(step.bound, style);
  const hasFlops = step.fidelity !== undefined && teraflops > 0;
  return [
    { text: step.kind === "op" ? String(step.id) : "↳", paint: paint(plain) },
    { text: percent.toFixed(1), unit: "%", paint: paint(plain) },
    { text: step.bound, paint: paint(bound) },
    { text: opCode(step), paint: paint(step.kind === "op" ? familyColour(step.name, style) : style.yellow) },
    { text: microseconds(step.deviceUs), unit: "µs", paint: paint(plain) },
    {
      text: microseconds(step.gapUs),
      unit: "µs",
      paint: paint(step.gapUs > HIGH_GAP_US ? style.red : plain),
    },
    { text: cores === 0 ? "" : String(cores), paint: paint(coresColour) },
    amount(gigabytes, 0, "GB/s", paint(step.bound === "DRAM" ? bound : plain)),
    amount(step.utilisation.dram * 100, 1, "%", paint(step.bound === "DRAM" ? bound : plain)),
    hasFlops ? amount(teraflops, 1, "TFLOPs", paint(step.bound === "FLOP" ? bound : plain)) : { text: "" },
    hasFlops
      ? amount(step.utilisation.flops * 100, 1, "%", paint(step.bound === "FLOP" ? bound : plain))
      : { text: "" },
    { text: precision(step), paint: paint(plain) },
  ];
}

function footerCells(
  shown: readonly StepTimeline[],
  totalUs: number,
  style: Style,
): FittedCell[] {
  const deviceUs = shown.reduce((sum, step) => sum + step.deviceUs, 0);
  const gapUs = shown.reduce((sum, step) => sum + step.gapUs, 0);
  const host = shown.filter((step) => step.bound === "HOST").length;
  const counts = `${plural(shown.length - host, "op")}${host === 0 ? "" : `, ${formatCount(host)} on host`}`;
  const percent = totalUs === 0 ? 0 : (deviceUs + gapUs) / totalUs * 100;
  return [
    { text: "" },
    { text: percent.toFixed(1), unit: "%", paint: style.dim },
    { text: "" },
    { text: counts, paint: style.dim },
    { text: microseconds(deviceUs), unit: "µs", paint: style.bold },
    { text: microseconds(gapUs), unit: "µs", paint: style.bold },
  ];
}

/** Op name without dialect and its problem size, as tt-perf-report writes them in one column. */
export function opCode(step: Pick<StepTimeline, "name" | "shape" | "kind" | "reason">): string {
  const name = step.kind === "conversion" ? step.reason ?? "reshard" : step.name.replace(/^ttnn\./, "");
  return step.shape === "" ? name : `${name} ${step.shape}`;
}

function precision(step: StepTimeline): string {
  const short = (type: DataType) => SHORT_TYPES[type] ?? type.toUpperCase();
  const inputs = step.inputTypes.slice(0, 2).map(short);
  const [output] = step.outputTypes.map(short);
  const operands = inputs.join(step.fidelity === undefined ? ", " : " x ");
  return [
    step.fidelity === undefined ? "" : FIDELITIES[step.fidelity],
    operands,
    output === undefined ? "" : `=> ${output}`,
  ].filter((part) => part !== "").join(" ");
}

/** A count with its noun: `1 op`, `1,204 ops`. */
export function plural(count: number, noun: string): string {
  return `${formatCount(count)} ${noun}${count === 1 ? "" : "s"}`;
}

/** Green where a peak is reached, yellow where none is, red where the device waits for the host. */
export function boundColour(bound: Bound, style: Style): (text: string) => string {
  if (bound === "HOST") return style.red;
  return bound === "DRAM" || bound === "FLOP" || bound === "BOTH" ? style.green : style.yellow;
}

/** Microseconds to a tenth: one column, one number of digits. */
function microseconds(value: number): string {
  return value.toFixed(1).replace(/\B(?=(\d{3})+(?=\.))/g, ",");
}

function amount(value: number, digits: number, unit: string, paint: (text: string) => string): FittedCell {
  return value <= 0 ? { text: "" } : { text: value.toFixed(digits), unit, paint };
}
