// SPDX-License-Identifier: Apache-2.0
import type { AttributeTexts } from "../../dialect/printed_attributes.ts";
import {
  type Attribute,
  type AttributeMap,
  attributeMap,
  type ModuleText,
  type Operation,
  readAttributeText,
  type Span,
  textOf,
} from "../../ir/mod.ts";
import { perModule } from "../../ir/per_module.ts";
import {
  type BodyTensorType,
  type BodyValue,
  isTensorValue,
  type TensorValue,
  type ValueType,
} from "./body_value.ts";

/** What a new op is made of. */
export interface OpSpec {
  /** Full name: `ttnn.add`; also `ttcore.load_cached`, which then has a `callee`. */
  readonly name: string;
  readonly operands: readonly BodyValue[];
  readonly resultTypes: readonly ValueType[];
  /** Inherent attributes as printed. */
  readonly properties?: AttributeTexts;
  /** Discardable attributes as printed. */
  readonly attributes?: AttributeTexts;
  /** Function that `ttcore.load_cached` names, without `@`. */
  readonly callee?: string;
  /** `loc(…)` as printed; by default that of the op it is inserted at. */
  readonly location?: string | undefined;
}

/** An operand inside of an op's regions, or a successor's argument: renamed in place. */
export interface CapturedUse {
  readonly span: Span;
  readonly value: BodyValue;
}

/**
 * An op of a {@linkcode FunctionBody}. Operands change through the body only, so that uses stay right. An op from the
 * text prints as its own bytes with operands and types replaced; one whose properties were set prints anew.
 */
export class BodyOp {
  readonly name: string;
  /** The op in the text; `undefined` for new ops. */
  readonly source: Operation | undefined;
  /** Only the body may change it. */
  operands: readonly BodyValue[];
  /** Set by the body when it makes the op. */
  results: readonly BodyValue[] = [];
  /** Values that regions of the op use, beyond its operands. */
  readonly captured: readonly CapturedUse[];
  readonly callee: string | undefined;
  /** `loc(…)` as printed; `undefined` without one. */
  readonly location: string | undefined;
  /** Neighbours in the body. */
  previous: BodyOp | undefined;
  next: BodyOp | undefined;
  /** Grows along the body; only its order means anything. */
  order: number = 0;
  isErased: boolean = false;
  #properties: AttributeTexts | undefined;
  #attributes: AttributeTexts | undefined;
  #isRespelled: boolean;
  /** All attributes as data, once they were asked for; until one is set. */
  #read: AttributeMap | undefined;
  readonly #module: ModuleText;

  constructor(
    module: ModuleText,
    source: Operation | undefined,
    operands: readonly BodyValue[],
    spec?: OpSpec,
    captured: readonly CapturedUse[] = [],
  ) {
    this.#module = module;
    this.source = source;
    this.operands = operands;
    this.captured = captured;
    this.name = spec?.name ?? source?.name ?? "";
    this.callee = spec?.callee;
    this.location = spec !== undefined
      ? spec.location
      : source?.location === undefined
      ? undefined
      : textOf(module, source.location);
    if (spec !== undefined) {
      this.#properties = spec.properties ?? new Map();
      this.#attributes = spec.attributes ?? new Map();
    }
    this.#isRespelled = spec !== undefined;
  }

  /** Whether the op must be printed from its parts. */
  get isRespelled(): boolean {
    return this.#isRespelled;
  }

  /** Inherent attributes as printed. Attributes without a dialect that stand in the trailing dictionary are among them. */
  get properties(): AttributeTexts {
    this.#readDictionaries();
    return this.#properties ?? new Map();
  }

  /** Discardable attributes as printed. */
  get attributes(): AttributeTexts {
    this.#readDictionaries();
    return this.#attributes ?? new Map();
  }

  /** One attribute as data, inherent or discardable, aliases resolved. */
  attribute(key: string): Attribute | undefined {
    return this.attributeMap().get(key);
  }

