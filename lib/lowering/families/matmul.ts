// SPDX-License-Identifier: Apache-2.0
import type { Properties } from "../../ttnn/op.ts";
import { broadcastShape, sameExtents, transposition, volume, withLeadingOnes } from "../../layout/extents.ts";
import { attributes, type AttributeTexts } from "../../dialect/printed_attributes.ts";
import type { FunctionLowering } from "../function_lowering.ts";
import { broadcasted, type LazyTensor, permuted, reshaped } from "../lazy_tensor.ts";
import { COMPUTE_CONFIG } from "../../dialect/compute_config_text.ts";
import type { LoweringRules } from "../lowering_rule.ts";
import type { TtirOp } from "../ttir_op.ts";

/** Matrix multiplications. */
export const MATMUL: LoweringRules = {
  "ttir.matmul": { lower: matmul, operands: 2 },
  "ttir.linear": { lower: linear },
  "ttir.dot_general": { lower: dotGeneral, operands: 2 },
};

function matmul(op: TtirOp, f: FunctionLowering): void {
  const { a, b, product, result } = matrices(op, f);
  op.expectShape(result);
  const type = { shape: product, element: op.resultType().element };
  const output = f.apply("matmul", [a.tensor, b.tensor], type, properties(a, b), weightType(op));
  f.defineResult(op, reshaped(output, result));
}

/** `ttnn.linear` adds a bias that broadcasts to the product; a larger bias takes a separate add. */
function linear(op: TtirOp, f: FunctionLowering): void {
  const { element } = op.resultType();
  const { a, b, product, result } = matrices(op, f);
  const operands = [a.tensor, b.tensor];
  const bias = op.operands.length > 2 ? f.operand(op, 2) : undefined;
  const isApart = bias !== undefined &&
    !(sameExtents(product, result) && sameExtents(broadcastShape([product, bias.shape]) ?? [], product));
  if (bias !== undefined && !isApart) operands.push(bias);
  const name = operands.length > 2 ? "linear" : "matmul";
  const type = { shape: product, element };
  const output = reshaped(f.apply(name, operands, type, properties(a, b), weightType(op)), result);
  f.defineResult(op, isApart ? f.elementwise("add", [output, bias], element) : output);
}

/**
 * Permutes and reshapes both sides to `[batch…, rows, columns]` (free and contracted dimensions flattened),
 * multiplies them, reshapes the product to the result. A contraction over one element is an elementwise
 * product.
 */
function dotGeneral(op: TtirOp, f: FunctionLowering): void {
  const { shape, element } = op.resultType();
  const lhs = side(op, f.operand(op, 0), "lhs");
  const rhs = side(op, f.operand(op, 1), "rhs");
  if (!sameExtents(lhs.batch, rhs.batch) || lhs.contracted !== rhs.contracted) {
    throw op.error("batch or contracted dimensions of both sides differ", "shape");
  }
  const rows = permuted(lhs.input, [...lhs.batchDims, ...lhs.freeDims, ...lhs.contractDims]);
  const columns = permuted(rhs.input, [...rhs.batchDims, ...rhs.contractDims, ...rhs.freeDims]);
  const left = reshaped(rows, [...lhs.batch, lhs.free, lhs.contracted]);
  const right = reshaped(columns, [...rhs.batch, rhs.contracted, rhs.free]);
  const product = [...lhs.batch, lhs.free, rhs.free];
  if (lhs.contracted === 1) {
    return f.defineResult(op, reshaped(f.elementwise("multiply", [left, right], element), shape));
  }
  const [a, b] = factors(left, right, false, false);
  const type = { shape: product, element };
  const output = f.apply("matmul", [a.tensor, b.tensor], type, properties(a, b), weightType(op));
  f.defineResult(op, reshaped(output, shape));
}

/** Two factors that the kernel multiplies. */
interface BatchedProduct {
  readonly a: ProductFactor;
  readonly b: ProductFactor;
  /** Shape of the kernel's result. */
  readonly product: readonly number[];
  /** Shape of the same elements in TTIR. */
  readonly result: readonly number[];
}

