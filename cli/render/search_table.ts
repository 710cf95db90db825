// SPDX-License-Identifier: Apache-2.0
import type { MoveRecord } from "../../lib/improve/improvement_log.ts";
import type { FunctionSearchLog, SearchStepRecord } from "../../lib/policy/search_log.ts";
import { stepFacts } from "../../lib/policy/search_plan.ts";
import { figureCell, microsecondsCell } from "./cells.ts";
import { type FittedColumn, left, renderFittedTable, right } from "./fitted_table.ts";
import { plural } from "./format.ts";
import type { Style } from "./style.ts";

const COLUMNS: readonly FittedColumn<SearchStepRecord>[] = [
  left("Step", ({ step }) => step),
  left("Runs", ({ runs, skipped }) => skipped ?? `${runs}`),
  right("Work", ({ workUs, runs }) => workUs === undefined || runs === 0 ? "" : microsecondsCell(workUs)),
  right("Incumbent µs", ({ incumbentUs }) => incumbentUs === undefined ? "" : figureCell(incumbentUs)),
  right("Saved µs", ({ savedUs }) => savedUs === 0 ? "" : figureCell(savedUs)),
  right("Bound µs", ({ boundUs }) => boundUs === undefined ? "" : figureCell(boundUs)),
  right("Raised µs", ({ raisedUs }) => raisedUs === 0 ? "" : figureCell(raisedUs)),
  left("Adds", ({ step }) => stepFacts(step).adds, { shrinkTo: 20, wraps: true, expendable: 1 }),
];

const MOVE_COLUMNS: readonly FittedColumn<MoveRecord>[] = [
  left("Move", ({ move }) => move),
  right("Replays", ({ replays }) => `${replays}`),
  right("Kept", ({ kept }) => `${kept}`),
  right("Saved µs", ({ savedUs }) => figureCell(savedUs)),
];

/** The steps of the search, one table per function, each with the moves that improved programs. */
export function renderSearch(logs: readonly FunctionSearchLog[], title: string, style: Style): string {
  const parts = logs.map((log) => {
    const moved = log.moves.filter(({ replays }) => replays > 0);
    const moves = moved.length === 0 ? "" : `\n${renderFittedTable(MOVE_COLUMNS, moved, style)}\n`;
    const steps = renderFittedTable(COLUMNS, log.steps, style);
    return `\n@${log.function}, ${plural(log.ops, "op")}\n${steps}\n${moves}`;
  });
  return `${style.bold(title)}\n${parts.join("") || "\nNo function is decided here.\n"}`;
}
