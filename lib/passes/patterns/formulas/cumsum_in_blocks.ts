// SPDX-License-Identifier: Apache-2.0
import { TILE } from "../../../layout/tile_shape.ts";
import { volume } from "../../../layout/extents.ts";
import { CUMULATIVE } from "../../../ops/attributes/reduction.ts";
import type { TensorValue } from "../../../ttnn/value.ts";
import { type PassBuilder, replacing, type RewritePattern } from "../../rewrite_pattern.ts";
import { dimensionOf, isFasterBeyondError, isPlain, sparseDivisors } from "../matching.ts";

/** Sums up along a dimension. */
type Cumsum = (input: TensorValue, dim: number) => TensorValue;

/**
 * Sums up in blocks, and what the blocks before sum to, or across tiles, where that is faster: the kernel visits a tile for
 * every position of the dimension, one after the other, and inside of tiles one that holds little else. Decays of state space
 * models and places of tokens among experts are such sums.
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
    if (input.type.dataType !== dataType) return undefined;
    const plain: Cumsum = (each, along) =>
      site.tensor(op.name, [each], each.type, op.propertiesWith({ dim: along }));
    const across: Cumsum = (each, along) => acrossTiles(site, each, along, plain);
    const count = shape[dim] ?? 1;
    const blocks = count < FEWEST.positions ? [] : sparseDivisors(count, FEWEST.inBlock, count / 2);
    const forms = [
      ...othersFillTiles(input, dim) ? [() => across(input, dim)] : [],
      ...blocks.flatMap((block) =>
        [plain, across].map((sum) => () => inBlocks(site, input, { dim, block }, sum))
      ),
    ];
    return site.fastest(forms);
  },
});

/** Sums up within blocks of a dimension, and adds what the blocks before sum to. */
function inBlocks(
  site: PassBuilder,
  input: TensorValue,
  { dim, block }: { readonly dim: number; readonly block: number },
  cumsum: Cumsum,
): TensorValue {
  const { shape, dataType } = input.type;
  const blocks = (shape[dim] ?? 1) / block;
  const apart = [...shape.slice(0, dim), blocks, block, ...shape.slice(dim + 1)];
  const within = cumsum(site.reshape(input, apart), dim + 1);
  const ends = site.slice(within, dim + 1, { from: block - 1, to: block });
  const first = site.full(ends.type.shape.with(dim, 1), dataType, 0);
  const before = [first, site.slice(ends, dim, { from: 0, to: blocks - 1 })];
  const earlier = cumsum(site.tensor("ttnn.concat", before, ends.type, { dim }), dim);
  return site.reshape(site.tensor("ttnn.add", [within, earlier], within.type), shape);
}

/** Whether what lies beside a dimension fills tiles. */
function othersFillTiles({ type: { shape } }: TensorValue, dim: number): boolean {
  return volume(shape.toSpliced(dim, 1)) % TILE === 0;
}

/** Sums up along a dimension in front of tiles of all others, if they fill tiles. */
function acrossTiles(site: PassBuilder, input: TensorValue, dim: number, cumsum: Cumsum): TensorValue {
  if (!othersFillTiles(input, dim)) return cumsum(input, dim);
  const { shape } = input.type;
  const count = shape[dim] ?? 1;
  const plane = [volume(shape) / count / TILE, TILE];
  if (dim === shape.length - 1) {
    const tiles = site.permute(site.reshape(input, [...plane, count]), [2, 0, 1]);
    return site.reshape(site.permute(cumsum(tiles, 0), [1, 2, 0]), shape);
  }
  const others = shape.map((_, at) => at).toSpliced(dim, 1);
  const moved = dim === 0 ? input : site.permute(input, [dim, ...others]);
  const summed = site.reshape(cumsum(site.reshape(moved, [count, ...plane]), 0), moved.type.shape);
  return dim === 0
    ? summed
    : site.permute(summed, shape.map((_, at) => at === dim ? 0 : others.indexOf(at) + 1));
}

/** Fewest positions that are worth blocks, and fewest positions of a block. */
const FEWEST = { positions: 64, inBlock: 8 };
