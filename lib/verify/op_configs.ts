// SPDX-License-Identifier: Apache-2.0
import { aliasTextOf } from "../dialect/ttnn_layout.ts";
import type { AttributeMap } from "../ir/attribute.ts";
import { attributeMap } from "../ir/attribute_reader.ts";
import { entryOf, type Operation } from "../ir/module_text.ts";
import { type ConfigFault, readOpConfig } from "../op_config/parse.ts";
import type { Reporter } from "./reporter.ts";

/**
 * V15: op configs have every required field, with valid values. Fields that we do not read give a warning: they
 * stay in the text, but no prediction takes them into account.
 */
export function verifyOpConfigs(reporter: Reporter): void {
  const { module } = reporter;
  const alias = aliasTextOf(module);
  /** By attributes (which ops of repeated layers share) and name. */
  const known = new Map<AttributeMap, Map<string, readonly ConfigFault[]>>();
  const faultsOf = (name: string, attributes: AttributeMap): readonly ConfigFault[] => {
    let byName = known.get(attributes);
    if (byName === undefined) known.set(attributes, byName = new Map());
    let faults = byName.get(name);
    if (faults === undefined) byName.set(name, faults = readOpConfig(name, attributes, alias).faults);
    return faults;
  };
  for (const operation of module.operations) {
    const faults = faultsOf(operation.name, attributeMap(module, operation));
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
