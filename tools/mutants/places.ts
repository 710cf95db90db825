// SPDX-License-Identifier: Apache-2.0
import type { Mutations } from "./mutation.ts";

const FORWARD = ["lib/propagation/forward_pass_test.ts", "lib/propagation/propagate_test.ts"];

/** Edits at places where an independent list of mutations had found survivors. */
export const PLACE_MUTATIONS: readonly Mutations[] = [
  {
    algorithm: "tensor layout: interleaved L1 (tensor-layout)",
    file: "lib/layout/make_layout.ts",
    tests: ["lib/layout/make_layout_test.ts"],
    edits: ["Math.«ceil→round»((unitRows * unitColumns) / cores)"],
  },
  {
    algorithm: "answers of the cost model that are kept",
    file: "sim/cost/runtime.ts",
    tests: ["sim/cost/config_answers_test.ts"],
    edits: ["getOrInsertComputed(«configs.of(config)→0», "],
  },
  {
    algorithm: "beam search, order of what is tried (ttnn-optimizer §5.8.1)",
    file: "lib/propagation/beam.ts",
    tests: FORWARD,
    edits: [
      "dearerBy(candidate.score.pathMicroseconds, best) : «→-»slot,",
      "«dearerBy(candidate.score.pathMicroseconds, best)→-candidate.score.pathMicroseconds» : slot,",
      'this.#options.score «===→!==» "runtime" ? dearerBy(',
      '"runtime" ? «microseconds→0» : this.#options.beamWidth;',
      '"runtime" ? microseconds : «this.#options.beamWidth→0»;',
    ],
  },
  {
    algorithm: "pages from and to shards",
    file: "sim/kernels/transfer.ts",
    tests: ["sim/kernels/transfer_test.ts"],
    edits: [
      "«halved ? Math.ceil(transactions / 2) : →»transactions;",
      "halved ? Math.«ceil→floor»(transactions / 2) : transactions;",
      "«halved ? Math.ceil(transactions / 2) : transactions→Math.ceil(transactions / 2)»;",
    ],
  },
  {
    algorithm: "inline reshard candidates (ttnn-optimizer §5.6.1)",
    file: "lib/propagation/input_candidates.ts",
    tests: FORWARD,
    edits: ["gridVolume «<=→<» tiles"],
  },
  {
    algorithm: "beam search, trace-back (ttnn-optimizer §5.8.1)",
    file: "lib/propagation/trace_back.ts",
    tests: FORWARD,
    edits: [
      "else «if (evaluator.returnedIn(value) !== layout) →»cost",
      "else if (evaluator.returnedIn(value) «!==→===» layout) cost",
    ],
  },
  {
    algorithm: "beam search, one combination (ttnn-optimizer §5.8.1)",
    file: "lib/propagation/exploration.ts",
    tests: FORWARD,
    edits: [
      "«        operands.indexOf(value),\n→»",
      "«        this.#mustReach[value] ?? -1,\n→»",
      "values[earlier] === values[operand] «&&→||» inputs",
      "values[earlier] === values[operand]« && inputs[earlier] === candidate.layout→»",
      "«values[earlier] === values[operand] && →»inputs[earlier] === candidate.layout",
    ],
  },
  {
    algorithm: "graph pattern fuse-linear",
    file: "lib/passes/patterns/formulas/fuse_linear.ts",
    tests: ["lib/passes/patterns/formulas/fuse_linear_test.ts"],
    edits: [
      "«matmul.read(MATMUL).activation === undefined→true»;",
      "«isRow(addend, width) && →»",
    ],
  },
  {
    algorithm: "lowering of products along dimensions",
    file: "lib/lowering/families/reduction.ts",
    tests: ["lib/lowering/families/reduction_test.ts"],
    edits: ["«current.shape.map((_, dim) => dim)→[]»;"],
  },
  {
    algorithm: "lowering of products of matrices",
    file: "lib/lowering/families/matmul.ts",
    tests: ["lib/lowering/families/matmul_test.ts"],
    edits: ["transposeB« && right.shape.length > 1→»"],
  },
  {
    algorithm: "common subexpressions",
    file: "lib/passes/common_subexpressions.ts",
    tests: ["lib/passes/common_subexpressions_test.ts"],
    edits: [
      "« && sameTexts(a.attributes, b.attributes)→»",
      "«sameTexts(a.properties, b.properties) && →»",
      "«a.size === b.size && →»",
    ],
  },
  {
    algorithm: "ShardSolver (ttnn-optimizer §3.3, shard-solver-deep-dive)",
    file: "lib/chains/shard_solver.ts",
    tests: ["lib/chains/shard_solver_test.ts"],
    edits: [
      "«Math.min(this.problem.ops[op]?.gridVolumes.length ?? 0, CONFIG_BITS)→this.problem.ops[op]?.gridVolumes.length ?? 0»",
      "return `${edge.consumer}«:${edge.operand}→»`;",
      "return `${edge.«consumer}:${edge.→»operand}`;",
    ],
  },
  {
    algorithm: "an order that needs less L1",
    file: "lib/search/memory_schedule.ts",
    tests: ["lib/search/memory_schedule_test.ts"],
    edits: [
      "«growth === bestGrowth && op > (best ?? Infinity)→false»",
      "«(value.returned > 0 ? 1 : 0)→0»",
      "«        if ((left[value] ?? 0) === 0) live -= this.#bytes[value] ?? 0;\n→»",
      "?? 0)« + sumOf(this.#results[op] ?? [], this.#bytes)→»;",
      "if (left[value] === «1→0») {",
    ],
  },
  {
    algorithm: "messages of variable elimination that are kept",
    file: "lib/optimal/elimination/message_cache.ts",
    tests: [
      "lib/optimal/elimination/message_cache_test.ts",
      "lib/optimal/elimination/variable_elimination_test.ts",
    ],
    edits: [
      "«if (this.#entries < this.#most) return;→»",
      "«    this.#entries = 0;\n→»",
      "«    this.#last = [];\n→»",
      "message«: { ...message, work: 0 }→» };",
      "cached === undefined« || !isSameGraph(cached, domains, scopes)→»",
      "«    table === other.table &&\n→»",
      "    «sameItems(scope, other.scope)→true») &&\n",
      "if (cost «< least) least = cost→<= least) least = entry»;",
      "if (least > 0« && least < Infinity→») {",
      "«      content = this.#earlier.get(key);\n→»",
      "«sameItems(domains, cache.domains) &&\n    →»",
    ],
  },
  {
    algorithm: "questions of the ShardSolver (shard-solver-deep-dive §5)",
    file: "lib/chains/chain_oracle.ts",
    tests: ["lib/chains/chain_oracle_test.ts"],
    edits: [
      'this.#entryLayout(first, firstLayout), "«dram→l1»");',
      "«this.#entryLayout(first, firstLayout)→firstLayout»",
      'const key = «inputs.join()→""»;',
      "const key = `${«operand}|${→»layout}|${extra}`;",
      "const key = `${operand}|${layout}«|${extra}→»`;",
      "const key = `${operand}|${«layout}|${→»extra}`;",
      "output «=== config.outputLayout→!== undefined» ? [{",
      '«definitionOf(context.op(op).name).costClass !== "eltwise_binary"→true»',
    ],
  },
  {
    algorithm: "merges of chains (ttnn-optimizer §4.1.2)",
    file: "lib/chains/chain_merges.ts",
    tests: ["lib/chains/merge_windows_test.ts"],
    edits: [
      " «state.rangeRefusal(start, state.placeOf(join) - 1, bytes, new Map([[last, layout]]))→undefined»",
      "rangeRefusal(start, state.placeOf(join) - «1→2», bytes, new Map([[last, layout]]))",
      "rangeRefusal(start«→ + 1», state.placeOf(join) - 1, bytes, new Map([[last, layout]]))",
      [
        "rangeRefusal(start, state.placeOf(join) - 1, bytes, new Map(«[[last, layout]]→»))",
        "only an op that reads the output asks where it waits, and that is the join alone, behind the range",
      ],
    ],
  },
  {
    algorithm: "plan of the chains and its fit (ttnn-optimizer §3.5)",
    file: "lib/chains/emit_plan.ts",
    tests: ["lib/chains/plan_chains_test.ts"],
    edits: [
      "this.#positionOf(op) «>=→>» position);",
      "this.#positionOf(op) «>=→<=» position);",
      "uses.«every→some»(({ op }) => this.#positionOf(op) >= position)",
    ],
  },
  {
    algorithm: "which elementwise ops chains hold (ttnn-optimizer §3.2.3)",
    file: "lib/chains/build_chains.ts",
    tests: ["lib/chains/build_chains_test.ts"],
    edits: [
      "(«chainsEveryEltwise && →»ELTWISE",
      "«(chainsEveryEltwise && ELTWISE.has(definitionOf(name).costClass))→false»",
    ],
  },
];
