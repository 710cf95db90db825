// SPDX-License-Identifier: Apache-2.0
import type { OpSignature } from "../ops/op_signature.ts";
import { type GraphFunction, valueAt } from "./graph.ts";

/**
 * Builds the signature of every op of a function, by op id. Build it once and keep it: the op model's fast path is
 * keyed by the identity of these objects.
 */
export function opSignatures(fn: GraphFunction): readonly OpSignature[] {
  return fn.ops.map((op) => ({
    name: op.name,
    attributes: op.attributes,
    operands: op.operands.map((value) => valueAt(fn, value).tensor),
    operandSegmentSizes: op.operandSegmentSizes,
    results: op.results.map((value) => valueAt(fn, value).tensor),
  }));
}
