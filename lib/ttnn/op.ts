// SPDX-License-Identifier: Apache-2.0
import type { AttributeForm, AttributeValue, AttributeValues } from "../ops/attributes/attribute_form.ts";
import { COMMON } from "../ops/attributes/common.ts";
import { APPLIED_FUNCTIONS } from "../ops/attributes/elementwise.ts";
import { printAttributes } from "../ops/attributes/print_attributes.ts";
import { readAttributes } from "../ops/attributes/read_attributes.ts";
import { undeclaredAttributes } from "../ops/op_attributes.ts";
import { definitionOf } from "../ops/op_book.ts";
import type { OpSignature } from "../ops/op_signature.ts";
import type { AttributeTexts } from "../dialect/printed_attributes.ts";
import {
  type Attribute,
  type AttributeMap,
  attributeMap,
  type ModuleText,
  type Operation,
  readAttributeText,
  type Span,
  textOf,
} from "../ir/mod.ts";
import { perModule } from "../ir/per_module.ts";
import {
  isTensorValue,
  type TensorValue,
  type TtnnTensorType,
  type TtnnType,
  type TtnnValue,
} from "./value.ts";

/** Values of attributes by their keys in the op's definition; those that are `undefined` are left out. */
export type Properties = Readonly<Record<string, AttributeValue | undefined>>;

/** The parts of a new op. */
export interface OpSpec {
  /** Full name: `ttnn.add`; also `ttcore.load_cached`, which then has a `callee`. */
  readonly name: string;
  readonly operands: readonly TtnnValue[];
  readonly resultTypes: readonly TtnnType[];
  /** Inherent attributes: values by their keys in the definition, or as printed. */
  readonly properties?: AttributeTexts | Properties;
  /** Discardable attributes as printed. */
  readonly attributes?: AttributeTexts;
  /** Function that `ttcore.load_cached` names, without `@`. */
  readonly callee?: string;
  /** `loc(…)` as printed; by default that of the op it is inserted at. */
  readonly location?: string | undefined;
  /** Name of its results if it is free, see {@linkcode TtnnValue.wish}. */
  readonly wish?: string;
}

/** An operand inside an op's regions, or a successor's argument: renamed in place. */
export interface CapturedUse {
  readonly span: Span;
  readonly value: TtnnValue;
}

/** Name of pinned ops: no pattern matches it, and it counts as neither pure nor deterministic. */
const PINNED = "pinned";

const APPLIED: readonly (readonly [string, string])[] = Object.entries(APPLIED_FUNCTIONS);

/**
 * An op of a {@linkcode TtnnFunction}. Operands change only through the body, which tracks uses. An op from the text
 * prints as its original bytes with operands and types replaced; an op whose properties were set is printed from its
 * parts.
 */
export class TtnnOp {
  /** Full name as printed. */
  readonly opName: string;
  /** The op in the text; `undefined` for new ops. */
  readonly source: Operation | undefined;
  /** Changed only by the body. */
  operands: readonly TtnnValue[];
  /** Set by the body when it creates the op. */
  results: readonly TtnnValue[] = [];
  /** Values that regions of the op use, beyond its operands. */
  readonly captured: readonly CapturedUse[];
  readonly callee: string | undefined;
  /** `loc(…)` as printed; `undefined` without one. */
  readonly location: string | undefined;
  /** Neighbours in the body. */
  previous: TtnnOp | undefined;
  next: TtnnOp | undefined;
  /** Increases along the body; only the order matters. */
  order: number = 0;
  isErased: boolean = false;
  /**
   * Whether the op has to stay as and where it is, because memory that it reads or makes is written in place. Set by the
   * body.
   */
  isPinned: boolean = false;
  #properties: AttributeTexts | undefined;
  #attributes: AttributeTexts | undefined;
  #isRespelled: boolean;
  /** Cached attributes as data; reset when one is set. */
  #read: AttributeMap | undefined;
  readonly #module: ModuleText;

  constructor(
    module: ModuleText,
    source: Operation | undefined,
    operands: readonly TtnnValue[],
    spec?: OpSpec,
    captured: readonly CapturedUse[] = [],
  ) {
    this.#module = module;
    this.source = source;
    this.operands = operands;
    this.captured = captured;
    this.opName = spec?.name ?? source?.name ?? "";
    this.callee = spec?.callee;
    this.location = spec !== undefined
      ? spec.location
      : source?.location === undefined
      ? undefined
      : textOf(module, source.location);
    if (spec !== undefined) {
      this.#properties = printedProperties(spec.name, spec.properties ?? new Map());
      this.#attributes = spec.attributes ?? new Map();
    }
    this.#isRespelled = spec !== undefined;
  }

