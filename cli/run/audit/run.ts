// SPDX-License-Identifier: Apache-2.0
import { readProfile } from "../../read_profile.ts";
import { auditRun, type RunAudit } from "../../../sim/audit/run/audit_run.ts";
import { simulateGraph } from "../../../sim/timeline/simulate.ts";
import { type ExitCode, type Invocation, UsageError } from "../../command.ts";
import { jsonOutput } from "../../json_output.ts";
import { loadInput } from "../../load_input.ts";
import { printAnswer } from "../../print_answer.ts";
import { largestErrors, renderRunAudit } from "../../render/run_audit.ts";

export async function run({ host, positionals, options }: Invocation): Promise<ExitCode> {
  const [, file] = positionals;
  const profile = options.text("profile");
  if (file === undefined || profile === undefined) {
    throw new UsageError(
      "Cannot audit a run without its program and its profile: audit run MODEL.mlir --profile FILE",
    );
  }
  const workbench = await loadInput({ host, options }, file);
  const timeline = simulateGraph(workbench.binding.graph, undefined, workbench);
  const audit = auditRun(timeline, await readProfile(host, profile));
  return printAnswer(
    { host, options },
    () => runAuditJson(audit, [file, profile]),
    (style) => renderRunAudit(audit, style),
  );
}

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
