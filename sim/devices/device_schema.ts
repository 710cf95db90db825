// SPDX-License-Identifier: Apache-2.0

/**
 * Names and units of every constant of a device file, by section. The loader demands all of them (a file may inherit
 * from its architecture's file) and checks the units, so that no kernel ever reads a number in the wrong unit.
 *
 * Cycles are AICLK cycles of one chip; bytes per cycle are per core unless the name says `chip`.
 */
export const DEVICE_SCHEMA = {
  /** Worker grid that ops may use. */
  grid: {
    workerRows: "cores",
    workerColumns: "cores",
  },
  clock: {
    /** AICLK that device kernel durations are counted in. */
    aiclk: "MHz",
  },
  l1: {
    size: "bytes",
    unreservedBase: "bytes",
    smallSize: "bytes",
    alignment: "bytes",
    /** Circular buffers that a core has. */
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
    /** Share of the peak that reads and writes of interleaved pages reach together. */
    interleavedMixedShare: "ratio",
    /** Factor on these shares for tensors above `largeBytes`. */
    largeShare: "ratio",
    largeBytes: "bytes",
    /** Share of the peak that readers placed next to their banks reach together. */
    shardedReadShare: "ratio",
    /** Cost of switching a bank to an interleaved page, as bytes that it could have moved in that time. */
    pageOverhead: "bytes",
    /** Bytes that a bank moves in the least time of a page: shorter pages take as long. */
    pageFloor: "bytes",
  },
  noc: {
    /** One link between neighbouring nodes, one way. */
    linkBytesPerCycle: "bytes/cycle",
    /** Rates at which one core reads, writes, and multicasts. */
    readBytesPerCycle: "bytes/cycle",
    writeBytesPerCycle: "bytes/cycle",
    multicastBytesPerCycle: "bytes/cycle",
    /** Issue of one transaction with all registers set anew. */
    readIssue: "cycles",
    writeIssue: "cycles",
    /** Issue to barrier of one small transaction between cores that share neither row nor column. */
    readLatency: "cycles",
    writeLatency: "cycles",
    /** Issue to barrier of one small multicast, on top of its path. */
    multicastLatency: "cycles",
    /** From one node to the next. */
    hop: "cycles",
    /** Largest transaction. */
    maxBurst: "bytes",
    /** Address and issue of one page of interleaved DRAM. */
    interleavedIssue: "cycles",
    /** Chip-wide cap when every core writes to every core. */
    allToAllChipBytesPerCycle: "bytes/cycle",
  },
  tensix: {
    /** Tiles that the destination register holds. */
    dstTiles: "tiles",
    /** Matrix engine: one product of two tiles, by math fidelity. */
    matmulTileLofi: "cycles",
    matmulTileHifi2: "cycles",
    matmulTileHifi3: "cycles",
    matmulTileHifi4: "cycles",
    /** Setting up unpacker, math and packer, and the first tile's way through them beyond the pace of the others. */
    computeStart: "cycles",
    /** Unpack, pack and loop overhead of an elementwise tile. */
    eltwiseTile: "cycles",
    /** Extra time of a tile with four bytes per element. */
    eltwiseTileWide: "cycles",
    /** One pass of a reduction or norm over a tile. */
    reduceTile: "cycles",
    /** A sum, mean or maximum of one row of tiles, until the next pass can use it. */
    reduceRow: "cycles",
    /** One other core's part of such a sum, fetched and added. */
    addPart: "cycles",
    /** Unpack, compute and pack of one tile in one pass of a norm or softmax. */
    passTile: "cycles",
    /** The same if the destination register accumulates in f32. */
    passTileWide: "cycles",
    /** Fixed time of a block of tiles in one pass. */
    passBlock: "cycles",
    /** One tile in one pass of a group norm, which masks the parts of other groups. */
    groupTile: "cycles",
    /** Unpack, product or sum, and pack of one tile of a rotary embedding. */
    rotaryTile: "cycles",
    /** Argmax: comparing one element, starting a row, asking one core for its largest. */
    scanElement: "cycles",
    scanRow: "cycles",
    scanShare: "cycles",
    /** Comparing one index of a gather with a tile. */
    gatherElement: "cycles",
    /** Ranking one element of a wide row. */
    rankElement: "cycles",
    /** Sorting one tile into a tile of the largest so far, and merging the list of another core. */
    sortStep: "cycles",
    sortMerge: "cycles",
    tilizeTile: "cycles",
    untilizeTile: "cycles",
    /** A tile of a row of tiles that the packer does not hold whole. */
    untilizeWideTile: "cycles",
    /** Fixed time of untilizing one row of tiles. */
    untilizeRow: "cycles",
    transposeTile: "cycles",
    /** Pools: a window's way through the circular buffers, and reducing 16 of its sticks by 32 channels. */
    poolWindow: "cycles",
    poolTile: "cycles",
    /** Copy of bytes inside one core's L1 by its data movement threads. */
    localCopyBytesPerCycle: "bytes/cycle",
  },
  /** Programs that stream pages through circular buffers; see `sim/kernels/stream.ts`. */
  stream: {
    /** From the first core's start to the last core's end of an empty program. */
    startup: "cycles",
    /** Extra time of an empty program on several cores, which do not start at the same time. */
    spread: "cycles",
    /** A reader's wait for the pages of one unit of work, from DRAM and from other cores' L1. */
    readBarrier: "cycles",
    l1ReadBarrier: "cycles",
    /** A writer's wait until its pages have left. */
    writeBarrier: "cycles",
    /** One short copy inside a core's L1 by a data movement thread: a piece of a row that moves. */
    shortCopy: "cycles",
    /** A piece of a row looked up in a map and copied. */
    mappedPiece: "cycles",
    /** Filling a tile from its one row, column or element, so that it can be added to whole tiles. */
    broadcastFill: "cycles",
    /** Writing one word of a tile of padding. */
    fillWord: "cycles",
    /** Strides of several operands, which a reader computes before its first tile. */
    strides: "cycles",
    /** One byte that a data movement thread copies by itself, and one word of a row that fills a tile. */
    copyByte: "cycles",
    copyWord: "cycles",
    /** Padding that a tilize writes below its rows, per word of four bytes. */
    padWord: "cycles",
    /** The loop around a run of such words, which a row or half a row of a tile is. */
    padRun: "cycles",
    /** One word of a tile of zeros that a reduction of rows of elements begins with. */
    clearWord: "cycles",
    /** Issue of a transaction whose address is computed from the indices of its row. */
    scatteredIssue: "cycles",
    /** Bank and address of a page of interleaved memory on its way into a shard. */
    pageAddress: "cycles",
    /** Computing which core holds which part of a shard, before the first read. */
    shardRanges: "cycles",
    /** Latency of a row of elements that is written alone. */
    stickWait: "cycles",
    /** Bank, address and departure of a tile on its way from a shard to interleaved memory. */
    tileDeparture: "cycles",
    /** Overlap of a core's own transactions with the memories that all cores share (exponent of the p-norm). */
    sharingOverlap: "exponent",
    /** Chip-wide bandwidth of interleaved L1. */
    l1ChipReadBytesPerCycle: "bytes/cycle",
  },
  /** Convolutions and pools; see `sim/kernels/convolution.ts` and `page_streams.ts`. */
  conv: {
    startup: "cycles",
    /** Read and multicast of one tile of weights. */
    weightTile: "cycles",
    /** Issue of one read of a window's row from the haloed activation. */
    windowRead: "cycles",
    /** Data movement threads that share the windows of a core. */
    windowReaders: "count",
    /** Fixed time of untilizing a row of tiles in the halo program. */
    haloTileRow: "cycles",
    /** One tile of such a row. */
    haloTile: "cycles",
    /** Bytes of sticks that the halo program moves per core. */
    haloBytesPerCycle: "bytes/cycle",
    /** A stick of padding that the halo program fills, at least, and the bytes of longer ones. */
    haloPadStick: "cycles",
    haloPadBytesPerCycle: "bytes/cycle",
    /** Share of a link's bandwidth that the sticks reach which all cores send along their line of the grid. */
    haloLineShare: "ratio",
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
    /** Adding one tile of partial sums per K block, when the packer accumulates in L1; at least that per tile. */
    addTile: "cycles",
    /** Unpacking and adding one tile of partial sums per K block, when the packer does not accumulate in L1. */
    reloadTile: "cycles",
    /** Synchronisation of senders and receivers, once per batch or output block. */
    roundSync: "cycles",
    /** Starting one subblock of a K block. */
    subblock: "cycles",
    /** Overlap of gathering and computing (exponent of the p-norm). */
    overlap: "exponent",
    /** A sender's wait for memory and for its receivers, per K block. */
    senderLatency: "cycles",
    /** Address of one tile in interleaved memory and the issue of its read. */
    tileIssue: "cycles",
    /** Handshake of a multicast from L1, per K block. */
    multicastLatency: "cycles",
    /** From launch to the first K block, and semaphores at the end. */
    startup: "cycles",
    /** Signal of one receiver that it has room for a block; the sender of a multicast waits for it. */
    receiver: "cycles",
    /** Least time of a K block where weights are sharded over the banks. */
    shardedBlock: "cycles",
    /** Share of the DRAM peak that all cores reading blocks reach together. */
    inputReadShare: "ratio",
    /** Share of the DRAM peak that all cores writing output blocks reach together. */
    outputWriteShare: "ratio",
    /**
     * Shares of the DRAM bandwidth where every core has rows of its own and weights are multicast: all of them read
     * over the network that suits writes, and write over the one that suits reads.
     */
    rowsReadShare: "ratio",
    rowsWriteShare: "ratio",
  },
  /** Flash attention and decoding; see `sim/kernels/attention.ts`. */
  attention: {
    startup: "cycles",
    /** Per block of queries: reading them, the first chunk's latency, normalising and writing the result. */
    block: "cycles",
    /** Per chunk of keys: handing buffers over. */
    step: "cycles",
    /** Per chunk of keys and row of tiles: maximum, sum, rescaling of the running result. */
    row: "cycles",
    /** Exponential and sum of one score tile, beside its two products. */
    score: "cycles",
    /** Extra time of a score tile if the destination register accumulates in f32. */
    wideScore: "cycles",
    /** Address and issue of a reader per tile of keys or values. */
    readerTile: "cycles",
    /** One tile of keys or values passed from core to core. */
    forwardedTile: "cycles",
    /** Flash decoding without its stream: positions, queries, combining the parts of a head. */
    decodeStartup: "cycles",
    /** Per group of heads that a core serves. */
    headGroup: "cycles",
    /** One tile of a partial result that a core combines with its own. */
    combineTile: "cycles",
    /** How DRAM's share falls with the share of the grid's columns that the cores occupy. */
    columnExponent: "exponent",
    /** One tile of the mask of decoding's last chunk. */
    maskTile: "cycles",
  },
  /** Cycles per 32x32 tile of vector functions, on top of the elementwise overhead. */
  sfpu: {
    /** A function read from a table: approximate gelu. */
    lookup: "cycles",
    simple: "cycles",
    /** Multiplying and rounding two operands, beyond the time of the matrix engine. */
    product: "cycles",
    reciprocal: "cycles",
    polynomial: "cycles",
    quotient: "cycles",
    transcendental: "cycles",
    inverse: "cycles",
    exp: "cycles",
  },
  dispatch: {
    /** From the end of one kernel to the start of the next under trace. */
    tracedGap: "us",
    /** Time to send a typical program to all cores. */
    programSend: "us",
    /** Programs that the cores keep ready: the dispatcher sends the one after them when the first of them starts. */
    launchSlots: "count",
    /** Host time of one op without trace. */
    untracedHost: "us",
  },
  host: {
    /** Chips that reach the host through one PCIe link, their own or that of a neighbour. */
    chipsPerLink: "count",
  },
  ethernet: {
    l1UnreservedBase: "bytes",
    /** One link, one way. */
    linkBandwidth: "GB/s",
    /** Least time between two packets of a link on a line or between two chips, whatever they hold. */
    linePacket: "ns",
    /** The same on a ring, where links also carry other chips' packets and as much in the other direction. */
    ringPacket: "ns",
    /** Header and handling of a packet, added to its bytes on the wire. */
    packetOverhead: "ns",
    /** From one chip to the next for the first bytes of a packet, routers at both ends included. */
    hopLatency: "us",
    /** Hop of a collective that waits for the one before. */
    stepLatency: "us",
    /** Factor on the time of a reduce_scatter along dimension 0, which has kernels of its own. */
    dimZero: "ratio",
  },
  /** Error of each class of ops on rows held back: half-width of the 68 % interval. */
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
  /** Mean absolute relative error that the times of whole graphs have in common, in addition to the errors of their ops. */
  graphAccuracy: { common: "ratio" },
  /** Mean absolute relative error of the ratio between two runs that differ in one op of the class. */
  ratioAccuracy: {
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
