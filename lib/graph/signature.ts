// SPDX-License-Identifier: Apache-2.0
import type { OpSignature } from "../ops/op_signature.ts";
import { type GraphFunction, type GraphOp, valueAt } from "./graph.ts";

/** Signatures of known functions. */
const CACHE: WeakMap<GraphFunction, readonly OpSignature[]> = new WeakMap();

/**
 * The signature of every op of a function, by op id. Repeated calls return the same objects, because fast paths
 * of op model and cost model are keyed by identity. Equal ops of repeated layers share one signature.
 */
export function opSignatures(fn: GraphFunction): readonly OpSignature[] {
  return CACHE.getOrInsertComputed(fn, () => sharedSignatures(fn));
}

function sharedSignatures(fn: GraphFunction): readonly OpSignature[] {
  const ids = new Map<object, number>();
  // The reader creates attributes and types of equal text only once, so they can be compared by identity.
  const idOf = (part: object | undefined): number => {
    if (part === undefined) return -1;
    return ids.getOrInsertComputed(part, () => ids.size);
  };
  const shared = new Map<string, OpSignature>();
  return fn.ops.map((op) => {
    const signature = signatureOf(fn, op);
    const { name, attributes, operands, operandSegmentSizes, results } = signature;
    const key = `${name}|${idOf(attributes)}|${idOf(operandSegmentSizes)}|${operands.map(idOf).join()}|${
      results.map(idOf).join()
    }`;
    return shared.getOrInsertComputed(key, () => signature);
  });
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
