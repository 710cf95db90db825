// SPDX-License-Identifier: Apache-2.0
import type { Device } from "../devices/device.ts";
import type { PricedTensor } from "./priced_op.ts";

/** Cycles in which `bytes` cross the DRAM interface at a share of its theoretical bandwidth. */
export function dramCycles(device: Device, bytes: number, share: number): number {
  return bytes * device.clock.aiclk / (device.dram.peakBandwidth * 1000 * share);
}

/** How a program's cores walk over the DRAM banks. */
export type DramPattern = "interleaved" | "sharded";

/** Shortest time, in cycles, in which all cores together read `bytes` from DRAM. */
export function dramReadCycles(device: Device, bytes: number, pattern: DramPattern): number {
  const share = pattern === "sharded" ? device.dram.shardedReadShare : device.dram.interleavedReadShare;
  return dramCycles(device, bytes, share);
}

/** Shortest time, in cycles, in which all cores together write `bytes` to DRAM. */
export function dramWriteCycles(device: Device, bytes: number): number {
  return dramCycles(device, bytes, device.dram.interleavedWriteShare);
}

/** Least cycles in which tensors can cross the DRAM interface: their bytes at the theoretical bandwidth. */
export function dramFloorCycles(device: Device, tensors: readonly PricedTensor[]): number {
  return dramCycles(device, tensors.reduce((sum, tensor) => sum + tensor.bytes, 0), 1);
}

/** Cores that stream whole megabytes from or to some DRAM channels at once. */
export interface DramStreams {
  readonly kind: "read" | "write";
  readonly cores: number;
  readonly channels: number;
  /** Whether the cores were chosen next to their channels, so that no two streams share a link. */
  readonly placed: boolean;
  readonly noc: 0 | 1;
  /** Whether the virtual channel of each packet is chosen on the way, not by the issuer. */
  readonly dynamicChannels: boolean;
}

/**
 * Bandwidth in GB/s of streams between cores and channels. A channel sustains a share of its peak; cores that are not
 * placed share links, on the network whose direction suits the traffic less than on the other; packets that change
 * virtual channels interleave at the banks, which then lose their open rows when many writers meet.
 */
export function chipDramBandwidth(streams: DramStreams, device: Device): number {
  const { dram } = device;
  const channelPeak = dram.peakBandwidth / dram.banks;
  const perChannel = channelPeak * (streams.kind === "read" ? dram.channelReadShare : dram.channelWriteShare);
  const cap = perChannel * Math.min(streams.channels, streams.cores);
  const writersPerChannel = streams.cores / streams.channels;
  const collapse = streams.kind === "write" && streams.dynamicChannels && writersPerChannel > 1;
  if (streams.channels === 1) return collapse ? cap * dram.writeCollapseShare : cap;
  if (streams.placed) return collapse ? cap * dram.writeCollapseShare : cap;
  if (streams.kind === "read") {
    return Math.min(
      cap,
      dram.peakBandwidth * (streams.noc === 0 ? dram.randomReadSuited : dram.randomReadOther),
    );
  }
  const share = streams.noc === 1 ? dram.randomWriteSuited : dram.randomWriteOther;
  const dynamic = !streams.dynamicChannels ? 1 : collapse ? dram.writeCollapseShare : dram.dynamicWriteGain;
  const contended = dram.peakBandwidth * share * dynamic;
  return Math.min(cap, contended);
}
