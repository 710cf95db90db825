// SPDX-License-Identifier: Apache-2.0
import type { MemoryVerdict } from "../../../lib/memory/memory_verdict.ts";
import type { OpChange } from "../../../pipeline/diff.ts";
import type { DiffSide } from "../../../pipeline/diff_side.ts";
import type { PlanSummary } from "../../../pipeline/plan_summary.ts";
import type { FunctionReport, PolicyResult, Report } from "../../../pipeline/report/report.ts";
import { gapCell } from "../cells.ts";
import { fieldText, groupText } from "../diff_table.ts";
import {
  bandText,
  comparisonText,
  extrapolatedText,
  formatBytes,
  formatChange,
  formatCount,
  formatMicroseconds,
  formatTime,
  plural,
  timeChange,
} from "../format.ts";
import { opCode } from "../step_table.ts";
import { comparedPrograms, faultLines, uncheckedLines, verdictText } from "../verdict.ts";
import { CLIENT } from "./client.ts";
import { graphLegend } from "./graph_drawing.ts";
import { escapeHtml, figures, type HtmlColumn, proseHtml, tableBox, words } from "./html.ts";
import { meshSection } from "./mesh_svg.ts";
import { edgeTable, opName } from "./op_tables.ts";
import { packed, pageData } from "./page_data.ts";
import { adviceSection, gapSection, measuredSection } from "./sections_html.ts";
import { timeSection } from "./time_section.ts";
import style from "./style.css" with { type: "text" };

const BOUNDS = ["DRAM", "FLOP", "BOTH", "NOC", "SLOW", "DISPATCH", "HOST"] as const;

/** Number of changes listed against the baseline. */
const CHANGES_SHOWN = 300;

/** Rows above which a browser should lay out the table of ops only when it is visible. */
const LONG_TABLE = 300;

/** Number of fields listed per change. */
const FIELDS_SHOWN = 4;

/** The tip of connections in graphs. */
const GRAPH_MARKS =
  '<svg class="marks" width="0" height="0" aria-hidden="true"><defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="6" markerHeight="6" orient="auto"><path d="M0 0 8 4 0 8Z" class="tip"/></marker></defs></svg>';

