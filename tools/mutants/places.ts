// SPDX-License-Identifier: Apache-2.0
import type { Mutations } from "./mutation.ts";

/** Edits at places where an independent list of mutations had found survivors. */
export const PLACE_MUTATIONS: Mutations = {
  "lib/layout/make_layout.ts: tensor layout: interleaved L1 (tensor-layout)": [
    "Math.«ceil→round»((unitRows * unitColumns) / cores)",
  ],
  "sim/cost/runtime.ts: answers of the cost model that are kept": [
    "getOrInsertComputed(«configs.of(config)→0», ",
  ],
  "lib/propagation/beam.ts: beam search, order of what is tried (ttnn-optimizer §5.8.1)": [
    "dearerBy(candidate.score.pathMicroseconds, best) : «→-»slot,",
    "«dearerBy(candidate.score.pathMicroseconds, best)→-candidate.score.pathMicroseconds» : slot,",
    'this.#options.score «===→!==» "runtime" ? dearerBy(',
    '"runtime" ? «microseconds→0» : this.#options.beamWidth;',
    '"runtime" ? microseconds : «this.#options.beamWidth→0»;',
  ],
  "sim/kernels/transfer.ts: pages from and to shards": [
    "«halved ? Math.ceil(transactions / 2) : →»transactions;",
    "halved ? Math.«ceil→floor»(transactions / 2) : transactions;",
    "«halved ? Math.ceil(transactions / 2) : transactions→Math.ceil(transactions / 2)»;",
  ],
  "lib/propagation/input_candidates.ts: inline reshard candidates (ttnn-optimizer §5.6.1)": [
    "gridVolume «<=→<» tiles",
  ],
  "lib/propagation/trace_back.ts: beam search, trace-back (ttnn-optimizer §5.8.1)": [
    "else «if (evaluator.returnedIn(value) !== layout) →»cost",
    "else if (evaluator.returnedIn(value) «!==→===» layout) cost",
  ],
  "lib/propagation/exploration.ts: beam search, one combination (ttnn-optimizer §5.8.1)": [
    "«        operands.indexOf(value),\n→»",
    "parts.push(«this.#mustReach[value] ?? -1, →»evaluator",
    "values[earlier] === values[operand] «&&→||» inputs",
    "values[earlier] === values[operand]« && inputs[earlier] === candidate.layout→»",
    "«values[earlier] === values[operand] && →»inputs[earlier] === candidate.layout",
  ],
  "lib/passes/patterns/formulas/fuse_linear.ts: graph pattern fuse-linear": [
    "«matmul.read(MATMUL).activation === undefined→true»;",
    "«isRow(addend, width) && →»",
  ],
  "lib/lowering/families/reduction.ts: lowering of products along dimensions": [
    "«current.shape.map((_, dim) => dim)→[]»;",
  ],
  "lib/lowering/families/matmul.ts: lowering of products of matrices": [
    "transposeB« && right.shape.length > 1→»",
  ],
  "lib/passes/common_subexpressions.ts: common subexpressions": [
    "« && sameTexts(a.attributes, b.attributes)→»",
    "«sameTexts(a.properties, b.properties) && →»",
    "«a.size === b.size && →»",
  ],
  "lib/chains/shard_solver.ts: ShardSolver (ttnn-optimizer §3.3, shard-solver-deep-dive)": [
    "«Math.min(this.problem.ops[op]?.gridVolumes.length ?? 0, CONFIG_BITS)→this.problem.ops[op]?.gridVolumes.length ?? 0»",
    "return `${edge.consumer}«:${edge.operand}→»`;",
    "return `${edge.«consumer}:${edge.→»operand}`;",
  ],
  "lib/search/memory_schedule.ts: an order that needs less L1": [
    "«growth === bestGrowth && op > (best ?? Infinity)→false»",
    "«(value.returned > 0 ? 1 : 0)→0»",
    "«        if ((left[value] ?? 0) === 0) live -= this.#bytes[value] ?? 0;\n→»",
    "?? 0)« + sumOf(this.#results[op] ?? [], this.#bytes)→»;",
    "if (left[value] === «1→0») {",
  ],
  "lib/optimal/elimination/message_cache.ts: messages of variable elimination that are kept": [
    "«if (this.#entries < this.#most) return;→»",
    "«    this.#entries = 0;\n→»",
    "«    this.#last = [];\n→»",
    "message«: { ...message, work: 0 }→» };",
    "«    table === other.table &&\n→»",
    "    «sameItems(scope, other.scope)→true») &&\n",
    "if (cost «< least) least = cost→<= least) least = entry»;",
    "if (least > 0« && least < Infinity→») {",
    "«      content = this.#earlier.get(key);\n→»",
  ],
  "lib/chains/chain_oracle.ts: questions of the ShardSolver (shard-solver-deep-dive §5)": [
    'this.#entryLayout(first, firstLayout), "«dram→l1»");',
    "«this.#entryLayout(first, firstLayout)→firstLayout»",
    '      «inputs.join()→""»,\n',
    "const key = `${«operand}|${→»layout}|${extra}`;",
    "const key = `${operand}|${layout}«|${extra}→»`;",
    "const key = `${operand}|${«layout}|${→»extra}`;",
    "output «=== config.outputLayout→!== undefined» ? [{",
    '«definitionOf(context.op(op).name).costClass !== "eltwise_binary"→true»',
  ],
  "lib/chains/chain_merges.ts: merges of chains (ttnn-optimizer §4.1.2)": [
    "return «state.rangeRefusal(state.placeOf(last) + 1, state.placeOf(join) - 1, held)→undefined»;",
    "rangeRefusal(state.placeOf(last) + 1, state.placeOf(join) - «1→2», held);",
    "rangeRefusal(state.placeOf(last) + «1→2», state.placeOf(join) - 1, held);",
  ],
  "lib/chains/emit_plan.ts: plan of the chains and its fit (ttnn-optimizer §3.5)": [
    "this.#positionOf(op) «>=→>» position);",
    "this.#positionOf(op) «>=→<=» position);",
    "uses.«every→some»(({ op }) => this.#positionOf(op) >= position)",
  ],
  "lib/chains/build_chains.ts: which elementwise ops chains hold (ttnn-optimizer §3.2.3)": [
    "(«chainsEveryEltwise && →»ELTWISE",
    "«(chainsEveryEltwise && ELTWISE.has(definitionOf(name).costClass))→false»",
  ],
};
