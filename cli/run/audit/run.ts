// SPDX-License-Identifier: Apache-2.0
import { auditRun } from "../../../sim/audit/run/audit_run.ts";
import { parseProfilerCsv } from "../../../sim/audit/run/profiler_csv.ts";
import { simulateGraph } from "../../../sim/timeline/simulate.ts";
import { type ExitCode, type Invocation, UsageError } from "../../command.ts";
import { loadInput } from "../../load_input.ts";
import { printAnswer } from "../../print_answer.ts";
import { renderRunAudit } from "../../render/run_audit.ts";
import { runAuditJson } from "./run_audit_json.ts";

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
  const audit = auditRun(timeline, parseProfilerCsv(profile, await host.readText(profile)));
  return printAnswer(
    { host, options },
    () => runAuditJson(audit, [file, profile]),
    (style) => renderRunAudit(audit, style),
  );
}
