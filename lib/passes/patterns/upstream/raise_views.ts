// SPDX-License-Identifier: Apache-2.0
import { CONCAT, PERMUTE } from "../../../ops/attributes/movement.ts";
import { movesOnlyOnes, sameButOnes, sameExtents, volume } from "../../../layout/extents.ts";
import { tileCount } from "../../../layout/tile_shape.ts";
import type { TtnnOp } from "../../../ttnn/op.ts";
import type { TensorValue } from "../../../ttnn/value.ts";
import { InvariantValues, raiseConstant } from "../../invariant_values.ts";
import { type PassBuilder, replacing, type RewritePattern } from "../../rewrite_pattern.ts";
import { dimensionOf, isPlain, madeBy } from "../matching.ts";
import { ELEMENTWISE_OPS } from "../elementwise_ops.ts";

/**
 * Moves a permute above an elementwise op of a constant and of tensors in which it moves only unit
 * dimensions: the constant is permuted at load (tt-mlir: `TTIREraseInverseOps`, commuting upwards).
 */
export const raisePermuteToConstant: RewritePattern = replacing({
  name: "raise-permute-to-constant",
  upstream: "only-upstream",
  roots: ["ttnn.permute"],
  replace: (op, here, result) => {
    const made = op.tensorOperand(0);
    const producer = made?.producer;
    if (producer === undefined || made?.onlyUser !== op) return undefined;
    const operands = producer.tensorOperands;
    const permutation = op.read(PERMUTE).permutation;
    const constants = InvariantValues.of(here.body);
    const site = here.at(producer);
    const permutes = operands.map((operand) => permuteOf(operand, permutation, constants));
    const fits = ELEMENTWISE_OPS.has(producer.name) && operands.length === producer.operands.length &&
      isPlain(made.type) && isPlain(result.type) && made.type.dataType === result.type.dataType &&
      permutes.includes("permute") && !permutes.includes(undefined);
    if (!fits) return undefined;
    const sources = operands.map((operand, index) => permuted(site, operand, permutation, permutes[index]));
    return site.tensor(producer.name, sources, result.type, producer.properties);
  },
});

/**
 * How an operand is permuted: unchanged, by a reshape, or by a permute at load; `undefined` if that costs
 * time per inference.
 */
type Turning = "stay" | "reshape" | "permute";

function permuteOf(
  operand: TensorValue,
  permutation: readonly number[],
  constants: InvariantValues,
): Turning | undefined {
  const { shape } = operand.type;
  if (volume(shape) === 1) return "stay";
  if (shape.length !== permutation.length || !isPlain(operand.type)) return undefined;
  if (constants.has(operand)) return "permute";
  return movesOnlyOnes(shape, permutation) ? "reshape" : undefined;
}

function permuted(
  site: PassBuilder,
  operand: TensorValue,
  permutation: readonly number[],
  turning: Turning | undefined,
): TensorValue {
  if (turning === "stay" || turning === undefined) return operand;
  if (turning === "reshape") {
    return site.reshape(operand, permutation.map((dim) => operand.type.shape[dim] ?? 1));
  }
  raiseConstant(operand, site.anchor, site.body);
  return site.permute(operand, permutation);
}

/**
 * Replaces equal reshapes at the ends of all op chains of a tensor (ops of one operand) by one reshape of the
 * tensor (tt-mlir: `TTIREraseInverseOps`, commuting upwards): cosines and sines of the same angles.
 */
export const raiseCommonReshape: RewritePattern = replacing({
  name: "raise-common-reshape",
  upstream: "only-upstream",
  roots: ["ttnn.reshape"],
  replace: (op, site, { type: { shape } }) => {
    const source = sharedSource(op);
    if (source === undefined || !isPlain(source.type) || sameExtents(source.type.shape, shape)) {
      return undefined;
    }
    if (tileCount(shape) > tileCount(source.type.shape)) return undefined;
    const branches = [...source.uses.keys()].map((user) => branchOf(user, shape));
    const found = branches.filter((branch) => branch !== undefined);
    const [first] = [...source.uses.keys()].toSorted((a, b) => a.order - b.order);
    if (first === undefined || found.length < 2 || found.length < branches.length) return undefined;
    const reshaped = site.at(first).reshape(source, shape);
    return new Map(found.map(({ ops, result }) => {
      const made = ops.reduce((input, each) => {
        const type = { shape, dataType: each.tensorResult?.type.dataType ?? input.type.dataType };
        return site.at(each).tensor(each.name, [input], type, each.properties);
      }, reshaped);
      return [result, made];
    }));
  },
});

/**
 * Merges a reshape that only moves unit dimensions, after a concat of reshaped tensors, into the reshapes
 * before it (tt-mlir: `TTIREraseInverseOps`, commuting upwards).
 */
export const raiseReshapeAboveConcat: RewritePattern = replacing({
  name: "raise-reshape-above-concat",
  upstream: "only-upstream",
  roots: ["ttnn.reshape"],
  replace: (op, here, result) => {
    const joined = op.tensorOperand(0);
    const concat = madeBy(joined, "concat");
    if (joined === undefined || concat === undefined) return undefined;
    const dim = dimensionOf(concat, concat.read(CONCAT).dim);
    const [from, to] = [joined.type.shape, result.type.shape];
    const parts = concat.tensorOperands;
    const fits = joined.onlyUser === op && sameButOnes(from, to) && from[dim] !== 1 &&
      tileCount(to) <= tileCount(from) && isPlain(result.type) &&
      parts.every((part) => madeBy(part, "reshape") !== undefined && isPlain(part.type));
    if (!fits) return undefined;
    const before = from.slice(0, dim).filter((extent) => extent !== 1).length;
    const moved = to.flatMap((extent, at) => (extent === 1 ? [] : [at]))[before] ?? 0;
    const site = here.at(concat);
    const operands = parts.map((part) => site.reshape(part, to.with(moved, part.type.shape[dim] ?? 1)));
    return site.tensor("ttnn.concat", operands, result.type, { dim: moved });
  },
});

/** Most consecutive ops that are followed. */
const FARTHEST = 8;

/** The common source of several chains of ops that end in reshapes. */
function sharedSource(reshape: TtnnOp): TensorValue | undefined {
  let value = reshape.tensorOperand(0);
  for (let steps = 0; value !== undefined && steps < FARTHEST; steps++) {
    if (value.uses.size > 1) return value;
    value = isSingle(value.producer) ? value.producer?.tensorOperand(0) : undefined;
  }
  return undefined;
}

/** Ops of one operand from a value to its reshape. */
interface OperandChain {
  readonly ops: readonly TtnnOp[];
  /** Result of the reshape. */
  readonly result: TensorValue;
}

function branchOf(user: TtnnOp, shape: readonly number[]): OperandChain | undefined {
  const ops: TtnnOp[] = [];
  let current: TtnnOp | undefined = user;
  while (current !== undefined && isSingle(current) && ops.length < FARTHEST) {
    ops.push(current);
    current = current.tensorResult?.onlyUser;
  }
  const result = current?.tensorResult;
  const ends = current !== undefined && result !== undefined && madeBy(result, "reshape") === current &&
    sameExtents(result.type.shape, shape) && isPlain(result.type);
  return ends ? { ops, result } : undefined;
}

/** Whether an op computes a tiled DRAM interleaved tensor elementwise from one such tensor. */
function isSingle(op: TtnnOp | undefined): boolean {
  return op !== undefined && ELEMENTWISE_OPS.has(op.name) && op.operands.length === 1 &&
    isPlain(op.operandType(0)) && isPlain(op.tensorResult?.type);
}
