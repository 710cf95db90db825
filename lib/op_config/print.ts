// SPDX-License-Identifier: Apache-2.0
import type { AliasText } from "../dialect/core_range_set.ts";
import type { PropertyText } from "../dialect/memory_op_properties.ts";
import type { TtnnProfile } from "../dialect/ttnn_profile.ts";
import type { AttributeMap } from "../ir/attribute.ts";
import { OP_CONFIGS, type OpSpecificAttributes } from "./op_config.ts";
import { backendOnlyText, structOf, unknownFields } from "./parse.ts";
import { definitionOf } from "../ops/op_book.ts";
import { readField, type Slot, spellingIn, type Struct } from "./struct.ts";
import { structFields } from "./struct_fields.ts";

/** A config holds a field that no generation of TTNN has words for; the message names it. */
export class UnspelledField extends Error {
  override readonly name = "UnspelledField";
}

/** The op whose config is rewritten. */
export interface PresentConfig {
  /** All attributes of the op. */
  readonly attributes: AttributeMap;
  /** Resolves aliases inside the configs. */
  readonly alias: AliasText;
}

const NOTHING: PresentConfig = { attributes: new Map(), alias: (text) => text };

/**
 * The properties that spell an op's config in text of the given profile, keys in print order.
 *
 * Where the op carries a struct of the same kind already, fields whose value stays keep their text, and what we could not
 * read stays as it is: nothing of a newer compiler is lost.
 *
 * @param present what the op carries; nothing for a new op
 * @returns nothing for ops that carry no config, for the parts that the op has no key for, and for those that the op
 * carries as they are
 * @throws {RangeError} if the profile cannot spell a value, or no struct has the fields of one
 * @throws {UnspelledField} for a field that only the backend has and the op does not carry
 */
export function opConfigProperties(
  opName: string,
  config: OpSpecificAttributes,
  profile: Pick<TtnnProfile, "name">,
  present: PresentConfig = NOTHING,
): PropertyText[] {
  const keys = definitionOf(opName).config;
  if (keys === undefined || keys.kind !== config.kind) return [];
  const values: Readonly<Record<string, unknown>> = { ...config };
  return Object.entries(OP_CONFIGS[config.kind]).flatMap(([name, slot]) => {
    const key = slot.property ?? keys.program;
    const value = values[name];
    if (key === undefined || value === undefined) return [];
    const text = slotText(slot, value, profile, key, present);
    return text === undefined ? [] : [{ key, value: text }];
  });
}

function slotText(
  slot: Slot<unknown>,
  value: unknown,
  profile: Pick<TtnnProfile, "name">,
  key: string,
  { attributes, alias }: PresentConfig,
): string | undefined {
  const fields = new Map(typeof value === "object" && value !== null ? Object.entries(value) : []);
  const struct = slot.structs.find(({ tag }) =>
    Object.entries(tag).every(([name, word]) => fields.get(name) === word)
  );
  if (struct === undefined) throw new RangeError(`Cannot write ${key}: no struct has these fields`);
  const attribute = attributes.get(key);
  const isSame = attribute?.kind === "dialect" && structOf(slot, attribute) === struct;
  const before = structFields(isSame ? attribute.body : "", struct.positions);
  const texts = fieldTexts(struct, fields, profile, before, alias);
  const isUnchanged = before.size > 0 && before.size === texts.size &&
    [...texts].every(([name, text]) => before.get(name) === text);
  if (isUnchanged) return undefined;
  const body = inOrderOf(before, texts)
    .map(([name, text]) => struct.positions.length > 0 ? text : `${name} = ${text}`);
  return `#ttnn.${struct.mnemonic}<${body.join(", ")}>`;
}

function fieldTexts(
  struct: Struct<unknown>,
  values: ReadonlyMap<string, unknown>,
  profile: Pick<TtnnProfile, "name">,
  before: ReadonlyMap<string, string>,
  alias: AliasText,
): ReadonlyMap<string, string> {
  const texts = new Map(unknownFields(struct, before));
  for (const [key, field] of Object.entries(struct.fields)) {
    const value = values.get(key);
    const reading = readField(field, before, alias);
    if (value === undefined) {
      if (reading.state === "unread") texts.set(reading.name, reading.text);
      continue;
    }
    const isKept = reading.state === "value" &&
      field.kind.print(reading.value) === field.kind.print(value);
    const { name, kind } = spellingIn(field, profile);
    if (isKept) texts.set(reading.name, reading.text);
    else if (field.backendOnly) throw new UnspelledField(`Cannot write a config: ${backendOnlyText(name)}`);
    else texts.set(name, kind.print(value));
  }
  return texts;
}

/** Fields in the order of the old text; a new one comes after the one that it follows in the table. */
function inOrderOf(
  before: ReadonlyMap<string, string>,
  texts: ReadonlyMap<string, string>,
): readonly (readonly [name: string, text: string])[] {
  const places = [...before.keys()];
  const ordered = [...texts].filter(([name]) => before.has(name))
    .toSorted(([a], [b]) => places.indexOf(a) - places.indexOf(b));
  let last = -1;
  for (const [name, text] of texts) {
    if (before.has(name)) last = ordered.findIndex(([other]) => other === name);
    else ordered.splice(++last, 0, [name, text]);
  }
  return ordered;
}
