// SPDX-License-Identifier: Apache-2.0
import { MATMUL } from "../../ops/attributes/matmul.ts";
import { broadcastShape, volume } from "../../layout/extents.ts";
import type { TensorValue } from "../../ttnn/value.ts";
import { replacing, type RewritePattern } from "../rewrite_pattern.ts";
import { eitherOrder, isPlain, madeBy } from "./matching.ts";

/** Largest share of the tensor's elements that counts as small. */
const SMALL = 1 / 16;

/**
 * `(t · a) · b` → `t · (a · b)` for small a and b, likewise with sums: one pass over t fewer. Example: the
 * deviation of a group of channels and the weight of each channel.
 */
export const joinSmallOperands: RewritePattern = replacing({
  name: "join-small-operands",
  upstream: "none",
  roots: ["ttnn.add", "ttnn.multiply"],
  replace: (op, site, result) => {
    if (!isPlain(result.type) || op.read(MATMUL).activation !== undefined) return undefined;
    const name = op.name.replace("ttnn.", "");
    const { shape, dataType } = result.type;
    const isSmall = ({ type }: TensorValue): boolean =>
      type.dataType === dataType && isPlain(type) && volume(type.shape) <= SMALL * volume(shape);
    for (const [partial, outer] of eitherOrder(op)) {
      const inner = madeBy(partial, name);
      const isStep = inner !== undefined && partial.onlyUser === op && partial.type.dataType === dataType &&
        inner.read(MATMUL).activation === undefined;
      if (!isStep || !isSmall(outer)) continue;
      for (const [large, small] of eitherOrder(inner)) {
        const joined = broadcastShape([small.type.shape, outer.type.shape]);
        const isLarge = large.type.dataType === dataType && isPlain(large.type) &&
          volume(large.type.shape) === volume(shape);
        if (!isLarge || !isSmall(small) || joined === undefined) continue;
        if (volume(joined) > SMALL * volume(shape)) continue;
        const both = site.tensor(op.name, [small, outer], { shape: joined, dataType });
        return site.tensor(op.name, [large, both], { shape, dataType });
      }
    }
    return undefined;
  },
});