  /** Name by which passes find the op: {@linkcode opName}, but of a pinned op one that nothing is known about. */
  get name(): string {
    return this.isPinned ? PINNED : this.opName;
  }

  /** Whether the op must be printed from its parts. */
  get isRespelled(): boolean {
    return this.#isRespelled;
  }

  /** Inherent attributes as printed. They include attributes without a dialect in the trailing dictionary. */
  get properties(): AttributeTexts {
    this.#readDictionaries();
    return this.#properties ?? new Map();
  }

  /** Discardable attributes as printed. */
  get attributes(): AttributeTexts {
    this.#readDictionaries();
    return this.#attributes ?? new Map();
  }

  /** One attribute as data, inherent or discardable, aliases resolved; `undefined` if the op has none of this key. */
  attribute(key: string): Attribute | undefined {
    return this.attributeMap().get(key);
  }

  /** All attributes as data, inherent and discardable, aliases resolved. */
  attributeMap(): AttributeMap {
    return this.#read ??= !this.#isRespelled && this.source !== undefined
      ? attributeMap(this.#module, this.source)
      : readTexts(this.#module, this.attributes, this.properties);
  }

  /** The op as rules of ops read it: its attributes, and the types of its tensors. */
  get signature(): OpSignature {
    return {
      name: this.name,
      attributes: this.attributeMap(),
      operands: this.operands.map((operand) => isTensorValue(operand) ? operand.type : undefined),
      results: this.results.map((result) => isTensorValue(result) ? result.type : undefined),
      operandSegmentSizes: undefined,
    };
  }

  /**
   * Whether its kernel applies further functions to its operands or result ({@linkcode APPLIED_FUNCTIONS}), as binary ones
   * do. The `activation` that a product declares is no such function: patterns of products read it.
   */
  get appliesFunctions(): boolean {
    const { properties, attributes } = this;
    if (properties.size === 0 && attributes.size === 0) return false;
    return APPLIED.some(([key, type]) =>
      (properties.get(key) ?? attributes.get(key) ?? "[]") !== "[]" &&
      (definitionOf(this.opName).attributes?.[key] ?? type) === type
    );
  }

  /** The inherent attributes as printed, with others in place of some: values by their keys in the definition. */
  propertiesWith(values: Properties): AttributeTexts {
    return new Map([...this.properties, ...printedProperties(this.opName, values)]);
  }

  /** All attributes as data, with inherent ones in place of some. */
  attributesWith(values: Properties): AttributeMap {
    return readTexts(this.#module, this.attributes, this.propertiesWith(values));
  }

  /**
   * Sets inherent attributes: values by their keys in the definition.
   *
   * @throws {RangeError} as {@linkcode printedProperties}, and for an op that is not in the generic form
   */
  set(values: Properties): void {
    this.#properties = this.propertiesWith(values);
    this.#respell();
  }

  /**
   * Values of the attributes, read by the declaration of an op of this kind.
   *
   * @throws {RangeError} on access to a value, as {@linkcode readAttributes} does
   */
  read<const F extends AttributeForm>(form: F): AttributeValues<F> {
    return readAttributes({ name: this.name, attributes: this.attributeMap() }, form);
  }

  /** Sets or, without a text, removes an inherent attribute. */
  setProperty(key: string, text: string | undefined): void {
    if (this.properties.get(key) === text) return;
    this.#properties = withEntry(this.properties, key, text);
    this.#respell();
  }

  /** Sets or, without a text, removes a discardable attribute. */
  setAttribute(key: string, text: string | undefined): void {
    this.#attributes = withEntry(this.attributes, key, text);
    this.#respell();
  }

  /** The only result. @throws {RangeError} if the op has none or several */
  get result(): TtnnValue {
    const { results } = this;
    const result = results.length === 1 ? results[0] : undefined;
    if (result === undefined) {
      throw new RangeError(`Cannot take the one result of ${this.name}: it has ${this.results.length}`);
    }
    return result;
  }

  /** The only result if it is a tensor with a layout; `undefined` otherwise. */
  get tensorResult(): TensorValue | undefined {
    const { results } = this;
    const result = results.length === 1 ? results[0] : undefined;
    return result !== undefined && isTensorValue(result) ? result : undefined;
  }

  /** A result that is a tensor with a layout. @throws {RangeError} if it is missing or something else */
  tensorResultAt(index: number): TensorValue {
    const result = this.results[index];
    if (result === undefined || !isTensorValue(result)) {
      throw new RangeError(`Result ${index} of ${this.name} is not a tensor with a layout`);
    }
    return result;
  }

  /** The results. @throws {RangeError} if one is not a tensor with a layout */
  get tensorResults(): readonly TensorValue[] {
    return this.results.map((_, index) => this.tensorResultAt(index));
  }

  /** An operand that is a tensor with a layout; `undefined` if it is missing or something else. */
  tensorOperand(index: number): TensorValue | undefined {
    const operand = this.operands[index];
    return operand !== undefined && isTensorValue(operand) ? operand : undefined;
  }

  /** The operands that are tensors with layouts, without the others. */
  get tensorOperands(): readonly TensorValue[] {
    return this.operands.filter(isTensorValue);
  }

  operandType(index: number): TtnnTensorType | undefined {
    return this.tensorOperand(index)?.type;
  }

  /** The op with other operands, for another body; it has no results yet. */
  copyFor(operands: readonly TtnnValue[]): TtnnOp {
    if (this.captured.length > 0) throw new RangeError(`Cannot copy ${this.name}: its regions use values`);
    if (!this.#isRespelled) return new TtnnOp(this.#module, this.source, operands);
    const { opName: name, properties, attributes, location } = this;
    const callee = this.callee === undefined ? {} : { callee: this.callee };
    const spec = { name, operands, resultTypes: [], properties, attributes, location, ...callee };
    return new TtnnOp(this.#module, undefined, operands, spec);
  }

  #respell(): void {
    if (this.source !== undefined && (this.source.form !== "generic" || this.source.regions.length > 0)) {
      throw new RangeError(`Cannot change attributes of ${this.name}: it is not in the generic form`);
    }
    this.#isRespelled = true;
    this.#read = undefined;
  }

  #readDictionaries(): void {
    if (this.#properties !== undefined || this.source === undefined) return;
    const { properties, attributes } = textsOf(this.#module, this.source);
    this.#properties = properties;
    this.#attributes = attributes;
  }
}

/** An op's dictionaries, as printed. */
interface DictionaryTexts {
  readonly properties: AttributeTexts;
  readonly attributes: AttributeTexts;
}

/** By the text of the dictionaries: ops of repeated layers share it. */
const textsByModule = perModule(() => new Map<string, DictionaryTexts>());

function textsOf(module: ModuleText, source: Operation): DictionaryTexts {
  const dictionaries = [source.attributes, source.properties];
  // The brackets of properties tell them from attributes.
  const key = dictionaries.map((dictionary) =>
    dictionary === undefined ? "" : textOf(module, dictionary.span)
  )
    .join("");
  return textsByModule(module).getOrInsertComputed(key, () => {
    const properties = new Map<string, string>();
    const attributes = new Map<string, string>();
    dictionaries.forEach((dictionary, index) => {
      for (const { key, valueSpan } of dictionary?.entries ?? []) {
        const target = index === 1 || !key.includes(".") ? properties : attributes;
        target.set(key, valueSpan === undefined ? "unit" : textOf(module, valueSpan));
      }
    });
    return { properties, attributes };
  });
}

/** Parsed attribute texts, by module: new ops often repeat them. */
const attributesOf = perModule(() => new Map<string, Attribute>());

/** Printed attributes as data from both dictionaries; properties win. */
export function readTexts(
  module: ModuleText,
  attributes: AttributeTexts,
  properties: AttributeTexts,
): AttributeMap {
  const known = attributesOf(module);
  const map = new Map<string, Attribute>();
  for (const [key, text] of [...attributes, ...properties]) {
    const attribute = known.getOrInsertComputed(
      text,
      () => text === "unit" ? { kind: "unit" } : readAttributeText(module, text),
    );
    map.set(key, attribute);
  }
  return map;
}

function withEntry(entries: AttributeTexts, key: string, text: string | undefined): AttributeTexts {
  const changed = new Map(entries);
  if (text === undefined) changed.delete(key);
  else changed.set(key, text);
  return changed;
}

/**
 * Inherent attributes of an op as printed; of texts, which may be of another version, those that its definition declares.
 *
 * @throws {RangeError} if a value is not of the declared type
 */
export function printedProperties(name: string, properties: AttributeTexts | Properties): AttributeTexts {
  const form = definitionOf(name).attributes;
  if (isTexts(properties)) {
    const unknown = form === undefined ? [] : undeclaredAttributes(properties.keys(), form);
    return unknown.length === 0
      ? properties
      : new Map([...properties].filter(([key]) => !unknown.includes(key)));
  }
  return printAttributes({ ...COMMON, ...form }, properties);
}

function isTexts(properties: AttributeTexts | Properties): properties is AttributeTexts {
  return properties instanceof Map;
}
