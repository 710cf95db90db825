// SPDX-License-Identifier: Apache-2.0
import type { OpSignature, TensorShape } from "../ops/op_signature.ts";

/** Cached keys: op model, cost model and searches use the same signatures. */
const SIGNATURE_KEYS: WeakMap<OpSignature, string> = new WeakMap();

/** Structural key of a signature: queries distinguish two signatures exactly if their keys differ. */
export function signatureKey(op: OpSignature): string {
  return SIGNATURE_KEYS.getOrInsertComputed(op, writeSignatureKey);
}

function writeSignatureKey(op: OpSignature): string {
  return [
    op.name,
    JSON.stringify(op.attributes, plainValue),
    op.operands.map(tensorKey).join(","),
    op.operandSegmentSizes?.join(",") ?? "-",
    op.results.map(tensorKey).join(","),
  ].join("|");
}

/** Structural key of a tensor: extents and declared format. */
export function tensorKey(tensor: TensorShape | undefined): string {
  return tensor === undefined ? "-" : `${tensor.shape.join("x")}:${tensor.dataType}`;
}

/** What JSON cannot hold: maps, by name, and numbers, which it rounds or takes for `null`. */
function plainValue(_key: string, value: unknown): unknown {
  if (value instanceof Map) return [...value].sort(([a], [b]) => a < b ? -1 : 1);
  return typeof value === "bigint" || typeof value === "number" ? String(value) : value;
}
