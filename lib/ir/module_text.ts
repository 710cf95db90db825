// SPDX-License-Identifier: Apache-2.0
import { DiagnosticError, errorAt } from "../diagnostics/diagnostic.ts";
import type { Attribute } from "./attribute.ts";

/** Half-open range `[start, end)` of UTF-16 offsets into {@linkcode ModuleText.text}. */
export interface Span {
  /** First UTF-16 unit. */
  readonly start: number;
  /** One past the last unit. */
  readonly end: number;
}

/** One `key = value` or `key` of an attribute dictionary. */
export interface AttributeEntry {
  /** Name of the attribute, without quotes. */
  readonly key: string;
  /** From the key to the end of the value. */
  readonly span: Span;
  /** `undefined` for unit attributes, which have no value. */
  readonly valueSpan: Span | undefined;
}

/** A `{…}` attribute dictionary or `<{…}>` property dictionary. */
export interface AttributeDictionary {
  /** Includes the brackets: `{…}` or `<{…}>`. */
  readonly span: Span;
  /** In source order. */
  readonly entries: readonly AttributeEntry[];
}

/** Where a value comes from. */
export type ValueSource =
  /** `index` counts over all results of the op, across result groups. */
  | { readonly kind: "result"; readonly operation: Operation; readonly index: number }
  | { readonly kind: "argument"; readonly block: Block; readonly index: number };

/** An SSA value. Values are compared by identity. */
export interface Value {
  /** As uses spell it: `%arg0`, `%12`, `%3#1`. */
  readonly name: string;
  /** Result of an op or argument of a block. */
  readonly source: ValueSource;
  /** `undefined` where the op's form does not tell us (opaque ops). */
  readonly type: Span | undefined;
}

/** One use of a value in an operand list. */
export interface Operand {
  /** The name without the result number: `%3` for `%3#1`. */
  readonly name: string;
  /** The number after `#`, 0 where none stands. */
  readonly resultIndex: number;
  /** Includes the result number. */
  readonly span: Span;
  /** `undefined` only inside regions of opaque ops, where definitions may be invisible to us. */
  readonly value: Value | undefined;
}

/** One name of a result list: `%0`, or `%0:2` with `count` 2. */
export interface ResultGroup {
  /** Without the count: `%0` for `%0:2`. */
  readonly name: string;
  /** Results that the name stands for, at least 1. */
  readonly count: number;
  /** Name with its count. */
  readonly span: Span;
}

/** An argument of a block or of a function. */
export interface BlockArgument {
  /** The value to which uses of the argument refer. */
  readonly value: Value;
  /** From the name to the end of type, attributes and location. */
  readonly span: Span;
  /** Attributes of a function argument in custom form. */
  readonly attributes: AttributeDictionary | undefined;
  /** `loc(…)`. */
  readonly location: Span | undefined;
}

/** A block of a region. */
export interface Block {
  /** `^bb0` as written; `undefined` for an entry block without a label. */
  readonly label: string | undefined;
  /** In order; of a function's entry block those of the function. */
  readonly arguments: readonly BlockArgument[];
  /** In source order. */
  readonly operations: readonly Operation[];
  /** The region that holds it. */
  readonly region: Region;
}

/** A region of an op. */
export interface Region {
  /** Includes the braces. */
  readonly span: Span;
  /** Entry first; empty for `{}` without entry arguments. */
  readonly blocks: readonly Block[];
  /** The op that holds it. */
  readonly operation: Operation;
}

/** A use of a block label. */
export interface Successor {
  /** With `^`, as written. */
  readonly label: string;
  /** The label alone, without the values handed over. */
  readonly span: Span;
}

/** Result of a function in custom form. */
export interface FunctionResult {
  /** Span of the type, without attributes. */
  readonly type: Span;
  /** `undefined` where no `{…}` follows the type. */
  readonly attributes: AttributeDictionary | undefined;
}

/** The signature of a `func.func` in custom form. Arguments of a definition are the arguments of its entry block. */
export interface FunctionSignature {
  /** From `(` of the arguments to the end of the results. */
  readonly span: Span;
  /** One per argument, also for declarations. */
  readonly argumentTypes: readonly Span[];
  /** Attributes per argument, also for declarations. */
  readonly argumentAttributes: readonly (AttributeDictionary | undefined)[];
  /** In order; empty for a function that returns nothing. */
  readonly results: readonly FunctionResult[];
}

