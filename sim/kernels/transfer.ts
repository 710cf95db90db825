// SPDX-License-Identifier: Apache-2.0
import { kernelsOf } from "../../lib/device/chip_description.ts";
import type { HostTransfer, TransferProgram } from "../../lib/programs/program.ts";
import { inDram, isInterleaved } from "../../lib/programs/program_tensor.ts";
import type { Device } from "../devices/device.ts";
import { issueCycles, transferCycles } from "../network/network.ts";
import { dramReadCycles, dramWriteCycles, interleavedL1Cycles } from "./dram.ts";
import { FREE, type KernelCost, microsecondsOf, smoothMax, startCycles, tileWorkCycles } from "./kernel.ts";

/**
 * Pages from or to shards: the cores of the shards read or write page by page without barriers in between,
 * and share DRAM bandwidth (derived:cost-model). The caller adds NoC congestion where flows are known.
 */
export function transferCost(program: TransferProgram, device: Device): KernelCost {
  const { input, output, pulls, transactions, transactionBytes, cores } = program;
  const compute = tileWorkCycles(program.compute, device);
  const kind = pulls ? "read" : "write";
  // Between shards each data movement thread of a core reads one half.
  const halved = input.placement === "l1_sharded" && pulls;
  const each = halved ? Math.ceil(transactions / 2) : transactions;
  const own = transferCycles(device, { kind, transactionBytes, transactions: each }) +
    addressCycles(program, each, device);
  const copied = program.shortCopies * device.stream.shortCopy;
  const staged = program.staged && isRealigned(program, device)
    ? transactions * device.stream.readBarrier
    : 0;
  const floor = Math.max(
    inDram(input) ? dramReadCycles(device, input.bytes) : 0,
    inDram(output) ? dramWriteCycles(device, output.bytes) : 0,
    interleavedL1Cycles(
      device,
      input.placement === "l1_interleaved" ? input.bytes : 0,
      output.placement === "l1_interleaved" ? output.bytes : 0,
    ),
    // A source core sends its whole shard through its own port.
    halved
      ? issueCycles(device, {
        kind: "write",
        transactionBytes,
        transactions: input.shardBytes / transactionBytes,
      }) / 2
      : 0,
  );
  const busy = program.moves ? smoothMax(own + staged + copied, floor, device.stream.sharingOverlap) : 0;
  return {
    ...FREE,
    cycles: startCycles(cores, device) + (halved && program.moves ? device.stream.shardRanges : 0) +
      Math.max(busy, compute) +
      Math.min(busy, compute) / Math.max(1, transactions),
    read: pulls ? busy : 0,
    compute,
    write: pulls ? 0 : busy,
    cores,
    dramBytes: (inDram(input) ? input.bytes : 0) + (inDram(output) ? output.bytes : 0),
    nocBytes: program.moves ? (pulls ? input : output).bytes : 0,
  };
}

/**
 * Whether staged row-major rows are copied once more to their place: on Blackhole all, on Wormhole those that are no
 * multiple of a DRAM word (tt-metal:reshard).
 */
function isRealigned({ transactionBytes }: TransferProgram, device: Device): boolean {
  return kernelsOf(device.architecture) === "blackhole" || transactionBytes % device.dram.alignment !== 0;
}

/**
 * Cycles of overhead for `pages` pages of interleaved memory: for reads and row-major pages computing the bank and
 * address of each, for written tiles instead a barrier before the next one starts; the latency counts once, for the last page (profiles of SegFormer: 50 cycles
 * per stick read, 300 per tile written, one tile per core in 0.68 us).
 */
function addressCycles({ pulls, input, output }: TransferProgram, pages: number, device: Device): number {
  const tensor = pulls ? input : output;
  if (!isInterleaved(tensor)) return 0;
  return pulls || !tensor.tiled
    ? pages * device.stream.pageAddress
    : Math.max(0, pages - 1) * device.stream.tileDeparture;
}

/** Tensors over PCIe between host and device. */
export function hostTransferCost({ bytes }: HostTransfer, device: Device): KernelCost {
  const transfer = { kind: "write", transactionBytes: Math.max(1, bytes), transactions: 1 } as const;
  return {
    ...FREE,
    dramBytes: bytes,
    hostMicroseconds: device.dispatch.untracedHost + microsecondsOf(device, issueCycles(device, transfer)),
  };
}
