// SPDX-License-Identifier: Apache-2.0
import type { FunctionPlan, Plan } from "./plan.ts";

/** Looks up the part of a plan for a function by name; `undefined` if the plan has none. */
export function functionPlans(plan: Plan | undefined): (name: string) => FunctionPlan | undefined {
  const plans = new Map<string, FunctionPlan>();
  for (const each of plan?.functions ?? []) if (!plans.has(each.name)) plans.set(each.name, each);
  return (name) => plans.get(name);
}
