// SPDX-License-Identifier: Apache-2.0
import { volume } from "../../lib/layout/extents.ts";
import { activation, inBoth } from "./elementwise.ts";
import type { Meanings, OpCall } from "./op_call.ts";
import {
  at,
  build,
  map,
  multiplyMatrices,
  type NumericTensor,
  permute,
  reshape,
  sum,
  transposeLast,
  zip,
} from "./tensor.ts";

/** Matrix multiplications. */
export const MATMUL: Meanings = {
  ...inBoth([["matmul", product], ["linear", linear], ["sparse_matmul", sparseProduct]]),
  "ttir.dot_general": dotGeneral,
};

function product(call: OpCall): NumericTensor {
  return activated(call, productOf(call));
}

/** Dimensions of 1 that a bias has in front of the product's are kept or dropped, as the type says. */
function linear(call: OpCall): NumericTensor {
  const bias = call.operands[2];
  const multiplied = productOf(call);
  if (bias === undefined) return activated(call, multiplied);
  const sum = zip([multiplied, bias], (x = NaN, y = NaN) => x + y);
  const dropped = sum.shape.length - call.resultShape().length;
  const onlyOnes = dropped > 0 && sum.shape.slice(0, dropped).every((extent) => extent === 1);
  return activated(call, onlyOnes ? reshape(sum, sum.shape.slice(dropped)) : sum);
}

function productOf(call: OpCall): NumericTensor {
  const [a, b] = [call.operand(0), call.operand(1)];
  const left = call.flag("transpose_a") ? transposeLast(a) : a;
  const right = call.flag("transpose_b") ? transposeLast(b) : b;
  return multiplyMatrices(left, right);
}

/** Every batch of A with every batch of B that the third operand marks; the others are not written. */
function sparseProduct(call: OpCall): NumericTensor {
  if (call.flag("is_input_a_sparse")) throw call.fail("no meaning of a sparse first operand");
  const [a, b, marks] = [call.operand(0), call.operand(1), call.operand(2)];
  const rank = a.shape.length - 2;
  return build(call.resultShape(), (index) => {
    const [first, second] = [index.slice(0, rank), index.slice(rank, -2)];
    const [row = 0, column = 0] = index.slice(-2);
    if (at(marks, [...first, ...second]) === 0) return NaN;
    const terms = Array.from(
      { length: a.shape.at(-1) ?? 0 },
      (_, k) => at(a, [...first, row, k]) * at(b, [...second, k, column]),
    );
    return sum(terms);
  });
}

/** An activation in a program config. */
const FUSED = /\bfused_activation\s*=\s*(?:#ttnn\.unary_with_param)?<op_type\s*=\s*(\w+)/;

/** With the activations of the op: that of its program config, which the kernel applies, then its own. */
function activated(call: OpCall, tensor: NumericTensor): NumericTensor {
  const names = [FUSED.exec(call.text("matmul_program_config"))?.[1] ?? "", call.text("activation")];
  return names.filter((name) => name !== "").reduce((result, name) => map(result, activation(name)), tensor);
}

/** Batch, free and contracted dimensions of both sides; the result is batch, left free, right free. */
function dotGeneral(call: OpCall): NumericTensor {
  const side = (
    tensor: NumericTensor,
    which: string,
  ): { batch: number[]; contract: number[]; free: number[] } => {
    const batch = [...call.integers(`batch_dims_${which}`) ?? []];
    const contract = [...call.integers(`contract_dims_${which}`) ?? []];
    const free = tensor.shape.map((_, dim) => dim).filter((dim) =>
      !batch.includes(dim) && !contract.includes(dim)
    );
    return { batch, contract, free };
  };
  const [a, b] = [call.operand(0), call.operand(1)];
  const [lhs, rhs] = [side(a, "lhs"), side(b, "rhs")];
  const extents = (tensor: NumericTensor, dims: readonly number[]): readonly number[] =>
    dims.map((dim) => tensor.shape[dim] ?? 1);
  const batch = extents(a, lhs.batch);
  const [free, depth] = [extents(a, lhs.free), volume(extents(a, lhs.contract))];
  const otherFree = extents(b, rhs.free);
  const left = reshape(permute(a, [...lhs.batch, ...lhs.free, ...lhs.contract]), [
    ...batch,
    volume(free),
    depth,
  ]);
  const right = reshape(permute(b, [...rhs.batch, ...rhs.contract, ...rhs.free]), [
    ...batch,
    depth,
    volume(otherFree),
  ]);
  return reshape(multiplyMatrices(left, right), [...batch, ...free, ...otherFree]);
}
