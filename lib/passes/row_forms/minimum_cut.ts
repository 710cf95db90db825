// SPDX-License-Identifier: Apache-2.0

/** An edge of a network, beside its reverse. */
interface Edge {
  readonly to: number;
  residual: number;
  /** Index of the reverse edge in the list of `to`. */
  readonly reverse: number;
}

/**
 * A flow network with its minimum cut (Dinic's algorithm). Nodes are numbered from 0; integer costs ensure
 * termination.
 */
export class CutNetwork {
  /** The source node. */
  readonly source: number;
  /** The sink node. */
  readonly sink: number;
  readonly #edges: Edge[][] = [];

  constructor() {
    this.source = this.addNode();
    this.sink = this.addNode();
  }

  addNode(): number {
    return this.#edges.push([]) - 1;
  }

  /** Adds a cost if `from` is on the source's side and `to` on the sink's; `Infinity` forbids that. */
  addCost(from: number, to: number, cost: number): void {
    const [out, back] = [this.#edgesOf(from), this.#edgesOf(to)];
    out.push({ to, residual: cost, reverse: back.length });
    back.push({ to: from, residual: 0, reverse: out.length - 1 });
  }

  /** The minimum cut: the smallest set of nodes on the source's side, and its cost. */
  cut(): { readonly sourceSide: ReadonlySet<number>; readonly cost: number } {
    let cost = 0;
    for (;;) {
      const levels = this.#levels();
      if (!levels.has(this.sink)) return { sourceSide: new Set(levels.keys()), cost };
      const visited = this.#edges.map(() => 0);
      for (;;) {
        const pushed = this.#push(levels, visited);
        if (pushed === 0) break;
        cost += pushed;
      }
    }
  }

  /** Distance from the source of every node that is reachable in the residual network. */
  #levels(): ReadonlyMap<number, number> {
    const levels = new Map([[this.source, 0]]);
    for (const [node, level] of levels) {
      for (const { to, residual } of this.#edgesOf(node)) {
        if (residual > 0 && !levels.has(to)) levels.set(to, level + 1);
      }
    }
    return levels;
  }

  /** Pushes flow along one path of rising levels; `visited` counts the exhausted edges of each node. */
  #push(levels: ReadonlyMap<number, number>, visited: number[]): number {
    const path: Edge[] = [];
    let node = this.source;
    while (node !== this.sink) {
      const edges = this.#edgesOf(node);
      const level = (levels.get(node) ?? 0) + 1;
      let next = visited[node] ?? 0;
      const leads = ({ to, residual }: Edge): boolean => residual > 0 && levels.get(to) === level;
      for (let edge = edges[next]; edge !== undefined && !leads(edge); edge = edges[next]) next++;
      visited[node] = next;
      const edge = edges[next];
      if (edge !== undefined) {
        path.push(edge);
        node = edge.to;
        continue;
      }
      // A dead end: step back and skip the edge that led here.
      const last = path.pop();
      if (last === undefined) return 0;
      node = this.#edgesOf(last.to)[last.reverse]?.to ?? this.source;
      visited[node] = (visited[node] ?? 0) + 1;
    }
    const pushed = path.reduce((least, { residual }) => Math.min(least, residual), Infinity);
    for (const edge of path) {
      edge.residual -= pushed;
      const back = this.#edgesOf(edge.to)[edge.reverse];
      if (back !== undefined) back.residual += pushed;
    }
    return pushed;
  }

  #edgesOf(node: number): Edge[] {
    const edges = this.#edges[node];
    if (edges === undefined) throw new RangeError(`Cannot find node ${node} of the network`);
    return edges;
  }
}
