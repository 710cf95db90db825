// SPDX-License-Identifier: Apache-2.0
import type { Architecture } from "../../lib/device/chip_description.ts";
import type { CalibrationTask, FittedConstant } from "./calibrate.ts";

/** `section.name` with its range. */
function range(path: string, min: number, max: number): FittedConstant {
  const [section = "", name = ""] = path.split(".");
  return { section, name, min, max };
}

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
];

function matmulTask(architecture: Architecture): CalibrationTask {
  return {
    name: `matmul ${architecture}`,
    architecture,
    groups: { gemm_known_config: 400, gemm_out_of_box: 400, matmul_height_sharded: 300, matmul_1core: 10 },
    constants: MATMUL_CONSTANTS,
  };
}

function wallTask(architecture: Architecture): CalibrationTask {
  return {
    name: `wall clock ${architecture}`,
    architecture,
    groups: { gemm_known_config_wall: 400, gemm_out_of_box_wall: 400 },
    constants: [
      range("clock.throttleFrom", 0.3, 0.95),
      range("clock.throttleSlope", 0.001, 1.5),
      range("dispatch.wallGap", 0.5, 6),
    ],
  };
}

function nocTask(architecture: Architecture): CalibrationTask {
  return {
    name: `noc ${architecture}`,
    architecture,
    groups: { noc_latency: 600, noc_bw: 50 },
    constants: [
      range("noc.readBytesPerCycle", 20, 64),
      range("noc.writeBytesPerCycle", 20, 64),
      range("noc.multicastBytesPerCycle", 20, 64),
      range("noc.readIssue", 10, 60),
      range("noc.readIssueStateful", 10, 60),
      range("noc.writeIssue", 10, 60),
      range("noc.writeIssueStateful", 10, 60),
      range("noc.peerSetup", 1, 60),
      range("noc.readLatency", 150, 600),
      range("noc.writeLatency", 150, 600),
      range("noc.readLatencySameAxis", 100, 400),
      range("noc.writeLatencySameAxis", 100, 400),
      range("noc.multicastLatency", 100, 900),
      range("noc.multicastReserve", 20, 600),
      range("noc.multicastReserveHop", 1, 40),
      range("noc.multicastReserveLine", 1, 300),
      range("noc.loopbackReserveHop", 1, 60),
      range("noc.multicastAcknowledge", 0.5, 3),
      range("noc.shortWriteIssue", 10, 100),
      range("noc.multicastIssue", 10, 120),
      range("noc.dramReadLatency", 200, 800),
      range("noc.dramWriteLatency", 200, 800),
      range("noc.bankIssue", 10, 60),
      range("noc.bankBytesPerCycle", 15, 45),
      range("noc.interleavedIssue", 10, 80),
      range("noc.interleavedBytesPerCycle", 20, 64),
      range("noc.allToAllEfficiency", 0.1, 1),
      range("noc.allFromAllBytesPerCycle", 0.3, 10),
      range("noc.allFromAllExponent", 0.2, 4),
      range("noc.bankBurstBytesPerCycle", 15, 45),
      range("noc.rangeStart", 10, 2000),
      range("noc.rangeSetup", 10, 400),
      // Blackhole's is fitted on whole convolutions.
      ...(architecture === "wormhole_b0" ? [range("conv.windowRead", 5, 80)] : []),
    ],
  };
}

function dramTask(architecture: Architecture): CalibrationTask {
  return {
    name: `dram ${architecture}`,
    architecture,
    groups: { dram_bw: 100 },
    constants: [
      range("dram.channelReadShare", 0.5, 1),
      range("dram.channelWriteShare", 0.5, 1),
      range("dram.writeCollapseShare", 0.05, 1),
      range("dram.randomReadSuited", 0.1, 1),
      range("dram.randomReadOther", 0.05, 1),
      range("dram.randomWriteSuited", 0.1, 1),
      range("dram.randomWriteOther", 0.05, 1),
      range("dram.dynamicWriteGain", 0.5, 2),
      range("dram.shardedReadShare", 0.5, 1),
    ],
  };
}

