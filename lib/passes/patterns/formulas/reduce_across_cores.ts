// SPDX-License-Identifier: Apache-2.0
import { volume } from "../../../layout/extents.ts";
import type { TensorValue } from "../../../ttnn/value.ts";
import { type PassBuilder, replacing, type RewritePattern } from "../../rewrite_pattern.ts";
import { isFasterBeyondError, sparseDivisors } from "../matching.ts";
import { reduce, reductionOf, REDUCTIONS } from "../views/reduce_views.ts";

/** Makes a reduction of one dimension, which keeps it with one element. */
type ReduceAlong = (input: TensorValue, dim: number) => TensorValue;

/**
 * Three forms of a reduction of few wide rows, where they are predicted faster: the columns of the transpose; the row in
 * parts that become rows, and then their results; for maxima over a dimension before the last two, one half against the
 * other until one is left. One core reduces a row of tiles alone, and cores share a tall column (`ttnn:backend-0-81-1`). Sums and maxima of logits over a vocabulary are such reductions.
 */
export const reduceAcrossCores: RewritePattern = replacing({
  name: "reduce-across-cores",
  upstream: "none",
  roots: REDUCTIONS,
  pays: isFasterBeyondError,
  replace: (op, site, result) => {
    const found = reductionOf(op);
    const [dim, ...others] = found?.dims ?? [];
    if (found === undefined || dim === undefined || others.length > 0) return undefined;
    const { operand: input } = found;
    const pairwise = PAIRWISE[op.name];
    const reduced = site.fastest([
      ...formsAcrossCores(site, { input, dim }, (each, along) => reduce(site, op, each, [along], true)),
      ...pairwise !== undefined && dim < input.type.shape.length - 2
        ? [() => inHalves(site, input, dim, pairwise)]
        : [],
    ]);
    return reduced && site.reshape(reduced, result.type.shape);
  },
});

/**
 * Binary ops that reduce two tensors, of the reductions that the backend does along the last two dimensions alone: it
 * transposes others first (`ttnn:backend-0-81-1`).
 */
const PAIRWISE: Readonly<Record<string, string>> = { "ttnn.max": "maximum", "ttnn.min": "minimum" };

/** Reduces halves of a dimension before the last two to one, until one element of the dimension is left. */
function inHalves(site: PassBuilder, input: TensorValue, dim: number, pairwise: string): TensorValue {
  const extent = input.type.shape[dim] ?? 1;
  if (extent === 1) return input;
  const half = Math.floor(extent / 2);
  const part = (from: number, to: number) => site.slice(input, dim, { from, to });
  const both = site.binary(pairwise, part(0, half), part(half, 2 * half));
  const reduced = inHalves(site, both, dim, pairwise);
  return 2 * half === extent ? reduced : site.binary(pairwise, reduced, part(2 * half, extent));
}

/** The reduction of a tensor along a dimension, which keeps it with one element, in its fastest form. */
export function fastestReduction(
  site: PassBuilder,
  input: TensorValue,
  dim: number,
  reduction: ReduceAlong,
): TensorValue {
  const forms = formsAcrossCores(site, { input, dim }, reduction);
  return site.fastest([() => reduction(input, dim), ...forms]) ?? reduction(input, dim);
}

/** Forms of a reduction of a few wide rows that are spread over cores; none for another one. */
function formsAcrossCores(
  site: PassBuilder,
  { input, dim }: { readonly input: TensorValue; readonly dim: number },
  reduction: ReduceAlong,
): readonly (() => TensorValue)[] {
  const { shape } = input.type;
  const width = shape[dim] ?? 1;
  const rows = volume(shape) / width;
  if (dim !== shape.length - 1 || width < NARROWEST || rows > MOST_ROWS) return [];
  const matrix = () => site.reshape(input, [rows, width]);
  const made = (reduced: TensorValue) => site.reshape(reduced, shape.with(dim, 1));
  return [
    () => made(site.permute(reduction(site.permute(matrix(), [1, 0]), 0), [1, 0])),
    ...sparseDivisors(width, 2, MOST_PARTS).map((parts) => () => {
      const each = reduction(site.reshape(matrix(), [rows * parts, width / parts]), 1);
      return made(reduction(site.reshape(each, [rows, parts]), 1));
    }),
  ];
}

/** Width below which one core takes no longer than the launches of other forms. */
const NARROWEST = 4096;

/** Rows whose tiles keep half of the cores of a chip busy. */
const MOST_ROWS = 1024;

/** Most parts: from then on their results are as many as the elements of a part. */
const MOST_PARTS = 512;
