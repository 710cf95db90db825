// SPDX-License-Identifier: Apache-2.0
import { attributeMap } from "../ir/attribute_reader.ts";
import { attributeFaults, undeclaredAttributes } from "../ops/op_attributes.ts";
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
      reporter.error("V20/attribute", nameSpan, `'${name}': ${fault}`);
    }
    for (const key of undeclaredAttributes(attributes.keys(), form)) {
      reporter.warning("V20/unknown-attribute", nameSpan, `'${name}' has no attribute '${key}'`);
    }
  }
}
