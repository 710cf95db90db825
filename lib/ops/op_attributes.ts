// SPDX-License-Identifier: Apache-2.0
import type { AttributeMap } from "../ir/attribute.ts";
import {
  type AttributeForm,
  type DeclaredAttribute,
  declaredAttribute,
} from "./attributes/attribute_form.ts";
import { DECIDED_PROPERTIES } from "../dialect/decided_properties.ts";
import { COMMON } from "./attributes/common.ts";
import { attributeFault } from "./attributes/read_attributes.ts";
import { definitionOf } from "./op_book.ts";

/** Faults of an op's attributes by its definition: required ones that it lacks, and ill-typed ones. */
export function attributeFaults(
  { name, attributes }: { readonly name: string; readonly attributes: AttributeMap },
): readonly string[] {
  return faultsIn(attributes, definitionOf(name).attributes ?? {});
}

/** {@linkcode attributeFaults} by one declaration. */
export function faultsIn(attributes: AttributeMap, form: AttributeForm): readonly string[] {
  return declarationsOf(form).flatMap((declared) => attributeFault(attributes, declared) ?? []);
}

const DECLARATIONS: WeakMap<AttributeForm, readonly DeclaredAttribute[]> = new WeakMap();

/** The attributes that a form declares, in its order. */
function declarationsOf(form: AttributeForm): readonly DeclaredAttribute[] {
  return DECLARATIONS.getOrInsertComputed(
    form,
    () => Object.entries(form).map(([key, spec]) => declaredAttribute(key, spec)),
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
  return SPELLINGS.getOrInsertComputed(
    form,
    () => new Set(declarationsOf(form).flatMap(({ spelled }) => spelled)),
  );
}

/**
 * The attributes of an op by the keys of its declaration, for readers that pass all of them on; those that the
 * declaration does not have keep their names.
 */
export function attributesByKey(
  { name, attributes }: { readonly name: string; readonly attributes: AttributeMap },
): AttributeMap {
  const keys = keysOf(definitionOf(name).attributes ?? {});
  return keys.size === 0
    ? attributes
    : new Map([...attributes].map(([spelled, attribute]) => [keys.get(spelled) ?? spelled, attribute]));
}

/** The key by which the definition of an op knows an attribute; its name where it has none of its own. */
export function attributeKey(op: string, spelled: string): string {
  return keysOf(definitionOf(op).attributes ?? {}).get(spelled) ?? spelled;
}

const KEYS: WeakMap<AttributeForm, ReadonlyMap<string, string>> = new WeakMap();

/** Keys by spelling, where these differ. */
function keysOf(form: AttributeForm): ReadonlyMap<string, string> {
  return KEYS.getOrInsertComputed(form, () =>
    new Map(
      Object.entries(form).flatMap(([key, spec]) =>
        declaredAttribute(key, spec).spelled.filter((name) => name !== key)
          .map((name) => [name, key] as const)
      ),
    ));
}
