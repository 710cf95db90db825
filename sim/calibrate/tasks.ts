// SPDX-License-Identifier: Apache-2.0
import type { Architecture } from "../../lib/device/chip_description.ts";
import type { CalibrationTask, FittedConstant } from "./calibrate.ts";

/** `section.name` with its range. */
function range(path: string, min: number, max: number): FittedConstant {
  const [section = "", name = ""] = path.split(".");
  return { section, name, min, max };
}

/** A fit on the rows of an architecture, or of one device of it. */
type TaskOf = (architecture: Architecture, device?: string) => CalibrationTask;

/** Fits constants on report groups, each with the most rows that it may bring. */
function fit(
  name: string,
  groups: CalibrationTask["groups"],
  constants: readonly FittedConstant[],
): TaskOf {
  return (architecture, device) => ({
    name: `${name} ${device ?? architecture}`,
    architecture,
    ...(device === undefined ? {} : { device }),
    groups,
    constants,
  });
}

const MATMUL_GROUPS = {
  gemm_known_config: 400,
  gemm_out_of_box: 400,
  matmul_height_sharded: 300,
  matmul_1core: 10,
  matmul_decode: 60,
  matmul: 40,
} as const;

const MATMUL_CONSTANTS: readonly FittedConstant[] = [
  range("matmul.tileScale", 1, 1.15),
  range("matmul.tileOffset", 0, 8),
  range("matmul.unpackPerKib", 4, 40),
  range("matmul.unpackReuse", 0.01, 3),
  range("matmul.packTile", 1, 100),
  range("matmul.reloadTile", 5, 200),
  range("matmul.subblock", 1, 200),
  range("matmul.overlap", 1, 12),
  range("matmul.senderLatency", 50, 2000),
  range("matmul.tileIssue", 10, 200),
  range("matmul.multicastLatency", 20, 2000),
  range("matmul.startup", 300, 8000),
  range("matmul.inputReadShare", 0.2, 0.95),
  range("matmul.outputWriteShare", 0.1, 0.95),
  range("matmul.receiver", 0, 40),
];

/** Only profiles hold matmuls whose cores read rows of their own. */
const ownRowsTask = fit("matmuls of own rows", { layer_matmul: 80, op_profile: 300 }, [
  range("matmul.rowsReadShare", 0.05, 0.9),
  range("matmul.rowsWriteShare", 0.05, 0.9),
]);

const wallTask = fit("wall clock", { gemm_known_config_wall: 400, gemm_out_of_box_wall: 400 }, [
  range("wallClock.throttleFrom", 0.3, 0.95),
  range("wallClock.throttleSlope", 0.001, 1.5),
  range("wallClock.gap", 0.5, 6),
]);

const NOC_GROUPS = { noc_latency: 600, noc_bw: 50 } as const;

const NOC_CONSTANTS: readonly FittedConstant[] = [
  range("noc.readBytesPerCycle", 20, 64),
  range("noc.writeBytesPerCycle", 20, 64),
  range("noc.multicastBytesPerCycle", 20, 64),
  range("noc.readIssue", 10, 60),
  range("unicast.readIssueStateful", 10, 60),
  range("noc.writeIssue", 10, 60),
  range("unicast.writeIssueStateful", 10, 60),
  range("unicast.peerSetup", 1, 60),
  range("noc.readLatency", 150, 600),
  range("noc.writeLatency", 150, 600),
  range("unicast.readLatencySameAxis", 100, 400),
  range("unicast.writeLatencySameAxis", 100, 400),
  range("noc.multicastLatency", 100, 900),
  range("multicast.reserve", 20, 600),
  range("multicast.reserveHop", 1, 40),
  range("multicast.reserveLine", 1, 300),
  range("multicast.loopbackReserveHop", 1, 60),
  range("multicast.acknowledge", 0.5, 3),
  range("dramRun.shortWriteIssue", 10, 100),
  range("multicast.issue", 10, 120),
  range("dramRun.readLatency", 200, 800),
  range("dramRun.writeLatency", 200, 800),
  range("dramRun.bankIssue", 10, 60),
  range("dramRun.bankBytesPerCycle", 15, 45),
  range("noc.interleavedIssue", 10, 80),
  range("dramRun.interleavedBytesPerCycle", 20, 64),
  range("allToAll.efficiency", 0.1, 1),
  range("allToAll.readBytesPerCycle", 0.3, 10),
  range("allToAll.readExponent", 0.2, 4),
  range("dramRun.bankBurstBytesPerCycle", 15, 45),
  range("reshard.rangeStart", 10, 2000),
  range("reshard.rangeSetup", 10, 400),
];

