// SPDX-License-Identifier: Apache-2.0
import type { Report } from "../../../pipeline/report/report.ts";
import { formatCount, formatPercent, formatTime } from "../format.ts";
import { opCode } from "../step_table.ts";
import { escapeHtml } from "./html.ts";

/** Items that are shown. */
const ADVICE_SHOWN = 12;

/** Advice, largest saving first, without items for which nothing was found; empty if there is none. */
export function adviceSection({ advice, functions, policy, summary }: Report): string {
  const told = advice.filter(({ savedUs }) => savedUs !== 0);
  if (told.length === 0) return "";
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
    const isDone = item.tryOption === "optimize" && policy !== "as-written";
    const option = item.tryOption === undefined || isDone
      ? ""
      : ` <code>${escapeHtml(item.tryOption)}</code>`;
    return `<li><b>${escapeHtml(item.topic + about)}</b><br>${
      escapeHtml(item.message)
    }${saves}${option}</li>`;
  });
  const more = told.length - items.length;
  return `<h2 id="advice">Worth trying</h2>
<ol>${items.join("\n")}</ol>${
    more > 0 ? `<p class="dim">${formatCount(more)} more in simulate --json.</p>` : ""
  }`;
}
