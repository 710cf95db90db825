// SPDX-License-Identifier: Apache-2.0
import { type GraphFunction, type GraphOp, opAt, type OpId, valueAt } from "../graph/graph.ts";
import type { CostClass } from "../ops/cost_class.ts";
import { definitionOf } from "../ops/op_book.ts";
import type { Conventions } from "./conventions.ts";
import { DfScheduler } from "./df_scheduler.ts";
import { L1ChainConfig } from "./l1_chain_config.ts";

/**
 * Ops that an upstream chain may hold (tt-mlir `DFShardingPolicy::isShardable`). Upstream excludes `rms_norm`
 * and `slice_static` because of backend bugs; other missing ops were never added.
 */
const SHARDABLE_OPS: ReadonlySet<string> = new Set([
  "ttnn.conv2d",
  "ttnn.conv_transpose2d",
  "ttnn.add",
  "ttnn.multiply",
  "ttnn.relu",
  "ttnn.relu6",
  "ttnn.silu",
  "ttnn.matmul",
  "ttnn.linear",
  "ttnn.minimum",
  "ttnn.gelu",
  "ttnn.neg",
  "ttnn.rsqrt",
  "ttnn.concat",
  "ttnn.pow_scalar",
  "ttnn.rotary_embedding",
  "ttnn.d2m_subgraph",
]);

const ELTWISE: ReadonlySet<CostClass> = new Set(["eltwise_unary", "eltwise_binary", "eltwise_ternary"]);

/**
 * Whether a chain may hold an op: one of upstream's list or, with `chainsEveryEltwise`, any elementwise op.
 * The document names `conv2d`, `matmul`, `subtract` (tt-mlir:optimizer-document §3.2.3, §5.4.1).
 */
export function isShardable(name: string, { chainsEveryEltwise }: Conventions): boolean {
  return SHARDABLE_OPS.has(name) || (chainsEveryEltwise && ELTWISE.has(definitionOf(name).costClass));
}

/** Chains of a function in the order in which they were closed, and its schedule. */
export interface BuiltChains {
  readonly chains: readonly L1ChainConfig[];
  /** Only the ops that are scheduled. */
  readonly schedule: readonly OpId[];
  /** All ops of the function. */
  readonly fullSchedule: readonly OpId[];
  /** Per op: why a chain ends after it, or why it is in none. */
  readonly breaks: ReadonlyMap<OpId, string>;
}

/**
 * Walks the ready list and builds chains (tt-mlir `DFShardingPolicy::run`). A chain continues while the op
 * has exactly one use: a ready op reads it as operand 0; a concat is a chain of its own.
 *
 * @param dependencies per op: the schedulable ops that must run before it
 * @param hasShardedConfigs whether an op has at least one legal sharded config
 */
export function buildChains(
  fn: GraphFunction,
  dependencies: readonly (readonly OpId[])[],
  hasShardedConfigs: (op: OpId) => boolean,
  conventions: Conventions,
): BuiltChains {
  const scheduler = new DfScheduler(fn, dependencies);
  const chains: L1ChainConfig[] = [];
  const breaks = new Map<OpId, string>();
  let open = new L1ChainConfig(0);
  const closeChain = (): void => {
    if (open.ops.length === 0) return;
    open.build();
    chains.push(open);
    open = new L1ChainConfig(chains.length);
  };
  const endBehind = (op: GraphOp, reason: string): undefined => {
    breaks.set(op.id, reason);
    closeChain();
  };
  /** Adds a scheduled op to a chain; returns the op that the chain continues with. */
  const take = (op: GraphOp): OpId | undefined => {
    if (open.ops.length === 0 && op.name === "ttnn.to_layout") return undefined;
    const refusal = whyNotShardable(op, hasShardedConfigs, conventions);
    if (refusal !== undefined) return endBehind(op, refusal);
    if (op.name === "ttnn.concat") {
      closeChain();
      open = new L1ChainConfig(chains.length, true);
      open.addOp(op.id);
      return endBehind(op, "a concat is a chain of its own");
    }
    open.addOp(op.id);
    const next = readyUser(fn, op, scheduler);
    const reason = whyChainEnds(fn, op, next);
    return reason === undefined ? next?.id : endBehind(op, reason);
  };
  let current: OpId | undefined;
  while (scheduler.hasUnscheduledOps()) {
    if (open.ops.length === 0) current = scheduler.firstLayoutChange();
    current ??= scheduler.first();
    if (current === undefined) {
      throw new RangeError(`Cannot schedule ${fn.name}: its ops depend on each other`);
    }
    const op = opAt(fn, current);
    scheduler.scheduleOp(op.id);
    current = take(op);
  }
  closeChain();
  return { chains, schedule: scheduler.schedule, fullSchedule: scheduler.fullSchedule(), breaks };
}

function whyNotShardable(
  op: GraphOp,
  hasShardedConfigs: (op: OpId) => boolean,
  conventions: Conventions,
): string | undefined {
  if (!isShardable(op.name, conventions)) return `${op.name} is not an op that chains may hold`;
  return hasShardedConfigs(op.id) ? undefined : "it has no legal sharded config";
}

/** A user among the ready ops. If the chain continues, there is only one. */
function readyUser(fn: GraphFunction, { results }: GraphOp, scheduler: DfScheduler): GraphOp | undefined {
  for (const value of results) {
    const use = valueAt(fn, value).uses.find(({ op }) => scheduler.isReady(op));
    if (use !== undefined) return opAt(fn, use.op);
  }
  return undefined;
}

/** Why the chain ends after an op; `undefined` if it continues with the next op. */
function whyChainEnds(fn: GraphFunction, op: GraphOp, next: GraphOp | undefined): string | undefined {
  const uses = op.results.flatMap((value) => valueAt(fn, value).uses);
  const returned = op.results.reduce((sum, value) => sum + valueAt(fn, value).returned, 0);
  if (uses.length + returned !== 1) {
    return uses.length + returned === 0
      ? "nothing uses its result"
      : `its result has ${uses.length + returned} uses`;
  }
  if (returned > 0) return "the function returns its result";
  if (next === undefined) {
    const user = uses[0] === undefined ? undefined : fn.ops[uses[0].op];
    return `${user?.name ?? "its user"} still waits for another operand`;
  }
  const [first] = next.operands;
  if (first === undefined || !op.results.includes(first)) return `${next.name} does not read it as operand 0`;
  if (next.name === "ttnn.concat") return "a concat is a chain of its own";
  return undefined;
}
