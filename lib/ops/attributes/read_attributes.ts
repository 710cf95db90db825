// SPDX-License-Identifier: Apache-2.0
import {
  enumWord,
  integerValue,
  integerValues,
  numberValue,
  stringValue,
} from "../../dialect/attribute_values.ts";
import type { Attribute, AttributeMap } from "../../ir/attribute.ts";
import {
  type AttributeForm,
  type AttributeValues,
  type DeclaredAttribute,
  declaredAttribute,
} from "./attribute_form.ts";

/** An op whose attributes are read. */
export interface AttributedOp {
  readonly attributes: AttributeMap;
  /** Full name, for errors. */
  readonly name?: string;
  /** Makes an error at the place of the op; by default a `RangeError`. */
  readonly fail?: (reason: string) => Error;
}

/**
 * The attributes of an op by their declaration. Each is read when it is asked for.
 *
 * @throws {RangeError} on access, or what the op's `fail` makes, if a required attribute is missing or one is ill-typed
 */
export function readAttributes<const F extends AttributeForm>(op: AttributedOp, form: F): AttributeValues<F> {
  const reading = new (readerOf(form))(op);
  if (!isReadingOf(reading, form)) throw new RangeError("A reader reads the attributes of another form");
  return reading;
}

/** Why an attribute is not as declared; `undefined` if it is. */
export function attributeFault(attributes: AttributeMap, declared: DeclaredAttribute): string | undefined {
  const found = attributeIn(attributes, declared);
  if (found === undefined) {
    return declared.isRequired ? `attribute '${declared.spelled[0]}' is missing` : undefined;
  }
  if (valueIn(declared)(found) !== undefined) return undefined;
  const least = declared.least === undefined
    ? ""
    : `${isList(declared.type) ? ", each" : ""} of at least ${declared.least}`;
  return `attribute '${declared.spelled[0]}' must be ${expected(declared.type)}${least}`;
}

class Reading {
  readonly source: AttributedOp;

  constructor(source: AttributedOp) {
    this.source = source;
  }
}

const READERS: WeakMap<AttributeForm, typeof Reading> = new WeakMap();

/** A class with one getter per attribute. */
function readerOf(form: AttributeForm): typeof Reading {
  return READERS.getOrInsertComputed(form, () => {
    const reader = class extends Reading {};
    for (const [key, spec] of Object.entries(form)) {
      const declared = declaredAttribute(key, spec);
      const read = valueIn(declared);
      Object.defineProperty(reader.prototype, key, {
        get(this: Reading) {
          return readOne(this.source, declared, read);
        },
      });
    }
    return reader;
  });
}

function isReadingOf<F extends AttributeForm>(
  reading: Reading,
  form: F,
): reading is Reading & AttributeValues<F> {
  return reading instanceof readerOf(form);
}

function readOne(
  op: AttributedOp,
  declared: DeclaredAttribute,
  read: (attribute: Attribute) => unknown,
): unknown {
  const found = attributeIn(op.attributes, declared);
  const value = found === undefined ? declared.default : read(found);
  if (value !== undefined || (found === undefined && !declared.isRequired)) return value;
  const reason = attributeFault(op.attributes, declared) ?? "";
  throw op.fail?.(reason) ?? new RangeError(`Cannot read ${op.name ?? "an op"}: ${reason}`);
}

function attributeIn(attributes: AttributeMap, { spelled }: DeclaredAttribute): Attribute | undefined {
  for (const name of spelled) {
    const attribute = attributes.get(name);
    if (attribute !== undefined) return attribute;
  }
  return undefined;
}

/** As {@linkcode valueOf} the type; `undefined` for numbers below the least one. */
function valueIn({ type, least }: DeclaredAttribute): (attribute: Attribute) => unknown {
  const read = valueOf(type);
  if (least === undefined) return read;
  const isEnough = (number: unknown): boolean => typeof number === "number" && number >= least;
  return (attribute) => {
    const value = read(attribute);
    return (Array.isArray(value) ? value.every(isEnough) : isEnough(value)) ? value : undefined;
  };
}

/** Reads what any generation of the text writes for a type: a list of one number may be the number, an enum a string. */
function valueOf(type: string): (attribute: Attribute) => unknown {
  if (type.startsWith("#")) return (attribute) => enumWord(attribute) ?? stringValue(attribute);
  if (isList(type)) return integerValues;
  switch (type) {
    case "any":
      return (attribute) => attribute;
    case "bool":
      return (attribute) =>
        attribute.kind === "bool" ? attribute.value : attribute.kind === "unit" || undefined;
    case "string":
      return stringValue;
    case "f32":
    case "scalar":
      return numberValue;
    default:
      return integerValue;
  }
}

function isList(type: string): boolean {
  return type === "shape" || /[[<]/.test(type);
}

const EXPECTED: Readonly<Record<string, string>> = {
  bool: "true or false",
  string: "a string",
  f32: "a number",
  scalar: "a number",
};

function expected(type: string): string {
  if (type.startsWith("#")) return `${type}<…>`;
  return isList(type) ? "a list of integers" : EXPECTED[type] ?? "an integer";
}
