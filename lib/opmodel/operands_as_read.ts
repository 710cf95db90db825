// SPDX-License-Identifier: Apache-2.0
import type { LayoutId } from "../layout/layout_table.ts";
import type { OpDefinition } from "../ops/definition.ts";
import type { OpSignature } from "../ops/op_signature.ts";
import { isSoundOperand, type LayoutChecks } from "./layout_checks.ts";
import type { OpRule } from "./rule.ts";

/** More than the layouts that a run interns, so that two ids make one key. */
const LAYOUT_LIMIT = 0x100000;

/** What is known of one operand. */
interface Operand {
  /** By layout and hint: the representative of all that read the same. */
  readonly asRead: Map<number, LayoutId>;
  /** By the part that is read and hint: the first layout that was asked about. */
  readonly first: Map<string, LayoutId>;
}

/** Operand layouts of an op that its rule cannot tell apart, so that questions about them share one answer. */
export class OperandsAsRead {
  readonly #op: OpSignature;
  readonly #definition: OpDefinition;
  readonly #readsOfOperand: NonNullable<OpRule["readsOfOperand"]>;
  readonly #checks: LayoutChecks;
  readonly #operands: readonly Operand[];

  constructor(
    op: OpSignature,
    definition: OpDefinition,
    readsOfOperand: NonNullable<OpRule["readsOfOperand"]>,
    checks: LayoutChecks,
  ) {
    this.#op = op;
    this.#definition = definition;
    this.#readsOfOperand = readsOfOperand;
    this.#checks = checks;
    this.#operands = op.operands.map(() => ({ asRead: new Map(), first: new Map() }));
  }

  /** The first layout of an operand that reads the same with a hint; the layout itself if all of it is read. */
  of(operand: number, layout: LayoutId, hint: LayoutId): LayoutId {
    const known = this.#operands[operand];
    if (known === undefined) return layout;
    const key = hint * LAYOUT_LIMIT + layout;
    let asRead = known.asRead.get(key);
    if (asRead === undefined) {
      const reads = this.#reads(operand, layout, hint);
      const text = `${hint} ${reads}`;
      asRead = reads === undefined ? layout : known.first.get(text) ?? layout;
      if (reads !== undefined) known.first.set(text, asRead);
      known.asRead.set(key, asRead);
    }
    return asRead;
  }

  #reads(operand: number, layout: LayoutId, hint: LayoutId): string | undefined {
    const { layouts } = this.#checks;
    const reads = this.#readsOfOperand(layouts.get(layout), layouts.get(hint));
    // Faults name their layout.
    return reads !== undefined && isSoundOperand(this.#op, this.#definition, operand, layout, this.#checks)
      ? reads
      : undefined;
  }
}