  /** All attributes as data, inherent and discardable, aliases resolved. */
  attributeMap(): AttributeMap {
    return this.#read ??= !this.#isRespelled && this.source !== undefined
      ? attributeMap(this.#module, this.source)
      : readTexts(this.#module, this.attributes, this.properties);
  }

  /** Sets or, without a text, removes an inherent attribute. */
  setProperty(key: string, text: string | undefined): void {
    this.#properties = withEntry(this.properties, key, text);
    this.#respell();
  }

  /** Sets or, without a text, removes a discardable attribute. */
  setAttribute(key: string, text: string | undefined): void {
    this.#attributes = withEntry(this.attributes, key, text);
    this.#respell();
  }

  /** The one result. @throws {RangeError} when the op has none or several */
  get result(): BodyValue {
    const { results } = this;
    const result = results.length === 1 ? results[0] : undefined;
    if (result === undefined) {
      throw new RangeError(`Cannot take the one result of ${this.name}: it has ${this.results.length}`);
    }
    return result;
  }

  /** The one result when it is a tensor with a layout; `undefined` otherwise. */
  get tensorResult(): TensorValue | undefined {
    const { results } = this;
    const result = results.length === 1 ? results[0] : undefined;
    return result !== undefined && isTensorValue(result) ? result : undefined;
  }

  /** A result that is a tensor with a layout. @throws {RangeError} when it is missing or another thing */
  tensorResultAt(index: number): TensorValue {
    const result = this.results[index];
    if (result === undefined || !isTensorValue(result)) {
      throw new RangeError(`Result ${index} of ${this.name} is not a tensor with a layout`);
    }
    return result;
  }

  /** An operand that is a tensor with a layout; `undefined` when it is missing or another thing. */
  tensorOperand(index: number): TensorValue | undefined {
    const operand = this.operands[index];
    return operand !== undefined && isTensorValue(operand) ? operand : undefined;
  }

  /** The operands that are tensors with layouts, without the others. */
  get tensorOperands(): readonly TensorValue[] {
    return this.operands.filter(isTensorValue);
  }

  /** Type of an operand that is a tensor. */
  operandType(index: number): BodyTensorType | undefined {
    return this.tensorOperand(index)?.type;
  }

  /** The op with other operands, for another body; it has no results yet. */
  copyFor(operands: readonly BodyValue[]): BodyOp {
    if (this.captured.length > 0) throw new RangeError(`Cannot copy ${this.name}: its regions use values`);
    if (!this.#isRespelled) return new BodyOp(this.#module, this.source, operands);
    const { name, properties, attributes, location } = this;
    const callee = this.callee === undefined ? {} : { callee: this.callee };
    const spec = { name, operands, resultTypes: [], properties, attributes, location, ...callee };
    return new BodyOp(this.#module, undefined, operands, spec);
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

/** What an op's dictionaries say, as printed. */
interface DictionaryTexts {
  readonly properties: AttributeTexts;
  readonly attributes: AttributeTexts;
}

/** By the text of the dictionaries: ops of repeated layers say the same. */
const textsByModule = perModule(() => new Map<string, DictionaryTexts>());

function textsOf(module: ModuleText, source: Operation): DictionaryTexts {
  const dictionaries = [source.attributes, source.properties];
  // The brackets of properties tell them from attributes.
  const key = dictionaries.map((dictionary) =>
    dictionary === undefined ? "" : textOf(module, dictionary.span)
  )
    .join("");
  const known = textsByModule(module);
  let texts = known.get(key);
  if (texts === undefined) {
    const properties = new Map<string, string>();
    const attributes = new Map<string, string>();
    dictionaries.forEach((dictionary, index) => {
      for (const { key, valueSpan } of dictionary?.entries ?? []) {
        const target = index === 1 || !key.includes(".") ? properties : attributes;
        target.set(key, valueSpan === undefined ? "unit" : textOf(module, valueSpan));
      }
    });
    known.set(key, texts = { properties, attributes });
  }
  return texts;
}

/** What was read of texts that are attributes, by module: new ops say what others said. */
const attributesOf = perModule(() => new Map<string, Attribute>());

/** Attributes as data, by the names of both: properties win. */
function readTexts(module: ModuleText, attributes: AttributeTexts, properties: AttributeTexts): AttributeMap {
  const known = attributesOf(module);
  const map = new Map<string, Attribute>();
  for (const [key, text] of [...attributes, ...properties]) {
    let attribute = known.get(text);
    if (attribute === undefined) {
      attribute = text === "unit" ? { kind: "unit" } : readAttributeText(module, text);
      known.set(text, attribute);
    }
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
