// SPDX-License-Identifier: Apache-2.0
import type { Mutations } from "./mutation.ts";

/** DFSharding 1.0: legal layouts, schedule, chains and the ShardSolver. */
export const CHAIN_SOLVING_MUTATIONS: Mutations = {
  "lib/chains/chain_context.ts: layouts that an op can make (ttnn-optimizer §3.1.3, §3.1.5)": [
    "«makes(declared, config)→true» ||",
    "«makes(declared, config) || →»",
    "[first, ...declared.slice(1)]«→.length > 0 ? declared : []»",
    "«    declared.map((layout, operand) => sharded[operand]?.[0] ?? layout),\n→»",
    "layouts.get(id).memoryLayout «===→!==» memoryLayout",
    "«, ...equivalent.slice(0, 1)→»])]",
  ],
  "lib/chains/build_chains.ts: chain building (ttnn-optimizer §3.2)": [
    "if (uses.length + returned «!== 1→=== 0») {",
    "if (first === undefined« || !op.results.includes(first)→») return",
    '«if (next.name === "ttnn.concat") return "a concat is a chain of its own";→»',
    'return «hasShardedConfigs(op.id) ? undefined : "it has no legal sharded config"→undefined»;',
    "«if (open.ops.length === 0) →»current = scheduler",
    'if (returned > 0) return «"the function returns its result"→undefined»;',
  ],
  "lib/chains/df_scheduler.ts: schedule (ttnn-optimizer §3.2.2)": [
    "return «[...blocked, ...others]→ready»;",
    "if («!→»this.#isBlocked(op)) this.#others.push(op);",
    "(this.#waiting[user] ?? 0) > «1→0»",
    'return definition.kind === "result" ? «[definition.op]→[]» : [];',
  ],
  "lib/chains/l1_chain_config.ts: L1ChainConfig (ttnn-optimizer §3.2.4)": [
    '«this.#expect("Built", "resolve");→»',
    '«this.#expect("Resolved", "complete");→»',
    '«this.#expect("InBuild", `add op ${op}`);→»',
    'this.#state = "Failed";\n    this.#failure = reason;«\n    this.#configs = [];→»',
  ],
  "lib/chains/shard_solver.ts: ShardSolver (ttnn-optimizer §3.3, shard-solver-deep-dive)": [
    "this.#bitsets = problem.ops.map(() => «ConfigBitset.all→new ConfigBitset»());",
    [
      "«if (!producerBits.isSubsetOf(edgeProducers)) shrunken.push(edge.producer);→»",
      "the last round of updateSolver over every op reaches the same fixed point; the queue only gets there sooner",
    ],
    [
      "«producerBits.and(edgeProducers);→»",
      "PathSet.update() drops the same producers in the round that follows",
    ],
    "«consumerBits.and(edgeConsumers);→»",
    "«if (input.configs.length > 0) →»return undefined;",
    "const isOverride = «this.#overrides.has(edgeKey(edge))→false»;",
    '«if (possible.length === 0) return { edge, reason: "no_reshard" };→»',
    [
      "    «bits.clear();\n    →»const possible",
      "the AND with what the edge leaves gives the same set; before it only the trace sees more",
    ],
    "    bits.«clear();\n    bits.→»set(config);",
    "reshardLayouts: new Map(possible«→.slice(0, 1)»)",
    "for (const producerId of liveProducers«→.slice(0, 1)») {\n        for (const consumerId of entry",
    "«this.#firstOpInput = { operand: input.operand, layout: input.layout };→»",
    "if («this.#selected[op] !== undefined→op < 0») throw",
  ],
  "lib/chains/path_set.ts: path sets (shard-solver-deep-dive §3)": [
    "consumer.has(consumerId)« && producer.has(producerId)→»",
    "«consumer.has(consumerId) && →»producer.has(producerId)",
    "«        index--;\n→»",
    "«producer.and(validProducer);→»",
    "«consumer.and(validConsumer);→»",
    "return «!unchanged→false»;",
  ],
  "lib/chains/update_solver.ts: updateSolver (shard-solver-deep-dive §6)": [
    "«needsUpdate.push(edge.producer);\n      →»addUsers",
    "«needsUpdate.push(edge.consumer);\n      →»addUsers",
    "«if (dead !== undefined) return dead.edge;→»",
  ],
  "lib/chains/config_bitset.ts: bitsets (shard-solver-deep-dive §2)": [
    "(this.#words[word] ?? 0) & «~→»(other.#words[word] ?? 0)) !== 0) return false;",
    "bits.#words.fill(«0xffffffff→0x7fffffff»);",
    'this.has(index) ? "«1" : "0→0" : "1»"',
    " «Math.min(width, CONFIG_BITS) - 1; index >= 0; index--→0; index < Math.min(width, CONFIG_BITS); index++»",
  ],
  "lib/chains/update_solver.ts: core usage maximization (ttnn-optimizer §3.3.8)": [
    "value« / operands→»);",
    "Math.«max→min»(best[producerId] ?? 0, Math.trunc",
    "«Math.trunc→»(consumerUsage[consumerId] ?? 0)",
    "for (let op = «usage.length - 1; op >= 0; op--→0; op < usage.length; op++»)",
  ],
  "lib/chains/solve_chain.ts: picking configs (ttnn-optimizer §3.3.8)": [
    "if (cores «>→>=» most) {",
    "} else if (cores «=== most && !isBlock(config) && isBlock(selected)→< 0») {",
    "«if (bestPreferred !== undefined) solver.set(last, bestPreferred);→»",
    "(usage[last]?.[config] ?? 0) «>→<» (usage[last]?.[bestPreferred] ?? 0)",
  ],
  "lib/chains/chain_oracle.ts: questions of the ShardSolver (shard-solver-deep-dive §5)": [
    "return «outputShards < most→false»;",
    'return { kind: "«override→reshard»" };',
    '«if (name === "ttnn.conv2d" || name === "ttnn.conv_transpose2d") return { kind: "reshard" };→»',
    "const extra = «this.#options.countOperandBytes ? l1Bytes(context.layouts, layout) : →»0;",
    "«this.#produces(op, inputs, config) ? [index] : [→[index»]",
    [
      "«.filter(({ output }) => !shrinksCores(context, consumer, output, [layout]))→»",
      "without a hint the op model keeps the grid of the sharded operand, so that no result has fewer cores",
    ],
    "«if (!this.#context.options.memReconfigEnabled) return entry;→»",
    "this.#optimalFirstOpInput(op, «Math.max(dispatched, 0)→0»)",
    "context.options.solveForOptimalFirstOpInput« || dispatched >= 0→»",
  ],
};
