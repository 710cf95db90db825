// SPDX-License-Identifier: Apache-2.0
import type { TimeVerdict } from "../../sim/timeline/error_band.ts";
import type { UnpricedOp } from "../../sim/timeline/timeline.ts";
import type { PlanSummary } from "../../pipeline/plan_summary.ts";
import type {
  LocatedOp,
  MemoryVerdict,
  Misfit,
  RefusedOp,
  Shortage,
  UncheckedOp,
} from "../../lib/memory/memory_verdict.ts";
import { formatBytes, formatCount, plural } from "./format.ts";
import type { Style } from "./style.ts";

/** Number of named ops of each kind; the others are only counted. */
const OPS_NAMED = 5;

/**
 * The verdict in a few words: `fits by address`, `DOES NOT RUN (1 op)`, `DOES NOT FIT IN DRAM (1 op)`,
 * `UNCHECKED (3 ops)`.
 */
export function verdictText(verdict: MemoryVerdict): string {
  switch (verdict.status) {
    case "fits":
      return "fits by address";
    case "does_not_run":
      return `DOES NOT RUN (${plural(verdict.refusedOps.length, "op")})`;
    case "does_not_fit":
      return `DOES NOT FIT${fullMemory(verdict.misfits)} (${plural(verdict.misfits.length, "op")})`;
    case "unchecked":
      return `UNCHECKED (${plural(verdict.uncheckedOps.length, "op")})`;
  }
}

/** The full memories, unless only L1, because the verdict is shown next to the peak of L1. */
function fullMemory(misfits: readonly Misfit[]): string {
  const inDram = misfits.filter(({ memory }) => memory === "dram").length;
  if (inDram === 0) return "";
  return inDram === misfits.length ? " IN DRAM" : " IN L1 AND DRAM";
}

/** {@linkcode verdictText} in the colour of its severity. */
export function paintVerdict(verdict: MemoryVerdict, style: Style): string {
  return paintOfVerdict(verdict.status, style)(verdictText(verdict));
}

/** Why a program may not run that a plan is compared with; `undefined` if it runs. */
export function cannotRunText(
  status: Exclude<MemoryVerdict["status"], "fits"> | undefined,
  op: RefusedOp | UncheckedOp | undefined,
): string | undefined {
  if (status === undefined) return undefined;
  if (status === "does_not_fit") return "does not fit";
  const why = op === undefined ? "" : `: ${op.reason}`;
  return `${status === "does_not_run" ? "does not run" : "is not checked"}${why}`;
}

/** A program for comparison with the predicted time of a plan. */
export interface ComparedProgram {
  readonly name: string;
  /** The rest of its name, if it needs words. */
  readonly what: string;
  readonly us: number;
  readonly unknownTimes: readonly string[];
  /** The claim about the plan's time against this one. */
  readonly against: TimeVerdict;
  readonly status: Exclude<MemoryVerdict["status"], "fits"> | undefined;
  /** Why it may not run. */
  readonly why: string | undefined;
}

/**
 * The programs for comparison with a plan, always in this order: the input as written, then everything in
 * DRAM.
 */
export function comparedPrograms(summary: Omit<PlanSummary, "wallMs">): readonly ComparedProgram[] {
  const { asWritten, baselineStatus, baselineOp } = summary;
  return [
    ...asWritten === undefined ? [] : [{
      name: "as written",
      what: "",
      us: asWritten.us,
      unknownTimes: asWritten.unknownTimes ?? [],
      against: asWritten.against,
      status: asWritten.status,
      why: cannotRunText(asWritten.status, asWritten.op),
    }],
    {
      name: "in DRAM",
      what: ", the dram baseline",
      us: summary.baselineUs,
      unknownTimes: summary.unknownTimes ?? [],
      against: summary.againstBaseline,
      status: baselineStatus,
      why: cannotRunText(baselineStatus, baselineOp),
    },
  ];
}

/** Green, red or yellow, by severity. */
export function paintOfVerdict(status: MemoryVerdict["status"], style: Style): (text: string) => string {
  if (status === "fits") return style.green;
  return status === "unchecked" ? style.yellow : style.red;
}

/** `over the L1 budget by 12.0 KiB per core`. */
function describeShortage({ memory, kind, shortBytes }: Shortage): string {
  const missing = `${formatBytes(shortBytes)} per ${memory === "l1" ? "core" : "bank"}`;
  if (memory === "dram") return `DRAM is ${missing} short`;
  switch (kind) {
    case "too_large":
      return `its own buffers exceed the L1 budget by ${missing}, even with nothing else in L1; ` +
        "try other layouts, a smaller batch or, if it runs on all cores, a chip with more cores";
    case "over_budget":
      return `over the L1 budget by ${missing}`;
    case "circular_buffer_clash":
      return `circular buffers overlap tensors in L1 by ${missing}`;
    case "no_program":
      return "the backend finds no program for the L1 that is left";
    case "no_space":
      return `L1 is ${missing} short (no hole is large enough)`;
  }
}

/**
 * The first ops that do not run, then those that do not fit, one line each with the reason, and the number of
 * others.
 */
export function faultLines(
  { refusedOps, misfits }: Pick<MemoryVerdict, "refusedOps" | "misfits">,
): readonly string[] {
  const refused = (op: RefusedOp) => `${describeOp(op)} does not run: ${op.reason} (${op.rule})`;
  const short = (misfit: Misfit) => `${describeOp(misfit)} does not fit: ${describeShortage(misfit)}`;
  return [...lines(refusedOps, refused, "do not run"), ...lines(misfits, short, "do not fit")];
}

/** The first ops with unknown buffers, one line each with the reason, and the number of others. */
export function uncheckedLines({ uncheckedOps }: MemoryVerdict): readonly string[] {
  const unchecked = (op: UncheckedOp) => `${describeOp(op)} is not checked: ${op.reason} (${op.rule})`;
  return lines(uncheckedOps, unchecked, "are not checked");
}

/** The time of an op of which nobody knows what it launches, in a table. */
export const UNKNOWN_TIME = "unknown";

/** Warnings about ops without a predicted time. */
export function unpricedWarnings(unpriced: readonly UnpricedOp[]): string {
  return unpriced.map((op) =>
    `warning: time of ${describeOp(op)} is unknown and missing from the totals: ${op.reason}\n`
  ).join("");
}

/**
 * A total that lacks the unknown times of some ops; `undefined` if there are none.
 *
 * @param known the total in words
 * @param names of the ops
 */
export function timeWithUnknown(
  knownUs: number,
  known: string,
  names: readonly string[],
): string | undefined {
  if (names.length === 0) return undefined;
  const unknown = `unknown (time of ${names.join(", ")})`;
  return knownUs === 0 ? unknown : `${known} + ${unknown}`;
}

/** Every line as a warning, for standard error. */
export function verdictWarnings(verdict: MemoryVerdict): string {
  return [...faultLines(verdict), ...uncheckedLines(verdict)].map((line) => `warning: ${line}\n`).join("");
}

function lines<Finding>(
  findings: readonly Finding[],
  describe: (finding: Finding) => string,
  rest: string,
): readonly string[] {
  const more = findings.length - OPS_NAMED;
  return [
    ...findings.slice(0, OPS_NAMED).map(describe),
    ...(more > 0 ? [`${formatCount(more)} more ${more === 1 ? "op" : "ops"} ${rest}; --json lists all`] : []),
  ];
}

function describeOp({ name, op, function: functionName }: LocatedOp): string {
  return `${name} (op ${op} of @${functionName})`;
}
