// SPDX-License-Identifier: Apache-2.0
import type { OpSignature, TensorShape } from "../ops/op_signature.ts";
import type { Attribute, AttributeMap } from "../ir/attribute.ts";

/** Cached keys: op model, cost model and searches use the same signatures. */
const SIGNATURE_KEYS: WeakMap<OpSignature, string> = new WeakMap();

/** Structural key of a signature: queries distinguish two signatures exactly if their keys differ. */
export function signatureKey(op: OpSignature): string {
  let key = SIGNATURE_KEYS.get(op);
  if (key === undefined) SIGNATURE_KEYS.set(op, key = writeSignatureKey(op));
  return key;
}

function writeSignatureKey(op: OpSignature): string {
  return [
    op.name,
    attributesKey(op.attributes),
    op.operands.map(tensorKey).join(","),
    op.operandSegmentSizes?.join(",") ?? "-",
    op.results.map(tensorKey).join(","),
  ].join("|");
}

/** Structural key of a tensor: extents and declared format. */
export function tensorKey(tensor: TensorShape | undefined): string {
  return tensor === undefined ? "-" : `${tensor.shape.join("x")}:${tensor.dataType}`;
}

function attributesKey(attributes: AttributeMap): string {
  return [...attributes].sort(([a], [b]) => a < b ? -1 : 1)
    .map(([name, attribute]) => `${name}=${attributeKey(attribute)}`).join(";");
}

function attributeKey(attribute: Attribute): string {
  switch (attribute.kind) {
    case "unit":
      return "unit";
    case "bool":
      return `b${attribute.value}`;
    case "integer":
      return `i${attribute.value}:${attribute.type ?? ""}`;
    case "float":
      return `f${attribute.value}:${attribute.type ?? ""}`;
    case "string":
      return JSON.stringify(attribute.value);
    case "array":
      return `[${attribute.elements.map(attributeKey).join(",")}]`;
    case "denseArray":
      return `a${attribute.elementType}[${attribute.values.join(",")}]`;
    case "dictionary":
      return `{${attributesKey(attribute.entries)}}`;
    case "symbol":
      return `@${attribute.name}`;
    case "type":
      return `t${JSON.stringify(attribute.text)}`;
    case "dialect":
      return `#${attribute.dialect}.${attribute.mnemonic}${JSON.stringify(attribute.body)}`;
    case "opaque":
      return `o${JSON.stringify(attribute.text)}`;
  }
}
