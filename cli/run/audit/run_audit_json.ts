// SPDX-License-Identifier: Apache-2.0
import type { RunAudit } from "../../../sim/audit/run/audit_run.ts";
import { jsonOutput } from "../../json_output.ts";
import { largestErrors } from "../../render/run_audit.ts";

/** A measured run in JSON documents: totals, ops, classes, and ops that only one side has. */
export interface RunAuditParts extends Pick<RunAudit, "ops" | "classes" | "extra" | "missing"> {
  readonly summary: Readonly<Record<string, unknown>>;
}

/**
 * The fields of a run's audit in `tilewright.run-audit/1`, and in `tilewright.simulation/1` as `measured`.
 */
export function runAuditParts(audit: RunAudit): RunAuditParts {
  const { device: _, ops, classes, extra, missing, ...figures } = audit;
  const summary = { ops: ops.length, extra: extra.length, missing: missing.length, ...figures };
  return { summary, ops, classes, extra, missing };
}

/** A run beside its prediction as JSON, for `audit run` and `diff`, with at most `top` ops. */
export function runAuditJson(audit: RunAudit, input: readonly string[], top: number = Infinity): string {
  return jsonOutput({
    schema: "tilewright.run-audit/1",
    input,
    device: audit.device,
    ...runAuditParts(audit),
    ops: largestErrors(audit, top),
  });
}
