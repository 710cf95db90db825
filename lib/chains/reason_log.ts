// SPDX-License-Identifier: Apache-2.0
import type { OpId } from "../graph/graph.ts";

/** Reasons for decisions, per op, oldest first. */
export class ReasonLog {
  readonly #reasons: Map<OpId, string[]> = new Map();

  /** Adds a sentence to an op; duplicates are dropped. */
  add(op: OpId, reason: string): void {
    const list = this.#reasons.get(op);
    if (list === undefined) this.#reasons.set(op, [reason]);
    else if (!list.includes(reason)) list.push(reason);
  }

  of(op: OpId): readonly string[] {
    return this.#reasons.get(op) ?? [];
  }
}
