// SPDX-License-Identifier: Apache-2.0
import { isFaulty } from "../lib/memory/memory_verdict.ts";
import * as v from "valibot";
import { type DiagnosticError, errorText, inputError } from "../lib/diagnostics/diagnostic.ts";
import { DIFF_FINDINGS, type DiffFinding } from "./diff_findings.ts";
import { DECIDED_SUMMARY_SCHEMA, type PlanSummary } from "./plan_summary.ts";

/** Figures of a decided model without wall time: the same on every run and machine. */
export type BenchSummary = Omit<PlanSummary, "wallMs">;

/** One model decided with one policy. */
export interface BenchResult<Summary extends BenchSummary = PlanSummary> {
  /** File of the model as given. */
  readonly model: string;
  readonly policy: string;
  readonly device: string;
  readonly summary: Summary;
}

/** Geometric mean over the models, on each chip, of a policy's predicted time over that of the first policy. */
export interface PolicyMean {
  readonly policy: string;
  readonly timeAgainstFirst: number;
}

/** A model and policy whose result changed for the worse. */
export interface BenchChange {
  readonly model: string;
  readonly policy: string;
  readonly device: string;
  readonly found: readonly DiffFinding[];
  readonly before: BenchSummary;
  readonly after: BenchSummary;
}

/** Results compared with saved ones. */
export interface BenchComparison {
  /** Regressions. */
  readonly changes: readonly BenchChange[];
  /** Number of saved results for the same model, policy and device. */
  readonly compared: number;
}

/**
 * Means per chip over the models that every policy has decided and whose time is not zero, in the order in which
 * policies first appear; none if there is no such model.
 */
export function policyMeans(results: readonly BenchResult<BenchSummary>[]): readonly PolicyMean[] {
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
export function withoutWallTime(
  results: readonly BenchResult<BenchSummary>[],
): readonly BenchResult<BenchSummary>[] {
  return results.map((result) => ({ ...result, summary: v.parse(DECIDED_SUMMARY_SCHEMA, result.summary) }));
}

/** Results by model, in the order that a single run over all of them has: merged shards equal it. */
export function byModel<Summary extends BenchSummary>(
  results: readonly BenchResult<Summary>[],
): readonly BenchResult<Summary>[] {
  return results.toSorted((a, b) => a.model < b.model ? -1 : a.model > b.model ? 1 : 0);
}

const documentSchema: v.GenericSchema<unknown, { readonly results: readonly BenchResult<BenchSummary>[] }> = v
  .object({
    schema: v.literal("tilewright.bench/1"),
    results: v.array(
      v.object({
        model: v.string(),
        policy: v.string(),
        device: v.string(),
        summary: DECIDED_SUMMARY_SCHEMA,
      }),
    ),
  });

/**
 * Reads what `bench --save` wrote, or `bench --json` printed.
 *
 * @param file name to show in errors
 * @throws {DiagnosticError} if the text is not such a document
 */
export function parseBench(text: string, file: string): readonly BenchResult<BenchSummary>[] {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    throw invalid(file, `it is not JSON (${errorText(error)})`);
  }
  const parsed = v.safeParse(documentSchema, json);
  if (parsed.success) return parsed.output.results;
  const issue = parsed.issues[0];
  throw invalid(file, `at ${v.getDotPath(issue) ?? "the top"}: ${issue.message}`);
}

function invalid(file: string, reason: string): DiagnosticError {
  const message = `Cannot read results of bench from ${file}: ${reason}; give a file of 'bench --save'`;
  return inputError("bench/invalid", message);
}

/**
 * Results that became worse than the saved ones; models and policies without a saved result are left out.
 *
 * @param threshold share of the time before; without one, times count as worse outside their error bands
 */
export function compareBench(
  before: readonly BenchResult<BenchSummary>[],
  after: readonly BenchResult<BenchSummary>[],
  threshold: number | undefined,
): BenchComparison {
  const keyOf = ({ model, policy, device }: BenchResult<BenchSummary>): string =>
    [model, policy, device].join("|");
  const known = new Map(before.map((result) => [keyOf(result), result.summary]));
  const changes = after.flatMap((result): BenchChange[] => {
    const { model, policy, device, summary } = result;
    const old = known.get(keyOf(result));
    if (old === undefined) return [];
    const holds: Readonly<Record<DiffFinding, boolean>> = {
      worse: threshold === undefined
        // What both have in common of their errors shifts both alike.
        ? summary.predictedUs > old.predictedBand.upperUs
        : summary.predictedUs > old.predictedUs * (1 + threshold),
      "lost-sharding": summary.shardedOps < old.shardedOps,
      unfit: isFaulty(summary.verdict) && !isFaulty(old.verdict),
    };
    const found = DIFF_FINDINGS.filter((name) => holds[name]);
    return found.length === 0 ? [] : [{ model, policy, device, found, before: old, after: summary }];
  });
  return { changes, compared: after.filter((result) => known.has(keyOf(result))).length };
}
