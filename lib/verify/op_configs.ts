// SPDX-License-Identifier: Apache-2.0
import type { AliasText } from "../dialect/core_range_set.ts";
import { aliasTextOf } from "../dialect/ttnn_layout.ts";
import type { AttributeMap } from "../ir/attribute.ts";
import { attributeMap } from "../ir/attribute_reader.ts";
import { entryOf, type Operation } from "../ir/module_text.ts";
import { backendOnlyText, type ConfigFault, readOpConfig } from "../op_config/parse.ts";
import { configKind, OP_CONFIGS } from "../op_config/op_config.ts";
import type { ConfigSlot } from "../ops/definition.ts";
import { definitionOf, knownOps } from "../ops/op_book.ts";
import type { Reporter } from "./reporter.ts";

/** Properties that hold the config of an op, beside the one that all ops share. */
function configProperties(slot: ConfigSlot | undefined): readonly string[] {
  if (slot === undefined) return [];
  return Object.values(OP_CONFIGS[configKind(slot.kind)]).flatMap(({ property = slot.program }) =>
    property === undefined || property === SHARED ? [] : [property]
  );
}

const SHARED = "compute_config";

const CONFIG_PROPERTIES: ReadonlySet<string> = new Set(
  knownOps().flatMap(({ config }) => configProperties(config)),
);

/** A config on an op that has no such property, which its parser would refuse. */
function misplacedConfigs(name: string, attributes: AttributeMap): readonly ConfigFault[] {
  const { family, config } = definitionOf(name);
  if (family === "opaque" || !name.startsWith("ttnn.")) return [];
  const own = configProperties(config);
  return [...attributes.keys()].filter((key) => CONFIG_PROPERTIES.has(key) && !own.includes(key))
    .map((property) => ({ property, isFatal: true, reason: "the op has no such property" }));
}

/** A fault of a property, in words. */
interface ToldFault extends Pick<ConfigFault, "property" | "isFatal"> {
  readonly words: string;
}

/** Faults of an op's configs: fields that are not read here, and those that TTNN's parser refuses. */
function faultsOfConfigs(op: string, attributes: AttributeMap, alias: AliasText): readonly ToldFault[] {
  const { faults, backendOnly } = readOpConfig(op, attributes, alias);
  return [
    ...[...faults, ...misplacedConfigs(op, attributes)].map(({ property, isFatal, reason }) => ({
      property,
      isFatal,
      words: `is ${isFatal ? "not read" : "not read in full"}: ${reason}`,
    })),
    ...backendOnly.map(({ property, name }) => ({
      property,
      isFatal: false,
      words: `is no TTNN: ${backendOnlyText(name)}`,
    })),
  ];
}

/**
 * V15: op configs stand on ops that have them, with every required field and valid values. Fields that we do not read give a warning: they
 * stay in the text, but no prediction takes them into account. So do fields that only the backend has.
 */
export function verifyOpConfigs(reporter: Reporter): void {
  const { module } = reporter;
  const alias = aliasTextOf(module);
  /** By attributes (which ops of repeated layers share) and name. */
  const known = new Map<AttributeMap, Map<string, readonly ToldFault[]>>();
  const faultsOf = (name: string, attributes: AttributeMap): readonly ToldFault[] => {
    const byName = known.getOrInsertComputed(attributes, () => new Map());
    return byName.getOrInsertComputed(name, () => faultsOfConfigs(name, attributes, alias));
  };
  for (const operation of module.operations) {
    const faults = faultsOf(operation.name, attributeMap(module, operation));
    for (const { property, isFatal, words } of faults) {
      reporter.report(
        "V15/op-config",
        isFatal ? "error" : "warning",
        propertySpan(operation, property),
        `${property} of '${operation.name}' ${words}`,
      );
    }
  }
}

function propertySpan(operation: Operation, key: string): Operation["nameSpan"] {
  return entryOf(operation, key)?.span ?? operation.nameSpan;
}
