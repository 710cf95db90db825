// SPDX-License-Identifier: Apache-2.0
import { normalDim } from "../layout/extents.ts";
import { readBool, readInteger, readIntegers } from "../dialect/attribute_values.ts";
import { defineOps, type OpDefinition, operand, type OpFacts, optional } from "./definition.ts";
import { type InferShape, likeOperand } from "./shape_inference.ts";

/** Families of reductions. */
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
  dims: string,
  facts: OpFacts = { formatOf: 0 },
): readonly OpDefinition<ReductionFamily>[] {
  return defineOps(names, family, "reduction", { inferShape: reduced(dims), ...facts });
}

/** Ops that combine the elements of dimensions, order them, or choose among them. */
export const REDUCTION: readonly OpDefinition<ReductionFamily>[] = [
  ...reduction("sum mean max", "reduce", "dim_arg"),
  ...reduction("min", "min", "dim_arg"),
  ...reduction("prod", "prod", "dim_arg"),
  ...reduction("argmax", "argmax", "dim", {
    formatOf: "u32",
    deviceOperation: "ArgMaxDeviceOperation",
  }),
  ...defineOps("cumsum cumprod moreh_cumsum", "cumulative", "reduction", {
    requires: ["dim"],
    inferShape: likeOperand(0),
    formatOf: 0,
  }),
  ...defineOps("sort", "sort", "sort", { results: 2, inferShape: likeOperand(0), formatOf: 0 }),
  ...defineOps("topk", "topk", "sort", {
    requires: ["k"],
    results: 2,
    formatOf: 0,
    inferShape: ({ operands: [input], attributes }) => {
      const k = readInteger(attributes, "k");
      if (input === undefined || k === undefined) return undefined;
      const axis = normalDim(readInteger(attributes, "dim") ?? -1, input.length);
      return input.map((extent, dim) => dim === axis ? k : extent);
    },
  }),
  // Logits, their indices, and per user k, p and temperature.
  ...defineOps("sampling", "sampling", "sort", {
    operands: [
      operand("activation"),
      operand("index"),
      optional("index"),
      optional("index"),
      optional("index"),
    ],
  }),
];

/**
 * Shape without the reduced dimensions, or with 1 in their place.
 *
 * @param key property that names the dimensions, one or a list; all of them where it is absent
 */
function reduced(key: string): InferShape {
  return ({ operands: [input], attributes }) => {
    const keep = readBool(attributes, "keep_dim");
    if (input === undefined || keep === undefined) return undefined;
    const dims = (readIntegers(attributes, key) ?? input.map((_, dim) => dim)).map((dim) =>
      normalDim(dim, input.length)
    );
    const outside = dims.find((dim) => dim < 0 || dim >= input.length);
    if (outside !== undefined) return { fault: `dimension ${outside} is not one of the ${input.length}` };
    return keep
      ? input.map((extent, dim) => dims.includes(dim) ? 1 : extent)
      : input.filter((_, dim) => !dims.includes(dim));
  };
}
