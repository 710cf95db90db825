// SPDX-License-Identifier: Apache-2.0
import { isOverridden } from "../../lib/overrides/overrides.ts";
import type { Plan } from "../../lib/plan/plan.ts";
import { type FreeName, freeOf } from "../../lib/policy/free.ts";
import type { PolicyOptions } from "../../lib/policy/options.ts";
import type { Policy } from "../../lib/policy/policy.ts";
import type { Workbench } from "../../pipeline/load.ts";
import type { Optimized, OptimizeTools } from "../../pipeline/optimize.ts";
import { holdPlan, wholePlan } from "../../pipeline/pins.ts";
import { parsePlanDocument } from "../../pipeline/plan_document.ts";
import type { Host } from "../host.ts";
import { plural } from "../render/format.ts";

/** Most stale pins that are listed; of more only the number is given. */
const TOLD_PINS = 5;

/** A plan of `--pin` applied to an input. */
export interface Pinned {
  /** Options with the layouts of the plan; given overrides take precedence. */
  readonly options: PolicyOptions;
  /** The input with the whole plan; `undefined` if that was made for another graph, or if overrides are given. */
  readonly keepWhole: (
    optimizeBy: (held: Pick<OptimizeTools, "pinned">) => Optimized,
  ) => Optimized | undefined;
}

/** Freedoms for which a graph is changed once more while it is decided: a plan may have been made for that graph. */
const REGRAPHED: readonly FreeName[] = ["weights", "inputs"];

/** Reads a plan; remarks name its decisions that no longer apply. */
export async function readPins(
  host: Host,
  path: string,
  workbench: Workbench,
  policy: Policy,
  options: PolicyOptions,
): Promise<Pinned> {
  const document = parsePlanDocument(await host.readText(path), path);
  const { layouts, stale, whole } = holdPlan(document, workbench, options);
  const written = workbench.asWritten?.().workbench;
  const isOfText = whole === undefined && written !== undefined && wholePlan(document, written) !== undefined;
  for (const pin of isOfText ? [] : stale.slice(0, TOLD_PINS)) {
    host.stderr.once(`remark: ${path}: a pin no longer applies: ${pin}\n`);
  }
  if (!isOfText && stale.length > TOLD_PINS) {
    const rest = stale.length - TOLD_PINS;
    host.stderr.once(
      `remark: ${path}: ${plural(rest, "more pin")} no longer ${rest === 1 ? "applies" : "apply"}\n`,
    );
  }
  const free = freeOf(policy, options);
  const mayBeKept = !isOverridden(options.overrides) &&
    (whole !== undefined || isOfText || REGRAPHED.some((name) => free.includes(name)));
  return {
    options: { ...options, overrides: { ...options.overrides, heldLayouts: layouts } },
    keepWhole: (optimizeBy) => {
      if (!mayBeKept) return undefined;
      const kept: Plan[] = [];
      const optimized = optimizeBy({
        pinned: (graph) => {
          const plan = wholePlan(document, graph);
          if (plan !== undefined) kept.push(plan);
          return plan;
        },
      });
      return kept.length > 0 ? optimized : undefined;
    },
  };
}
