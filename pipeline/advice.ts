// SPDX-License-Identifier: Apache-2.0
import { isFaulty, type MemoryVerdict } from "../lib/memory/memory_verdict.ts";
import { DiagnosticError } from "../lib/diagnostics/diagnostic.ts";
import type { RelativeError } from "../lib/precision/product_error.ts";
import { compareTimes, type TimeComparison } from "../sim/timeline/error_band.ts";
import type { Timeline } from "../sim/timeline/timeline.ts";
import type { BackendAdvice } from "./backend_advice.ts";
import { comparedSteps } from "./compared_times.ts";
import type { FreeAdvice } from "./free_advice.ts";

/** The outcome of a run of `optimize`. */
export interface AdvisedRun {
  readonly timeline: Timeline;
  readonly verdict: MemoryVerdict;
  /** Estimated numeric error of the results; `undefined` if nothing runs on the device, or for an estimate ≥ 100 %. */
  readonly error: RelativeError | undefined;
  /** Savings of backend settings that TTNN IR lacks. */
  readonly backendAdvice: readonly BackendAdvice[];
  /** Savings of freedoms, with the plan's other layouts and configs unchanged. */
  readonly advice: readonly FreeAdvice[];
}

/**
 * Effect of a change on the computed values: `same` keeps formats, fidelities and accumulation (the order
 * of sums may differ); `estimated` has an error estimate, with exact sums; `unknown` has none.
 */
export type NumberChange = "same" | "estimated" | "unknown";

/** A change of options to try. */
export interface Change<Setting> {
  /** In words, such as `weights in bfp8`. */
  readonly what: string;
  readonly setting: Setting;
  /** Effect of the change on the computed values. */
  readonly numbers: NumberChange;
}

/** A change with its saving. */
export interface PricedChange<Setting> extends Change<Setting> {
  /** Predicted time of an inference with it, in µs. */
  readonly predictedUs: number;
  /** As {@linkcode AdvisedRun.error}. */
  readonly error: RelativeError | undefined;
  /** Comparison with the plan without it; `deltaUs` < 0 if it is faster. */
  readonly comparison: TimeComparison;
}

/** Tried changes by outcome; in `saving` (faster) and `others` (equal or slower) the greatest saving is first. */
export interface AdviceList<Setting> {
  readonly baseUs: number;
  /** As {@linkcode AdvisedRun.error}, without a change. */
  readonly baseError: RelativeError | undefined;
  /** As {@linkcode AdvisedRun.backendAdvice}, without a change. */
  readonly backendAdvice: readonly BackendAdvice[];
  /** As {@linkcode AdvisedRun.advice}, without a change. */
  readonly advice: readonly FreeAdvice[];
  readonly saving: readonly PricedChange<Setting>[];
  readonly others: readonly PricedChange<Setting>[];
  /** Changes with a plan that fails to run or fit, or without a spelling in the IR. */
  readonly faulty: readonly Change<Setting>[];
  /** Changes whose error is larger than allowed. */
  readonly inexact: readonly Change<Setting>[];
}

/**
 * Prices changes by running each. Combinations of two or more that save time are tried as well: all with
 * `numbers: "same"`, and all, if some are not `same`. Of two that `join` cannot combine, the one with the larger
 * saving is taken.
 *
 * @param decide decides with a setting; `undefined` is the plan without a change
 * @param isExact whether an error (`undefined`: unknown) is allowed; not for `same`
 * @param join both settings at once; `undefined` if they exclude each other
 */
export async function advise<Setting>(
  changes: readonly Change<Setting>[],
  decide: (change: Change<Setting> | undefined) => Promise<AdvisedRun>,
  isExact: (error: RelativeError | undefined) => boolean,
  join: (a: Setting, b: Setting) => Setting | undefined,
): Promise<AdviceList<Setting>> {
  const base = await decide(undefined);
  const before = comparedSteps(base.timeline);
  const faulty: Change<Setting>[] = [];
  const inexact: Change<Setting>[] = [];
  const tried: PricedChange<Setting>[] = [];
  const tryOut = async (change: Change<Setting>): Promise<void> => {
    const decided = await unlessRefused(decide(change));
    if (decided === undefined || isFaulty(decided.verdict)) return void faulty.push(change);
    const { timeline, error } = decided;
    const isAllowed = change.numbers === "same" ||
      isExact(change.numbers === "estimated" ? error : undefined);
    if (!isAllowed) return void inexact.push(change);
    const comparison = compareTimes(before, comparedSteps(timeline));
    tried.push({ ...change, predictedUs: timeline.inference.totalUs, error, comparison });
  };
  for (const change of changes) await tryOut(change);
  const single = bySaving(tried).filter(saves);
  const same = single.filter(({ numbers }) => numbers === "same");
  const kept = joined(same, join);
  const all = joined(single, join);
  if (kept !== undefined) await tryOut({ what: "together, same numbers", setting: kept, numbers: "same" });
  if (all !== undefined && single.length > same.length) {
    const isKnown = single.every(({ numbers }) => numbers !== "unknown");
    await tryOut({ what: "all together", setting: all, numbers: isKnown ? "estimated" : "unknown" });
  }
  const ranked = bySaving(tried);
  return {
    baseUs: base.timeline.inference.totalUs,
    baseError: base.error,
    backendAdvice: base.backendAdvice,
    advice: base.advice,
    saving: ranked.filter(saves),
    others: ranked.filter((advice) => !saves(advice)),
    faulty,
    inexact,
  };
}

/** A run; `undefined` if it throws a `DiagnosticError`, for example for an IR without such a spelling. */
async function unlessRefused(decided: Promise<AdvisedRun>): Promise<AdvisedRun | undefined> {
  try {
    return await decided;
  } catch (error) {
    if (error instanceof DiagnosticError) return undefined;
    throw error;
  }
}

function saves({ comparison: { deltaUs } }: Pick<PricedChange<unknown>, "comparison">): boolean {
  return deltaUs < 0;
}

function bySaving<Setting>(advice: readonly PricedChange<Setting>[]): readonly PricedChange<Setting>[] {
  return advice.toSorted((a, b) => a.comparison.deltaUs - b.comparison.deltaUs);
}

/**
 * The settings of changes at once, without those that `join` cannot add to the ones before; `undefined` if fewer
 * than two remain.
 *
 * @param changes greatest saving first
 */
function joined<Setting>(
  changes: readonly Change<Setting>[],
  join: (a: Setting, b: Setting) => Setting | undefined,
): Setting | undefined {
  let [setting] = changes.map((change) => change.setting);
  let count = setting === undefined ? 0 : 1;
  for (const change of changes.slice(1)) {
    const both = setting === undefined ? undefined : join(setting, change.setting);
    if (both === undefined) continue;
    setting = both;
    count++;
  }
  return count > 1 ? setting : undefined;
}
