// SPDX-License-Identifier: Apache-2.0
import { CONCAT, RESHAPE, SLICE } from "../../../ops/attributes/movement.ts";
import { CUMULATIVE } from "../../../ops/attributes/reduction.ts";
import { makeAttributes } from "../../../ops/attributes/print_attributes.ts";
import type { AttributeMap } from "../../../ir/mod.ts";
import { tensorType } from "../../../ttnn/tensor_type.ts";
import type { TtnnTensorType } from "../../../ttnn/value.ts";
import type { PassContext } from "../../graph_pass.ts";
import { replacing, type RewritePattern } from "../../rewrite_pattern.ts";
import { dimensionOf, isFasterBeyondError, isPlain, predictedMicroseconds } from "../matching.ts";

/**
 * Sums up in blocks, and what the blocks before sum to, where that is faster: the kernel visits a tile for every position of
 * the dimension, one after the other. Decays of state space models and places of tokens among experts are such sums.
 */
export const cumsumInBlocks: RewritePattern = replacing({
  name: "cumsum-in-blocks",
  upstream: "none",
  roots: ["ttnn.cumsum"],
  replace: (op, site, result) => {
    const input = op.tensorOperand(0);
    if (input === undefined || !isPlain(input.type) || !isPlain(result.type)) return undefined;
    const { shape, dataType } = result.type;
    const dim = dimensionOf(op, op.read(CUMULATIVE).dim);
    const count = shape[dim] ?? 1;
    const block = blockOf(count);
    if (block === undefined || input.type.dataType !== dataType) return undefined;
    const apart = [...shape.slice(0, dim), count / block, block, ...shape.slice(dim + 1)];
    const before = predictedMicroseconds(op, site.context) ?? 0;
    if (!isFasterBeyondError(microsecondsOf(apart, dim, shape, dataType, site.context), before)) {
      return undefined;
    }
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

/** Predicted µs of the ops that take the place of one. */
function microsecondsOf(
  apart: readonly number[],
  dim: number,
  shape: readonly number[],
  dataType: TtnnTensorType["dataType"],
  context: PassContext,
): number {
  const type = (extents: readonly number[]): TtnnTensorType => tensorType(context.chip, extents, dataType);
  const time = (
    name: string,
    operands: readonly TtnnTensorType[],
    made: TtnnTensorType,
    attributes: AttributeMap = new Map(),
  ): number => context.microseconds({ name, operands, results: [made], attributes }) ?? Infinity;
  const [whole, blocks, ends] = [type(shape), type(apart), type(apart.with(dim + 1, 1))];
  const zeros = apart.map(() => 0);
  const last = (apart[dim + 1] ?? 1) - 1;
  const step = apart.map(() => 1);
  return time("ttnn.reshape", [whole], blocks, makeAttributes(RESHAPE, { shape: apart })) +
    time("ttnn.cumsum", [blocks], blocks, makeAttributes(CUMULATIVE, { dim: dim + 1 })) +
    time(
      "ttnn.slice_static",
      [blocks],
      ends,
      makeAttributes(SLICE, { begins: zeros.with(dim + 1, last), ends: apart, step }),
    ) +
    // What is cut of them takes no longer than all of them.
    time(
        "ttnn.concat",
        [type(ends.shape.with(dim, 1)), type(ends.shape.with(dim, (apart[dim] ?? 1) - 1))],
        ends,
        makeAttributes(CONCAT, { dim }),
      ) * 2 +
    time("ttnn.cumsum", [ends], ends, makeAttributes(CUMULATIVE, { dim })) +
    time("ttnn.add", [blocks, ends], blocks) +
    time("ttnn.reshape", [blocks], whole, makeAttributes(RESHAPE, { shape }));
}
