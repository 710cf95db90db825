// SPDX-License-Identifier: Apache-2.0
import type { GapHelp } from "../../pipeline/explain/gap_helps.ts";
import type { GapLimit, GapRegion } from "../../pipeline/explain/gap_regions.ts";
import type { GapReport } from "../../pipeline/explain/gap_report.ts";
import type { BackendAdvice } from "../../pipeline/backend_advice.ts";
import type { FreeAdvice } from "../../pipeline/free_advice.ts";
import { backendAdviceTexts, figureCell, freeAdviceTexts, gapText } from "./cells.ts";
import { type FittedColumn, left, renderFittedTable, right } from "./fitted_table.ts";
import { formatBytes, formatCount, formatTime, plural } from "./format.ts";
import type { Style } from "./style.ts";
import { wrapItem } from "./wrap_text.ts";

/** Columns that wrap, with their least width in characters; that of layouts is larger, so that fewer break. */
const [WORDS, LAYOUTS] = [{ shrinkTo: 11, wraps: true }, { shrinkTo: 15, wraps: true }];

const LIMITS: Readonly<Record<GapLimit, string>> = { l1_capacity: "L1 capacity", search: "the search" };

/** The limit that keeps a region from the optimum, and the missing bytes per core if there are any. */
export function limitText({ limit, shortBytes }: GapRegion): string {
  return shortBytes > 0 ? `${LIMITS[limit]}, ${formatBytes(shortBytes)} short` : LIMITS[limit];
}

/** The op of a region with the largest loss. */
export function worstText({ worst }: GapRegion): string {
  return `${worst.name.replace(/^ttnn\./, "")} (op ${worst.op})`;
}

/**
 * Regions with a row, largest loss first: those with |`lostUs`| ≥ 0.005 µs. Regions of a function with equal
 * limit, missing bytes, sign of `lostUs`, and name and layouts of the worst op, as in repeated layers, share a
 * row with all their ops and the sum of `lostUs`.
 */
export function tellingRegions({ regions }: GapReport): readonly GapRegion[] {
  const telling = regions.filter(({ lostUs }) => Math.abs(lostUs) >= 0.005);
  const equivalent = Map.groupBy(telling, (region) => {
    const { limit, shortBytes, worst: { name, plan, optimum } } = region;
    return JSON.stringify([
      region.function,
      limit,
      shortBytes,
      name,
      plan,
      optimum,
      Math.sign(region.lostUs),
    ]);
  });
  return [...equivalent.values()].flatMap((members) => {
    const [first] = members;
    if (first === undefined) return [];
    const ops = members.flatMap((member) => member.ops).sort((a, b) => a - b);
    return [{ ...first, ops, lostUs: members.reduce((sum, { lostUs }) => sum + lostUs, 0) }];
  }).sort((a, b) => b.lostUs - a.lostUs);
}

/** Layouts of the results of an op; `n × layout` if all n > 1 are equal. */
export function resultsText(layouts: string): string {
  const each = layouts.split(", ");
  return each.length > 1 && new Set(each).size === 1 ? `${each.length} × ${each[0]}` : layouts;
}

/**
 * The result layouts in the optimum; if they are equal, the op has other operands or another config there.
 */
export function optimumText({ worst: { plan, optimum } }: GapRegion): string {
  return plan === optimum ? "same layout, other operands or config" : resultsText(optimum);
}

/** Least magnitude of a shown term of the gap, in µs. */
const LEAST_US = 0.005;

/** A term of the gap; empty if its magnitude is below {@linkcode LEAST_US}. */
function told(us: number, name: string, words: string): readonly (readonly [name: string, words: string])[] {
  return Math.abs(us) < LEAST_US ? [] : [[name, words]];
}

