// SPDX-License-Identifier: Apache-2.0
import { integerValue, integerValues } from "../../lib/dialect/attribute_values.ts";
import {
  type AttributeMap,
  attributeMap,
  attributeText,
  type ModuleText,
  type Operation,
  tensorTypeAt,
} from "../../lib/ir/mod.ts";
import { attributesByKey } from "../../lib/ops/op_attributes.ts";
import type { NumericTensor } from "./tensor.ts";

/** Evaluates an op; returns one tensor per result that is a tensor. */
export type Evaluate = (call: OpCall) => NumericTensor | readonly NumericTensor[];

/** Meanings by op name, with the dialect. */
export type Meanings = Readonly<Record<string, Evaluate>>;

/** One op about to be evaluated. */
export class OpCall {
  readonly module: ModuleText;
  readonly operation: Operation;
  /** Operands that are tensors, in order: devices and semaphores are left out. */
  readonly operands: readonly NumericTensor[];

  /** By the keys of the op's declaration. */
  readonly #attributes: AttributeMap;

  constructor(module: ModuleText, operation: Operation, operands: readonly NumericTensor[]) {
    this.module = module;
    this.#attributes = attributesByKey({ name: operation.name, attributes: attributeMap(module, operation) });
    this.operation = operation;
    this.operands = operands;
  }

  fail(reason: string): RangeError {
    return new RangeError(`${this.operation.name}: ${reason}`);
  }

  /** An operand. @throws {RangeError} if there is none */
  operand(index: number): NumericTensor {
    const operand = this.operands[index];
    if (operand === undefined) throw this.fail(`no operand ${index}`);
    return operand;
  }

  /** Operands by `operandSegmentSizes`, each group of at most one; by position without the attribute. */
  groups(count: number): readonly (NumericTensor | undefined)[] {
    const sizes = this.integers("operandSegmentSizes");
    let next = 0;
    return Array.from(
      { length: count },
      (_, group) => (sizes?.[group] ?? 1) > 0 ? this.operands[next++] : undefined,
    );
  }

  /** Shape of a result as its type says. @throws {RangeError} if it has no tensor type */
  resultShape(index: number = 0): readonly number[] {
    const shape = this.#resultType(index)?.shape;
    if (shape === undefined) throw this.fail(`result ${index} is not a tensor`);
    return shape;
  }

  /** Element type of a result as its type spells it. */
  resultElement(index: number = 0): string {
    return this.#resultType(index)?.elementType ?? "";
  }

  /** Element type of an operand as its type spells it. */
  operandElement(index: number): string {
    const type = this.operation.operands[index]?.value?.type;
    return type === undefined ? "" : tensorTypeAt(this.module, type)?.elementType ?? "";
  }

  #resultType(index: number): ReturnType<typeof tensorTypeAt> {
    const span = this.operation.resultTypes?.[index];
    return span === undefined ? undefined : tensorTypeAt(this.module, span);
  }

  /** An integer attribute. @throws {RangeError} if it is missing and there is no fallback */
  integer(name: string, fallback?: number): number {
    const value = integerValue(this.#attributes.get(name)) ?? fallback;
    if (value === undefined) throw this.fail(`no integer '${name}'`);
    return value;
  }

  /** A list of integers; `undefined` without one. */
  integers(name: string): readonly number[] | undefined {
    return integerValues(this.#attributes.get(name));
  }

  /** A required list of integers. @throws {RangeError} if it is missing */
  requiredIntegers(name: string): readonly number[] {
    const values = this.integers(name);
    if (values === undefined) throw this.fail(`no integers '${name}'`);
    return values;
  }

  /** A float or integer attribute. @throws {RangeError} if it is missing and there is no fallback */
  number(name: string, fallback?: number): number {
    const attribute = this.#attributes.get(name);
    // Decimal texts of f32 stand for the nearest f32.
    if (attribute?.kind === "float") {
      return attribute.type === "f32" ? Math.fround(attribute.value) : attribute.value;
    }
    return this.integer(name, fallback);
  }

  /** A boolean attribute. */
  flag(name: string, fallback: boolean = false): boolean {
    const attribute = this.#attributes.get(name);
    return attribute?.kind === "bool" ? attribute.value : attribute?.kind === "unit" ? true : fallback;
  }

  /** Body of a dialect attribute, `relu` of `<op_type = relu>` spelled out; empty without one. */
  text(name: string): string {
    const attribute = this.#attributes.get(name);
    if (attribute?.kind === "string") return attribute.value;
    return attribute?.kind === "dialect"
      ? attribute.body.trim()
      : attribute?.kind === "opaque"
      ? attribute.text
      : "";
  }

  /** Texts of the entries of a list; nothing without one. */
  texts(name: string): readonly string[] {
    const attribute = this.#attributes.get(name);
    return attribute?.kind === "array" ? attribute.elements.map(attributeText) : [];
  }

  /** A dimension counted from the front. */
  dimension(dim: number, rank: number): number {
    return dim < 0 ? dim + rank : dim;
  }
}
