// SPDX-License-Identifier: Apache-2.0

/** Sets that are joined and never taken apart (union-find); an element that was not joined is a set of its own. */
export class DisjointSets<T> {
  readonly #parents: Map<T, T> = new Map();

  /** The element that stands for a set. */
  rootOf(element: T): T {
    let root = element;
    for (let parent = this.#parents.get(root); parent !== undefined; parent = this.#parents.get(root)) {
      root = parent;
    }
    // Long chains are walked once.
    for (let at = element; at !== root;) {
      const next = this.#parents.get(at) ?? root;
      this.#parents.set(at, root);
      at = next;
    }
    return root;
  }

  /** Joins the sets of two elements. */
  join(a: T, b: T): void {
    const [first, second] = [this.rootOf(a), this.rootOf(b)];
    if (first !== second) this.#parents.set(second, first);
  }
}
