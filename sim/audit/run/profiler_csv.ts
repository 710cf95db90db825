// SPDX-License-Identifier: Apache-2.0
import { parse } from "@std/csv/parse";
import { type DiagnosticError, inputErrors } from "../../../lib/diagnostics/diagnostic.ts";

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
  /** `M x K x N` of a matmul, if the file has it instead of shapes. */
  readonly problem: string | undefined;
  /** Cores that it ran on; 0 if the file does not state them. */
  readonly cores: number;
  /** Device kernel duration in µs. */
  readonly us: number;
  /** µs since the end of the op before; `undefined` where the file does not say. */
  readonly gapUs: number | undefined;
}

/** The columns of op codes, as the profiler, tt-perf-report and the profiler that reports in real time spell them. */
const OP_CODES: readonly string[] = ["op code", "op name"];

/** Columns of device times, best first, in lower case, each with its unit if neither header nor cell has one. */
const TIMES: readonly (readonly [column: string, unit: string])[] = [
  ["device kernel duration", "ns"],
  ["device time", "us"],
];

/** Nanoseconds of a unit. */
const NANOSECONDS: Readonly<Record<string, number>> = { ns: 1, us: 1000, µs: 1000, μs: 1000, ms: 1_000_000 };

/** Column separators: spreadsheets write semicolons where a comma is the decimal point, or tabs. */
const SEPARATORS = [",", ";", "\t"] as const;

/** The first line without the mark that spreadsheets put before it. */
function headerLine(text: string): string {
  return text.replace(/^\uFEFF/, "").split(/\r?\n/, 1)[0] ?? "";
}

/** Whether a text is a profile by its first line, and no IR, plan or trace. */
export function looksLikeProfile(text: string): boolean {
  const header = headerLine(text);
  return SEPARATORS.some((separator) =>
    header.split(separator).some((name) => OP_CODES.includes(name.replaceAll('"', "").trim().toLowerCase()))
  );
}

/** A column with the unit in brackets in its name; `undefined` without one. */
interface Column {
  readonly at: number;
  readonly unit: string | undefined;
}

/** The first column with one of these names, ignoring case and unit. */
function columnNamed(header: readonly string[], ...names: readonly string[]): Column {
  for (const name of names) {
    for (const [at, text] of header.entries()) {
      const [, plain = "", unit] = /^(.*?)\s*(?:\[(ns|us|µs|μs|ms)\])?$/.exec(text.trim().toLowerCase()) ??
        [];
      if (plain === name) return { at, unit };
    }
  }
  return { at: -1, unit: undefined };
}

/** µs of a cell, in the unit of the cell, else of its column, else `otherwise`; `undefined` for a cell without a number. */
function microsecondsIn(text: string, unit: string | undefined, otherwise: string): number | undefined {
  const value = numberOf(text);
  const own = /[\d.]\s*(ns|us|µs|μs|ms)$/i.exec(text)?.[1]?.toLowerCase();
  return value === undefined ? undefined : value * (NANOSECONDS[own ?? unit ?? otherwise] ?? 1) / 1000;
}

/**
 * Reads the CSV of tt-metal's profiler (`ops_perf_results.csv`) or of tt-perf-report. With several chips,
 * takes the rows of the first. With foreign signposts, takes only the rows from the last signpost that has rows
 * behind it to the next one, as tt-perf-report does. Columns may be in any order. A row whose time the profiler lost is dropped, so its op is missing.
 *
 * @param file name to show in errors
 * @param say is told of which chip the rows are, where there are several
 * @throws {DiagnosticError} if the header has no op codes or no device times, or a time is negative or no number
 */
