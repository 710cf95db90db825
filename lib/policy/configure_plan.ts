// SPDX-License-Identifier: Apache-2.0
import { planMicroseconds } from "../cost/plan_runtime.ts";
import { isDecided } from "../graph/function_role.ts";
import type { GraphFunction, OpId } from "../graph/graph.ts";
import type { LayoutIds } from "../layout/layout_table.ts";
import { NO_FINDINGS } from "../memory/memory_verdict.ts";
import type { PlanMemory } from "../memory/plan_memory.ts";
import { faultsOf, memoryOf, regionOf } from "./plan_memory.ts";
import type { OpSpecificAttributes } from "../op_config/op_config.ts";
import type { Configured, FunctionPlan, Plan } from "../plan/plan.ts";
import { OpEvaluator } from "../search/op_evaluator.ts";
import { opRoles } from "../search/op_roles.ts";
import type { PolicyContext } from "./policy.ts";
import { CONFIG_ROUNDS } from "./search_limits.ts";

/** Smaller gains are noise of floating-point sums. */
const LEAST_GAIN_US = 1e-6;

/** A faster or more exact config for an op of a plan. */
interface ConfigChange {
  readonly op: OpId;
  readonly config: OpSpecificAttributes;
  readonly savedUs: number;
}

/** A config of an op, and the op's predicted µs with it. */
interface ConfiguredRun {
  /** The config that the plan states. */
  readonly config: OpSpecificAttributes | undefined;
  /** The config that runs, with the fields that the backend derives. */
  readonly used: OpSpecificAttributes | undefined;
  readonly microseconds: number;
}

/** An op with its planned layouts, and the bytes of L1 per core that its circular buffers may take. */
interface OpInPlan {
  readonly op: OpId;
  readonly inputs: LayoutIds;
  readonly outputs: LayoutIds;
  readonly room: number;
}

/**
 * The plan with faster op configs for its layouts, by coordinate descent per op: one field of a config
 * changes at a time, as long as that saves predicted time and its circular buffers fit below the live
 * tensors. Math fidelities then rise as far as that is allowed and takes no time. No plan becomes slower, and none
 * that fit stops fitting. Overridden configs stay.
 *
 * @param descends whether configs are free; otherwise only fidelities rise
 */
export function configurePlan(context: PolicyContext, plan: Plan, descends: boolean): Plan {
  const { functions } = context.graph;
  return {
    ...plan,
    functions: plan.functions.map((planned, index) => {
      const fn = functions[index];
      return fn === undefined || !isDecided(fn)
        ? planned
        : new FunctionConfigurator(context, fn, planned, descends).configured();
    }),
  };
}

class FunctionConfigurator {
  readonly #context: PolicyContext;
  readonly #fn: GraphFunction;
  readonly #plan: FunctionPlan;
  readonly #evaluator: OpEvaluator;
  readonly #descends: boolean;
  readonly #found: Map<string, ConfiguredRun & { readonly savedUs: number } | undefined> = new Map();

  constructor(context: PolicyContext, fn: GraphFunction, plan: FunctionPlan, descends: boolean) {
    this.#context = context;
    this.#fn = fn;
    this.#plan = plan;
    this.#descends = descends;
    this.#evaluator = new OpEvaluator(fn, context.opModel, context.cost, context.options);
  }

