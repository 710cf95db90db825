// SPDX-License-Identifier: Apache-2.0
import { type AttributeTexts, printedDictionary } from "../dialect/printed_attributes.ts";
import type { ChipDescription } from "../device/chip_description.ts";
import { detectProfile, type TtnnProfile } from "../dialect/ttnn_profile.ts";
import {
  addedResultTypes,
  applyPatches,
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
import { dyingAfter } from "./deallocate.ts";
import type { TtnnFunction } from "./function.ts";
import type { TtnnOp } from "./op.ts";
import { Spelling } from "./spelling.ts";
import { isTensorValue, type TtnnValue } from "./value.ts";

const INDENT = "  ";

/**
 * The text of a module with its functions as they are now. Functions that did not change keep their bytes, and so does
 * all of a changed one but its changed ops.
 *
 * @param profile generation in which new and changed ops are spelled; that of the text by default
 */
export function writeFunctions(
  module: ModuleText,
  functions: readonly TtnnFunction[],
  chip: ChipDescription,
  profile: TtnnProfile = detectProfile(module),
): string {
  const spelling = new Spelling(chip, profile, module);
  const patches = functions.flatMap((body) =>
    body.header.source === undefined ? [newFunctionPatch(body, spelling)] : functionPatches(body, spelling)
  );
  return applyPatches(module.text, spelling.inDialect([...spelling.aliases.patches(), ...patches]));
}

/** The patches that turn a function of the text into its changed body, or remove it; none if nothing changed. */
function functionPatches(body: TtnnFunction, spelling: Spelling): readonly Patch[] {
  const { source } = body.header;
  const [block] = source?.blocks ?? [];
  const first = block?.operations[0];
  const last = source?.terminator;
  if (body.isRemoved && source !== undefined) return [removedStatement(body.module, source.operation)];
  if (!body.isChanged || source === undefined || first === undefined || last === undefined) return [];
  const writer = new FunctionWriter(body, spelling);
  const statements = writer.statements();
  const leads = leadsOf(
    body.module,
    block?.operations ?? [],
    new Set(statements.map(({ source }) => source)),
  );
  const newLine = `\n${indentationOf(body.module, first)}`;
  const text = statements.map(({ text, source }) =>
    (source === undefined ? newLine : leads.get(source) ?? newLine) + text
  ).join("").trimStart();
  return [...writer.signaturePatches(source), {
    start: first.span.start,
    end: endOfStatement(body.module, last),
    text,
  }];
}

/**
 * By statement of the text: what stands between the statement before it and itself, and so moves with it. Comments before
 * statements that are gone stand before the next one.
 */
function leadsOf(
  module: ModuleText,
  operations: readonly Operation[],
  printed: ReadonlySet<Operation | undefined>,
): ReadonlyMap<Operation, string> {
  const leads = new Map<Operation, string>();
  let end: number | undefined;
  let comments = "";
  for (const operation of operations) {
    const { start } = operation.span;
    const lead = end === undefined ? `\n${indentationOf(module, operation)}` : module.text.slice(end, start);
    end = endOfStatement(module, operation);
    if (printed.has(operation)) {
      leads.set(operation, comments + lead);
      comments = "";
    } else if (lead.includes("//")) comments += lead.trimEnd();
  }
  return leads;
}

/** The text of a new function and the patch that inserts it before the function that it belongs to. */
function newFunctionPatch(body: TtnnFunction, spelling: Spelling): Patch {
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
    ...writer.statements().map(({ text }) => INDENT + text),
    location === undefined ? "}" : `} ${location}`,
  ];
}

interface WrittenStatement {
  readonly text: string;
  /** The statement in the text that it takes the place of. */
  readonly source: Operation | undefined;
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
      const [first, ...more] = op.results;
      if (first === undefined) continue;
      if (first.name !== undefined) {
        for (const added of more) if (added.name === undefined) this.#names.set(added, this.#newName(added));
        continue;
      }
      const name = this.#newName(first);
      op.results.forEach((result, index) =>
        this.#names.set(result, more.length === 0 ? name : `${name}#${index}`)
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
  statements(): readonly WrittenStatement[] {
    const dying = dyingAfter(this.#body);
    return [...this.#body.ops()].flatMap((op) => [
      { source: op.source, text: isSpelledAnew(op) ? this.#spelledOp(op) : this.#patchedOp(op) },
      ...(dying.get(op) ?? []).map((value) => ({
        source: this.#body.deallocates.get(value),
        text: this.#deallocate(value, op),
      })),
    ]);
  }

  /** Changed types and attributes of arguments, changed types of results, and added results. */
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
      addedResults: results.slice(source.resultTypes.length).map((value) => this.#type(value)),
    });
  }