const dramTask = fit("dram", { dram_bw: 100 }, [
  range("dramStreams.channelReadShare", 0.5, 1),
  range("dramStreams.channelWriteShare", 0.5, 1),
  range("dramStreams.writeCollapseShare", 0.05, 1),
  range("dramStreams.randomReadSuited", 0.1, 1),
  range("dramStreams.randomReadOther", 0.05, 1),
  range("dramStreams.randomWriteSuited", 0.1, 1),
  range("dramStreams.randomWriteOther", 0.05, 1),
  range("dramStreams.dynamicWriteGain", 0.5, 2),
  range("dram.shardedReadShare", 0.5, 1),
]);

/** Dispatch depends on the software: each device of the benchmark has its own constants. */
const dispatchTask = fit("dispatch", { dispatch: 300 }, [
  range("dispatcher.base", 0.3, 4),
  range("dispatcher.perProcessor", 0.001, 0.5),
  range("dispatcher.kernelBandwidth", 5, 400),
  range("dispatcher.configure", 0.05, 2),
  range("dispatcher.uniqueArguments", 0.1, 6),
  range("dispatcher.perArgument", 0.0005, 0.05),
  range("dispatcher.launchGroup", 0.05, 1.5),
  range("dispatcher.kernelGroups", 0.5, 15),
  range("dispatcher.kernelDone", 0.3, 3),
  range("dispatcher.ethernetCores", 0.05, 4),
]);

/** Time of whole models besides their device programs. */
const modelTask = fit("models", { e2e: 100 }, [range("sampling.logitHost", 0.1, 5)]);

/** Ops that move data, of the second collection, each group with a limited number of rows, so that none dominates. */
const MOVEMENT_GROUPS = {
  binary_add: 10,
  binary_mul_bcast: 5,
  concat: 20,
  concat_heads_decode: 5,
  concat_heads_prefill: 10,
  create_heads_prefill: 10,
  create_qkv_heads_decode: 10,
  eltwise: 120,
  embedding: 5,
  pad: 20,
  permute: 40,
  repeat: 30,
  repeat_interleave: 20,
  reshape: 20,
  tilize: 20,
  transpose: 5,
  typecast: 20,
  unary: 20,
  untilize: 30,
  i2s: 10,
  s2i: 10,
  slice: 10,
  copy: 5,
  // Ops of profiles, each configuration once.
  layer_binary: 10,
  layer_binary_ng: 20,
  layer_clone: 5,
  layer_copy: 15,
  layer_interleaved_to_sharded: 30,
  layer_reshard: 10,
  layer_paged_update_cache: 10,
  layer_rotary_embedding: 10,
  layer_rotary_embedding_hf: 5,
  layer_rotary_embedding_llama: 5,
  rotary_embedding_hf: 5,
  paged_fill_cache: 5,
  paged_update_cache: 5,
  layer_reshape_view: 10,
  layer_sharded_to_interleaved: 30,
  layer_slice: 15,
  layer_tilize: 10,
  layer_tilize_with_val_padding: 5,
  layer_transpose: 10,
  layer_typecast: 10,
  layer_unary: 20,
  layer_untilize: 15,
  layer_untilize_with_unpadding: 5,
} as const;

/** Constants that these show in addition to profiles. */
const MOVEMENT_CONSTANTS: readonly FittedConstant[] = [
  range("dram.pageOverhead", 1, 1500),
  range("stream.scatteredIssue", 20, 200),
  range("stream.fillWord", 4, 60),
  range("stream.padWord", 1, 16),
  range("stream.padRun", 5, 200),
  range("sfpu.simple", 100, 600),
  range("sfpu.product", 100, 1500),
  range("sfpu.reciprocal", 100, 1500),
  range("sfpu.polynomial", 400, 1800),
  range("sfpu.quotient", 800, 2500),
  range("sfpu.transcendental", 1000, 3000),
  range("sfpu.inverse", 2000, 6000),
  range("sfpu.exp", 500, 4000),
  range("stream.pageAddress", 1, 120),
  range("stream.spread", 1, 2500),
  range("stream.shardRanges", 50, 2500),
  range("stream.tileDeparture", 20, 500),
  range("stream.stickWait", 150, 800),
  range("stream.broadcastFill", 50, 4000),
  // One tile subtracted takes some 500 cycles more than one negated; without a limit the fit lets strides take what
  // functions of the vector unit do, and elementwise ops of profiles come out too slow.
  range("stream.strides", 100, 700),
  range("tensix.computeStart", 20, 2000),
  range("tensix.eltwiseTileWide", 20, 1500),
  range("dram.interleavedWriteShare", 0.3, 1),
  range("tensix.rotaryTile", 40, 600),
  range("profiler.recordWritten", 0.5, 2.5),
];

