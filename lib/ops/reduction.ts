// SPDX-License-Identifier: Apache-2.0
import { normalDim } from "../layout/extents.ts";
import { ARGMAX, CUMULATIVE, PRODUCT, REDUCE, SORT, TOPK } from "./attributes/reduction.ts";
import { readAttributes } from "./attributes/read_attributes.ts";
import { defineOps, type DefinitionFields, type OpDefinition } from "./definition.ts";
import { allIn, ANY_FLOATS, anyOf } from "./operand_formats.ts";
import { type InferredShape, likeOperand, type ShapedOp } from "./shape_inference.ts";

export type ReductionFamily =
  | "reduce"
  | "min"
  | "prod"
  | "argmax"
  | "cumulative"
  | "sort"
  | "topk"
  | "sampling";

function reduction(
  names: string,
  family: ReductionFamily,
  facts: DefinitionFields,
): readonly OpDefinition<ReductionFamily>[] {
  return defineOps(names, family, "reduction", { formatOf: 0, ...facts });
}

/** Formats of sums and extremes; means take floats only. */
const REDUCED = anyOf(ANY_FLOATS, allIn("si32", "u32"));

/** Ops that combine the elements of dimensions, order them, or choose among them. */
export const REDUCTION: readonly OpDefinition<ReductionFamily>[] = [
  ...reduction("sum max", "reduce", { attributes: REDUCE, inferShape: reducedByList, takesFormats: REDUCED }),
  ...reduction("mean", "reduce", { attributes: REDUCE, inferShape: reducedByList, takesFormats: ANY_FLOATS }),
  ...reduction("min", "min", { attributes: REDUCE, inferShape: reducedByList, takesFormats: REDUCED }),
  ...reduction("prod", "prod", {
    attributes: PRODUCT,
    takesFormats: allIn("bf16", "f32", "bfp_bf8"),
    inferShape: (op) => {
      const { dim_arg: dim, keep_dim: keep } = readAttributes(op, PRODUCT);
      return reduced(op, dim === undefined ? undefined : [dim], keep);
    },
  }),
  ...reduction("argmax", "argmax", {
    attributes: ARGMAX,
    inferShape: (op) => {
      const { dim, keep_dim: keep } = readAttributes(op, ARGMAX);
      return reduced(op, dim === undefined ? undefined : [dim], keep);
    },
    formatOf: "u32",
    deviceOperation: "ArgMaxDeviceOperation",
  }),
  ...defineOps("cumsum cumprod moreh_cumsum", "cumulative", "reduction", {
    attributes: CUMULATIVE,
    inferShape: likeOperand(0),
    formatOf: 0,
  }),
  ...defineOps("sort", "sort", "sort", {
    attributes: SORT,
    takesFormats: allIn("bf16", "f32", "u16"),
    results: 2,
    inferShape: likeOperand(0),
    formatOf: 0,
  }),
  ...defineOps("topk", "topk", "sort", {
    attributes: TOPK,
    takesFormats: ANY_FLOATS,
    deviceOperation: "TopKDeviceOperation",
    results: 2,
    formatOf: 0,
    inferShape: (op) => {
      const [input] = op.operands;
      const { k, dim: axis } = readAttributes(op, TOPK);
      return input?.with(normalDim(axis, input.length), k);
    },
  }),
  // Logits, their indices, and per user k, p and temperature.
  ...defineOps("sampling", "sampling", "sort", {
    operands: ["activation", "index", "index?", "index?", "index?"],
  }),
];

/** Shape of a result whose op lists the reduced dimensions. */
export function reducedByList(op: ShapedOp): InferredShape {
  const { dim_arg: dims, keep_dim: keep } = readAttributes(op, REDUCE);
  return reduced(op, dims, keep);
}

/**
 * Shape without the reduced dimensions, or with 1 in their place.
 *
 * @param named `undefined` for all of them
 */
function reduced(
  { operands: [input] }: ShapedOp,
  named: readonly number[] | undefined,
  keep: boolean | undefined,
): InferredShape {
  if (input === undefined || keep === undefined) return undefined;
  const dims = named?.map((dim) => normalDim(dim, input.length)) ?? [...input.keys()];
  const outside = dims.find((dim) => dim < 0 || dim >= input.length);
  if (outside !== undefined) return { fault: `dimension ${outside} is not one of the ${input.length}` };
  return keep
    ? input.map((extent, dim) => dims.includes(dim) ? 1 : extent)
    : input.filter((_, dim) => !dims.includes(dim));
}
