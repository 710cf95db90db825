// SPDX-License-Identifier: Apache-2.0
import { inputError } from "../../../lib/diagnostics/diagnostic.ts";
import { combineErrors } from "../../timeline/error_band.ts";
import type { TimeBand, Timeline } from "../../timeline/timeline.ts";
import { errorStatistics, sum } from "../statistics.ts";
import { opCodeClass, type PairedBy, type PairedRun, pairRun, predictedSteps } from "./pair_run.ts";
import type { MeasuredStep } from "./profiler_csv.ts";

/** One op of a run beside its prediction. */
export interface RunOp {
  /** Line of the profile. */
  readonly line: number;
  /** Device operation as the profile names it. */
  readonly op: string;
  /** Op of the program. */
  readonly name: string;
  /** Function of the program, without `@`. */
  readonly function: string;
  /** Place in the steps of the function's timeline. */
  readonly step: number;
  /** Problem size for people. */
  readonly shape: string;
  readonly measuredUs: number;
  readonly predictedUs: number;
  /** `predicted / measured − 1`. */
  readonly error: number;
  /** Key of the pairing. */
  readonly by: PairedBy;
}

/** Ops of one class together. */
export interface RunClass {
  readonly name: string;
  readonly ops: number;
  readonly measuredUs: number;
  readonly predictedUs: number;
  /** Mean absolute relative error of the ops, unweighted. */
  readonly mape: number;
}

/** An op that one side has alone. */
export interface LoneOp {
  readonly op: string;
  readonly us: number;
  /** Line of the profile, or place in the program. */
  readonly at: string;
}

/** A user's own run beside the prediction. Device kernel times in µs. */
export interface RunAudit {
  /** Chip that predicted. */
  readonly device: string;
  /** In the order of the program. */
  readonly ops: readonly RunOp[];
  /** Most time first. */
  readonly classes: readonly RunClass[];
  /** µs of all measured ops, and of the paired ones. */
  readonly measuredUs: number;
  readonly pairedMeasuredUs: number;
  /** µs of all predicted ops, and of the paired ones. */
  readonly predictedUs: number;
  readonly pairedPredictedUs: number;
  /** Band of `pairedPredictedUs`. */
  readonly pairedBand: TimeBand;
  /** Mean absolute relative error of the paired ops; `null` without any. */
  readonly mape: number | null;
  /** Mean gap between device ops of the run in µs; `null` if the profile states none. */
  readonly measuredGapUs: number | null;
  /** How often the profile holds the program; the last run is compared. */
  readonly runs: number;
  /** Measured, but not predicted. */
  readonly extra: readonly LoneOp[];
  /** Predicted, but not measured. */
  readonly missing: readonly LoneOp[];
}

/**
 * Pairs a run with the simulation of its program.
 *
 * @throws {DiagnosticError} if the ops and shapes of the run are those of another program
 */
export function auditRun(timeline: Timeline, recorded: readonly MeasuredStep[]): RunAudit {
  const all = predictedSteps(timeline);
  const runs = runsIn(recorded, all.length);
  const measured = recorded.slice(recorded.length / runs * (runs - 1));
  const withLoad = pairRun(measured, all);
  // A run that was recorded behind its load has no op of const-eval functions.
  const hasLoad = withLoad.pairs.some(({ predicted: { role }, by }) => role === "once" && by !== "order");
  const predicted = hasLoad ? all : all.filter(({ role }) => role !== "once");
  const paired = hasLoad || predicted.length === all.length ? withLoad : pairRun(measured, predicted);
  requireSameProgram(paired, measured, predicted.length);
  const ops = opsOf(paired);
  // In front of a run's first op lies the host's pause between two runs.
  const gaps = measured.slice(1).flatMap(({ gapUs }) => gapUs ?? []);
  return {
    device: timeline.device,
    runs,
    ops,
    classes: classesOf(ops),
    measuredUs: sum(measured.map(({ us }) => us)),
    pairedMeasuredUs: sum(ops.map(({ measuredUs }) => measuredUs)),
    predictedUs: sum(predicted.map(({ step }) => step.deviceUs)),
    pairedPredictedUs: sum(ops.map(({ predictedUs }) => predictedUs)),
    pairedBand: combineErrors(paired.pairs.map(({ predicted: { step } }) => ({
      errorClass: step.costClass,
      microseconds: step.deviceUs,
      relativeError: step.estimate.relativeError,
      ownError: step.estimate.ownError,
    }))),
    mape: errorStatistics(ops.map(({ error }) => error))?.mape ?? null,
    measuredGapUs: gaps.length === 0 ? null : sum(gaps) / gaps.length,
    extra: paired.extra.map(({ opCode, us, line }) => ({ op: opCode, us, at: `line ${line}` })),
    missing: paired.missing.map(({ opCode, step, function: name, role }) => ({
      op: opCode,
      us: step.deviceUs,
      at: `@${name} op ${step.op}${role === "once" ? ", which runs once" : ""}`,
    })),
  };
}

