// SPDX-License-Identifier: Apache-2.0
import type { LoneOp, RunAudit, RunClass, RunOp } from "../../sim/audit/run/audit_run.ts";
import { kernelTimeCell } from "./cells.ts";
import { type FittedColumn, left, renderFittedTable, right } from "./fitted_table.ts";
import { formatChange, formatCount, formatMicroseconds, formatPercent, plural } from "./format.ts";
import type { Style } from "./style.ts";

/** The ops of a run whose time differs most from the prediction, in the order of the program. */
export function largestErrors({ ops }: RunAudit, top: number): readonly RunOp[] {
  const ranked = ops.toSorted((a, b) => differenceOf(b) - differenceOf(a));
  const kept = new Set(ranked.slice(0, top));
  return ops.filter((op) => kept.has(op));
}

function differenceOf({ measuredUs, predictedUs }: RunOp): number {
  return Math.abs(measuredUs - predictedUs);
}

/**
 * Ops with their errors, classes, totals, and ops that only one side has.
 *
 * @param top most ops to list
 */
export function renderRunAudit(audit: RunAudit, style: Style, top: number = Infinity): string {
  const shown = largestErrors(audit, top);
  const more = audit.ops.length - shown.length;
  const ops: readonly FittedColumn<RunOp>[] = [
    right("Line", ({ line }) => String(line)),
    left("Op", ({ name }) => name.replace(/^ttnn\./, "")),
    left("Shape", ({ shape }) => shape, { expendable: 1 }),
    right("Measured", ({ measuredUs }) => kernelTimeCell(measuredUs)),
    right("Predicted", ({ predictedUs }) => kernelTimeCell(predictedUs)),
    right("Error", ({ error }) => formatChange(error)),
    left("Paired by", ({ by }) => by, { expendable: 2 }),
  ];
  const classes: readonly FittedColumn<RunClass>[] = [
    left("Class", ({ name }) => name),
    right("Ops", ({ ops }) => String(ops)),
    right("Measured", ({ measuredUs }) => kernelTimeCell(measuredUs)),
    right("Predicted", ({ predictedUs }) => kernelTimeCell(predictedUs)),
    right("Error", ({ measuredUs, predictedUs }) => formatChange(predictedUs / measuredUs - 1)),
    right("Mean op error", ({ mape }) => formatPercent(mape)),
  ];
  const lone = (title: string, list: readonly LoneOp[]) =>
    list.length === 0 ? [] : [
      `${style.bold(`${title}: ${plural(list.length, "op")}`)}\n${
        list.map(({ op, us, at }) => `  ${op}, ${formatMicroseconds(us)} µs, ${at}`).join("\n")
      }`,
    ];
  return `${
    [
      renderFittedTable(ops, shown, style),
      ...(more > 0 ? [style.dim(`… and ${formatCount(more)} more; --top 0 lists all`)] : []),
      renderFittedTable(classes, audit.classes, style),
      runTotals(audit).join("\n"),
      ...lone("Measured, but not predicted", audit.extra),
      ...lone("Predicted, but not measured", audit.missing),
    ].join("\n\n")
  }\n`;
}

/** Sums of a run beside those of its prediction, a line each. */
export function runTotals(audit: RunAudit): readonly string[] {
  const { measuredUs, pairedMeasuredUs, predictedUs, pairedPredictedUs, mape, measuredGapUs } = audit;
  return [
    `${plural(audit.ops.length, "op")} paired: measured ${
      formatMicroseconds(pairedMeasuredUs)
    } µs, predicted ${formatMicroseconds(pairedPredictedUs)} µs on ${audit.device}${
      pairedMeasuredUs === 0 ? "" : ` (${formatChange(pairedPredictedUs / pairedMeasuredUs - 1)})`
    }${mape === null ? "" : `, mean op error ${formatPercent(mape)}`}${
      audit.runs === 1 ? "" : `; the profile holds ${audit.runs} runs, the last of which is compared`
    }`,
    `all ops: measured ${formatMicroseconds(measuredUs)} µs, predicted ${formatMicroseconds(predictedUs)} µs${
      measuredGapUs === null ? "" : `; mean measured gap ${formatMicroseconds(measuredGapUs)} µs`
    }`,
  ];
}
