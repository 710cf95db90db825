// SPDX-License-Identifier: Apache-2.0
import {
  boolValue,
  integerValue,
  integerValues,
  numberValue,
  stringValue,
} from "../dialect/attribute_values.ts";
import type { AliasText } from "../dialect/core_range_set.ts";
import type { AttributeMap } from "../ir/attribute.ts";
import { type DataType, TTNN_FORMATS } from "../layout/data_type.ts";
import { pagesOf, type TtnnLayout } from "../layout/ttnn_layout.ts";
import type { OpSpecificAttributes } from "../op_config/op_config.ts";
import { readOpConfig } from "../op_config/parse.ts";
import { attributeKey, attributesByKey } from "../ops/op_attributes.ts";
import { definitionOf } from "../ops/op_book.ts";
import type { TtnnTensorType } from "../ttnn/value.ts";
import type { Constants } from "./constants.ts";
import { type PythonText, Unsayable } from "./python_text.ts";

/** A tensor operand: the variable that holds it, and its declared type. */
export interface TensorOperand {
  readonly text: PythonText;
  readonly type: TtnnTensorType;
}

/** The parts from which a call is written. */
export interface CallParts {
  /** Full name. */
  readonly name: string;
  readonly attributes: AttributeMap;
  readonly alias: AliasText;
  /** Tensor operands in order; the device handle is not among them. */
  readonly operands: readonly TensorOperand[];
  /** Variables of its semaphores, which follow the tensors. */
  readonly semaphores: readonly PythonText[];
  readonly results: readonly TtnnTensorType[];
  readonly constants: Constants;
  /** Chips along each axis of the mesh; `[]` for one chip. */
  readonly mesh: readonly number[];
}

/** A format of ttnn. @throws {Unsayable} for one that it lacks */
export function dtypeText(dataType: DataType): PythonText {
  // Predicates and halves are bf16 to the backend (tt-mlir:ttir-to-ttnn).
  const name = TTNN_FORMATS[dataType === "i1" || dataType === "f16" ? "bf16" : dataType];
  if (name === undefined) throw new Unsayable(`elements of ${dataType}`);
  return `ttnn.${name}`;
}

/** Tiles or rows. */
export function pagesText(layout: TtnnLayout): PythonText {
  return pagesOf(layout) === "tile" ? "ttnn.TILE_LAYOUT" : "ttnn.ROW_MAJOR_LAYOUT";
}

/** Whether a tensor lies in host memory. */
export function isOnHost({ layout }: TtnnTensorType): boolean {
  return layout.bufferType === "system_memory";
}

/** Properties that only say again what the types say, or how operands are grouped. */
const REPEATED: ReadonlySet<string> = new Set([
  "operandSegmentSizes",
  "resultSegmentSizes",
  "memory_config",
  "dtype",
  "layout",
]);

/**
 * One op, as the writer of its call sees it. It records which properties are read: a property that the call does not pass on
 * would change what the program computes.
 */
export class CallSite {
  readonly name: string;
  readonly operands: readonly TensorOperand[];
  readonly semaphores: readonly PythonText[];
  readonly results: readonly TtnnTensorType[];
  readonly constants: Constants;
  readonly mesh: readonly number[];
  readonly #attributes: AttributeMap;
  readonly #alias: AliasText;
  readonly #read: Set<string> = new Set();

  constructor(parts: CallParts) {
    const { name, operands, semaphores, results, constants, mesh, attributes, alias } = parts;
    this.name = name;
    this.operands = operands;
    this.semaphores = semaphores;
    this.results = results;
    this.constants = constants;
    this.mesh = mesh;
    this.#attributes = attributesByKey({ name, attributes });
    this.#alias = alias;
  }

