// SPDX-License-Identifier: Apache-2.0
import type { Mutations } from "./mutation.ts";

const WINDOWS = ["lib/chains/merge_windows_test.ts", "lib/chains/reservation_windows_test.ts"];
const DECISIONS = [
  "lib/chains/fit_plan_test.ts",
  "lib/chains/merge_state_test.ts",
  ...WINDOWS,
  "lib/chains/merged_decisions_test.ts",
  "lib/chains/plan_chains_test.ts",
  "lib/chains/df_sharding_test.ts",
];
const SOLVER = ["lib/chains/shard_solver_test.ts"];
const BUILD = ["lib/chains/build_chains_test.ts", "lib/chains/df_scheduler_test.ts"];

/** DFSharding 1.0 and 2.0, the ShardSolver and the interleaved policies. */
export const CHAIN_MUTATIONS: readonly Mutations[] = [
  {
    algorithm: "L1 reservation timeline (ttnn-optimizer §4.1.3)",
    file: "lib/chains/l1_reservations.ts",
    tests: ["lib/chains/l1_reservations_test.ts"],
    edits: [
      ["bytes += own;", "bytes += 0;"],
      ["start <= position && position <= end) bytes", "start <= position && position < end) bytes"],
      ["if (start <= position && position", "if (start < position && position"],
      ["entry.op === op && entry.start <= position", "entry.start <= position"],
      ["entry.op === op && entry.start <= position && position <= entry.end", "entry.op === op"],
    ],
  },
  {
    algorithm: "merge validation (ttnn-optimizer §4.1.5)",
    file: "lib/chains/merge_state.ts",
    tests: DECISIONS,
    edits: [
      [
        "    if (chain !== undefined && !seesWaitingOutputs) return undefined;\n",
        "    if (chain === undefined) return undefined;\n",
      ],
      ["if (outputLayout === undefined) return undefined;", "return undefined;"],
      [
        "if (isReduction && readsSharded) return",
        "if (isReduction && readsSharded && extraL1Bytes < 0) return",
      ],
      [
        "seesWaitingOutputs ? new Map([...this.#residents, ...held]) : held",
        "seesWaitingOutputs ? this.#residents : held",
      ],
      ["seesWaitingOutputs ? residents : NO_RESIDENTS", "NO_RESIDENTS"],
      [
        "return this.#residentLayout(value, residents) ?? context.declared[value];",
        "return context.declared[value];",
      ],
      ["this.context.conventions.countsOperandBytes ? this.#ownInputBytes(op, inputs, held) : 0", "0"],
      ["extraL1Bytes + own);", "own);"],
      ["if (!isCounted) bytes += this.bytes(layout);", "bytes += this.bytes(layout);"],
      ["if (layout === undefined || counted.has(value)) return;", "if (layout === undefined) return;"],
      ["this.reservations.bytesAt(position) + extraL1Bytes, held", "extraL1Bytes, held"],
      [
        "position <= Math.min(end, this.decided.schedule.length - 1)",
        "position < Math.min(end, this.decided.schedule.length - 1)",
      ],
      ["let position = Math.max(0, start);", "let position = Math.max(0, start) + 1;"],
      ["if (reserve) this.reservations.add({", "if (reserve && start > end) this.reservations.add({"],
      [
        "if (reconfig !== undefined) return reconfig.layout;",
        "if (reconfig !== undefined) return this.context.declared[value];",
      ],
      [
        "if (isInside) return chain.configOf(producer)?.outputLayout;",
        "if (isInside) return this.context.declared[value];",
      ],
      [
        'return chain?.state === "Completed" && chain.lastOp === producer ? chain : undefined;',
        'return chain?.state === "Completed" ? chain : undefined;',
      ],
      ["if (readsHeld && this.context.conventions.seesWaitingOutputs) {", "if (readsHeld && position < 0) {"],
    ],
  },
  {
    algorithm: "chain merging (ttnn-optimizer §4.1.2)",
    file: "lib/chains/chain_merges.ts",
    tests: DECISIONS,
    edits: [
      ["if (threeWayMerge(state, chain, candidates)) continue;", ""],
      ["if (place > 0 && operand === 0) return;", "if (operand === 0) return;"],
      [
        "[left, right].find(({ last }) => context.useCount(last) !== 1)",
        "[left, right].find(({ last }) => context.useCount(last) < 1)",
      ],
      [
        "return state.rangeRefusal(at(first.last) + 1, at(second.last), first.bytes, heldFirst) ??\n",
        "return undefined ??\n",
      ],
      ["    state.rangeRefusal(at(second.last) + 1, at(join) - 1, bytes, held) ??\n", ""],
      [
        "const [first, second] = at(left.last) <= at(right.last) ? [left, right] : [right, left];",
        "const [first, second] = [left, right];",
      ],
      [
        "    joinRefusal(state, chain, join, joinInputs(state, chain, [left, right]), bytes, held);",
        "    undefined;",
      ],
      ["if (shrinksCores(state.context, join, config.outputLayout, inputs)) return SHRINKS;", ""],
      ["state.reservations.bytesAt(state.position(join) ?? 0) + bytes,", "0,"],
      [
        "candidates.toSorted((a, b) => b.bytes - a.bytes)",
        "candidates.toSorted((a, b) => a.bytes - b.bytes)",
      ],
      [
        'const refusal = candidate.source.spillLocation === "None"\n      ? undefined\n      : singleMergeRefusal',
        "const refusal = candidate.bytes > 0\n      ? undefined\n      : singleMergeRefusal",
      ],
      [
        "  if (state.context.useCount(last) !== 1) return `${state.context.describeOp(last)} has other readers`;\n  const inputs",
        "  const inputs",
      ],
      ["if (copiesView(state, chain, candidate, inputs))", "if (bytes < 0)"],
      ["return state.rangeRefusal(start, end - 1, bytes, held) ??\n", "return undefined ??\n"],
      ["    joinRefusal(state, chain, join, inputs, bytes, held);", "    undefined;"],
      ["    if (!isConverted) inputs[operand] = layout;", "    inputs[operand] = layout;"],
      ['if (chain.state !== "Completed") continue;\n    const candidates', "const candidates"],
      [
        'if (source.spillLocation === "None" && context.conventions.mergesAllOutputs) return;',
        "",
        "what stays already is applied a second time, which does nothing",
      ],
      [
        "    if (joinsOnOperand0) continue;\n",
        "",
        "an output on operand 0 that is no concat is a reshape, which stays already",
      ],
      ["} else if (candidate.bytes > (best?.bytes ?? 0)) best = candidate;", "} else best = candidate;"],
      ["if (fragmented !== undefined) return fragmented;", ""],
    ],
  },
  {
    algorithm: "concat chains (ttnn-optimizer §4.1.6)",
    file: "lib/chains/concat_chains.ts",
    tests: DECISIONS,
    edits: [
      [
        'fromEnd === 1 ? "height_sharded" : fromEnd === 2 ? "width_sharded"',
        'fromEnd === 1 ? "width_sharded" : fromEnd === 2 ? "height_sharded"',
      ],
      ["const fromEnd = dim < 0 ? -dim : rank - dim;", "const fromEnd = rank - dim;"],
      ["if (chain !== undefined) chain.preferredOutputMemLayout = wanted;", ""],
      [
        "if (behind !== undefined && behind.firstOp === reader?.op) behind",
        "if (behind !== undefined && wanted === undefined) behind",
      ],
      [
        "if (behind !== undefined && behind.firstOp === reader?.op) behind",
        "if (behind !== undefined) behind",
      ],
      [
        "context.useCount(op) === 1\n      ? context.op(op).results",
        "context.useCount(op) > 0\n      ? context.op(op).results",
      ],
      ["if (refusal !== undefined) return refusal;\n  const end", "const end"],
      ["if (held.has(last)) continue;", ""],
      ["bytes += state.bytes(layout);\n    const next", "const next"],
      [
        "const extra = state.reservations.bytesAt(state.position(op) ?? 0) + bytes;\n  return state.refusal(op, inputs.map(({ layout }) => layout), config, extra, held);",
        "return undefined;",
      ],
      ['chain.spillLocation = "None";\n    state.keep', "state.keep"],
      [
        "state.keep(chain, layout, end, context.conventions.reservesMerges);",
        "state.keep(chain, layout, end, false);",
      ],
      ['concat.spillLocation = "DRAM";', 'concat.spillLocation = "None";'],
      ["if (!isSharded(context.layouts.get(layout))) return `operand ${operand} is not sharded`;", ""],
    ],
  },
  {
    algorithm: "reshape and fork reservations (ttnn-optimizer §4.1.4, §4.1.7)",
    file: "lib/chains/output_reservations.ts",
    tests: DECISIONS,
    edits: [
      [
        "if (context.conventions.keepsReshapesThatGain && losesView(state, op, feedsDirectly)) {",
        "if (position < 0) {",
      ],
      ['if (feedsDirectly) source.spillLocation = "L1Interleaved";', ""],
      ['if (feedsDirectly && context.conventions.keepsReshapesThatGain) source.spillLocation = "DRAM";', ""],
      ['if (uses === "returned") return "returned";', 'if (uses === "returned") return "refused";'],
      [
        "if (refusal !== undefined) {\n    state.decided.reasons.add(op, `its result does not stay in L1: ${refusal}`);",
        "if (refusal !== undefined && bytes < 0) {\n    state.decided.reasons.add(op, `its result does not stay in L1: ${refusal}`);",
      ],
      ["if (chain !== undefined) state.keep(chain, config.outputLayout, end, true);", ""],
      [
        'if (users === "returned" || users.length === 0) continue;',
        'if (users === "returned") continue;',
        "an output with no reader ends in a chain that nothing reads; keeping it or not is the same plan",
      ],
      ["    if (sharded === undefined) {", "    if (sharded === undefined && end < 0) {"],
      [
        'chain.spillLocation = "None";\n      state.keep(chain, layout, end, true);',
        'chain.spillLocation = "None";\n      state.keep(chain, layout, end, false);',
      ],
      ['if (typeof interleaved === "number") {', 'if (typeof interleaved === "number" && end < 0) {'],
      [
        'chain.spillLocation = "L1Interleaved";\n      state.keep(chain, interleaved, end, true);',
        'chain.spillLocation = "L1Interleaved";\n      state.keep(chain, interleaved, end, false);',
      ],
      [
        "const refusal = state.refusal(user, inputs, config, 0, held);\n    if (refusal !== undefined) return refusal;",
        "",
        "the check of the schedule behind it asks every reader the same, with more held",
      ],
      [
        "return state.rangeRefusal(firstWait(state, op), end, state.bytes(layout), held);",
        "return undefined;",
      ],
      [
        "if (config !== undefined || (chain !== undefined && !state.context.conventions.seesWaitingOutputs)) {",
        "if (config !== undefined || chain !== undefined) {",
      ],
      [
        'context.layouts.get(current).bufferType !== "dram") {',
        'context.layouts.get(current).bufferType === "l1") {',
        "what waits elsewhere than DRAM is on the host, and no op that runs on the device makes a host tensor",
      ],
      ['if (returned > 0) return "returned";', ""],
    ],
  },
  {
    algorithm: "steps of DFSharding 2.0 (ttnn-optimizer §4.1.7)",
    file: "lib/chains/plan_chains.ts",
    tests: DECISIONS,
    edits: [
      ["  setConcatChainPreferences(context, decided);\n  solveChains(", "  solveChains("],
      [
        "  resolveConcatChains(state);\n  applyL1ReservationsForReshapes(state);\n  applyL1ReservationsForForkOps(state);\n",
        "  applyL1ReservationsForForkOps(state);\n  applyL1ReservationsForReshapes(state);\n  resolveConcatChains(state);\n",
      ],
      [
        "  applyL1ReservationsForForkOps(state);\n  applyChainMerges(state);\n",
        "  applyChainMerges(state);\n  applyL1ReservationsForForkOps(state);\n",
      ],
      [
        "  resolveConcatChains(state);\n  applyL1ReservationsForReshapes(state);\n",
        "  applyL1ReservationsForReshapes(state);\n  resolveConcatChains(state);\n",
      ],
      ["countOperandBytes: conventions.countsOperandBytes", "countOperandBytes: false"],
      ["if (price(plain) >= price(merged)) return merged;", "return merged;"],
      ['    if (!chain.isConcatChain) continue;\n    chain.fail("only', '    chain.fail("only'],
    ],
  },
  {
    algorithm: "plan of the chains and its fit (ttnn-optimizer §3.5)",
    file: "lib/chains/emit_plan.ts",
    tests: [...DECISIONS, "pipeline/dispatch_test.ts"],
    edits: [
      [
        "const direct = isInside || (wanted !== undefined && this.#mayReadDirectly(value, op.id));",
        "const direct = isInside;",
      ],
      [
        "return this.#context.value(value).uses.every(({ op }) => this.#positionOf(op) >= position);",
        "return true;",
      ],
      [
        'const bufferType = chain.spillLocation === "DRAM" ? "dram" : "l1";',
        'const bufferType = "dram" as const;',
      ],
      ['chain.spillLocation === "None") return own;', 'chain.spillLocation !== "DRAM") return own;'],
      ['const isReusable = made.bufferType === "dram" || reason === "spill";', "const isReusable = false;"],
      [
        "if (producer === undefined || this.#request.noDirectReads.has(producer)) return false;",
        "if (producer === undefined) return false;",
      ],
    ],
  },
  {
    algorithm: "plan of the chains and its fit (ttnn-optimizer §3.5)",
    file: "lib/chains/fit_plan.ts",
    tests: DECISIONS,
    edits: [
      ["toSorted(bySize)", "toSorted((a, b) => bySize(b, a))"],
      ['if (chain.spillLocation !== "DRAM") {', 'if (chain.spillLocation === "L1Interleaved") {'],
      [
        "const fragmenting = sourcesOf(request, reader, noDirectReads)\n",
        "const fragmenting = sourcesOf(request, -1, noDirectReads)\n",
      ],
      ["right - left || a - b", "left - right || a - b"],
      ["if (tensor !== value || noDirectReads.has(producer)) return false;", "return false;"],
    ],
  },
  {
    algorithm: "chain building (ttnn-optimizer §3.2)",
    file: "lib/chains/build_chains.ts",
    tests: BUILD,
    edits: [
      ["if (uses.length + returned !== 1) {", "if (uses.length + returned === 0) {"],
      ["if (first === undefined || !op.results.includes(first)) return", "if (first === undefined) return"],
      ['if (next.name === "ttnn.concat") return "a concat is a chain of its own";', ""],
      [
        'return hasShardedConfigs(op.id) ? undefined : "it has no legal sharded config";',
        "return undefined;",
      ],
      ["if (open.ops.length === 0) current = ready.find", "current = ready.find"],
      ['if (returned > 0) return "the function returns its result";', "if (returned > 0) return undefined;"],
    ],
  },
  {
    algorithm: "schedule (ttnn-optimizer §3.2.2)",
    file: "lib/chains/df_scheduler.ts",
    tests: BUILD,
    edits: [
      ["return [...blocked, ...ready.filter((op) => !blocked.includes(op))];", "return ready;"],
      ["(this.#waiting[user] ?? 0) > 1", "(this.#waiting[user] ?? 0) > 0"],
      ['if (definition?.kind === "result") place(definition.op);', ""],
    ],
  },
  {
    algorithm: "L1ChainConfig (ttnn-optimizer §3.2.4)",
    file: "lib/chains/l1_chain_config.ts",
    tests: ["lib/chains/l1_chain_config_test.ts"],
    edits: [
      ['this.#expect("Built", "resolve");', ""],
      ['this.#expect("Resolved", "complete");', ""],
      ['this.#expect("InBuild", `add op ${op}`);', ""],
      [
        'this.#state = "Failed";\n    this.#failure = reason;\n    this.#configs = [];',
        'this.#state = "Failed";\n    this.#failure = reason;',
      ],
    ],
  },
  {
    algorithm: "ShardSolver (ttnn-optimizer §3.3, shard-solver-deep-dive)",
    file: "lib/chains/shard_solver.ts",
    tests: SOLVER,
    edits: [
      [
        "this.#bitsets = problem.ops.map(() => ConfigBitset.all());",
        "this.#bitsets = problem.ops.map(() => new ConfigBitset());",
      ],
      [
        "if (!producerBits.isSubsetOf(edgeProducers)) shrunken.push(edge.producer);",
        "",
        "the last round of updateSolver over every op reaches the same fixed point; the queue only gets there sooner",
      ],
      [
        "producerBits.and(edgeProducers);",
        "",
        "PathSet.update() drops the same producers in the round that follows",
      ],
      ["consumerBits.and(edgeConsumers);", ""],
      ["if (input.configs.length > 0) return undefined;", "return undefined;"],
      ["const isOverride = this.#overrides.has(edgeKey(edge));", "const isOverride = false;"],
      ['if (possible.length === 0) return { edge, reason: "no_reshard" };', ""],
      [
        "    bits.clear();\n    const possible",
        "    const possible",
        "the AND with what the edge leaves gives the same set; before it only the trace sees more",
      ],
      ["    bits.clear();\n    bits.set(config);", "    bits.set(config);"],
      ["if (edge.consumer === op) entry.select(config);", ""],
      [
        "for (const producerId of liveProducers) {\n        for (const consumerId of entry",
        "for (const producerId of liveProducers.slice(0, 1)) {\n        for (const consumerId of entry",
      ],
      ["this.#firstOpInput = { operand: input.operand, layout: input.layout };", ""],
      ["if (this.#selected[op] !== undefined) throw", "if (op < 0) throw"],
    ],
  },
  {
    algorithm: "path sets (shard-solver-deep-dive §3)",
    file: "lib/chains/path_set.ts",
    tests: SOLVER,
    edits: [
      ["consumer.has(consumerId) && producer.has(producerId)", "consumer.has(consumerId)"],
      ["consumer.has(consumerId) && producer.has(producerId)", "producer.has(producerId)"],
      ["        index--;\n", ""],
      ["producer.and(validProducer);", ""],
      ["consumer.and(validConsumer);", ""],
      ["return !unchanged;", "return false;"],
    ],
  },
  {
    algorithm: "updateSolver (shard-solver-deep-dive §6)",
    file: "lib/chains/update_solver.ts",
    tests: SOLVER,
    edits: [
      ["needsUpdate.push(edge.producer);\n      addUsers", "addUsers"],
      ["needsUpdate.push(edge.consumer);\n      addUsers", "addUsers"],
      ["if (dead !== undefined) return dead.edge;", ""],
    ],
  },
  {
    algorithm: "bitsets (shard-solver-deep-dive §2)",
    file: "lib/chains/config_bitset.ts",
    tests: SOLVER,
    edits: [
      [
        "(this.#words[word] ?? 0) & ~(other.#words[word] ?? 0)) !== 0) return false;",
        "(this.#words[word] ?? 0) & (other.#words[word] ?? 0)) !== 0) return false;",
      ],
      ["bits.#words.fill(0xffffffff);", "bits.#words.fill(0x7fffffff);"],
      ['this.has(index) ? "1" : "0"', 'this.has(index) ? "0" : "1"'],
      [
        "for (let index = Math.min(width, CONFIG_BITS) - 1; index >= 0; index--)",
        "for (let index = 0; index < Math.min(width, CONFIG_BITS); index++)",
      ],
    ],
  },
  {
    algorithm: "core usage maximization (ttnn-optimizer §3.3.8)",
    file: "lib/chains/core_usage.ts",
    tests: SOLVER,
    edits: [
      ["value / operands);", "value);"],
      ["Math.max(best[producerId] ?? 0, Math.trunc", "Math.min(best[producerId] ?? 0, Math.trunc"],
      ["Math.trunc(consumerUsage[consumerId] ?? 0)", "(consumerUsage[consumerId] ?? 0)"],
      ["for (let op = usage.length - 1; op >= 0; op--)", "for (let op = 0; op < usage.length; op++)"],
    ],
  },
  {
    algorithm: "picking configs (ttnn-optimizer §3.3.8)",
    file: "lib/chains/pick_configs.ts",
    tests: SOLVER,
    edits: [
      ["if (cores > most) {", "if (cores >= most) {"],
      ["} else if (cores === most && !isBlock(config) && isBlock(selected)) {", "} else if (cores < 0) {"],
      ["if (bestPreferred !== undefined) solver.set(last, bestPreferred);", ""],
      [
        "(usage[last]?.[config] ?? 0) > (usage[last]?.[bestPreferred] ?? 0)",
        "(usage[last]?.[config] ?? 0) < (usage[last]?.[bestPreferred] ?? 0)",
      ],
    ],
  },
  {
    algorithm: "questions of the ShardSolver (shard-solver-deep-dive §5)",
    file: "lib/chains/chain_oracle.ts",
    tests: [...DECISIONS, "lib/chains/override_policies_test.ts", "pipeline/dispatch_test.ts"],
    edits: [
      ["return outputShards < most;", "return false;"],
      ['return { kind: "override" };', 'return { kind: "reshard" };'],
      ['if (name === "ttnn.conv2d" || name === "ttnn.conv_transpose2d") return { kind: "reshard" };', ""],
      [
        "const extra = this.#options.countOperandBytes ? l1Bytes(context.layouts, layout) : 0;",
        "const extra = 0;",
      ],
      ["if (this.#produces(op, inputs, config)) configs.push(index);", "configs.push(index);"],
      [
        ".filter(({ output }) => !shrinksCores(context, consumer, output, [layout]))",
        "",
        "without a hint the op model keeps the grid of the sharded operand, so that no result has fewer cores",
      ],
      ["if (!this.#context.options.memReconfigEnabled) return entry;", ""],
      ["this.#optimalFirstOpInput(op, Math.max(dispatched, 0))", "this.#optimalFirstOpInput(op, 0)"],
      [
        "context.options.solveForOptimalFirstOpInput || dispatched >= 0",
        "context.options.solveForOptimalFirstOpInput",
      ],
    ],
  },
  {
    algorithm: "GreedyL1Interleaved (ttnn-optimizer-older)",
    file: "lib/chains/greedy_l1_choice.ts",
    tests: ["lib/chains/interleaved_choices_test.ts", "lib/chains/interleaved_test.ts"],
    edits: [
      ["if (bytes <= bestBytes || bytes > limit) continue;", "if (bytes <= bestBytes) continue;"],
      ["if (peak >= bestPeak) return;", "if (peak > bestPeak) return;"],
      ["Math.max(peak, used + next.requiredBytes)", "Math.max(peak, next.requiredBytes)"],
      ["used + next.outputBytes,", "used,"],
      ["if (order === undefined) continue;", "if (order === undefined) break;"],
      [
        "best = { inL1, precedence: [...inDram, ...order] };",
        "best = { inL1, precedence: [...order, ...inDram] };",
      ],
    ],
  },
  {
    algorithm: "interleaved policies (ttnn-optimizer-older)",
    file: "lib/chains/interleaved_choices.ts",
    tests: ["lib/chains/interleaved_choices_test.ts", "lib/chains/interleaved_test.ts"],
    edits: [
      ["used + own.bytes <= usable ? own.bytes : 0;", "own.bytes;"],
      ["if (remaining.get(operand) === reads) freed +=", "freed +="],
      ["context.conventions.signedL1Growth || difference >= 0", "difference >= 0"],
      ["if (next !== undefined && added >= least) continue;", "if (next !== undefined) continue;"],
      ["used -= choices[operand]?.bytes ?? 0;", ""],
      [
        "context.conventions.readsL1Cap ? context.options.tensorL1UsageCap : DEFAULT_L1_CAP",
        "DEFAULT_L1_CAP",
      ],
      ["own.l1 !== undefined && context.useCount(op) === 1;", "own.l1 !== undefined;"],
    ],
  },
  {
    algorithm: "L1 interleaved fallback (ttnn-optimizer §2.1)",
    file: "lib/chains/l1_interleaved_fallback.ts",
    tests: ["lib/chains/interleaved_choices_test.ts", "lib/chains/interleaved_test.ts"],
    edits: [
      ["if (EXCLUDED_PRODUCERS.has(op.name) || isMatmulLikeConv2d(op)) return undefined;", ""],
      ["if (EXCLUDED_USERS.has(user.name) || isMatmulLikeConv2d(user)) return undefined;", ""],
      [
        "value.uses.length !== 1 || value.returned > 0 || !next.operands.includes(result)",
        "value.returned > 0 || !next.operands.includes(result)",
      ],
      [
        "value.uses.length !== 1 || value.returned > 0 || !next.operands.includes(result)",
        "value.uses.length !== 1 || value.returned > 0",
      ],
      [
        "return runsBesideInputs(context, user.id, userInputs, userConfig) ? config : undefined;",
        "return config;",
      ],
      ['if (op.name === "ttnn.reshape" && isDramView(context, op, inputsOf(step))) return undefined;', ""],
    ],
  },
];
