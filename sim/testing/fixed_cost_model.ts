// SPDX-License-Identifier: Apache-2.0
import type { OpModel } from "../../lib/opmodel/op_model.ts";
import type { CostModel, RuntimeEstimate } from "../../lib/cost/cost_model.ts";

const NOTHING: RuntimeEstimate = {
  programs: [],
  microseconds: 0,
  bound: "SLOW",
  relativeError: 0,
  ownError: 0,
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
 * @param opModel says which programs the answers are for; none when absent
 */
export function fixedCostModel(
  byName: Readonly<Record<string, Partial<RuntimeEstimate>>>,
  opModel?: Pick<OpModel, "programs">,
): CostModel {
  const answers = new Map(Object.entries(byName).map(([name, part]) => [name, { ...NOTHING, ...part }]));
  return {
    getOpRuntime: (op, inputs, outputs, config) => {
      const answer = answers.get(op.name) ?? NOTHING;
      const launched = opModel?.programs(op, inputs, outputs, config);
      return launched?.status === "known" ? { ...answer, programs: launched.programs } : answer;
    },
    getReshardRuntime: () => answers.get("reshard") ?? NOTHING,
  };
}
