// SPDX-License-Identifier: Apache-2.0
import {
  dictionaryText,
  functionsOf,
  type FunctionView,
  type ModuleText,
  type Operation,
  type Patch,
  textOf,
  type Value,
} from "../../lib/ir/mod.ts";
import { SIGNATURE_ATTRIBUTES } from "../../lib/ir/functions.ts";
import { textWithin } from "../../lib/ir/statement.ts";
import { CALLS } from "../../lib/ops/calls.ts";
import { type Condition, type ConditionContext, holds, holdsForInput } from "./condition.ts";

/** The removable ops of a function: all but the terminator; none of a function with several blocks. */
export function removableOps({ blocks }: FunctionView): readonly Operation[] {
  const [body, ...more] = blocks;
  if (body === undefined || more.length > 0) return [];
  return body.operations.filter(({ name }) => name !== "func.return");
}

/**
 * Extracts some ops of a function into a stand-alone module: values defined outside become arguments, unused
 * results become returns. Keeps the attributes of enclosing modules, the device declaration beside the
 * function, called functions and used aliases.
 *
 * @param kept some of {@linkcode removableOps}; producers of values that are not tensors (device handles) are
 * added
 * @throws {RangeError} if the text does not state the type of a value that is needed
 */
export function sliceFunction(module: ModuleText, view: FunctionView, kept: readonly Operation[]): string {
  const ops = withHandles(removableOps(view), kept);
  const inside = new Set<Value>(ops.flatMap(({ results }) => results));
  const outside: Value[] = [];
  const used = new Set<Value>();
  for (const op of ops) {
    for (const { value } of operandsWithin(module, op)) {
      if (value === undefined || definedWithin(op, value) || used.has(value)) continue;
      used.add(value);
      if (!inside.has(value)) outside.push(value);
    }
  }
  const names = argumentNames(outside, inside);
  const attributesOf = new Map(view.arguments.map(({ value, attributes }) => [value, attributes]));
  const args = outside.map((value) => {
    const attributes = attributesOf.get(value);
    const suffix = attributes === undefined || attributes.size === 0
      ? ""
      : ` ${dictionaryText([...attributes])}`;
    return `${names.get(value)}: ${typeOf(module, value)}${suffix}`;
  });
  const results = [...inside].filter((value) => !used.has(value) && isTensor(module, value));
  const resultTypes = results.map((value) => typeOf(module, value)).join(", ");
  const signature = `(${args.join(", ")})${results.length === 0 ? "" : ` -> (${resultTypes})`}`;
  const own = functionAttributes(module, view.operation);
  const body = ops.map((op) => `    ${opText(module, op, names)}`);
  const end = results.length === 0
    ? "    return"
    : `    return ${results.map(({ name }) => name).join(", ")} : ${resultTypes}`;
  const pieces = [
    `module${moduleAttributes(module, view.operation)} {`,
    ...siblingDeclarations(module, view.operation).map((text) => `  ${text}`),
    `  func.func @${view.name}${signature}${own} {`,
    ...body,
    end,
    "  }",
    ...calledFunctions(module, view, body.join("\n")).map((text) => `  ${text}`),
    "}",
    "",
  ];
  const text = pieces.join("\n");
  const aliases = usedAliases(module, text);
  return aliases === "" ? text : `${aliases}\n${text}`;
}

/** Ops in order, with the producers of their device handles. */
function withHandles(all: readonly Operation[], kept: readonly Operation[]): readonly Operation[] {
  const wanted = new Set(kept);
  for (const op of kept) {
    for (const { value } of op.operands) {
      if (value?.source.kind !== "result") continue;
      if (value.source.operation.operands.length === 0 && /get_device$/.test(value.source.operation.name)) {
        wanted.add(value.source.operation);
      }
    }
  }
  return all.filter((op) => wanted.has(op));
}

/** Operands of an op and of everything in its regions. */
function operandsWithin(module: ModuleText, op: Operation): readonly Operation["operands"][number][] {
  const operands = [...op.operands];
  if (op.regions.length === 0) return operands;
  for (let id = op.id + 1; id < module.operations.length; id++) {
    const inner = module.operations[id];
    if (inner === undefined || inner.span.start >= op.span.end) break;
    operands.push(...inner.operands);
  }
  return operands;
}

/** Whether a value is defined inside an op's regions. */
function definedWithin(op: Operation, { source }: Value): boolean {
  let holder = source.kind === "result" ? source.operation.parent : source.block.region.operation;
  while (holder !== undefined) {
    if (holder === op) return true;
    holder = holder.parent;
  }
  return false;
}