  configured(): FunctionPlan {
    const memory = memoryOf(this.#context, this.#fn, this.#plan, "all");
    const choices = this.#choices(memory).sort((a, b) => b.savedUs - a.savedUs);
    if (choices.length === 0) return this.#plan;
    const misfits = faultsOf(memory);
    const fits = (kept: readonly ConfigChange[]): boolean =>
      faultsOf(memoryOf(this.#context, this.#fn, this.#with(kept))) <= misfits;
    const plan = this.#with(largestFitting(choices, fits));
    const savedUs = this.#microseconds(this.#plan) - this.#microseconds(plan);
    return savedUs > -LEAST_GAIN_US ? this.#recorded(plan, savedUs) : this.#plan;
  }

  /**
   * The plan with its decisions before configuration; for ops that were configured earlier, those before the
   * first time.
   */
  #recorded(plan: FunctionPlan, savedUs: number): FunctionPlan {
    const { configured, decisions } = this.#plan;
    const earlier = new Map(configured?.before.map((decision) => [decision.op, decision]));
    const before = decisions.flatMap((decision): Configured["before"] => {
      const { op, config } = decision;
      if (decision !== plan.decisions[op]) return [earlier.get(op) ?? { op, config }];
      const first = earlier.get(op);
      return first === undefined ? [] : [first];
    });
    return { ...plan, configured: { savedUs: savedUs + (configured?.savedUs ?? 0), before } };
  }

  #microseconds(plan: FunctionPlan): number {
    const { detailedCost, opModel, cost } = this.#context;
    return detailedCost?.(this.#fn, plan) ?? planMicroseconds(this.#fn, plan, opModel, cost);
  }

  #with(choices: readonly ConfigChange[]): FunctionPlan {
    const decisions = [...this.#plan.decisions];
    for (const { op, config, savedUs } of choices) {
      const decision = decisions[op];
      if (decision === undefined) continue;
      const gain = savedUs > LEAST_GAIN_US ? `${savedUs.toFixed(2)} µs less` : "as fast and more exact";
      const reasons = [...decision.reasons, `config: ${gain} in the same layouts`];
      decisions[op] = { ...decision, config, reasons };
    }
    return { ...this.#plan, decisions };
  }

  /** The fastest config of each op, of those the most exact, with all other ops unchanged. */
  #choices({ execution, timeline, findings }: PlanMemory): ConfigChange[] {
    const { opModel } = this.#context;
    if (opModel.freeConfigs === undefined) return [];
    const region = regionOf(this.#context);
    const { decided } = opRoles(this.#evaluator);
    const ids = opModel.layouts.internAll(execution.layouts);
    return execution.steps.flatMap((step, position): readonly ConfigChange[] => {
      if (step.kind !== "op" || decided[step.op] !== true || this.#evaluator.overrides.fixesConfig(step.op)) {
        return [];
      }
      const { shortage, refused } = findings[position] ?? NO_FINDINGS;
      if (shortage !== undefined || refused !== undefined) return [];
      const lowest = timeline.usage[position]?.lowestTensor ?? region.top;
      const found = this.#faster({
        op: step.op,
        inputs: step.operands.map((instance) => ids[instance]),
        outputs: step.results.map((instance) => ids[instance]),
        room: lowest - region.base,
      }, step.config);
      return found?.config === undefined
        ? []
        : [{ op: step.op, config: found.config, savedUs: found.savedUs }];
    });
  }

  /**
   * The best config found for an op, and the µs that it saves; `undefined` if that is the op's own config.
   */
  #faster(
    placed: OpInPlan,
    config: OpSpecificAttributes | undefined,
  ): ConfiguredRun & { readonly savedUs: number } | undefined {
    const { op, inputs, outputs, room } = placed;
    const choice = this.#evaluator.choiceId({ inputs, outputs, config, reasons: [] });
    const key = [this.#evaluator.structureId(op), choice, room].join();
    if (this.#found.has(key)) return this.#found.get(key);
    const start = this.#run(placed, config, Infinity);
    const best = start === undefined ? undefined : this.#raised(placed, this.#descend(placed, start));
    const found = start === undefined || best === undefined || best === start
      ? undefined
      : { ...best, savedUs: start.microseconds - best.microseconds };
    this.#found.set(key, found);
    return found;
  }

  /** The config in the most exact fidelity that takes no longer. */
  #raised(placed: OpInPlan, fastest: ConfiguredRun): ConfiguredRun {
    if (fastest.config === undefined) return fastest;
    for (const exact of this.#evaluator.hints.moreExact(placed.op, fastest.config)) {
      const run = this.#run(placed, exact, Infinity);
      if (run !== undefined && run.microseconds <= fastest.microseconds + LEAST_GAIN_US) return run;
    }
    return fastest;
  }

  #descend(placed: OpInPlan, start: ConfiguredRun): ConfiguredRun {
    if (!this.#descends) return start;
    const { op, inputs, outputs, room } = placed;
    const { opModel } = this.#context;
    const signature = this.#evaluator.signature(op);
    let best: ConfiguredRun = start;
    for (let round = 0; round < CONFIG_ROUNDS; round++) {
      const before = best;
      for (let list = 0;; list++) {
        const configs = opModel.freeConfigs?.(signature, inputs, outputs[0], best.used, room)[list];
        if (configs === undefined) break;
        for (const candidate of configs) {
          const run = this.#run(placed, candidate, room);
          if (run !== undefined && run.microseconds < best.microseconds - LEAST_GAIN_US) best = run;
        }
      }
      if (best === before) break;
    }
    return best;
  }

  /**
   * An op's time with a config; `undefined` if that changes its result layouts, does not fit, or has no known
   * time.
   */
  #run(
    { op, inputs, outputs }: OpInPlan,
    config: OpSpecificAttributes | undefined,
    room: number,
  ): ConfiguredRun | undefined {
    const { opModel, cost } = this.#context;
    const signature = this.#evaluator.signature(op);
    const answer = opModel.queryOpConstraints(
      signature,
      inputs,
      outputs[0],
      config,
      Number.NEGATIVE_INFINITY,
    );
    if (answer.status !== "valid" || answer.cbPlacedBytes > room) return undefined;
    if (!sameLayouts(answer.outputLayouts, outputs)) return undefined;
    const { microseconds, unknown } = cost.getOpRuntime(signature, inputs, outputs, config);
    if (unknown !== undefined) return undefined;
    const written = opModel.writtenConfig?.(signature, inputs, outputs[0], config) ?? config;
    return { config: written, used: answer.config, microseconds };
  }
}

function sameLayouts(made: LayoutIds, wanted: LayoutIds): boolean {
  return wanted.every((layout, index) => layout === undefined || made[index] === layout);
}

/**
 * The choices in order, without those that do not fit together with the ones before: a group that does not
 * fit is bisected, down to single choices.
 */
function largestFitting(
  choices: readonly ConfigChange[],
  fits: (kept: readonly ConfigChange[]) => boolean,
): readonly ConfigChange[] {
  let kept: readonly ConfigChange[] = [];
  const add = (part: readonly ConfigChange[]): void => {
    if (part.length === 0) return;
    if (fits([...kept, ...part])) {
      kept = [...kept, ...part];
      return;
    }
    if (part.length === 1) return;
    const half = Math.ceil(part.length / 2);
    add(part.slice(0, half));
    add(part.slice(half));
  };
  add(choices);
  return kept;
}
