// SPDX-License-Identifier: Apache-2.0
import type { Network, TorusNode } from "./network.ts";

/**
 * The two networks of a chip. Both are tori over the same nodes, in opposite directions: NoC0 goes +x, then +y; NoC1
 * goes −y, then −x (tt-isa:noc).
 */
export type NocId = 0 | 1;

/**
 * One directed wire bundle of a network, as a small integer. Each node has four per network: the link along
 * x, the link along y, injection (into the network) and ejection (out of it).
 */
export type NocLink = number;

/** Kinds of {@linkcode NocLink}. */
export type NocLinkKind = "x" | "y" | "inject" | "eject";

const LINK_KINDS = ["x", "y", "inject", "eject"] as const satisfies readonly NocLinkKind[];
// Places in LINK_KINDS: what an id adds to the first link of its node.
const X = 0;
const Y = 1;
const INJECT = 2;
const EJECT = 3;

/** Number of links of both networks. */
export function linkCount(network: Network): number {
  return 2 * network.columns * network.rows * LINK_KINDS.length;
}

/** First link of a node. Its `x` and `y` links leave it. */
function firstLink(network: Network, noc: NocId, node: TorusNode): NocLink {
  return (noc * network.columns * network.rows + node) * LINK_KINDS.length;
}

/** Decodes a link id. */
export function describeLink(
  network: Network,
  link: NocLink,
): { readonly noc: NocId; readonly x: number; readonly y: number; readonly kind: NocLinkKind } {
  const nodes = network.columns * network.rows;
  const place = Math.floor(link / LINK_KINDS.length);
  const node = place % nodes;
  return {
    noc: place < nodes ? 0 : 1,
    x: node % network.columns,
    y: Math.floor(node / network.columns),
    kind: LINK_KINDS[link % LINK_KINDS.length] ?? "x",
  };
}

/** Links that a packet takes from node to node, injection and ejection included. */
export function unicastRoute(
  network: Network,
  noc: NocId,
  source: TorusNode,
  destination: TorusNode,
): NocLink[] {
  const { columns, rows } = network;
  const step = noc === 0 ? 1 : -1;
  const endX = destination % columns;
  const endY = Math.floor(destination / columns);
  const route: NocLink[] = [firstLink(network, noc, source) + INJECT];
  let x = source % columns;
  let y = Math.floor(source / columns);
  // NoC0 goes along x first; on NoC1, which goes along y first, nothing is left of y below.
  while (noc === 1 && y !== endY) {
    route.push(firstLink(network, noc, y * columns + x) + Y);
    y = (y + step + rows) % rows;
  }
  while (x !== endX) {
    route.push(firstLink(network, noc, y * columns + x) + X);
    x = (x + step + columns) % columns;
  }
  while (y !== endY) {
    route.push(firstLink(network, noc, y * columns + x) + Y);
    y = (y + step + rows) % rows;
  }
  route.push(firstLink(network, noc, destination) + EJECT);
  return route;
}

/** Links of a multicast tree: every link once, regardless of the number of destinations after it. */
export function multicastRoute(
  network: Network,
  noc: NocId,
  source: TorusNode,
  destinations: readonly TorusNode[],
): NocLink[] {
  const links = new Set<NocLink>();
  for (const destination of destinations) {
    for (const link of unicastRoute(network, noc, source, destination)) links.add(link);
  }
  return [...links];
}

/** Router-to-router hops of a packet from node to node. */
export function hopCount(network: Network, noc: NocId, source: TorusNode, destination: TorusNode): number {
  const { columns, rows } = network;
  return hopsAlong(noc, source % columns, destination % columns, columns) +
    hopsAlong(noc, Math.floor(source / columns), Math.floor(destination / columns), rows);
}

function hopsAlong(noc: NocId, from: number, to: number, extent: number): number {
  const forwards = (to - from + extent) % extent;
  return noc === 0 || forwards === 0 ? forwards : extent - forwards;
}