/**
 * How an op is written: the generic form, a custom form that we understand completely, or a custom form of which we
 * know only extent, results, uses and regions.
 */
export type OperationForm = "generic" | "custom" | "opaque";

/** An operation. */
export interface Operation {
  /** Index in {@linkcode ModuleText.operations}. */
  readonly id: number;
  /** Full name: `ttnn.add`, `func.func`, `builtin.module`, also where the text says `return` or `module`. */
  readonly name: string;
  /** The name as written, with the quotes of the generic form. */
  readonly nameSpan: Span;
  /** Tells how far the other fields can be trusted: an `opaque` op may miss types and operands' order. */
  readonly form: OperationForm;
  /** From the first result name to the end of the trailing location. */
  readonly span: Span;
  /** In source order. */
  readonly resultGroups: readonly ResultGroup[];
  /** All groups flattened; result `i` is used as `%name#i` within its group. */
  readonly results: readonly Value[];
  /** In order; for opaque ops every `%name` outside of regions. */
  readonly operands: readonly Operand[];
  /** The operand list without its brackets; `undefined` for opaque ops. */
  readonly operandsSpan: Span | undefined;
  /** In order; only branch ops have any. */
  readonly successors: readonly Successor[];
  /** `<{…}>`. */
  readonly properties: AttributeDictionary | undefined;
  /** `{…}` after the operands or regions. */
  readonly attributes: AttributeDictionary | undefined;
  /** Attributes that a custom form spells by syntax: `sym_name`, `callee`, … in generic terms. */
  readonly syntaxAttributes: ReadonlyMap<string, Attribute>;
  /** In order. */
  readonly regions: readonly Region[];
  /** One per operand; `undefined` if the form does not show it. */
  readonly operandTypes: readonly Span[] | undefined;
  /** One per result; `undefined` if the form does not show it. */
  readonly resultTypes: readonly Span[] | undefined;
  /** Signature of a `func.func` in custom form. */
  readonly signature: FunctionSignature | undefined;
  /** `loc(…)`. */
  readonly location: Span | undefined;
  /** The op whose region holds this op; `undefined` at top level. */
  readonly parent: Operation | undefined;
  /** The block that holds this op; `undefined` at top level. */
  readonly block: Block | undefined;
}

/** Definition of an attribute alias `#name = …` or a type alias `!name = …`. */
export interface AliasDefinition {
  /** Without the sigil. */
  readonly name: string;
  /** The whole definition. */
  readonly span: Span;
  /** The value after `=`. */
  readonly valueSpan: Span;
}

/**
 * A parsed module: the source text plus everything we know about it, as spans into the text. Nothing is normalised;
 * printing an unedited module is returning its text, and edits are patches on it.
 */
export interface ModuleText {
  /** Name for diagnostics. */
  readonly fileName: string;
  /** The text that all spans refer to. */
  readonly text: string;
  /** {@linkcode ModuleText.text} with blanks in the place of comments; parsing and copying read this text. */
  readonly plainText: string;
  /** UTF-16 units before {@linkcode ModuleText.text} in {@linkcode ModuleText.fileText}; 0 unless the input was split. */
  readonly offset: number;
  /** The text of the whole file, for diagnostics. */
  readonly fileText: string;
  /** By name, in source order. */
  readonly attributeAliases: ReadonlyMap<string, AliasDefinition>;
  /** By name, in source order. */
  readonly typeAliases: ReadonlyMap<string, AliasDefinition>;
  /** All operations in pre-order; an operation's id is its index. */
  readonly operations: readonly Operation[];
  /** Operations that no other holds, in order. */
  readonly topLevel: readonly Operation[];
}

/** The entry of an op's dictionaries with a key: of `<{…}>` before `{…}`; `undefined` when neither has it. */
export function entryOf(operation: Operation, key: string): AttributeEntry | undefined {
  const has = (entry: AttributeEntry): boolean => entry.key === key;
  return operation.properties?.entries.find(has) ?? operation.attributes?.entries.find(has);
}

/** An error at an offset of a module's text. */
export function errorIn(module: ModuleText, code: string, offset: number, message: string): DiagnosticError {
  const { fileName, fileText } = module;
  return new DiagnosticError([errorAt(code, fileName, fileText, module.offset + offset, message)]);
}

/** The text of a span, blanks in the place of comments. */
export function textOf(module: ModuleText, span: Span): string {
  return module.plainText.slice(span.start, span.end);
}
