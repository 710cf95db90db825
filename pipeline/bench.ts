// SPDX-License-Identifier: Apache-2.0
import { isFaulty } from "../lib/memory/memory_verdict.ts";
import * as v from "valibot";
import { type DiagnosticError, inputError } from "../lib/diagnostics/diagnostic.ts";
import { readJson, validated } from "../lib/diagnostics/read_json.ts";
import { DIFF_FINDINGS, type DiffFinding } from "./diff_findings.ts";
import type { PlanDocument } from "./plan_document.ts";
import { type PlanSummary, SAVED_SUMMARY_SCHEMA, type SavedSummary } from "./plan_summary.ts";

/** One model decided with one policy. */
export interface BenchResult<Summary extends SavedSummary = PlanSummary> {
  /** File of the model as given. */
  readonly model: string;
  readonly policy: string;
  readonly device: string;
  readonly summary: Summary;
  /** Absent in results of older versions. */
  readonly ops?: readonly BenchOp[];
}

/** A result without wall time, as files keep it; those of this run have it as well. */
export type SavedResult = BenchResult<SavedSummary>;

/** An op of a plan, as results name it. */
export interface BenchOp {
  readonly function: string;
  readonly id: number;
  readonly name: string;
  /** Text of its location, `""` when it has none. */
  readonly location: string;
  /** Layout of its first result that is sharded in L1, else of the first; `""` without results. */
  readonly layout: string;
  /** Predicted time with its gap and the copies made for it. */
  readonly us: number;
}

/** The ops of a plan as results list them. */
export function benchOps({ ops }: Pick<PlanDocument, "ops">): readonly BenchOp[] {
  return ops.map(({ function: fn, id, name, location, after, conversions, us }) => ({
    function: fn,
    id,
    name,
    location,
    layout: after.find(isShardedInL1) ?? after[0] ?? "",
    us: conversions.reduce((sum, conversion) => sum + conversion.us, us),
  }));
}

function isShardedInL1(layout: string): boolean {
  return /^l1\/.*_sharded/.test(layout);
}

/** An op before and after a change; one of them is `undefined` if the op is new or gone. */
export interface BenchOpChange {
  readonly before: BenchOp | undefined;
  readonly after: BenchOp | undefined;
}

/** Ops matched by function, name and location; ops that share these, in order. */
function pairOps(before: readonly BenchOp[], after: readonly BenchOp[]): readonly BenchOpChange[] {
  const keyOf = ({ function: fn, name, location }: BenchOp): string => `${fn}|${name}|${location}`;
  const waiting = Map.groupBy(after, keyOf);
  const pairs = before.map((op): BenchOpChange => ({ before: op, after: waiting.get(keyOf(op))?.shift() }));
  const fresh = [...waiting.values()].flat();
  return [...pairs, ...fresh.map((op): BenchOpChange => ({ before: undefined, after: op }))];
}

/** Most ops that a change names as slower. */
const SLOWER_NAMED = 5;

/** Least share of the time that all slower ops lost, for an op to be named. */
const SLOWER_SHARE = 0.01;

/** Ops that became worse. */
export interface WorseOps {
  /** Ops that were sharded in L1 and are no longer, or are gone. */
  readonly lost: readonly BenchOpChange[];
  /** The ops that lost most time, largest loss first; new ones lose all of theirs. */
  readonly slower: readonly BenchOpChange[];
}

/** The ops of a plan that became worse. */
export function worseOps(before: readonly BenchOp[], after: readonly BenchOp[]): WorseOps {
  const pairs = pairOps(before, after);
  const loss = ({ before, after }: BenchOpChange): number => (after?.us ?? 0) - (before?.us ?? 0);
  const slower = pairs.filter((pair) => loss(pair) > 0).toSorted((a, b) => loss(b) - loss(a));
  const least = SLOWER_SHARE * slower.reduce((sum, pair) => sum + loss(pair), 0);
  return {
    lost: pairs.filter(({ before, after }) =>
      before !== undefined && isShardedInL1(before.layout) &&
      (after === undefined || !isShardedInL1(after.layout))
    ),
    slower: slower.filter((pair) => loss(pair) >= least).slice(0, SLOWER_NAMED),
  };
}

/** Geometric mean over models and chips of a policy's predicted time over that of the first policy. */
export interface PolicyMean {
  readonly policy: string;
  readonly timeAgainstFirst: number;
}

/** A model and policy with a worse result. */
export interface BenchChange extends WorseOps {
  readonly model: string;
  readonly policy: string;
  readonly device: string;
  readonly found: readonly DiffFinding[];
  readonly before: SavedSummary;
  readonly after: SavedSummary;
}

