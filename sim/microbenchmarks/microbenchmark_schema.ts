// SPDX-License-Identifier: Apache-2.0

/**
 * Names and units of what only microbenchmarks show, by section, in the form of a device's own constants
 * (`sim/devices/device_schema.ts`). No kernel that prices a plan can read them: a `Device` does not have them.
 */
export const MICROBENCHMARK_SCHEMA = {
  /** Runs of transactions between two cores; see `noc_patterns.ts`. */
  unicast: {
    /** Issue of one transaction with only the changing registers set (stateful). */
    readIssueStateful: "cycles",
    writeIssueStateful: "cycles",
    /** First use of one more peer. */
    peerSetup: "cycles",
    /** Issue to barrier of one small transaction between cores of one row or column. */
    readLatencySameAxis: "cycles",
    writeLatencySameAxis: "cycles",
  },
  multicast: {
    /** Reservation of a multicast's path when it is not linked: fixed, and per hop of the rectangle. */
    reserve: "cycles",
    reserveHop: "cycles",
    /** Added when the rectangle is one row or column without the sender: the path goes round the ring. */
    reserveLine: "cycles",
    /** Reservation per hop when the sender is one of the receivers. */
    loopbackReserveHop: "cycles",
    /** Acknowledgement of one packet by one receiver, back at the sender. */
    acknowledge: "cycles",
    issue: "cycles",
  },
  allToAll: {
    /** Share of the torus's capacity for uniform traffic that all-to-all writes reach. */
    efficiency: "ratio",
    /** All-from-all reads: bytes per cycle and core among 64 cores, and how that falls with their number. */
    readBytesPerCycle: "bytes/cycle",
    readExponent: "exponent",
  },
  /** One core's transactions with DRAM. */
  dramRun: {
    readLatency: "cycles",
    writeLatency: "cycles",
    bankIssue: "cycles",
    bankBytesPerCycle: "bytes/cycle",
    /** The same with packets of the largest size. */
    bankBurstBytesPerCycle: "bytes/cycle",
    /** Writes of a bank that are too short for one of its bursts. */
    shortWriteBytes: "bytes",
    shortWriteIssue: "cycles",
    interleavedBytesPerCycle: "bytes/cycle",
  },
  /** Many cores that stream from or to some channels; see `dram_streams.ts`. */
  dramStreams: {
    /** Share of its peak that one channel sustains. */
    channelReadShare: "ratio",
    channelWriteShare: "ratio",
    /** Factor on a channel's bandwidth if many writers' packets choose their virtual channels on the way. */
    writeCollapseShare: "ratio",
    /** Share of the peak of cores placed at random, on the network whose direction suits and on the other. */
    randomReadSuited: "ratio",
    randomReadOther: "ratio",
    randomWriteSuited: "ratio",
    randomWriteOther: "ratio",
    /** Gain of writers placed at random when packets choose their virtual channels on the way. */
    dynamicWriteGain: "ratio",
  },
  reshard: {
    /** Start of a reshard's reader, and decoding of one of its ranges of pages. */
    rangeStart: "cycles",
    rangeSetup: "cycles",
    /** Added to each read, and to a whole program, while NoC events are traced. */
    tracedRead: "cycles",
    tracedStart: "cycles",
  },
  /** Programs of which nothing but the dispatch takes time; see `dispatch.ts`. */
  dispatcher: {
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
    /** Programs that the cores hold beside the one that runs. */
    launchBuffer: "count",
    /** From one kernel's end to the start of the next one that the cores hold. */
    launchedGap: "us",
    /** Sending a program with arguments per core, and what every core adds. */
    sendFixed: "us",
    sendCore: "us",
  },
  /** Times of many equal programs under trace by the host's clock; see `profiler.ts`. */
  wallClock: {
    /** Power management: busy share of the matrix engine from which on the clock drops. */
    throttleFrom: "ratio",
    /** Added wall time per busy share above that. */
    throttleSlope: "ratio",
    gap: "us",
  },
  /** Times that a profiler adds to the programs that it measures; see `profiler.ts`. */
  profiler: {
    /** From the end of a program to the start of the next one on a core that had to write its record in between. */
    recordWritten: "us",
  },
  /** Packets between chips beyond what collectives send; see `fabric.ts`. */
  fabric: {
    /** Least time between two packets that every chip of a ring keeps a copy of. */
    ringMulticast: "ns",
    /** The same of packets that cross both axes of a mesh. */
    meshPacket: "ns",
    /** Added to these for each KiB beyond the usual buffer of a channel: larger ones leave it fewer. */
    meshOversize: "ns",
    /** Added to a packet that increments a semaphore where it arrives: from a lone sender, and where all chips send. */
    increment: "ns",
    incrementExchanged: "ns",
    /** Longer time of a packet where all chips send over several links at once. */
    linksShared: "ratio",
  },
  sampling: {
    /** Host time per logit when the host chooses the next tokens: reading it from the device and looking at it. */
    logitHost: "ns",
  },
} as const;
