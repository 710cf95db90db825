// SPDX-License-Identifier: Apache-2.0
import { scalar } from "../ops/attributes/print_attributes.ts";
import { repeatFactors } from "../layout/extents.ts";
import type { ElementType } from "./element_type.ts";
import type { LazyForm } from "./lazy_tensor.ts";
import type { Properties } from "../ttnn/op.ts";
import { isFloat } from "../layout/data_type.ts";

/** A lazy tensor that is a view of another. */
export type ViewForm = Extract<LazyForm, { source: unknown }>;

/** A lazy tensor that is made from attributes alone. */
export type CreatedForm = Extract<LazyForm, { kind: "splat" | "constant" }>;

/** The op that a lazy tensor becomes; without the dialect. */
export interface WrittenOp {
  readonly name: string;
  readonly properties: Properties;
}

/** Whether a lazy tensor is a view of another. */
export function isViewForm(form: LazyForm): form is ViewForm {
  return "source" in form;
}

/** The op that writes a view. */
export function viewOf(form: ViewForm, shape: readonly number[]): WrittenOp {
  switch (form.kind) {
    case "reshape":
      return { name: "reshape", properties: { shape: shape } };
    case "permute":
      return { name: "permute", properties: { permutation: form.permutation } };
    case "broadcast": {
      const factors = repeatFactors(form.source.shape, shape);
      return { name: "repeat", properties: { repeat_dims: factors } };
    }
  }
}

/**
 * The op that makes a tensor from attributes. Splats become `zeros` and `ones` where the input says so and for constants of
 * float zeros, as upstream; else `full`.
 */
export function creationOf(form: CreatedForm, element: ElementType, shape: readonly number[]): WrittenOp {
  if (form.kind === "constant") return { name: "constant", properties: { value: form.text } };
  const { value, op } = form;
  const name = op ?? (Object.is(value, 0) && isFloat(element.dataType) ? "zeros" : undefined);
  if (name !== undefined) return { name, properties: { shape: shape } };
  const fill = scalar(value, element.dataType);
  return { name: "full", properties: { fill_value: fill, shape: shape } };
}
