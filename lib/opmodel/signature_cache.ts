// SPDX-License-Identifier: Apache-2.0
import type { LayoutId } from "../layout/layout_table.ts";
import type { OpSpecificAttributes } from "../op_config/op_config.ts";
import { parseOpConfig } from "../op_config/parse.ts";
import type { OpDefinition } from "../ops/definition.ts";
import { hasEmptyTensor } from "../ops/empty_tensors.ts";
import { attributeFaults } from "../ops/op_attributes.ts";
import { definitionOf } from "../ops/op_book.ts";
import type { OpSignature } from "../ops/op_signature.ts";
import { type OpTraits, traitsOf } from "../ops/op_traits.ts";
import { type CheckedLayouts, isSoundOperand } from "./layout_checks.ts";
import { DEFAULT_STRATEGY, type LayoutStrategy, type OpRule, strategyOf } from "./rule.ts";
import { ruleOf } from "./rule_book.ts";
import { signatureKey } from "./structural_key.ts";
import { refuseConfig } from "./verdict.ts";

/** More than the layouts that a run interns, so that two ids fit one key. */
const LAYOUT_LIMIT = 0x100000;

/** Cached facts about one operand. */
interface ReadOperand {
  /** By layout and hint: the representative of all layouts that are read equally. */
  readonly asRead: Map<number, LayoutId>;
  /** By hint and the part that is read: the first queried layout. */
  readonly first: Map<string, LayoutId>;
}

/** The first layout of an operand with equal `readsOfOperand` under a hint; the layout itself if all of it is read. */
export type LayoutAsRead = (operand: number, layout: LayoutId, hint: LayoutId) => LayoutId;

/** Groups operand layouts with equal `readsOfOperand`; their queries share one answer. */
function layoutsAsRead(
  op: OpSignature,
  definition: OpDefinition,
  readsOfOperand: NonNullable<OpRule["readsOfOperand"]>,
  checked: CheckedLayouts,
): LayoutAsRead {
  const operands = op.operands.map((): ReadOperand => ({ asRead: new Map(), first: new Map() }));
  return (operand, layout, hint) => {
    const cached = operands[operand];
    if (cached === undefined) return layout;
    return cached.asRead.getOrInsertComputed(hint * LAYOUT_LIMIT + layout, () => {
      const { layouts } = checked;
      const reads = readsOfOperand(layouts.get(layout), layouts.get(hint));
      // Faults name their layout.
      return reads !== undefined && isSoundOperand(op, definition, operand, layout, checked)
        ? cached.first.getOrInsert(`${hint} ${reads}`, layout)
        : layout;
    });
  };
}

/** A cached op signature: its definition, rule and traits. */
export interface CachedSignature {
  readonly id: number;
  readonly op: OpSignature;
  /** The fault of the op's attributes; `undefined` if they are as declared. */
  readonly fault: string | undefined;
  readonly definition: OpDefinition;
  readonly rule: OpRule;
  readonly strategy: LayoutStrategy;
  readonly traits: OpTraits;
  /** Config that the op carries in its properties. */
  readonly ownConfig: OpSpecificAttributes | undefined;
  /** Configs of queries, completed with the op's own, by id of the queried config. */
  readonly completed: Map<number, OpSpecificAttributes | undefined>;
  /** Operand layouts that the rule reads equally; `undefined` if it reads every operand completely. */
  readonly asRead: LayoutAsRead | undefined;
}

/** The cached facts about op signatures that an op model was queried about, without duplicates. */
export function signatureCache(checked: CheckedLayouts): (op: OpSignature) => CachedSignature {
  const byObject: WeakMap<OpSignature, CachedSignature> = new WeakMap();
  const byKey = new Map<string, CachedSignature>();
  const read = (op: OpSignature): CachedSignature => {
    const definition = definitionOf(op.name);
    const [fault] = attributeFaults(op);
    const ofFamily = ruleOf(hasEmptyTensor(op) ? { family: "fixed" } : definition);
    const rule = fault === undefined ? ofFamily : unreadableOp(fault, ofFamily);
    return {
      id: byKey.size,
      op,
      fault,
      definition,
      rule,
      strategy: strategyOf(rule, op),
      traits: traitsOf(op),
      ownConfig: parseOpConfig(op.name, op.attributes),
      completed: new Map(),
      asRead: rule.readsOfOperand === undefined || !definition.movable
        ? undefined
        : layoutsAsRead(op, definition, rule.readsOfOperand, checked),
    };
  };
  return (op) =>
    byObject.getOrInsertComputed(op, () => byKey.getOrInsertComputed(signatureKey(op), () => read(op)));
}

/**
 * The rule of an op whose attributes violate its definition: it refuses every layout. The search strategy is
 * that of the op's own rule, if that does not depend on the op.
 */
function unreadableOp(fault: string, { strategy }: OpRule): OpRule {
  return {
    strategy: typeof strategy === "function" ? DEFAULT_STRATEGY : strategy,
    evaluate: (query) => refuseConfig(query, "op/attributes", fault, "tt-mlir:op-attributes"),
  };
}
