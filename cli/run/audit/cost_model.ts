// SPDX-License-Identifier: Apache-2.0
import { auditDecisions, decide } from "../../../sim/audit/audit_decisions.ts";
import { ACCURACY_PAGE, accuracyReport } from "../../../sim/audit/accuracy_report.ts";
import { auditCostModel, type HeldOutErrors } from "../../../sim/audit/audit_cost_model.ts";
import { replaceSection, sectionOf } from "../../../sim/audit/markdown_section.ts";
import { LAYERS_HEADING } from "../../../sim/audit/profiles/layer_report.ts";
import { crossValidate, type HoldOut } from "../../../sim/calibrate/cross_validation.ts";
import { CALIBRATION_TASKS } from "../../../sim/calibrate/tasks.ts";
import { getMeasuredDevice } from "../../../sim/microbenchmarks/measured_device.ts";
import { type ExitCode, type Invocation, UsageError } from "../../command.ts";
import type { Host } from "../../host.ts";
import { printAnswer } from "../../print_answer.ts";
import { renderCostModelAudit } from "../../render/cost_model_audit.ts";
import { readData } from "./read_data.ts";

/** Seed of the folds, the same everywhere. */
const SEED = 1;

/** Runs `audit cost-model`. */
export async function run({ host, options }: Invocation): Promise<ExitCode> {
  const folds = options.number("folds") ?? 0;
  if (folds === 1) {
    throw new UsageError(`Option --folds takes 0 (none) or a whole number from 2, not ${folds}`);
  }
  const folder = options.text("report");
  // Read first, so that a missing folder is reported before the fits, which take minutes.
  const page = folder === undefined ? "" : await existingPage(host, folder);
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
  if (folder !== undefined) {
    const decisions = auditDecisions(decide(rows, getMeasuredDevice));
    const origin = { data: options.texts("data").map(nameOf), folds };
    const layers = sectionOf(page, LAYERS_HEADING);
    for (const { path, text } of accuracyReport(audit, points, origin, decisions)) {
      const kept = path === ACCURACY_PAGE && layers !== undefined
        ? replaceSection(text, LAYERS_HEADING, layers)
        : text;
      await host.writeText(`${folder}/${path}`, kept);
    }
  }
  const { schema, rows: counted, ...rest } = audit;
  return printAnswer(
    { host, options },
    () => ({ schema, input: options.texts("data"), device: null, summary: { rows: counted }, ...rest }),
    (style) => renderCostModelAudit(audit, style),
  );
}

/** A path without the folders before its last part. */
function nameOf(path: string): string {
  return path.replace(/[\\/]+$/, "").replace(/^.*[\\/]/, "");
}

/** The page with the sections of other audits; `""` if there is none yet. */
async function existingPage(host: Host, folder: string): Promise<string> {
  const names = await host.listFiles(folder);
  return names.includes(ACCURACY_PAGE) ? await host.readText(`${folder}/${ACCURACY_PAGE}`) : "";
}
