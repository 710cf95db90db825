// SPDX-License-Identifier: Apache-2.0
import { nameOfLocation } from "../../lib/overrides/overrides.ts";
import { LOAD_CACHED } from "../../lib/ops/calls.ts";
import type { GraphChangeCount } from "../../pipeline/graph_changes.ts";
import type { MemoryVerdict } from "../../lib/memory/memory_verdict.ts";
import { BACKEND_REVISION } from "../../lib/opmodel/backend_revision.ts";
import type { CostClass } from "../../lib/ops/cost_class.ts";
import { definitionOf } from "../../lib/ops/op_book.ts";
import type { BackendAdvice } from "../../pipeline/backend_advice.ts";
import type { FreeAdvice } from "../../pipeline/free_advice.ts";
import type { PlanGap } from "../../pipeline/plan_gap.ts";
import type { TimeComparison, TimeVerdict } from "../../sim/timeline/error_band.ts";
import type { AssumptionUse } from "../../sim/timeline/timeline.ts";
import type { FittedCell } from "./fitted_table.ts";
import {
  comparisonText,
  formatChange,
  formatCount,
  formatMicroseconds,
  formatPercent,
  formatTime,
  plural,
  timeChange,
  timeOf,
} from "./format.ts";
import type { Style } from "./style.ts";
import { paintOfVerdict } from "./verdict.ts";

/** A time in µs, ms or s. */
export function microsecondsCell(microseconds: number): FittedCell {
  return { ...timeOf(microseconds), value: microseconds };
}

/** A figure in µs under a title that names the unit; `--csv` prints it whole. */
export function figureCell(microseconds: number): FittedCell {
  return { text: formatMicroseconds(microseconds), value: microseconds };
}

/** A figure in µs with its unit; `--csv` prints it whole. */
export function kernelTimeCell(microseconds: number): FittedCell {
  return { ...figureCell(microseconds), unit: "µs" };
}

/** A change of predicted time in words; coloured only if it exceeds the error. */
export function changeText(
  change: number,
  comparison: TimeComparison | undefined,
  style: Style | undefined,
): string {
  const isCalled = comparison !== undefined && comparison.verdict !== "too_close_to_call";
  const paint = style === undefined || !isCalled ? undefined : changeColour(change, style);
  const text = formatChange(change);
  return `${paint?.(text) ?? text}${comparison === undefined ? "" : `, ${comparisonText(comparison)}`}`;
}

/** The same if only the verdict is known. */
export function verdictChange(change: number, verdict: TimeVerdict, style: Style): string {
  const text = formatChange(change);
  if (verdict === "too_close_to_call") return `${text}, too close to call`;
  return `${changeColour(change, style)?.(text) ?? text}, ${verdict}`;
}

/** The predicted time of a plan against that of another program. */
export function againstCell(predictedUs: number, us: number, against: TimeVerdict, style: Style): FittedCell {
  const change = timeChange(predictedUs, us);
  const isCalled = against !== "too_close_to_call";
  return { text: formatChange(change), paint: isCalled ? changeColour(change, style) : style.dim };
}

/** Green for less time, red for more, none for equal. */
export function changeColour(change: number, style: Style): ((text: string) => string) | undefined {
  return change === 0 ? undefined : change < 0 ? style.green : style.red;
}

const VERDICTS: Readonly<Record<MemoryVerdict["status"], string>> = {
  fits: "yes",
  does_not_run: "NO",
  does_not_fit: "NO",
  unchecked: "unchecked",
};

/** The verdict as a cell of a column about fitting. */
export function verdictCell({ status }: MemoryVerdict, style: Style): FittedCell {
  return { text: VERDICTS[status], paint: paintOfVerdict(status, style) };
}

/** The gap of a plan in figures, if one was computed. */
export function gapCell({ gap, certificate }: PlanGap): string {
  if (certificate === undefined) return "–";
  return gap === undefined ? certificate : `${formatPercent(Math.max(0, gap))}, ${certificate}`;
}

/** The claim of a summary about the distance to the best plan. */
export function gapText(
  { gap, certificate, withOverrides, freeGap, configsSavedUs, uncheckedOps }: PlanGap,
): string {
  const free = freeGap === undefined
    ? ""
    : `; without them at most ${formatPercent(Math.max(0, freeGap))} above the best`;
  if (gap === undefined || certificate === "none") return `unknown: no bound holds for this plan${free}`;
  const allowed = `the op model of ${BACKEND_REVISION} allows${
    withOverrides === true ? " with these overrides" : ""
  }`;
  const configs = configsSavedUs === undefined
    ? ""
    : `, before op configs, which save ${formatTime(configsSavedUs)}`;
  const checked = uncheckedOps === undefined ? "" : `; ${plural(uncheckedOps, "op")} could not be checked`;
  return certificate === "exact"
    ? `none: no plan of the explored layouts that ${allowed} is faster${configs}${free}${checked}`
    : `at most ${
      formatPercent(gap)
    } above the best plan of the explored layouts that ${allowed}${configs}${free}${checked}`;
}

