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
    /** Share of its peak that one channel sustains. */
    channelReadShare: "ratio",
    channelWriteShare: "ratio",
    /** What is left of a channel when many writers' packets choose their virtual channels on the way. */
    writeCollapseShare: "ratio",
    /** Share of the peak of cores placed at random, on the network whose direction suits and on the other. */
    randomReadSuited: "ratio",
    randomReadOther: "ratio",
    randomWriteSuited: "ratio",
    randomWriteOther: "ratio",
    /** Gain of writers placed at random when packets choose their virtual channels on the way. */
    dynamicWriteGain: "ratio",
    /** Share of the peak that all cores reading interleaved pages reach together. */
    interleavedReadShare: "ratio",
    /** Share of the peak that all cores writing interleaved pages reach together. */
    interleavedWriteShare: "ratio",
    /** Share of the peak that reads and writes of interleaved pages reach together. */
    interleavedMixedShare: "ratio",
    /** What is left of these shares for tensors above `largeBytes`. */
    largeShare: "ratio",
    largeBytes: "bytes",
    /** Share of the peak that readers placed next to their banks reach together. */
    shardedReadShare: "ratio",
  },
  noc: {
    linkBytesPerCycle: "bytes/cycle",
    readBytesPerCycle: "bytes/cycle",
    writeBytesPerCycle: "bytes/cycle",
    multicastBytesPerCycle: "bytes/cycle",
    /** Issue of one transaction: with all registers set anew, and with only the changing ones set (stateful). */
    readIssue: "cycles",
    readIssueStateful: "cycles",
    writeIssue: "cycles",
    writeIssueStateful: "cycles",
    /** First use of one more peer. */
    peerSetup: "cycles",
    /** Issue to barrier of one small transaction between cores that share neither row nor column. */
    readLatency: "cycles",
    writeLatency: "cycles",
    /** The same between cores of one row or column. */
    readLatencySameAxis: "cycles",
    writeLatencySameAxis: "cycles",
    /** Issue to barrier of one small multicast, on top of its path. */
    multicastLatency: "cycles",
    /** Reservation of a multicast's path when it is not linked: fixed, and per hop of the rectangle. */
    multicastReserve: "cycles",
    multicastReserveHop: "cycles",
    /** Added when the rectangle is one row or column without the sender: the path goes round the ring. */
    multicastReserveLine: "cycles",
    /** Reservation per hop when the sender is one of the receivers. */
    loopbackReserveHop: "cycles",
    /** Acknowledgement of one packet by one receiver, back at the sender. */
    multicastAcknowledge: "cycles",
    multicastIssue: "cycles",
    /** Start of a reshard's reader, and decoding of one of its ranges of pages. */
    rangeStart: "cycles",
    rangeSetup: "cycles",
    /** Added to each read, and to a whole program, while NoC events are traced. */
    tracedRead: "cycles",
    tracedStart: "cycles",
    hop: "cycles",
    maxBurst: "bytes",
    /** One bank of DRAM: latency, issue and bandwidth of one core. */
    dramReadLatency: "cycles",
    dramWriteLatency: "cycles",
    bankIssue: "cycles",
    bankBytesPerCycle: "bytes/cycle",
    /** The same with packets of the largest size. */
    bankBurstBytesPerCycle: "bytes/cycle",
    /** Writes of a bank that are too short for one of its bursts. */
    shortWriteBytes: "bytes",
    shortWriteIssue: "cycles",
    /** Pages of interleaved DRAM: address and issue, and bandwidth of one core. */
    interleavedIssue: "cycles",
    interleavedBytesPerCycle: "bytes/cycle",
    /** Chip-wide cap when every core writes to every core. */
    allToAllChipBytesPerCycle: "bytes/cycle",
    /** Share of the torus's capacity for uniform traffic that all-to-all writes reach. */
    allToAllEfficiency: "ratio",
    /** All-from-all reads: bytes per cycle and core among 64 cores, and how that falls with their number. */
    allFromAllBytesPerCycle: "bytes/cycle",
    allFromAllExponent: "exponent",
  },
  tensix: {
    dstTiles: "tiles",
    matmulTileLofi: "cycles",
    matmulTileHifi2: "cycles",
    matmulTileHifi3: "cycles",
    matmulTileHifi4: "cycles",
    /** Unpack, pack and loop overhead of an elementwise tile. */
    eltwiseTile: "cycles",
    /** One pass of a reduction or norm over a tile. */
    reduceTile: "cycles",
    /** Latency of one row of tiles through all passes of a norm or softmax. */
    reduceRow: "cycles",
    tilizeTile: "cycles",
    untilizeTile: "cycles",
    /** What untilizing one row of tiles takes beside its tiles. */
    untilizeRow: "cycles",
    transposeTile: "cycles",
    /** Copy of bytes inside one core's L1 by its data movement threads. */
    localCopyBytesPerCycle: "bytes/cycle",
  },
  /** Programs that stream pages through circular buffers; see `sim/kernels/streaming.ts`. */
  stream: {
    /** From first core's start to last core's end of a program with nothing to do. */
    startup: "cycles",
    /** A reader's wait for the pages of one unit of work, from DRAM and from other cores' L1. */
    readBarrier: "cycles",
    l1ReadBarrier: "cycles",
    /** A writer's wait until its pages have left. */
    writeBarrier: "cycles",
    /** One short copy inside a core's L1 by a data movement thread: a piece of a row that does not stay where it was. */
    shortCopy: "cycles",
    /** Filling a tile from its one row, column or element, so that it can be added to whole tiles. */
    broadcastFill: "cycles",
    /** Chip-wide bytes that interleaved L1 gives and takes. */
    l1ChipBytesPerCycle: "bytes/cycle",
  },
  /** Convolutions and pools; see `sim/kernels/conv2d.ts`, `halo.ts` and `pool.ts`. */
  conv: {
    startup: "cycles",
    /** Read and multicast of one tile of weights. */
    weightTile: "cycles",
    /** Issue of one read of a window's row from the haloed activation. */
    windowRead: "cycles",
    /** What untilizing a row of tiles takes in the halo program beside its tiles. */
    haloTileRow: "cycles",
    /** Bytes of sticks that the halo program moves per core. */
    haloBytesPerCycle: "bytes/cycle",
    haloStartup: "cycles",
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
    /** Unpacking and adding one tile of partial sums per K block, when the packer does not accumulate in L1. */
    reloadTile: "cycles",
    /** Senders and receivers waiting for each other once per batch or output block. */
    roundSync: "cycles",
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
    /** Gap on the host's clock, for many equal programs under trace. */
    wallGap: "us",
    /** Time in which the dispatcher sends a usual program to all cores, from the start of the program before. */
    programSend: "us",
    /** Host time of one op without trace. */
    untracedHost: "us",
    /** Host time per logit when the host chooses the next tokens: reading it from the device and looking at it. */
    logitHost: "ns",
    /** Traced dispatch of an empty program on one processor per core. */
    base: "us",
    perProcessor: "us",
    /** Rate at which kernels reach the cores. */
    kernelBandwidth: "GB/s",
    /** Any circular buffer, semaphore or common argument to configure. */
    configure: "us",
    /** Arguments that differ per core: to address every core, and per word and processor. */
    uniqueArguments: "us",
    perArgument: "us",
    /** One more group of cores with its own launch message. */
    launchGroup: "us",
    /** Eight groups of cores with kernels of their own, without the kernels' bytes. */
    kernelGroups: "us",
    /** From a kernel's end to the next start when dispatch is hidden behind it. */
    kernelDone: "us",
    /** Dispatch to Ethernet cores. */
    ethernetCores: "us",
  },
  ethernet: {
    links: "count",
    linkBandwidth: "GB/s",
    hopLatency: "us",
    /** Share of the link bandwidth that collectives reach. */
    efficiency: "ratio",
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