  #keepName(value: TtnnValue): void {
    if (value.name === undefined) return;
    this.#names.set(value, value.name);
    this.#taken.add(value.name.includes("#") ? value.name.replace(/#\d+$/, "") : value.name);
  }

  #newName({ wish }: TtnnValue): string {
    const stem = this.#body.header.source === undefined ? "%" : "%pass_";
    let name = wish ?? `${stem}${this.#next++}`;
    for (let number = 1 + Number(/\d*$/.exec(name)?.[0]); this.#taken.has(name); number++) {
      name = name.replace(/\d*$/, `${number}`);
    }
    this.#taken.add(name);
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
    return this.#spelling.type(this.#module, value.type);
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
    const append = (behind: Span | undefined, text: string): void =>
      edit(behind && { start: behind.end, end: behind.end }, `, ${text}`);
    op.operands.slice(source.operands.length).forEach((operand) => {
      append(source.operands.at(-1)?.span, this.#name(operand));
      append(source.operandTypes?.at(-1), this.#type(operand));
    });
    op.operands.forEach((operand, index) => {
      const before = source.operands[index];
      if (before === undefined) return;
      if (before.value?.name !== this.#name(operand)) edit(before.span, this.#name(operand));
      const type = source.operandTypes?.[index];
      if (type !== undefined || operand.isRetyped) edit(type, this.#type(operand));
    });
    const [first, last] = [source.resultGroups[0], source.resultGroups.at(-1)];
    if (first !== undefined && last !== undefined && op.results.some(({ name }) => name === undefined)) {
      edit({ start: first.span.start, end: last.span.end }, this.#resultNames(op));
    }
    op.results.forEach((result, index) => {
      if (result.isRetyped && index < source.results.length) {
        edit(source.resultTypes?.[index], this.#type(result));
      }
    });
    const added = op.results.slice(source.results.length).map((result) => this.#type(result));
    if (added.length > 0) edits.push(...addedResultTypes(this.#module, source.resultTypes ?? [], added));
    for (const { span, value } of op.captured) edit(span, this.#name(value));
    const end = endOfStatement(this.#module, source);
    edits.sort((a, b) => a.start - b.start || a.end - b.end);
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
    const comment = op.source === undefined
      ? ""
      : this.#module.text.slice(op.source.span.end, endOfStatement(this.#module, op.source));
    return `${
      this.#assignment(op)
    }"${op.opName}"(${operands})${propertyText}${attributes} : ${signature}${location}${comment}`;
  }

  /** With the properties in which this generation of the text repeats the op's result. */
  #properties(op: TtnnOp): AttributeTexts {
    const [result] = op.results;
    if (result === undefined || !isTensorValue(result)) return op.properties;
    const { layout } = result.type;
    const repeated = this.#spelling.resultProperties(op.opName, op.properties.keys(), layout);
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
      const given = op.source?.resultGroups.map(({ span }) => textOf(this.#module, span)) ?? [];
      const added = op.results.filter(({ name }) => name === undefined).map((result) => this.#name(result));
      return [...given, ...added].join(", ");
    }
    const name = this.#name(first).replace(/#\d+$/, "");
    return op.results.length === 1 ? name : `${name}:${op.results.length}`;
  }

  /** A deallocation: that of the text with the type as it is now, or a new one with the location of the op before it. */
  #deallocate(value: TtnnValue, after: TtnnOp): string {
    const source = this.#body.deallocates.get(value);
    const type = source?.operandTypes?.[0];
    if (source !== undefined && (type !== undefined || !value.isRetyped)) {
      const span = { start: source.span.start, end: endOfStatement(this.#module, source) };
      return textWithin(this.#module, span, type === undefined ? [] : [{ ...type, text: this.#type(value) }]);
    }
    const location = after.location === undefined ? "" : ` ${after.location}`;
    const { deallocateProperties } = this.#spelling;
    const freed = `"ttnn.deallocate"(${this.#name(value)})${deallocateProperties}`;
    return `${freed} : (${this.#type(value)}) -> ()${location}`;
  }
}

/** Whether an op is printed from its parts: its properties changed, or have to repeat the changed type of its result. */
function isSpelledAnew(op: TtnnOp): boolean {
  return op.isRespelled || op.source !== undefined && op.results[0]?.isRetyped === true &&
      ["dtype", "layout", "memory_config"].some((key) => op.properties.has(key));
}

/** A dictionary with the space before it; empty without entries. */
function suffix(attributes: AttributeTexts): string {
  return attributes.size === 0 ? "" : ` ${printedDictionary(attributes)}`;
}
