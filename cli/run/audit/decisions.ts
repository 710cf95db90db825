// SPDX-License-Identifier: Apache-2.0
import { auditDecisions, decide } from "../../../sim/audit/audit_decisions.ts";
import { DECISIONS_HEADING, decisionSection } from "../../../sim/audit/accuracy_report.ts";
import { getMeasuredDevice } from "../../../sim/microbenchmarks/measured_device.ts";
import type { ExitCode, Invocation } from "../../command.ts";
import { printAnswer } from "../../print_answer.ts";
import { renderDecisionAudit } from "../../render/cost_model_audit.ts";
import { readData, writeSection } from "./read_data.ts";

export async function run(invocation: Invocation): Promise<ExitCode> {
  const input = invocation.options.texts("data");
  const rows = await readData(invocation.host, input);
  const audit = auditDecisions(decide(rows, getMeasuredDevice), rows.unpaired);
  await writeSection(invocation, DECISIONS_HEADING, decisionSection(audit));
  return printAnswer(
    invocation,
    () => ({ ...audit, input, device: null, summary: { ...audit.summary } }),
    (style) => renderDecisionAudit(audit, style),
  );
}