/** The report as one self-contained HTML page. */
export async function renderReportPage(report: Report): Promise<string> {
  const time = timeSection(report);
  const advice = adviceSection(report);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="generator" content="tilewright ${escapeHtml(report.version)}">
<title>${escapeHtml(report.input)} on ${escapeHtml(report.device)} – Tilewright</title>
<link rel="icon" href="data:,">
<style>${style}</style>
</head>
<body>
<a class="skip" href="#ops">Skip to the ops</a>
${header(report, time !== "", advice !== "")}
${GRAPH_MARKS}
<main>
${keyFigures(report)}
${findingList("bad", faultLines(report.summary.verdict))}${
    findingList("dim", uncheckedLines(report.summary.verdict))
  }
${time}
${advice}
${gapSection(report.gap)}
${measuredSection(report.measured)}
${meshSection(report.mesh)}
<h2 id="policies">Policies side by side</h2>
${(report.summary.reasons ?? []).map((text) => `<p>${escapeHtml(text)}</p>`).join("\n")}
${policyTable(report)}
<span id="ops"></span>
${report.functions.map((fn, index) => functionSection(fn, index, report)).join("\n")}
${
    report.functionsLeftOut === 0
      ? ""
      : `<p class="dim">${formatCount(report.functionsLeftOut)} shorter functions are left out.</p>`
  }
<h2 id="changes">What changed against ${escapeHtml(report.changes.a.label)}</h2>
${kindsTable(report)}
${changesSection(report)}
</main>
<script type="application/gzip" id="data">${await packed(pageData(report))}</script>
<script type="module">${CLIENT.replaceAll("</script", "<\\/script")}</script>
</body>
</html>
`;
}

/** Title of the page, and links to its sections. */
function header(report: Report, hasTime: boolean, hasAdvice: boolean): string {
  const parts: readonly (readonly [id: string, name: string, isThere: boolean])[] = [
    ["time", "Time", hasTime],
    ["advice", "Advice", hasAdvice],
    ["gap", "Gap", report.gap !== undefined],
    ["measured", "Measured", report.measured !== undefined],
    ["mesh", "Mesh", report.mesh !== undefined],
    ["policies", "Policies", true],
    ["ops", "Ops", true],
    ["changes", "Changes", true],
  ];
  const links = parts.map(([id, name, isThere]) => isThere ? `<a href="#${id}">${name}</a>` : "");
  return `<header>
<h1>${escapeHtml(report.input)} <span class="dim">on ${escapeHtml(report.device)}, ${
    escapeHtml(report.policy)
  }</span></h1>
<p class="dim">Predicted by Tilewright ${escapeHtml(report.version)}${
    report.measured === undefined ? "; nothing was measured" : ", beside a measured run"
  }. Times are of one inference.</p>
<nav aria-label="Parts">${links.join("")}</nav>
</header>`;
}

function keyFigures({ summary }: Report): string {
  const band = bandText(summary.predictedBand, summary.predictedUs);
  const items: readonly (readonly [string, string])[] = [
    [
      formatTime(summary.predictedUs),
      `predicted, ${band}${extrapolatedText(summary.extrapolatedUs, summary.predictedUs)}`,
    ],
    ...comparedPrograms(summary).map(({ name, what, us, against, why }) => {
      const change = timeChange(summary.predictedUs, us);
      const isCalled = against !== "too_close_to_call";
      return [
        `<span class="${isCalled ? changeClass(change) : "dim"}">${formatChange(change)}</span>`,
        `against ${formatTime(us)} ${name}${what}${why === undefined ? "" : `, which ${why}`}${
          isCalled ? "" : ": too close to call"
        }`,
      ] as const;
    }),
    ...(summary.certificate === undefined ? [] : [
      [gapCell(summary), "gap: at most how far the plan is above the best one, and its certificate"],
    ] as const),
    [`${formatBytes(summary.peakL1Bytes)}`, `L1 peak per core, of ${formatBytes(summary.l1BudgetBytes)}`],
    [verdictHtml(summary.verdict), "L1 and DRAM, checked by address"],
    [`${formatCount(summary.l1ResidentOps)} of ${formatCount(summary.ops)}`, "ops with a result in L1"],
    [`${formatCount(summary.reshards)} / ${formatCount(summary.spills)}`, "reshards / spills"],
  ];
  return `<ul class="figures">${
    items.map(([value, about]) => `<li><b>${value}</b><span class="dim">${escapeHtml(about)}</span></li>`)
      .join("")
  }</ul>`;
}

function policyTable({ policies, policy: ofPage }: Report): string {
  const column = (
    title: string,
    value: (summary: PlanSummary) => number,
    html: (value: number, { summary }: PolicyResult) => string,
  ) => figures<PolicyResult>(title, ({ summary }) => value(summary), html);
  const columns: readonly HtmlColumn<PolicyResult>[] = [
    words("Policy", ({ policy, about }) => ({
      html: `${escapeHtml(policy)}<br><span class="prose dim">${escapeHtml(about)}</span>`,
    })),
    column("Predicted µs", ({ predictedUs }) => predictedUs, formatMicroseconds),
    ...(policies.some(({ summary }) => summary.asWritten !== undefined)
      ? [
        column(
          "Versus written",
          ({ predictedUs }) => predictedUs,
          (us, { summary: { asWritten } }) =>
            asWritten === undefined || asWritten.us === 0 ? "" : formatChange(us / asWritten.us - 1),
        ),
      ]
      : []),
    column(
      "Versus dram",
      ({ predictedUs }) => predictedUs,
      (us, { summary: { baselineUs } }) => baselineUs === 0 ? "" : formatChange(us / baselineUs - 1),
    ),
    words("Gap", ({ summary }) => gapCell(summary)),
    column("Ops in L1", ({ l1ResidentOps }) => l1ResidentOps, formatCount),
    column("Sharded", ({ shardedOps }) => shardedOps, formatCount),
    column("Reshards", ({ reshards }) => reshards, formatCount),
    column("Spills", ({ spills }) => spills, formatCount),
    column("Peak L1", ({ peakL1Bytes }) => peakL1Bytes, formatBytes),
    words("Fits", ({ summary }) => ({ html: verdictHtml(summary.verdict) })),
    column("Queries", ({ opModelQueries }) => opModelQueries, formatCount),
  ];
  const attributesOf = ({ policy }: PolicyResult) => policy === ofPage ? ' aria-selected="true"' : "";
  const caption = "The policy of this page is marked";
  return tableBox("Policies", "policy-table", caption, columns, policies, attributesOf);
}

/** How the drawings of a section are moved. */
const MOVES = "Drag to move, Ctrl and the wheel to zoom (with the focus the wheel alone)";

function functionSection(fn: FunctionReport, index: number, report: Report): string {
  const { timeline } = fn;
  const ops = timeline.steps.filter(({ name }) => name.startsWith("ttnn.")).length;
  return `<section id="fn-${index}" data-fn="${index}">
<h2>@${escapeHtml(fn.name)} <span class="dim">${formatTime(timeline.totalUs)}, ${
    verdictHtml(timeline.verdict)
  }</span></h2>
${graphPart(fn, index, report)}
${l1Part(fn, index)}
${timelinePart(fn, index, report)}
<h3>Op by op</h3>
<div class="controls"><label>Filter <input type="search" data-filter="ops-${index}" placeholder="matmul l1/block"></label>
<span class="dim" id="ops-${index}-count">${formatCount(ops)} rows</span></div>
<div class="scroll${
    ops > LONG_TABLE ? " long" : ""
  }" data-part="ops" tabindex="0" role="region" aria-label="Ops"></div>
