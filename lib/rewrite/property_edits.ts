// SPDX-License-Identifier: Apache-2.0
import { type AttributeDictionary, entryOf, type ModuleText, type Operation, type Patch } from "../ir/mod.ts";
import type { PropertyText } from "../dialect/memory_op_properties.ts";

/**
 * Sets properties of an op. A key in `<{…}>` or in the trailing `{…}` is replaced in place; a new one is
 * inserted alphabetically into the dictionary that the op has, otherwise into a new `<{…}>`.
 *
 * @throws {RangeError} if a new dictionary is needed and the op has no generic form
 */
export function propertyEdits(
  operation: Operation,
  properties: readonly PropertyText[],
): readonly Patch[] {
  const patches: Patch[] = [];
  const added: PropertyText[] = [];
  for (const property of properties) {
    const entry = entryOf(operation, property.key);
    if (entry === undefined) added.push(property);
    else patches.push({ ...entry.span, text: `${property.key} = ${property.value}` });
  }
  if (added.length === 0) return patches;
  added.sort((a, b) => a.key < b.key ? -1 : 1);
  const dictionary = operation.properties ?? inherentInTrailing(operation);
  if (dictionary === undefined) {
    const close = operation.operandsSpan === undefined ? undefined : operation.operandsSpan.end + 1;
    if (close === undefined) {
      throw new RangeError(`Cannot set properties of ${operation.name}: it has no generic form`);
    }
    const body = added.map((property) => `${property.key} = ${property.value}`).join(", ");
    return [...patches, { start: close, end: close, text: ` <{${body}}>` }];
  }
  return [...patches, ...additions(dictionary, added)];
}

/** Takes properties from an op and gives it others; the dictionary goes when nothing is left in it. */
export function propertyRemovals(
  { text }: ModuleText,
  operation: Operation,
  removed: readonly string[],
  added: readonly PropertyText[],
): readonly Patch[] {
  const dictionary = operation.properties ?? inherentInTrailing(operation);
  if (dictionary === undefined) return propertyEdits(operation, added);
  const kept = dictionary.entries
    .filter(({ key }) => !removed.includes(key))
    .map(({ key, span }) => ({ key, text: text.slice(span.start, span.end) }));
  const entries = [...kept, ...added.map(({ key, value }) => ({ key, text: `${key} = ${value}` }))];
  entries.sort((a, b) => a.key < b.key ? -1 : 1);
  const body = entries.map((entry) => entry.text).join(", ");
  const { start, end } = dictionary.span;
  if (body === "") return [{ start: text.charAt(start - 1) === " " ? start - 1 : start, end, text: "" }];
  return [{ start, end, text: dictionary === operation.properties ? `<{${body}}>` : `{${body}}` }];
}

/** Hand-written files put inherent attributes into the trailing dictionary; a second dictionary would hide them. */
function inherentInTrailing(operation: Operation): AttributeDictionary | undefined {
  const dictionary = operation.attributes;
  return dictionary?.entries.some((entry) => !entry.key.includes(".")) === true ? dictionary : undefined;
}

/** Several additions at one place must be one patch, because their order would be undefined otherwise. */
function additions(dictionary: AttributeDictionary, added: readonly PropertyText[]): readonly Patch[] {
  const textAt = new Map<number, string>();
  const isPropertyDictionary = dictionary.span.end - dictionary.span.start >= 4;
  for (const property of added) {
    const text = `${property.key} = ${property.value}`;
    const next = dictionary.entries.find((entry) => entry.key > property.key);
    const last = dictionary.entries.at(-1);
    if (next !== undefined) {
      textAt.set(next.span.start, (textAt.get(next.span.start) ?? "") + `${text}, `);
    } else if (last !== undefined) {
      textAt.set(last.span.end, (textAt.get(last.span.end) ?? "") + `, ${text}`);
    } else {
      const open = dictionary.span.start + (isPropertyDictionary ? 2 : 1);
      const before = textAt.get(open);
      textAt.set(open, before === undefined ? text : `${before}, ${text}`);
    }
  }
  return [...textAt].map(([offset, text]) => ({ start: offset, end: offset, text }));
}