/** Dispatch is a matter of software: each device of the benchmark has its own constants. */
function dispatchTask(architecture: Architecture, device: string): CalibrationTask {
  return {
    name: `dispatch ${device}`,
    architecture,
    device,
    groups: { dispatch: 300 },
    constants: [
      range("dispatch.base", 0.3, 4),
      range("dispatch.perProcessor", 0.001, 0.5),
      range("dispatch.kernelBandwidth", 5, 400),
      range("dispatch.configure", 0.05, 2),
      range("dispatch.uniqueArguments", 0.1, 6),
      range("dispatch.perArgument", 0.0005, 0.05),
      range("dispatch.launchGroup", 0.05, 1.5),
      range("dispatch.kernelGroups", 0.5, 15),
      range("dispatch.kernelDone", 0.3, 3),
      range("dispatch.ethernetCores", 0.05, 4),
    ],
  };
}

/** What whole models take beside their device programs. */
function modelTask(architecture: Architecture): CalibrationTask {
  return {
    name: `models ${architecture}`,
    architecture,
    groups: { e2e: 100 },
    constants: [range("dispatch.logitHost", 0.1, 5)],
  };
}

/** Wormhole has one long sweep and few profiles; the sweep is thinned so that the profiles count. */
function streamTask(architecture: Architecture): CalibrationTask {
  return {
    name: `streams ${architecture}`,
    architecture,
    groups: { eltwise_unary: 120, op_profile: 100 },
    constants: [
      range("sfpu.exp", 500, 4000),
      range("stream.startup", 300, 2500),
      range("stream.readBarrier", 100, 1500),
      range("stream.l1ReadBarrier", 100, 1500),
      range("stream.writeBarrier", 50, 1500),
      range("stream.l1ChipBytesPerCycle", 60, 1500),
      range("dram.interleavedMixedShare", 0.3, 1),
      range("dram.largeShare", 0.5, 1),
      range("matmul.roundSync", 50, 3000),
      range("tensix.transposeTile", 40, 1000),
    ],
  };
}

function profileTask(architecture: Architecture): CalibrationTask {
  return {
    name: `op profiles ${architecture}`,
    architecture,
    groups: { op_profile: 300 },
    constants: [
      range("stream.startup", 200, 3000),
      range("stream.readBarrier", 100, 1500),
      range("stream.l1ReadBarrier", 100, 1500),
      range("stream.writeBarrier", 50, 1500),
      range("stream.l1ChipBytesPerCycle", 100, 3000),
      range("dram.interleavedReadShare", 0.5, 1),
      range("dram.interleavedWriteShare", 0.3, 1),
      range("dram.interleavedMixedShare", 0.4, 1),
      range("stream.shortCopy", 10, 400),
      range("stream.broadcastFill", 100, 4000),
      range("tensix.eltwiseTile", 30, 300),
      range("tensix.reduceTile", 20, 1000),
      range("matmul.reloadTile", 5, 200),
      range("matmul.roundSync", 50, 3000),
      range("tensix.tilizeTile", 40, 400),
      range("tensix.untilizeRow", 20, 1500),
      range("tensix.untilizeTile", 40, 1000),
      range("tensix.transposeTile", 40, 1000),
      range("tensix.localCopyBytesPerCycle", 10, 128),
      range("conv.startup", 500, 12000),
      range("conv.weightTile", 30, 300),
      range("conv.windowRead", 5, 80),
      range("conv.haloTileRow", 10, 2000),
      range("conv.haloBytesPerCycle", 2, 64),
      range("conv.haloStartup", 200, 12000),
      range("ethernet.efficiency", 0.1, 1),
    ],
  };
}

function reshardTask(architecture: Architecture): CalibrationTask {
  return {
    name: `reshard ${architecture}`,
    architecture,
    groups: { reshard: 100 },
    constants: [
      range("noc.tracedRead", 5, 300),
      range("noc.tracedStart", 10, 2000),
      range("dram.interleavedReadShare", 0.4, 0.9),
    ],
  };
}

/** Every fit, in the order in which they build on each other. */
export const CALIBRATION_TASKS: readonly CalibrationTask[] = [
  nocTask("wormhole_b0"),
  nocTask("blackhole"),
  dramTask("wormhole_b0"),
  dispatchTask("wormhole_b0", "n150"),
  dispatchTask("wormhole_b0", "n150-2025-06"),
  dispatchTask("blackhole", "p150"),
  reshardTask("wormhole_b0"),
  matmulTask("wormhole_b0"),
  matmulTask("blackhole"),
  wallTask("wormhole_b0"),
  wallTask("blackhole"),
  streamTask("wormhole_b0"),
  profileTask("blackhole"),
  modelTask("wormhole_b0"),
  modelTask("blackhole"),
];
