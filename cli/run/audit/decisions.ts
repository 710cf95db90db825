// SPDX-License-Identifier: Apache-2.0
import { auditDecisions, decide } from "../../../sim/audit/audit_decisions.ts";
import { DECISIONS_HEADING, decisionSection } from "../../../sim/audit/decision_report.ts";
import { replaceSection } from "../../../sim/audit/markdown_section.ts";
import { getMeasuredDevice } from "../../../sim/microbenchmarks/measured_device.ts";
import { EXIT, type ExitCode, type Invocation } from "../../command.ts";
import { jsonOutput } from "../../json_output.ts";
import { renderDecisionAudit } from "../../render/cost_model_audit.ts";
import { styleOf } from "../../render/style.ts";
import { readData } from "./read_data.ts";

export async function run({ host, options }: Invocation): Promise<ExitCode> {
  const rows = await readData(host, options.texts("data"));
  const audit = auditDecisions(decide(rows, getMeasuredDevice), rows.unpaired);
  const folder = options.text("report");
  if (folder !== undefined) {
    const path = `${folder}/accuracy.md`;
    const page = replaceSection(await host.readText(path), DECISIONS_HEADING, decisionSection(audit));
    await host.writeText(path, page);
  }
  host.stdout.write(
    options.flag("json")
      ? jsonOutput({ ...audit, input: options.texts("data"), device: null, summary: { ...audit.summary } })
      : renderDecisionAudit(audit, styleOf(host, options)),
  );
  return EXIT.ok;
}
