// SPDX-License-Identifier: Apache-2.0
import { sharedBuffers, writtenOperands } from "../ops/shared_buffers.ts";
import type { TtnnOp } from "./op.ts";
import type { TtnnValue } from "./value.ts";

/**
 * The buffers of a function that ops write in place, through whichever of the values that may share them. Values that
 * passes make later are in none of them: they read such a buffer only behind its last write, and nothing changes it then.
 */
export class WrittenBuffers {
  /** Union-find over values that may share a buffer. */
  readonly #parents: Map<TtnnValue, TtnnValue> = new Map();
  /** The last op that writes a buffer, by the root of its values. */
  readonly #lastWrites: Map<TtnnValue, TtnnOp> = new Map();

  constructor(ops: Iterable<TtnnOp>) {
    const all = [...ops];
    if (!all.some(({ name }) => writtenOperands(name).length > 0)) return;
    for (const op of all) this.#share(op);
    for (const op of all) {
      for (const operand of writtenOperands(op.name)) {
        const value = op.operands[operand];
        if (value !== undefined) this.#lastWrites.set(this.#root(value), op);
      }
    }
  }

  /** Whether nothing is written in place. */
  get isEmpty(): boolean {
    return this.#lastWrites.size === 0;
  }

  /** The last op that writes the buffer of a value, or one that it may share; `undefined` if none does. */
  lastWrite(value: TtnnValue): TtnnOp | undefined {
    return this.isEmpty ? undefined : this.#lastWrites.get(this.#root(value));
  }

  #share(op: TtnnOp): void {
    const signature = {
      name: op.name,
      attributes: op.attributeMap(),
      operands: op.operands.map(({ type }) => type.kind === "tensor" ? type : undefined),
      results: op.results.map(({ type }) => type.kind === "tensor" ? type : undefined),
      operandSegmentSizes: undefined,
    };
    for (const { operand, result } of sharedBuffers(signature)) {
      const [a, b] = [op.operands[operand], op.results[result]];
      if (a !== undefined && b !== undefined) this.#join(a, b);
    }
  }

  #root(value: TtnnValue): TtnnValue {
    let root = value;
    for (let parent = this.#parents.get(root); parent !== undefined; parent = this.#parents.get(root)) {
      root = parent;
    }
    // Long chains of views are walked once.
    for (let at = value; at !== root;) {
      const next = this.#parents.get(at) ?? root;
      this.#parents.set(at, root);
      at = next;
    }
    return root;
  }

  #join(a: TtnnValue, b: TtnnValue): void {
    const [first, second] = [this.#root(a), this.#root(b)];
    if (first !== second) this.#parents.set(second, first);
  }
}
