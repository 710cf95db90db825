// SPDX-License-Identifier: Apache-2.0
import type { Bound } from "../../lib/cost/cost_model.ts";
import type { DataType } from "../../lib/layout/data_type.ts";
import { FIDELITY_NAMES } from "../../lib/op_config/math_fidelity.ts";
import type { RunAudit, RunOp } from "../../sim/audit/run/audit_run.ts";
import { FEW_CORES, HIGH_GAP_US } from "../../sim/timeline/advice.ts";
import { type FunctionTimeline, runs, type StepTimeline, stepUs } from "../../sim/timeline/timeline.ts";
import { familyColour } from "./cells.ts";
import { type FittedCell, type FittedColumn, left, renderFittedTable, right } from "./fitted_table.ts";
import { formatChange, formatCount, plural } from "./format.ts";
import { type RowSelection, selectRows } from "./row_selection.ts";
import type { Style } from "./style.ts";
import { UNKNOWN_TIME } from "./verdict.ts";

/** Options of {@linkcode renderStepTable}. */
export interface StepTableOptions extends Omit<RowSelection, "groupBy"> {
  /** Worker cores of the chip, to mark ops that use all of them. */
  readonly workerCores: number;
  /** A measured run of the same program, for two more columns. */
  readonly measured?: RunAudit | undefined;
}

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

export function selectSteps(
  fn: FunctionTimeline,
  options: Pick<RowSelection, "idRange" | "top" | "sort">,
): readonly StepTimeline[] {
  return selectRows(shownSteps(fn), options, ({ op }) => op, stepUs);
}

/** The steps of a function with a row: those that run something. */
export function shownSteps(fn: FunctionTimeline): readonly StepTimeline[] {
  return fn.steps.filter(runs);
}

/**
 * The per-op table of one function: a row per step that runs something (views and calls do not), totals below.
 */
export function renderStepTable(fn: FunctionTimeline, style: Style, options: StepTableOptions): string {
  const shown = selectSteps(fn, options);
  const measured = measuredSteps(options.measured, fn.name);
  const columns = stepColumns(fn.totalUs, style, options, measured);
  return renderFittedTable(columns, shown, style, [footerCells(shown, fn.totalUs, style, measured)]);
}

/** GB/s from and to DRAM while the kernel of a step runs. */
export function gigabytesPerSecond({ dramBytes, deviceUs }: StepTimeline): number {
  return deviceUs === 0 ? 0 : dramBytes / deviceUs / 1000;
}

/** TFLOP/s of the matrix engine while the kernel of a step runs. */
export function teraflops({ flops, fidelity, deviceUs }: StepTimeline): number {
  return fidelity === undefined || deviceUs === 0 ? 0 : flops / deviceUs / 1e6;
}

function isUnknown({ estimate }: StepTimeline): boolean {
  return estimate.unknown !== undefined;
}

/** The columns of tt-perf-report in its order (tt-perf-report:columns). */
function stepColumns(
  totalUs: number,
  style: Style,
  { minPercentage, workerCores }: StepTableOptions,
  measured: ReadonlyMap<number, RunOp>,
): readonly FittedColumn<StepTimeline>[] {
  const plain = (text: string) => text;
  const percentOf = ({ deviceUs, gapUs }: StepTimeline) =>
    totalUs === 0 ? 0 : (deviceUs + gapUs) / totalUs * 100;
  const cell = (step: StepTimeline, text: string, unit?: string, colour = plain): FittedCell => ({
    text,
    unit,
    paint: percentOf(step) < minPercentage ? style.dim : colour,
  });
  const amount = (step: StepTimeline, value: number, digits: number, unit: string, peak: Bound) =>
    value <= 0
      ? ""
      : cell(step, value.toFixed(digits), unit, step.bound === peak ? boundColour(peak, style) : plain);
  const coresColour = (cores: number) =>
    cores < FEW_CORES ? style.red : cores === workerCores ? style.green : plain;
  return [
    right("ID", (step) => cell(step, step.kind === "op" ? String(step.id) : "↳")),
    right("Total %", (step) => isUnknown(step) ? "" : cell(step, percentOf(step).toFixed(1), "%")),
    left(
      "Bound",
      (step) => isUnknown(step) ? "" : cell(step, step.bound, undefined, boundColour(step.bound, style)),
      { expendable: 1 },
    ),
    left("OP Code", (step) => {
      const colour = step.kind === "op" ? familyColour(step.name, style) : style.yellow;
      return cell(step, opCode(step), undefined, colour);
    }, { shrinkTo: 24 }),
    right(
      "Device Time",
      (step) => isUnknown(step) ? UNKNOWN_TIME : cell(step, microseconds(step.deviceUs), "µs"),
    ),
    ...measuredColumns(measured, cell),
    right(
      "Op-to-Op Gap",
      (step) =>
        isUnknown(step)
          ? ""
          : cell(step, microseconds(step.gapUs), "µs", step.gapUs > HIGH_GAP_US ? style.red : plain),
      { expendable: 5 },
    ),
    right("Cores", (step) => {
      const { cores } = step.estimate;
      return cell(step, cores === 0 ? "" : String(cores), undefined, coresColour(cores));
    }, { expendable: 2 }),
    right("DRAM", (step) => amount(step, gigabytesPerSecond(step), 0, "GB/s", "DRAM"), { expendable: 7 }),
    right("DRAM %", (step) => amount(step, step.utilisation.dram * 100, 1, "%", "DRAM"), { expendable: 3 }),
    right("FLOPs", (step) => amount(step, teraflops(step), 1, "TFLOPs", "FLOP"), { expendable: 8 }),
    right(
      "FLOPs %",
      (step) => teraflops(step) > 0 ? amount(step, step.utilisation.flops * 100, 1, "%", "FLOP") : "",
      { expendable: 4 },
    ),
    left("Math Fidelity", (step) => cell(step, precision(step)), { expendable: 6 }),
  ];
}

