// SPDX-License-Identifier: Apache-2.0
import type { CostModel, RuntimeEstimate } from "../../lib/cost/cost_model.ts";

const NOTHING: RuntimeEstimate = {
  microseconds: 0,
  bound: "SLOW",
  relativeError: 0,
  cores: 0,
  dramBytes: 0,
  nocBytes: 0,
  flops: 0,
  terms: { launch: 0, read: 0, compute: 0, write: 0 },
  dominant: "launch",
};

/**
 * A cost model whose answers are given, for tests of what is done with them: they stay the same when the simulator is
 * calibrated anew.
 *
 * @param byName estimate per op name; `reshard` prices conversions, other ops cost nothing
 */
export function fixedCostModel(byName: Readonly<Record<string, Partial<RuntimeEstimate>>>): CostModel {
  const answers = new Map(Object.entries(byName).map(([name, part]) => [name, { ...NOTHING, ...part }]));
  return {
    getOpRuntime: (op) => answers.get(op.name) ?? NOTHING,
    getReshardRuntime: () => answers.get("reshard") ?? NOTHING,
  };
}
