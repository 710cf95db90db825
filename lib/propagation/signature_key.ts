// SPDX-License-Identifier: Apache-2.0
import type { TensorShape } from "../graph/graph.ts";
import type { Attribute } from "../ir/attribute.ts";
import type { OpSignature } from "../opmodel/op_model.ts";

/** Structural key of a signature: two ops with equal keys get the same answers to every layout question. */
export function signatureKey(op: OpSignature): string {
  const attributes = [...op.attributes]
    .map(([name, attribute]) => `${name}=${attributeKey(attribute)}`)
    .join(";");
  return [
    op.name,
    attributes,
    op.operands.map(tensorKey).join(","),
    op.operandSegmentSizes?.join(",") ?? "",
    op.results.map(tensorKey).join(","),
  ].join("|");
}

/** Structural key of a tensor. */
export function tensorKey(tensor: TensorShape | undefined): string {
  return tensor === undefined ? "-" : `${tensor.shape.join("x")}:${tensor.dataType}`;
}

function attributeKey(attribute: Attribute): string {
  switch (attribute.kind) {
    case "unit":
      return "unit";
    case "bool":
      return String(attribute.value);
    case "integer":
    case "float":
      return `${attribute.value}:${attribute.type ?? ""}`;
    case "string":
      return JSON.stringify(attribute.value);
    case "array":
      return `[${attribute.elements.map(attributeKey).join(",")}]`;
    case "denseArray":
      return `<${attribute.elementType}:${attribute.values.join(",")}>`;
    case "dictionary":
      return `{${[...attribute.entries].map(([name, value]) => `${name}=${attributeKey(value)}`).join(",")}}`;
    case "symbol":
      return `@${attribute.name}`;
    case "dialect":
      return `#${attribute.dialect}.${attribute.mnemonic}<${attribute.body}>`;
    case "type":
    case "opaque":
      return attribute.text;
  }
}
