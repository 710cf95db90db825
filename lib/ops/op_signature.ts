// SPDX-License-Identifier: Apache-2.0
import type { AttributeMap } from "../ir/attribute.ts";
import type { DataType } from "../layout/data_type.ts";

/** Logical shape and element format of a tensor; a layout choice never changes them. */
export interface TensorShape {
  /** Extents, outermost first; `[]` for a scalar tensor. */
  readonly shape: readonly number[];
  /** Format of one element; of a block-float tensor the block format, whose bytes are per tile. */
  readonly dataType: DataType;
}

/**
 * Everything about one op that a layout decision cannot change. Object identity is the fast key, so reuse the
 * signatures of graph ops; structurally equal ones share one internal id.
 */
export interface OpSignature {
  /** Full name, for example `ttnn.matmul`. */
  readonly name: string;
  /** As {@linkcode GraphOp.attributes}; a config among them applies unless a query gives another one. */
  readonly attributes: AttributeMap;
  /** One entry per operand; `undefined` for operands that are not tensors (the device handle). */
  readonly operands: readonly (TensorShape | undefined)[];
  /** Length of each operand group, `undefined` for ops without groups. */
  readonly operandSegmentSizes: readonly number[] | undefined;
  /** One entry per result; `undefined` for results that are not tensors. */
  readonly results: readonly (TensorShape | undefined)[];
}