/** Number of listed freedoms: those with the greatest saving. */
const ADVICE_SHOWN = 3;

/**
 * Savings of further freedoms, a line each, with the plan to which they apply. `advise` decides anew with each, which
 * usually saves more.
 */
export function freeAdviceTexts(advice: readonly FreeAdvice[], predictedUs: number): readonly string[] {
  return advice.slice(0, ADVICE_SHOWN).map(({ savedUs, relativeError, numbers, option, changes }) => {
    const other = numbers === "same" ? "the same numbers" : "other numbers";
    const share = formatChange(predictedUs === 0 ? 0 : -savedUs / predictedUs);
    return `about ${formatTime(savedUs)} (${share}, ±${
      formatPercent(relativeError)
    } of it) with the rest of this plan as it is: ${option} (${changes}; ${other})`;
  });
}

/** Savings of settings that TTNN has no words for, a line each; `all` names those without a price as well. */
export function backendAdviceTexts(
  advice: readonly BackendAdvice[],
  predictedUs: number,
  which: "priced" | "all" = "priced",
): readonly string[] {
  return advice.flatMap(({ setting, what, ops, savedUs, relativeError = 0, unpriced }) => {
    const named = `${setting}, ${what} (${plural(ops, "op")})`;
    if (savedUs === undefined) {
      return which === "all"
        ? [`An expert may use ${named}, which TTNN cannot say; no price: ${unpriced ?? ""}`]
        : [];
    }
    const share = formatChange(predictedUs === 0 ? 0 : -savedUs / predictedUs);
    return [
      `An expert gains ${formatTime(savedUs)} (${share}, ±${
        formatPercent(relativeError)
      } of it) here that TTNN cannot say: ${named}`,
    ];
  });
}

/** Colours by cost class, as in tt-perf-report; other classes have none. */
const COLOURS: Readonly<Partial<Record<CostClass, "magenta" | "yellow" | "cyan" | "blue">>> = {
  matmul: "magenta",
  conv2d: "yellow",
  conv3d: "yellow",
  pool: "yellow",
  norm: "cyan",
  ccl: "cyan",
  sdpa: "blue",
  sdpa_decode: "blue",
  rotary: "blue",
  cache_update: "blue",
  heads: "blue",
};

/** The colour function of an op's name. */
export function familyColour(name: string, style: Style): (text: string) => string {
  const colour = COLOURS[definitionOf(name).costClass];
  return colour === undefined ? (text) => text : style[colour];
}

/** Assumptions of the times beyond the graph, with the options that change them. */
export function assumptionLines(assumptions: readonly AssumptionUse[]): readonly string[] {
  const [first] = assumptions;
  if (first === undefined) return [];
  const all = assumptions.map(({ supposed, option }) => `${supposed} (--${option})`).join(", ");
  return [`Assumed    for ${plural(first.ops, "op")}: ${all}`];
}

/** Most kinds of merged ops on the terminal; the JSON contains all. */
const MERGED_SHOWN = 4;

/** Ops that only convert, and ops that are told last. */
const CONVERSION = /\.(?:to_|from_|typecast)/;
const VIEW = /\.(?:reshape|permute|transpose|squeeze|unsqueeze|broadcast|repeat|full|zeros|constant)$/;

/** What became of ops of the input that no row shows: the pass and the op that took them in. */
export function mergedLines(changes: readonly GraphChangeCount[]): readonly string[] {
  const all = changes.flatMap(({ pass, merged = [] }) => merged.map((gone) => ({ ...gone, pass })))
    .filter(({ op, into }) => op !== into && !CONVERSION.test(op) && into !== LOAD_CACHED);
  const kinds = [...Map.groupBy(all, ({ op, into, pass }) => `${op} ${into} ${pass}`).values()]
    .toSorted(([a], [b]) => Number(VIEW.test(a?.op ?? "")) - Number(VIEW.test(b?.op ?? "")));
  const texts = kinds.slice(0, MERGED_SHOWN).flatMap((same) => {
    const [first] = same;
    if (first === undefined) return [];
    const { op, location, into, intoLocation = "", pass } = first;
    const one = same.length === 1;
    const gone = `${one ? "" : `${formatCount(same.length)} `}${shortOp(op, one ? location : "")}`;
    return `${gone} ${
      into === undefined ? "not needed" : `into ${shortOp(into, one ? intoLocation : "")}`
    } (${pass})`;
  });
  const more = kinds.length - texts.length;
  if (texts.length === 0) return [];
  return [`Merged     ${texts.join(", ")}${more === 0 ? "" : `, ${plural(more, "more kind")} in --json`}`];
}

/** An op by its short name and the name of its location. */
function shortOp(op: string, location: string): string {
  return `${op.replace(/^\w+\./, "")} ${nameOfLocation(location) ?? ""}`.trim();
}
