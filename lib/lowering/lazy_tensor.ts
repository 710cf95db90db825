// SPDX-License-Identifier: Apache-2.0
import { movesOnlyOnes, sameButOnes, sameExtents, volume, withOnesMoved } from "../layout/extents.ts";
import type { TensorValue } from "../ttnn/value.ts";
import type { ElementType } from "./element_type.ts";

/**
 * Description of a TTIR value. Views, broadcasts and splats stay descriptions until an op needs the tensor: this
 * removes identities, composes chains and folds broadcasts into the ops that broadcast themselves.
 */
export type LazyForm =
  | { readonly kind: "tensor"; readonly tensor: TensorValue }
  | { readonly kind: "reshape"; readonly source: LazyTensor }
  | { readonly kind: "permute"; readonly source: LazyTensor; readonly permutation: readonly number[] }
  /** Extents of one in the source are repeated; ranks are equal. */
  | { readonly kind: "broadcast"; readonly source: LazyTensor }
  /** All elements are the same number. */
  | { readonly kind: "splat"; readonly value: number; readonly op?: "ones" | "zeros" }
  /** `dense<…>` with its type, already normalised. */
  | { readonly kind: "constant"; readonly text: string }
  /** An uninitialised tensor. */
  | { readonly kind: "empty" };

/** A lazily lowered TTIR value. */
export interface LazyTensor {
  readonly shape: readonly number[];
  readonly element: ElementType;
  readonly form: LazyForm;
}

/** A view with another shape. @throws {RangeError} when the volumes differ */
export function reshaped(input: LazyTensor, shape: readonly number[]): LazyTensor {
  if (sameExtents(input.shape, shape)) return input;
  if (volume(input.shape) !== volume(shape)) {
    throw new RangeError(`${input.shape.join("x")} and ${shape.join("x")} differ in volume`);
  }
  const { form } = input;
  if (form.kind === "splat" || form.kind === "empty") return { ...input, shape };
  if (form.kind === "reshape") return reshaped(form.source, shape);
  if (form.kind === "broadcast") {
    const small = withOnesMoved(form.source.shape, input.shape, shape);
    if (sameButOnes(input.shape, shape)) return broadcasted(reshaped(form.source, small), shape);
  }
  return { shape, element: input.element, form: { kind: "reshape", source: input } };
}

/** The dimensions in another order. A permutation that moves only extents of one is a reshape. */
export function permuted(input: LazyTensor, permutation: readonly number[]): LazyTensor {
  const shape = permutation.map((dim) => input.shape[dim] ?? 1);
  const { form } = input;
  if (form.kind === "splat" || form.kind === "empty") return { ...input, shape };
  if (form.kind === "broadcast") return broadcasted(permuted(form.source, permutation), shape);
  if (movesOnlyOnes(input.shape, permutation)) return reshaped(input, shape);
  if (form.kind === "permute") {
    const composed = permutation.map((dim) => form.permutation[dim] ?? 0);
    return permuted(form.source, composed);
  }
  return { shape, element: input.element, form: { kind: "permute", source: input, permutation } };
}

/** Repeats extents of one up to a shape of the same rank. */
export function broadcasted(input: LazyTensor, shape: readonly number[]): LazyTensor {
  if (sameExtents(input.shape, shape)) return input;
  const { form } = input;
  if (form.kind === "splat" || form.kind === "empty") return { ...input, shape };
  const source = form.kind === "broadcast" ? form.source : input;
  return { shape, element: input.element, form: { kind: "broadcast", source } };
}