/** The terms of the gap by name. */
export function gapParts(report: GapReport): readonly (readonly [name: string, words: string])[] {
  const {
    predictedUs,
    lowerBoundUs,
    configsSavedUs,
    congestionUs,
    slackUs,
    waitsUs,
    unavoidableUs,
    regions,
  } = report;
  return [
    [
      "Predicted",
      `${formatTime(predictedUs)}${
        configsSavedUs === undefined ? "" : `, ${formatTime(predictedUs + configsSavedUs)} before op configs`
      }; lower bound ${lowerBoundUs === undefined ? "none" : formatTime(lowerBoundUs)}`,
    ],
    ["Gap", `${gapText(report)} (certificate: ${report.certificate ?? "none"})`],
    ...told(
      congestionUs,
      "Network",
      `${formatTime(Math.abs(congestionUs))} ${
        congestionUs < 0 ? "less" : "more"
      } congestion than the optimum`,
    ),
    ...told(
      slackUs,
      "Slack",
      `${formatTime(slackUs)} between the lower bound and the optimum: copies that readers share` +
        (waitsUs > 0
          ? `, and what the bound lacks of its ${formatTime(waitsUs)} of waits for the dispatcher`
          : ""),
    ),
    ...(regions.length === 0 ? [] : [
      [
        "Layouts",
        `${formatTime(regions.reduce((sum, { lostUs }) => sum + lostUs, 0))} in ${
          plural(regions.length, "region")
        } that ${
          regions.length === 1 ? "differs" : "differ"
        } from the optimum, the best plan if L1 were unlimited`,
      ] as const,
    ]),
    ...told(
      unavoidableUs,
      "L1",
      `${formatTime(unavoidableUs)} of that is lost by every plan, because L1 is limited`,
    ),
  ];
}

/** The regions in which a plan loses time, with advice. */
export interface ToldGap {
  readonly report: GapReport;
  readonly advice: readonly FreeAdvice[];
  readonly backendAdvice: readonly BackendAdvice[];
}

/**
 * The regions in which a plan loses time, as terminal text.
 *
 * @param top most regions to list
 */
export function renderGapReport(
  { report, advice, backendAdvice }: ToldGap,
  title: string,
  style: Style,
  top: number,
): string {
  const { wouldHelp } = report;
  const regions = tellingRegions(report);
  const shown = regions.slice(0, top);
  const columns: readonly FittedColumn<GapRegion>[] = [
    right("Lost µs", ({ lostUs }) => figureCell(lostUs)),
    left("Ops", opsText, WORDS),
    left("Limited by", limitText, WORDS),
    left("Worst op", worstText, WORDS),
    left("Plan", ({ worst }) => resultsText(worst.plan), LAYOUTS),
    left("Optimum", optimumText, LAYOUTS),
  ];
  const lines = gapParts(report).flatMap(([name, words]) =>
    wrapItem(`${name.padEnd(11)}${words}`, style.width)
  );
  const table = shown.length === 0 ? [] : ["", renderFittedTable(columns, shown, style)];
  const rest = regions.length - shown.length;
  if (rest > 0) table.push(style.dim(`${plural(rest, "region")} more; --top 0 lists all`));
  const freed = freeAdviceTexts(advice, report.predictedUs).map((text) => `saves ${text}`);
  if (freed.length > 0) {
    freed.push("tilewright advise decides anew with each of these, and with combinations");
  }
  const unspelled = backendAdviceTexts(backendAdvice, report.predictedUs, "all");
  const help = wouldHelp.length + freed.length + unspelled.length === 0 ? [] : [
    "",
    style.bold("What would help"),
    ...[...wouldHelp.map(helpText), ...freed, ...unspelled].flatMap((item) =>
      wrapItem(`  ${item}`, style.width)
    ),
  ];
  return [style.bold(title), "", ...lines, ...table, ...help, ""].join("\n");
}

/** Ops of a region as ranges, at most three and then `…`: `3-7, 9`; `return` for a region without ops. */
export function opsText({ ops }: GapRegion): string {
  const ranges: [number, number][] = [];
  for (const op of ops) {
    const last = ranges.at(-1);
    if (last !== undefined && last[1] === op - 1) last[1] = op;
    else ranges.push([op, op]);
  }
  const words = ranges.map(([first, last]) => first === last ? `${first}` : `${first}-${last}`);
  return words.length > 3 ? `${words.slice(0, 3).join(", ")} …` : words.join(", ") || "return";
}

/** A change that would help, and its saving. */
export function helpText({ kind, what, us, amount }: GapHelp): string {
  return kind === "l1"
    ? `${formatTime(us)}: ${formatBytes(amount)} more L1 per core at ${what}`
    : `${formatTime(us)}: without rule ${what}, which forces ${formatCount(amount)} ${
      amount === 1 ? "copy" : "copies"
    }`;
}