/** Wormhole has one long sweep and few profiles; the sweep is thinned so that the others count. */
const streamTask = fit("streams", {
  eltwise_unary: 120,
  op_profile: 100,
  ...MOVEMENT_GROUPS,
  layer_move: 10,
  layer_conv2d: 15,
  layer_optimized_conv_new: 15,
  // One core that reads tile by tile says best how long it waits for DRAM.
  reduce: 20,
}, [
  ...MOVEMENT_CONSTANTS,
  range("tensix.localCopyBytesPerCycle", 10, 128),
  range("tensix.tilizeTile", 40, 400),
  range("conv.startup", 500, 12000),
  range("conv.weightTile", 30, 300),
  range("stream.startup", 50, 2500),
  range("stream.readBarrier", 100, 1500),
  range("stream.l1ReadBarrier", 100, 1500),
  range("stream.writeBarrier", 50, 1500),
  range("stream.shortCopy", 10, 400),
  range("stream.mappedPiece", 10, 400),
  range("stream.l1ChipReadBytesPerCycle", 60, 1500),
  range("dram.interleavedMixedShare", 0.3, 1),
  range("dram.largeShare", 0.5, 1),
  range("dram.pageFloor", 100, 1000),
  range("matmul.roundSync", 50, 3000),
  // Convolutions tilize too, and say how long a tile takes.
  range("tensix.eltwiseTile", 30, 400),
  range("tensix.untilizeRow", 20, 1500),
  range("tensix.untilizeTile", 30, 1000),
  range("tensix.untilizeWideTile", 30, 1500),
  range("tensix.transposeTile", 40, 1000),
]);

const HALO_CONSTANTS: readonly FittedConstant[] = [
  range("conv.haloTileRow", 10, 2000),
  range("conv.haloTile", 10, 400),
  range("conv.haloBytesPerCycle", 2, 64),
  range("conv.haloPadStick", 1, 60),
  range("conv.haloPadBytesPerCycle", 1, 64),
  range("conv.haloLineShare", 0.2, 1),
  range("conv.haloStartup", 200, 12000),
];

const haloTask = fit("halos", { halo: 20, layer_halo: 40 }, HALO_CONSTANTS);

const poolTask = fit("pools", { pool2d: 10, layer_pool2_d: 10 }, [
  range("tensix.poolWindow", 10, 400),
  range("tensix.poolTile", 10, 400),
]);

const profileTask = fit("op profiles", { op_profile: 300, ...MOVEMENT_GROUPS }, [
  ...MOVEMENT_CONSTANTS,
  range("stream.startup", 50, 3000),
  range("stream.readBarrier", 100, 1500),
  range("stream.l1ReadBarrier", 100, 1500),
  range("stream.writeBarrier", 50, 1500),
  range("stream.copyWord", 4, 60),
  // Not slower than Wormhole, whose links are half as wide.
  range("stream.l1ChipReadBytesPerCycle", 400, 3000),
  range("dram.interleavedMixedShare", 0.4, 1),
  range("stream.shortCopy", 10, 400),
  range("stream.mappedPiece", 10, 400),
  range("tensix.eltwiseTile", 30, 300),
  range("tensix.reduceTile", 20, 1000),
  range("matmul.reloadTile", 5, 200),
  range("matmul.roundSync", 50, 3000),
  range("tensix.tilizeTile", 40, 400),
  range("tensix.untilizeRow", 20, 1500),
  range("tensix.untilizeTile", 30, 1000),
  range("tensix.untilizeWideTile", 30, 1500),
  range("tensix.transposeTile", 40, 1000),
  range("tensix.localCopyBytesPerCycle", 10, 128),
  range("conv.startup", 500, 12000),
  range("conv.weightTile", 30, 300),
  range("conv.windowRead", 5, 80),
  ...HALO_CONSTANTS,
  range("ethernet.linePacket", 50, 600),
]);

