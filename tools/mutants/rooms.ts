// SPDX-License-Identifier: Apache-2.0
import type { Mutations } from "./mutation.ts";

/** What no design document names: exact spills on programs, orders, patterns, remedies, means, tables. */
export const ROOM_MUTATIONS: readonly Mutations[] = [
  {
    algorithm: "exact spills, carried out on a program",
    file: "lib/spill/exact_spill.ts",
    tests: ["lib/spill/exact_spill_test.ts"],
    edits: [
      "if (residency.resident[use] «!==→===» true) {",
      "movable.has(tensor) «||→&&» owner[tensor] !== tensor",
      "Math.«max→min»(0, bytes)",
      "(capacity[step] ?? 0) «-→+» failure.shortBytes",
      "residency.fromL1[use] «===→!==» true",
    ],
  },
  {
    algorithm: "the loss of a result that is produced elsewhere",
    file: "lib/spill/moves.ts",
    tests: ["lib/spill/moves_test.ts"],
    edits: [
      "readers.filter((reader) => reader.position «>=→>» position),",
    ],
  },
  {
    algorithm: "footprints of ops",
    file: "lib/memory/op_footprint.ts",
    tests: ["lib/memory/op_footprint_test.ts"],
    edits: [
      'answer.failure «!==→===» "out_of_memory"',
      "return «isAsDecided(answer)→outputs.length > 0»",
      "«isPlain &&= result !== undefined && runs === 0;→»",
      "«tensor === undefined || from === undefined→false»",
    ],
  },
  {
    algorithm: "transactions of one core",
    file: "sim/network/network.ts",
    tests: ["sim/network/noc_test.ts"],
    edits: [
      "«readBytesPerCycle : device.noc.writeBytesPerCycle→writeBytesPerCycle : device.noc.readBytesPerCycle»",
      "Math.«ceil→floor»(transactionBytes / device.noc.maxBurst)",
    ],
  },
  {
    algorithm: "statements in another order",
    file: "lib/rewrite/statement_edits.ts",
    tests: ["lib/rewrite/rewrite_test.ts"],
    edits: ["patch.start < start« || patch.end > end→»"],
  },
  {
    algorithm: "weights that several convolutions share",
    file: "lib/plan/preparations.ts",
    tests: ["lib/rewrite/prepared_weights_test.ts"],
    edits: [
      "return «known >= 0 ? known→purposes.length > 0 ? 0» :",
      "return« known >= 0 ? known :→»",
      "const «{ deallocateActivation: _freed, ...conv2dConfig }→conv2dConfig» =",
      '? { input«: undefined→», config: "" }',
      "«this.#purposes.get(op)?.length ?? →»1",
    ],
  },
  {
    algorithm: "moves between layouts",
    file: "lib/search/reshards.ts",
    tests: ["lib/search/reshards_test.ts"],
    edits: [
      '«bufferType === "dram" && memoryLayout === "interleaved"→true»',
      [
        "«if (source.dataType !== target.dataType) return undefined;→»",
        "the op model answers in the operand's format, which is then not the layout that was asked for",
      ],
      "«answer.outputLayouts[0] === to→true» ? answer",
      "microseconds «<→>» best.microseconds",
    ],
  },
  {
    algorithm: "improvement moves are kept if they are faster and fit",
    file: "lib/improve/improve.ts",
    tests: ["lib/improve/improve_test.ts", "lib/improve/drop_copy_test.ts"],
    edits: [
      "«if (microseconds >= before.microseconds) return 0;→»",
      "«if (failures > before.failures) return 0;→»",
    ],
  },
  {
    algorithm: "copies that are dropped",
    file: "lib/improve/moves.ts",
    tests: ["lib/improve/drop_copy_test.ts"],
    edits: ['to === undefined ||« reason === "override" ||→»'],
  },
  {
    algorithm: "readers that follow a value to another layout",
    file: "lib/improve/readers.ts",
    tests: [
      "lib/improve/drop_copy_test.ts",
      "lib/improve/change_result_test.ts",
      "lib/spill/moves_test.ts",
    ],
    edits: [
      "if («layout !== program.layoutOf(value, source)→true»)",
      "«reader.position >= first : gain > copyUs→true : true»",
      "«roles.readsElsewhere[op] === true && →»acceptsAll",
      "«/ moved.length→»",
      "«evaluator.returnedIn(value) === to ? 0 : →»Infinity",
      "if («evaluator.footprint(op, inputs, decision).refusal === undefined→op >= 0») {",
      "«copied.length > 0 ? copyUs : →»0,",
    ],
  },
  {
    algorithm: "an order that needs less L1",
    file: "lib/search/memory_schedule.ts",
    tests: ["lib/search/memory_schedule_test.ts"],
    edits: [
      "this.#bytes) «-→+» this.#freedBy(op, left)",
      "if (peak «>=→>» bestPeak) continue;",
      "(pathBytes[«a] ?? 0) - (pathBytes[b→b] ?? 0) - (pathBytes[a»] ?? 0) || b - a",
      "left[value] === «1→2» ?",
    ],
  },
  {
    algorithm: "graph pattern fuse-function",
    file: "lib/passes/patterns/formulas/fuse_function.ts",
    tests: ["lib/passes/patterns/formulas/gelu_formulas_test.ts"],
    edits: ["[Math.sqrt(2 / Math.PI), «0.044715→0.0467»]"],
  },
  {
    algorithm: "graph pattern fuse-activation",
    file: "lib/passes/patterns/formulas/fused_activations.ts",
    tests: ["lib/passes/patterns/formulas/fused_activations_test.ts"],
    edits: [
      'product?.name !== "ttnn.linear") return «false→true»;',
      "result === undefined «||→&&» !sameType",
    ],
  },
  {
    algorithm: "graph pattern fold-pad-into-pool",
    file: "lib/passes/patterns/convolutions/pads.ts",
    tests: ["lib/passes/patterns/convolutions/fold_pad_into_pool_test.ts"],
    edits: [" wide) return undefined;\n    const isRowMajor = op.operandType(0)?.layout.tile «===→!==» "],
  },
  {
    algorithm: "graph pattern raise-row-slices",
    file: "lib/passes/patterns/views/raise_slices.ts",
    tests: ["lib/passes/patterns/views/raise_slices_test.ts"],
    edits: ["keepsRows = below !== undefined «&&→||» below"],
  },
  {
    algorithm: "the op behind a message of the runtime",
    file: "pipeline/doctor/locate.ts",
    tests: ["pipeline/doctor/doctor_test.ts"],
    edits: [
      "(sum, placement) => sum «+→-» placement.bytes, 0",
      "logged.allocated «===→!==» undefined ? 0",
    ],
  },
  {
    algorithm: "what counts as a remedy",
    file: "pipeline/doctor/remedies.ts",
    tests: ["pipeline/doctor/doctor_test.ts"],
    edits: ["? true : freedBytes «>=→<» neededBytes"],
  },
  {
    algorithm: "means of policies",
    file: "pipeline/bench.ts",
    tests: ["pipeline/bench_test.ts"],
    edits: [
      "«times.size === names.length && →»",
      "«`${device} ${model}`→model»",
    ],
  },
  {
    algorithm: "ops that a summary counts",
    file: "pipeline/plan_document.ts",
    tests: ["pipeline/plan_document_test.ts"],
    edits: ['costClass !== "free" «&&→||» !isBookkeeping'],
  },
  {
    algorithm: "bytes of a matmul on the network",
    file: "sim/kernels/matmul.ts",
    tests: ["sim/kernels/matmul_test.ts"],
    edits: ["problem.tilesK «*→/» problem.in1TileBytes;"],
  },
  {
    algorithm: "the level of the network that a timeline names",
    file: "sim/timeline/simulate.ts",
    tests: ["sim/timeline/simulate_test.ts"],
    edits: ['run.congestion «===→!==» undefined ? "analytic"'],
  },
];
