// SPDX-License-Identifier: Apache-2.0
import { normalDim } from "../layout/extents.ts";
import { integerValue, integerValues } from "../dialect/attribute_values.ts";
import type { DiagnosticError } from "../diagnostics/diagnostic.ts";
import {
  type Attribute,
  type AttributeDictionary,
  type AttributeEntry,
  type AttributeMap,
  attributeOf,
  attributeText,
  DYNAMIC,
  entryOf,
  errorIn,
  type ModuleText,
  type Operation,
  tensorTypeAt,
  textOf,
  type Value,
} from "../ir/mod.ts";
import { complexPart, type ElementType, normalizeElement } from "./element_type.ts";
import type { StatedOp } from "./typed_composite.ts";

/** Shape and element of a tensor after normalisation. */
export interface NormalType {
  readonly shape: readonly number[];
  readonly element: ElementType;
}

/** Kinds of misfits: diagnostic codes without `lowering/`. */
type LoweringFault =
  | "attribute"
  | "control-flow"
  | "dynamic-shape"
  | "layout"
  | "operands"
  | "results"
  | "shape"
  | "type"
  | "unsupported";

/** A TTIR op with typed access to its attributes and types; every misfit is an error at the op's place. */
export class TtirOp {
  readonly module: ModuleText;
  readonly operation: Operation;
  /** Operands without the destinations of older generations. */
  readonly operands: readonly Value[];
  /** The op as which a composite is read. */
  readonly #stated: StatedOp | undefined;

  constructor(module: ModuleText, operation: Operation, operands: readonly Value[], stated?: StatedOp) {
    this.module = module;
    this.operation = operation;
    this.operands = operands;
    this.#stated = stated;
  }

  get name(): string {
    return this.#stated?.name ?? this.operation.name;
  }

  /** An error at this op: `Cannot lower ttir.x: reason`. */
  error(reason: string, code: LoweringFault = "unsupported"): DiagnosticError {
    const place = this.operation.nameSpan.start;
    return errorIn(this.module, `lowering/${code}`, place, `Cannot lower ${this.name}: ${reason}`);
  }

  /** An operand. @throws {DiagnosticError} when there is none */
  operand(index: number): Value {
    const value = this.operands[index];
    if (value === undefined) {
      throw this.error(`operand ${index} is missing, the op has ${this.operands.length}`, "operands");
    }
    return value;
  }

  /** Normalised type of a result. @throws {DiagnosticError} when it is no static tensor that TTNN knows */
  resultType(index: number = 0): NormalType {
    const span = this.operation.resultTypes?.[index];
    if (span === undefined) throw this.error(`result ${index} is missing`, "results");
    return this.tensorType(span);
  }

  /** Checks the shape that a result must have. @throws {DiagnosticError} when it has another */
  expectShape(expected: readonly number[], index: number = 0): void {
    const { shape } = this.resultType(index);
    if (shape.join("x") === expected.join("x")) return;
    throw this.error(
      `result ${index} should have shape ${expected.join("x")}, not ${shape.join("x")}`,
      "shape",
    );
  }

  /** Normalised type at a place of the text; complex numbers are pairs in a last dimension. */
  tensorType(span: { readonly start: number; readonly end: number }): NormalType {
    const type = tensorTypeAt(this.module, span);
    if (type === undefined) {
      throw this.error(`'${textOf(this.module, span)}' is not a ranked tensor`, "type");
    }
    if (type.shape.includes(DYNAMIC)) {
      throw this.error(
        `'${textOf(this.module, span)}' has a dynamic extent; give all shapes statically`,
        "dynamic-shape",
      );
    }
    const part = complexPart(type.elementType);
    const element = normalizeElement(part ?? type.elementType);
    if (element === undefined) {
      throw this.error(`TTNN has no element type for '${type.elementType}'`, "type");
    }
    return { shape: part === undefined ? type.shape : [...type.shape, 2], element };
  }

