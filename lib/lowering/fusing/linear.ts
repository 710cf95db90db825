// SPDX-License-Identifier: Apache-2.0
import { sameExtents, volume } from "../../layout/extents.ts";
import type { TtnnTensor } from "../emit/ttnn_value.ts";
import { eitherOrder, newOp, type OpGraph, type Pattern, resultOf, tensorOperand } from "./op_graph.ts";

/** `matmul(a, b) + bias` is `linear(a, b, bias)`; a reshape between them goes behind the linear. */
export const linear: Pattern = (op, graph) => {
  if (op.name !== "ttnn.add") return undefined;
  const result = resultOf(op);
  for (const [product, addend] of eitherOrder(op)) {
    const matmul = graph.madeBelowReshape(product, "matmul");
    const multiplied = matmul === undefined ? undefined : resultOf(matmul);
    if (matmul === undefined || multiplied === undefined || result === undefined) continue;
    const width = multiplied.type.shape.at(-1) ?? 1;
    const fits = graph.usedOnce(matmul) && sameExtents(product.type.shape, result.type.shape) &&
      product.type.shape.at(-1) === width && isRow(addend, width) && isMatrix(tensorOperand(matmul, 1)) &&
      addend.type.element === multiplied.type.element && result.type.element === multiplied.type.element;
    if (!fits) continue;
    const operands = [...matmul.operands, biasOf(addend, width, graph)];
    if (product === multiplied) return [{ ...matmul, name: "ttnn.linear", operands, results: op.results }];
    const reshape = graph.made(product, "reshape");
    if (reshape === undefined) continue;
    const fused = newOp(op, "linear", operands, multiplied.type, matmul.properties);
    const carried = { ...fused.op, attributes: matmul.attributes };
    return [carried, { ...reshape, operands: [fused.result], results: op.results }];
  }
  return undefined;
};

function isRow(tensor: TtnnTensor, width: number): boolean {
  return tensor.type.shape.at(-1) === width && volume(tensor.type.shape) === width;
}

/** The kernel adds a bias only to products with one matrix on the right. */
function isMatrix(tensor: TtnnTensor | undefined): boolean {
  return tensor !== undefined && volume(tensor.type.shape.slice(0, -2)) === 1;
}

/** The bias without the reshape that made it broadcast. */
function biasOf(addend: TtnnTensor, width: number, graph: OpGraph): TtnnTensor {
  const below = tensorOperand(graph.made(addend, "reshape"), 0);
  return below !== undefined && sameExtents(below.type.shape, [width]) ? below : addend;
}
