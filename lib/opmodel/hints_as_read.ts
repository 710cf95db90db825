// SPDX-License-Identifier: Apache-2.0
import type { LayoutId, LayoutTable } from "../layout/layout_table.ts";
import type { OpDefinition } from "../ops/definition.ts";
import type { LayoutChecks } from "./layout_checks.ts";
import type { OpRule } from "./rule.ts";

/** Hints as one rule reads them. */
interface HintsOfRule {
  /** Per part that the rule reads: the first hint that was asked about. */
  readonly first: Map<string, LayoutId>;
  /** Per hint: the first one that reads the same. */
  readonly asRead: LayoutId[];
}

/** Groups the hints that a rule cannot tell apart, so that they share one answer. */
export class HintsAsRead {
  readonly #layouts: LayoutTable;
  readonly #layoutChecks: LayoutChecks;
  readonly #known = new Map<OpRule, HintsOfRule>();

  constructor(layouts: LayoutTable, layoutChecks: LayoutChecks) {
    this.#layouts = layouts;
    this.#layoutChecks = layoutChecks;
  }

  /** The first hint that was asked about and reads the same to the rule. */
  first({ movable }: Pick<OpDefinition, "movable">, rule: OpRule, hint: LayoutId): LayoutId {
    if (rule.readsOfHint === undefined || !movable) return hint;
    let known = this.#known.get(rule);
    if (known === undefined) this.#known.set(rule, known = { first: new Map(), asRead: [] });
    let asRead = known.asRead[hint];
    if (asRead === undefined) {
      const key = this.#layoutChecks.fault(hint) === undefined
        ? rule.readsOfHint(this.#layouts.get(hint))
        : undefined;
      asRead = key === undefined ? hint : known.first.get(key) ?? hint;
      if (key !== undefined) known.first.set(key, asRead);
      known.asRead[hint] = asRead;
    }
    return asRead;
  }
}
