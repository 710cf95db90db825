// SPDX-License-Identifier: Apache-2.0
import type { MeasuredDevice } from "./measured_device.ts";

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
 * Bandwidth in GB/s of all streams together: the least of two limits.
 *
 * - Channels: min(channels, cores) times the share of its peak that a channel sustains.
 * - Links, unless the cores are placed or there is one channel: a share of the chip's peak, larger on the NoC whose
 *   direction suits the traffic (0 for reads, 1 for writes).
 *
 * With dynamic virtual channels, packets of several writers interleave at a channel, which closes its open DRAM row each
 * time: writes drop to `writeCollapseShare`. Writes of cores without a place to several channels, at most one writer each, gain
 * `dynamicWriteGain` instead.
 */
export function chipDramBandwidth(streams: DramStreams, device: MeasuredDevice): number {
  const { dram, dramStreams } = device;
  const channelPeak = dram.peakBandwidth / dram.banks;
  const perChannel = channelPeak *
    (streams.kind === "read" ? dramStreams.channelReadShare : dramStreams.channelWriteShare);
  const cap = perChannel * Math.min(streams.channels, streams.cores);
  const writersPerChannel = streams.cores / streams.channels;
  const collapse = streams.kind === "write" && streams.dynamicChannels && writersPerChannel > 1;
  if (streams.channels === 1) return collapse ? cap * dramStreams.writeCollapseShare : cap;
  if (streams.placed) return collapse ? cap * dramStreams.writeCollapseShare : cap;
  if (streams.kind === "read") {
    return Math.min(
      cap,
      dram.peakBandwidth * (streams.noc === 0 ? dramStreams.randomReadSuited : dramStreams.randomReadOther),
    );
  }
  const share = streams.noc === 1 ? dramStreams.randomWriteSuited : dramStreams.randomWriteOther;
  const dynamic = !streams.dynamicChannels
    ? 1
    : collapse
    ? dramStreams.writeCollapseShare
    : dramStreams.dynamicWriteGain;
  const contended = dram.peakBandwidth * share * dynamic;
  return Math.min(cap, contended);
}
