// SPDX-License-Identifier: Apache-2.0
import type { AttributeMap } from "../ir/attribute.ts";
import { type AttributeForm, declaredAttribute } from "./attributes/attribute_form.ts";
import { DECIDED_PROPERTIES } from "../dialect/decided_properties.ts";
import { COMMON } from "./attributes/common.ts";
import { attributeFault } from "./attributes/read_attributes.ts";
import { definitionOf } from "./op_book.ts";

/** What is wrong with the attributes of an op by its definition: required ones that it lacks, and ill-typed ones. */
export function attributeFaults(
  { name, attributes }: { readonly name: string; readonly attributes: AttributeMap },
): readonly string[] {
  return faultsIn(attributes, definitionOf(name).attributes ?? {});
}

/** {@linkcode attributeFaults} by one declaration. */
export function faultsIn(attributes: AttributeMap, form: AttributeForm): readonly string[] {
  return Object.entries(form).flatMap(([key, spec]) =>
    attributeFault(attributes, declaredAttribute(key, spec)) ?? []
  );
}

/** Names that a declaration does not have, without those of dialects, which any op may carry, and of configs. */
export function undeclaredAttributes(names: Iterable<string>, form: AttributeForm): readonly string[] {
  const known = spellingsOf(form);
  return [...names].filter((name) =>
    !known.has(name) && !spellingsOf(COMMON).has(name) && !DECIDED_PROPERTIES.has(name) && !name.includes(".")
  );
}

const SPELLINGS: WeakMap<AttributeForm, ReadonlySet<string>> = new WeakMap();

/** Names of all attributes of a declaration as any text spells them. */
export function spellingsOf(form: AttributeForm): ReadonlySet<string> {
  let spellings = SPELLINGS.get(form);
  if (spellings === undefined) {
    const declared = Object.entries(form).map(([key, spec]) => declaredAttribute(key, spec));
    SPELLINGS.set(form, spellings = new Set(declared.flatMap(({ spelled }) => spelled)));
  }
  return spellings;
}
