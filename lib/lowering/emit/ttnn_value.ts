// SPDX-License-Identifier: Apache-2.0
import type { OtherType } from "../../dialect/other_type.ts";
import type { TtnnLayout } from "../../layout/ttnn_layout.ts";
import type { AttributeTexts } from "../../dialect/printed_attributes.ts";

/** A tensor type to print. */
export interface TtnnTensorType {
  readonly kind: "tensor";
  readonly shape: readonly number[];
  /** Element type as printed in the tensor, for example `bf16`, `ui32`, `!ttcore.tile<32x32, bfp_bf8>`. */
  readonly element: string;
  readonly layout: TtnnLayout;
}

/** Type of a value to print. */
export type TtnnType = TtnnTensorType | OtherType;

/** An SSA value to print. Its name is given by the writer. */
export interface TtnnValue {
  readonly type: TtnnType;
}

/** A value known to be a tensor. */
export interface TensorValue extends TtnnValue {
  readonly type: TtnnTensorType;
}

/** Whether a value is a tensor. */
export function isTensor(value: TtnnValue): value is TensorValue {
  return value.type.kind === "tensor";
}

/** An op to print. */
export interface TtnnOp {
  /** Full name, `ttnn.add`, or the two custom forms `ttcore.load_cached` and `call`. */
  readonly name: string;
  readonly operands: readonly TtnnValue[];
  readonly results: readonly TtnnValue[];
  /** Inherent attributes, printed in `<{…}>`. */
  readonly properties: AttributeTexts;
  /** Discardable attributes, printed in `{…}`. */
  readonly attributes: AttributeTexts;
  /** Symbol that `ttcore.load_cached` and `call` name, without the `@`. */
  readonly callee?: string;
  /** The text in `loc(…)`. */
  readonly location?: string;
}

/** A function argument to print. */
export interface TtnnArgument {
  readonly value: TtnnValue;
  readonly attributes: AttributeTexts;
  readonly location?: string;
}