  /**
   * A property that the call does not pass on would change what the program computes.
   *
   * @param entries properties of the op as the text spells them
   * @throws {Unsayable} that names the first which was not read
   */
  requireAllRead(entries: readonly { readonly key: string }[]): void {
    for (const { key: spelled } of entries) {
      const key = attributeKey(this.name, spelled);
      if (!this.#read.has(key) && !REPEATED.has(key)) throw new Unsayable(`its property ${key}`);
    }
  }

  /** The variable of an operand. @throws {Unsayable} if there is none */
  operand(index: number): PythonText {
    return this.typed(index).text;
  }

  /** An operand with its type. @throws {Unsayable} if there is none */
  typed(index: number): TensorOperand {
    const operand = this.operands[index];
    if (operand === undefined) throw new Unsayable(`it lacks operand ${index}`);
    return operand;
  }

  /** The variable of an operand that may be absent. */
  optional(index: number): PythonText | undefined {
    return this.operands[index]?.text;
  }

  /**
   * Tensor operands by group (`operandSegmentSizes`); `undefined` for absent ones, and for the device behind them.
   *
   * @throws {Unsayable} for a group of several
   */
  groups(): readonly (PythonText | undefined)[] {
    const sizes = this.integersOr("operandSegmentSizes", undefined);
    if (sizes === undefined) return this.operands.map(({ text }) => text);
    let next = 0;
    return sizes.map((size) => {
      if (size > 1) throw new Unsayable("a group of several operands");
      return size === 0 ? undefined : this.optional(next++);
    });
  }

  /** The first result. @throws {Unsayable} if there is none */
  get result(): TtnnTensorType {
    const [result] = this.results;
    if (result === undefined) throw new Unsayable("it has no result");
    return result;
  }

  /** Memory config of the first result; `undefined` on the host. */
  get memory(): string | undefined {
    return this.constants.memoryOf(this.result.layout);
  }

  /** Format of the first result. */
  get dtype(): PythonText {
    return dtypeText(this.result.layout.dataType);
  }

  /** Tiles or rows of the first result. */
  get pages(): PythonText {
    return pagesText(this.result.layout);
  }

  /** Whether a property is there. */
  has(key: string): boolean {
    return this.#take(key).has(key);
  }

  /** An integer property. @throws {Unsayable} if it is missing */
  integer(key: string): number {
    return this.#required(key, integerValue(this.#take(key).get(key)));
  }

  /** An integer property that may be absent. */
  integerOr<Absent>(key: string, absent: Absent): number | Absent {
    return integerValue(this.#take(key).get(key)) ?? absent;
  }

  /** A list of integers. @throws {Unsayable} if it is missing */
  integers(key: string): readonly number[] {
    return this.#required(key, integerValues(this.#take(key).get(key)));
  }

  /** A list of integers that may be absent. */
  integersOr<Absent>(key: string, absent: Absent): readonly number[] | Absent {
    return integerValues(this.#take(key).get(key)) ?? absent;
  }

  /** A number. @throws {Unsayable} if it is missing */
  number(key: string): number {
    return this.#required(key, numberValue(this.#take(key).get(key)));
  }

  /** A number that may be absent. */
  numberOr<Absent>(key: string, absent: Absent): number | Absent {
    return numberValue(this.#take(key).get(key)) ?? absent;
  }

  /** A flag, or what holds where it is absent. */
  flag<Absent>(key: string, absent: Absent): boolean | Absent {
    return boolValue(this.#take(key).get(key)) ?? absent;
  }

  /** A string that may be absent. */
  string(key: string): string | undefined {
    return stringValue(this.#take(key).get(key));
  }

  /** An attribute of a dialect, as text with aliases resolved; `undefined` if it is absent. */
  text(key: string): string | undefined {
    const attribute = this.#take(key).get(key);
    if (attribute === undefined) return undefined;
    if (attribute.kind === "dialect") {
      return this.#alias(`#${attribute.dialect}.${attribute.mnemonic}<${attribute.body}>`);
    }
    return "text" in attribute ? attribute.text : undefined;
  }

  /** An attribute as data; `undefined` if it is absent. */
  attribute(key: string): ReturnType<AttributeMap["get"]> {
    return this.#take(key).get(key);
  }

  /** Resolves aliases in the text of an attribute. */
  get alias(): AliasText {
    return this.#alias;
  }

  /** The configs that the op carries. @throws {Unsayable} if a part of them is not understood */
  config(): OpSpecificAttributes | undefined {
    const { config, faults } = readOpConfig(this.name, this.#attributes, this.#alias);
    const [fault] = faults;
    if (fault !== undefined) throw new Unsayable(`${fault.property}: ${fault.reason}`);
    const program = definitionOf(this.name).config?.program;
    if (program !== undefined) this.#read.add(program);
    for (const key of ["compute_config", "conv2d_slice_config"]) this.#read.add(key);
    return config;
  }

  #take(key: string): AttributeMap {
    this.#read.add(key);
    return this.#attributes;
  }

  #required<Value>(key: string, value: Value | undefined): Value {
    if (value === undefined) throw new Unsayable(`${key} is missing or of another kind`);
    return value;
  }
}
