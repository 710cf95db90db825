// SPDX-License-Identifier: Apache-2.0
import { MATMUL } from "../../../ops/attributes/matmul.ts";
import { sameExtents, volume } from "../../../layout/extents.ts";
import { sameShape, type TensorValue } from "../../../ttnn/value.ts";
import { type PassBuilder, replacing, type RewritePattern } from "../../rewrite_pattern.ts";
import { eitherOrder, isPlain, madeBelowReshape, madeBy } from "../matching.ts";

/**
 * `matmul(a, b) + bias` → `linear(a, b, bias)` (tt-mlir: `MatmulWithBiasFusionPattern`); a reshape in between
 * moves after the linear. The kernel adds a bias only if B is a single matrix.
 */
export const fuseLinear: RewritePattern = replacing({
  name: "fuse-linear",
  upstream: "level-0",
  roots: ["ttnn.add"],
  replace: (op, site, result) => {
    for (const [product, addend] of eitherOrder(op)) {
      const matmul = madeBelowReshape(product, "matmul");
      const [multiplied, right] = [matmul?.tensorResult, matmul?.tensorOperand(1)];
      if (matmul === undefined || multiplied === undefined || right === undefined) continue;
      const width = product.type.shape.at(-1) ?? 1;
      const { dataType, shape } = multiplied.type;
      const fits = multiplied.onlyUser !== undefined && sameShape(product, result) &&
        shape.at(-1) === width && isRow(addend, width) && volume(right.type.shape.slice(0, -2)) === 1 &&
        [addend, result, multiplied].every(({ type }) => type.dataType === dataType && isPlain(type)) &&
        matmul.read(MATMUL).activation === undefined;
      if (!fits) continue;
      const operands = [...matmul.operands, biasOf(addend, width, shape.length, site)];
      const { properties, attributes } = matmul;
      const linear = site.op("ttnn.linear", operands, site.type(shape, dataType), properties, attributes);
      return site.reshape(linear, result.type.shape);
    }
    return undefined;
  },
});

function isRow(tensor: TensorValue, width: number): boolean {
  return tensor.type.shape.at(-1) === width && volume(tensor.type.shape) === width;
}

/** The bias without the reshape that made it broadcast, and of no more dimensions than the product: the result would have them all. */
function biasOf(addend: TensorValue, width: number, rank: number, site: PassBuilder): TensorValue {
  const below = madeBy(addend, "reshape")?.tensorOperand(0);
  if (below !== undefined && sameExtents(below.type.shape, [width])) return below;
  return addend.type.shape.length > rank ? site.reshape(addend, addend.type.shape.slice(-rank)) : addend;
}