  /** An attribute, in whichever dictionary; `undefined` without one. */
  attribute(name: string): Attribute | undefined {
    if (this.#stated !== undefined) return this.#stated.attributes.get(name);
    return attributeOf(this.module, this.operation, name);
  }

  /** The value of an attribute as the source spells it; `undefined` without one, `unit` for unit attributes. */
  attributeText(name: string): string | undefined {
    if (this.#stated !== undefined) {
      const attribute = this.#stated.attributes.get(name);
      return attribute === undefined ? undefined : expandAliases(this.module, attributeText(attribute));
    }
    const entry = entryOf(this.operation, name);
    if (entry !== undefined) return entryText(this.module, entry);
    const bySyntax = this.operation.syntaxAttributes?.get(name);
    return bySyntax === undefined ? undefined : attributeText(bySyntax);
  }

  /** An integer attribute; `undefined` without one. */
  integer(name: string): number | undefined {
    const attribute = this.attribute(name);
    if (attribute === undefined) return undefined;
    const value = integerValue(attribute);
    if (value === undefined) throw this.#bad(name, "an integer");
    return value;
  }

  /** An integer attribute that must be there, or have one of several names. */
  requiredInteger(...names: readonly string[]): number {
    for (const name of names) {
      const value = this.integer(name);
      if (value !== undefined) return value;
    }
    throw this.#missing(names[0] ?? "");
  }

  /** A list of integers in either array spelling; `undefined` without one. */
  integers(name: string): readonly number[] | undefined {
    const attribute = this.attribute(name);
    if (attribute === undefined) return undefined;
    const values = integerValues(attribute);
    if (values === undefined) throw this.#bad(name, "a list of integers");
    return values;
  }

  /** A list of integers that must be there. */
  requiredIntegers(name: string): readonly number[] {
    const values = this.integers(name);
    if (values === undefined) throw this.#missing(name);
    return values;
  }

  /** A float attribute; `undefined` without one. */
  float(name: string): number | undefined {
    const attribute = this.attribute(name);
    if (attribute === undefined) return undefined;
    const value = attribute.kind === "float" ? attribute.value : integerValue(attribute);
    if (value === undefined) throw this.#bad(name, "a number");
    return value;
  }

  /** A float attribute that must be there. */
  requiredFloat(name: string): number {
    const value = this.float(name);
    if (value === undefined) throw this.#missing(name);
    return value;
  }

  /** A boolean attribute with its default. */
  flag(name: string, fallback: boolean = false): boolean {
    const attribute = this.attribute(name);
    if (attribute === undefined) return fallback;
    if (attribute.kind === "bool") return attribute.value;
    if (attribute.kind === "unit") return true;
    throw this.#bad(name, "true or false");
  }

  /** A dimension attribute, normalised to `[0, rank)`. */
  dimension(dim: number, rank: number): number {
    const normal = normalDim(dim, rank);
    if (normal < 0 || normal >= Math.max(rank, 1)) {
      throw this.error(`dimension ${dim} is outside of rank ${rank}`, "attribute");
    }
    return normal;
  }

  /** `loc(…)` as printed; `undefined` without a location. */
  get location(): string | undefined {
    const { location } = this.operation;
    return location === undefined ? undefined : textOf(this.module, location);
  }

  #bad(name: string, expected: string): DiagnosticError {
    return this.error(`attribute '${name}' must be ${expected}`, "attribute");
  }

  #missing(name: string): DiagnosticError {
    return this.error(`attribute '${name}' is missing`, "attribute");
  }
}

/** Texts of the entries of a dictionary ({@linkcode entryText}); empty without a dictionary. */
export function dictionaryTexts(
  module: ModuleText,
  dictionary: AttributeDictionary | undefined,
): ReadonlyMap<string, string> {
  return new Map((dictionary?.entries ?? []).map((entry) => [entry.key, entryText(module, entry)]));
}

/** Texts of evaluated attributes ({@linkcode entryText}). */
export function attributeTexts(module: ModuleText, attributes: AttributeMap): ReadonlyMap<string, string> {
  return new Map(
    [...attributes].map(([key, attribute]) => [key, expandAliases(module, attributeText(attribute))]),
  );
}

/** Text of an attribute value with attribute aliases (but not locations) replaced by what they stand for. */
function entryText(module: ModuleText, entry: AttributeEntry): string {
  if (entry.valueSpan === undefined) return "unit";
  return expandAliases(module, textOf(module, entry.valueSpan));
}

function expandAliases(module: ModuleText, text: string, depth: number = 0): string {
  if (!text.includes("#") || depth > 16) return text;
  return text.replace(/"(?:[^"\\]|\\.)*"|#([A-Za-z_]\w*)(?![\w.<$])/g, (whole, name: string | undefined) => {
    const definition = name === undefined ? undefined : module.attributeAliases.get(name);
    if (definition === undefined) return whole;
    return expandAliases(module, textOf(module, definition.valueSpan), depth + 1);
  });
}