${networkPart(fn)}
<h3>Reshards and spills</h3>
${edgeTable(fn, index)}
<div class="detail" data-part="detail" id="detail-${index}" role="region" aria-label="Chosen op" aria-live="polite"><span class="dim">Click an op, or press Enter on a row of the table, to read its story here.</span></div>
</section>`;
}

/** The graph of a function, beside that of the other plan if it has one. */
function graphPart(fn: FunctionReport, index: number, { baseline, subject }: Report): string {
  const hasOther = fn.other !== undefined && baseline.label !== subject.label;
  const [own, other] = [subject.label, baseline.label].map(escapeHtml);
  const name = escapeHtml(fn.name);
  const otherBox =
    `<div class="graphbox viewbox" id="other-${index}" data-part="other" data-whose="${other}" tabindex="0" role="region" aria-label="Graph of ${name} in ${other}" hidden></div>`;
  return `<h3>Graph</h3>
<div class="controls"><label>Find <input type="search" data-part="find" size="26" placeholder="matmul 768 block_sharded %12"></label><span class="dim" data-part="found" aria-live="polite"></span>
<label>Colour <select data-part="colour"><option value="layout">layout</option><option value="time">time</option><option value="memory">memory</option><option value="bound">bound</option></select></label>
${fn.openGraph === undefined ? "" : '<label><input type="checkbox" data-part="unfold"> Every layer</label>'}
${hasOther ? `<label><input type="checkbox" data-part="compare"> Beside ${other}</label>` : ""}
<span data-part="graph-zoom"></span><span class="dim">${MOVES}; a click tells the story of an op or opens folded layers, arrow keys go from op to op, Enter in Find to the next.</span></div>
<div class="legend" data-legend="graph-${index}">${graphLegend(fn.graph, fn.timeline)}</div>
<div class="graphs"><div class="graphbox viewbox" id="graph-${index}" data-part="graph" data-whose="${own}" tabindex="0" role="region" aria-label="Graph of ${name}"></div>${
    hasOther ? otherBox : ""
  }</div>
