// SPDX-License-Identifier: Apache-2.0
import { auditRun, type RunAudit } from "../../../sim/audit/run/audit_run.ts";
import { parseProfilerCsv } from "../../../sim/audit/run/profiler_csv.ts";
import { simulateGraph } from "../../../sim/timeline/simulate.ts";
import { EXIT, type ExitCode, type Invocation, UsageError } from "../../command.ts";
import { loadInput } from "../../load_input.ts";
import { type Envelope, jsonOutput } from "../../json_output.ts";
import { renderRunAudit } from "../../render/run_audit.ts";
import { styleOf } from "../../render/style.ts";

/** Runs `audit run`. */
export async function run({ host, positionals, options }: Invocation): Promise<ExitCode> {
  const [, file] = positionals;
  const profile = options.text("profile");
  if (file === undefined || profile === undefined) {
    throw new UsageError(
      "Cannot audit a run without its program and its profile: audit run MODEL.mlir --profile FILE",
    );
  }
  const workbench = await loadInput(host, options, file);
  const timeline = simulateGraph(workbench.binding.graph, undefined, workbench);
  const audit = auditRun(timeline, parseProfilerCsv(profile, await host.readText(profile)));
  host.stdout.write(
    options.flag("json")
      ? jsonOutput(documentOf([file, profile], audit))
      : renderRunAudit(audit, styleOf(host, options), host.stdout.columns),
  );
  return EXIT.ok;
}

function documentOf(input: readonly string[], audit: RunAudit): Envelope {
  const { schema, device, ops, classes, extra, missing, ...summary } = audit;
  const document = {
    schema,
    input,
    device,
    summary: { ops: ops.length, extra: extra.length, missing: missing.length, ...summary },
    ops,
    classes,
    extra,
    missing,
  };
  return document;
}
