// SPDX-License-Identifier: Apache-2.0
import { DiagnosticError } from "../../diagnostics/diagnostic.ts";
import { isDecided } from "../../graph/function_role.ts";
import type { Plan } from "../../plan/plan.ts";
import type { DecisionTrace } from "../../propagation/decision_trace.ts";
import { OVERRIDE_REFUSED } from "../../search/op_overrides.ts";
import { WorkAccount } from "../../search/work_account.ts";
import { cheapestFunctions, leavesChainsOut } from "../cheapest_plan.ts";
import { BEAM_WIDTH, PASS_OPTIONS, SHARD_SOLVER_OPTIONS } from "../options.ts";
import { planByPasses } from "../plan_graph.ts";
import { durationOption, type PolicyOption } from "../policy_option.ts";
import type { Policy, PolicyContext } from "../policy.ts";
import { WorkBudget } from "../work_budget.ts";
import { policy as bfInterleaved } from "./bf_interleaved.ts";
import { policy as dfSharding } from "./df_sharding.ts";
import { policy as dfSharding2 } from "./df_sharding_2.ts";
import { policy as greedyL1Interleaved } from "./greedy_l1_interleaved.ts";
import { searchExactly } from "./optimal.ts";

/** `--time-budget`. */
const TIME_BUDGET: PolicyOption<number> = durationOption({
  name: "time-budget",
  value: "SECONDS",
  default: 2,
  description:
    "About how long to search; counted in work, so that the same input gives the same plan anywhere",
});

/** Everything that the tool can do, with a certificate. */
export const policy: Policy = {
  name: "auto",
  summary:
    "Cheapest plan of all policies, exact assignments and exact spills within --time-budget, with its gap",
  place: 0,
  freedom: "confirmed",
  options: [...new Set([TIME_BUDGET, BEAM_WIDTH, ...PASS_OPTIONS, ...SHARD_SOLVER_OPTIONS])],
  tellsGap: true,
  decide: auto,
};

/** Policies of chains, the most promising first. */
const CHAINS: readonly Policy[] = [dfSharding2, dfSharding, greedyL1Interleaved, bfInterleaved];

function auto(context: PolicyContext): Plan {
  const { options, graph, opModel, decisionTrace } = context;
  const work = new WorkAccount(opModel);
  const budget = new WorkBudget(work, 1e6 * TIME_BUDGET.read(options.given.get(TIME_BUDGET.name)));
  const waiting = graph.functions.filter(isDecided);
  const traces: DecisionTrace[] = [];
  const byPasses = planByPasses(
    { ...context, decisionTrace: decisionTrace && ((trace) => traces.push(trace)) },
    policy.name,
    (fn, passOptions) => {
      const share = budget.shareFor(fn.fn, waiting);
      waiting.splice(waiting.indexOf(fn.fn), 1);
      return searchExactly(fn, passOptions, share);
    },
    work,
  );
  if (leavesChainsOut(context, byPasses)) {
    for (const trace of traces) decisionTrace?.(trace);
    return byPasses;
  }
  const chains = CHAINS.filter(({ onlySharded }) => onlySharded !== true || options.enableL1ShardingLayouts)
    .flatMap((chain) => budget.isSpent ? [] : carriedOut(chain, context));
  const { functions, origins } = cheapestFunctions(context, [byPasses, ...chains]);
  for (const trace of traces) {
    const index = graph.functions.findIndex(({ name }) => name === trace.function);
    if (origins[index] === 0) decisionTrace?.(trace);
  }
  return { ...byPasses, functions };
}

/** The plan of a policy; none where it cannot carry out an override, which another one may. */
function carriedOut(chain: Policy, context: PolicyContext): readonly Plan[] {
  try {
    return [chain.decide(context)];
  } catch (error) {
    if (
      error instanceof DiagnosticError && error.diagnostics.every(({ code }) => code === OVERRIDE_REFUSED)
    ) {
      return [];
    }
    throw error;
  }
}
