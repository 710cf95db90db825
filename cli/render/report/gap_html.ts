// SPDX-License-Identifier: Apache-2.0
import type { GapRegion } from "../../../pipeline/explain/gap_regions.ts";
import type { GapReport } from "../../../pipeline/explain/gap_report.ts";
import { formatMicroseconds } from "../format.ts";
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
import { escapeHtml, figures, type HtmlColumn, htmlTable, scrolled, words } from "./html.ts";

/** Where the plan loses time against its lower bound; empty if no policy gave one. */
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
  const table = regions.length === 0 ? "" : scrolled(
    "Regions of the gap",
    htmlTable("gap-table", "Ops that the optimum (unlimited L1) runs differently", columns, regions),
  );
  const help = gap.wouldHelp.length === 0 ? "" : `<h3>What would help</h3>
<ul>${gap.wouldHelp.map((item) => `<li>${escapeHtml(helpText(item))}</li>`).join("")}</ul>`;
  return `<h2 id="gap">Where the gap is</h2>
<dl class="parts">${
    gapParts(gap).map(([name, text]) => `<dt>${name}</dt><dd>${escapeHtml(text)}</dd>`).join("")
  }</dl>
${table}
${help}`;
}
