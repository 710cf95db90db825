// SPDX-License-Identifier: Apache-2.0
import { CONCAT } from "../../../ops/attributes/movement.ts";
import { sameExtents } from "../../../layout/extents.ts";
import { roundUp } from "../../../layout/make_layout.ts";
import type { TtnnOp } from "../../../ttnn/op.ts";
import type { TensorValue } from "../../../ttnn/value.ts";
import { type PassBuilder, replacing, type RewritePattern } from "../../rewrite_pattern.ts";
import { cutOf, dimensionOf, eitherOrder, madeBy } from "../matching.ts";

/** Rows of a tile. */
const TILE = 32;

/**
 * `x cos + concat(−second half of x, first half of x) sin` → `rotary_embedding` (tt-mlir:ttnn-fusing). For
 * one position per user, heads become rows, and all rows use row `token_index` of cosines and sines. The
 * kernel returns whole tile rows; a slice drops the padding.
 */
export const fuseRotaryEmbedding: RewritePattern = replacing({
  name: "fuse-rotary-embedding",
  upstream: "level-1",
  roots: ["ttnn.add"],
  replace: (op, site, result) => {
    for (const [straight, crossed] of eitherOrder(op)) {
      const found = matchRotation(straight, crossed);
      const rows = found !== undefined && fits(found, result) ? rotated(site, found) : undefined;
      if (rows !== undefined) return rows;
    }
    return undefined;
  },
});

interface Rotation {
  readonly input: TensorValue;
  readonly cosine: TensorValue;
  readonly sine: TensorValue;
}

function matchRotation(straight: TensorValue, crossed: TensorValue): Rotation | undefined {
  const [first, second] = [madeBy(straight, "multiply"), madeBy(crossed, "multiply")];
  if (first === undefined || second === undefined) return undefined;
  for (const [rotatedRows, sine] of eitherOrder(second)) {
    const input = rotationInput(rotatedRows);
    if (input === undefined) continue;
    for (const [same, cosine] of eitherOrder(first)) if (same === input) return { input, cosine, sine };
  }
  return undefined;
}

/** `x` of `concat(-second half of x, first half of x)` over the last dimension. */
function rotationInput(value: TensorValue): TensorValue | undefined {
  const concat = madeBy(value, "concat");
  const rank = value.type.shape.length;
  if (
    concat === undefined || concat.operands.length !== 2 ||
    dimensionOf(concat, concat.read(CONCAT).dim) !== rank - 1
  ) {
    return undefined;
  }
  const [back, front] = [
    madeBy(madeBy(concat.operands[0], "neg")?.operands[0], "slice_static"),
    concat.operands[1]?.producer,
  ];
  const input = back?.tensorOperand(0);
  const size = input?.type.shape.at(-1) ?? 0;
  const cuts = (op: TtnnOp | undefined, from: number, to: number): boolean => {
    const cut = cutOf(op);
    return cut !== undefined && cut.dim === rank - 1 && cut.from === from && cut.to === to;
  };
  const halves = front?.operands[0] === input && cuts(back, size / 2, size) && cuts(front, 0, size / 2);
  return halves ? input : undefined;
}

/**
 * Whether shapes suit the kernel: `[batch, heads, positions, size]`, with one row of cosines and sines per
 * position, shared by all users or per user.
 */
function fits({ input, cosine, sine }: Rotation, result: TensorValue): boolean {
  const { shape, dataType } = input.type;
  const [batch = 1, , rows = 1, size = 1] = shape;
  const tables = [[1, 1, rows, size], [batch, 1, rows, size]];
  return shape.length === 4 && sameExtents(result.type.shape, shape) && result.type.dataType === dataType &&
    tables.some((table) =>
      [cosine, sine].every(({ type }) => sameExtents(type.shape, table) && type.dataType === dataType)
    );
}

function rotated(site: PassBuilder, { input, cosine, sine }: Rotation): TensorValue | undefined {
  const [batch = 1, heads = 1, positions, size = 1] = input.type.shape;
  const isOnePosition = positions === 1 && cosine.type.shape[0] === 1;
  const rows = isOnePosition ? site.reshape(input, [1, batch, heads, size]) : input;
  const { shape, dataType } = rows.type;
  const count = shape.at(-2) ?? 1;
  const whole = site.type(shape.with(-2, roundUp(count, TILE)), dataType);
  const properties = isOnePosition ? { token_index: 0 } : {};
  const made = site.opIfLegal("ttnn.rotary_embedding", [rows, cosine, sine], whole, properties);
  return made && site.reshape(site.slice(made, -2, { from: 0, to: count }), input.type.shape);
}
