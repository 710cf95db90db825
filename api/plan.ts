// SPDX-License-Identifier: Apache-2.0

/**
 * Plans: layouts and configs as data, their execution order, and the text that they make.
 *
 * @module
 */

export * from "../lib/plan/plan.ts";
export { parsePlan, planToJson, toJson } from "../lib/plan/plan_json.ts";
export * from "../lib/plan/steps.ts";
export { verifyPlan } from "../lib/plan/verify_plan.ts";
export { rewriteModule } from "../lib/rewrite/rewrite_module.ts";
