// SPDX-License-Identifier: Apache-2.0
import { DECIDED_PROPERTIES } from "../dialect/decided_properties.ts";
import type { AttributeMap } from "../ir/attribute.ts";
import { attributeMap } from "../ir/attribute_reader.ts";
import { type AttributeForm, declaredAttribute } from "../ops/attributes/attribute_form.ts";
import { COMMON } from "../ops/attributes/common.ts";
import { attributeFaults } from "../ops/op_attributes.ts";
import { definitionOf } from "../ops/op_book.ts";
import type { Reporter } from "./reporter.ts";

/**
 * V20: ops have the attributes that their definition requires, and those that they have are of the declared types.
 * Nothing is filled in: a softmax without a dimension must not be taken for one over the last dimension. An attribute
 * that the definition does not list is a warning, because other generations may have it.
 */
export function verifyAttributes(reporter: Reporter): void {
  const { module } = reporter;
  for (const operation of module.operations) {
    const { name, nameSpan } = operation;
    const form = definitionOf(name).attributes;
    if (form === undefined) continue;
    const attributes = attributeMap(module, operation);
    for (const fault of attributeFaults({ name, attributes })) {
      reporter.report("V20/attribute", "error", nameSpan, `'${name}': ${fault}`);
    }
    for (const key of undeclared(attributes, form)) {
      reporter.report("V20/unknown-attribute", "warning", nameSpan, `'${name}' has no attribute '${key}'`);
    }
  }
}

/** Names that the declaration does not have, without those of dialects, which any op may carry, and of configs. */
function undeclared(attributes: AttributeMap, form: AttributeForm): readonly string[] {
  const known = new Set(spellingsOf(form));
  return [...attributes.keys()].filter((key) =>
    !known.has(key) && !COMMON_NAMES.has(key) && !DECIDED_PROPERTIES.has(key) && !key.includes(".")
  );
}

function spellingsOf(form: AttributeForm): readonly string[] {
  return Object.entries(form).flatMap(([key, spec]) => declaredAttribute(key, spec).spelled);
}

const COMMON_NAMES: ReadonlySet<string> = new Set(spellingsOf(COMMON));
