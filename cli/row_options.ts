// SPDX-License-Identifier: Apache-2.0
import { type Options, UsageError } from "./command.ts";
import { type Envelope, jsonOutput } from "./json_output.ts";
import { type CountedRows, GROUPINGS, type RowSelection } from "./render/row_selection.ts";

/**
 * Most rows of a list: `--top` (0 for all); without it all in `--json` and `--csv`, and the option's default
 * in tables.
 */
export function topRows(options: Options): number {
  if ((options.flag("json") || options.flag("csv")) && !options.given("top")) return Infinity;
  return options.number("top") || Infinity;
}

/**
 * Reads the options of `ROW_OPTIONS`.
 *
 * @throws {UsageError} for an invalid range or number
 */
export function readRowSelection(options: Options): RowSelection {
  const minPercentage = options.number("min-percentage") ?? 0.5;
  if (!(minPercentage >= 0 && minPercentage <= 100)) {
    throw new UsageError(`Option --min-percentage must be between 0 and 100, not ${minPercentage}`);
  }
  return {
    idRange: readIdRange(options.text("id-range")),
    minPercentage,
    top: topRows(options),
    sort: options.text("sort") === "time" ? "time" : "id",
    groupBy: GROUPINGS.find((grouping) => grouping === options.text("group-by")),
  };
}

/** Whether rows were selected or grouped; `--json` then prints those rows instead of the whole document. */
export function selectsRows(options: Options): boolean {
  return ["id-range", "top", "group-by", "sort"].some((name) => options.given(name));
}

/**
 * Refuses a range of ids without rows, whose empty table would look like a program that takes no time.
 *
 * @param ids of the rows without the range, in any order
 * @throws {UsageError} if there are rows and all are outside of `--id-range`
 */
export function requireRowsInRange(options: Options, ids: readonly number[]): void {
  const range = options.text("id-range");
  const [first = 0, last = Infinity] = readIdRange(range) ?? [];
  if (ids.length === 0 || ids.some((id) => id >= first && id <= last)) return;
  const [lowest, highest] = [Math.min(...ids), Math.max(...ids)];
  throw new UsageError(
    `Option --id-range ${range} selects no row of the table; its ids go from ${lowest} to ${highest}`,
  );
}

/** `5-10`, `31-` or `-12`, as tt-perf-report spells them; one number is a range of one. */
function readIdRange(text: string | undefined): [number | undefined, number | undefined] | undefined {
  if (text === undefined) return undefined;
  const match = /^(\d*)(-?)(\d*)$/.exec(text);
  const [, first = "", dash = "", last = ""] = match ?? [];
  if (match === null || (first === "" && last === "")) {
    throw new UsageError(`Option --id-range cannot be '${text}'; use 5-10, 31- or -12`);
  }
  const from = first === "" ? undefined : Number(first);
  const to = last !== "" ? Number(last) : dash === "" ? from : undefined;
  if (from !== undefined && to !== undefined && from > to) {
    throw new UsageError(
      `Option --id-range cannot be '${text}': it ends before it starts; use ${to}-${from}`,
    );
  }
  return [from, to];
}

/** Keys of the document besides the rows. */
interface RowsOf extends Omit<Envelope, "schema"> {
  /** Number of rows without a selection. */
  readonly of: number;
}

/** The `--json` document of selected rows, or of their groups. */
export function rowsJson<Row>(
  { of, ...envelope }: RowsOf,
  rows: readonly Row[],
  groups: readonly CountedRows<unknown>[] | undefined,
): string {
  return jsonOutput({
    schema: "tilewright.rows/1",
    ...envelope,
    of,
    ...(groups === undefined
      ? { rows }
      : { groups: groups.map(({ name, rows: members, us }) => ({ name, ops: members.length, us })) }),
  });
}