/** Results compared with saved ones. */
export interface BenchComparison {
  /** Regressions. */
  readonly changes: readonly BenchChange[];
  /** Number of results of this run that have a saved one. */
  readonly compared: number;
}

/**
 * One mean per policy over all models and chips that every policy has decided with a time above zero, in the order in
 * which policies first appear; none if there is no such model.
 */
export function policyMeans(results: readonly SavedResult[]): readonly PolicyMean[] {
  const names = [...new Set(results.map(({ policy }) => policy))];
  const [first = ""] = names;
  const timesOf = [...Map.groupBy(results, ({ model, device }) => `${device} ${model}`).values()].map((own) =>
    new Map(own.map(({ policy, summary }) => [policy, summary.predictedUs]))
  ).filter((times) => times.size === names.length && [...times.values()].every((us) => us > 0));
  if (timesOf.length === 0) return [];
  return names.map((policy) => {
    const logarithms = timesOf.reduce(
      (sum, times) => sum + Math.log((times.get(policy) ?? NaN) / (times.get(first) ?? NaN)),
      0,
    );
    return { policy, timeAgainstFirst: Math.exp(logarithms / timesOf.length) };
  });
}

/** Results without wall time and with keys in a fixed order: the same decisions give the same bytes. */
export function withoutWallTime(results: readonly SavedResult[]): readonly SavedResult[] {
  return results.map((result) => {
    const { wallMs: _, ...summary }: SavedSummary & Partial<PlanSummary> = v.parse(
      SAVED_SUMMARY_SCHEMA,
      result.summary,
    );
    return { ...result, summary };
  });
}

/** Results by model, in the order that a single run over all of them has: merged shards equal it. */
export function byModel<Summary extends SavedSummary>(
  results: readonly BenchResult<Summary>[],
): readonly BenchResult<Summary>[] {
  return results.toSorted((a, b) => a.model < b.model ? -1 : a.model > b.model ? 1 : 0);
}

const documentSchema: v.GenericSchema<unknown, { readonly results: readonly SavedResult[] }> = v
  .object({
    schema: v.literal("tilewright.bench/1"),
    results: v.array(
      v.object({
        model: v.string(),
        policy: v.string(),
        device: v.string(),
        summary: SAVED_SUMMARY_SCHEMA,
        ops: v.exactOptional(v.array(v.object({
          function: v.string(),
          id: v.number(),
          name: v.string(),
          location: v.string(),
          layout: v.string(),
          us: v.number(),
        }))),
      }),
    ),
  });

/**
 * Reads what `bench --save` wrote, or `bench --json` printed.
 *
 * @param file name to show in errors
 * @throws {DiagnosticError} if the text is not such a document
 */
export function parseBench(text: string, file: string): readonly SavedResult[] {
  const refuse = (reason: string): DiagnosticError =>
    inputError(
      "bench/invalid",
      `Cannot read results of bench from ${file}: ${reason}; give a file of 'bench --save'`,
    );
  return validated(documentSchema, readJson(text, refuse), refuse).results;
}

/**
 * Results that became worse than the saved ones; models and policies without a saved result are left out.
 *
 * @param threshold share of the time before; without one, times count as worse outside their error bands
 */
export function compareBench(
  before: readonly SavedResult[],
  after: readonly SavedResult[],
  threshold: number | undefined,
): BenchComparison {
  const keyOf = ({ model, policy, device }: SavedResult): string => [model, policy, device].join("|");
  const known = new Map(before.map((result) => [keyOf(result), result]));
  const changes = after.flatMap((result): BenchChange[] => {
    const { model, policy, device, summary } = result;
    const saved = known.get(keyOf(result));
    if (saved === undefined) return [];
    const { summary: old } = saved;
    const holds: Readonly<Record<DiffFinding, boolean>> = {
      worse: threshold === undefined
        // Errors common to both shift both equally.
        ? summary.predictedUs > old.predictedBand.upperUs
        : summary.predictedUs > old.predictedUs * (1 + threshold),
      "lost-sharding": summary.shardedOps < old.shardedOps,
      unfit: isFaulty(summary.verdict) && !isFaulty(old.verdict),
    };
    const found = DIFF_FINDINGS.filter((name) => holds[name]);
    const { lost, slower } = worseOps(saved.ops ?? [], saved.ops === undefined ? [] : result.ops ?? []);
    return found.length === 0
      ? []
      : [{ model, policy, device, found, before: old, after: summary, lost, slower }];
  });
  return { changes, compared: after.filter((result) => known.has(keyOf(result))).length };
}
