// SPDX-License-Identifier: Apache-2.0
import type { OpId } from "../graph/graph.ts";
import { sharedBuffers } from "../ops/shared_buffers.ts";
import { buildChains } from "./build_chains.ts";
import type { ChainContext } from "./chain_context.ts";
import type { ChainOracleOptions } from "./chain_oracle.ts";
import { scheduleDependencies } from "./dependencies.ts";
import type { L1ChainConfig } from "./l1_chain_config.ts";
import type { ReconfigEdge, ShardSolver, SolverPhase } from "./shard_solver.ts";
import { solveChain } from "./solve_chain.ts";

/** Chains of a function after the steps of a policy, ready to become a plan. */
export interface DecidedChains {
  readonly chains: readonly L1ChainConfig[];
  /** Scheduled ops in execution order. */
  readonly schedule: readonly OpId[];
  /** All ops in execution order. */
  readonly order: readonly OpId[];
  readonly reasons: ReasonLog;
}

/** Per op: the ops that must run before it ({@linkcode scheduleDependencies}). */
export function opDependencies(context: ChainContext): readonly (readonly OpId[])[] {
  return scheduleDependencies(context.fn, (op) => ({
    writtenOperands: context.traits(op).writtenOperands,
    shared: sharedBuffers(context.signature(op)),
  }));
}

/** Schedules a function and builds its chains; records at each chain's last op why it ends, at others why they are in none. */
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
    const list = this.#reasons.getOrInsertComputed(op, () => []);
    if (!list.includes(reason)) list.push(reason);
  }

  of(op: OpId): readonly string[] {
    return this.#reasons.get(op) ?? [];
  }
}

/** Paths shown per path set; further ones are only counted. */
const MAX_PATHS = 16;

/**
 * The solver's state after a phase, in the terms of tt-mlir's ShardSolver deep dive: bitsets, path sets, conversions,
 * selection. Lines end without a newline.
 */
export function renderSolverPhase(phase: SolverPhase, solver: ShardSolver): string {
  const names = solver.problem.ops.map((op) => op.name);
  const name = (op: number): string => names[op] ?? `op ${op}`;
  const lines = [title(phase, name)];
  if (phase.kind === "constructor") {
    names.forEach((own, op) => {
      const edges = solver.problem.edges.filter((edge) => edge.consumer === op);
      const list = edges.map((edge) => `Edge(${name(edge.producer)}, ${own}, ${edge.operand})`).join(", ");
      lines.push(`  operandOpEdges[${own}] = [${list}]`);
    });
    return lines.join("\n");
  }
  if (phase.kind === "finish") {
    const selected = names.map((own, op) => `${own}: config${solver.selectedConfig(op)}`);
    lines.push(`  selectedOpConfig = {${selected.join(", ")}}`);
    lines.push(...memReconfigLines(solver, name));
    return lines.join("\n");
  }
  names.forEach((own, op) => {
    if (!solver.hasBitset(op)) {
      lines.push(`  bitset[${own}] = (not created yet)`);
      return;
    }
    const live = solver.liveConfigs(op);
    const configs = `${live.length === 1 ? "config" : "configs"} ${compactList(live) || "none"}`;
    lines.push(`  bitset[${own}] = ${solver.bitsetText(op)}  ${configs}`);
  });
  solver.pathSets.forEach((pathSet, index) => {
    const { producer, consumer, operand } = pathSet.edge;
    const paths = pathSet.paths;
    const shown = paths.slice(0, MAX_PATHS).map((path) => `Path(${path.producerId}, ${path.consumerId})`);
    if (paths.length > MAX_PATHS) shown.push(`… ${paths.length - MAX_PATHS} more`);
    lines.push(
      `  pathSets[${index}] = Edge(${name(producer)}, ${name(consumer)}, ${operand}) [${shown.join(", ")}]`,
    );
  });
  lines.push(...memReconfigLines(solver, name));
  return lines.join("\n");
}

function title(phase: SolverPhase, name: (op: number) => string): string {
  switch (phase.kind) {
    case "constructor":
      return "After constructor";
    case "preprocessFirstOp":
      return "After preprocessFirstOp()";
    case "insertReshard":
      return `After insertReshard(${describeEdge(phase.edge, name)})`;
    case "processOp":
      return `After processing ${name(phase.op)} in resolveStep()`;
    case "updateSolver":
      return "After updateSolver() calls";
    case "set":
      return `After set(${name(phase.op)}, config${phase.config})`;
    case "finish":
      return "After finish()";
  }
}

function memReconfigLines(solver: ShardSolver, name: (op: number) => string): string[] {
  return solver.memReconfigs.map((entry) => {
    const configs = compactList([...entry.reshardLayouts.keys()].toSorted((a, b) => a - b));
    const config = solver.selectedConfig(entry.consumer);
    const selected = config === undefined ? "" : `, selected config ${config}`;
    return `  memReconfig[${describeEdge(entry, name)}] = configs ${configs}${selected}`;
  });
}

function describeEdge(edge: ReconfigEdge, name: (op: number) => string): string {
  return `${name(edge.consumer)}, operand ${edge.operand}`;
}

/** Ascending numbers with runs of three or more folded: `0, 2, 5-9`. */
function compactList(numbers: readonly number[]): string {
  const parts: string[] = [];
  for (let start = 0; start < numbers.length;) {
    let end = start;
    while (end + 1 < numbers.length && numbers[end + 1] === (numbers[end] ?? 0) + 1) end++;
    if (end - start >= 2) {
      parts.push(`${numbers[start]}-${numbers[end]}`);
      start = end + 1;
    } else {
      parts.push(`${numbers[start]}`);
      start++;
    }
  }
  return parts.join(", ");
}
