// SPDX-License-Identifier: Apache-2.0
import { identityPlan } from "../plan/steps.ts";
import { configurePlan } from "./configure_plan.ts";
import { freeOf } from "./free.ts";
import { FREE, MATH_FIDELITIES } from "./options.ts";
import { planFunctions } from "./plan_graph.ts";
import { repairConfigs } from "./repair_configs.ts";
import type { Policy } from "./policy.ts";

/**
 * Makes a policy obey `--free`: without `layouts` it keeps those of the input, otherwise ops do not keep configs that
 * are refused; with `configs` it also
 * improves the op configs of its finished plan. Math fidelities that were allowed for speed rise where that is free.
 */
export function obeyingFree(policy: Policy): Policy {
  const readsFidelities = policy.options.some(({ name }) => name === MATH_FIDELITIES.name);
  return {
    ...policy,
    options: [FREE, ...policy.options],
    decide: (context) => {
      const free = freeOf(policy, context.options);
      const plan = free.includes("layouts")
        ? repairConfigs(context, policy.decide(context))
        : planFunctions(context, policy.name, identityPlan);
      const descends = free.includes("configs");
      const { mathFidelities = [] } = readsFidelities ? context.options : {};
      return descends || mathFidelities.length > 0 ? configurePlan(context, plan, descends) : plan;
    },
  };
}
