// SPDX-License-Identifier: Apache-2.0
import { volume } from "../../layout/extents.ts";
import { replacing, type RewritePattern } from "../rewrite_pattern.ts";
import { isPlain, madeBy } from "./matching.ts";
import { tensorType } from "../../ttnn/tensor_type.ts";
import { ELEMENTWISE_OPS } from "./elementwise_ops.ts";

/**
 * Moves a repeat below an elementwise op whose other operands are scalars: grouped heads are scaled before
 * they are repeated (tt-mlir: `TTIREraseInverseOps`, broadcasts commute with elementwise ops).
 */
export const sinkRepeats: RewritePattern = replacing({
  name: "sink-repeats",
  upstream: "level-0",
  roots: [...ELEMENTWISE_OPS],
  replace: (op, site, result) => {
    if (!isPlain(result.type)) return undefined;
    const operands = op.tensorOperands;
    if (operands.length !== op.operands.length) return undefined;
    const repeated = operands.find((operand) => madeBy(operand, "repeat") !== undefined);
    const source = madeBy(repeated, "repeat")?.tensorOperand(0);
    if (repeated === undefined || source === undefined || repeated.onlyUser !== op) return undefined;
    const { shape, dataType } = source.type;
    const isEquivalent = shape.length === result.type.shape.length && dataType === result.type.dataType;
    const isAlone = operands.every((operand) =>
      operand === repeated || (volume(operand.type.shape) === 1 && operand.type.shape.length <= shape.length)
    );
    if (!isEquivalent || !isAlone || ![source, repeated].every(({ type }) => isPlain(type))) return undefined;
    const sources = operands.map((operand) => operand === repeated ? source : operand);
    const computed = site.op(op.name, sources, tensorType(site.context.chip, shape, dataType), op.properties);
    return site.repeat(computed, result.type.shape);
  },
});
