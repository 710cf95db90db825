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

/** The removable ops of a function: all but the terminator. */
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

/** `ttcore.device` and the like, declared beside a function. */
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
  const definitions = [
    ...[...module.attributeAliases.values()].map((definition) => ({ sigil: "#", ...definition })),
    ...[...module.typeAliases.values()].map((definition) => ({ sigil: "!", ...definition })),
  ].map(({ sigil, name, span }) => ({
    key: `${sigil}${name}`,
    start: span.start,
    text: textOf(module, span),
  }));
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
