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
    /** Share of AICLK that long, dense matmuls sustain on the wall clock. */
    sustainedMatmulShare: "ratio",
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
    /** What all cores reading interleaved pages reach together. */
    interleavedReadBandwidth: "GB/s",
    /** What all cores writing interleaved pages reach together. */
    interleavedWriteBandwidth: "GB/s",
    /** What readers placed next to their banks reach together. */
    shardedReadBandwidth: "GB/s",
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
    /** Chip-wide cap when every core reads from every core. */
    allFromAllChipBytesPerCycle: "bytes/cycle",
  },
  tensix: {
    dstTiles: "tiles",
    matmulTileLofi: "cycles",
    matmulTileHifi2: "cycles",
    matmulTileHifi3: "cycles",
    matmulTileHifi4: "cycles",
    /** Efficiency loss of the matrix engine: cycles = ideal × scale + offset. */
    matmulScale: "ratio",
    matmulOffset: "cycles",
    /** Unpacker cycles per KiB of tile per tile matmul. */
    matmulUnpackPerKib: "cycles/KiB",
    /** Unpack, pack and loop overhead of an elementwise tile. */
    eltwiseTileOverhead: "cycles",
    /** The generic reader's cost per tile when shards do not line up. */
    misalignedTile: "cycles",
    /** One pass of a reduction or norm over a tile. */
    reduceTile: "cycles",
    tilizeTile: "cycles",
    untilizeTile: "cycles",
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