export function parseProfilerCsv(
  file: string,
  text: string,
  say: (remark: string) => void = () => {},
): readonly MeasuredStep[] {
  const line = headerLine(text);
  const separator = SEPARATORS.toSorted((a, b) => line.split(b).length - line.split(a).length)[0] ?? ",";
  const [header = [], ...rows] = parse(text.replace(/^\uFEFF/, ""), { lazyQuotes: true, separator });
  const { opCode, time, unit, kind, device, cores, gap, inputAxes, outputAxes } = columnsOf(header);
  if (opCode < 0 || time.at < 0) {
    throw invalid(file, [
      "the header names no op codes (OP CODE, OP NAME) or no device times (DEVICE KERNEL DURATION [ns]); tt-perf-report writes such a table with --csv FILE",
    ]);
  }
  const faults: string[] = [];
  const first = rows.find((row) => cell(row, kind) !== "signpost" && cell(row, time.at) !== "");
  const chips = new Set(
    rows.filter((row) => cell(row, kind) !== "signpost").map((row) => cell(row, device)).filter((id) =>
      id !== ""
    ),
  );
  const parts = new Map<string, MeasuredStep[]>();
  const latest = new Map<string, MeasuredStep[]>();
  for (const [index, row] of rows.entries()) {
    const code = cell(row, opCode);
    if (cell(row, kind) === "signpost") {
      if (!code.startsWith("SIMULATED ")) parts.clear();
      continue;
    }
    // Host work has no device time.
    if (code === "" || /torch|python/.test(`${code} ${cell(row, kind)}`)) continue;
    const said = cell(row, time.at).trim();
    if (said === "" || said === "-") continue;
    const us = microsecondsIn(said, time.unit, unit);
    if (us === undefined) {
      faults.push(`line ${index + 2}: the device time of ${code} is not a number`);
      continue;
    }
    if (us < 0) {
      faults.push(`line ${index + 2}: the device time of ${code} is negative`);
      continue;
    }
    const gapUs = microsecondsIn(cell(row, gap.at).trim(), gap.unit, unit);
    // A program takes some time: where it took none, the profiler lost it.
    if (us === 0 || isStale(us, gapUs)) continue;
    const product = /^(\S+) (\d+ x \d+ x \d+)/.exec(code);
    const chip = cell(row, device);
    const part = parts.get(chip) ?? [];
    parts.set(chip, part);
    latest.set(chip, part);
    part.push({
      line: index + 2,
      opCode: product?.[1] ?? code,
      input: extentsIn(row, inputAxes),
      output: extentsIn(row, outputAxes),
      problem: product?.[2],
      cores: numberOf(cell(row, cores)) ?? 0,
      us,
      gapUs,
    });
  }
  if (faults.length > 0) throw invalid(file, faults);
  const chip = cell(first ?? [], device);
  const read = latest.get(chip) ?? [];
  if (chips.size > 1) {
    say(
      `${file} holds the ops of ${chips.size} chips; those of chip ${chip} are read${slowest(latest, chip)}`,
    );
  }
  return read;
}

/** Share of a chip's time by which another one has to be slower to be told. */
const SLOWER = 0.05;

/** The slowest of several chips that run the same ops, if it is slower than the one that is read, and its op that is most so. */
function slowest(steps: ReadonlyMap<string, readonly MeasuredStep[]>, chip: string): string {
  const totalOf = (all: readonly MeasuredStep[]): number => all.reduce((sum, { us }) => sum + us, 0);
  const read = steps.get(chip) ?? [];
  const [other, all] = [...steps].reduce(
    (a, b) => totalOf(b[1]) > totalOf(a[1]) ? b : a,
    [chip, read] as const,
  );
  if (totalOf(all) <= totalOf(read) * (1 + SLOWER)) return "";
  const times = `: ${totalOf(read).toFixed(1)} µs; chip ${other} is the slowest, ${
    totalOf(all).toFixed(1)
  } µs`;
  const pairs = all.flatMap((step, at) =>
    read[at]?.opCode === step.opCode ? [[step, read[at].us] as const] : []
  );
  if (pairs.length < all.length) return times;
  const [[step, us] = []] = pairs.toSorted(([a, x], [b, y]) => (b.us - y) - (a.us - x));
  return step === undefined || us === undefined
    ? times
    : `${times}, mostly by ${step.opCode} on line ${step.line} (${step.us.toFixed(1)} instead of ${
      us.toFixed(1)
    } µs)`;
}

/** Indices of the columns of a profile by field; below 0 for columns that it lacks. */
function columnsOf(header: readonly string[]) {
  const column = (...names: readonly string[]) => columnNamed(header, ...names).at;
  const axesOf = (tensor: string) =>
    ["w", "z", "y", "x"].map((axis) => column(`${tensor}_${axis}_pad[logical]`, `${tensor}_${axis}`));
  const time = columnNamed(header, ...TIMES.map(([name]) => name));
  const timeName = header[time.at]?.toLowerCase() ?? "";
  return {
    opCode: column(...OP_CODES),
    time,
    unit: TIMES.find(([name]) => timeName.includes(name))?.[1] ?? "ns",
    kind: column("op type"),
    device: column("device id", "device"),
    cores: column("core count", "cores"),
    gap: columnNamed(header, "op to op latency", "op-to-op gap"),
    inputAxes: axesOf("input_0"),
    outputAxes: axesOf("output_0"),
  };
}

/**
 * Whether an op began long before its predecessor ended: its start is left over from another run, and the negative gap is
 * the excess of its time (tt-metal:profiler, issue 48043).
 */
function isStale(us: number, gapUs: number | undefined): boolean {
  return gapUs !== undefined && gapUs < 0 && -gapUs > us / 2;
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
  return inputErrors("profile/invalid", `Cannot read profile ${file}`, faults);
}