/** Measured times and the error of the prediction; no columns without a run. */
function measuredColumns(
  measured: ReadonlyMap<number, RunOp>,
  cell: (step: StepTimeline, text: string, unit?: string) => FittedCell,
): readonly FittedColumn<StepTimeline>[] {
  if (measured.size === 0) return [];
  const column = (title: string, text: (op: RunOp) => string, unit?: string) =>
    right(title, (step: StepTimeline) => {
      const op = measured.get(step.index);
      return op === undefined ? "" : cell(step, text(op), unit);
    });
  return [
    column("Measured", ({ measuredUs }) => microseconds(measuredUs), "µs"),
    column("Error", ({ error }) => formatChange(error)),
  ];
}

/** Measured ops of a function by step; `undefined` has none. */
export function measuredSteps(audit: RunAudit | undefined, functionName: string): ReadonlyMap<number, RunOp> {
  const own = audit?.ops.filter((op) => op.function === functionName) ?? [];
  return new Map(own.map((op) => [op.step, op]));
}

function footerCells(
  shown: readonly StepTimeline[],
  totalUs: number,
  style: Style,
  measured: ReadonlyMap<number, RunOp>,
): readonly (FittedCell | string)[] {
  const deviceUs = shown.reduce((sum, step) => sum + step.deviceUs, 0);
  const gapUs = shown.reduce((sum, step) => sum + step.gapUs, 0);
  const host = shown.filter((step) => step.bound === "HOST").length;
  const counts = `${plural(shown.length - host, "op")}${host === 0 ? "" : `, ${formatCount(host)} on host`}`;
  const measuredUs = shown.reduce((sum, { index }) => sum + (measured.get(index)?.measuredUs ?? 0), 0);
  const percent = totalUs === 0 ? 0 : (deviceUs + gapUs) / totalUs * 100;
  return [
    "",
    { text: percent.toFixed(1), unit: "%", paint: style.dim },
    "",
    { text: counts, paint: style.dim },
    { text: microseconds(deviceUs), unit: "µs", paint: style.bold },
    ...(measured.size === 0 ? [] : [{ text: microseconds(measuredUs), unit: "µs", paint: style.bold }, ""]),
    { text: microseconds(gapUs), unit: "µs", paint: style.bold },
  ];
}

/** Op name without dialect and its problem size, as tt-perf-report writes them in one column. */
export function opCode(step: Pick<StepTimeline, "name" | "shape" | "kind" | "reason">): string {
  const name = step.kind === "conversion" ? step.reason ?? "reshard" : step.name.replace(/^ttnn\./, "");
  return step.shape === "" ? name : `${name} ${step.shape}`;
}

/** Fidelity and formats as tt-perf-report writes them: `HiFi4 BF16 x BF16 => BF16`. */
export function precision(step: StepTimeline): string {
  const short = (type: DataType) => SHORT_TYPES[type] ?? type.toUpperCase();
  const inputs = step.inputTypes.slice(0, 2).map(short);
  const [output] = step.outputTypes.map(short);
  const operands = inputs.join(step.fidelity === undefined ? ", " : " x ");
  return [
    step.fidelity === undefined ? "" : FIDELITY_NAMES[step.fidelity],
    operands,
    output === undefined ? "" : `=> ${output}`,
  ].filter((part) => part !== "").join(" ");
}

/** Green if a peak is reached, yellow if none is, red if the device waits for the host. */
export function boundColour(bound: Bound, style: Style): (text: string) => string {
  if (bound === "HOST") return style.red;
  return bound === "DRAM" || bound === "FLOP" || bound === "BOTH" ? style.green : style.yellow;
}

/** Microseconds with one decimal, so that the digits of a column align. */
function microseconds(value: number): string {
  return value.toFixed(1).replace(/\B(?=(\d{3})+(?=\.))/g, ",");
}
