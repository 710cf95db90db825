// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals } from "@std/assert";
import type { CostModelAudit, GroupReport } from "../../sim/audit/audit_cost_model.ts";
import { renderCostModelAudit } from "./cost_model_audit.ts";
import { createStyle } from "./style.ts";

const PLAIN = createStyle("never", false, { write: () => {}, isTerminal: false, columns: 80 });

const GROUP: GroupReport = {
  group: "matmul",
  device: "n150",
  rows: 3,
  covered: 2,
  coverage: 1,
  target: 0.1,
  mape: 0.05,
  medianApe: 0.04,
  p90: 0.2,
  bias: -0.01,
  baselines: {},
  excluded: [],
};

function audit(...groups: readonly GroupReport[]): CostModelAudit {
  return { schema: "tilewright.cost-model-audit/1", errorUnit: "ratio", rows: 3, groups, intervals: [] };
}

Deno.test("the cost model's audit lists omitted rows with reasons, once per device", () => {
  const all: GroupReport = { ...GROUP, device: "all", excluded: [{ reason: "no shape", rows: 1 }] };
  const one: GroupReport = { ...GROUP, excluded: [{ reason: "no shape", rows: 1 }] };
  const page = renderCostModelAudit(audit(all, one), PLAIN);
  assertEquals(page.split("\n").filter((line) => line.includes("no shape")), [
    "  matmul n150: 1 rows, no shape",
  ]);
  assert(!renderCostModelAudit(audit(GROUP), PLAIN).includes("Left out"));
});
