// SPDX-License-Identifier: Apache-2.0
import { Graph, layout } from "@dagrejs/dagre";

/** A box to be placed, in pixels. */
export interface Box {
  readonly id: string;
  readonly width: number;
  readonly height: number;
}

/** A point of the drawing, in pixels from its upper left corner. */
export interface Point {
  readonly x: number;
  readonly y: number;
}

/** A placed box: its centre and extents. */
export interface PlacedBox extends Box, Point {}

/** The positions of everything in a drawing. */
export interface GraphLayout {
  readonly width: number;
  readonly height: number;
  readonly boxes: ReadonlyMap<string, PlacedBox>;
  /** Route of each connection, in the given order. */
  readonly polylines: readonly (readonly Point[])[];
}

/** Distances between neighbours of a row, between edges, and between rows, in pixels. */
const SPACING = { nodesep: 14, edgesep: 8, ranksep: 24, marginx: 10, marginy: 10 } as const;

/**
 * Places boxes in rows so that connections lead downwards (dagre's layered layout). Deterministic.
 *
 * @throws {RangeError} for a connection with an unknown end
 */
export function layOutGraph(
  boxes: readonly Box[],
  connections: readonly { readonly from: string; readonly to: string }[],
): GraphLayout {
  const graph = new Graph();
  graph.setGraph({ rankdir: "TB", ...SPACING });
  for (const { id, width, height } of boxes) graph.setNode(id, { width, height });
  for (const { from, to } of connections) {
    if (!graph.hasNode(from) || !graph.hasNode(to)) {
      throw new RangeError(`Cannot draw ${from} to ${to}: one of them is not a node`);
    }
    graph.setEdge(from, to, {});
  }
  layout(graph);
  const { width = 0, height = 0 } = graph.graph();
  return {
    width: Math.ceil(width),
    height: Math.ceil(height),
    boxes: new Map(boxes.map((box) => {
      const { x, y } = graph.node(box.id);
      if (x === undefined || y === undefined) throw new RangeError(`Cannot find a place for ${box.id}`);
      return [box.id, { ...box, x, y }];
    })),
    polylines: connections.map(({ from, to }) => graph.edge(from, to).points ?? []),
  };
}

/** A part of a drawing: its upper left corner and its extents. */
export interface Strip extends Point {
  readonly width: number;
  readonly height: number;
}

/**
 * Cuts a drawing into strips for sheets of paper, if possible at heights that cross no box. A strip is as
 * wide as its contents.
 *
 * @param most height of a strip in pixels
 */
export function stripsOf({ height, boxes, polylines }: GraphLayout, most: number): readonly Strip[] {
  const placed = [...boxes.values()];
  const spans = placed.map((box) => [box.y - box.height / 2, box.y + box.height / 2] as const);
  const ends = [...new Set(spans.map(([, bottom]) => Math.ceil(bottom) + 4))].sort((a, b) => b - a)
    .filter((end) => spans.every(([top, bottom]) => bottom <= end || top >= end));
  const strips: Strip[] = [];
  let top = 0;
  while (top < height) {
    const limit = top + most;
    const start = top;
    const end = limit >= height ? height : ends.find((end) => end <= limit && end > start) ?? limit;
    const touches = (from: number, to: number): boolean => from < end && to > start;
    const sides = [
      ...placed.filter((_, index) => touches(spans[index]?.[0] ?? 0, spans[index]?.[1] ?? 0))
        .flatMap((box) => [box.x - box.width / 2, box.x + box.width / 2]),
      ...polylines.filter((polyline) => touches(polyline[0]?.y ?? 0, polyline.at(-1)?.y ?? 0)).flatMap((
        polyline,
      ) => polyline.map(({ x }) => x)),
    ];
    const left = Math.floor(Math.min(...sides, Infinity)) - SPACING.marginx;
    const right = Math.ceil(Math.max(...sides, -Infinity)) + SPACING.marginx;
    if (right > left) strips.push({ x: left, y: start, width: right - left, height: end - start });
    top = end;
  }
  return strips;
}
