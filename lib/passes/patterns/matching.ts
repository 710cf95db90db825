// SPDX-License-Identifier: Apache-2.0

/** Queries on values, and constructors of ops, for patterns. */

import type { AttributeMap } from "../../ir/mod.ts";
import { permutationOf } from "../../ops/view_shapes.ts";
import { SLICE } from "../../ops/attributes/movement.ts";
import { FULL } from "../../ops/attributes/creation.ts";
import { LOAD_CACHED } from "../../ops/calls.ts";
import { normalDim, sameExtents, transposition } from "../../layout/extents.ts";
import { type DataType, isBlockFloat, isFloat, isPlainFloat } from "../../layout/data_type.ts";
import { roundedTo } from "../../layout/float_rounding.ts";
import type { Properties, TtnnOp } from "../../ttnn/op.ts";
import { tensorType } from "../../ttnn/tensor_type.ts";
import {
  isTensorValue,
  sameType,
  type TensorValue,
  type TtnnTensorType,
  type TtnnType,
  type TtnnValue,
} from "../../ttnn/value.ts";
import { constantBelow } from "../invariant_values.ts";
import type { PassContext, ProposedOp } from "../graph_pass.ts";

/** Ops that map a uniform tensor to a uniform tensor of the same number: views and storage conversions. */
const KEEPS_NUMBERS: ReadonlySet<string> = new Set([
  "ttnn.permute",
  "ttnn.repeat",
  "ttnn.reshape",
  "ttnn.from_device",
  "ttnn.to_device",
  "ttnn.to_layout",
  "ttnn.to_memory_config",
  "ttnn.typecast",
]);

/** The value of a uniform tensor, or of a computation on such values. */
export interface Constant {
  readonly number: number;
  /** Relative error bound against the real number that it approximates. */
  readonly rounding: number;
  /** Element type that holds it; absent for computed values, and where upstream's tolerance applies. */
  readonly held?: DataType;
}

/** Relative tolerance of upstream when it compares constants (tt-mlir:ttnn-fusing). */
const UPSTREAM_ROUNDING: number = 2 ** -8;

/**
 * Largest relative error of rounding to the nearest element: half a unit in the last place; for f32 a whole
 * one, because front ends often compute the number in f32.
 */
const ROUNDINGS: Partial<Readonly<Record<DataType, number>>> = {
  f32: 2 ** -23,
  f16: 2 ** -11,
  bf16: 2 ** -8,
};

/** Whether a constant equals a number within the rounding of its element type. */
export function isAbout({ number, rounding, held }: Constant, wanted: number): boolean {
  return held === undefined || held === "f32"
    ? Math.abs(number / wanted - 1) <= rounding
    : roundedTo(number, held) === roundedTo(wanted, held);
}

/**
 * The value of a uniform tensor, through views, conversions and const-eval functions; `undefined` if it is
 * not uniform.
 */
export function constantOf(value: TtnnValue | undefined, context: PassContext): number | undefined {
  return roundedConstant(value, context)?.number;
}

/**
 * As {@linkcode constantOf}, with the rounding of the coarsest element type on the way; `undefined` as well for a fraction
 * that integers on the way do not hold.
 */
export function roundedConstant(value: TtnnValue | undefined, context: PassContext): Constant | undefined {
  let coarsest: Pick<Constant, "rounding" | "held"> = { rounding: 0 };
  let isWhole = false;
  const constant = (number: number | undefined): Constant | undefined =>
    number === undefined || isWhole && !Number.isInteger(number) ? undefined : { number, ...coarsest };
  for (let at = value; at !== undefined;) {
    const own = roundingOf(at, context);
    if (own.rounding > coarsest.rounding) coarsest = own;
    isWhole ||= at.type.kind === "tensor" && !isFloat(at.type.dataType);
    const op: TtnnOp | undefined = at.producer;
    switch (op?.name) {
      case "ttnn.zeros":
        return constant(0);
      case "ttnn.ones":
        return constant(1);
      case "ttnn.full":
        return constant(op.read(FULL).fill_value);
      case LOAD_CACHED:
        at = constantBelow(at, context);
        break;
      default:
        at = op !== undefined && KEEPS_NUMBERS.has(op.name) ? op.operands[0] : undefined;
    }
  }
  return undefined;
}

function roundingOf(
  { type }: TtnnValue,
  { options }: PassContext,
): Pick<Constant, "rounding" | "held"> {
  if (options.selection !== undefined && options.selection !== "all") return { rounding: UPSTREAM_ROUNDING };
  if (type.kind !== "tensor") return { rounding: 0 };
  const rounding = ROUNDINGS[type.dataType];
  if (rounding !== undefined) return { rounding, held: type.dataType };
  // Blocks hold at most as many digits as bf16; integers are exact.
  return { rounding: isBlockFloat(type.dataType) ? 2 ** -8 : 0 };
}

