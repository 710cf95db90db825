// SPDX-License-Identifier: Apache-2.0
import type { AttributeMap } from "../ir/attribute.ts";
import { type AttributeForm, declaredAttribute } from "./attributes/attribute_form.ts";
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
