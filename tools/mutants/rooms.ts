// SPDX-License-Identifier: Apache-2.0
import type { Mutations } from "./mutation.ts";

/** What no design document names: orders, patterns, remedies, means, tables. */
export const ROOM_MUTATIONS: Mutations = {
  "lib/spill/moves.ts: the loss of a result that is produced elsewhere": [
    "readers.filter((reader) => reader.position «>=→>» position),",
  ],
  "lib/memory/op_footprint.ts: footprints of ops": [
    'answer.failure «!==→===» "out_of_memory"',
    "return «isAsDecided(answer)→outputs.length > 0»",
    "«isPlain &&= result !== undefined && runs === 0;→»",
    "«tensor === undefined || from === undefined→false»",
  ],
  "sim/network/network.ts: transactions of one core": [
    "«readBytesPerCycle : device.noc.writeBytesPerCycle→writeBytesPerCycle : device.noc.readBytesPerCycle»",
    "Math.«ceil→floor»(transactionBytes / device.noc.maxBurst)",
  ],
  "lib/ttnn/write.ts: statements in another order": [
    "module.text.slice(«end→start», start);",
    "«a.start - b.start || a.end - b.end→b.start - a.start»",
  ],
  "lib/plan/preparations.ts: weights that several convolutions share": [
    "return «known >= 0 ? known→purposes.length > 0 ? 0» :",
    "return« known >= 0 ? known :→»",
    "const «{ deallocateActivation: _freed, ...conv2dConfig }→conv2dConfig» =",
    '? { input«: undefined→», config: "" }',
    "«this.#purposes.get(op)?.length ?? →»1",
  ],
  "lib/search/reshards.ts: moves between layouts": [
    '«bufferType === "dram" && memoryLayout === "interleaved"→true»',
    [
      "«if (source.dataType !== target.dataType) return undefined;→»",
      "the op model answers in the operand's format, which is then not the layout that was asked for",
    ],
    "«answer.outputLayouts[0] === to→true» ? answer",
    "microseconds «<→>» best.microseconds",
  ],
  "lib/improve/improve.ts: improvement moves are kept if they are faster and fit": [
    "«if (microseconds >= before.microseconds) return 0;→»",
    "«if (failures > before.failures) return 0;→»",
  ],
  "lib/improve/moves.ts: copies that are dropped": [
    'to === undefined ||« reason === "override" ||→»',
  ],
  "lib/improve/readers.ts: readers that follow a value to another layout": [
    "if («layout !== program.layoutOf(value, source)→true»)",
    "«reader.position >= first : gain > copyUs→true : true»",
    "«roles.readsElsewhere[op] === true && →»acceptsAll",
    "«/ moved.length→»",
    "«evaluator.returnedIn(value) === to ? 0 : →»Infinity",
    "if («evaluator.footprint(op, inputs, decision).refusal === undefined→op >= 0») {",
    "«copied.length > 0 ? copyUs : →»0,",
  ],
  "lib/search/memory_schedule.ts: an order that needs less L1": [
    "this.#bytes) «-→+» this.#freedBy(op, left)",
    "if (peak «>=→>» bestPeak) continue;",
    "(pathBytes[«a] ?? 0) - (pathBytes[b→b] ?? 0) - (pathBytes[a»] ?? 0) || b - a",
    "left[value] === «1→2» ?",
  ],
  "lib/passes/patterns/formulas/fuse_function.ts: graph pattern fuse-function": [
    "[Math.sqrt(2 / Math.PI), «0.044715→0.0467»]",
  ],
  "lib/passes/patterns/formulas/fused_activations.ts: graph pattern fuse-activation": [
    'product?.name !== "ttnn.linear") return «false→true»;',
    "result === undefined «||→&&» !sameType",
  ],
  "lib/passes/patterns/convolutions/pads.ts: graph pattern fold-pad-into-pool": [
    " wide) return undefined;\n    const isRowMajor = op.operandType(0)?.layout.tile «===→!==» ",
  ],
  "lib/passes/patterns/views/raise_slices.ts: graph pattern raise-row-slices": [
    "keepsRows = below !== undefined «&&→||» below",
  ],
  "pipeline/doctor/locate.ts: the op behind a message of the runtime": [
    "(sum, placement) => sum «+→-» placement.bytes, 0",
    "logged.allocated «===→!==» undefined ? 0",
  ],
  "pipeline/doctor/remedies.ts: what counts as a remedy": [
    "? true : freedBytes «>=→<» neededBytes",
  ],
  "pipeline/bench.ts: means of policies": [
    "«times.size === names.length && →»",
    "«`${device} ${model}`→model»",
  ],
  "pipeline/plan_document.ts: ops that a summary counts": [
    'costClass !== "free" «&&→||» !isBookkeeping',
  ],
  "sim/kernels/matmul.ts: bytes of a matmul on the network": [
    "problem.tilesK «*→/» problem.in1TileBytes;",
  ],
  "sim/timeline/simulate.ts: the level of the network that a timeline names": [
    'run.congestion «===→!==» undefined ? "analytic"',
  ],
};
