// SPDX-License-Identifier: Apache-2.0
import { volume } from "../../layout/extents.ts";
import { sameShape, sameType } from "../../ttnn/value.ts";
import { tensorType } from "../graph_pass.ts";
import type { RewritePattern } from "../rewrite_pattern.ts";
import {
  eitherOrder,
  isAbout,
  isPlain,
  madeBelowReshape,
  makeReshape,
  makeTyped,
  roundedConstant,
} from "./matching.ts";

/** `sum(x) * (1 / n)` and `sum(x) / n` are `mean(x)`; a reshape between them goes after it. */
export const fuseMean: RewritePattern = {
  name: "fuse-mean",
  option: undefined,
  upstream: "level-0",
  roots: ["ttnn.multiply", "ttnn.divide"],
  rewrite: (op, body, context) => {
    const result = op.tensorResult;
    const isQuotient = op.name === "ttnn.divide";
    for (const [total, factor] of isQuotient ? eitherOrder(op).slice(0, 1) : eitherOrder(op)) {
      const number = roundedConstant(factor, context);
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
      const type = tensorType(context, summed.type.shape, summed.type.dataType);
      // Where the sum stands, which reads what it read.
      const mean = makeTyped({ anchor: sum, body, context }, "ttnn.mean", [input], type, sum.properties);
      const shaped = makeReshape({ anchor: op, body, context }, mean, result.type.shape);
      if (!sameType(shaped.type, result.type)) return false;
      body.replaceAllUses(result, shaped);
      return true;
    }
    return false;
  },
};
