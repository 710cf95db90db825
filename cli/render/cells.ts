// SPDX-License-Identifier: Apache-2.0
import type { MemoryVerdict } from "../../lib/memory/memory_verdict.ts";
import type { PlanSummary } from "../../pipeline/plan_document.ts";
import type { FittedCell } from "./fitted_table.ts";
import { formatChange, formatMicroseconds, timeChange } from "./format.ts";
import type { Style } from "./style.ts";
import { paintOfVerdict } from "./verdict.ts";

/** A time in µs. */
export function microsecondsCell(microseconds: number): FittedCell {
  return { text: formatMicroseconds(microseconds), unit: "µs" };
}

/** The predicted time of a plan against its `dram` baseline. */
export function baselineCell({ predictedUs, baselineUs }: PlanSummary, style: Style): FittedCell {
  const change = timeChange(predictedUs, baselineUs);
  return { text: formatChange(change), paint: changeColour(change, style) };
}

/** Green for less time, red for more, nothing for the same. */
export function changeColour(change: number, style: Style): ((text: string) => string) | undefined {
  return change === 0 ? undefined : change < 0 ? style.green : style.red;
}

const VERDICTS: Readonly<Record<MemoryVerdict["status"], string>> = {
  fits: "yes",
  does_not_fit: "NO",
  unchecked: "unchecked",
};

/** The verdict as a cell of a table that asks whether it fits. */
export function verdictCell({ status }: MemoryVerdict, style: Style): FittedCell {
  return { text: VERDICTS[status], paint: paintOfVerdict(status, style) };
}
