// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals } from "@std/assert";
import { corpusTest, PROJECT_ROOT, sharedData } from "../../testing/corpus.ts";
import { crossValidate, PUBLISHED_FOLDS } from "../calibrate/cross_validation.ts";
import { CALIBRATION_TASKS } from "../calibrate/tasks.ts";
import { getMeasuredDevice } from "../microbenchmarks/measured_device.ts";
import { auditCostModel, readMeasurements, splitRows } from "./audit_cost_model.ts";
import { percent } from "./markdown_section.ts";
import { parseMeasuredRows } from "./measured_row.ts";

/** Groups of which a part only can be predicted from what the rows hold; see docs/accuracy.md. */
const PARTLY_COVERED: ReadonlySet<string> = new Set(["e2e", "llm_decode_op", "llm_prefill_op"]);

corpusTest("held-out errors stay within the targets and below every public model's", () => {
  const rows = splitRows(parseMeasuredRows("measured-perf.json", sharedData("measured-perf.json")));
  const configurations = crossValidate(CALIBRATION_TASKS, rows.models, getMeasuredDevice, {
    holdOut: "configuration",
    folds: PUBLISHED_FOLDS,
    seed: 1,
  });
  const { audit } = auditCostModel(rows, getMeasuredDevice, { configurations });
  const groups = audit.groups.filter(({ device, target }) => device === "all" || target !== null)
    .filter((report, _, all) =>
      report.device === "all" || !all.some(({ group, device }) => group === report.group && device === "all")
    );
  for (const { group, target, coverage, heldOut, baselines } of groups) {
    const mape = heldOut?.configurations?.mape;
    if (target === null) continue;
    if (!PARTLY_COVERED.has(group)) assert(coverage >= 0.9, `${group}: ${coverage} covered`);
    if (mape === undefined) continue;
    assert(mape <= target, `${group}: ${mape} is above ${target}`);
    for (const [name, baseline] of Object.entries(baselines)) {
      assert(mape < baseline.mape, `${group}: ${name} is better, ${baseline.mape}`);
    }
  }
});

corpusTest("docs/accuracy.md gives the coverage that the reasons for leaving out rows make", () => {
  const rows = readMeasurements("measured-ops-2.json", sharedData("measured-ops-2.json"));
  const { audit } = auditCostModel(rows, getMeasuredDevice);
  const page = Deno.readTextFileSync(`${PROJECT_ROOT}/docs/accuracy.md`);
  const published = new Map(
    [...page.matchAll(/^\| (\w+) \| (\d+) \| (\S+ %) \|/gm)].map(([, group, count, coverage]) =>
      [`${group} ${count}`, coverage] as const
    ),
  );
  let compared = 0;
  for (const report of audit.groups) {
    const coverage = published.get(`${report.group} ${report.rows}`);
    const isWhole = report.device === "all" ||
      audit.groups.filter(({ group }) => group === report.group).length === 1;
    if (!isWhole || coverage === undefined) continue;
    compared++;
    assertEquals(percent(report.coverage), coverage, report.group);
  }
  assert(compared > 40, `${compared} groups`);
});
