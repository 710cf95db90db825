// SPDX-License-Identifier: Apache-2.0
import { matrixExtents } from "../layout/extents.ts";
import { formatExtents } from "../layout/layout_error.ts";
import { MATMUL, SPARSE_MATMUL } from "./attributes/matmul.ts";
import { readAttributes } from "./attributes/read_attributes.ts";
import { defineOps, type OpDefinition } from "./definition.ts";
import { broadcastOrFault, type InferredShape, isShapeFault, type ShapedOp } from "./shape_inference.ts";
import { sameButLeadingOnes } from "./shapes.ts";

export type MatmulFamily = "matmul" | "sparse_matmul";

const CONFIG = { kind: "matmul", program: "matmul_program_config", searched: true } as const;

/** Matrix products. */
export const MATMUL_OPS: readonly OpDefinition<MatmulFamily>[] = [
  ...defineOps("matmul", "matmul", "matmul", {
    attributes: MATMUL,
    operands: ["activation", "weight"],
    inferShape: product,
    config: CONFIG,
  }),
  ...defineOps("linear", "matmul", "matmul", {
    attributes: MATMUL,
    operands: ["activation", "weight", "bias?"],
    inferShape: linear,
    config: CONFIG,
  }),
  ...defineOps("sparse_matmul", "sparse_matmul", "sparse_matmul", {
    attributes: SPARSE_MATMUL,
    operands: ["activation", "weight", "activation"],
    inferShape: productOfPairs,
    config: { kind: "matmul", program: "program_config", searched: false },
  }),
];

function product(op: ShapedOp): InferredShape {
  const [a, b] = op.operands;
  if (a === undefined || b === undefined || a.length < 2 || b.length < 2) return undefined;
  const { transpose_a, transpose_b } = readAttributes(op, MATMUL);
  const { rows: m, columns: k } = matrixExtents(a, transpose_a);
  const { rows: inner, columns: n } = matrixExtents(b, transpose_b);
  if (k !== inner) {
    return {
      fault: `inner dimensions of ${formatExtents(a)} and ${formatExtents(b)} differ: ${k} and ${inner}`,
    };
  }
  const batch = broadcastOrFault([a.slice(0, -2), b.slice(0, -2)]);
  return isShapeFault(batch) ? batch : [...batch, m, n];
}

/** Every batch of A with every batch of B. */
function productOfPairs(op: ShapedOp): InferredShape {
  const [a, b] = op.operands;
  const isSparse = readAttributes(op, SPARSE_MATMUL).is_input_a_sparse;
  if (a === undefined || b === undefined || a.length < 2 || b.length < 2 || isSparse) return undefined;
  const { rows: m, columns: k } = matrixExtents(a, false);
  const { rows: inner, columns: n } = matrixExtents(b, false);
  return k === inner ? [...a.slice(0, -2), ...b.slice(0, -2), m, n] : {
    fault: `inner dimensions of ${formatExtents(a)} and ${formatExtents(b)} differ: ${k} and ${inner}`,
  };
}

/**
 * The bias broadcasts with the product. Some versions keep the leading dimensions of 1 that it adds, others drop them.
 */
function linear(op: ShapedOp): InferredShape {
  const result = product(op);
  const bias = op.operands[2];
  if (result === undefined || isShapeFault(result) || bias === undefined) return result;
  const sum = broadcastOrFault([result, bias]);
  const onlyAddsOnes = !isShapeFault(sum) && sum.length > result.length && sameButLeadingOnes(sum, result);
  return onlyAddsOnes && (op.declared === undefined || sameButLeadingOnes(op.declared, sum))
    ? op.declared
    : sum;
}
