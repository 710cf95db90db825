// SPDX-License-Identifier: Apache-2.0

/**
 * Names and units of every constant of a device file, by section. The loader demands all of them (a file may inherit
 * from its architecture's file) and checks the units, so that no kernel ever reads a number in the wrong unit.
 *
 * Cycles are AICLK cycles of one chip; bytes per cycle are per core unless the name says `chip`.
 */
export const DEVICE_SCHEMA = {
  /** Worker grid that ops may use, and the torus of the network that it sits in. */
  grid: {
    workerRows: "cores",
    workerColumns: "cores",
    nocColumns: "nodes",
    nocRows: "nodes",
  },
  clock: {
    /** AICLK that device kernel durations are counted in. */
    aiclk: "MHz",
    /** Power management: busy share of the matrix engine from which on the clock drops on the wall. */
    throttleFrom: "ratio",
    /** Added wall time per busy share above that. */
    throttleSlope: "ratio",
  },
  l1: {
    size: "bytes",
    unreservedBase: "bytes",
    smallSize: "bytes",
    alignment: "bytes",
    circularBuffers: "count",
  },
  dram: {
    banks: "count",
    bankSize: "bytes",
    unreservedBase: "bytes",
    unreservedEnd: "bytes",
    alignment: "bytes",
    pcieAlignment: "bytes",
    /** Theoretical bandwidth of all banks together. */
    peakBandwidth: "GB/s",
    /** Share of the peak that all cores reading interleaved pages reach together. */
    interleavedReadShare: "ratio",
    /** Share of the peak that all cores writing interleaved pages reach together. */
    interleavedWriteShare: "ratio",
    /** Share of the peak that readers placed next to their banks reach together. */
    shardedReadShare: "ratio",
  },
  noc: {
    linkBytesPerCycle: "bytes/cycle",
    readBytesPerCycle: "bytes/cycle",
    writeBytesPerCycle: "bytes/cycle",
    multicastBytesPerCycle: "bytes/cycle",
    readIssue: "cycles",
    writeIssue: "cycles",
    readLatency: "cycles",
    writeLatency: "cycles",
    multicastLatency: "cycles",
    hop: "cycles",
    maxBurst: "bytes",
    /** Chip-wide cap when every core writes to every core. */
    allToAllChipBytesPerCycle: "bytes/cycle",
    /** Chip-wide cap when every core reads from every core. */
    allFromAllChipBytesPerCycle: "bytes/cycle",
  },
  tensix: {
    dstTiles: "tiles",
    matmulTileLofi: "cycles",
    matmulTileHifi2: "cycles",
    matmulTileHifi3: "cycles",
    matmulTileHifi4: "cycles",
    /** Unpack, pack and loop overhead of an elementwise tile. */
    eltwiseTileOverhead: "cycles",
    /** The generic reader's cost per tile when shards do not line up. */
    misalignedTile: "cycles",
    /** One pass of a reduction or norm over a tile. */
    reduceTile: "cycles",
    tilizeTile: "cycles",
    untilizeTile: "cycles",
  },
  /** Blocked matmul programs; see `sim/kernels/matmul.ts`. */
  matmul: {
    /** Matrix engine: cycles of a tile matmul = ideal × scale + offset. */
    tileScale: "ratio",
    tileOffset: "cycles",
    /** Unpackers: cycles per KiB of the wider operand's tile, times 1 + reuse × (1/subblock height + 1/width). */
    unpackPerKib: "cycles/KiB",
    unpackReuse: "ratio",
    /** Packing one output tile after each K block. */
    packTile: "cycles",
    /** Starting one subblock of a K block. */
    subblock: "cycles",
    /** How sharply gathering and computing hide each other (exponent of the p-norm). */
    overlap: "exponent",
    /** A sender's wait for memory and for its receivers, per K block. */
    senderLatency: "cycles",
    /** Address of one tile in interleaved memory and the issue of its read. */
    tileIssue: "cycles",
    /** Handshake of a multicast from L1, per K block. */
    multicastLatency: "cycles",
    /** From launch to the first K block, and semaphores at the end. */
    startup: "cycles",
    /** Share of the DRAM peak that all cores reading blocks reach together. */
    inputReadShare: "ratio",
    /** Share of the DRAM peak that all cores writing output blocks reach together. */
    outputWriteShare: "ratio",
  },
  /** Cycles per 32x32 tile of vector functions, on top of the elementwise overhead. */
  sfpu: {
    simple: "cycles",
    lookup: "cycles",
    root: "cycles",
    transcendental: "cycles",
    exp: "cycles",
    erf: "cycles",
  },
  dispatch: {
    /** From the end of one kernel to the start of the next under trace. */
    tracedGap: "us",
    /** From the end of one kernel to the end of the next's launch as the host's clock sees it under trace. */
    wallGap: "us",
    /** Host time of one op without trace. */
    untracedHost: "us",
    /** Time of the shortest kernel: first core's start to last core's end with nothing to do. */
    kernelFloor: "us",
  },
  ethernet: {
    links: "count",
    linkBandwidth: "GB/s",
    hopLatency: "us",
  },
  /** Mean absolute relative error of each class of ops, as `audit cost-model` reports it. */
  accuracy: {
    matmul: "ratio",
    convolution: "ratio",
    eltwise: "ratio",
    reduction: "ratio",
    dataMovement: "ratio",
    reshard: "ratio",
    attention: "ratio",
    collective: "ratio",
  },
} as const;

/** A section of a device file. */
export type DeviceSection = keyof typeof DEVICE_SCHEMA;

/** Values of one section, by name. */
export type SectionValues<Section extends DeviceSection> = Readonly<
  Record<keyof (typeof DEVICE_SCHEMA)[Section], number>
>;
