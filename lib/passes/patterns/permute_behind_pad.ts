// SPDX-License-Identifier: Apache-2.0
import { denseArrayText } from "../../dialect/printed_attributes.ts";
import { tensorType } from "../graph_pass.ts";
import type { RewritePattern } from "../rewrite_pattern.ts";
import { integersOf, isPlain, madeBy, makePermute, makeTyped } from "./matching.ts";

/** A permute in front of a pad and one behind it meet: what is padded is the tensor below (tt-mlir:pass-order). */
export const permuteBehindPad: RewritePattern = {
  name: "permute-behind-pad",
  option: undefined,
  upstream: "none",
  roots: ["ttnn.pad"],
  rewrite: (op, body, context) => {
    const permute = madeBy(op.operands[0], "permute");
    const source = permute?.tensorOperand(0);
    const result = op.tensorResult;
    if (permute === undefined || source === undefined || result === undefined) return false;
    if (!isPlain(source.type) || !isPlain(result.type) || result.onlyUser?.name !== "ttnn.permute") {
      return false;
    }
    if (permute.tensorResult?.onlyUser !== op || source.type.dataType !== result.type.dataType) return false;
    const permutation = integersOf(permute, "permutation");
    const before = (dim: number): number => permutation.indexOf(dim);
    const padding = integersOf(op, "padding");
    const dims = source.type.shape.map((_, dim) => dim);
    const shape = dims.map((dim) => result.type.shape[before(dim)] ?? 1);
    const pads = dims.flatMap((dim) => [padding[2 * before(dim)] ?? 0, padding[2 * before(dim) + 1] ?? 0]);
    const site = { anchor: op, body, context };
    const properties = new Map([...op.properties, ["padding", denseArrayText(pads, "i32")] as const]);
    const type = tensorType(context, shape, result.type.dataType);
    const padded = makeTyped(site, op.name, [source], type, properties);
    body.replaceAllUses(result, makePermute(site, padded, permutation));
    return true;
  },
};
