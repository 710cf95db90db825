// SPDX-License-Identifier: Apache-2.0
import type { MeshAxis } from "../../device/mesh.ts";

/** Kinds of collectives along a mesh axis. */
export type Exchange = "all_gather" | "reduce_scatter" | "all_to_all" | "permute";

/** Bytes between two neighbours of an axis, summed over all links. */
export interface EdgeLoad {
  /** From chip i to chip i + 1, on a ring also from the last to the first. */
  readonly forward: number;
  /** In the other direction. */
  readonly backward: number;
}

/** Whether an axis is a ring; a ring of two chips counts as a line. */
export function closes({ chips, topology }: MeshAxis): boolean {
  return topology === "ring" && chips > 2;
}

/** Edges between neighbours of an axis: one more on a ring. */
export function edgesOf(axis: MeshAxis): number {
  return closes(axis) ? axis.chips : Math.max(0, axis.chips - 1);
}

/** The quantities that determine the time of a collective. */
export interface ExchangeWork {
  /** Bytes that the busiest link carries in one direction. */
  readonly linkBytes: number;
  /** Whether that link carries the same bytes in the other direction. */
  readonly bidirectional: boolean;
  /** Sequential hops along the line or ring, each of which waits for a core. */
  readonly steps: number;
  /** Hops at which routers forward a packet without a core. */
  readonly forwards: number;
}

/** Sender and receiver of a `permute` along an axis. */
export interface PermutePath {
  /** Sender. */
  readonly from: number;
  /** Receiver. */
  readonly to: number;
}

/** An axis that a collective crosses. */
export interface ExchangeLeg {
  /** Its index in the mesh. */
  readonly axis: number;
  /** Sender and receiver of a `permute` along it. */
  readonly path: PermutePath | undefined;
}

/**
 * Bytes per edge of an axis; edge `i` is from chip `i` to the next.
 *
 * - `all_gather`: every chip sends its part to all others; `bytes` is the result of one chip.
 * - `reduce_scatter`: partial sums of every chip's part travel to it; `bytes` is the operand of one chip.
 * - `all_to_all`: every chip has a different part for each; `bytes` is the operand of one chip.
 * - `permute`: one chip sends all `bytes` to another one.
 *
 * On a ring each direction carries half. On a line the outermost edges carry the bytes of all other chips,
 * the middle edge those of one half for the other (derived:collectives).
 *
 * @returns one entry per edge: `chips − 1` on a line, `chips` on a ring of three chips or more
 */
export function edgeLoads(
  kind: Exchange,
  bytes: number,
  axis: MeshAxis,
  { from, to }: PermutePath = { from: 0, to: 1 },
): readonly EdgeLoad[] {
  const { chips } = axis;
  const closed = closes(axis);
  const part = bytes / chips;
  const ahead = (to - from + chips) % chips;
  const isForward = closed ? 2 * ahead <= chips : to > from;
  const parts = (index: number): EdgeLoad => {
    const before = index + 1;
    const after = chips - before;
    const even = (count: number) => ({ forward: part * count, backward: part * count });
    switch (kind) {
      case "all_gather":
        return closed ? even((chips - 1) / 2) : { forward: part * before, backward: part * after };
      case "reduce_scatter":
        return closed ? even((chips - 1) / 2) : { forward: part * after, backward: part * before };
      case "all_to_all":
        return even(closed ? (chips * chips - chips % 2) / 8 : before * after);
      case "permute": {
        const [first, hops] = isForward ? [from, ahead] : [to, (chips - ahead) % chips];
        const carried = (index - first + chips) % chips < hops ? bytes : 0;
        return isForward ? { forward: carried, backward: 0 } : { forward: 0, backward: carried };
      }
    }
  };
  return Array.from({ length: edgesOf(axis) }, (_, index) => parts(index));
}

/**
 * The work of a collective.
 *
 * @param distance hops between the two chips of a `permute`
 */
export function exchange(kind: Exchange, bytes: number, axis: MeshAxis, distance: number = 1): ExchangeWork {
  const { chips } = axis;
  const nearer = Math.floor(chips / 2);
  const parts = {
    all_gather: closes(axis) ? (chips - 1) / 2 : chips - 1,
    reduce_scatter: closes(axis) ? (chips - 1) / 2 : chips - 1,
    all_to_all: closes(axis) ? (chips * chips - chips % 2) / 8 : nearer * (chips - nearer),
    permute: chips,
  }[kind];
  const linkBytes = bytes / chips * parts / Math.max(1, axis.links);
  const bidirectional = kind === "all_to_all" || (kind !== "permute" && closes(axis));
  if (kind === "all_gather" || kind === "reduce_scatter") {
    return { linkBytes, steps: chips - 1, forwards: 0, bidirectional };
  }
  const furthest = kind === "permute" ? distance : closes(axis) ? Math.floor(axis.chips / 2) : axis.chips - 1;
  return { linkBytes, steps: Math.min(1, furthest), forwards: Math.max(0, furthest - 1), bidirectional };
}

/**
 * Bytes of a fabric packet, the size of a channel buffer (tt-metal
 * `get_tt_fabric_channel_buffer_size_bytes`).
 */
export const PACKET_BYTES: number = 4352;

/** Most pages per packet, each with its own address (tt-metal:all-gather, tt-metal:reduce-scatter). */
const PACKET_PAGES: Readonly<Record<Exchange, number>> = {
  all_gather: 4,
  reduce_scatter: 2,
  all_to_all: 1,
  // Pages are packed contiguously (tt-metal:point-to-point).
  permute: Infinity,
};

/** Pages of `pageBytes` per packet, at least one. */
export function packetPages(kind: Exchange, pageBytes: number): number {
  if (pageBytes === 0) return 1;
  return Math.max(1, Math.min(PACKET_PAGES[kind], Math.floor(PACKET_BYTES / pageBytes)));
}

/** Bytes per packet: one or several pages, or an equal part of a page that exceeds a packet. */
export function packetBytes(kind: Exchange, pageBytes: number): number {
  return packetPages(kind, pageBytes) * pageBytes / Math.max(1, Math.ceil(pageBytes / PACKET_BYTES));
}
