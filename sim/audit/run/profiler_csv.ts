// SPDX-License-Identifier: Apache-2.0
import { parse } from "@std/csv/parse";
import { type Diagnostic, DiagnosticError } from "../../../lib/diagnostics/diagnostic.ts";

/** One device op of a user's own run. */
export interface MeasuredStep {
  /** Line of the file, from 1 for the header. */
  readonly line: number;
  /** As the profiler names it, for example `MatmulDeviceOperation`. */
  readonly opCode: string;
  /** Logical extents of the first operand; `undefined` where the file does not say. */
  readonly input: readonly number[] | undefined;
  /** Likewise of the first result. */
  readonly output: readonly number[] | undefined;
  /** `M x K x N` of a product, where the file says it in place of shapes. */
  readonly problem: string | undefined;
  /** Cores that it ran on; 0 where the file does not say. */
  readonly cores: number;
  /** Device kernel duration in µs. */
  readonly us: number;
  /** µs since the end of the op before; `undefined` where the file does not say. */
  readonly gapUs: number | undefined;
}

/** Names of the column of op codes: those of the profiler and of tt-perf-report. */
const OP_CODE = ["OP CODE", "OP Code"] as const;

/** Whether a text is a profile by its first line, and no IR, plan or trace. */
export function looksLikeProfile(text: string): boolean {
  const [header = ""] = text.replace(/^\uFEFF/, "").split(/\r?\n/, 1);
  return header.split(",").some((name) => OP_CODE.some((code) => code === name.replaceAll('"', "").trim()));
}

/**
 * Reads the CSV of tt-metal's profiler (`ops_perf_results.csv`) or of tt-perf-report. Of several chips, the first one's
 * rows count; behind a signpost that is not ours, only the rows after the last one, as tt-perf-report does.
 *
 * @param file name to show in errors
 * @throws {DiagnosticError} when the header has no op codes or no device times, or a row no time
 */
export function parseProfilerCsv(file: string, text: string): readonly MeasuredStep[] {
  const [header = [], ...rows] = parse(text, { lazyQuotes: true });
  const column = (...names: readonly string[]) => header.findIndex((name) => names.includes(name.trim()));
  const opCode = column(...OP_CODE);
  const nanoseconds = column("DEVICE KERNEL DURATION [ns]");
  const time = nanoseconds >= 0 ? nanoseconds : column("Device Time", "Device Time [us]");
  if (opCode < 0 || time < 0) {
    throw invalid(file, [
      "the header names no op codes (OP CODE) or no device times (DEVICE KERNEL DURATION [ns])",
    ]);
  }
  const unit = nanoseconds >= 0 ? 1000 : 1;
  const kind = column("OP TYPE");
  const device = column("DEVICE ID", "Device");
  const cores = column("CORE COUNT", "Cores");
  const gap = column("OP TO OP LATENCY [ns]", "Op-to-Op Gap", "Op-to-Op Gap [us]");
  const axesOf = (tensor: string) =>
    ["W", "Z", "Y", "X"].map((axis) => column(`${tensor}_${axis}_PAD[LOGICAL]`, `${tensor}_${axis}`));
  const [inputAxes, outputAxes] = [axesOf("INPUT_0"), axesOf("OUTPUT_0")];
  const faults: string[] = [];
  const first = rows.find((row) => cell(row, kind) !== "signpost" && cell(row, time) !== "");
  let steps: MeasuredStep[] = [];
  for (const [index, row] of rows.entries()) {
    const code = cell(row, opCode);
    if (cell(row, kind) === "signpost") {
      if (!code.startsWith("SIMULATED ")) steps = [];
      continue;
    }
    // Host work has no device time; other chips run the same ops.
    if (code === "" || /torch|python/.test(`${code} ${cell(row, kind)}`)) continue;
    if (device >= 0 && first !== undefined && cell(row, device) !== cell(first, device)) continue;
    const us = numberOf(cell(row, time));
    if (us === undefined) {
      faults.push(`line ${index + 2}: the device time of ${code} is no number`);
      continue;
    }
    const gapText = numberOf(cell(row, gap));
    const product = /^(\S+) (\d+ x \d+ x \d+)/.exec(code);
    steps.push({
      line: index + 2,
      opCode: product?.[1] ?? code,
      input: extentsIn(row, inputAxes),
      output: extentsIn(row, outputAxes),
      problem: product?.[2],
      cores: numberOf(cell(row, cores)) ?? 0,
      us: us / unit,
      gapUs: gapText === undefined ? undefined : gapText / unit,
    });
  }
  if (faults.length > 0) throw invalid(file, faults);
  return steps;
}

/** Extents of a tensor from its columns; `undefined` where one is empty. */
function extentsIn(row: readonly string[], axes: readonly number[]): readonly number[] | undefined {
  const extents = axes.map((axis) => logicalExtent(cell(row, axis)));
  return extents.every((extent) => extent !== undefined) ? extents : undefined;
}

/** `32[1]` (padded and logical) or `32`. */
function logicalExtent(text: string): number | undefined {
  const match = /^(\d+)(?:\[(\d+)\])?$/.exec(text.trim());
  return match === null ? undefined : Number(match[2] ?? match[1]);
}

function cell(row: readonly string[], index: number): string {
  return index < 0 ? "" : row[index] ?? "";
}

/** A number, also as in `12.3 μs` or `1,204`. */
function numberOf(text: string): number | undefined {
  const match = /^-?[\d,]+(\.\d+)?/.exec(text.trim());
  return match === null ? undefined : Number(match[0].replaceAll(",", ""));
}

function invalid(file: string, faults: readonly string[]): DiagnosticError {
  return new DiagnosticError(
    faults.slice(0, 10).map((fault): Diagnostic => ({
      code: "profile/invalid",
      severity: "error",
      message: `Cannot read profile ${file}: ${fault}`,
    })),
  );
}
