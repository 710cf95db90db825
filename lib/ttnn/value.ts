// SPDX-License-Identifier: Apache-2.0
import type { OtherType } from "../dialect/other_type.ts";
import type { DataType } from "../layout/data_type.ts";
import { sameExtents } from "../layout/extents.ts";
import { layoutsEqual } from "../layout/layout_table.ts";
import type { TtnnLayout } from "../layout/ttnn_layout.ts";
import type { TtnnOp } from "./op.ts";

/** A tensor with a known layout. */
export interface TtnnTensorType {
  readonly kind: "tensor";
  /** Extents, outermost first. */
  readonly shape: readonly number[];
  readonly dataType: DataType;
  readonly layout: TtnnLayout;
  /** How the tensor spells its element where the data type does not say it: `!quant.uniform<…>`. */
  readonly element?: string;
  /** The mesh of a multi-chip tensor as its layout spells it; `undefined` for a tensor of one chip. */
  readonly mesh?: string;
}

export type TtnnType = TtnnTensorType | OtherType;

/** The definition of a value: an argument of the function, or a result of an op. */
export type TtnnValueDefinition =
  | { readonly kind: "argument"; readonly index: number }
  | { readonly kind: "result"; readonly op: TtnnOp; readonly index: number };

/** An SSA value of a {@linkcode TtnnFunction}; compared by identity. */
export class TtnnValue {
  readonly definition: TtnnValueDefinition;
  /** Name in the text, `%3#1`; `undefined` for new values. */
  readonly name: string | undefined;
  /** Name that a new value gets, `%reshard_3`; where it is taken, with the next free number. */
  readonly wish: string | undefined;
  #type: TtnnType;
  #isRetyped = false;
  /** How often each op uses the value; maintained by the body. */
  readonly uses: Map<TtnnOp, number> = new Map();

  constructor(type: TtnnType, definition: TtnnValueDefinition, name?: string, wish?: string) {
    this.#type = type;
    this.definition = definition;
    this.name = name;
    this.wish = wish;
  }

  get type(): TtnnType {
    return this.#type;
  }

  /** Changes the type at the definition and at every use. */
  set type(type: TtnnType) {
    this.#type = type;
    this.#isRetyped = true;
  }

  /** Whether the type was set, and has to be printed in place of the text's. */
  get isRetyped(): boolean {
    return this.#isRetyped;
  }

  /** The op that defines the value; `undefined` for arguments. */
  get producer(): TtnnOp | undefined {
    return this.definition.kind === "result" ? this.definition.op : undefined;
  }

  /** Number of uses, including being returned. */
  get useCount(): number {
    let count = 0;
    for (const times of this.uses.values()) count += times;
    return count;
  }

  /** The op that uses the value, if there is exactly one use; else `undefined`. */
  get onlyUser(): TtnnOp | undefined {
    const [first] = this.uses;
    return first !== undefined && this.uses.size === 1 && first[1] === 1 ? first[0] : undefined;
  }
}

/** A value known to be a tensor with a layout. */
export type TensorValue = TtnnValue & { readonly type: TtnnTensorType };

/** Whether a value is a tensor with a layout. */
export function isTensorValue(value: TtnnValue): value is TensorValue {
  return value.type.kind === "tensor";
}

export function sameShape(a: TensorValue, b: TensorValue): boolean {
  return sameExtents(a.type.shape, b.type.shape);
}

/** Whether two types are the same: shape, element and layout. */
export function sameType(a: TtnnType, b: TtnnType): boolean {
  if (a === b) return true;
  if (a.kind === "other" || b.kind === "other") {
    return a.kind === b.kind && "text" in a && "text" in b && a.text === b.text;
  }
  return a.dataType === b.dataType && a.element === b.element && sameExtents(a.shape, b.shape) &&
    layoutsEqual(a.layout, b.layout);
}
