// SPDX-License-Identifier: Apache-2.0
import { replacing, type RewritePattern } from "../rewrite_pattern.ts";
import { isPlain, madeBy } from "./matching.ts";
import { isPlainFloat } from "../../layout/data_type.ts";

/** Merges a repeat of a repeat, and moves a typecast of a repeated tensor before the repeat. */
export const combineRepeats: RewritePattern = replacing({
  name: "combine-repeats",
  upstream: "none",
  roots: ["ttnn.repeat", "ttnn.typecast"],
  replace: (op, site, result) => {
    const repeat = madeBy(op.operands[0], "repeat");
    const [source, repeated] = [repeat?.tensorOperand(0), repeat?.tensorResult];
    if (source === undefined || repeated === undefined) return undefined;
    if (![source, repeated, result].every(({ type }) => isPlain(type))) return undefined;
    if (op.name === "ttnn.typecast") {
      const isMoved = repeated.onlyUser === op && isPlainFloat(source.type.dataType) &&
        isPlainFloat(result.type.dataType);
      if (!isMoved) return undefined;
    }
    if (source.type.shape.length !== result.type.shape.length) return undefined;
    const cast = site.typecast(source, result.type.dataType);
    return site.repeat(cast, result.type.shape);
  },
});
