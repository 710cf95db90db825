// SPDX-License-Identifier: Apache-2.0
import type { OpSignature } from "../ops/op_signature.ts";
import { type GraphFunction, type GraphOp, valueAt } from "./graph.ts";

/** Signatures of known functions. */
const CACHE: WeakMap<GraphFunction, readonly OpSignature[]> = new WeakMap();

/**
 * The signature of every op of a function, by op id. Repeated calls return the same objects, because fast paths
 * of op model and cost model are keyed by identity.
 */
export function opSignatures(fn: GraphFunction): readonly OpSignature[] {
  return CACHE.getOrInsertComputed(fn, () => fn.ops.map((op) => signatureOf(fn, op)));
}

function signatureOf(fn: GraphFunction, op: GraphOp): OpSignature {
  return {
    name: op.name,
    attributes: op.attributes,
    operands: op.operands.map((value) => valueAt(fn, value).tensor),
    operandSegmentSizes: op.operandSegmentSizes,
    results: op.results.map((value) => valueAt(fn, value).tensor),
  };
}
