// SPDX-License-Identifier: Apache-2.0
import { isFloat } from "../../layout/data_type.ts";
import { volume } from "../../layout/extents.ts";
import { roundUp } from "../../layout/make_layout.ts";
import { BF16, type FunctionLowering, splat, U32 } from "../function_lowering.ts";
import { broadcasted, type LazyTensor, reshaped } from "../lazy_tensor.ts";
import type { LoweringRules } from "../lowering_rule.ts";
import type { TtirOp } from "../ttir_op.ts";

/** Table look-ups. Indices are row-major `ui32`, the table is row-major bf16. */
export const EMBEDDING: LoweringRules = {
  "ttir.embedding": { lower: embedding, operands: 2 },
  "ttir.embedding_backward": { lower: embeddingBackward, operands: 3 },
};

function embedding(op: TtirOp, f: FunctionLowering): void {
  const { shape, element } = op.resultType();
  const rows = reshaped(lookUp(f, f.operand(op, 0), f.operand(op, 1)), shape);
  f.defineResult(op, f.typecast(rows, element));
}

/** Rows of a table, `[…indices, width]`: floats in bf16, whole numbers as they are. */
export function lookUp(f: FunctionLowering, indices: LazyTensor, table: LazyTensor): LazyTensor {
  const width = table.shape.at(-1) ?? 1;
  if (!isFloat(table.element.dataType)) return gatheredRows(f, indices, table, width);
  // The kernel takes indices of rank one or two, of more only the first and last extent; one of one adds nothing.
  const last = indices.shape.at(-1) ?? 1;
  const count = volume(indices.shape);
  const flat = count === last ? [last] : [count / last, last];
  const rows = f.rowMajor(reshaped(f.typecast(indices, U32), flat));
  const type = { shape: [...flat, width], element: BF16 };
  const matrix = reshaped(f.typecast(table, BF16), table.shape.slice(-2));
  const found = f.apply("embedding", [rows, f.rowMajor(matrix)], type);
  return reshaped(found, [...indices.shape, width]);
}

/** The kernel of `embedding` takes no whole numbers, and bf16 holds only eight bits of them; `gather` takes all. */
function gatheredRows(
  f: FunctionLowering,
  indices: LazyTensor,
  table: LazyTensor,
  width: number,
): LazyTensor {
  const shape = [volume(indices.shape), width];
  const places = broadcasted(reshaped(f.typecast(indices, U32), shape.with(1, 1)), shape);
  const rows = reshaped(table, table.shape.slice(-2));
  const found = f.apply("gather", [rows, places], { shape, element: table.element }, { dim: 0 });
  return reshaped(found, [...indices.shape, width]);
}

/** Indices that the kernel of the gradient takes at a time. */
const INDEX_ROW = 32;

/**
 * Gradients row by row: everything as rank four. Rows of indices that the kernel does not take are one row, filled up
 * with places to which nothing is added.
 */
function embeddingBackward(op: TtirOp, f: FunctionLowering): void {
  const { shape, element } = op.resultType();
  const [indices, table, gradient] = [f.operand(op, 0), f.operand(op, 1), f.operand(op, 2)];
  const width = gradient.shape.at(-1) ?? 1;
  const count = volume(indices.shape);
  const own = indices.shape.at(-1) ?? 1;
  const last = own % INDEX_ROW === 0 ? own : roundUp(count, INDEX_ROW);
  const places = reshaped(f.typecast(indices, U32), [1, count]);
  const filled = roundUp(count, last);
  const rows = f.rowMajor(reshaped(filledUp(f, places, 1, filled), [filled / last, 1, 1, last]));
  const weight = f.typecast(table, BF16);
  const flat = filledUp(f, f.typecast(reshaped(gradient, [1, 1, count, width]), BF16), 2, filled);
  const type = { shape: [1, 1, ...table.shape.slice(-2)], element: BF16 };
  const output = f.apply("embedding_bw", [rows, weight, flat], type);
  f.defineResult(op, f.typecast(reshaped(output, shape), element));
}

/** A tensor with zeros behind it along a dimension. */
function filledUp(f: FunctionLowering, input: LazyTensor, dim: number, extent: number): LazyTensor {
  const missing = extent - (input.shape[dim] ?? 1);
  if (missing === 0) return input;
  const { element } = input;
  return f.apply("concat", [input, splat(input.shape.with(dim, missing), element, 0)], {
    shape: input.shape.with(dim, extent),
    element,
  }, { dim: dim });
}