/** Valid argument names for values: `%5#1` is none. */
function argumentNames(outside: readonly Value[], inside: ReadonlySet<Value>): ReadonlyMap<Value, string> {
  const taken = new Set([...inside, ...outside].map(({ name }) => name.replace(/#\d+$/, "")));
  const names = new Map<Value, string>();
  for (const value of outside) {
    let name = value.name;
    if (name.includes("#")) {
      // A name that starts with a digit has nothing but digits.
      name = name.replace(/^%(?=\d)/, "%v").replace("#", "_");
      while (taken.has(name)) name += "_";
      taken.add(name);
    }
    names.set(value, name);
  }
  return names;
}

function typeOf(module: ModuleText, { type, name }: Value): string {
  if (type === undefined) throw new RangeError(`Cannot slice the function: the type of ${name} is not known`);
  return textOf(module, type);
}

function isTensor(module: ModuleText, value: Value): boolean {
  return value.type !== undefined && !/^!\w+\.device/.test(textOf(module, value.type));
}

function opText(module: ModuleText, op: Operation, names: ReadonlyMap<Value, string>): string {
  const patches: Patch[] = [];
  for (const { value, span } of operandsWithin(module, op)) {
    const name = value === undefined ? undefined : names.get(value);
    if (name === undefined || name === value?.name) continue;
    patches.push({ ...span, text: name });
  }
  return textWithin(module, op.span, patches.sort((a, b) => a.start - b.start));
}

function functionAttributes(module: ModuleText, operation: Operation): string {
  const entries = [operation.properties, operation.attributes].flatMap((dictionary) =>
    dictionary?.entries ?? []
  )
    .filter(({ key }) => !SIGNATURE_ATTRIBUTES.has(key));
  return entries.length === 0
    ? ""
    : ` attributes {${entries.map(({ span }) => textOf(module, span)).join(", ")}}`;
}

/** Attributes of all modules around an op; of equal keys the innermost wins. */
function moduleAttributes(module: ModuleText, operation: Operation): string {
  const texts = new Map<string, string>();
  for (let holder = operation.parent; holder !== undefined; holder = holder.parent) {
    if (holder.name !== "builtin.module") continue;
    for (const { key, span } of holder.attributes?.entries ?? []) {
      if (!texts.has(key)) texts.set(key, textOf(module, span));
    }
  }
  return texts.size === 0 ? "" : ` attributes {${[...texts.values()].join(", ")}}`;
}

/** Declarations of devices (`ttcore.device`, `tt.device`) beside a function. */
function siblingDeclarations(module: ModuleText, operation: Operation): readonly string[] {
  const siblings = operation.block?.operations ?? module.topLevel;
  return siblings.filter(({ name }) => /^tt(?:core)?\.device$/.test(name)).map(({ span }) =>
    textOf(module, span)
  );
}

/** Functions that a text calls by symbol, and those that these call. */
function calledFunctions(module: ModuleText, view: FunctionView, text: string): readonly string[] {
  const texts = new Map<string, string>();
  const functions = functionsOf(module);
  const visit = (caller: string): void => {
    for (const [, name] of caller.matchAll(/@"?([\w$.-]+)/g)) {
      const callee = functions.find((candidate) => candidate.name === name);
      if (name === undefined || callee === undefined || name === view.name || texts.has(name)) continue;
      const body = textOf(module, callee.operation.span);
      texts.set(name, body);
      visit(body);
    }
  };
  visit(text);
  return [...texts.values()];
}

/** Definitions of the aliases that a text uses, directly or through other aliases, in their order. */
function usedAliases(module: ModuleText, text: string): string {
  const definitions = ([["#", module.attributeAliases], ["!", module.typeAliases]] as const).flatMap(
    ([sigil, aliases]) =>
      [...aliases.values()].map(({ name, span }) => ({
        key: `${sigil}${name}`,
        start: span.start,
        text: textOf(module, span),
      })),
  );
  const byKey = new Map(definitions.map((definition) => [definition.key, definition]));
  const used = new Set<string>();
  const visit = (user: string): void => {
    for (const [key] of user.matchAll(/[#!][A-Za-z_][\w$]*/g)) {
      const definition = byKey.get(key);
      if (definition === undefined || used.has(key)) continue;
      used.add(key);
      visit(definition.text);
    }
  };
  visit(text);
  return definitions.filter(({ key }) => used.has(key)).sort((a, b) => a.start - b.start)
    .map(({ text: definition }) => `${definition}\n`).join("");
}

/** The smallest function found. */
export interface MinimalModule {
  /** A module with that function. */
  readonly text: string;
  /** Function of the input that it is part of. */
  readonly function: string;
  readonly opsBefore: number;
  readonly opsAfter: number;
  /** Number of candidates tested. */
  readonly tries: number;
  /** Whether the tries ran out before the function was minimal. */
  readonly stoppedEarly: boolean;
}

/** Limit and progress callback. */
interface MinimiseLimits {
  readonly mostTries: number;
  /** Called before every try with the candidates tested so far and the ops of the smallest match, else `Infinity`. */
  readonly onTry?: (tries: number, ops: number) => void;
}

/**
 * The smallest part of one function that still meets a condition, as a stand-alone module: values defined
 * outside become arguments, unused results become returns. First replaces results of calls by arguments, if
 * the condition still holds.
 *
 * @throws {DiagnosticError} if the input cannot be decided and the condition is not `fails with`
 */
export function minimiseModule(
  module: ModuleText,
  condition: Condition,
  trial: ConditionContext,
  { mostTries, onTry = () => {} }: MinimiseLimits,
): MinimalModule | { readonly reason: "does_not_hold" | "needs_several_functions" } {
  if (!holdsForInput(condition, module, trial)) return { reason: "does_not_hold" };
  let tries = 1;
  let smallest = Infinity;
  const shows = (view: FunctionView, ops: readonly Operation[]): boolean => {
    onTry(tries++, smallest);
    const text = sliceOf(module, view, ops);
    if (text === undefined || !holds(condition, text, trial)) return false;
    smallest = ops.length;
    return true;
  };
  const views = functionsOf(module).map((view) => ({ view, ops: removableOps(view) }))
    .filter(({ ops }) => ops.length > 0).sort((a, b) => b.ops.length - a.ops.length);
  for (const { view, ops } of views) {
    const withoutCalls = ops.filter(({ name }) => !CALLS.has(name));
    const start = [withoutCalls, ops].find((candidate) => shows(view, candidate));
    if (start === undefined) continue;
    const { items, stoppedEarly } = minimise(start, (some) => shows(view, some), mostTries - tries);
    return {
      text: sliceFunction(module, view, items),
      function: view.name,
      opsBefore: ops.length,
      opsAfter: items.length,
      tries,
      stoppedEarly,
    };
  }
  return { reason: "needs_several_functions" };
}

/** A slice; `undefined` if the text lacks a type that it needs. */
function sliceOf(module: ModuleText, view: FunctionView, ops: readonly Operation[]): string | undefined {
  try {
    return sliceFunction(module, view, ops);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** The result and the number of tries. */
interface Minimal<Item> {
  /** In the order of the input. Removing any single item breaks the condition, unless the tries ran out. */
  readonly items: readonly Item[];
  readonly tries: number;
  /** Whether the tries ran out before the result was minimal. */
  readonly stoppedEarly: boolean;
}

/**
 * Removes as many items as possible while a condition still holds: delta debugging (ddmin) of A. Zeller and
 * R. Hildebrandt, which tests each part alone, then all but each part, with ever smaller parts.
 *
 * @param items for which the condition holds; the full list is not tested again
 * @param holds whether the condition holds for some of the items, in their order
 * @param mostTries most calls of `holds`
 */
export function minimise<Item>(
  items: readonly Item[],
  holds: (some: readonly Item[]) => boolean,
  mostTries: number,
): Minimal<Item> {
  let current = items;
  let tries = 0;
  let parts = 2;
  while (current.length > 1) {
    const chunks = split(current, Math.min(parts, current.length));
    // With two parts, all but one is the other one.
    const candidates = chunks.length > 2 ? 2 * chunks.length : chunks.length;
    let found: readonly Item[] | undefined;
    for (let index = 0; index < candidates && found === undefined; index++) {
      if (tries >= mostTries) return { items: current, tries, stoppedEarly: true };
      tries++;
      const chunk = chunks[index % chunks.length] ?? [];
      const some = index < chunks.length ? chunk : without(current, chunk);
      if (!holds(some)) continue;
      found = some;
      parts = index < chunks.length ? 2 : Math.max(2, parts - 1);
    }
    if (found !== undefined) current = found;
    else if (parts >= current.length) break;
    else parts = Math.min(current.length, parts * 2);
  }
  return { items: current, tries, stoppedEarly: false };
}

function without<Item>(items: readonly Item[], left: readonly Item[]): readonly Item[] {
  const out = new Set(left);
  return items.filter((item) => !out.has(item));
}

/** Splits into parts of nearly equal length, in order. */
function split<Item>(items: readonly Item[], parts: number): readonly (readonly Item[])[] {
  return Array.from(
    { length: parts },
    (_, part) =>
      items.slice(Math.floor(items.length * part / parts), Math.floor(items.length * (part + 1) / parts)),
  );
}
