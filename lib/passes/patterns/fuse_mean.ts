// SPDX-License-Identifier: Apache-2.0
import { volume } from "../../layout/extents.ts";
import { sameShape, sameType } from "../../ttnn/value.ts";
import { tensorType } from "../../ttnn/tensor_type.ts";
import { replacing, type RewritePattern } from "../rewrite_pattern.ts";
import { eitherOrder, isAbout, isPlain, madeBelowReshape, roundedConstant } from "./matching.ts";
import { PassBuilder } from "../pass_builder.ts";

/** `sum(x) · (1 / n)` and `sum(x) / n` → `mean(x)`; a reshape in between moves after it. */
export const fuseMean: RewritePattern = replacing({
  name: "fuse-mean",
  upstream: "level-0",
  roots: ["ttnn.multiply", "ttnn.divide"],
  replace: (op, site, result) => {
    const isQuotient = op.name === "ttnn.divide";
    for (const [total, factor] of isQuotient ? eitherOrder(op).slice(0, 1) : eitherOrder(op)) {
      const number = roundedConstant(factor, site.context);
      const sum = madeBelowReshape(total, "sum");
      const [input, summed] = [sum?.tensorOperand(0), sum?.tensorResult];
      if (number === undefined || sum === undefined || input === undefined || summed === undefined) continue;
      const count = volume(input.type.shape) / volume(summed.type.shape);
      const divides = isAbout(number, isQuotient ? count : 1 / count);
      const fits = divides && summed.uses.size === 1 &&
        summed.onlyUser !== undefined &&
        result !== undefined && sameShape(result, total) &&
        isPlain(summed.type) && isPlain(result.type) && summed.type.dataType === result.type.dataType;
      if (!fits) continue;
      const type = tensorType(site.context.chip, summed.type.shape, summed.type.dataType);
      // At the position of the sum, with the sum's operand.
      const mean = new PassBuilder(site.body, sum, site.context).op(
        "ttnn.mean",
        [input],
        type,
        sum.properties,
      );
      const shaped = site.reshape(mean, result.type.shape);
      if (!sameType(shaped.type, result.type)) return undefined;
      return shaped;
    }
    return undefined;
  },
});