<div class="graphpaper" data-part="paper" aria-hidden="true"></div>`;
}

/** Content of one core's L1 at every step, with its faults. */
function l1Part({ timeline: { verdict } }: FunctionReport, index: number): string {
  return `<h3>L1 of one core over the schedule</h3>
<div class="controls"><span data-part="l1-zoom"></span><span class="dim">${MOVES}; a click on a tensor follows it through the run.</span></div>
<div class="plotbox viewbox" id="l1-${index}" data-part="l1" tabindex="0" role="region" aria-label="L1 of one core"></div>
<div class="legend"><span><i style="background:var(--t0)"></i>tensors, placed from the top</span>
<span><i style="background:var(--cb)"></i>circular buffers, from the bottom</span>
<span><i style="background:var(--dim)"></i>intermediates</span>
<span><i style="background:var(--bad)"></i>clashes</span><span>dashed: budget</span></div>
<div class="followed" data-part="followed" aria-live="polite"></div>
${findingList("bad", faultLines(verdict))}${findingList("dim", uncheckedLines(verdict))}`;
}

function timelinePart(
  { name, timeline }: FunctionReport,
  index: number,
  { baseline, subject }: Report,
): string {
  const bounds = BOUNDS.map((bound) => `<span><i class="b-${bound}"></i>${bound}</span>`).join("");
  const besideLegend = baseline.label === subject.label
    ? ""
    : `<span><i style="background:var(--line)"></i>below: ${escapeHtml(baseline.label)}, not by bound</span>`;
  return `<h3>Timeline</h3>
<div class="controls"><span data-part="time-zoom"></span><span class="dim">${MOVES}.</span></div>
<div class="plotbox viewbox" id="time-${index}" data-part="time" tabindex="0" role="region" aria-label="Steps of ${
    escapeHtml(name)
  } over ${formatMicroseconds(timeline.totalUs)} µs"></div>
<div class="legend">${bounds}<span>arcs: layout changes, spills in red</span>${besideLegend}</div>`;
}

/** The loads of the network under one op, to be chosen; empty if no op loads it. */
function networkPart({ network, timeline }: FunctionReport): string {
  if (network.length === 0) return "";
  const options = network.map((load, position) => {
    const step = timeline.steps[load.step];
    const text = step === undefined
      ? ""
      : `op ${step.op} ${opCode(step)}, ${formatMicroseconds(step.deviceUs + step.gapUs)} µs`;
    return `<option value="${position}">${escapeHtml(text)}</option>`;
  }).join("");
  return `
