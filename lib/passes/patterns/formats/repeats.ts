// SPDX-License-Identifier: Apache-2.0
import { replacing, type RewritePattern } from "../../rewrite_pattern.ts";
import { constantOf, isFasterBeyondError, isPlain, madeBy } from "../matching.ts";
import { type DataType, isPlainFloat } from "../../../layout/data_type.ts";
import { sameButOnes, sameExtents, volume, withOnesMoved } from "../../../layout/extents.ts";
import { ELEMENTWISE_OPS } from "../elementwise_ops.ts";
import type { TtnnOp } from "../../../ttnn/op.ts";
import type { TensorValue } from "../../../ttnn/value.ts";

/** Merges a repeat of a repeat, and moves a typecast of a repeated tensor before the repeat. */
export const combineRepeats: RewritePattern = replacing({
  name: "combine-repeats",
  upstream: "none",
  roots: ["ttnn.repeat", "ttnn.typecast"],
  replace: (op, site, result) => {
    const repeat = madeBy(op.operands[0], "repeat");
    const [source, repeated] = [repeat?.tensorOperand(0), repeat?.tensorResult];
    if (source === undefined || repeated === undefined) return undefined;
    if (![source, repeated, result].every(({ type }) => isPlain(type))) return undefined;
    if (op.name === "ttnn.typecast") {
      const isMoved = repeated.onlyUser === op && isPlainFloat(source.type.dataType) &&
        isPlainFloat(result.type.dataType);
      if (!isMoved) return undefined;
    }
    if (source.type.shape.length !== result.type.shape.length) return undefined;
    const cast = site.typecast(source, result.type.dataType);
    return site.repeat(cast, result.type.shape);
  },
});

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
    const computed = site.op(op.name, sources, site.type(shape, dataType), op.properties);
    return site.repeat(computed, result.type.shape);
  },
});

/**
 * Repeats rows of 4-byte formats that several ops broadcast within tiles, once for all of them, where that is faster: their
 * readers copy such a row word by word into every tile of the result (tt-metal:binary-ng). JAX masks scores in f32 by rows.
 */
export const repeatWideRows: RewritePattern = replacing({
  name: "repeat-wide-rows",
  upstream: "none",
  roots: [...ELEMENTWISE_OPS],
  pays: isFasterBeyondError,
  replace: (op, site, result) => {
    const row = op.tensorOperands.find((operand) => {
      const shape = wholeTiles(operand, result);
      return shape !== undefined && volume(shape) <= LARGEST;
    });
    const shape = row && wholeTiles(row, result);
    if (row === undefined || shape === undefined) return undefined;
    const readers = [...row.uses.keys()].filter((user) =>
      ELEMENTWISE_OPS.has(user.name) && user.tensorResult !== undefined &&
      sameExtents(wholeTiles(row, user.tensorResult) ?? [], shape)
    );
    const [first = op] = readers.toSorted((a, b) => a.order - b.order);
    const whole = site.at(first).repeat(row, shape);
    return new Map(readers.map((reader) => {
      const operands = reader.operands.map((operand) => operand === row ? whole : operand);
      const made = reader.tensorResultAt(0);
      return [
        made,
        site.at(reader).op(reader.name, operands, made.type, reader.properties, reader.attributes),
      ];
    }));
  },
});

/** The shape of rows of a 4-byte format that an op broadcasts within tiles, repeated to whole tiles of its result. */
function wholeTiles({ type }: TensorValue, result: TensorValue): readonly number[] | undefined {
  const [rank, columns, rows] = [type.shape.length, type.shape.at(-1), result.type.shape.at(-2)];
  const isWideRow = rank > 1 && rows !== undefined && rows > 1 && type.shape.at(-2) === 1 && columns !== 1 &&
    columns === result.type.shape.at(-1) && WIDE_TYPES.has(type.dataType);
  return isWideRow && isPlain(type) && isPlain(result.type) ? type.shape.with(-2, rows) : undefined;
}

/** 4-byte formats. */
const WIDE_TYPES: ReadonlySet<DataType> = new Set(["f32", "si32", "u32"]);

/** Largest constant, in elements: it stays in DRAM. */
const LARGEST = 2 ** 20;

/**
 * Fuses a repeat into the elementwise op of a tensor and a scalar that produces its operand, if that is
 * faster: the scalar becomes a constant of the repeated shape, to which the kernel broadcasts the tensor
 * (tt-mlir: implicit broadcasts in place of repeats). Typical of attention masks.
 */
export const repeatInProducer: RewritePattern = replacing({
  name: "repeat-in-producer",
  upstream: "none",
  roots: ["ttnn.repeat"],
  pays: (after, before) => after < before,
  replace: (op, site, result) => {
    const repeated = op.tensorOperand(0);
    if (repeated === undefined) return undefined;
    const { shape, dataType } = result.type;
    if (!isPlain(result.type) || volume(shape) > LARGEST || repeated.type.shape.length !== shape.length) {
      return undefined;
    }
    const made = producerOf(repeated);
    const operands = made?.op.operands.map((_, index) => made.op.tensorOperand(index)) ?? [];
    if (made === undefined || operands.some((operand) => !isPlain(operand?.type))) return undefined;
    const tensors = operands.flatMap((operand) => operand ?? []);
    const filled = tensors.findIndex((operand) =>
      operand.type.dataType === dataType && constantOf(operand, site.context) !== undefined
    );
    const number = constantOf(tensors[filled], site.context);
    if (number === undefined) return undefined;
    const sources = tensors.map((operand, index) =>
      index === filled ? site.full(shape, dataType, number) : site.reshape(
        operand,
        withOnesMoved(operand.type.shape, made.result.type.shape, repeated.type.shape),
      )
    );
    return site.op(made.op.name, sources, result.type, made.op.properties);
  },
});

/**
 * The elementwise producer of a value with several operands, below a reshape that only moves unit dimensions.
 */
function producerOf(value: TensorValue): { readonly op: TtnnOp; readonly result: TensorValue } | undefined {
  const below = madeBy(value, "reshape")?.tensorOperand(0);
  const isView = below !== undefined && below.type.dataType === value.type.dataType &&
    sameButOnes(below.type.shape, value.type.shape);
  const result = isView ? below : value;
  const op = result.producer;
  return op !== undefined && ELEMENTWISE_OPS.has(op.name) && op.operands.length > 1 && isPlain(result.type)
    ? { op, result }
    : undefined;
}
