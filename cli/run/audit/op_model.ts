// SPDX-License-Identifier: Apache-2.0
import { auditOpModel, type AuditReport } from "../../../lib/opmodel/audit/audit.ts";
import { readExpectationRows } from "../../../lib/opmodel/audit/expectation_row.ts";
import { looksLikeAnswers } from "../../../pipeline/backend_answers/read_answers.ts";
import { chipDescription } from "../../../sim/devices/device.ts";
import { getDevice } from "../../../sim/devices/device_registry.ts";
import { type ExitCode, type Invocation, UsageError } from "../../command.ts";
import { printAnswer } from "../../print_answer.ts";
import { renderOpModelAudit } from "../../render/op_model_audit.ts";
import { auditAnswers } from "./backend_answers.ts";
import { parseJsonFile } from "./read_data.ts";

/** Runs `audit op-model`: on answers of the backend's current revision, or on the rows of November 2025. */
export async function run(invocation: Invocation): Promise<ExitCode> {
  const { host, options } = invocation;
  if (options.text("against") !== undefined) {
    // The code that queries the real backend, which the other audits do not need.
    const asked: typeof import("./against_backend.ts") = await import(
      "./against_backend.ts" satisfies string
    );
    return await asked.auditAgainstBackend(invocation);
  }
  const [file, ...rest] = options.texts("data");
  if (file === undefined) throw new UsageError("Option --data FILE is needed: it names the recorded answers");
  const text = await host.readText(file);
  if (looksLikeAnswers(text)) return await auditAnswers(invocation, [file, ...rest]);
  if (rest.length > 0) throw new UsageError("Option --data takes one file of rows of November 2025");
  const rows = readExpectationRows(file, parseJsonFile(file, text));
  const chip = chipDescription(getDevice(options.text("device") ?? "n150"));
  const report = auditOpModel(rows, chip);
  return printAnswer(
    { host, options },
    () => ({
      schema: "tilewright.audit-op-model/1",
      input: file,
      device: chip.name,
      summary: summaryOf(report),
      families: report.families,
      misses: report.misses,
    }),
    (style) => renderOpModelAudit(report, style),
  );
}

function summaryOf(report: AuditReport) {
  return {
    rows: report.rows,
    validAgree: report.validAgree,
    cbExact: report.cb.exact,
    cbRows: report.cb.rows,
    l1PeakExact: report.l1Peak.exact,
    l1PeakRows: report.l1Peak.rows,
    outputExact: report.output.exact,
    outputRows: report.output.rows,
    totalPeakExact: report.totalPeak.exact,
    totalPeakRows: report.totalPeak.rows,
  };
}
