// SPDX-License-Identifier: Apache-2.0

/**
 * Holds the attributes of our ops against those of upstream's for the same model. Ops match by name and by the shapes and
 * element types of what they read and make; of several, the pair with the fewest differences.
 *
 * @module
 */

import {
  type Attribute,
  type AttributeMap,
  attributeMap,
  attributeText,
  functionsOf,
  type ModuleText,
  type Operation,
  type TensorType,
  tensorTypeAt,
  tensorTypeOf,
} from "../lib/ir/mod.ts";

/** An op with what it matches by. */
export interface ComparedOp {
  /** With its dialect. */
  readonly name: string;
  /** Name, and shapes and element types of operands and results. */
  readonly key: string;
  readonly attributes: AttributeMap;
}

/** An attribute in which two matched ops differ. */
export interface AttributeDifference {
  readonly ours: ComparedOp;
  readonly theirs: ComparedOp;
  /** Name of the attribute. */
  readonly attribute: string;
  /** As printed; `undefined` where the op has none. */
  readonly our: string | undefined;
  readonly their: string | undefined;
}

/** What came of a comparison. */
export interface AttributeAgreement {
  /** Ops that match. */
  readonly matched: number;
  readonly differences: readonly AttributeDifference[];
}

/** Ops that free, or name the device: they compute nothing, and run where their operands are. */
const UNCOMPARED: ReadonlySet<string> = new Set(["ttnn.deallocate", "ttnn.get_device"]);

/** TTNN ops of all functions of a module. */
export function comparedOps(module: ModuleText): readonly ComparedOp[] {
  return functionsOf(module).flatMap(({ blocks }) => blocks.flatMap(({ operations }) => operations))
    .filter(({ name }) => name.startsWith("ttnn.") && !UNCOMPARED.has(name))
    .map((operation) => ({
      name: operation.name,
      key: keyOf(module, operation),
      attributes: attributeMap(module, operation),
    }));
}

/** A number of an attribute; not the extents of its type. */
const NUMBER = /(?<![\w.])-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?(?![\w.])/g;

function keyOf(module: ModuleText, operation: Operation): string {
  const operands = operation.operands.map(({ value }) =>
    typeText(value === undefined ? undefined : tensorTypeOf(module, value))
  );
  const results = (operation.resultTypes ?? []).map((span) => typeText(tensorTypeAt(module, span)));
  // Constants of other values are other tensors: values match by three digits, and then differ as any attribute.
  const attributes = attributeMap(module, operation);
  const numbers = textOf(attributes.get("fill_value") ?? attributes.get("value"))?.match(NUMBER) ?? [];
  const rounded = numbers.map((number) => Number(number).toPrecision(3)).join(" ");
  return `${operation.name} ${rounded}(${operands.join(", ")}) -> ${results.join(", ")}`;
}

function typeText(type: TensorType | undefined): string {
  return type === undefined ? "-" : [...type.shape, type.elementType].join("x");
}

/** Matches the ops of two sides and lists where their attributes differ. */
export function compareAttributes(
  ours: readonly ComparedOp[],
  theirs: readonly ComparedOp[],
): AttributeAgreement {
  const left = Map.groupBy(theirs, ({ key }) => key);
  const differences: AttributeDifference[] = [];
  let matched = 0;
  for (const [key, own] of Map.groupBy(ours, ({ key }) => key)) {
    const rest = left.get(key) ?? [];
    const open = [...own];
    // Equal ones first, so that what differs is compared with what differs.
    for (let most = 0; open.length > 0 && rest.length > 0; most++) {
      for (const op of [...open]) {
        const partner = rest.find((other) => differencesOf(op, other).length <= most);
        if (partner === undefined) continue;
        matched++;
        differences.push(...differencesOf(op, partner));
        rest.splice(rest.indexOf(partner), 1);
        open.splice(open.indexOf(op), 1);
      }
    }
  }
  return { matched, differences };
}

function differencesOf(ours: ComparedOp, theirs: ComparedOp): readonly AttributeDifference[] {
  const names = new Set([...ours.attributes.keys(), ...theirs.attributes.keys()]);
  return [...names].flatMap((attribute) => {
    const [our, their] = [ours, theirs].map(({ attributes }) => textOf(attributes.get(attribute)));
    return our === their ? [] : [{ ours, theirs, attribute, our, their }];
  });
}

function textOf(attribute: Attribute | undefined): string | undefined {
  return attribute === undefined ? undefined : attributeText(attribute);
}
