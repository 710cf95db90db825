// SPDX-License-Identifier: Apache-2.0
import { integerValues } from "../dialect/attribute_values.ts";
import { attributeOf } from "../ir/attribute_reader.ts";
import { definitionOf } from "../ops/op_book.ts";
import type { Reporter } from "./reporter.ts";

/**
 * V20: ops have the required properties that determine shapes, legality and time, all of them integers or lists
 * of integers. There are no defaults: a softmax without a dimension must not be taken for one over the last
 * dimension.
 */
export function verifyRequiredProperties(reporter: Reporter): void {
  for (const operation of reporter.module.operations) {
    for (const property of definitionOf(operation.name).requires) {
      const attribute = attributeOf(reporter.module, operation, property);
      if (integerValues(attribute) !== undefined) continue;
      reporter.report(
        "V20/required-property",
        "error",
        operation.nameSpan,
        attribute === undefined
          ? `'${operation.name}' has no ${property}, which is required`
          : `${property} of '${operation.name}' is neither an integer nor a list of integers`,
      );
    }
  }
}
