// SPDX-License-Identifier: Apache-2.0
import { grouped, option, type OptionSpec } from "../command.ts";

/**
 * `--top` of a command that lists rows; read by `topRows`.
 *
 * @param description what is listed
 * @param shown rows of the table without the option; all by default
 */
export function topOption(description: string, shown = 0): OptionSpec {
  return option("top N", `${description}; 0 lists all${shown === 0 ? "" : ", as --json and --csv do"}`, {
    from: 0,
    default: shown,
  });
}

/** Selection and order of rows, the same for every command with a per-op table. */
export const ROW_OPTIONS: readonly OptionSpec[] = grouped("rows", [
  "group-by KEY (one of op|memory|category|bound) — Group ops; memory groups by op and memory of its inputs, as tt-perf-report does",
  "id-range A-B — Show only ops with these ids: 5-10, 31- or -12",
  topOption("Show only the N rows that take longest"),
  "sort KEY (one of id|time, default id) — Order of the rows: as they run, or longest first",
  "min-percentage P (default 0.5) — Dim rows below this share of the total",
]);
