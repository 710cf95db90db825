// SPDX-License-Identifier: Apache-2.0
import type { GapRegion } from "../../../pipeline/explain/gap_regions.ts";
import type { GapReport } from "../../../pipeline/explain/gap_report.ts";
import type { Report } from "../../../pipeline/report/report.ts";
import type { LoneOp, RunAudit, RunClass } from "../../../sim/audit/run/audit_run.ts";
import {
  formatChange,
  formatCount,
  formatMicroseconds,
  formatPercent,
  formatTime,
  plural,
} from "../format.ts";
import {
  gapParts,
  helpText,
  limitText,
  opsText,
  optimumText,
  resultsText,
  tellingRegions,
  worstText,
} from "../gap_table.ts";
import { backendAdviceTexts, freeAdviceTexts } from "../cells.ts";
import { runTotals } from "../run_audit.ts";
import { opCode } from "../step_table.ts";
import { escapeHtml, figures, type HtmlColumn, tableBox, words } from "./html.ts";

const ADVICE_SHOWN = 12;

/** Advice, largest saving first, without items that found nothing; empty if there is none. */
export function adviceSection({ advice, functions, policy, summary }: Report): string {
  const told = advice.filter(({ savedUs }) => savedUs !== 0);
  const freed = freeAdviceTexts(summary.advice ?? [], summary.predictedUs)
    .map((text) => `Saves ${text}`)
    .concat(backendAdviceTexts(summary.backendAdvice ?? [], summary.predictedUs))
    .map((text) => `<li>${escapeHtml(text)}</li>`);
  if (told.length + freed.length === 0) return "";
  const items = told.slice(0, ADVICE_SHOWN).map((item) => {
    const fn = functions.find(({ name }) => name === item.functionName);
    const steps = item.steps.flatMap((index) => fn?.timeline.steps[index] ?? []);
    const [first] = steps;
    const about = first === undefined
      ? ""
      : `: op ${first.op} ${opCode(first)}${
        steps.length > 1 ? ` and ${formatCount(steps.length - 1)} more` : ""
      }`;
    const { savedUs = 0 } = item;
    const share = summary.predictedUs === 0 ? 0 : savedUs / summary.predictedUs;
    const saves = savedUs <= 0
      ? ""
      : `; saves <b>up to ${formatTime(savedUs)}</b> (${formatPercent(share)}${
        item.withinError ? ", inside the error bar" : ""
      })`;
    // The reader of a decided plan has already run optimize.
    const isDone = item.tryCommand === "optimize" && policy !== "as-written";
    const option = item.tryCommand === undefined || isDone
      ? ""
      : ` <code>${escapeHtml(item.tryCommand)}</code>`;
    return `<li><b>${escapeHtml(item.topic + about)}</b><br>${
      escapeHtml(item.message)
    }${saves}${option}</li>`;
  });
  const more = told.length - items.length;
  return `<h2 id="advice">Worth trying</h2>
<ol>${[...freed, ...items].join("\n")}</ol>${
    more > 0 ? `<p class="dim">${formatCount(more)} more in simulate --json.</p>` : ""
  }`;
}

/** The regions in which the plan loses time against its lower bound; empty without a bound. */
export function gapSection(gap: GapReport | undefined): string {
  if (gap === undefined) return "";
  const columns: readonly HtmlColumn<GapRegion>[] = [
    figures("Lost µs", ({ lostUs }) => lostUs, formatMicroseconds),
    words("Ops", opsText),
    words("Limited by", limitText),
    words("Worst op", worstText),
    words("The plan", ({ worst }) => resultsText(worst.plan)),
    words("The optimum", optimumText),
  ];
  const regions = tellingRegions(gap);
  const caption = "Ops that the optimum (unlimited L1) runs differently";
  const table = regions.length === 0
    ? ""
    : tableBox("Regions of the gap", "gap-table", caption, columns, regions);
  const help = gap.wouldHelp.length === 0 ? "" : `<h3>What would help</h3>
<ul>${gap.wouldHelp.map((item) => `<li>${escapeHtml(helpText(item))}</li>`).join("")}</ul>`;
  return `<h2 id="gap">Where the gap is</h2>
<dl class="parts">${
    gapParts(gap).map(([name, text]) => `<dt>${name}</dt><dd>${escapeHtml(text)}</dd>`).join("")
  }</dl>
${table}
${help}`;
}

/** Most listed ops that only one side has. */
const LONE_SHOWN = 100;

/**
 * A measured run beside the prediction: sums, classes, and ops that only one side has; empty without a run.
 */
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
  const caption = "Kernel times of paired ops, most time first";
  const table = audit.classes.length === 0
    ? ""
    : tableBox("Classes", "run-classes", caption, columns, audit.classes);
  return `<h2 id="measured">Measured beside predicted</h2>
${runTotals(audit).map((line) => `<p>${escapeHtml(line)}</p>`).join("\n")}
${table}
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
