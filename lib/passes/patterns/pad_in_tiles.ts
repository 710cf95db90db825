// SPDX-License-Identifier: Apache-2.0
import type { RewritePattern } from "../rewrite_pattern.ts";
import { isPlain, madeBy, makeTyped } from "./matching.ts";

/** A pad between two changes of pages, tiles to rows and back, pads the tiles: both changes go. */
export const padInTiles: RewritePattern = {
  name: "pad-in-tiles",
  option: undefined,
  upstream: "none",
  roots: ["ttnn.pad"],
  rewrite: (op, body, context) => {
    const source = madeBy(op.operands[0], "to_layout")?.tensorOperand(0);
    const back = op.tensorResult?.onlyUser;
    const result = back?.name === "ttnn.to_layout" ? back.tensorResult : undefined;
    if (source === undefined || result === undefined || !isPlain(source.type) || !isPlain(result.type)) {
      return false;
    }
    const [from, to] = [op.operandType(0), op.tensorResult?.type];
    const keepsFormat = from?.dataType === source.type.dataType && to?.dataType === result.type.dataType;
    if (!keepsFormat || source.type.dataType !== result.type.dataType) {
      return false;
    }
    const question = {
      name: op.name,
      operands: [source.type],
      results: [result.type],
      attributes: op.attributeMap(),
    };
    if (!context.isLegal(question)) return false;
    const padded = makeTyped({ anchor: op, body, context }, op.name, [source], result.type, op.properties);
    body.replaceAllUses(result, padded);
    return true;
  },
};
