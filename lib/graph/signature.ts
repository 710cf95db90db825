// SPDX-License-Identifier: Apache-2.0
import type { OpSignature } from "../ops/op_signature.ts";
import { type GraphFunction, type GraphOp, valueAt } from "./graph.ts";

/** Signatures of functions seen before. */
const KNOWN: WeakMap<GraphFunction, readonly OpSignature[]> = new WeakMap();

/**
 * The signature of every op of a function, by op id; the same objects every time, as the fast paths of op model and cost
 * model are keyed by their identity.
 */
export function opSignatures(fn: GraphFunction): readonly OpSignature[] {
  let signatures = KNOWN.get(fn);
  if (signatures === undefined) KNOWN.set(fn, signatures = fn.ops.map((op) => signatureOf(fn, op)));
  return signatures;
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
