// SPDX-License-Identifier: Apache-2.0
import * as v from "valibot";
import type { AliasText } from "../dialect/core_range_set.ts";
import type { Attribute, AttributeMap } from "../ir/attribute.ts";
import { configKind, OP_CONFIGS, type OpSpecificAttributes } from "./op_config.ts";
import { definitionOf } from "../ops/op_book.ts";
import { OP_CONFIG_SCHEMA } from "./schema.ts";
import { readField, type Slot, type Struct } from "./struct.ts";
import { structFields } from "./struct_fields.ts";

const SAME: AliasText = (text) => text;

/** A part of a config's text that was not read. It stays in the text, even if the config is rewritten. */
export interface ConfigFault {
  /** Key of the property. */
  readonly property: string;
  /** Whether the whole property was skipped, because the struct is useless without the field. */
  readonly isFatal: boolean;
  /** The fault, for example `in0_block_w is missing`. */
  readonly reason: string;
}

/** A parsed op config. */
export interface ConfigReading {
  /** `undefined` if the op's kind has none, or none of it was read. */
  readonly config: OpSpecificAttributes | undefined;
  readonly faults: readonly ConfigFault[];
  /** Fields that were read and that only the backend has, with the property of each. */
  readonly backendOnly: readonly BackendOnlyField[];
}

/** A field of the backend without words in any generation of TTNN. */
export interface BackendOnlyField {
  /** Key of the property. */
  readonly property: string;
  /** Name of the field. */
  readonly name: string;
}

/**
 * Reads the config that an op carries beside its layouts, and reports what was not read; missing fields stay missing,
 * never 0 or a default.
 *
 * @param attributes all attributes of the op
 * @param alias resolves aliases inside the configs
 */
export function readOpConfig(
  opName: string,
  attributes: AttributeMap,
  alias: AliasText = SAME,
): ConfigReading {
  const keys = definitionOf(opName).config;
  if (keys === undefined) return { config: undefined, faults: [], backendOnly: [] };
  const parts: [slot: string, value: object][] = [];
  const faults: ConfigFault[] = [];
  const backendOnly: BackendOnlyField[] = [];
  for (const [name, slot] of Object.entries(OP_CONFIGS[configKind(keys.kind)])) {
    const property = slot.property ?? keys.program;
    const attribute = property === undefined ? undefined : attributes.get(property);
    if (property === undefined || attribute === undefined) continue;
    const reading = readSlot(slot, attribute, alias);
    if (reading.value !== undefined) parts.push([name, reading.value]);
    faults.push(...reading.faults.map((fault) => ({ property, ...fault })));
    backendOnly.push(...reading.backendOnly.map((field) => ({ property, name: field })));
  }
  if (parts.length === 0) return { config: undefined, faults, backendOnly };
  const config = v.parse(OP_CONFIG_SCHEMA, { kind: keys.kind, ...Object.fromEntries(parts) });
  return { config, faults, backendOnly };
}

/**
 * The config that an op carries beside its layouts. Optional fields that are not understood count as missing; the
 * verifier warns of them.
 *
 * @param attributes all attributes of the op, aliases in them resolved
 * @returns `undefined` when the op's kind has none, or none of them stands there
 * @throws {RangeError} if a struct lacks a field that it cannot be without
 */
export function parseOpConfig(
  opName: string,
  attributes: AttributeMap,
): OpSpecificAttributes | undefined {
  const { config, faults } = readOpConfig(opName, attributes);
  const fatal = faults.find(({ isFatal }) => isFatal);
  if (fatal !== undefined) {
    throw new RangeError(`Cannot read ${fatal.property} of ${opName}: ${fatal.reason}`);
  }
  return config;
}

interface SlotReading {
  readonly value: object | undefined;
  readonly faults: readonly Omit<ConfigFault, "property">[];
  /** Names of fields. */
  readonly backendOnly: readonly string[];
}

function readSlot(slot: Slot<unknown>, attribute: Attribute, alias: AliasText): SlotReading {
  const struct = structOf(slot, attribute);
  if (struct === undefined || attribute.kind !== "dialect") {
    const expected = slot.structs.map(({ mnemonic }) => `#ttnn.${mnemonic}`).join(" or ");
    const reason = `it is not ${expected}`;
    return { value: undefined, faults: [{ isFatal: false, reason }], backendOnly: [] };
  }
  const texts = structFields(attribute.body, struct.positions);
  const faults: SlotReading["faults"][number][] = [];
  const backendOnly: string[] = [];
  const values: [key: string, value: unknown][] = Object.entries(struct.tag);
  for (const [key, field] of Object.entries(struct.fields)) {
    const reading = readField(field, texts, alias);
    if (reading.state === "value") {
      values.push([key, reading.value]);
      if (field.backendOnly) backendOnly.push(reading.name);
    } else if (reading.state === "unread") {
      const reason =
        `${reading.name} = ${reading.text} is not a valid value, it takes ${field.kind.expected}`;
      faults.push({ isFatal: field.required, reason });
    } else if (field.required) faults.push({ isFatal: true, reason: `${field.name} is missing` });
  }
  const unknown = [...unknownFields(struct, texts).keys()].filter((name) => !struct.dropped.has(name));
  const [only, ...others] = unknown;
  if (only !== undefined) {
    const reason = others.length === 0
      ? `${only} is a field that we do not know`
      : `${unknown.join(", ")} are fields that we do not know`;
    faults.push({ isFatal: false, reason });
  }
  const value = faults.some(({ isFatal }) => isFatal) ? undefined : Object.fromEntries(values);
  return { value, faults, backendOnly };
}

/** A field of the backend that TTNN lacks, in words. */
export function backendOnlyText(name: string): string {
  return `${name} is a field of the backend that no generation of TTNN has words for`;
}

/** The struct of a slot that an attribute is; `undefined` when it is none of them. */
export function structOf(slot: Slot<unknown>, attribute: Attribute): Struct<unknown> | undefined {
  if (attribute.kind !== "dialect") return undefined;
  return slot.structs.find(({ mnemonic }) => mnemonic === attribute.mnemonic);
}

/** The fields of a text that are not in the table. */
export function unknownFields(
  { fieldNames }: Struct<unknown>,
  texts: ReadonlyMap<string, string>,
): ReadonlyMap<string, string> {
  return new Map([...texts].filter(([name]) => !fieldNames.has(name)));
}
