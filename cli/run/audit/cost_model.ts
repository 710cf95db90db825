// SPDX-License-Identifier: Apache-2.0
import { auditDecisions, decide } from "../../../sim/audit/audit_decisions.ts";
import { accuracyReport } from "../../../sim/audit/accuracy_report.ts";
import { auditCostModel, type HeldOutErrors } from "../../../sim/audit/audit_cost_model.ts";
import { crossValidate, type HoldOut } from "../../../sim/calibrate/cross_validation.ts";
import { CALIBRATION_TASKS } from "../../../sim/calibrate/tasks.ts";
import { getMeasuredDevice } from "../../../sim/microbenchmarks/measured_device.ts";
import { EXIT, type ExitCode, type Invocation, UsageError } from "../../command.ts";
import { renderCostModelAudit } from "../../render/cost_model_audit.ts";
import { styleOf } from "../../render/style.ts";
import { readData } from "./read_data.ts";

/** Decides which rows share a fold, everywhere the same. */
const SEED = 1;

/** Runs `audit cost-model`. */
export async function run({ host, options }: Invocation): Promise<ExitCode> {
  const folds = options.number("folds") ?? 0;
  if (!Number.isInteger(folds) || folds < 0 || folds === 1) {
    throw new UsageError(`Option --folds takes 0 (none) or a whole number from 2, not ${folds}`);
  }
  const rows = await readData(host, options.texts("data"));
  const held = (holdOut: HoldOut) =>
    crossValidate(
      CALIBRATION_TASKS,
      rows.models,
      getMeasuredDevice,
      { holdOut, folds, seed: SEED },
      (fold) => {
        host.stderr.write(`fit without fold ${fold + 1} of ${folds} (by ${holdOut})\n`);
      },
    );
  const heldOut: HeldOutErrors = folds === 0
    ? {}
    : { configurations: held("configuration"), tables: held("table") };
  const { audit, points } = auditCostModel(rows, getMeasuredDevice, heldOut);
  const folder = options.text("report");
  if (folder !== undefined) {
    const decisions = auditDecisions(decide(rows.models, getMeasuredDevice));
    for (const { path, text } of accuracyReport(audit, points, folds, decisions)) {
      await host.writeText(`${folder}/${path}`, text);
    }
  }
  if (options.flag("json")) {
    host.stdout.write(`${JSON.stringify(audit, null, 2)}\n`);
    return EXIT.ok;
  }
  host.stdout.write(renderCostModelAudit(audit, styleOf(host, options), host.stdout.columns));
  return EXIT.ok;
}
