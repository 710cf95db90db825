// SPDX-License-Identifier: Apache-2.0
import type { Mutations } from "./mutation.ts";

/** Tests of what the chains of a function decide, the quickest first. */
export const CHAIN_DECISIONS: readonly string[] = [
  "lib/chains/fit_plan_test.ts",
  "lib/chains/merge_state_test.ts",
  "lib/chains/merge_windows_test.ts",
  "lib/chains/reservation_windows_test.ts",
  "lib/chains/merged_decisions_test.ts",
  "lib/chains/plan_chains_test.ts",
  "lib/chains/df_sharding_test.ts",
];

/** DFSharding 2.0, and the plan that the chains make. */
export const CHAIN_MERGING_MUTATIONS: readonly Mutations[] = [
  {
    algorithm: "L1 reservation timeline (ttnn-optimizer §4.1.3)",
    file: "lib/chains/merge_state.ts",
    tests: ["lib/chains/l1_reservations_test.ts"],
    edits: [
      ["this.bytesAt(position) + bytes", "this.bytesAt(position)"],
      ["this.bytesAt(position) + bytes", "bytes"],
      ["position <= end; position++", "position < end; position++"],
      ["let position = start;", "let position = start + 1;"],
      ["start <= position && position <= end)", "start <= position)"],
      ["start <= position && position <= end)", "position <= end)"],
    ],
  },
  {
    algorithm: "merge validation (ttnn-optimizer §4.1.5)",
    file: "lib/chains/merge_state.ts",
    tests: CHAIN_DECISIONS,
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
        "seesWaitingOutputs ? this.#residentsWith(held) : held",
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
    tests: CHAIN_DECISIONS,
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
        "    joinRefusal(state, chain, join, joinInputs(state, chain, [left, right]), { bytes, held });",
        "    undefined;",
      ],
      ["if (shrinksCores(state.context, join, config.outputLayout, inputs)) return SHRINKS;", ""],
      ["state.reservations.bytesAt(state.placeOf(join)) + bytes,", "0,"],
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
      ["    joinRefusal(state, chain, join, inputs, { bytes, held });", "    undefined;"],
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
    tests: CHAIN_DECISIONS,
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
      ["if (refusal !== undefined) return refusal;\n  for (const { last", "for (const { last"],
      ["if (shared !== undefined) return shared;", ""],
      ["Math.max(place, ...users)", "place"],
      ["if (held.has(last)) continue;", ""],
      ["bytes += state.bytes(layout);\n    const next", "const next"],
      [
        "const extra = state.reservations.bytesAt(state.placeOf(op)) + bytes;\n  return state.refusal(op, inputs.map(({ layout }) => layout), config, extra, held);",
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
    tests: CHAIN_DECISIONS,
    edits: [
      [
        "if (context.conventions.keepsReshapesThatGain && losesView(state, op, isOnlyOperand)) {",
        "if (position < 0) {",
      ],
      ['if (isOnlyOperand) source.spillLocation = "L1Interleaved";', ""],
      ['if (isOnlyOperand && context.conventions.keepsReshapesThatGain) source.spillLocation = "DRAM";', ""],
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
        "return readersRefusal(state, op, layout) ??\n    state.rangeRefusal(firstWait(state, op), end, state.bytes(layout), new Map([[op, layout]]));",
        "return readersRefusal(state, op, layout);",
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
    tests: CHAIN_DECISIONS,
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
      ["countOperandBytes: context.conventions.countsOperandBytes", "countOperandBytes: false"],
      ["if (price(plain) >= price(merged)) return merged;", "return merged;"],
      ['    if (!chain.isConcatChain) continue;\n    chain.fail("only', '    chain.fail("only'],
    ],
  },
  {
    algorithm: "plan of the chains and its fit (ttnn-optimizer §3.5)",
    file: "lib/chains/emit_plan.ts",
    tests: [...CHAIN_DECISIONS, "pipeline/dispatch_test.ts"],
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
    tests: CHAIN_DECISIONS,
    edits: [
      ["toSorted(bySize)", "toSorted((a, b) => bySize(b, a))"],
      ['if (chain.spillLocation !== "DRAM") {', 'if (chain.spillLocation === "L1Interleaved") {'],
      [
        "const fragmenting = sourcesOf(request, reader, noDirectReads)\n",
        "const fragmenting = sourcesOf(request, -1, noDirectReads)\n",
      ],
      ["if (tensor !== value || noDirectReads.has(producer)) return false;", "return false;"],
    ],
  },
];
