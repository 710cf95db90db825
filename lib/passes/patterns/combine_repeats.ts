// SPDX-License-Identifier: Apache-2.0
import type { RewritePattern } from "../rewrite_pattern.ts";
import { isPlain, madeBy } from "./matching.ts";
import { PassBuilder } from "../pass_builder.ts";
import { isPlainFloat } from "../../layout/data_type.ts";

/** Merges a repeat of a repeat, and moves a typecast of a repeated tensor before the repeat. */
export const combineRepeats: RewritePattern = {
  name: "combine-repeats",
  upstream: "none",
  roots: ["ttnn.repeat", "ttnn.typecast"],
  rewrite: (op, body, context) => {
    const repeat = madeBy(op.operands[0], "repeat");
    const [source, repeated, result] = [repeat?.tensorOperand(0), repeat?.tensorResult, op.tensorResult];
    if (source === undefined || repeated === undefined || result === undefined) return false;
    if (![source, repeated, result].every(({ type }) => isPlain(type))) return false;
    if (op.name === "ttnn.typecast") {
      const isMoved = repeated.onlyUser === op && isPlainFloat(source.type.dataType) &&
        isPlainFloat(result.type.dataType);
      if (!isMoved) return false;
    }
    if (source.type.shape.length !== result.type.shape.length) return false;
    const site = new PassBuilder(body, op, context);
    const cast = site.typecast(source, result.type.dataType);
    body.replaceAllUses(result, site.repeat(cast, result.type.shape));
    return true;
  },
};
