// SPDX-License-Identifier: Apache-2.0
import type { OpSignature } from "../ops/op_signature.ts";
import { type GraphFunction, valueAt } from "./graph.ts";

const KNOWN: WeakMap<GraphFunction, readonly OpSignature[]> = new WeakMap();

/**
 * The signature of every op of a function, by op id; the same objects for the same function, because the op model's fast
 * path is keyed by their identity.
 */
export function opSignatures(fn: GraphFunction): readonly OpSignature[] {
  let signatures = KNOWN.get(fn);
  if (signatures === undefined) KNOWN.set(fn, signatures = makeSignatures(fn));
  return signatures;
}

function makeSignatures(fn: GraphFunction): readonly OpSignature[] {
  return fn.ops.map((op) => ({
    name: op.name,
    attributes: op.attributes,
    operands: op.operands.map((value) => valueAt(fn, value).tensor),
    operandSegmentSizes: op.operandSegmentSizes,
    results: op.results.map((value) => valueAt(fn, value).tensor),
  }));
}
