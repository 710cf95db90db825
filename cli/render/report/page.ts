// SPDX-License-Identifier: Apache-2.0
import { describeOp } from "../../../lib/graph/describe_op.ts";
import type { OpChange } from "../../../pipeline/diff.ts";
import type { DiffOp } from "../../../pipeline/diff_side.ts";
import type { OpRow } from "../../../pipeline/op_rows.ts";
import type { FunctionReport, PolicyResult, Report } from "../../../pipeline/report/report.ts";
import { describeLayout } from "../../../lib/layout/describe.ts";
import type { MemoryVerdict } from "../../../lib/memory/memory_verdict.ts";
import type { StepTimeline } from "../../../sim/timeline/timeline.ts";
import { formatBytes, formatChange, formatCount, formatMicroseconds, formatPercent } from "../format.ts";
import { opCode } from "../step_table.ts";
import { misfitLines, uncheckedLines, verdictText } from "../verdict.ts";
import client from "./client.js" with { type: "text" };
import { attributeNumber, escapeHtml, type HtmlCell, htmlTable, scriptJson } from "./html.ts";
import { l1MapSvg } from "./l1_map_svg.ts";
import style from "./style.css" with { type: "text" };
import { timelineSvg } from "./timeline_svg.ts";

const BOUNDS = ["DRAM", "FLOP", "BOTH", "NOC", "SLOW", "DISPATCH", "HOST"] as const;

/** Changes against the baseline that are listed. */
const CHANGES_SHOWN = 300;

