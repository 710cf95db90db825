// SPDX-License-Identifier: Apache-2.0
import type { SavedResult } from "../../pipeline/bench.ts";
import { formatChange, formatTime, timeChange } from "./format.ts";
import { escapeHtml } from "./report/html.ts";
import { SERIES_COLOURS, svgPicture } from "./svg.ts";

const WIDTH = 900;
const LABELS = 260;
const FIGURES = 150;
const BAR = 16;
const GAP = 6;
const MODEL = 26;

const STYLE =
  "<style>svg{color:#333;font:12px system-ui,sans-serif}text{fill:currentColor}.model{font-weight:bold}" +
  "@media(prefers-color-scheme:dark){svg{color:#ddd}}</style>";

/** The first policy is what the others are compared with. */
const COLOURS: readonly string[] = ["#8a8f98", ...SERIES_COLOURS];

/**
 * Predicted times as bars, a group per model: each relative to the longest of its group, with a line over its
 * 68 % interval.
 */
export function benchSvg(results: readonly SavedResult[]): string {
  const policies = [...new Set(results.map(({ policy }) => policy))];
  const parts: string[] = [];
  let y = GAP;
  for (const [key, group] of Map.groupBy(results, ({ model, device }) => `${model} on ${device}`)) {
    parts.push(`<text x="0" y="${y + 14}" class="model">${escapeHtml(key)}</text>`);
    y += MODEL;
    const longest = Math.max(...group.map(({ summary }) => summary.predictedBand.upperUs), Number.MIN_VALUE);
    const [first] = group;
    const length = (us: number): number => Math.round(us / longest * (WIDTH - LABELS - FIGURES) * 10) / 10;
    for (const { policy, summary: { predictedUs, predictedBand } } of group) {
      const colour = COLOURS[policies.indexOf(policy) % COLOURS.length];
      const middle = y + BAR / 2;
      const change = first === undefined || first.policy === policy
        ? ""
        : `, ${formatChange(timeChange(predictedUs, first.summary.predictedUs))}`;
      parts.push(
        `<text x="${LABELS - 8}" y="${y + 12}" text-anchor="end">${escapeHtml(policy)}</text>`,
        `<rect x="${LABELS}" y="${y}" width="${length(predictedUs)}" height="${BAR}" fill="${colour}"/>`,
        `<path d="M${LABELS + length(predictedBand.lowerUs)} ${middle} H${
          LABELS + length(predictedBand.upperUs)
        }" stroke="currentColor"/>`,
        `<text x="${LABELS + length(predictedBand.upperUs) + 8}" y="${y + 12}">${
          formatTime(predictedUs)
        }${change}</text>`,
      );
      y += BAR + GAP;
    }
    y += GAP;
  }
  return `${svgPicture(WIDTH, y, "Predicted times", [STYLE, ...parts])}\n`;
}
