// SPDX-License-Identifier: Apache-2.0
import type { ShardSolver } from "./shard_solver.ts";

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
