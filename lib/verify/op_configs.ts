// SPDX-License-Identifier: Apache-2.0
import { aliasTextOf } from "../dialect/ttnn_layout.ts";
import { attributeMap } from "../ir/attribute_reader.ts";
import { entryOf, type Operation } from "../ir/module_text.ts";
import { readOpConfig } from "../op_config/parse.ts";
import type { Reporter } from "./reporter.ts";

/**
 * V15: op configs have every field that they cannot be without, with values that make sense. What else we do not read is
 * a warning: it stays in the text, but no prediction knows of it.
 */
export function verifyOpConfigs(reporter: Reporter): void {
  const { module } = reporter;
  const alias = aliasTextOf(module);
  for (const operation of module.operations) {
    const { faults } = readOpConfig(operation.name, attributeMap(module, operation), alias);
    for (const { property, isFatal, reason } of faults) {
      reporter.report(
        "V15/op-config",
        isFatal ? "error" : "warning",
        propertySpan(operation, property),
        `${property} of '${operation.name}' is ${isFatal ? "not read" : "not read in full"}: ${reason}`,
      );
    }
  }
}

function propertySpan(operation: Operation, key: string): Operation["nameSpan"] {
  return entryOf(operation, key)?.span ?? operation.nameSpan;
}
