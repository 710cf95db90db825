// SPDX-License-Identifier: Apache-2.0
import { MATMUL } from "../../../ops/attributes/matmul.ts";
import { PERMUTE } from "../../../ops/attributes/movement.ts";
import { volume } from "../../../layout/extents.ts";
import type { TtnnOp } from "../../../ttnn/op.ts";
import { sameShape, type TensorValue } from "../../../ttnn/value.ts";
import { InvariantValues, raiseConstant } from "../../invariant_values.ts";
import { tensorType } from "../../../ttnn/tensor_type.ts";
import { PassBuilder, type RewritePattern } from "../../rewrite_pattern.ts";
import { eitherOrder, isPlain, madeBy } from "../matching.ts";
import { takeRoomForCopy } from "../../graph_pass.ts";

/**
 * Makes a matmul read a permuted operand transposed, if the permute swaps its rows and columns. The rest of
 * the permute keeps rows whole: either it moves heads before positions, or nothing (tt-mlir: permutes into
 * matmuls). Also through scalings and typecasts after the permute. Parameters are excluded, because they are
 * permuted at load.
 */
export const transposedFactors: RewritePattern = {
  name: "transposed-factors",
  option: ["enable-fusing-pass", "enable-permute-matmul-fusion"],
  upstream: "none",
  roots: ["ttnn.matmul", "ttnn.linear"],
  rewrite: (op, body, context) => {
    for (const [index, flag] of [[0, "transpose_a"], [1, "transpose_b"]] as const) {
      const factor = op.tensorOperand(index);
      const permuted = factor === undefined ? undefined : permutedFrom(factor, op);
      if (factor === undefined || permuted === undefined || !isPlain(factor.type)) continue;
      if (new InvariantValues(body).has(factor)) continue;
      const { source, order } = permuted;
      const upright = [...order.slice(0, -2), order.at(-1) ?? 0, order.at(-2) ?? 0];
      const site = new PassBuilder(body, op, context);
      const isIdentity = upright.every((dim, position) => dim === position);
      const rows = isIdentity ? source : site.permute(source, upright);
      body.setOperand(
        op,
        index,
        permuted.behind.reduceRight((value, step) => again(site, step, value), rows),
      );
      op.set({ [flag]: !op.read(MATMUL)[flag] });
      return true;
    }
    return false;
  },
};

/** A value with rows and columns swapped by a permute. */
interface Permuted {
  readonly source: TensorValue;
  /** Order of the permute. */
  readonly order: readonly number[];
  /** Elementwise ops after the permute, last first. */
  readonly behind: readonly FactorStep[];
}

/** A uniform elementwise op of one operand. */
interface FactorStep {
  readonly op: TtnnOp;
  readonly operand: number;
}

/** Most typecasts and scalings after a permute. */
const MOST_STEPS = 8;

/**
 * The permute behind a value whose single user is `user`, through typecasts and scalings; `undefined` if there is none, or
 * if it does not make the columns of its source the rows of the value.
 */
function permutedFrom(value: TensorValue, user: TtnnOp): Permuted | undefined {
  const behind: FactorStep[] = [];
  let [at, reader] = [value, user];
  while (behind.length <= MOST_STEPS && at.onlyUser === reader) {
    const permute = madeBy(at, "permute");
    const source = permute?.tensorOperand(0);
    if (permute !== undefined && source !== undefined) {
      const order = permute.read(PERMUTE).permutation;
      const isPermuted = order.length >= 2 && order.at(-2) === order.length - 1;
      const isKept = isPlain(at.type) && isPlain(source.type) && at.type.dataType === source.type.dataType;
      return isPermuted && isKept ? { source, order, behind } : undefined;
    }
    const step = stepTo(at);
    const input = step?.op.tensorOperand(step.operand);
    if (step === undefined || input === undefined) return undefined;
    behind.push(step);
    [at, reader] = [input, step.op];
  }
  return undefined;
}

/** The typecast, or the product with or quotient by one number, that produces a value; `undefined` for others. */
function stepTo(value: TensorValue): FactorStep | undefined {
  const op = madeBy(value, "typecast", "multiply", "divide");
  if (op === undefined || op.read(MATMUL).activation !== undefined) return undefined;
  if (op.name === "ttnn.typecast") return { op, operand: 0 };
  const orders = eitherOrder(op).slice(0, op.name === "ttnn.divide" ? 1 : 2);
  const operand = orders.findIndex(([input, number]) =>
    volume(number.type.shape) === 1 && sameShape(input, value)
  );
  return operand === -1 ? undefined : { op, operand };
}

/** A step on another tensor. */
function again(site: PassBuilder, { op, operand }: FactorStep, value: TensorValue): TensorValue {
  const dataType = op.tensorResult?.type.dataType ?? value.type.dataType;
  const operands = op.operands.with(operand, value);
  return site.op(op.name, operands, tensorType(site.chip, value.type.shape, dataType), op.properties);
}

/**
 * Transposes a matmul's parameter at load instead of in every inference, as upstream does by its const-eval.
 */
export const transposeParameters: RewritePattern = {
  name: "transpose-parameters",
  option: "enable-const-eval",
  upstream: "level-0",
  roots: ["ttnn.matmul", "ttnn.linear"],
  rewrite: (op, body, context) => {
    const weight = op.tensorOperand(1);
    const shape = weight?.type.shape ?? [];
    const isTransposed = op.read(MATMUL).transpose_b;
    if (weight === undefined || !isTransposed || shape.length < 2) return false;
    if (weight.type.layout.tile === undefined || weight.type.layout.bufferType !== "dram") return false;
    if (!new InvariantValues(body).has(weight) || !takeRoomForCopy([weight.type], context)) return false;
    raiseConstant(weight, op, body);
    const order = shape.map((_, dim) => dim).toSpliced(-2, 2, shape.length - 1, shape.length - 2);
    body.setOperand(op, 1, new PassBuilder(body, op, context).permute(weight, order));
    op.set({ transpose_b: false });
    return true;
  },
};
