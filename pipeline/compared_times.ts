// SPDX-License-Identifier: Apache-2.0
import { definitionOf } from "../lib/ops/op_book.ts";
import type { Plan } from "../lib/plan/plan.ts";
import type { UncertainTime } from "../sim/timeline/error_band.ts";
import { stepUs, type Timeline } from "../sim/timeline/timeline.ts";
import { type OpRow, RETURN, type SavedRow } from "./op_rows.ts";

/** Times of ops and copies with their errors. */
export function comparedTimes(rows: readonly SavedRow[]): readonly UncertainTime[] {
  return rows.flatMap((row) => [
    ...row.conversions.map((copy) => timed(undefined, copy.us, copy)),
    timed(row.name, row.us, row),
  ]);
}

/** {@linkcode comparedTimes} of all steps of an inference; building rows takes longer than the comparison. */
export function comparedSteps(timeline: Timeline): readonly UncertainTime[] {
  return timeline.functions.filter(({ role }) => role === "inference").flatMap(({ steps }) =>
    steps.map((step) =>
      timed(step.kind === "conversion" ? undefined : step.name, stepUs(step), step.estimate)
    )
  );
}

function timed(
  op: string | undefined,
  microseconds: number,
  { relativeError, ownError }: Pick<UncertainTime, "relativeError" | "ownError">,
): UncertainTime {
  const errorClass = op === undefined ? "reshard" : definitionOf(op).costClass;
  return { errorClass, microseconds, relativeError, ownError };
}

/** Copies of tensors to another memory or sharding, inserted by the plan or part of the program. */
export interface MoveCounts {
  /** All except spills: into L1, between L1 layouts, to the layout that `return` requires. */
  readonly reshards: number;
  /** Tensors moved out of L1 for lack of room: by copies to DRAM, or by producing them there. */
  readonly spills: number;
}

/**
 * Counts the copies that a plan inserts and those that the program itself has as `ttnn.to_memory_config`. A copy of the
 * program counts as a spill when it leaves L1 for DRAM and is not for `return`.
 */
export function countMoves(rows: readonly OpRow[], plan: Plan | undefined): MoveCounts {
  const returns = new Set(
    rows.filter(({ name }) => name === RETURN).map((row) => `${row.function}/${row.id}`),
  );
  let reshards = 0;
  const names = new Set(rows.map((row) => row.function));
  const decided = plan?.functions.filter((fn) => names.has(fn.name)) ?? [];
  let spills = decided.flatMap((fn) => fn.decisions).filter(({ spilled }) => spilled === true).length;
  for (const row of rows) {
    for (const { reason } of row.conversions) {
      if (reason === "spill") spills++;
      else reshards++;
    }
    const [from = "", to = ""] = [row.inputs[0], row.after[0]];
    if (row.name !== "ttnn.to_memory_config" || from === to) continue;
    const isReturned = row.feeds !== undefined && returns.has(`${row.function}/${row.feeds}`);
    if (from.startsWith("l1") && to.startsWith("dram") && !isReturned) spills++;
    else reshards++;
  }
  return { reshards, spills };
}
