// SPDX-License-Identifier: Apache-2.0
import { isFaulty } from "../lib/memory/memory_verdict.ts";
import type { DiffReport } from "./diff.ts";

/** Findings that a comparison may report about B. */
export const DIFF_FINDINGS = ["worse", "lost-sharding", "unfit"] as const;

export type DiffFinding = typeof DIFF_FINDINGS[number];

/**
 * Findings against B. `worse`: predicted to take longer by more than the threshold (by default: than the
 * error bands). `lost-sharding`: an op sharded in L1 in A is not in B. `unfit`: B does not run or fit, A
 * does.
 *
 * @param threshold share of A's time
 */
export function diffFindings(report: DiffReport, threshold: number | undefined): readonly DiffFinding[] {
  const { a, b, changes, relativeDelta = 0, comparison } = report;
  const found: Readonly<Record<DiffFinding, boolean>> = {
    worse: threshold === undefined ? comparison?.verdict === "slower" : relativeDelta > threshold,
    "lost-sharding": changes.some(({ sharding }) => sharding === "lost"),
    unfit: b.memory !== undefined && isFaulty(b.memory) && !(a.memory !== undefined && isFaulty(a.memory)),
  };
  return DIFF_FINDINGS.filter((name) => found[name]);
}

/** The figures of a comparison, each of A and of B. */
export function diffSummary(
  report: DiffReport,
  findings: readonly DiffFinding[],
): Readonly<Record<string, unknown>> {
  const { a, b, changes } = report;
  const count = (sharding: "lost" | "gained"): number =>
    changes.filter((change) => change.sharding === sharding).length;
  return {
    found: findings,
    matchedOps: report.matched,
    changedOps: changes.length,
    shardedOps: { a: a.shardedOps, b: b.shardedOps, lost: count("lost"), gained: count("gained") },
    l1ResidentOps: { a: a.l1ResidentOps, b: b.l1ResidentOps },
    reshards: { a: a.reshards, b: b.reshards },
    spills: { a: a.spills, b: b.spills },
    peakL1Bytes: { a: a.peakL1Bytes, b: b.peakL1Bytes },
    predictedUs: { a: a.totalUs, b: b.totalUs },
    deltaUs: report.deltaUs,
    relativeDelta: report.relativeDelta,
    comparison: report.comparison?.verdict,
    confidence: report.comparison?.confidence,
    deltaErrorUs: report.comparison?.errorUs,
    verdict: { a: a.memory, b: b.memory },
  };
}
