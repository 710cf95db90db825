// SPDX-License-Identifier: Apache-2.0
import type { OpSpecificAttributes } from "../op_config/op_config.ts";
import { parseOpConfig } from "../op_config/parse.ts";
import type { OpDefinition } from "../ops/definition.ts";
import { hasEmptyTensor } from "../ops/empty_tensors.ts";
import { definitionOf } from "../ops/op_book.ts";
import type { OpSignature } from "../ops/op_signature.ts";
import { attributeFaults } from "../ops/op_attributes.ts";
import { type OpTraits, traitsOf } from "../ops/op_traits.ts";
import { unreadableOp } from "./rules/unreadable.ts";
import type { LayoutChecks } from "./layout_checks.ts";
import { OperandsAsRead } from "./operands_as_read.ts";
import { type LayoutStrategy, type OpRule, strategyOf } from "./rule.ts";
import { ruleOf } from "./rule_book.ts";
import { signatureKey } from "./structural_key.ts";

/** A known op signature: its definition, rule and traits. */
export interface KnownSignature {
  readonly id: number;
  readonly op: OpSignature;
  /** What is wrong with the op's attributes; `undefined` where they are as declared. */
  readonly fault: string | undefined;
  readonly definition: OpDefinition;
  readonly rule: OpRule;
  readonly strategy: LayoutStrategy;
  readonly traits: OpTraits;
  /** Config that the op carries in its properties. */
  readonly ownConfig: OpSpecificAttributes | undefined;
  /** Configs of queries, completed with the op's own, by id of the queried config. */
  readonly completed: Map<number, OpSpecificAttributes | undefined>;
  /** Which operand layouts the rule cannot tell apart; `undefined` if it reads every operand completely. */
  readonly asRead: OperandsAsRead | undefined;
}

/** Op signatures that an op model was asked about, each once. */
export class KnownSignatures {
  readonly #layoutChecks: LayoutChecks;
  readonly #byObject: WeakMap<OpSignature, KnownSignature> = new WeakMap();
  readonly #byKey: Map<string, KnownSignature> = new Map();
  /** The last one: searches ask many questions about one op in a row. */
  #last: KnownSignature | undefined;
  #lastOp: OpSignature | undefined;

  constructor(layoutChecks: LayoutChecks) {
    this.#layoutChecks = layoutChecks;
  }

  /** The known signature. */
  of(op: OpSignature): KnownSignature {
    if (this.#last !== undefined && this.#lastOp === op) return this.#last;
    let signature = this.#byObject.get(op);
    if (signature === undefined) this.#byObject.set(op, signature = this.#intern(op));
    this.#lastOp = op;
    return this.#last = signature;
  }

  #intern(op: OpSignature): KnownSignature {
    const key = signatureKey(op);
    const known = this.#byKey.get(key);
    if (known !== undefined) return known;
    const definition = definitionOf(op.name);
    const [fault] = attributeFaults(op);
    const ofFamily = ruleOf(hasEmptyTensor(op) ? { family: "fixed" } : definition);
    const rule = fault === undefined ? ofFamily : unreadableOp(fault, ofFamily);
    const signature: KnownSignature = {
      id: this.#byKey.size,
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
        : new OperandsAsRead(op, definition, rule.readsOfOperand, this.#layoutChecks),
    };
    this.#byKey.set(key, signature);
    return signature;
  }
}