const reshardTask = fit("reshard", { reshard: 100 }, [
  range("reshard.tracedRead", 5, 300),
  range("reshard.tracedStart", 10, 2000),
]);

const ROW_GROUPS = {
  argmax: 60,
  gather: 20,
  reduce: 40,
  rms_norm: 30,
  softmax: 20,
  topk: 60,
  norm: 10,
  norm_distributed: 20,
  group_norm: 30,
  layer_layer_norm: 30,
  layer_softmax: 10,
} as const;

/** Rows of tiles gone over several times, elements compared one by one, tiles sorted. */
const ROW_CONSTANTS: readonly FittedConstant[] = [
  range("tensix.reduceRow", 500, 9000),
  range("tensix.passTile", 40, 600),
  range("tensix.passTileWide", 60, 800),
  range("tensix.passBlock", 10, 600),
  range("tensix.groupTile", 40, 600),
  range("tensix.scanElement", 5, 40),
  range("tensix.gatherElement", 5, 40),
  range("tensix.scanRow", 50, 800),
  range("tensix.scanShare", 5, 120),
  range("tensix.sortStep", 1000, 9000),
  range("tensix.sortMerge", 500, 9000),
];

/** Streams of keys show best what cores that only read reach. */
const attentionTask = fit("attention", { sdpa_prefill: 120, sdpa_decode: 60, layer_sdpa_decode: 10 }, [
  range("attention.startup", 500, 9000),
  // Flows over the network reach 0.8 of the peak on p100; nothing can be quicker.
  range("dram.interleavedReadShare", 0.5, 0.79),
  range("attention.block", 100, 20000),
  range("attention.step", 50, 4000),
  range("attention.row", 50, 2000),
  range("attention.score", 10, 500),
  range("attention.wideScore", 10, 600),
  range("attention.readerTile", 20, 400),
  // The source fitted 13,000 on the points where a core serves whole heads.
  range("attention.decodeStartup", 2000, 13500),
  range("attention.maskTile", 100, 3000),
  range("attention.headGroup", 100, 4000),
  range("attention.combineTile", 10, 800),
  range("attention.columnExponent", 0.01, 1.5),
]);

/** Every fit, in the order in which they build on each other. */
export const CALIBRATION_TASKS: readonly CalibrationTask[] = [
  // Blackhole's window reads are fitted on whole convolutions.
  fit("noc", NOC_GROUPS, [...NOC_CONSTANTS, range("conv.windowRead", 5, 80)])("wormhole_b0"),
  fit("noc", NOC_GROUPS, NOC_CONSTANTS)("blackhole"),
  dramTask("wormhole_b0"),
  dispatchTask("wormhole_b0", "n150"),
  dispatchTask("wormhole_b0", "n150-2025-06"),
  dispatchTask("blackhole", "p150-13x10"),
  reshardTask("wormhole_b0"),
  fit("matmul", MATMUL_GROUPS, MATMUL_CONSTANTS)("wormhole_b0"),
  ownRowsTask("wormhole_b0"),
  // Weights of 4 bits show what a short page costs; only decode on p150 has weights sharded over the banks.
  fit("matmul", MATMUL_GROUPS, [
    ...MATMUL_CONSTANTS,
    range("dram.pageFloor", 300, 1500),
    range("matmul.shardedBlock", 100, 3000),
  ])("blackhole"),
  ownRowsTask("blackhole"),
  wallTask("wormhole_b0"),
  wallTask("blackhole"),
  streamTask("wormhole_b0"),
  haloTask("wormhole_b0"),
  poolTask("wormhole_b0"),
  profileTask("blackhole"),
  fit("rows", ROW_GROUPS, [
    ...ROW_CONSTANTS,
    range("tensix.reduceTile", 20, 1000),
    range("stream.clearWord", 2, 20),
  ])("wormhole_b0"),
  fit("rows", ROW_GROUPS, [
    ...ROW_CONSTANTS,
    range("tensix.addPart", 10, 300),
    range("tensix.rankElement", 1, 60),
  ])("blackhole"),
  attentionTask("blackhole"),
  fit("attention", { layer_sdpa: 10 }, [
    range("attention.block", 100, 20000),
    range("attention.step", 50, 4000),
  ])("wormhole_b0"),
  modelTask("wormhole_b0"),
  modelTask("blackhole"),
];