/** Both factors of a matmul, checked against each other, and the shape of their product. */
function matrices(op: TtirOp, f: FunctionLowering): BatchedProduct {
  const [transposeA, transposeB] = [op.flag("transpose_a"), op.flag("transpose_b")];
  const [given, right] = [f.operand(op, 0), f.operand(op, 1)];
  const vector = right.shape.length === 1;
  // Two vectors give a tensor of one element, of one dimension in TTIR and of none in ttnn, unless one of them is a row.
  // A vector before several matrices is a row in each of them.
  const isRow = given.shape.length === 1 && (vector || volume(right.shape.slice(0, -2)) > 1);
  const left = isRow ? reshaped(given, [1, ...given.shape]) : given;
  const ends = (shape: readonly number[], transposed: boolean): readonly [number, number] => {
    const [rows, columns] = [shape.at(-2) ?? 1, shape.at(-1) ?? 1];
    return transposed ? [columns, rows] : [rows, columns];
  };
  const [rows, depth] = ends(left.shape, transposeA);
  const [otherDepth, columns] = ends(right.shape, transposeB && right.shape.length > 1);
  const batch = broadcastShape([left.shape.slice(0, -2), right.shape.slice(0, -2)]);
  if (batch === undefined || (vector ? columns : otherDepth) !== depth) {
    throw op.error(`${left.shape.join("x")} and ${right.shape.join("x")} do not multiply`, "shape");
  }
  const last = vector ? [] : [columns];
  const product = [...batch, ...(left.shape.length > 1 ? [rows] : []), ...last];
  const result = isRow && !vector ? [...batch, ...last] : product;
  const [a, b] = factors(left, right, transposeA, transposeB);
  // One matrix on the right multiplies all on the left; several of them need as many dimensions there.
  if (volume(right.shape.slice(0, -2)) === 1) return { a, b, product, result };
  return {
    a: { ...a, tensor: inBatches(a.tensor, right, batch) },
    b: { ...b, tensor: inBatches(b.tensor, left, batch) },
    product,
    result,
  };
}

/**
 * A factor for the kernel, in all dimensions of the batch (`ttnn:backend-0-81-1`): both have equal batches, or one has a
 * single batch. Other broadcasts become repeats.
 */
function inBatches(factor: LazyTensor, other: LazyTensor, batch: readonly number[]): LazyTensor {
  const own = batchesOf(factor, batch.length);
  const others = batchesOf(other, batch.length);
  const matrix = factor.shape.slice(-2);
  const isPaired = volume(own) === 1 || volume(others) === 1 || sameExtents(own, others);
  const ranked = reshaped(factor, [...own, ...matrix]);
  return isPaired ? ranked : broadcasted(ranked, [...batch, ...matrix]);
}

function batchesOf({ shape }: LazyTensor, rank: number): readonly number[] {
  return withLeadingOnes(shape.slice(0, -2), rank);
}

interface Side {
  readonly input: LazyTensor;
  readonly batchDims: readonly number[];
  readonly contractDims: readonly number[];
  readonly freeDims: readonly number[];
  readonly batch: readonly number[];
  readonly free: number;
  readonly contracted: number;
}

function side(op: TtirOp, input: LazyTensor, which: "lhs" | "rhs"): Side {
  const rank = input.shape.length;
  const dims = (name: string): readonly number[] =>
    (op.integers(`${name}_${which}`) ?? []).map((dim) => op.dimension(dim, rank));
  const batchDims = dims("batch_dims");
  const contractDims = dims("contract_dims");
  const freeDims = input.shape.map((_, dim) => dim).filter((dim) =>
    !batchDims.includes(dim) && !contractDims.includes(dim)
  );
  const extents = (of: readonly number[]): readonly number[] => of.map((dim) => input.shape[dim] ?? 1);
  return {
    input,
    batchDims,
    contractDims,
    freeDims,
    batch: extents(batchDims),
    free: volume(extents(freeDims)),
    contracted: volume(extents(contractDims)),
  };
}

interface ProductFactor {
  readonly tensor: LazyTensor;
  readonly transposed: boolean;
}

/** Folds a permute of a factor's last two dimensions into `transpose_a` or `transpose_b`. */
function factors(
  a: LazyTensor,
  b: LazyTensor,
  transposeA: boolean,
  transposeB: boolean,
): [ProductFactor, ProductFactor] {
  const untransposed = (input: LazyTensor, transposed: boolean): ProductFactor => {
    const { form } = input;
    const rank = input.shape.length;
    const swapsLastTwo = form.kind === "permute" && rank >= 2 &&
      sameExtents(form.permutation, transposition(rank));
    return swapsLastTwo ? { tensor: form.source, transposed: !transposed } : { tensor: input, transposed };
  };
  return [untransposed(a, transposeA), untransposed(b, transposeB)];
}

function properties(a: ProductFactor, b: ProductFactor): Properties {
  return {
    compute_config: COMPUTE_CONFIG,
    transpose_a: a.transposed,
    transpose_b: b.transposed,
  };
}

/** The only discardable attribute that upstream carries over. */
function weightType(op: TtirOp): { readonly attributes: AttributeTexts } {
  const weightType = op.attributeText("ttcore.weight_dtype");
  return { attributes: attributes({ "ttcore.weight_dtype": weightType }) };
}
