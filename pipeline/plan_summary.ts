// SPDX-License-Identifier: Apache-2.0
import { L1_FAILURE_KINDS } from "../lib/memory/l1_timeline.ts";
import type { BackendAdvice } from "./backend_advice.ts";
import type { FreeAdvice } from "./free_advice.ts";
import * as v from "valibot";
import {
  type MemoryVerdict,
  memoryVerdict,
  type RefusedOp,
  type UncheckedOp,
} from "../lib/memory/memory_verdict.ts";
import { compareTimes, type TimeVerdict } from "../sim/timeline/error_band.ts";
import type { AssumptionUse, TimeBand, Timeline } from "../sim/timeline/timeline.ts";
import { comparedSteps } from "./compared_times.ts";
import type { PlanGap } from "./plan_gap.ts";

/** The input as written, for comparison with a plan. */
export interface WrittenSummary {
  /** Predicted time of one inference, in µs. */
  readonly us: number;
  /** Verdict, unless it fits; the time is then that of a program that cannot run. */
  readonly status?: Exclude<MemoryVerdict["status"], "fits">;
  /** The first op that does not run or cannot be checked, if the status says so. */
  readonly op?: RefusedOp | UncheckedOp;
  /** Names of the ops whose time is unknown; absent if there are none. */
  readonly unknownTimes?: readonly string[];
  /** The claim that the predicted times allow about the plan against the input. */
  readonly against: TimeVerdict;
}

/** Figures of a whole plan. Times are of one inference, without const-eval and CPU functions. */
export interface PlanSummary extends PlanGap {
  /**
   * Ops of the input that run in an inference, views included; without loads of const-eval results and
   * inserted copies.
   */
  readonly ops: number;
  /** Predicted time of one inference, gaps included, in µs. */
  readonly predictedUs: number;
  /** Names of the ops whose time is unknown and missing from the predicted one; absent if there are none. */
  readonly unknownTimes?: readonly string[];
  /** Band of the predicted time, in µs. */
  readonly predictedBand: TimeBand;
  /** The µs of it outside the measured range. */
  readonly extrapolatedUs: number;
  /** The input as written, before graph passes; absent for TTIR, which is no program of the device. */
  readonly asWritten?: WrittenSummary;
  /** Predicted time of the `dram` policy on the same graph, in µs. */
  readonly baselineUs: number;
  /**
   * Verdict of the `dram` policy's plan, unless it fits: an op cannot run on layouts as written, or DRAM is
   * full. Its time is then that of a program that cannot run.
   */
  readonly baselineStatus?: Exclude<MemoryVerdict["status"], "fits">;
  /**
   * An op of the baseline that does not run or cannot be checked, with the reason, if the status says so: the
   * first one that the plan runs differently, otherwise the first. If the input breaks a rule, the plan adds
   * copies that the baseline lacks, so it may take longer.
   */
  readonly baselineOp?: RefusedOp | UncheckedOp;
  /** The claim that the predicted time allows against the baseline's. */
  readonly againstBaseline: TimeVerdict;
  /** Predicted time of the work at load (const-eval), in µs; no part of `predictedUs`. */
  readonly loadUs: number;
  /** Why the search ended with this plan, in sentences; absent for policies that do not search in steps. */
  readonly reasons?: readonly string[];
  /** Savings of further freedoms, greatest first; absent if none is large enough. */
  readonly advice?: readonly FreeAdvice[];
  /** Savings of settings that TTNN has no words for, greatest first; absent if none concerns the plan. */
  readonly backendAdvice?: readonly BackendAdvice[];
  /** Ops with a result in L1, without memory ops. */
  readonly l1ResidentOps: number;
  /** Ops of these with a result that is sharded in L1. */
  readonly shardedOps: number;
  /** Inserted copies except spills: also reloads and copies for `return`. */
  readonly reshards: number;
  /** Tensors moved out of L1 for lack of room: by copies to DRAM, or by producing them there. */
  readonly spills: number;
  /** Bytes per core, tensors and circular buffers together. */
  readonly peakL1Bytes: number;
  /** Bytes per core available to a plan. */
  readonly l1BudgetBytes: number;
  /** Most bytes of a function in one bank of DRAM. */
  readonly peakDramBytes: number;
  /** Bytes of one bank of DRAM available to tensors. */
  readonly dramBankBytes: number;
  /**
   * Whether it fits, by address, on the graph read back from the rewritten text; op ids are those of that
   * text, in which the inserted copies are ops.
   */
  readonly verdict: MemoryVerdict;
  /** Assumptions of the predicted time beyond the graph. */
  readonly assumptions: readonly AssumptionUse[];
  /** Op model queries during the decision, including cached ones. */
  readonly opModelQueries: number;
  /** Sums of the functions' {@linkcode FunctionPlan.counters}; empty for policies without counters. */
  readonly counters: Readonly<Record<string, number>>;
  /** Wall time of the decision, in ms; the only figure that differs between runs. */
  readonly wallMs: number;
}