/**
 * The producer of a value, if it has one of these names, given without `ttnn.`, and does nothing else
 * ({@linkcode TtnnOp.appliesFunctions}).
 */
export function madeBy(value: TtnnValue | undefined, ...names: readonly string[]): TtnnOp | undefined {
  const op = value?.producer;
  return op !== undefined && names.some((name) => op.name === `ttnn.${name}`) && !op.appliesFunctions
    ? op
    : undefined;
}

/** The producer of a value, or of what a single-use reshape of it reads, if it has this name, given without `ttnn.`. */
export function madeBelowReshape(value: TtnnValue | undefined, name: string): TtnnOp | undefined {
  const reshape = madeBy(value, "reshape");
  return reshape !== undefined && value?.onlyUser !== undefined
    ? madeBy(reshape.operands[0], name)
    : madeBy(value, name);
}

/** The value below typecasts between floats. */
export function withoutCasts(value: TensorValue): TensorValue {
  let current = value;
  for (;;) {
    const below = madeBy(current, "typecast")?.tensorOperand(0);
    const isCast = below !== undefined && isPlainFloat(below.type.dataType) &&
      isPlainFloat(current.type.dataType);
    if (!isCast) return current;
    current = below;
  }
}

/** Both orders of two tensor operands; empty if the op has others. */
export function eitherOrder(op: TtnnOp): readonly (readonly [TensorValue, TensorValue])[] {
  const [first, second] = [op.tensorOperand(0), op.tensorOperand(1)];
  if (op.operands.length !== 2 || first === undefined || second === undefined) return [];
  return [[first, second], [second, first]];
}

/** A dimension of operand 0 from an attribute, normalised to ≥ 0. */
export function dimensionOf(op: TtnnOp, dim: number): number {
  return normalDim(dim, op.operandType(0)?.shape.length ?? 0);
}

/** Begins, ends and steps of a static slice; empty for other ops. */
export function slicedBounds(op: TtnnOp): readonly (readonly number[])[] {
  if (op.name !== "ttnn.slice_static") return [];
  const { begins, ends, step } = op.read(SLICE);
  return [begins, ends, step];
}

/** The dimension, begin and end of a slice that cuts one dimension with step 1; `undefined` for other ops. */
export function cutOf(
  op: TtnnOp | undefined,
): { readonly dim: number; readonly from: number; readonly to: number } | undefined {
  const input = op?.operandType(0)?.shape;
  if (op?.name !== "ttnn.slice_static" || input === undefined) return undefined;
  const [begins, ends, steps] = slicedBounds(op);
  const cut = input.flatMap((extent, dim) => (begins?.[dim] === 0 && ends?.[dim] === extent ? [] : [dim]));
  const [dim] = cut;
  if (dim === undefined || cut.length > 1 || steps?.some((step) => step !== 1) === true) return undefined;
  return { dim, from: begins?.[dim] ?? 0, to: ends?.[dim] ?? 0 };
}

/** The tensor whose last two dimensions a value swaps; `undefined` if it does not. */
export function transposedFrom(value: TtnnValue | undefined): TensorValue | undefined {
  const op = madeBy(value, "permute", "transpose");
  const input = op?.tensorOperand(0);
  const rank = input?.type.shape.length ?? 0;
  if (op === undefined || input === undefined || rank < 2) return undefined;
  const order = permutationOf({ name: op.name, attributes: op.attributeMap() }, rank);
  return order !== undefined && sameExtents(order, transposition(rank)) ? input : undefined;
}

/** An op as it is, as a question. */
export function proposed(op: TtnnOp): ProposedOp {
  return proposedWith(op, {});
}

/** An op with other types or properties, as a question. */
export function proposedWith(
  op: TtnnOp,
  { operands, results, properties }: {
    readonly operands?: readonly TtnnType[];
    readonly results?: readonly TtnnType[];
    readonly properties?: Properties;
  },
): ProposedOp {
  return {
    name: op.name,
    operands: operands ?? op.operands.map(({ type }) => type),
    results: results ?? op.results.map(({ type }) => type),
    attributes: properties === undefined ? op.attributeMap() : op.attributesWith(properties),
  };
}

