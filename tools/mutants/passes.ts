// SPDX-License-Identifier: Apache-2.0
import type { Mutations } from "./mutation.ts";

const PROPAGATION = ["lib/propagation/forward_pass_test.ts", "lib/propagation/propagate_test.ts"];
const UPSTREAM = ["lib/policy/upstream_expectations_test.ts"];
const GREEDY_SPILL = ["lib/spill/greedy_spill_test.ts", "lib/spill/greedy_spill_moves_test.ts"];
const EXACT_SPILL = ["lib/spill/exact_test.ts"];

/** Layout propagation and spill management. */
export const PASS_MUTATIONS: readonly Mutations[] = [
  {
    algorithm: "beam search, forward (ttnn-optimizer §5.8.1)",
    file: "lib/propagation/beam.ts",
    tests: [...PROPAGATION, ...UPSTREAM, "lib/search/op_overrides_test.ts"],
    edits: [
      [
        "if (!this.#evaluator.overrides.allow(id, kept.inputs, kept)) {",
        "if (false) {",
        "the finished program is refused for the same override, with another reason",
      ],
    ],
  },
  {
    algorithm: "beam search, the K candidates (ttnn-optimizer §5.8.1)",
    file: "lib/propagation/beam.ts",
    tests: ["lib/propagation/best_candidates_test.ts", ...PROPAGATION, ...UPSTREAM],
    edits: [
      ["kept.splice(beamWidth);", "kept.splice(1);"],
      ["  kept.splice(index, 1);\n", ""],
      ["if (compare(ranked, other) >= 0) return false;", ""],
      [
        "kept.findIndex((other) => compare(ranked, other) < 0)",
        "kept.findIndex((other) => compare(ranked, other) > 0)",
      ],
      [
        "pathReshards: past.history.reshards + reading.reshards,",
        "pathReshards: reading.reshards,",
      ],
      [
        "[...firsts, ...others].slice(0, limits.beamWidth)",
        "[...others, ...firsts].slice(0, limits.beamWidth)",
      ],
      ["[...firsts, ...others]", "[...firsts, ...others].toSorted(compare)"],
      [".slice(0, limits.beamWidth).toSorted(compare);", ".slice(0, limits.beamWidth);"],
      [".sort()[beamWidth - 1]", ".sort()[0]"],
    ],
  },
  {
    algorithm: "beam search, candidates that can rank first (ttnn-optimizer §5.8.1)",
    file: "lib/propagation/candidate_pool.ts",
    tests: PROPAGATION,
    edits: [
      [
        "return cores === 0 ? past.pathMinCores : Math.min(past.pathMinCores, cores);",
        "return past.pathMinCores;",
      ],
      ["Math.min(past.pathMinCores, cores);", "cores;"],
    ],
  },
  {
    algorithm: "beam search, one combination (ttnn-optimizer §5.8.1)",
    file: "lib/propagation/exploration.ts",
    tests: [...PROPAGATION, ...UPSTREAM, "lib/search/op_overrides_test.ts"],
    edits: [
      ["if (needed <= this.#options.l1Budget) return undefined;", "return undefined;"],
      ["if (facts.isSharded) shardedInputs++;", ""],
      ["if (!facts.isL1) inputDramBytes += facts.totalBytes;", ""],
      ["if (values[earlier] === values[operand] && inputs[earlier] === candidate.layout) return;", ""],
      ["    reshards++;\n", ""],
      ["reshardMicroseconds += candidate.reshardMicroseconds;", ""],
    ],
  },
  {
    algorithm: "beam search, the past of a candidate (ttnn-optimizer §5.8.1)",
    file: "lib/propagation/beam_histories.ts",
    tests: PROPAGATION,
    edits: [["pathMinCores = Math.min(pathMinCores, candidate.score.pathMinCores);", ""]],
  },
  {
    algorithm: "beam search, trace-back (ttnn-optimizer §5.8.1)",
    file: "lib/propagation/trace_back.ts",
    tests: PROPAGATION,
    edits: [
      ["for (const { id } of fn.ops.toReversed()) {", "for (const { id } of fn.ops) {"],
      [
        "only.assumedSlot < beam.length) return only.assumedSlot;",
        "only.assumedSlot < beam.length) return 0;",
      ],
      ["if (mine < theirs ||", "if (mine > theirs ||"],
      ["made.has(key)) continue;", "false) continue;"],
      [
        "if (reshard === undefined) return Infinity;",
        "if (reshard === undefined) continue;",
        "forward, a layout is wanted only where a copy leads to it, and then one leads there from every other shard grid",
      ],
      ["beam.length > 1 ? chooseSlot({ evaluator, beams, choices, score, observer }, id, beam) : 0", "0"],
      ["if (demands.length === 0) return 0;", "if (demands.length === 0) return beam.length - 1;"],
    ],
  },
  {
    algorithm: "scoring (ttnn-optimizer §5.8.1)",
    file: "lib/propagation/layout_score.ts",
    tests: ["lib/propagation/layout_score_test.ts"],
    edits: [
      ['(better === "lower" ? 1 : -1)', '(better === "lower" ? -1 : 1)'],
      [
        '    higher("pathMinCores", "a wider bottleneck"),\n    lower("pathReshards", "fewer reshards on the way"),\n',
        '    lower("pathReshards", "fewer reshards on the way"),\n    higher("pathMinCores", "a wider bottleneck"),\n',
      ],
      [
        '    higher("isL1", "a result in L1"),\n    higher("isSharded", "a sharded result"),\n    lower("inputDramBytes"',
        '    higher("isSharded", "a sharded result"),\n    higher("isL1", "a result in L1"),\n    lower("inputDramBytes"',
        "a sharded result is always in L1, so the order of the two says the same",
      ],
      [
        '    lower("requiresReshard", "no reshard"),\n    higher("coreCount", "more cores"),\n',
        '    higher("coreCount", "more cores"),\n    lower("requiresReshard", "no reshard"),\n',
      ],
      [
        '    lower("outputL1Bytes", "less L1"),\n    higher("shardedInputs", "more sharded operands"),\n',
        '    higher("shardedInputs", "more sharded operands"),\n    lower("outputL1Bytes", "less L1"),\n',
      ],
      [
        '    lower("pathMicroseconds", "less time on the way"),\n    lower("outputL1Bytes", "less L1"),\n',
        '    lower("outputL1Bytes", "less L1"),\n    lower("pathMicroseconds", "less time on the way"),\n',
      ],
    ],
  },
  {
    algorithm: "combinations of operands (ttnn-optimizer §5.8.1)",
    file: "lib/propagation/combinations.ts",
    tests: ["lib/propagation/combinations_test.ts"],
    edits: [
      [
        "[...candidates].sort((a, b) => a.priority - b.priority)",
        "[...candidates].sort((a, b) => b.priority - a.priority)",
      ],
      [
        "if (sameProducer.every((group) => agree(combination, group))) found.push(combination);",
        "found.push(combination);",
      ],
      ["return found.length < limit;", "return true;"],
      ["a.priority < b.priority || (a.priority", "a.priority > b.priority || (a.priority"],
      [
        "for (let operand = top.from; operand < operands.length; operand++) {",
        "for (let operand = top.from + 1; operand < operands.length; operand++) {",
      ],
      [".filter((entry) => entry.hits === choosing.length)", ""],
      [
        "if (operands.some((candidates) => candidates.length === 0)) return [];",
        "",
        "without a candidate no combination is whole, and none is found",
      ],
      [
        "const priority = top.priority + next.priority - present.priority;",
        "const priority = top.priority + next.priority;",
      ],
    ],
  },
  {
    algorithm: "inline reshard candidates (ttnn-optimizer §5.6.1)",
    file: "lib/propagation/input_candidates.ts",
    tests: [...PROPAGATION, ...UPSTREAM],
    edits: [
      [
        "if (offer.layout === undefined || !accepts(layout)) return;",
        "if (offer.layout === undefined) return;",
      ],
      [
        "if (cached !== undefined && cached.priority <= priority) return;",
        "if (cached !== undefined) return;",
      ],
      ["if (roles.pinned[value] === true) return [...found.values()];", ""],
      ["if (found.size >= limit && !found.has(target)) continue;", ""],
      ["[...ordered, ...refuges, ...explored]", "[...ordered, ...refuges]"],
      ["    evaluator.facts(id).gridVolume <= tiles\n", "    evaluator.facts(id).gridVolume > 0\n"],
      ['["l1", "dram"] as const : ["dram"]', '["l1"] as const : []'],
      ['["l1", "dram"] as const : ', '["dram"] as const : '],
      ['    for (const offer of offers) add(evaluator.interleaved(tensor, like, "dram"), offer);\n', ""],
      ["roles.constantDerived[value] !== true &&", ""],
    ],
  },
  {
    algorithm: "results that may be used (ttnn-optimizer §5.6.1)",
    file: "lib/propagation/output_verdicts.ts",
    tests: PROPAGATION,
    edits: [
      ["if (!this.#mayChangePages && !evaluator.keepsPages(value, output)) {", "if (index < 0) {"],
      ["if (this.#notInL1.has(value) && evaluator.facts(output).isL1) {", "if (index < 0) {"],
      ["if (returned > 0) returnMicroseconds += reshard.microseconds;", ""],
      [
        "if (output === undefined) return refuse(`the layout of result ${index} is unknown`);",
        "if (output === undefined) continue;",
      ],
    ],
  },
  {
    algorithm: "histories of a beam (ttnn-optimizer §5.8.1)",
    file: "lib/propagation/history.ts",
    tests: ["lib/propagation/history_test.ts"],
    edits: [
      [
        "first.microseconds >= second.microseconds ? [first, second] : [second, first]",
        "first.microseconds < second.microseconds ? [first, second] : [second, first]",
      ],
      ["microseconds += contribution.microseconds;", ""],
      ["reshards += contribution.reshards;", ""],
      ["      microseconds += patch;\n", ""],
      ["if (patch > 0) reshards++;", ""],
      ["const low = other.low & ~(own?.low ?? 0);", "const low = other.low;"],
      ["high: (present?.high ?? 0) | (offset < 32 ? 0 : 1 << (offset - 32)),", "high: (present?.high ?? 0),"],
    ],
  },
  {
    algorithm: "greedy spill management (ttnn-optimizer §5.6.2)",
    file: "lib/spill/greedy_spill.ts",
    tests: GREEDY_SPILL,
    edits: [
      ["own !== best.own ? own : rank <= best.rank", "rank <= best.rank"],
      ["own !== best.own ? own : rank <= best.rank", "own !== best.own ? own : rank >= best.rank"],
      ["const own = nextUse <= position || isMadeBy(program, resident, op);", "const own = false;"],
      ["if (freedBytes > 0 && leftBytes >= failure.shortBytes) continue;", ""],
      [
        "const move = eviction?.move ?? (isOp(fn, op) ? moves.readDram(op) : undefined);",
        "const move = eviction?.move;",
      ],
      ['      moves.demote(resident.value, "dram", position),\n', ""],
      ['      moves.demote(resident.value, "l1", position),\n', ""],
      [
        "const candidates = [moves.split(resident.value, resident.source, position)];",
        "const candidates: (SpillMove | undefined)[] = [];",
      ],
      [
        "(definedAt[tensor] ?? -2) <= position && until >= position",
        "(definedAt[tensor] ?? -2) <= position",
        "what nobody reads any more has no reader to be split off, and ops that are views of their operand are in no other memory",
      ],
      [
        "!(move.microseconds < (best?.microseconds ?? Infinity))",
        "!(move.microseconds > (best?.microseconds ?? -Infinity))",
      ],
      ["accepted.add(stepKey(steps, failure.position));", "return true;"],
      [
        "[...residents(timeline, failure, gone), ...unplacedResults(program, step, failure)]",
        "residents(timeline, failure, gone)",
      ],
    ],
  },
  {
    algorithm: "victims (ttnn-optimizer §5.6.2)",
    file: "lib/spill/spill_policy.ts",
    tests: ["lib/spill/moves_test.ts", ...GREEDY_SPILL],
    edits: [
      ["return victim.nextUse;", "return -victim.nextUse;"],
      ["return victim.lastUse;", "return victim.nextUse;"],
      [
        "-victim.microseconds / (victim.bytes * Math.max(1, victim.nextUse - position))",
        "-victim.microseconds",
      ],
      ["Math.max(1, victim.nextUse - position)", "1"],
    ],
  },
  {
    algorithm: "moves of a spill (ttnn-optimizer §5.6.2)",
    file: "lib/spill/moves.ts",
    tests: ["lib/spill/moves_test.ts", ...GREEDY_SPILL],
    edits: [
      ["if (this.#definedAt(value, source) >= position) return undefined;", ""],
      ["if (later.length === 0) return undefined;", ""],
      ["const existing = this.#dramInstance(value, source, dram, position);", "const existing = undefined;"],
      ["if (target === layout) return undefined;", ""],
      [
        'if (buffer === "l1" && evaluator.facts(target).l1Bytes >= evaluator.facts(layout).l1Bytes) {',
        "if (position < 0) {",
      ],
      ["impl.microseconds < best.microseconds ? impl : best", "impl"],
      [
        "this.#roles.pinned[value] === true) return undefined;\n    if (this.#definedAt",
        "false) return undefined;\n    if (this.#definedAt",
      ],
    ],
  },
  {
    algorithm: "exact spill by dynamic programming (ttnn-optimizer §5.8.2)",
    file: "lib/spill/exact_dynamic.ts",
    tests: EXACT_SPILL,
    edits: [
      ["if (room >= 0) result.push", "result.push"],
      ["const store = place === BOTH ? 0 : tensor.storeCost;", "const store = 0;"],
      ["add(false, tensor.inDramBytes, DRAM, tensor.inDramCost);", ""],
      ["add(false, use.directBytes, DRAM, use.directCost);", ""],
      ["add(true, tensor.bytes, BOTH, tensor.reloadCost);", ""],
      [
        "add(true, tensor.bytes, BOTH, tensor.reloadCost);",
        "add(true, tensor.bytes, L1, tensor.reloadCost);",
      ],
      ["if (count > maxStates) return undefined;", ""],
      ["if (place === DRAM) continue;", ""],
      ["if (use < 0) residency.inDram = !fromL1;", "if (use < 0) residency.inDram = fromL1;"],
      [
        "return use !== undefined && use === (problem.tensors[tensor]?.uses.length ?? 0) - 1;",
        "return use !== undefined;",
      ],
    ],
  },
  {
    algorithm: "exact spill by dynamic programming: dominated states",
    file: "lib/spill/exact_dynamic.ts",
    tests: EXACT_SPILL,
    edits: [
      ["Math.min(direct, tensor.reloadCost)", "Math.min(use?.directCost ?? 0, tensor.reloadCost)"],
      ["mayLeave ? tensor.storeCost : 0", "0"],
      ["if ((better.inL1 & ~other.inL1) !== 0) return false;", ""],
      ["const uncopied = other.inBoth & ~better.inBoth;", "const uncopied = better.inBoth & ~other.inBoth;"],
      ["use.directBytes <= tensor.bytes", "true"],
      ["number >= next", "number > next"],
      ["return cost < other.cost ||", "return"],
    ],
  },
  {
    algorithm: "exact spill as a problem (ttnn-optimizer §5.8.2)",
    file: "lib/spill/spill_problem.ts",
    tests: EXACT_SPILL,
    edits: [
      ["cost += tensor.storeCost;", ""],
      ["stored = true;", ""],
      ["if (resident && (!inL1 || !fromL1)) cost = Infinity;", ""],
      ["cost += fromL1 ? tensor.reloadCost : use.directCost;", "cost += use.directCost;"],
      ["residency.inDram ? tensor.inDramBytes : tensor.bytes", "tensor.bytes"],
      ["add(event + 1, use.step - 1, tensor.bytes);", ""],
      [
        "add(use.step, use.step, residency.fromL1[number] === true ? tensor.bytes : use.directBytes);",
        "add(use.step, use.step, use.directBytes);",
      ],
    ],
  },
];