/** The report as one HTML page that needs nothing else. */
export function renderReportPage(report: Report): string {
  const data = { functions: report.functions.map((fn) => ({ steps: stepData(fn), network: fn.network })) };
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
<header>
<h1>${escapeHtml(report.input)} <span class="dim">on ${escapeHtml(report.device)}, ${
    escapeHtml(report.policy)
  }</span></h1>
<p class="dim">Predicted by Tilewright ${
    escapeHtml(report.version)
  }; nothing was measured. Times are of one inference.</p>
<nav aria-label="Parts"><a href="#policies">Policies</a><a href="#ops">Ops</a><a href="#changes">Changes</a></nav>
</header>
<main>
${figures(report)}
${findingList("bad", misfitLines(report.summary.verdict))}${
    findingList("dim", uncheckedLines(report.summary.verdict))
  }
<h2 id="policies">Policies side by side</h2>
<div class="scroll" tabindex="0" role="region" aria-label="Policies">${policyTable(report)}</div>
<span id="ops"></span>
${report.functions.map((fn, index) => functionSection(fn, index)).join("\n")}
${
    report.functionsLeftOut === 0
      ? ""
      : `<p class="dim">${formatCount(report.functionsLeftOut)} shorter functions are left out.</p>`
  }
<h2 id="changes">What changed against ${escapeHtml(report.changes.a.label)}</h2>
${changesSection(report)}
</main>
<script type="application/json" id="data">${scriptJson(data)}</script>
<script type="module">${client.replaceAll("</script", "<\\/script")}</script>
</body>
</html>
`;
}

function figures({ summary }: Report): string {
  const band = summary.predictedUs === 0
    ? 0
    : (summary.predictedBand.upperUs - summary.predictedBand.lowerUs) / 2 / summary.predictedUs;
  const change = summary.baselineUs === 0 ? 0 : summary.predictedUs / summary.baselineUs - 1;
  const items: readonly (readonly [string, string])[] = [
    [`${formatMicroseconds(summary.predictedUs)} µs`, `predicted, ±${formatPercent(band)}`],
    [
      `<span class="${change < 0 ? "good" : change > 0 ? "bad" : "dim"}">${formatChange(change)}</span>`,
      `against ${formatMicroseconds(summary.baselineUs)} µs of the dram baseline`,
    ],
    [
      `${formatBytes(summary.peakL1Bytes)}`,
      `L1 peak per core, of ${formatBytes(summary.l1BudgetBytes)}`,
    ],
    [
      verdictHtml(summary.verdict),
      "L1 and DRAM, checked by address",
    ],
    [`${formatCount(summary.l1ResidentOps)} of ${formatCount(summary.ops)}`, "ops with a result in L1"],
    [`${formatCount(summary.reshards)} / ${formatCount(summary.spills)}`, "reshards / spills"],
  ];
  return `<ul class="figures">${
    items.map(([value, words]) => `<li><b>${value}</b><span class="dim">${escapeHtml(words)}</span></li>`)
      .join("")
  }</ul>`;
}

function number(text: string, sort: number): HtmlCell {
  return { html: text, sort, isNumber: true };
}

function policyTable({ policies, policy }: Report): string {
  const titles = ["Policy", "Predicted µs", "Against dram", "Ops in L1", "Sharded", "Reshards", "Spills"];
  const columns = [
    ...titles.map((title, index) => ({ title, isNumber: index > 0 })),
    { title: "Peak L1", isNumber: true },
    { title: "Fits" },
    { title: "Queries", isNumber: true },
    { title: "What it does" },
  ];
  const row = ({ policy: name, summary, about }: PolicyResult) => ({
    ...(name === policy ? { attributes: 'aria-selected="true"' } : {}),
    cells: [
      { html: escapeHtml(name) },
      number(formatMicroseconds(summary.predictedUs), summary.predictedUs),
      number(
        summary.baselineUs === 0 ? "" : formatChange(summary.predictedUs / summary.baselineUs - 1),
        summary.predictedUs,
      ),
      number(formatCount(summary.l1ResidentOps), summary.l1ResidentOps),
      number(formatCount(summary.shardedOps), summary.shardedOps),
      number(formatCount(summary.reshards), summary.reshards),
      number(formatCount(summary.spills), summary.spills),
      number(formatBytes(summary.peakL1Bytes), summary.peakL1Bytes),
      { html: verdictHtml(summary.verdict) },
      number(formatCount(summary.opModelQueries), summary.opModelQueries),
      { html: escapeHtml(about) },
    ],
  });
  return htmlTable("policy-table", "The policy of this page is marked", columns, policies.map(row));
}

function functionSection(fn: FunctionReport, index: number): string {
  const { timeline, l1, edges, network } = fn;
  const fits = verdictHtml(timeline.verdict);
  const legend = BOUNDS.map((bound) =>
    `<span><i style="background:var(--${bound.toLowerCase()})"></i>${bound}</span>`
  )
    .join("");
  const options = network.map((load, position) => {
    const step = timeline.steps[load.step];
    return `<option value="${position}">${
      escapeHtml(
        step === undefined ? "" : `op ${step.op} ${opCode(step)}, ${formatMicroseconds(step.deviceUs)} µs`,
      )
    }</option>`;
  }).join("");
  const nocSection = network.length === 0 ? "" : `
<h3>Network of one op</h3>
<div class="controls"><label>Op <select data-noc="${index}">${options}</select></label></div>
<div id="noc-${index}" aria-live="polite"></div>`;
  return `<section id="fn-${index}" data-fn="${index}">
<h2>@${escapeHtml(fn.name)} <span class="dim">${formatMicroseconds(timeline.totalUs)} µs, ${fits}</span></h2>
<h3>L1 of one core over the schedule</h3>
${l1MapSvg(l1, `L1 addresses over ${l1.steps} steps of ${fn.name}`)}
<div class="legend"><span><i style="background:var(--t0)"></i>tensors, placed from the top</span>
<span><i style="background:var(--cb)"></i>circular buffers, from the bottom</span>
<span><i style="background:var(--dim)"></i>intermediates</span>
<span><i style="background:var(--bad)"></i>clashes</span><span>dashed: budget</span></div>
${findingList("bad", misfitLines(timeline.verdict))}${findingList("dim", uncheckedLines(timeline.verdict))}
<h3>Timeline</h3>
<div class="controls"><label>Zoom <input type="range" min="100" max="3000" value="100" data-zoom="time-${index}"></label>
<span class="dim">Select with a click, or focus the timeline and use the arrow keys.</span></div>
<div class="timebox" id="time-${index}" tabindex="0" role="region" aria-label="Timeline">${
    timelineSvg(timeline, edges, `Steps of ${fn.name} over ${formatMicroseconds(timeline.totalUs)} µs`)
  }</div>
<div class="legend">${legend}<span>arcs: layout changes, spills in red</span></div>
<h3>Op by op</h3>
<div class="controls"><label>Filter <input type="search" data-filter="ops-${index}" placeholder="matmul l1/block"></label>
<span class="dim" id="ops-${index}-count">${formatCount(timeline.steps.length)} rows</span></div>
<div class="scroll" tabindex="0" role="region" aria-label="Ops">${opTable(fn, index)}</div>
<h3>Chosen op</h3>
<div class="detail" id="detail-${index}" aria-live="polite"><span class="dim">Choose a row with a click or Enter.</span></div>
${nocSection}
<h3>Reshards and spills</h3>
<div class="scroll" tabindex="0" role="region" aria-label="Layout changes">${edgeTable(fn, index)}</div>
</section>`;
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

function opTable(fn: FunctionReport, index: number): string {
  const columns = [
    { title: "ID", isNumber: true },
    { title: "Op" },
    { title: "Shape" },
    { title: "Layout" },
    { title: "Cores", isNumber: true },
    { title: "µs", isNumber: true },
    { title: "Total %", isNumber: true },
    { title: "Bound" },
    { title: "DRAM %", isNumber: true },
    { title: "FLOPs %", isNumber: true },
    { title: "L1 peak", isNumber: true },
    { title: "Fidelity" },
  ];
  const before = new Map<number, OpRow>(fn.rows.map((row) => [row.id, row]));
  const rows = fn.timeline.steps.map((step) => ({
    attributes: `data-step="${step.index}" tabindex="-1"${step.kind === "conversion" ? ' class="sub"' : ""}`,
    cells: opCells(step, before.get(step.id), fn.timeline.totalUs),
  }));
  const first = rows[0];
  if (first !== undefined) first.attributes = first.attributes.replace('tabindex="-1"', 'tabindex="0"');
  return htmlTable(`ops-${index}`, "In execution order; arrow keys move, Enter chooses", columns, rows);
}

function opCells(step: StepTimeline, row: OpRow | undefined, totalUs: number): HtmlCell[] {
  const us = step.deviceUs + step.gapUs;
  const after = spell(step.outputLayouts[0]);
  const was = step.kind === "conversion" ? spell(step.inputLayouts[0]) : row?.before[0] ?? after;
  const layout = was === after || was === ""
    ? escapeHtml(after)
    : `${escapeHtml(was)} → <b>${escapeHtml(after)}</b>`;
  const share = totalUs === 0 ? 0 : us / totalUs;
  const name = step.kind === "conversion"
    ? `↳ ${step.reason ?? "reshard"}`
    : step.name.replace(/^ttnn\./, "");
  return [
    number(String(step.op), step.index),
    { html: escapeHtml(name) },
    { html: escapeHtml(step.shape) },
    { html: layout },
    number(us === 0 ? "" : String(step.estimate.cores), step.estimate.cores),
    number(us === 0 ? "" : formatMicroseconds(us), us),
    number(us === 0 ? "" : formatPercent(share), share),
    { html: us === 0 ? "" : step.bound },
    number(us === 0 ? "" : formatPercent(step.utilisation.dram), step.utilisation.dram),
    number(step.utilisation.flops === 0 ? "" : formatPercent(step.utilisation.flops), step.utilisation.flops),
    {
      html: step.shortage?.memory !== "l1"
        ? formatBytes(step.l1.peakBytes)
        : `<span class="bad">${formatBytes(step.l1.peakBytes)}</span>`,
      sort: step.l1.peakBytes,
      isNumber: true,
    },
    { html: step.fidelity ?? "" },
  ];
}

function edgeTable(fn: FunctionReport, index: number): string {
  const columns = [
    { title: "Before op", isNumber: true },
    { title: "Why" },
    { title: "Value" },
    { title: "From" },
    { title: "To" },
    { title: "Made by" },
    { title: "Read by" },
    { title: "µs", isNumber: true },
  ];
  const nameOf = (step: number | undefined, fallback: string): string => {
    const found = step === undefined ? undefined : fn.timeline.steps[step];
    return found === undefined ? fallback : describeOp(found.name.replace(/^ttnn\./, ""), found.op);
  };
  const rows = fn.edges.map((edge) => ({
    attributes: `data-step="${edge.step}" tabindex="-1"`,
    cells: [
      number(String(fn.timeline.steps[edge.step]?.op ?? ""), edge.step),
      { html: escapeHtml(edge.reason) },
      { html: escapeHtml(edge.value) },
      { html: escapeHtml(edge.from) },
      { html: escapeHtml(edge.to) },
      { html: escapeHtml(nameOf(edge.producer, "argument")) },
      { html: escapeHtml(nameOf(edge.consumer, "return")) },
      number(formatMicroseconds(edge.us), edge.us),
    ],
  }));
  const total = fn.edges.reduce((sum, edge) => sum + edge.us, 0);
  return htmlTable(
    `edges-${index}`,
    `${formatCount(rows.length)} layout changes, ${formatMicroseconds(total)} µs together`,
    columns,
    rows,
  );
}

function changesSection({ changes }: Report): string {
  if (changes.changes.length === 0) return "<p>No difference.</p>";
  const columns = [
    { title: "Op" },
    { title: "Shape" },
    { title: "Change" },
    { title: changes.a.label },
    { title: changes.b.label },
    { title: "Δ µs", isNumber: true },
  ];
  const rows = changes.changes.slice(0, CHANGES_SHOWN).map((change) => ({ cells: changeCells(change) }));
  const delta = changes.deltaUs === undefined || changes.relativeDelta === undefined
    ? ""
    : ` Predicted ${formatMicroseconds(changes.deltaUs)} µs (${formatChange(changes.relativeDelta)}), ${
      changes.verdict === "too_close_to_call"
        ? "too close to call inside the error bands"
        : changes.verdict ?? ""
    }.`;
  return `<p>${formatCount(changes.changes.length)} of ${
    formatCount(changes.matched)
  } ops decided differently.${delta}</p>
<div class="controls"><label>Filter <input type="search" data-filter="change-table"></label>
<span class="dim" id="change-table-count">${formatCount(rows.length)} rows</span></div>
<div class="scroll" tabindex="0" role="region" aria-label="Changes">${
    htmlTable("change-table", "Largest predicted effect first", columns, rows)
  }</div>`;
}

function changeCells(change: OpChange): HtmlCell[] {
  const op = change.b ?? change.a;
  const side = (of: DiffOp | undefined): HtmlCell => ({
    html: of === undefined
      ? "–"
      : escapeHtml(of.layouts.join(" ")) + (of.conversions.length === 0
        ? ""
        : ` <span class="dim">after ${formatCount(of.conversions.length)} memory ops</span>`),
  });
  const delta = change.deltaUs ?? 0;
  return [
    { html: escapeHtml(op?.name.replace(/^ttnn\./, "") ?? "") },
    { html: escapeHtml(op?.shape ?? "") },
    { html: escapeHtml(change.kinds.join(", ").replaceAll("_", " ")) },
    side(change.a),
    side(change.b),
    {
      ...number(`${delta > 0 ? "+" : ""}${formatMicroseconds(delta)}`, delta),
      html: `<span class="${delta < 0 ? "good" : delta > 0 ? "bad" : "dim"}">${delta > 0 ? "+" : ""}${
        formatMicroseconds(delta)
      }</span>`,
    },
  ];
}

/** What the client shows of a chosen step. */
function stepData(fn: FunctionReport) {
  const rows = new Map(fn.rows.map((row) => [row.id, row]));
  return fn.timeline.steps.map((step) => {
    const row = step.kind === "op" ? rows.get(step.id) : undefined;
    const { launch, read, compute, write } = step.estimate.terms;
    return {
      title: `op ${step.op} ${opCode(step)}`,
      start: Number(attributeNumber(step.startUs)),
      us: Number(attributeNumber(step.deviceUs)),
      facts: {
        Inputs: step.inputLayouts.map(spell).join(", "),
        Outputs: step.outputLayouts.map(spell).join(", "),
        Time: `${
          formatMicroseconds(step.deviceUs)
        } µs on ${step.estimate.cores} cores, ${step.bound}; launch ${formatMicroseconds(launch)}, read ${
          formatMicroseconds(read)
        }, compute ${formatMicroseconds(compute)}, write ${formatMicroseconds(write)}; ±${
          formatPercent(step.estimate.relativeError)
        }`,
        L1: `${formatBytes(step.l1.tensorBytes)} tensors, ${
          formatBytes(step.l1.circularBufferBytes)
        } circular buffers, largest hole ${formatBytes(step.l1.largestFreeBytes)}`,
        ...(row === undefined || row.reasons.length === 0 ? {} : { Why: row.reasons.join("; ") }),
        ...(step.location === "" ? {} : { Location: step.location.slice(0, 300) }),
      },
    };
  });
}

function spell(layout: StepTimeline["outputLayouts"][number]): string {
  return layout === undefined ? "–" : describeLayout(layout);
}
