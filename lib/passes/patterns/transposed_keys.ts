// SPDX-License-Identifier: Apache-2.0
import { readBool } from "../../dialect/attribute_values.ts";
import { denseArrayText } from "../../dialect/printed_attributes.ts";
import type { TensorValue } from "../body/body_value.ts";
import type { RewritePattern } from "../rewrite_pattern.ts";
import { integersOf, madeBy, makeTensor, makeTypecast, withoutCasts } from "./matching.ts";

/**
 * Keys that one permute both splits into heads and transposes (`0, 2, 3, 1`, as a product with batch dimensions spells it)
 * are split as query and values are, and the product of the scores transposes them: what splits heads and fuses
 * attention sees one spelling.
 */
export const transposedKeys: RewritePattern = {
  name: "transposed-keys",
  option: undefined,
  roots: ["ttnn.matmul"],
  rewrite: (op, body, context) => {
    const [keys, scores] = [op.tensorOperand(1), op.tensorResult];
    if (keys === undefined || scores === undefined || !reachesSoftmax(scores)) return false;
    const permute = madeBy(withoutCasts(keys), "permute");
    const source = permute?.tensorOperand(0);
    const isTransposed = readBool(op.attributeMap(), "transpose_b") ?? false;
    if (permute === undefined || source === undefined || isTransposed) return false;
    const [batch, heads, size, positions, ...more] = integersOf(permute, "permutation");
    const isSplit = batch === 0 && size === 3 && positions !== undefined && heads !== 1 && more.length === 0;
    if (!isSplit || heads === undefined) return false;
    const site = { anchor: op, body, context };
    const { shape } = keys.type;
    const split = makeTensor(
      site,
      "ttnn.permute",
      [source],
      [...shape.slice(0, 2), shape[3] ?? 1, shape[2] ?? 1],
      source.type.dataType,
      { permutation: denseArrayText([batch, heads, positions, size], "i64") },
    );
    body.setOperand(op, 1, makeTypecast(site, split, keys.type.dataType));
    op.setProperty("transpose_b", "true");
    return true;
  },
};

/** Ops between scores and their softmax: scaling, masking and conversions. */
const ON_SCORES: readonly string[] = ["add", "divide", "multiply", "typecast"].map((name) => `ttnn.${name}`);

function reachesSoftmax(value: TensorValue): boolean {
  return value.uses.keys().some(({ name, tensorResult }) =>
    name === "ttnn.softmax" ||
    (ON_SCORES.includes(name) && tensorResult !== undefined && reachesSoftmax(tensorResult))
  );
}
