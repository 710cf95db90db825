// SPDX-License-Identifier: Apache-2.0
import { auditOpModel, type AuditReport } from "../../../lib/opmodel/audit/audit.ts";
import { readExpectationRows } from "../../../lib/opmodel/audit/expectation_row.ts";
import { chipDescription } from "../../../sim/devices/device.ts";
import { getDevice } from "../../../sim/devices/device_registry.ts";
import { EXIT, type ExitCode, type Invocation, UsageError } from "../../command.ts";
import { renderOpModelAudit } from "../../render/op_model_audit.ts";
import { styleOf } from "../../render/style.ts";
import { parseJsonFile } from "./parse_json_file.ts";
import { jsonOutput } from "../../json_output.ts";

/** Runs `audit op-model`. */
export async function run({ host, options }: Invocation): Promise<ExitCode> {
  const [file, ...rest] = options.texts("data");
  if (file === undefined || rest.length > 0) {
    throw new UsageError("Option --data FILE is needed, once: it names the recorded answers");
  }
  const rows = readExpectationRows(file, parseJsonFile(file, await host.readText(file)));
  const chip = chipDescription(getDevice(options.text("device") ?? "n150"));
  const report = auditOpModel(rows, chip);
  if (options.flag("json")) {
    host.stdout.write(jsonOutput({
      schema: "tilewright.audit-op-model/1",
      input: file,
      device: chip.name,
      summary: summaryOf(report),
      families: report.families,
      misses: report.misses,
    }));
    return EXIT.ok;
  }
  host.stdout.write(renderOpModelAudit(report, styleOf(host, options), host.stdout.columns));
  return EXIT.ok;
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
