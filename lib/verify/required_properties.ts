// SPDX-License-Identifier: Apache-2.0
import { entryOf } from "../ir/module_text.ts";
import { definitionOf } from "../ops/op_book.ts";
import type { Reporter } from "./reporter.ts";

/**
 * V20: ops have the properties that they cannot be without, of those that shapes, legality and time follow from. Nothing
 * stands in for them: a softmax of an unknown dimension is no softmax of the last one.
 */
export function verifyRequiredProperties(reporter: Reporter): void {
  for (const operation of reporter.module.operations) {
    for (const property of definitionOf(operation.name).requires) {
      if (entryOf(operation, property) !== undefined) continue;
      reporter.report(
        "V20/required-property",
        "error",
        operation.nameSpan,
        `'${operation.name}' has no ${property}, which it cannot be without`,
      );
    }
  }
}
