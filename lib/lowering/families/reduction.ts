// SPDX-License-Identifier: Apache-2.0
import type { Properties } from "../../ttnn/op.ts";
import { volume } from "../../layout/extents.ts";
import { isFloat } from "../../layout/data_type.ts";
import { rankFormat } from "../../ops/rank_format.ts";
import { BF16, F32, type FunctionLowering, SI32, U16, U32 } from "../function_lowering.ts";
import { type LazyTensor, permuted, reshaped } from "../lazy_tensor.ts";
import { COMPUTE_CONFIG } from "../../dialect/compute_config_text.ts";
import { becomes, type LoweringRule, type LoweringRules } from "../lowering_rule.ts";
import type { TtirOp } from "../ttir_op.ts";

/** Reductions, scans and orderings. */
export const REDUCTION: LoweringRules = {
  "ttir.sum": reduction("sum"),
  "ttir.mean": reduction("mean"),
  "ttir.max": reduction("max"),
  "ttir.min": reduction("min"),
  // Booleans are 0 and 1 in bf16: a sum that is not zero is true.
  "ttir.reduce_or": reduction("sum"),
  "ttir.reduce_and": { lower: product, operands: 1 },
  "ttir.prod": { lower: product, operands: 1 },
  "ttir.argmax": { lower: argmax, operands: 1 },
  "ttir.cumsum": scan("cumsum"),
  "ttir.cumprod": scan("cumprod"),
  "ttir.softmax": { lower: softmax, operands: 1 },
  "ttir.topk": { lower: topk, operands: 1 },
  "ttir.sort": { lower: sort, operands: 1 },
};

function reduction(name: string): LoweringRule {
  return {
    operands: 1,
    lower: (op, f) => {
      const input = f.operand(op, 0);
      const dims = op.integers("dim_arg") ?? op.integers("dim");
      const { shape: given, element } = op.resultType();
      const shape = reducedShape(op, input, dims);
      // Older generations had no tensors of rank zero.
      if (shape.length > 0 || given.join() !== "1") op.expectShape(shape);
      const reduced = f.apply(name, [input], { shape, element }, {
        compute_config: COMPUTE_CONFIG,
        dim_arg: dims === undefined ? undefined : dims,
        keep_dim: op.flag("keep_dim"),
      });
      f.defineResult(op, reshaped(reduced, given));
    },
  };
}

/** Shape after a reduction of some dimensions, or all. */
function reducedShape(op: TtirOp, input: LazyTensor, dims: readonly number[] | undefined): readonly number[] {
  const rank = input.shape.length;
  const given = (dims ?? input.shape.keys().toArray()).map((dim) => op.dimension(dim, rank));
  const reduced = new Set(given);
  if (reduced.size < given.length) {
    throw op.error(`it reduces a dimension twice: ${given.join(", ")}`, "attribute");
  }
  return op.flag("keep_dim")
    ? input.shape.map((extent, dim) => (reduced.has(dim) ? 1 : extent))
    : input.shape.filter((_, dim) => !reduced.has(dim));
}

/** The kernel takes one dimension, or all, of bf16. */
function product(op: TtirOp, f: FunctionLowering): void {
  const { shape, element } = op.resultType();
  let current = f.typecast(f.operand(op, 0), BF16);
  const rank = current.shape.length;
  const given = op.integers("dim_arg") ?? current.shape.map((_, dim) => dim);
  const dims = [...new Set(given.map((dim) => op.dimension(dim, rank)))].sort((a, b) => b - a);
  for (const dim of dims) {
    const reduced = current.shape.map((extent, at) => (at === dim ? 1 : extent));
    current = f.apply("prod", [current], { shape: reduced, element: BF16 }, {
      dim_arg: dim,
      keep_dim: true,
    });
  }
  f.defineResult(op, f.typecast(reshaped(current, shape), element));
}

/** The kernel reduces the last dimension of rows and gives row-major unsigned indices. */
function argmax(op: TtirOp, f: FunctionLowering): void {
  const { shape, element } = op.resultType();
  const given = f.operand(op, 0);
  let input = given.element.dataType === "u8" ? f.typecast(given, SI32) : given;
  const rank = input.shape.length;
  const dims = (op.integers("dim_arg") ?? input.shape.map((_, dim) => dim)).map((dim) =>
    op.dimension(dim, rank)
  );
  const [dim = 0] = dims;
  if (dims.length > 1) {
    if (dims.length !== rank) throw op.error("it reduces several dimensions but not all");
    input = reshaped(input, [volume(input.shape)]);
  } else if (dim !== rank - 1) {
    input = permuted(input, [...input.shape.keys().filter((other) => other !== dim), dim]);
  }
  const last = input.shape.length - 1;
  const properties = { dim: last, keep_dim: true };
  const type = { shape: input.shape.with(last, 1), element: U32 };
  const found = f.apply("argmax", [f.rowMajor(input)], type, properties, { place: { rowMajor: true } });
  f.defineResult(op, f.typecast(reshaped(found, shape), element));
}

function scan(name: string): LoweringRule {
  return becomes(name, 1, (op) => ({
    dim: op.dimension(op.requiredInteger("dim"), op.resultType().shape.length),
  }));
}

function softmax(op: TtirOp, f: FunctionLowering): void {
  const { shape } = f.operand(op, 0);
  op.expectShape(shape);
  const dimension = op.requiredInteger("dimension", "dim");
  op.dimension(dimension, shape.length);
  f.replace(op, "softmax", [f.operand(op, 0)], {
    compute_config: COMPUTE_CONFIG,
    dimension,
    numericStable: op.flag("numericStable"),
  });
}

function topk(op: TtirOp, f: FunctionLowering): void {
  const k = op.requiredInteger("k");
  const { shape } = f.operand(op, 0);
  const dim = op.dimension(op.integer("dim") ?? -1, shape.length);
  const extent = shape[dim] ?? 1;
  if (k < 1 || k > extent) throw op.error(`it asks for ${k} of ${extent}`, "attribute");
  op.expectShape(shape.with(dim, k));
  orderedPair(op, f, "topk", {
    dim: op.integer("dim") ?? -1,
    k,
    largest: op.flag("largest", true),
    sorted: op.flag("sorted"),
  });
}

function sort(op: TtirOp, f: FunctionLowering): void {
  op.expectShape(f.operand(op, 0).shape);
  orderedPair(op, f, "sort", {
    descending: op.flag("descending"),
    dim: op.integer("dim") ?? -1,
    stable: op.flag("stable"),
  });
}

/**
 * Values in bf16, or in f32 for whole numbers that bf16 does not hold: kernels order hardly any
 * (`ttnn:backend-0-81-1`); unsigned indices, as wide as the kernel gives them ({@linkcode rankFormat}).
 */
function orderedPair(
  op: TtirOp,
  f: FunctionLowering,
  family: "sort" | "topk",
  properties: Properties,
): void {
  const input = f.operand(op, 0);
  const { dataType } = input.element;
  const stored = f.typecast(input, isFloat(dataType) || dataType === "u8" ? BF16 : F32);
  const dim = op.dimension(op.integer("dim") ?? -1, input.shape.length);
  const narrow = rankFormat(family, stored.element.dataType, input.shape[dim] ?? 1) === "u16" ? U16 : U32;
  f.replaceMany(
    op,
    family,
    [stored],
    properties,
    ({ shape }, index) => f.type(shape, index === 0 ? stored.element : narrow),
    2,
  );
}
