// SPDX-License-Identifier: Apache-2.0
import type { OpConfig } from "../analysis/op_config.ts";
import type { CostModel } from "../cost/cost_model.ts";
import { planMicroseconds } from "../cost/plan_runtime.ts";
import type { OpId } from "../graph/graph.ts";
import type { FunctionPlan } from "../plan/plan.ts";
import type { ChainContext } from "./chain_context.ts";
import { applyChainMerges } from "./chain_merges.ts";
import { resolveConcatChains, setConcatChainPreferences } from "./concat_chains.ts";
import { type DecidedChains, type ReasonLog, scheduleChains, solveChains } from "./decide_chains.ts";
import { fitPlan } from "./fit_plan.ts";
import type { L1ChainConfig } from "./l1_chain_config.ts";
import { l1InterleavedFallback } from "./l1_interleaved_fallback.ts";
import { MergeState } from "./merge_state.ts";
import { applyL1ReservationsForForkOps, applyL1ReservationsForReshapes } from "./output_reservations.ts";

/** Receives the output of `--trace-solver`, one phase of a shard solver per call. */
export type TraceSolver = ((text: string) => void) | undefined;

/** Plans of DFSharding 1.0 that DFSharding 2.0 compares with its own. */
const UNMERGED: WeakMap<ChainContext, FunctionPlan> = new WeakMap();

/** DFSharding 1.0: chains in L1; concats and everything between chains go through DRAM. */
export function planDfSharding(context: ChainContext, trace: TraceSolver): FunctionPlan {
  // With tracing on, the solver has to run again.
  const cached = trace === undefined ? UNMERGED.get(context) : undefined;
  if (cached !== undefined) return cached;
  const plan = planDecided(context, decideDfSharding(context, trace));
  UNMERGED.set(context, plan);
  return plan;
}

/** The chains of DFSharding 1.0, solved but not made to fit yet. */
export function decideDfSharding(context: ChainContext, trace?: TraceSolver): DecidedChains {
  const decided = scheduleChains(context);
  solveChains(context, decided, { countOperandBytes: false }, trace);
  for (const chain of decided.chains) {
    if (!chain.isConcatChain) continue;
    chain.fail("only df-sharding-2 keeps the inputs of a concat in L1");
    for (const op of chain.ops) decided.reasons.add(op, `chain ${chain.id} failed: ${chain.failure}`);
  }
  return decided;
}

/**
 * The chains of DFSharding 2.0, merged but not made to fit yet; its steps are in the documented order
 * (tt-mlir:optimizer-document §4.1.7).
 */
export function decideDfSharding2(context: ChainContext, trace?: TraceSolver): MergeState {
  const decided = scheduleChains(context);
  setConcatChainPreferences(context, decided);
  solveChains(context, decided, { countOperandBytes: context.conventions.countsOperandBytes }, trace);
  const state = new MergeState(context, decided);
  resolveConcatChains(state);
  applyL1ReservationsForReshapes(state);
  applyL1ReservationsForForkOps(state);
  applyChainMerges(state);
  return state;
}

/** DFSharding 2.0; if the merged chains are predicted to be slower, the unmerged ones (`comparesWithUnmerged`). */
export function planDfSharding2(context: ChainContext, cost: CostModel, trace: TraceSolver): FunctionPlan {
  const { fn, opModel, conventions } = context;
  const state = decideDfSharding2(context, trace);
  const merged = planDecided(context, { ...state.decided, chains: state.chains });
  if (!conventions.comparesWithUnmerged) return merged;
  const plain = planDfSharding(context, trace);
  const price = (plan: FunctionPlan): number => planMicroseconds(fn, plan, opModel, cost);
  if (price(plain) >= price(merged)) return merged;
  return withReason(
    plain,
    `df-sharding-2 keeps the chains unmerged: merged they are slower (${
      price(merged).toFixed(1)
    } µs instead of ${price(plain).toFixed(1)} µs predicted)`,
  );
}

/** The plan of decided chains, made to fit. */
function planDecided(context: ChainContext, { chains, order, reasons }: DecidedChains): FunctionPlan {
  const singles = dispatchedLayouts(context, chains, reasons);
  const request = { context, order, chains, singles, reasons };
  const unsolved = chains.filter(({ state }) => state === "Failed").length;
  let { plan, demotions } = fitPlan(request);
  if (context.options.l1InterleavedFallback) {
    for (const [op, config] of l1InterleavedFallback(context, plan)) {
      request.singles.set(op, config);
      reasons.add(
        op,
        "L1 interleaved: its only reader is the next op (--l1-interleaved-fallback-analysis-enabled)",
      );
    }
    const refitted = fitPlan(request);
    plan = refitted.plan;
    demotions += refitted.demotions;
  }
  const completed = chains.filter(({ state }) => state === "Completed");
  return {
    ...plan,
    counters: {
      "chains": chains.length,
      "without a solution": unsolved,
      "given up": chains.length - completed.length - unsolved,
      "outputs kept in L1": completed.filter(({ spillLocation }) => spillLocation !== "DRAM").length,
      "demotions": demotions,
    },
  };
}

/**
 * The layouts of dispatch results that the solver chose for a chain's first op: the dispatch writes them
 * itself.
 */
function dispatchedLayouts(
  context: ChainContext,
  chains: readonly L1ChainConfig[],
  reasons: ReasonLog,
): Map<OpId, OpConfig> {
  const singles = new Map<OpId, OpConfig>();
  for (const { id, firstOp, reconfigs } of chains) {
    for (const { op, operand, layout } of reconfigs) {
      const value = context.op(op).operands[operand];
      const producer = value === undefined ? undefined : context.producer(value);
      if (op !== firstOp || value === undefined || producer === undefined) continue;
      if (!context.isDispatched(value) || singles.has(producer)) continue;
      singles.set(producer, { outputLayout: layout, attributes: undefined });
      reasons.add(producer, `writes its result as chain ${id} reads it`);
    }
  }
  return singles;
}

/** Adds a reason about the whole function to its first op. */
function withReason(plan: FunctionPlan, reason: string): FunctionPlan {
  return {
    ...plan,
    decisions: plan.decisions.map((decision, op) =>
      op === 0 ? { ...decision, reasons: [...decision.reasons, reason] } : decision
    ),
  };
}
