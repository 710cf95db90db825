// SPDX-License-Identifier: Apache-2.0
import type { MemoryOp } from "../dialect/memory_op_properties.ts";
import { type AttributeTexts, printedDictionary } from "../dialect/printed_attributes.ts";
import {
  type FunctionView,
  type ModuleText,
  type Operation,
  type Patch,
  signaturePatches,
  type Span,
  symbolText,
  textOf,
} from "../ir/mod.ts";
import { endOfStatement, indentationOf, removedStatement, textWithin } from "../ir/statement.ts";
import { spelledType, type Spelling } from "./spelling.ts";
import type { TtnnOp } from "./op.ts";
import type { TtnnValue } from "./value.ts";
import type { TtnnFunction } from "./function.ts";
import { deallocateText, dyingAfter } from "./deallocate.ts";

const INDENT = "  ";

/** The patches that turn a function of the text into its changed body, or remove it; none if nothing changed. */
export function functionPatches(body: TtnnFunction, spelling: Spelling): readonly Patch[] {
  const { source } = body.header;
  const [block] = source?.blocks ?? [];
  const first = block?.operations[0];
  const last = source?.terminator;
  if (body.isRemoved && source !== undefined) return [removedStatement(body.module, source.operation)];
  if (!body.isChanged || source === undefined || first === undefined || last === undefined) return [];
  const writer = new FunctionWriter(body, spelling);
  const indentation = indentationOf(body.module, first);
  const text = writer.lines().join(`\n${indentation}`);
  return [...writer.signaturePatches(source), {
    start: first.span.start,
    end: endOfStatement(body.module, last),
    text,
  }];
}

/** The text of a new function and the patch that inserts it before the function that it belongs to. */
export function newFunctionPatch(body: TtnnFunction, spelling: Spelling): Patch {
  const anchor = body.header.before?.header.source?.operation;
  if (anchor === undefined) {
    throw new RangeError(`Cannot place @${body.header.name}: no function to put it before`);
  }
  const indentation = indentationOf(body.module, anchor);
  const text = newFunctionLines(body, spelling).map((line) => `${line}\n${indentation}`).join("");
  return { start: anchor.span.start, end: anchor.span.start, text };
}

/** The lines of a function that the text does not have, without indentation. */
export function newFunctionLines(body: TtnnFunction, spelling: Spelling): readonly string[] {
  const writer = new FunctionWriter(body, spelling);
  const { location } = body.header;
  return [
    writer.header(),
    ...writer.lines().map((line) => INDENT + line),
    location === undefined ? "}" : `} ${location}`,
  ];
}

class FunctionWriter {
  readonly #body: TtnnFunction;
  readonly #module: ModuleText;
  readonly #spelling: Spelling;
  readonly #names: Map<TtnnValue, string> = new Map();
  readonly #taken: Set<string> = new Set();
  #next = 0;

  constructor(body: TtnnFunction, spelling: Spelling) {
    this.#body = body;
    this.#module = body.module;
    this.#spelling = spelling;
    for (const { value } of body.arguments) this.#keepName(value);
    for (const op of body.ops()) for (const result of op.results) this.#keepName(result);
    body.arguments.forEach(({ value }, index) => {
      if (value.name === undefined) this.#names.set(value, `%arg${index}`);
    });
    for (const op of body.ops()) {
      if (op.results.length === 0 || op.results[0]?.name !== undefined) continue;
      const name = this.#newName();
      op.results.forEach((result, index) =>
        this.#names.set(result, op.results.length === 1 ? name : `${name}#${index}`)
      );
    }
  }