/** Whether the backend takes an op with all its tensors in tiles in interleaved DRAM. */
export function runsInDram(op: TtnnOp, { chip, isLegal }: Pick<PassContext, "chip" | "isLegal">): boolean {
  const inDram = (type: TtnnType): TtnnType =>
    type.kind === "tensor" ? tensorType(chip, type.shape, type.dataType) : type;
  const { operands, results } = proposed(op);
  return isLegal(proposedWith(op, { operands: operands.map(inDram), results: results.map(inDram) }));
}

/** Predicted µs of an op as it is; `undefined` if unknown. */
export function predictedMicroseconds(op: TtnnOp, context: PassContext): number | undefined {
  return context.microseconds(proposed(op));
}

/** Predicted µs of an op with one operand and one result; infinite if unknown. */
export function unaryMicroseconds(
  name: string,
  from: TtnnType,
  to: TtnnType,
  context: PassContext,
  attributes: AttributeMap = new Map(),
): number {
  return context.microseconds({ name, operands: [from], results: [to], attributes }) ?? Infinity;
}

/** Predicted µs of a reshape: 0 for an identity, infinite if unknown. */
export function reshapeMicroseconds(from: TtnnTensorType, to: TtnnTensorType, context: PassContext): number {
  return sameExtents(from.shape, to.shape) ? 0 : unaryMicroseconds("ttnn.reshape", from, to, context);
}

/** Predicted µs of a `to_layout`: 0 between equal types, infinite if unknown. */
export function toLayoutMicroseconds(from: TtnnType, to: TtnnType, context: PassContext): number {
  return sameType(from, to) ? 0 : unaryMicroseconds("ttnn.to_layout", from, to, context);
}

/** The type of a tensor in rows, interleaved in DRAM. */
export function rowMajorType(
  { shape, dataType }: Pick<TtnnTensorType, "shape" | "dataType">,
  { chip }: Pick<PassContext, "chip">,
): TtnnTensorType {
  return tensorType(chip, shape, dataType, { rowMajor: true });
}

/**
 * Predicted µs of the conversions around a reshape between tiles that runs row-major; infinite for block formats, which
 * exist in tiles only.
 *
 * @param staysInRows whether the result is read row-major
 */
export function throughRowsMicroseconds(
  from: TtnnTensorType,
  to: TtnnTensorType,
  context: PassContext,
  staysInRows: boolean = false,
): number {
  if (isBlockFloat(from.dataType)) return Infinity;
  return toLayoutMicroseconds(from, rowMajorType(from, context), context) +
    (staysInRows ? 0 : toLayoutMicroseconds(rowMajorType(to, context), to, context));
}

/** Least saving that a change of form is made for, in µs and as a share, because times are predictions: 6 % is the least error of prices. */
const LEAST_SAVED = { us: 3, share: 0.06 } as const;

/** Whether a time is less than another by more than the error of predictions. */
export function isFasterBeyondError(after: number, before: number): boolean {
  return before - after >= Math.max(LEAST_SAVED.us, LEAST_SAVED.share * before);
}

/**
 * Numbers of at least `least` and at most `most` that divide an extent, ascending, each at least twice the one before: few enough
 * to price a form for each.
 */
export function sparseDivisors(extent: number, least: number, most: number): readonly number[] {
  const kept: number[] = [];
  for (let divisor = least; divisor <= most; divisor++) {
    if (extent % divisor === 0 && divisor >= 2 * (kept.at(-1) ?? 0)) kept.push(divisor);
  }
  return kept;
}

/** The tensor in rows, interleaved in DRAM, that a tensor is tilized from as it is; `undefined` if it is not. */
export function tilizedRows(value: TensorValue): TensorValue | undefined {
  const rows = madeBy(value, "to_layout")?.tensorOperand(0);
  const isRows = rows !== undefined && isInRows(rows.type) && rows.type.dataType === value.type.dataType;
  return isRows ? rows : undefined;
}

/** Whether a type is row-major and interleaved in DRAM. */
export function isInRows({ layout }: TtnnTensorType): boolean {
  return layout.tile === undefined && layout.bufferType === "dram" && layout.memoryLayout === "interleaved";
}

/** The value, if it is a tensor. */
export function tensorOf(value: TtnnValue | undefined): TensorValue | undefined {
  return value !== undefined && isTensorValue(value) ? value : undefined;
}

/**
 * Whether a type is tiled and interleaved in DRAM, as before any policy, and of a format that all moves take:
 * reshapes copy no narrow whole numbers, and bytes get no padding (`ttnn:backend-0-81-1`).
 */
export function isPlain(type: TtnnTensorType | undefined): boolean {
  return type !== undefined && type.layout.bufferType === "dram" &&
    type.layout.memoryLayout === "interleaved" &&
    type.layout.tile !== undefined && type.dataType !== "u8" && type.dataType !== "u16";
}
