// SPDX-License-Identifier: Apache-2.0
import { SPLIT_HEADS } from "../../ops/attributes/attention.ts";
import type { TtnnFunction } from "../../ttnn/function.ts";
import type { TtnnOp } from "../../ttnn/op.ts";
import { sameType, type TensorValue } from "../../ttnn/value.ts";
import type { PassContext } from "../graph_pass.ts";
import { PassBuilder } from "../pass_builder.ts";
import type { RewritePattern } from "../rewrite_pattern.ts";
import { transposedFrom } from "./matching.ts";

const STYLE = {
  upstream: "none",
  roots: ["ttnn.split_query_key_value_and_split_heads"],
} as const;

/**
 * A split into heads that transposes the keys → one that does not, and a transpose, behind which attention is found. Where
 * none is, {@linkcode transposeInSplit} undoes it.
 */
export const transposeBehindSplit: RewritePattern = {
  name: "transpose-behind-split",
  ...STYLE,
  rewrite: (op, body, context) => {
    const keys = op.tensorResults[1];
    if (!op.read(SPLIT_HEADS).transpose_key || keys === undefined) return false;
    const site = new PassBuilder(body, op, context);
    const upright = splitAgain(op, site, body, keys, false);
    if (upright === undefined) return false;
    body.replaceAllUses(keys, site.inferred("ttnn.transpose", [upright], { dim0: -2, dim1: -1 }));
    return true;
  },
};

/** A transpose of the keys that nobody else reads → the split into heads before it does that as well. */
export const transposeInSplit: RewritePattern = {
  name: "transpose-in-split",
  ...STYLE,
  rewrite: (op, body, context) => {
    const keys = op.tensorResults[1];
    const [reader, ...more] = keys?.uses.keys() ?? [];
    const transposed = reader?.tensorResult;
    if (op.read(SPLIT_HEADS).transpose_key || keys === undefined || more.length > 0) return false;
    if (transposed === undefined || transposedFrom(transposed) !== keys) return false;
    if (!isAllowed(op, transposed, context)) return false;
    const made = splitAgain(op, new PassBuilder(body, op, context), body, keys, true);
    if (made === undefined) return false;
    body.replaceAllUses(transposed, made);
    return true;
  },
};

function isAllowed(op: TtnnOp, keys: TensorValue, context: PassContext): boolean {
  return context.isLegal({
    name: op.name,
    operands: op.operands.map(({ type }) => type),
    results: op.results.map(({ type }) => type).with(1, keys.type),
    attributes: op.attributesWith({ transpose_key: true }),
  });
}

/** The keys of a second split, which also gives queries and values; `undefined` for results that lie elsewhere than in DRAM. */
function splitAgain(
  op: TtnnOp,
  site: PassBuilder,
  body: TtnnFunction,
  { type: { shape, dataType, ...type } }: TensorValue,
  transposes: boolean,
): TensorValue | undefined {
  if (!sameType({ shape, dataType, ...type }, site.type(shape, dataType))) return undefined;
  const swapped = [...shape.slice(0, -2), shape.at(-1) ?? 1, shape.at(-2) ?? 1];
  const split = body.insertBefore(op, {
    name: op.name,
    operands: op.operands,
    resultTypes: op.results.map((result) => result.type).with(1, site.type(swapped, dataType)),
    properties: op.propertiesWith({ transpose_key: transposes }),
    attributes: op.attributes,
  });
  for (const index of [0, 2]) {
    const [from, to] = [op.results[index], split.results[index]];
    if (from !== undefined && to !== undefined) body.replaceAllUses(from, to);
  }
  return split.tensorResultAt(1);
}
