// SPDX-License-Identifier: Apache-2.0
import type { OpId } from "../graph/graph.ts";
import { sharedBuffers } from "../ops/shared_buffers.ts";
import { buildChains } from "./build_chains.ts";
import type { ChainContext } from "./chain_context.ts";
import type { ChainOracleOptions } from "./chain_oracle.ts";
import { scheduleDependencies } from "./dependencies.ts";
import type { L1ChainConfig } from "./l1_chain_config.ts";
import { solveChain } from "./solve_chain.ts";
import { renderSolverPhase } from "./solver_trace.ts";

/** Chains of a function after the steps of a policy, ready to become a plan. */
export interface DecidedChains {
  readonly chains: readonly L1ChainConfig[];
  /** Scheduled ops in execution order. */
  readonly schedule: readonly OpId[];
  /** All ops in execution order. */
  readonly order: readonly OpId[];
  readonly reasons: ReasonLog;
}

/** How the ops of a function depend on each other, apart from passing results. */
export function opDependencies(context: ChainContext): readonly (readonly OpId[])[] {
  return scheduleDependencies(context.fn, (op) => ({
    writtenOperands: context.traits(op).writtenOperands,
    shared: sharedBuffers(context.signature(op)),
  }));
}

/** Schedules a function and builds its chains; the reason why a chain ends is recorded at its last op. */
export function scheduleChains(context: ChainContext): DecidedChains {
  const built = buildChains(
    context.fn,
    opDependencies(context),
    (op) => (context.shardedConfigs[op]?.length ?? 0) > 0,
    context.conventions,
  );
  const reasons = new ReasonLog();
  const chainEndingWith = new Map(built.chains.map((chain) => [chain.lastOp, chain]));
  for (const [op, reason] of built.breaks) {
    const chain = chainEndingWith.get(op);
    reasons.add(op, chain === undefined ? `in no chain: ${reason}` : `chain ${chain.id} ends: ${reason}`);
  }
  return { chains: built.chains, schedule: built.schedule, order: built.fullSchedule, reasons };
}

/** Solves every chain except concat chains, in order. */
export function solveChains(
  context: ChainContext,
  decided: DecidedChains,
  options: ChainOracleOptions,
  trace?: (text: string) => void,
): void {
  for (const chain of decided.chains) {
    if (chain.isConcatChain) continue;
    if (trace !== undefined) {
      trace(`chain ${chain.id}: ${chain.ops.map((op) => context.describeOp(op)).join(", ")}`);
    }
    solveChain(
      context,
      chain,
      options,
      trace === undefined ? undefined : (phase, solver) => trace(renderSolverPhase(phase, solver)),
    );
    const outcome = chain.state === "Failed"
      ? `failed: ${chain.failure}`
      : "is solved, its intermediate results stay in L1";
    for (const op of chain.ops) decided.reasons.add(op, `chain ${chain.id} ${outcome}`);
  }
}

/** Reasons for decisions, per op, oldest first. */
export class ReasonLog {
  readonly #reasons: Map<OpId, string[]> = new Map();

  /** Adds a sentence to an op; duplicates are dropped. */
  add(op: OpId, reason: string): void {
    const list = this.#reasons.get(op);
    if (list === undefined) this.#reasons.set(op, [reason]);
    else if (!list.includes(reason)) list.push(reason);
  }

  of(op: OpId): readonly string[] {
    return this.#reasons.get(op) ?? [];
  }
}
