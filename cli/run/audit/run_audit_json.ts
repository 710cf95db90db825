// SPDX-License-Identifier: Apache-2.0
import type { RunAudit } from "../../../sim/audit/run/audit_run.ts";
import { jsonOutput } from "../../json_output.ts";

/** A run beside its prediction as JSON: the same from `audit run` and from `diff`. */
export function runAuditJson(audit: RunAudit, input: readonly string[]): string {
  const { device, ops, classes, extra, missing, ...figures } = audit;
  const summary = {
    ops: ops.length,
    extra: extra.length,
    missing: missing.length,
    ...figures,
  };
  return jsonOutput({
    schema: "tilewright.run-audit/1",
    input,
    device,
    summary,
    ops,
    classes,
    extra,
    missing,
  });
}
