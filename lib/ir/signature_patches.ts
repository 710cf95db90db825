// SPDX-License-Identifier: Apache-2.0
import type { Attribute } from "./attribute.ts";
import { dictionaryText } from "./attribute_text.ts";
import type { FunctionArgument, FunctionView } from "./functions.ts";
import {
  type AttributeDictionary,
  entryOf,
  errorIn,
  type ModuleText,
  type Span,
  textOf,
} from "./module_text.ts";
import type { Patch } from "./patch.ts";

/** A change of a function's signature; arguments and results by number, the others stay. */
export interface SignatureChange {
  /** Types of arguments. */
  readonly argumentTypes?: ReadonlyMap<number, string>;
  /** Attributes that arguments get, by key, `unit` without a value; others of the argument stay. */
  readonly argumentAttributes?: ReadonlyMap<number, ReadonlyMap<string, string>>;
  /** Types of results. */
  readonly resultTypes?: ReadonlyMap<number, string>;
  /** Types of results behind those that it has, of which there must be one. */
  readonly addedResults?: readonly string[];
}

/**
 * The patches that change a signature, whichever form the function is written in: the custom form says types and
 * attributes once, the generic form says the type of an argument in `function_type` and at the entry block, and all
 * attributes in `arg_attrs`.
 *
 * @throws {RangeError} when the function has no argument or result of a number
 */
export function signaturePatches(
  module: ModuleText,
  view: FunctionView,
  {
    argumentTypes = new Map(),
    argumentAttributes = new Map(),
    resultTypes = new Map(),
    addedResults = [],
  }: SignatureChange,
): readonly Patch[] {
  const argumentAt = (index: number): FunctionArgument =>
    present(view.arguments[index], view, "argument", index);
  const { signature } = view.operation;
  const patches: Patch[] = [];
  for (const [index, text] of argumentTypes) {
    const { type, value } = argumentAt(index);
    patches.push({ ...type, text });
    const atBlock = signature === undefined ? value?.type : undefined;
    if (atBlock !== undefined) patches.push({ ...atBlock, text });
  }
  for (const [index, text] of resultTypes) {
    patches.push({ ...present(view.resultTypes[index], view, "result", index), text });
  }
  patches.push(...addedResultPatches(module, view, addedResults));
  const changed = [...argumentAttributes].filter(([, texts]) => texts.size > 0);
  for (const [index] of changed) argumentAt(index);
  if (changed.length === 0) return patches;
  if (signature === undefined) return [...patches, genericAttributes(module, view, new Map(changed))];
  for (const [index, texts] of changed) {
    const given = signature.argumentAttributes[index];
    const text = dictionaryText(merged(given === undefined ? [] : textsOf(module, given), texts));
    const { end } = argumentAt(index).type;
    patches.push(given === undefined ? { start: end, end, text: ` ${text}` } : { ...given.span, text });
  }
  return patches;
}

/** Patches that append results to a function; `res_attrs` needs an entry for every one. */
function addedResultPatches(
  module: ModuleText,
  { operation, resultTypes }: FunctionView,
  added: readonly string[],
): readonly Patch[] {
  if (added.length === 0) return [];
  const attributes = operation.signature?.results.at(-1)?.attributes?.span.end;
  const patches = addedResultTypes(module, resultTypes, added, attributes);
  const list = operation.signature === undefined ? entryOf(operation, "res_attrs")?.valueSpan : undefined;
  if (list === undefined) return patches;
  const end = list.end - 1;
  return [...patches, { start: end, end, text: added.map(() => ", {}").join("") }];
}

/**
 * The patches that put types behind the result types of a function, a call or a load: one result may stand without
 * parentheses, several may not.
 *
 * @param given the types that stand there, one at least
 * @param end where the last of them ends with its attributes
 * @throws {RangeError} without a type
 */
export function addedResultTypes(
  module: ModuleText,
  given: readonly Span[],
  added: readonly string[],
  end: number | undefined = given.at(-1)?.end,
): readonly Patch[] {
  const [first] = given;
  if (first === undefined || end === undefined) throw new RangeError("Cannot add results to none");
  const text = added.map((type) => `, ${type}`).join("");
  let before = first.start - 1;
  while (/\s/.test(module.text[before] ?? "")) before--;
  const isList = given.length > 1 || module.text[before] === "(";
  return isList
    ? [{ start: end, end, text }]
    : [{ start: first.start, end: first.start, text: "(" }, { start: end, end, text: `${text})` }];
}

/** `arg_attrs` with what is new, in the place of the old or as first of the dictionary that has the function's type. */
function genericAttributes(
  module: ModuleText,
  { operation, arguments: given }: FunctionView,
  changed: ReadonlyMap<number, ReadonlyMap<string, string>>,
): Patch {
  const dictionaries = given.map(({ attributes }, index) =>
    dictionaryText(merged([...attributes], changed.get(index) ?? new Map()))
  );
  const list = `[${dictionaries.join(", ")}]`;
  const old = entryOf(operation, "arg_attrs")?.valueSpan;
  if (old !== undefined) return { ...old, text: list };
  const type = entryOf(operation, "function_type");
  if (type === undefined) {
    throw errorIn(module, "ir/signature", operation.span.start, "the function has no function_type");
  }
  return { start: type.span.start, end: type.span.start, text: `arg_attrs = ${list}, ` };
}

/** Old entries in their order with new values, then new entries. */
function merged(
  given: readonly (readonly [string, Attribute])[],
  texts: ReadonlyMap<string, string>,
): readonly (readonly [string, Attribute])[] {
  const all = new Map<string, Attribute>(given);
  for (const [key, text] of texts) {
    all.set(key, text === "unit" ? { kind: "unit" } : { kind: "opaque", text });
  }
  return [...all];
}

/** Entries as they are written, aliases and all. */
function textsOf(
  module: ModuleText,
  { entries }: AttributeDictionary,
): readonly (readonly [string, Attribute])[] {
  return entries.map(({ key, valueSpan }) => [
    key,
    valueSpan === undefined ? { kind: "unit" } : { kind: "opaque", text: textOf(module, valueSpan) },
  ]);
}

function present<T>(found: T | undefined, { name }: FunctionView, what: string, index: number): T {
  if (found === undefined) throw new RangeError(`@${name} has no ${what} ${index}`);
  return found;
}