/**
 * How often a profile holds one program: as many times as the same ops follow one another, if that leaves about as many of
 * them as the program has. Layers of a program repeat as well.
 *
 * @param ops of the program
 */
function runsIn(recorded: readonly MeasuredStep[], ops: number): number {
  const keys = recorded.map(({ opCode, input, output, problem }) =>
    JSON.stringify([opCode, input, output, problem])
  );
  let best = 1;
  for (let runs = 2; runs * LEAST_RUN <= keys.length; runs++) {
    const length = keys.length / runs;
    const isNearer = Math.abs(length - ops) < Math.abs(keys.length / best - ops);
    if (isNearer && Number.isInteger(length) && keys.every((key, at) => key === keys[at % length])) {
      best = runs;
    }
  }
  return best;
}

/** Least ops of a run that is told from its repetition. */
const LEAST_RUN = 2;

/** Least ops on each side for which a lack of pairs shows that the run is of another program. */
const TELLING_OPS = 5;

/** Share of the ops of the shorter side that must have a partner of the same shapes. */
const SAME_SHARE = 0.2;

function requireSameProgram(
  { pairs }: PairedRun,
  measured: readonly MeasuredStep[],
  predictedOps: number,
): void {
  const telling = measured.filter(({ input, problem }) => input !== undefined || problem !== undefined);
  const ops = Math.min(telling.length, predictedOps);
  const same = pairs.filter(({ by }) => by !== "order").length;
  if (ops < TELLING_OPS || same >= SAME_SHARE * ops) return;
  throw inputError(
    "profile/other-program",
    `Cannot compare with the profile: of its ${telling.length} ops ${same} have the kind and shapes of one of the ` +
      `${predictedOps} predicted ones, so that it is a run of another program, or of other shapes`,
  );
}

function opsOf({ pairs }: PairedRun): readonly RunOp[] {
  return pairs.map(({ measured, predicted, by }): RunOp => {
    // Profilers write whole nanoseconds.
    const predictedUs = Math.round(predicted.step.deviceUs * 1000) / 1000;
    return {
      line: measured.line,
      op: measured.opCode,
      name: predicted.step.name,
      function: predicted.function,
      step: predicted.step.index,
      shape: predicted.step.shape,
      measuredUs: measured.us,
      predictedUs,
      error: measured.us === predictedUs ? 0 : predictedUs / measured.us - 1,
      by,
    };
  });
}

function classesOf(ops: readonly RunOp[]): readonly RunClass[] {
  return [...Map.groupBy(ops, ({ op }) => opCodeClass(op))].map(([name, own]): RunClass => ({
    name,
    ops: own.length,
    measuredUs: sum(own.map(({ measuredUs }) => measuredUs)),
    predictedUs: sum(own.map(({ predictedUs }) => predictedUs)),
    mape: errorStatistics(own.map(({ error }) => error))?.mape ?? 0,
  })).sort((a, b) => b.measuredUs - a.measuredUs);
}
