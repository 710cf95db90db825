// SPDX-License-Identifier: Apache-2.0
import { REDUCE } from "../../../ops/attributes/reduction.ts";
import type { DataType } from "../../../layout/data_type.ts";
import { normalDim, sameExtents, volume } from "../../../layout/extents.ts";
import type { PassContext } from "../../graph_pass.ts";
import type { TtnnOp } from "../../../ttnn/op.ts";
import type { TensorValue, TtnnValue } from "../../../ttnn/value.ts";
import { replacing, type RewritePattern } from "../../rewrite_pattern.ts";
import { ELEMENTWISE_OPS, recompute } from "../elementwise_ops.ts";
import { constantOf, isPlain, madeBy } from "../matching.ts";

/**
 * Replaces a reshape that restores reduced dimensions by the reduction's `keep_dim` (tt-mlir:
 * `ReductionWithReshapePattern`).
 */
export const keepReducedDimensions: RewritePattern = replacing({
  name: "keep-reduced-dimensions",
  upstream: "level-0",
  roots: ["ttnn.reshape"],
  replace: (op, site, result) => {
    const reduction = reductionOf(op.operands[0]);
    const kept = reduction === undefined ? undefined : keptShape(reduction);
    if (reduction?.result.onlyUser !== op || kept === undefined) return undefined;
    if (!sameExtents(kept, result.type.shape)) return undefined;
    site.location = reduction.location;
    const properties = reduction.propertiesWith({ keep_dim: true });
    return site.tensor(
      reduction.name,
      reduction.operands,
      { shape: kept, dataType: result.type.dataType },
      properties,
    );
  },
});

/**
 * Moves a reshape that restores reduced dimensions above a chain of elementwise ops with scalars: norm
 * patterns expect `rsqrt(mean(x²) + ε)` with kept dimensions.
 */
export const raiseKeptDimensions: RewritePattern = replacing({
  name: "raise-kept-dimensions",
  upstream: "none",
  roots: ["ttnn.reshape"],
  replace: (op, site, result) => {
    const chain = chainBelow(op, site.context);
    const [first] = chain;
    const reduced = first?.tensor;
    const reduction = reductionOf(reduced);
    const kept = reduction === undefined ? undefined : keptShape(reduction);
    if (first === undefined || reduced === undefined || kept === undefined) return undefined;
    if (reduced.onlyUser !== first.op || !sameExtents(kept, result.type.shape)) return undefined;
    let raised = site.at(first.op).reshape(reduced, kept);
    for (const { op: step, tensor, dataType } of chain) {
      const operands = step.operands.flatMap((_, index) => step.tensorOperand(index) ?? [])
        .map((operand) => operand === tensor ? raised : operand);
      raised = recompute(site.at(step), operands, { shape: kept, dataType });
    }
    return raised;
  },
});

/** An elementwise op of one tensor and scalars. */
interface ReducedStep {
  readonly op: TtnnOp;
  readonly tensor: TensorValue;
  readonly dataType: DataType;
}

/** The chain of single-user elementwise ops that a reshape reads, first op first. */
function chainBelow(reshape: TtnnOp, context: PassContext): readonly ReducedStep[] {
  const chain: ReducedStep[] = [];
  for (let reader = reshape, value = reshape.tensorOperand(0); value?.onlyUser === reader;) {
    const op = value.producer;
    const [tensor, ...others] = op === undefined ? [] : operandsOfSize(op, value, context);
    if (op === undefined || tensor === undefined || others.length > 0 || !isPlain(value.type)) break;
    chain.unshift({ op, tensor, dataType: value.type.dataType });
    [reader, value] = [op, tensor];
  }
  return chain;
}

/**
 * Operands of the result's shape, constants of one element excepted; empty if the op is not elementwise or
 * another operand has several elements.
 */
function operandsOfSize(op: TtnnOp, result: TensorValue, context: PassContext): readonly TensorValue[] {
  const operands = op.operands.flatMap((_, index) => op.tensorOperand(index) ?? []);
  const isNumber = (operand: TensorValue): boolean => volume(operand.type.shape) === 1;
  const large = operands.filter((operand) =>
    sameExtents(operand.type.shape, result.type.shape) &&
    !(isNumber(operand) && constantOf(operand, context) !== undefined)
  );
  const isFit = ELEMENTWISE_OPS.has(op.name) && op.results.length === 1 &&
    operands.length === op.operands.length && operands.every(({ type }) => isPlain(type)) &&
    operands.every((operand) => large.includes(operand) || isNumber(operand));
  return isFit ? large : [];
}

function reductionOf(value: TtnnValue | undefined): TtnnOp | undefined {
  return madeBy(value, "sum", "mean", "max", "min");
}

/** The result shape of a reduction with its dropped dimensions as ones; `undefined` if it keeps them. */
function keptShape(reduction: TtnnOp): readonly number[] | undefined {
  const shape = reduction.operandType(0)?.shape;
  if (shape === undefined || reduction.read(REDUCE).keep_dim === true) return undefined;
  const dims = reduction.read(REDUCE).dim_arg?.map((dim) => normalDim(dim, shape.length));
  return shape.map((extent, dim) => dims === undefined || dims.includes(dim) ? 1 : extent);
}