  /** `func.func private @f(…) -> … attributes {…} {` of a new function. */
  header(): string {
    const { name, kind, isPrivate, attributes } = this.#body.header;
    const parameters = this.#body.arguments.map(({ value, attributes }) =>
      `${this.#name(value)}: ${this.#type(value)}${suffix(attributes)}`
    );
    const { resultAttributes } = this.#body;
    const results = this.#body.results.map((value, index) =>
      this.#type(value) + suffix(resultAttributes[index] ?? new Map())
    );
    const isBare = results.length === 1 && (resultAttributes[0]?.size ?? 0) === 0;
    const resultText = results.length === 0 ? "" : ` -> ${isBare ? results[0] : `(${results.join(", ")})`}`;
    const all = new Map([
      ...attributes ?? [],
      ...kind === undefined ? [] : this.#spelling.functionKind(kind),
    ]);
    const attributeText = all.size === 0 ? "" : ` attributes${suffix(all)}`;
    return `func.func${isPrivate === true ? " private" : ""} ${symbolText(name)}(${
      parameters.join(", ")
    })${resultText}${attributeText} {`;
  }

  /** All statements, deallocations included. */
  lines(): readonly string[] {
    const dying = dyingAfter(this.#body);
    const lines: string[] = [];
    let previousEnd: number | undefined;
    for (const op of this.#body.ops()) {
      const { source } = op;
      if (source !== undefined) {
        const comment = previousEnd === undefined ? "" : this.#commentBefore(source, previousEnd);
        if (comment !== "") lines.push(comment);
        previousEnd = endOfStatement(this.#module, source);
      }
      lines.push(op.isRespelled ? this.#spelledOp(op) : this.#patchedOp(op));
      for (const value of dying.get(op) ?? []) lines.push(this.#deallocate(value, op));
    }
    return lines;
  }

  /** Changed types and attributes of arguments, changed types of results. */
  signaturePatches(source: FunctionView): readonly Patch[] {
    const { arguments: given, results } = this.#body;
    const retyped = given.flatMap(({ value }, index): [number, string][] =>
      value.isRetyped ? [[index, this.#type(value)]] : []
    );
    const returned = results.flatMap((value, index): [number, string][] => {
      const type = source.resultTypes[index];
      const text = this.#type(value);
      return type === undefined || textOf(this.#module, type) === text ? [] : [[index, text]];
    });
    return signaturePatches(this.#module, source, {
      argumentTypes: new Map(retyped),
      argumentAttributes: new Map(given.map(({ attributes }, index) => [index, attributes])),
      resultTypes: new Map(returned),
    });
  }

  #keepName(value: TtnnValue): void {
    if (value.name === undefined) return;
    this.#names.set(value, value.name);
    this.#taken.add(value.name.includes("#") ? value.name.replace(/#\d+$/, "") : value.name);
  }

  #newName(): string {
    const isNew = this.#body.header.source === undefined;
    let name: string;
    do name = isNew ? `%${this.#next++}` : `%pass_${this.#next++}`; while (this.#taken.has(name));
    return name;
  }

  #name(value: TtnnValue): string {
    const name = this.#names.get(value);
    if (name === undefined) {
      throw new RangeError(`Cannot write @${this.#body.header.name}: an operand is not made in it`);
    }
    return name;
  }

  #type(value: TtnnValue): string {
    return spelledType(this.#module, value.type, this.#spelling);
  }

  /** An op of the text: its original bytes except for operands and types. */
  #patchedOp(op: TtnnOp): string {
    const { source } = op;
    if (source === undefined) throw new RangeError(`Cannot print ${op.opName} from the text: it is new`);
    const edits: Patch[] = [];
    const edit = (span: Span | undefined, text: string): void => {
      if (span === undefined) {
        throw new RangeError(`Cannot change ${op.opName}: its form does not tell operands or types`);
      }
      if (textOf(this.#module, span) !== text) edits.push({ ...span, text });
    };
    op.operands.forEach((operand, index) => {
      const before = source.operands[index];
      if (before === undefined) throw new RangeError(`Cannot add operands to ${op.opName}`);
      if (before.value?.name !== this.#name(operand)) edit(before.span, this.#name(operand));
      const type = source.operandTypes?.[index];
      if (type !== undefined || operand.isRetyped) edit(type, this.#type(operand));
    });
    if (op.results[0] !== undefined && op.results[0].name === undefined) {
      const [first, last] = [source.resultGroups[0], source.resultGroups.at(-1)];
      if (first !== undefined && last !== undefined) {
        edit({ start: first.span.start, end: last.span.end }, this.#resultNames(op));
      }
    }
    op.results.forEach((result, index) => {
      if (result.isRetyped) edit(source.resultTypes?.[index], this.#type(result));
    });
    for (const { span, value } of op.captured) edit(span, this.#name(value));
    const end = endOfStatement(this.#module, source);
    edits.sort((a, b) => a.start - b.start);
    return textWithin(this.#module, { start: source.span.start, end }, edits);
  }

  #spelledOp(op: TtnnOp): string {
    const operands = op.operands.map((operand) => this.#name(operand)).join(", ");
    const operandTypes = op.operands.map((operand) => this.#type(operand)).join(", ");
    const resultTypes = op.results.map((result) => this.#type(result));
    const signature = `(${operandTypes}) -> ${
      resultTypes.length === 1 ? resultTypes[0] : `(${resultTypes.join(", ")})`
    }`;
    const location = op.location === undefined ? "" : ` ${op.location}`;
    const attributes = suffix(op.attributes);
    if (op.opName === "func.return") {
      return operands === "" ? `return${location}` : `return ${operands} : ${operandTypes}${location}`;
    }
    if (op.callee !== undefined) {
      const callee = symbolText(op.callee);
      return `${
        this.#assignment(op)
      }${op.opName}(${callee}, [${operands}])${attributes} : ${signature}${location}`;
    }
    const properties = this.#properties(op);
    const propertyText = properties.size === 0 ? "" : ` ${printedDictionary(properties, "<{", "}>")}`;
    return `${
      this.#assignment(op)
    }"${op.opName}"(${operands})${propertyText}${attributes} : ${signature}${location}`;
  }

  /** With the properties in which this generation of the text repeats a memory op's result. */
  #properties(op: TtnnOp): AttributeTexts {
    const result = op.tensorResult;
    if (result === undefined) return op.properties;
    const repeated = isMemoryOp(op.opName)
      ? this.#spelling.memoryOpProperties(op.opName, result.type.layout)
      : this.#spelling.resultProperties(new Set(op.properties.keys()), result.type.layout);
    if (repeated.length === 0) return op.properties;
    return new Map([...op.properties, ...repeated.map(({ key, value }) => [key, value] as const)]);
  }

  #assignment(op: TtnnOp): string {
    return op.results.length === 0 ? "" : `${this.#resultNames(op)} = `;
  }

  #resultNames(op: TtnnOp): string {
    const [first] = op.results;
    if (first === undefined) return "";
    if (first.name !== undefined) {
      return (op.source?.resultGroups ?? []).map(({ span }) => textOf(this.#module, span)).join(", ");
    }
    const name = this.#name(first).replace(/#\d+$/, "");
    return op.results.length === 1 ? name : `${name}:${op.results.length}`;
  }

  #deallocate(value: TtnnValue, after: TtnnOp): string {
    const source = this.#body.deallocates.get(value);
    if (source !== undefined && !value.isRetyped) {
      return this.#module.text.slice(source.span.start, endOfStatement(this.#module, source));
    }
    const location = after.location === undefined ? "" : ` ${after.location}`;
    const { deallocateProperties } = this.#spelling;
    return deallocateText(this.#name(value), this.#type(value), deallocateProperties, location);
  }

  /** Comment lines between two statements of the text. */
  #commentBefore(operation: Operation, from: number): string {
    const between = this.#module.text.slice(from, operation.span.start);
    if (!between.includes("//")) return "";
    const comments = between.split("\n").map((line) => line.trim()).filter((line) => line.startsWith("//"));
    return comments.join(`\n${indentationOf(this.#module, operation)}`);
  }
}

/** A dictionary with the space before it; empty without entries. */
function suffix(attributes: AttributeTexts): string {
  return attributes.size === 0 ? "" : ` ${printedDictionary(attributes)}`;
}

function isMemoryOp(name: string): name is MemoryOp {
  return /^ttnn\.(?:to_memory_config|to_layout|to_device|from_device|typecast)$/.test(name);
}
