// SPDX-License-Identifier: Apache-2.0
import type { LoneOp, RunAudit, RunClass } from "../../../sim/audit/run/audit_run.ts";
import { formatChange, formatCount, formatMicroseconds, formatPercent, plural } from "../format.ts";
import { runTotals } from "../run_audit.ts";
import { escapeHtml, figures, type HtmlColumn, htmlTable, scrolled, words } from "./html.ts";

/** Most listed ops that only one side has. */
const LONE_SHOWN = 100;

/** A measured run beside the prediction: sums, classes, and what only one side has; empty without a run. */
export function measuredSection(audit: RunAudit | undefined): string {
  if (audit === undefined) return "";
  const columns: readonly HtmlColumn<RunClass>[] = [
    words("Class", ({ name }) => name),
    figures("Ops", ({ ops }) => ops, formatCount),
    figures("Measured µs", ({ measuredUs }) => measuredUs, formatMicroseconds),
    figures("Predicted µs", ({ predictedUs }) => predictedUs, formatMicroseconds),
    figures("Error", ({ measuredUs, predictedUs }) => predictedUs / measuredUs - 1, formatChange),
    figures("Mean op error", ({ mape }) => mape, formatPercent),
  ];
  const table = htmlTable(
    "run-classes",
    "Kernel times of paired ops, most time first",
    columns,
    audit.classes,
  );
  return `<h2 id="measured">Measured beside predicted</h2>
${runTotals(audit).map((line) => `<p>${escapeHtml(line)}</p>`).join("\n")}
${audit.classes.length === 0 ? "" : scrolled("Classes", table)}
${lone("Measured, but not predicted", audit.extra)}${lone("Predicted, but not measured", audit.missing)}`;
}

function lone(title: string, ops: readonly LoneOp[]): string {
  if (ops.length === 0) return "";
  const items = ops.slice(0, LONE_SHOWN).map(({ op, us, at }) =>
    `<li>${escapeHtml(`${op}, ${formatMicroseconds(us)} µs, ${at}`)}</li>`
  );
  const more = ops.length - items.length;
  return `<h3>${title}: ${plural(ops.length, "op")}</h3><ul>${items.join("")}</ul>${
    more > 0 ? `<p class="dim">${formatCount(more)} more in diff --json.</p>` : ""
  }`;
}
