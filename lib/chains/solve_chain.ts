// SPDX-License-Identifier: Apache-2.0
import type { OpConfig } from "../analysis/op_config.ts";
import type { OpId } from "../graph/graph.ts";
import type { LayoutId } from "../layout/layout_table.ts";
import type { ChainContext } from "./chain_context.ts";
import { ChainOracle, type ChainOracleOptions, chainProblem } from "./chain_oracle.ts";
import type { ChainReconfig, L1ChainConfig } from "./l1_chain_config.ts";
import { ShardSolver, type SolverFailure, type SolverObserver } from "./shard_solver.ts";

/**
 * Solves a built chain (tt-mlir:dfsharding). Afterwards the chain is either Completed, with a config per op and
 * a spill to DRAM, or Failed as a whole.
 */
export function solveChain(
  context: ChainContext,
  chain: L1ChainConfig,
  options: ChainOracleOptions,
  observer: SolverObserver | undefined,
): void {
  const { ops } = chain;
  const solver = new ShardSolver(
    chainProblem(context, ops),
    new ChainOracle(context, ops, options),
    observer,
  );
  const failure = solver.resolve();
  if (failure !== undefined) {
    chain.fail(describeFailure(context, ops, failure));
    return;
  }
  const configsOf = (op: OpId): readonly OpConfig[] => context.shardedConfigs[op] ?? [];
  const last = ops.at(-1);
  pickOpShardConfigs(solver, (index) => {
    const config = last === undefined ? undefined : configsOf(last)[index];
    return config !== undefined && chain.preferredOutputMemLayout !== undefined &&
      context.layouts.get(config.outputLayout).memoryLayout === chain.preferredOutputMemLayout;
  });
  const solution = solver.finish();
  const configs = ops.map((op, place): OpConfig => {
    const config = configsOf(op)[solution.selectedConfigs[place] ?? -1];
    if (config === undefined) {
      throw new RangeError(`Cannot complete chain ${chain.id}: op ${op} has no config`);
    }
    return config;
  });
  const reconfigs = solution.memReconfigs.flatMap(
    ({ consumer, operand, reshardLayouts }): ChainReconfig[] => {
      const op = ops[consumer];
      if (op === undefined) return [];
      const layouts = reshardLayouts.get(solution.selectedConfigs[consumer] ?? -1) ?? [];
      const layout = pickReshardLayout(context, op, operand, layouts);
      return layout === undefined ? [] : [{ op, operand, layout }];
    },
  );
  const [first] = ops;
  if (first !== undefined && solution.firstOpInput !== undefined) {
    reconfigs.push({ op: first, ...solution.firstOpInput });
  }
  chain.resolve();
  chain.complete(configs, reconfigs);
  chain.spillLocation = "DRAM";
}

/** The first layout with the same kind of pages as the operand, otherwise the first one (tt-mlir:ttnn-optimizer). */
function pickReshardLayout(
  context: ChainContext,
  op: OpId,
  operand: number,
  layouts: readonly LayoutId[],
): LayoutId | undefined {
  const current = context.operandLayouts(op)[operand];
  const isTiled = current === undefined || context.layouts.get(current).tile !== undefined;
  return layouts.find((layout) => (context.layouts.get(layout).tile !== undefined) === isTiled) ?? layouts[0];
}

function describeFailure(
  context: ChainContext,
  ops: readonly OpId[],
  { edge, reason }: SolverFailure,
): string {
  const op = ops[edge.consumer];
  const consumer = op === undefined ? "an op" : context.describeOp(op);
  const operand = `operand ${edge.operand} of ${consumer}`;
  return reason === "no_reshard"
    ? `${operand} has no layout, direct or converted, from which a sharded config of the op follows`
    : `the configs that ${operand} leaves contradict each other`;
}

/**
 * Picks a config per op (tt-mlir `pickOpShardConfigs`): the most accumulated core usage; on ties the first
 * config, but height and width sharding before block sharding.
 *
 * @param preferred configs of the last op that are chosen first if one of them is possible
 */
export function pickOpShardConfigs(
  solver: ShardSolver,
  preferred: (config: number) => boolean = () => false,
): void {
  const usage = solver.coreUsage();
  const ops = solver.problem.ops;
  const last = ops.length - 1;
  let bestPreferred: number | undefined;
  for (const config of solver.liveConfigs(last)) {
    if (!preferred(config)) continue;
    const isBetter = bestPreferred === undefined ||
      (usage[last]?.[config] ?? 0) > (usage[last]?.[bestPreferred] ?? 0);
    if (isBetter) bestPreferred = config;
  }
  if (bestPreferred !== undefined) solver.set(last, bestPreferred);
  ops.forEach((op, place) => {
    if (solver.selectedConfig(place) !== undefined) return;
    const live = solver.liveConfigs(place);
    const isBlock = op.isBlockSharded ?? (() => false);
    let selected = live[0];
    if (selected === undefined) throw new RangeError(`Cannot pick a config for ${op.name}: none is possible`);
    let most = 0;
    for (const config of live) {
      const cores = usage[place]?.[config] ?? 0;
      if (cores > most) {
        most = cores;
        selected = config;
      } else if (cores === most && !isBlock(config) && isBlock(selected)) {
        selected = config;
      }
    }
    solver.set(place, selected);
  });
}
