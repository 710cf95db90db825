// SPDX-License-Identifier: Apache-2.0
import fc from "fast-check";
import { integerAttribute, integersAttribute, layoutOf } from "../../../testing/op_queries.ts";
import type { Attribute } from "../../ir/attribute.ts";
import type { LayoutId } from "../../layout/layout_table.ts";
import { knownOps } from "../../ops/op_book.ts";
import type { TensorShape } from "../../ops/op_signature.ts";
import type { OpModel } from "../op_model.ts";

const extents = fc.constantFrom<number[]>(0, 1, 2, 3, 31, 32, 33, 64, 96, 1024);
const shapes = fc.array(extents, { maxLength: 5 });
const memories = fc.constantFrom(
  "dram",
  "l1",
  "dram-rm",
  "hs 2x1",
  "hs 7x1",
  "ws 1x3",
  "bs 2x3",
  "hs-rm 4x1",
  "host",
);
const numbers = fc.oneof(
  fc.integer({ min: -6, max: 40 }).map(integerAttribute),
  fc.array(fc.integer({ min: -4, max: 40 }), { maxLength: 5 }).map(integersAttribute),
);
const attributes = fc.dictionary(
  fc.constantFrom(
    "dim",
    "dim0",
    "dim1",
    "dim_arg",
    "dimension",
    "permutation",
    "shape",
    "begins",
    "ends",
    "step",
    "padding",
    "repeat_dims",
    "kernel_size",
    "stride",
    "dilation",
    "batch_size",
    "input_height",
    "input_width",
    "in_channels",
    "out_channels",
    "channels",
    "num_heads",
    "k",
  ),
  numbers,
);
const formats = fc.constantFrom<TensorShape["dataType"][]>("bf16", "f32", "si32", "u8", "bfp_bf8");
const tensors = fc.record({ shape: shapes, dataType: formats });

/**
 * Arbitrary queries to an op model, sensible or not, including empty tensors: op, operands with memories,
 * results, requested memory, attributes.
 */
export const ANY_QUESTION: readonly [
  name: fc.Arbitrary<string>,
  operands: fc.Arbitrary<readonly (readonly [tensor: TensorShape, memory: string])[]>,
  results: fc.Arbitrary<readonly TensorShape[]>,
  hint: fc.Arbitrary<string | undefined>,
  attributes: fc.Arbitrary<Readonly<Record<string, Attribute>>>,
] = [
  fc.constantFrom(...knownOps().map((op) => op.name)),
  fc.array(fc.tuple(tensors, memories), { maxLength: 5 }),
  fc.array(tensors, { maxLength: 3 }),
  fc.option(memories, { nil: undefined }),
  attributes,
];

/** {@linkcode layoutOf}; `undefined` if the tensor cannot have the layout. */
export function layoutIfAny(model: OpModel, tensor: TensorShape, text: string): LayoutId | undefined {
  try {
    return layoutOf(model, tensor, text);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}
