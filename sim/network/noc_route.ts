// SPDX-License-Identifier: Apache-2.0
import type { Network, TorusNode } from "./network.ts";

/**
 * The two networks of a chip. Both are tori over the same nodes, in opposite directions: NoC0 goes +x, then +y; NoC1
 * goes −y, then −x (tt-isa:noc).
 */
export type NocId = 0 | 1;

/**
 * One directed wire bundle of a network, as a small integer: of each node and network the link along x, the link along
 * y, the way into the network (injection) and the way out of it (ejection).
 */
export type NocLink = number;

/** What a {@linkcode NocLink} is. */
export type NocLinkKind = "x" | "y" | "inject" | "eject";

const LINK_KINDS = ["x", "y", "inject", "eject"] as const satisfies readonly NocLinkKind[];

/** Number of links of both networks. */
export function linkCount(network: Network): number {
  return 2 * network.columns * network.rows * LINK_KINDS.length;
}

/** Id of a link. `x` and `y` links leave the node that they are named after. */
export function linkId(network: Network, noc: NocId, node: TorusNode, kind: NocLinkKind): NocLink {
  return (noc * network.columns * network.rows + node) * LINK_KINDS.length + LINK_KINDS.indexOf(kind);
}

/** What a link id stands for. */
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
  const route: NocLink[] = [linkId(network, noc, source, "inject")];
  let x = source % columns;
  let y = Math.floor(source / columns);
  const endX = destination % columns;
  const endY = Math.floor(destination / columns);
  const alongX = (step: number): void => {
    while (x !== endX) {
      route.push(linkId(network, noc, y * columns + x, "x"));
      x = (x + step + columns) % columns;
    }
  };
  const alongY = (step: number): void => {
    while (y !== endY) {
      route.push(linkId(network, noc, y * columns + x, "y"));
      y = (y + step + rows) % rows;
    }
  };
  if (noc === 0) {
    alongX(1);
    alongY(1);
  } else {
    alongY(-1);
    alongX(-1);
  }
  route.push(linkId(network, noc, destination, "eject"));
  return route;
}

/** Links of a multicast tree: every link once, however many destinations lie behind it. */
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
  const along = (from: number, to: number, extent: number): number => {
    const forwards = (to - from + extent) % extent;
    return noc === 0 || forwards === 0 ? forwards : extent - forwards;
  };
  return along(source % columns, destination % columns, columns) +
    along(Math.floor(source / columns), Math.floor(destination / columns), rows);
}
