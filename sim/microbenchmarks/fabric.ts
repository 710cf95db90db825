// SPDX-License-Identifier: Apache-2.0
import { PACKET_BYTES } from "../../lib/programs/ccl/exchange.ts";
import { packetNanoseconds } from "../kernels/collective.ts";
import type { MeasuredDevice } from "./measured_device.ts";

/** Packets of one size that chips send each other without a pause. */
export interface PacketStream {
  /** Bytes of a packet without its header. */
  readonly packetBytes: number;
  /** How they go: between neighbours or along a line, all around a ring, or over both axes of a mesh. */
  readonly route: "line" | "ring" | "mesh";
  /** Whether every chip on the way keeps a copy. */
  readonly multicast: boolean;
  /** Whether each packet increments a semaphore where it arrives. */
  readonly increments: boolean;
  /** Whether one chip sends and all others only receive. */
  readonly lone: boolean;
  /** Links between two neighbours that carry such packets at once. */
  readonly links: number;
}

/** Bandwidth in GB/s of one link one way (tt-metal:fabric-bandwidth). */
export function packetStreamGigabytes(stream: PacketStream, device: MeasuredDevice): number {
  const { ethernet, fabric } = device;
  const router = {
    line: ethernet.linePacket,
    ring: stream.multicast ? fabric.ringMulticast : ethernet.ringPacket,
    mesh: fabric.meshPacket,
  }[stream.route];
  const increment = stream.lone ? fabric.increment : fabric.incrementExchanged;
  const shared = stream.links > 1 && !stream.lone ? fabric.linksShared : 1;
  const oversize = stream.route === "mesh" ? Math.max(0, stream.packetBytes - PACKET_BYTES) / 1024 : 0;
  const period = packetNanoseconds(stream.packetBytes, router, device) * shared +
    oversize * fabric.meshOversize;
  return stream.packetBytes / (period + (stream.increments ? increment : 0));
}

/**
 * Time in µs from the header of a packet at one chip to its last byte at the next one: the latency of a hop, and the time
 * of the packet's bytes on the NoC of the sender, on the link, and on the NoC of the receiver (tt-metal:fabric-latency).
 */
export function hopMicroseconds(packetBytes: number, { ethernet, noc, clock }: MeasuredDevice): number {
  const network = 2 * packetBytes / noc.writeBytesPerCycle / clock.aiclk;
  return ethernet.hopLatency + network + packetBytes / ethernet.linkBandwidth / 1000;
}
