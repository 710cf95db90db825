// SPDX-License-Identifier: Apache-2.0
import { sharedBuffers, writtenOperands } from "../ops/shared_buffers.ts";
import { DisjointSets } from "./disjoint_sets.ts";
import type { TtnnOp } from "./op.ts";
import type { TtnnValue } from "./value.ts";

/**
 * The buffers of a function that ops write in place, through whichever of the values that may share them. Values that
 * passes make later are in none of them: they read such a buffer only behind its last write, and nothing changes it then.
 */
export class WrittenBuffers {
  /** Values that may share a buffer. */
  readonly #sharing: DisjointSets<TtnnValue> = new DisjointSets();
  /** The last op that writes a buffer, by the root of its values. */
  readonly #lastWrites: Map<TtnnValue, TtnnOp> = new Map();

  constructor(ops: Iterable<TtnnOp>) {
    const all = [...ops];
    if (!all.some(({ name }) => writtenOperands(name).length > 0)) return;
    for (const op of all) this.#share(op);
    for (const op of all) {
      for (const operand of writtenOperands(op.name)) {
        const value = op.operands[operand];
        if (value !== undefined) this.#lastWrites.set(this.#sharing.rootOf(value), op);
      }
    }
  }

  /** Whether nothing is written in place. */
  get isEmpty(): boolean {
    return this.#lastWrites.size === 0;
  }

  /** The last op that writes the buffer of a value, or one that it may share; `undefined` if none does. */
  lastWrite(value: TtnnValue): TtnnOp | undefined {
    return this.isEmpty ? undefined : this.#lastWrites.get(this.#sharing.rootOf(value));
  }

  #share(op: TtnnOp): void {
    for (const { operand, result } of sharedBuffers(op.signature)) {
      const [a, b] = [op.operands[operand], op.results[result]];
      if (a !== undefined && b !== undefined) this.#sharing.join(a, b);
    }
  }
}
