// SPDX-License-Identifier: Apache-2.0
import { grouped, type OptionSpec } from "../command.ts";

/**
 * `--top` of a command that lists rows; read by `topRows`.
 *
 * @param description what is listed
 * @param shown rows of the table without the option; all by default
 */
export function topOption(description: string, shown = 0): OptionSpec {
  return {
    name: "top",
    kind: "number",
    value: "N",
    from: 0,
    default: shown,
    description: `${description}; 0 lists all${shown === 0 ? "" : ", as --json and --csv do"}`,
  };
}

/** Selection and order of rows, the same for every command with a per-op table. */
export const ROW_OPTIONS: readonly OptionSpec[] = grouped("rows", [
  {
    name: "group-by",
    kind: "choice",
    value: "KEY",
    choices: ["op", "memory", "category", "bound"],
    description: "Group ops; memory groups by op and memory of its inputs, as tt-perf-report does",
  },
  {
    name: "id-range",
    kind: "string",
    value: "A-B",
    description: "Show only ops with these ids: 5-10, 31- or -12",
  },
  topOption("Show only the N rows that take longest"),
  {
    name: "sort",
    kind: "choice",
    value: "KEY",
    choices: ["id", "time"],
    default: "id",
    description: "Order of the rows: as they run, or longest first",
  },
  {
    name: "min-percentage",
    kind: "number",
    value: "P",
    default: 0.5,
    description: "Dim rows below this share of the total",
  },
]);