<h3>Network of one op</h3>
<div class="controls"><label>Op <select data-part="networks">${options}</select></label></div>
<div data-part="network" aria-live="polite"></div>`;
}

function verdictHtml(verdict: MemoryVerdict): string {
  const word = escapeHtml(verdictText(verdict));
  return verdict.status === "unchecked"
    ? word
    : `<span class="${verdict.status === "fits" ? "good" : "bad"}">${word}</span>`;
}

function findingList(className: "bad" | "dim", lines: readonly string[]): string {
  if (lines.length === 0) return "";
  return `<ul class="${className}">${lines.map((line) => `<li>${escapeHtml(line)}</li>`).join("")}</ul>`;
}

/** Times of two plans by kind of op. */
interface KindTimes {
  readonly name: string;
  readonly a: number;
  readonly b: number;
}

/** The µs by kind of op; copies are a kind of their own. */
function timesByKind({ ops }: DiffSide): ReadonlyMap<string, number> {
  const times = new Map<string, number>();
  const add = (name: string, us: number): void => void times.set(name, (times.get(name) ?? 0) + us);
  for (const { name, us = 0, conversions } of ops) {
    add(opName(name), us);
    for (const copy of conversions) add("copies", copy.us);
  }
  return times;
}

/** The table of both plans; empty if one of them has no times. */
function kindsTable({ baseline, subject }: Report): string {
  if (baseline.totalUs === undefined || subject.totalUs === undefined) return "";
  const [a, b] = [timesByKind(baseline), timesByKind(subject)];
  const rows = [...new Set([...a.keys(), ...b.keys()])]
    .map((name): KindTimes => ({ name, a: a.get(name) ?? 0, b: b.get(name) ?? 0 }))
    .filter((row) => row.a + row.b > 0)
    .sort((first, second) => Math.abs(second.b - second.a) - Math.abs(first.b - first.a));
  const columns: readonly HtmlColumn<KindTimes>[] = [
    words("Op", ({ name }) => name),
    figures(`${baseline.label} µs`, (row) => row.a, formatMicroseconds),
    figures(`${subject.label} µs`, (row) => row.b, formatMicroseconds),
    figures("Δ µs", (row) => row.b - row.a, deltaHtml),
  ];
  const caption = "Both plans by kind of op, largest difference first";
  return tableBox("Times side by side", "kinds", caption, columns, rows);
}

function deltaHtml(delta: number): string {
  return `<span class="${changeClass(delta)}">${delta > 0 ? "+" : ""}${formatMicroseconds(delta)}</span>`;
}

function changesSection({ changes }: Report): string {
  if (changes.changes.length === 0) return "<p>No difference.</p>";
  const columns: readonly HtmlColumn<OpChange>[] = [
    figures("ID", ({ a, b }) => (b ?? a)?.id ?? 0, String),
    words("Op", ({ a, b }) => opName((b ?? a)?.name ?? "")),
    words("Shape", ({ a, b }) => (b ?? a)?.shape ?? ""),
    words("Change", ({ kinds }) => kinds.join(", ").replaceAll("_", " ")),
    words(changes.a.label, (change) => ({ html: proseHtml(sideHtml(change, "a")) })),
    words(changes.b.label, (change) => ({ html: proseHtml(sideHtml(change, "b")) })),
    figures("Δ µs", ({ deltaUs = 0 }) => deltaUs, deltaHtml),
  ];
  const rows = changes.changes.slice(0, CHANGES_SHOWN);
  const more = changes.changes.length - rows.length;
  const caption = `Largest predicted effect first${more > 0 ? `; ${formatCount(more)} more in diff` : ""}`;
  const delta = changes.deltaUs === undefined || changes.relativeDelta === undefined
    ? ""
    : ` Predicted ${formatMicroseconds(changes.deltaUs)} µs (${formatChange(changes.relativeDelta)}), ${
      comparisonText(changes.comparison)
    }.`;
  return `<p>${plural(changes.matched, "op")} matched; ${
    plural(changes.changes.length, "difference")
  }.${delta}</p>
<div class="controls"><label>Filter <input type="search" data-filter="change-table"></label>
<span class="dim" id="change-table-count">${formatCount(rows.length)} rows</span></div>
${tableBox("Changes", "change-table", caption, columns, rows)}`;
}

/** The differing fields of one side. */
function sideHtml(change: OpChange, side: "a" | "b"): string {
  const op = change[side];
  if (op === undefined) return "–";
  if (change.group !== undefined) {
    return escapeHtml(groupText(change.group[side], side === "a" ? change.aUs : change.bUs));
  }
  if (change.fields.length === 0) return escapeHtml(op.layouts.join(" "));
  const shown = change.fields.slice(0, FIELDS_SHOWN).map((field) => {
    const name = field.field === "layout"
      ? ""
      : `<span class="dim">${escapeHtml(fieldText(field.field))}</span> `;
    return `${name}${escapeHtml(field[side] || "–")}`;
  });
  const more = change.fields.length - shown.length;
  return shown.join("<br>") + (more > 0 ? `<br><span class="dim">${formatCount(more)} more</span>` : "");
}

/** Changes below it are shown as zero. */
const SHOWN_CHANGE = 0.0005;

/** The class of a change of time, in µs or as a share. */
function changeClass(change: number): "good" | "bad" | "dim" {
  if (Math.abs(change) < SHOWN_CHANGE) return "dim";
  return change < 0 ? "good" : "bad";
}
