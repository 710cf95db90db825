// SPDX-License-Identifier: Apache-2.0
import { CUMULATIVE } from "../../../ops/attributes/reduction.ts";
import { replacing, type RewritePattern } from "../../rewrite_pattern.ts";
import { dimensionOf, isFasterBeyondError, isPlain } from "../matching.ts";

/**
 * Sums up in blocks, and what the blocks before sum to, where that is faster: the kernel visits a tile for every position of
 * the dimension, one after the other. Decays of state space models and places of tokens among experts are such sums.
 */
export const cumsumInBlocks: RewritePattern = replacing({
  name: "cumsum-in-blocks",
  upstream: "none",
  roots: ["ttnn.cumsum"],
  pays: isFasterBeyondError,
  replace: (op, site, result) => {
    const input = op.tensorOperand(0);
    if (input === undefined || !isPlain(input.type) || !isPlain(result.type)) return undefined;
    const { shape, dataType } = result.type;
    const dim = dimensionOf(op, op.read(CUMULATIVE).dim);
    const count = shape[dim] ?? 1;
    const block = blockOf(count);
    if (block === undefined || input.type.dataType !== dataType) return undefined;
    const apart = [...shape.slice(0, dim), count / block, block, ...shape.slice(dim + 1)];
    const along = (at: number) => op.propertiesWith({ dim: at });
    const within = site.tensor(
      op.name,
      [site.reshape(input, apart)],
      { shape: apart, dataType },
      along(dim + 1),
    );
    const ends = site.slice(within, dim + 1, { from: block - 1, to: block });
    const first = site.full(ends.type.shape.with(dim, 1), dataType, 0);
    const shifted = site.tensor(
      "ttnn.concat",
      [first, site.slice(ends, dim, { from: 0, to: count / block - 1 })],
      ends.type,
      { dim },
    );
    const earlier = site.tensor(op.name, [shifted], ends.type, along(dim));
    return site.reshape(site.tensor("ttnn.add", [within, earlier], { shape: apart, dataType }), shape);
  },
});

/** Fewest positions that are worth blocks. */
const FEWEST = 64;

/** The divisor next below the square root. */
function blockOf(count: number): number | undefined {
  if (count < FEWEST) return undefined;
  for (let block = Math.floor(Math.sqrt(count)); block > 1; block--) if (count % block === 0) return block;
  return undefined;
}
