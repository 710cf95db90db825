// SPDX-License-Identifier: Apache-2.0

const STATUSES = ["fits", "unchecked", "does_not_fit", "does_not_run", "refused", "error"] as const;

/** What became of one file, chip and policy in the sweep over the corpus; {@linkcode COLUMNS} are its columns. */
export interface SweepRow {
  /** Path below `corpus/`. */
  readonly file: string;
  readonly chip: string;
  readonly policy: string;
  /** TTNN and TTIR ops of the file. */
  readonly ops: number;
  /** Of the memory verdict; `refused` where the input is no program of the chip, `error` where the tool failed. */
  readonly status: typeof STATUSES[number];
  /** Predicted time of one inference in µs; 0 without a plan. */
  readonly predictedUs: number;
  /** The same of the text that was written, read back; `NaN` where none was. */
  readonly writtenUs: number;
  /** µs that no plan undercuts; `NaN` where no bound is known. */
  readonly boundUs: number;
  readonly certificate: string;
  /** Milliseconds that deciding took, on whatever machine that was. */
  readonly elapsedMs: number;
  /** The op and rule behind the status, or the message. */
  readonly why: string;
}

/** Columns of the table. */
export const COLUMNS: readonly (keyof SweepRow)[] = [
  "file",
  "chip",
  "policy",
  "ops",
  "status",
  "predictedUs",
  "writtenUs",
  "boundUs",
  "certificate",
  "elapsedMs",
  "why",
];

/** A row as a line of the table, without its end. */
export function sweepLine(row: SweepRow): string {
  return COLUMNS.map((column) => String(row[column]).replaceAll(/\s+/g, " ")).join("\t");
}

/**
 * Rows of a table; a last line that was cut off is left out, so that it is run again.
 *
 * @throws {RangeError} if a line is none of such a table
 */
export function parseSweep(text: string): readonly SweepRow[] {
  return text.split("\n").slice(0, -1).filter((line) => line !== COLUMNS.join("\t")).map((line): SweepRow => {
    const cells = line.split("\t");
    const text = (column: keyof SweepRow): string => cells[COLUMNS.indexOf(column)] ?? "";
    const number = (column: keyof SweepRow): number => Number(text(column));
    const status = STATUSES.find((name) => name === text("status"));
    if (status === undefined || cells.length < COLUMNS.length) {
      throw new RangeError(`Cannot read '${line}': it is not a line of a sweep's table`);
    }
    return {
      file: text("file"),
      chip: text("chip"),
      policy: text("policy"),
      ops: number("ops"),
      status,
      predictedUs: number("predictedUs"),
      writtenUs: number("writtenUs"),
      boundUs: number("boundUs"),
      certificate: text("certificate"),
      elapsedMs: number("elapsedMs"),
      why: text("why"),
    };
  });
}

/** Relative rounding of times that are sums of the same terms in another order. */
const ROUNDING = 1e-9;

/** Share by which a plan lies above its bound; `undefined` where none is known. */
export function gapOf({ predictedUs, boundUs, certificate }: SweepRow): number | undefined {
  if (certificate === "none" || Number.isNaN(boundUs)) return undefined;
  return predictedUs === 0 ? 0 : predictedUs / boundUs - 1;
}

/** Whether a plan can be said to run: what is unchecked might. */
function runs({ status }: SweepRow): boolean {
  return status === "fits" || status === "unchecked";
}

/** Whether one plan is to be preferred to another: it fits where the other does not, or takes less time. */
export function isBetter(one: SweepRow, other: SweepRow): boolean {
  if (runs(one) !== runs(other)) return runs(one);
  if (one.status !== other.status) return one.status === "fits";
  return runs(one) && one.predictedUs < other.predictedUs * (1 - ROUNDING);
}

/** Where files of the corpus come from: the first two folders, or one where no other has files. */
function familyOf({ file }: SweepRow): string {
  return file.split("/").slice(0, 2).join("/");
}

/** The table of docs/optimality.md: how near the plans of `auto` are to their bounds, by family and chip. */
export function sweepDocument(rows: readonly SweepRow[]): string {
  const automatic = rows.filter(({ policy }) => policy === "auto");
  const others = Map.groupBy(
    rows.filter(({ policy }) => policy !== "auto"),
    (row) => `${row.chip} ${row.file}`,
  );
  const line = (name: string, own: readonly SweepRow[]): string => {
    const decided = own.filter((row) => runs(row) && row.predictedUs > 0);
    const gaps = decided.map(gapOf);
    const compared = own.flatMap((row) => {
      const beside = others.get(`${row.chip} ${row.file}`) ?? [];
      return beside.length === 0 ? [] : [beside.some((other) => isBetter(other, row))];
    });
    const within = (share: number): number => gaps.filter((gap) => gap !== undefined && gap <= share).length;
    const count = (status: SweepRow["status"]): number => own.filter((row) => row.status === status).length;
    return `| ${
      [
        name,
        own.length,
        count("refused"),
        own.filter((row) => runs(row) && row.predictedUs === 0).length,
        decided.filter(({ certificate }) => certificate === "exact").length,
        within(0.01),
        within(0.05),
        decided.length - within(0.05) - gaps.filter((gap) => gap === undefined).length,
        gaps.filter((gap) => gap === undefined).length,
        count("unchecked"),
        count("does_not_fit") + count("does_not_run"),
        `${compared.filter((found) => found).length} of ${compared.length}`,
      ].join(" | ")
    } |`;
  };
  const groups = [...Map.groupBy(automatic, (row) => `${familyOf(row)} | ${row.chip}`)].toSorted(([a], [b]) =>
    a < b ? -1 : 1
  );
  return [
    "| files | chip | runs | refused | take no time | proven optimal | within 1 % | within 5 % | above | no bound | unchecked | do not fit | another policy is better |",
    `| --- | --- |${" ---: |".repeat(11)}`,
    ...groups.map(([name, own]) => line(name, own)),
    line("all | both", automatic),
  ].join("\n");
}
