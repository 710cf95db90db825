// SPDX-License-Identifier: Apache-2.0
import type { CollectiveProgram, MatmulProgram } from "../../lib/programs/program.ts";
import type { Device } from "../devices/device.ts";
import { bytesInDram, dramCycles } from "./dram.ts";
import { cyclesOf, FREE, type KernelCost, startCycles } from "./kernel.ts";
import { matmulCost } from "./matmul.ts";

/**
 * A collective between chips: latency of dependent hops plus the packets of the busiest link in sequence, at
 * least the time of its bytes at the DRAM interface; kernels that scatter along dimension 0 take `dimZero` times as long. A single chip exchanges nothing (derived:collectives).
 */
export function collectiveCost(program: CollectiveProgram, device: Device): KernelCost {
  const { linePacket, ringPacket, stepLatency, hopLatency, dimZero } = device.ethernet;
  const packets = program.linkBytes / program.packetBytes;
  const period = packetNanoseconds(
    program.packetBytes,
    program.bidirectional ? ringPacket : linePacket,
    device,
  );
  const usual = program.steps * stepLatency + program.forwards * hopLatency + packets * period / 1000;
  const microseconds = usual * (program.dimZero ? dimZero : 1);
  const dramBytes = bytesInDram(program.reads) + bytesInDram(program.writes);
  const start = startCycles(program.cores, device);
  const cycles = start +
    Math.max(cyclesOf(device, microseconds), dramCycles(device, dramBytes, 1));
  const alone: KernelCost = {
    ...FREE,
    cycles,
    write: cycles - start,
    cores: program.cores,
    dramBytes,
    nocBytes: program.linkBytes * program.links * (program.bidirectional ? 2 : 1),
  };
  return program.product === undefined
    ? alone
    : besides(alone, matmulCost(program.product, device), partsHandedOver(program.product, program.chips));
}

/**
 * Number of parts in which a matmul exchanges its rows: one per chip, or, if it has several row blocks,
 * min(chips, row blocks).
 */
function partsHandedOver({ blocks: { perCoreM, outBlockH } }: MatmulProgram, chips: number): number {
  const blocks = Math.ceil(perCoreM / Math.max(1, outBlockH));
  return blocks > 1 ? Math.min(chips, blocks) : chips;
}

/**
 * Cost of a collective on its own cores beside the matmul before or after it: they overlap except for one
 * part of the rows, and share the DRAM interface (derived:collectives).
 */
function besides(exchange: KernelCost, product: KernelCost, parts: number): KernelCost {
  const [less, more] = [exchange.cycles, product.cycles].sort((a, b) => a - b);
  return {
    ...product,
    cycles: (more ?? 0) + (less ?? 0) / parts,
    write: Math.max(exchange.write, product.write),
    dramBytes: exchange.dramBytes + product.dramBytes,
    nocBytes: exchange.nocBytes + product.nocBytes,
  };
}

/**
 * Time in ns between two packets of a link: the fixed time of the routers, or its bytes on the wire
 * (tt-metal:fabric-bandwidth).
 *
 * @param router `linePacket` or `ringPacket` of the device, in ns
 */
export function packetNanoseconds(bytes: number, router: number, { ethernet }: Device): number {
  return Math.max(router, ethernet.packetOverhead + bytes / ethernet.linkBandwidth);
}
