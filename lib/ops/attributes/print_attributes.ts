// SPDX-License-Identifier: Apache-2.0
import { f32Text } from "../../dialect/float_text.ts";
import {
  type AttributeTexts,
  denseArrayText,
  integerText,
  stringText,
} from "../../dialect/printed_attributes.ts";
import type { Attribute, AttributeMap } from "../../ir/attribute.ts";
import { type DataType, isFloat } from "../../layout/data_type.ts";
import {
  type AttributeForm,
  type AttributeInputs,
  type AttributeValue,
  declaredAttribute,
  type Scalar,
} from "./attribute_form.ts";

/**
 * Attributes of an op as data, by their declaration; values that are `undefined` are left out.
 *
 * @throws {RangeError} if a key is not declared or a value is not of the declared type, which the type checker reports;
 * also for a fraction as an integer, which it does not report
 */
export function makeAttributes<const F extends AttributeForm>(
  form: F,
  values: AttributeInputs<NoInfer<F>>,
): AttributeMap {
  return attributesFrom(form, Object.entries(values));
}

function attributesFrom(form: AttributeForm, values: readonly (readonly [string, unknown])[]): AttributeMap {
  const made = new Map<string, Attribute>();
  for (const [key, value] of values) {
    const spec = form[key];
    if (spec === undefined) throw new RangeError(`No attribute '${key}' is declared`);
    const { type, spelled: [name] } = declaredAttribute(key, spec);
    const attribute = value === undefined ? undefined : attributeFrom(type, value);
    if (attribute !== undefined) made.set(name, attribute);
    else if (value !== undefined) throw new RangeError(`'${key}' is not written as ${type}`);
  }
  return made;
}

/**
 * Attributes as text, by their declaration; values that are `undefined` are left out.
 *
 * @throws {RangeError} if one is not declared, or its value is not of the declared type
 */
export function printAttributes(
  form: AttributeForm,
  values: Readonly<Record<string, AttributeValue | undefined>>,
): AttributeTexts {
  const made = attributesFrom(form, Object.entries(values));
  return new Map([...made].map(([name, attribute]) => [name, printed(attribute)]));
}

/** A scalar operand for tensors of a data type: `f32` for floats and block floats, `i32` for integers. */
export function scalar(value: number, dataType: DataType): Scalar {
  return isFloat(dataType) ? { f32: value } : { i32: value };
}

/** `undefined` for a value of another type. */
function attributeFrom(type: string, value: unknown): Attribute | undefined {
  if (Array.isArray(value)) return listFrom(type, value);
  switch (typeof value) {
    case "number":
      if (type === "f32") return { kind: "float", value, type };
      return /^[su]?i\d+$/.test(type) ? integer(value, type) : undefined;
    case "boolean":
      return type === "bool" ? { kind: "bool", value } : undefined;
    case "string":
      return wordFrom(type, value);
    default:
      return type === "scalar" && typeof value === "object" && value !== null ? scalarFrom(value) : undefined;
  }
}

function wordFrom(type: string, value: string): Attribute | undefined {
  // Printed already.
  if (type === "any" || type === "scalar" || /^[#"]/.test(value)) return { kind: "opaque", text: value };
  if (type === "string") return { kind: "string", value };
  const [dialect, mnemonic] = type.slice(1).split(".");
  return type.startsWith("#") && dialect !== undefined && mnemonic !== undefined
    ? { kind: "dialect", dialect, mnemonic, body: value }
    : undefined;
}

function scalarFrom(value: object): Attribute | undefined {
  if ("f32" in value && typeof value.f32 === "number") {
    return { kind: "float", value: value.f32, type: "f32" };
  }
  return "i32" in value && typeof value.i32 === "number" ? integer(value.i32, "i32") : undefined;
}

function integer(value: number, type: string): Attribute {
  return { kind: "integer", value: BigInt(value), type };
}

function listFrom(type: string, values: readonly unknown[]): Attribute | undefined {
  const numbers = values.filter((value) => typeof value === "number");
  const [first] = numbers;
  if (numbers.length < values.length) return undefined;
  switch (type) {
    case "shape":
      return { kind: "dialect", dialect: "ttnn", mnemonic: "shape", body: numbers.join("x") };
    case "array<i32>":
    case "array<i64>":
      return { kind: "denseArray", elementType: type.slice("array<".length, -1), values: numbers };
    case "[i32]":
    case "[ui32]":
      return { kind: "array", elements: numbers.map((number) => integer(number, type.slice(1, -1))) };
    case "si32 or array<i32>":
      return numbers.length === 1 && first !== undefined
        ? integer(first, "si32")
        : { kind: "denseArray", elementType: "i32", values: numbers };
    default:
      return undefined;
  }
}

/** The text of an attribute that was made here, as upstream prints it. */
function printed(attribute: Attribute): string {
  switch (attribute.kind) {
    case "float":
      return f32Text(attribute.value);
    case "integer":
      return integerText(attribute.value, attribute.type ?? "i64");
    case "bool":
      return String(attribute.value);
    case "string":
      return stringText(attribute.value);
    case "array":
      return `[${attribute.elements.map(printed).join(", ")}]`;
    case "denseArray":
      return denseArrayText(attribute.values, attribute.elementType);
    case "dialect":
      return `#${attribute.dialect}.${attribute.mnemonic}<${attribute.body}>`;
    case "opaque":
      return attribute.text;
    default:
      throw new RangeError(`No attribute of the kind '${attribute.kind}' is made from a value`);
  }
}