/** The summary of the input as written. */
export function writtenSummary(written: Timeline, plan: Timeline): WrittenSummary {
  const { verdict, inference } = written;
  const { status } = verdict;
  const [op] = opsBehind(status, verdict);
  return {
    us: inference.totalUs,
    ...(status === "fits" ? {} : { status }),
    ...(op === undefined ? {} : { op }),
    ...unknownTimesOf(written),
    against: compareTimes(comparedSteps(written), comparedSteps(plan)).verdict,
  };
}

/** The ops for which a verdict has a status, if it names any. */
function opsBehind(
  status: MemoryVerdict["status"],
  { refusedOps, uncheckedOps }: MemoryVerdict,
): readonly (RefusedOp | UncheckedOp)[] {
  return status === "does_not_run" ? refusedOps : status === "unchecked" ? uncheckedOps : [];
}

/** The fields of a summary that name the ops whose time is missing from its total. */
export function unknownTimesOf({ unpriced }: Timeline): Pick<PlanSummary, "unknownTimes"> {
  const names = [...new Set(unpriced.map(({ name }) => name))];
  return names.length === 0 ? {} : { unknownTimes: names };
}

/**
 * The fields of a summary that state whether the baseline can run, and the first op for which it cannot that the plan
 * runs differently, else the first.
 *
 * @param plan the timeline compared with it, on the same graph
 */
export function baselineStatus(
  { verdict }: Timeline,
  plan: Timeline,
): Pick<PlanSummary, "baselineStatus" | "baselineOp"> {
  const { status } = verdict;
  if (status === "fits") return {};
  const ops = opsBehind(status, verdict);
  const ofPlan = opsBehind(status, plan.verdict);
  const isOfPlan = ({ function: name, op }: RefusedOp | UncheckedOp): boolean =>
    ofPlan.some((other) => other.function === name && other.op === op);
  const baselineOp = ops.find((op) => !isOfPlan(op)) ?? ops[0];
  return { baselineStatus: status, ...(baselineOp === undefined ? {} : { baselineOp }) };
}

const locatedOp = { function: v.string(), op: v.number(), name: v.string(), location: v.string() };

const ruledOp = v.object({ ...locatedOp, rule: v.string(), reason: v.string() });

const verdictSchema: v.GenericSchema<unknown, MemoryVerdict> = v.pipe(
  v.object({
    status: v.picklist(["fits", "does_not_run", "does_not_fit", "unchecked"]),
    refusedOps: v.array(ruledOp),
    misfits: v.array(v.object({
      ...locatedOp,
      memory: v.picklist(["l1", "dram"]),
      kind: v.picklist(L1_FAILURE_KINDS),
      shortBytes: v.number(),
    })),
    uncheckedOps: v.array(ruledOp),
  }),
  v.transform((found) => memoryVerdict(found)),
);

const timeVerdictSchema = v.picklist(["faster", "slower", "too_close_to_call"]);

/** The figures of a summary that are read again from a document; it keeps the others as they stand. */
export type SavedSummary =
  & Pick<PlanSummary, "ops" | "predictedUs" | "predictedBand" | "extrapolatedUs" | "baselineUs">
  & Pick<PlanSummary, "againstBaseline" | "l1ResidentOps" | "shardedOps" | "reshards" | "spills">
  & Pick<PlanSummary, "peakL1Bytes" | "verdict" | "gap" | "opModelQueries" | "counters">
  & { readonly asWritten?: Pick<WrittenSummary, "us" | "against"> };

/** The summary of a document that was saved. */
export const SAVED_SUMMARY_SCHEMA: v.GenericSchema<unknown, SavedSummary> = v.looseObject({
  ops: v.number(),
  predictedUs: v.number(),
  // Documents of 0.1 have one interval.
  predictedBand: v.pipe(
    v.object({
      lowerUs: v.number(),
      upperUs: v.number(),
      lower90Us: v.exactOptional(v.number()),
      upper90Us: v.exactOptional(v.number()),
    }),
    v.transform(({ lowerUs, upperUs, lower90Us = lowerUs, upper90Us = upperUs }): TimeBand => ({
      lowerUs,
      upperUs,
      lower90Us,
      upper90Us,
    })),
  ),
  // Documents of 0.1 lack these two.
  extrapolatedUs: v.optional(v.number(), 0),
  asWritten: v.exactOptional(v.looseObject({ us: v.number(), against: timeVerdictSchema })),
  baselineUs: v.number(),
  againstBaseline: timeVerdictSchema,
  l1ResidentOps: v.number(),
  shardedOps: v.number(),
  reshards: v.number(),
  spills: v.number(),
  peakL1Bytes: v.number(),
  verdict: verdictSchema,
  gap: v.exactOptional(v.number()),
  opModelQueries: v.number(),
  counters: v.record(v.string(), v.number()),
});
