// SPDX-License-Identifier: Apache-2.0
import { CONCAT } from "../../../ops/attributes/movement.ts";
import { volume } from "../../../layout/extents.ts";
import { replacing, type RewritePattern } from "../../rewrite_pattern.ts";
import { dimensionOf, isFasterBeyondError, isPlain, madeBy } from "../matching.ts";

/**
 * Stacks tensors along a new dimension (`jnp.stack`) by a concat of their rows side by side, and splits those, where that is
 * faster: in tiles, `[512, 1, 64]` pads every row to 32 before the concat, and `[512, 9 · 64]` none.
 */
export const stackBeside: RewritePattern = replacing({
  name: "stack-beside",
  upstream: "none",
  roots: ["ttnn.concat"],
  pays: isFasterBeyondError,
  replace: (op, site, result) => {
    const dim = dimensionOf(op, op.read(CONCAT).dim);
    const { shape } = result.type;
    const [rows, width] = [volume(shape.slice(0, dim)), volume(shape.slice(dim + 1))];
    if (!isPlain(result.type) || dim === shape.length - 1 || rows === 1 || width === 1) return undefined;
    const parts = op.tensorOperands;
    const areSingle = parts.every(({ type }) =>
      isPlain(type) && type.shape[dim] === 1 && type.dataType === result.type.dataType
    );
    if (!areSingle || parts.length < 2 || parts.every((part) => madeBy(part, "reshape") === undefined)) {
      return undefined;
    }
    const beside = parts.map((part) => {
      const source = madeBy(part, "reshape")?.tensorOperand(0);
      const below = source !== undefined && isPlain(source.type) ? source : part;
      return site.reshape(below, [rows, width]);
    });
    return site.reshape(site.inferred(op.name, beside, { dim: 1 }), shape);
  },
});
