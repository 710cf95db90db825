// SPDX-License-Identifier: Apache-2.0
import type { MeasuredDeviceLookup } from "../microbenchmarks/measured_device.ts";
import { compareTimes, type TimeVerdict, type UncertainTime } from "../timeline/error_band.ts";
import { predictRow } from "./audit_cost_model.ts";
import { type MeasuredPair, measuredPairs } from "./measured_pairs.ts";
import { errorOfRow } from "./interval_coverage.ts";
import { accuracyClassOf, type RowExclusion, type RowModel } from "./row_model.ts";
import { quantile } from "./statistics.ts";

/** Two runs that differ by more than this share of the shorter one differ beyond measurement noise. */
const FAR_APART = 0.1;

/** A pair with its prediction. */
export interface PredictedPair {
  /** The two runs and their difference. */
  readonly pair: MeasuredPair;
  /** Predicted time of `pair.a` over that of `pair.b`. */
  readonly predictedRatio: number;
  /** The claim about `pair.a` compared with `pair.b`. */
  readonly verdict: TimeVerdict;
  /** Probability that the order is right, as claimed. */
  readonly confidence: number;
}

/** Shares of pairs that are more than {@linkcode FAR_APART} apart. */
export interface DecisionShares {
  /** How many there are. */
  readonly pairs: number;
  /** The faster of the two is predicted to be faster; equal predictions are not right. */
  readonly right: number;
  /** Reported as too close to call. */
  readonly tooClose: number;
  /** The slower one is claimed to be faster. */
  readonly confidentlyWrong: number;
  /** Median of `|predicted ratio / measured ratio − 1|`. */
  readonly medianRatioError: number;
}

/** Claims of one range of confidence, over all pairs. */
export interface ConfidenceBin {
  /** Least confidence of the range. */
  readonly from: number;
  /** Confidence that the range ends below; 1 included. */
  readonly to: number;
  /** Pairs whose order is claimed with such confidence. */
  readonly pairs: number;
  /** Mean of the confidence claimed. */
  readonly claimed: number;
  /** Share of these pairs whose order is right. */
  readonly right: number;
  /** Both shares where the pairs of every family together weigh as much as those of any other; `null` without pairs. */
  readonly familiesAlike: { readonly claimed: number; readonly right: number } | null;
}

/** The document of `audit decisions --json`. Everything but counts is a share: 0.95 is 95 %. */
export interface DecisionAudit {
  /** Changes when older documents would be misread. */
  readonly schema: "tilewright.decision-audit/1";
  /** Over all families. */
  readonly summary: DecisionShares;
  /** By name. */
  readonly families: readonly (DecisionShares & { readonly name: string })[];
  /** Reliability of claims, least confidence first. */
  readonly calibration: readonly ConfidenceBin[];
  /** Pairs that a file names and that cannot be predicted, with why. */
  readonly leftOut: readonly { readonly family: string; readonly device: string; readonly reason: string }[];
}

/** Bounds of the ranges of confidence; half of all orders are right by chance. */
const BINS: readonly number[] = [0.5, 0.7, 0.9, 0.99, 1];

/** Predicts both runs of every pair: those that a file names, and those among its rows; and the resulting claims. */
export function decide(
  { models, pairs }: { readonly models: readonly RowModel[]; readonly pairs?: readonly MeasuredPair[] },
  devices: MeasuredDeviceLookup,
): readonly PredictedPair[] {
  const predicted = new Map<RowModel, number>();
  const timeOf = (row: RowModel): number =>
    predicted.getOrInsertComputed(row, () => predictRow(row, devices));
  return [...pairs ?? [], ...measuredPairs(models)].map((pair): PredictedPair => {
    const part = (row: RowModel): UncertainTime => ({
      errorClass: accuracyClassOf(row) ?? row.group,
      microseconds: timeOf(row),
      ...errorOfRow(row, timeOf(row), devices),
    });
    const { verdict, confidence } = compareTimes([part(pair.b)], [part(pair.a)]);
    return { pair, predictedRatio: timeOf(pair.a) / timeOf(pair.b), verdict, confidence };
  });
}

/** Computes how often the faster of two measured runs is predicted to be faster, and how reliable claims are. */
export function auditDecisions(
  decisions: readonly PredictedPair[],
  unpaired: readonly RowExclusion[] = [],
): DecisionAudit {
  const families = [...new Set(decisions.map(({ pair }) => pair.family))].sort();
  return {
    schema: "tilewright.decision-audit/1",
    summary: sharesOf(decisions),
    families: families.map((name) => ({
      name,
      ...sharesOf(decisions.filter(({ pair }) => pair.family === name)),
    })),
    calibration: BINS.slice(0, -1).map((from, index) => binOf(decisions, from, BINS[index + 1] ?? 1)),
    leftOut: unpaired.map(({ group, device, reason }) => ({ family: group, device, reason })),
  };
}

function sharesOf(decisions: readonly PredictedPair[]): DecisionShares {
  const far = decisions.filter(({ pair: { measuredRatio } }) =>
    Math.max(measuredRatio, 1 / measuredRatio) > 1 + FAR_APART
  );
  const share = (holds: (decision: PredictedPair) => boolean) =>
    far.length === 0 ? 0 : far.filter(holds).length / far.length;
  const errors = far.map(({ pair, predictedRatio }) => Math.abs(predictedRatio / pair.measuredRatio - 1));
  return {
    pairs: far.length,
    right: share(isRight),
    tooClose: share(({ verdict }) => verdict === "too_close_to_call"),
    confidentlyWrong: share((decision) => decision.verdict !== "too_close_to_call" && !isRight(decision)),
    medianRatioError: errors.length === 0 ? 0 : quantile(errors.toSorted((a, b) => a - b), 0.5),
  };
}

function isRight({ pair: { measuredRatio }, predictedRatio }: PredictedPair): boolean {
  return predictedRatio !== 1 && (predictedRatio < 1) === (measuredRatio < 1);
}

function binOf(decisions: readonly PredictedPair[], from: number, to: number): ConfidenceBin {
  const inside = decisions.filter(({ predictedRatio, confidence }) =>
    predictedRatio !== 1 && confidence >= from && (confidence < to || to === 1)
  );
  const pairsOf = new Map<string, number>();
  for (const { pair: { family } } of decisions) pairsOf.set(family, (pairsOf.get(family) ?? 0) + 1);
  const shares = (weightOf: (decision: PredictedPair) => number) => {
    const weights = inside.reduce((sum, decision) => sum + weightOf(decision), 0);
    const mean = (valueOf: (decision: PredictedPair) => number) =>
      weights === 0 ? 0 : inside.reduce((sum, each) => sum + weightOf(each) * valueOf(each), 0) / weights;
    return { claimed: mean(({ confidence }) => confidence), right: mean((each) => isRight(each) ? 1 : 0) };
  };
  return {
    from,
    to,
    pairs: inside.length,
    ...shares(() => 1),
    familiesAlike: inside.length === 0
      ? null
      : shares(({ pair: { family } }) => 1 / (pairsOf.get(family) ?? 1)),
  };
}
