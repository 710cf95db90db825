// SPDX-License-Identifier: Apache-2.0
import { volume } from "../../../layout/extents.ts";
import { tileCount } from "../../../layout/tile_shape.ts";
import type { TtnnOp } from "../../../ttnn/op.ts";
import { tensorType } from "../../../ttnn/tensor_type.ts";
import type { TensorValue, TtnnTensorType } from "../../../ttnn/value.ts";
import type { PassContext } from "../../graph_pass.ts";
import { PassBuilder, replacing, type RewritePattern } from "../../rewrite_pattern.ts";
import { ELEMENTWISE_OPS } from "../elementwise_ops.ts";
import {
  constantOf,
  isFasterBeyondError,
  isPlain,
  madeBy,
  predictedMicroseconds,
  proposed,
  reshapeMicroseconds,
  rowMajorType,
  toLayoutMicroseconds,
} from "../matching.ts";

/**
 * Elements that come from rows and go to rows, with elementwise ops between, are worked on in the shape of the fewest tiles:
 * a row of 1024 indices, whose negative ones JAX counts from the end, pads 32 tiles, of 32x32 it fills one. Rows of another
 * width are copied once on each side.
 */
export const elementsInFewestTiles: RewritePattern = replacing({
  name: "elements-in-fewest-tiles",
  upstream: "none",
  roots: ["ttnn.to_layout"],
  replace: (op, site, result) => {
    const made = op.tensorOperand(0);
    if (made === undefined || result.type.layout.tile !== undefined || !isPlain(made.type)) return undefined;
    const count = volume(made.type.shape);
    const shape = fewestTiles(count);
    if (shape === undefined || tileCount(shape) >= tileCount(made.type.shape)) return undefined;
    const region = regionOf(made, count, site.context);
    if (region === undefined || !isShorter(region, op, shape, site.context)) return undefined;
    for (const value of region.tilized.keys()) {
      for (const view of viewsBeside(value, region.ops)) {
        const before = new PassBuilder(site.body, view, site.context);
        const elements = inShape(value, { region, shape, site: before, values: new Map() });
        site.body.replaceOperand(view, value, elements);
      }
    }
    const elements = inShape(made, { region, shape, site, values: new Map() });
    const rows = site.op("ttnn.to_layout", [elements], rowMajorType(elements.type, site.context));
    return site.op("ttnn.reshape", [rows], result.type, { shape: result.type.shape });
  },
});

/** Elements of a row of a tile. */
const TILE = 32;

/** Rows of one tile's width that hold so many elements, if these fill them. */
function fewestTiles(count: number): readonly number[] | undefined {
  return count % TILE === 0 ? [count / TILE, TILE] : undefined;
}

/** What a row-major tensor is computed from, element by element. */
interface ElementRegion {
  /** Elementwise ops, and views that leave the order of elements. */
  readonly ops: ReadonlySet<TtnnOp>;
  /** Conversions from rows, by the tensors that they make. */
  readonly tilized: ReadonlyMap<TensorValue, TtnnOp>;
  /** Tensors of one number in every place. */
  readonly numbers: ReadonlyMap<TensorValue, number>;
}

/** The region that ends in a tensor; `undefined` where anything else has a part in it. */
function regionOf(end: TensorValue, count: number, context: PassContext): ElementRegion | undefined {
  const ops = new Set<TtnnOp>();
  const tilized = new Map<TensorValue, TtnnOp>();
  const numbers = new Map<TensorValue, number>();
  const seen = new Set([end]);
  for (const value of seen) {
    const number = constantOf(value, context);
    const { producer } = value;
    if (number !== undefined) {
      numbers.set(value, number);
      continue;
    }
    if (producer === undefined || volume(value.type.shape) !== count || !isPlain(value.type)) {
      return undefined;
    }
    const rows = madeBy(value, "to_layout")?.tensorOperand(0);
    if (rows !== undefined) {
      const isRows = rows.type.layout.tile === undefined && rows.type.dataType === value.type.dataType &&
        rows.type.layout.bufferType === "dram" && rows.type.layout.memoryLayout === "interleaved";
      if (!isRows) return undefined;
      tilized.set(value, producer);
      continue;
    }
    if (producer.name !== "ttnn.reshape" && !ELEMENTWISE_OPS.has(producer.name)) return undefined;
    if (producer.tensorOperands.length !== producer.operands.length || producer.appliesFunctions) {
      return undefined;
    }
    ops.add(producer);
    producer.tensorOperands.forEach((operand) => seen.add(operand));
  }
  return ops.size === 0 || tilized.size === 0 ? undefined : { ops, tilized, numbers };
}

/** Whether the region is predicted faster in a shape, with its rows copied; what others read stays as well. */
function isShorter(
  { ops, tilized }: ElementRegion,
  end: TtnnOp,
  shape: readonly number[],
  context: PassContext,
): boolean {
  const tiles = ({ dataType }: TtnnTensorType): TtnnTensorType => tensorType(context.chip, shape, dataType);
  const spared = new Map<TtnnOp, boolean>();
  const isSpared = (op: TtnnOp): boolean =>
    spared.getOrInsertComputed(
      op,
      () =>
        op.tensorResult?.uses.keys().every((user) =>
          user === end || isUntilizing(user) || (ops.has(user) && isSpared(user))
        ) === true,
    );
  /** µs from rows, or to rows, of the old shape. */
  const around = (type: TtnnTensorType, toRows: boolean): number => {
    const [rows, copied, made] = [
      rowMajorType(type, context),
      rowMajorType(tiles(type), context),
      tiles(type),
    ];
    return toRows
      ? toLayoutMicroseconds(made, copied, context) + reshapeMicroseconds(copied, rows, context)
      : reshapeMicroseconds(rows, copied, context) + toLayoutMicroseconds(copied, made, context);
  };
  let before = predictedMicroseconds(end, context) ?? 0;
  let after = end.tensorOperands.reduce((sum, { type }) => sum + around(type, true), 0);
  for (const [value, op] of tilized) {
    after += around(value.type, false);
    const views = viewsBeside(value, ops);
    if (!isSpared(op) && !value.uses.keys().every((user) => ops.has(user) || views.includes(user))) continue;
    before += predictedMicroseconds(op, context) ?? 0;
    for (const view of views) {
      before += predictedMicroseconds(view, context) ?? 0;
      after += reshapeMicroseconds(tiles(value.type), view.tensorResult?.type ?? value.type, context);
    }
  }
  for (const op of ops) {
    if (isSpared(op)) before += predictedMicroseconds(op, context) ?? 0;
    if (op.name === "ttnn.reshape") continue;
    const types = op.tensorOperands.map(({ type }) => tiles(type));
    const results = op.results.map(({ type }) => type.kind === "tensor" ? tiles(type) : type);
    after += context.microseconds({ ...proposed(op), operands: types, results }) ?? Infinity;
  }
  return isFasterBeyondError(after, before);
}

/** Reshapes of a tilized tensor that are no part of the region: they can read its other form. */
function viewsBeside(value: TensorValue, region: ReadonlySet<TtnnOp>): readonly TtnnOp[] {
  return [...value.uses.keys()].filter((user) =>
    user.name === "ttnn.reshape" && !region.has(user) && isPlain(user.tensorResult?.type)
  );
}

function isUntilizing({ name, tensorResult }: TtnnOp): boolean {
  return name === "ttnn.to_layout" && tensorResult?.type.layout.tile === undefined;
}

/** Where a region is written again. */
interface ElementCopy {
  readonly region: ElementRegion;
  readonly shape: readonly number[];
  readonly site: PassBuilder;
  /** What is written already. */
  readonly values: Map<TensorValue, TensorValue>;
}

/** A value of the region in the other shape. */
function inShape(value: TensorValue, copy: ElementCopy): TensorValue {
  const { region: { numbers, tilized }, shape, site, values } = copy;
  const known = values.get(value);
  if (known !== undefined) return known;
  const { dataType } = value.type;
  const number = numbers.get(value);
  const rows = tilized.get(value)?.tensorOperand(0);
  const op = value.producer;
  const made = number !== undefined
    ? site.full(shape, dataType, number)
    : rows !== undefined
    ? site.tiled(site.rowMajorReshape(rows, shape))
    : op?.name === "ttnn.reshape"
    ? inShape(op.tensorOperands[0] ?? value, copy)
    : site.op(
      op?.name ?? "",
      op?.tensorOperands.map((operand) => inShape(operand, copy)) ?? [],
      site.type(shape, dataType),
      op?.properties,
      op?.attributes,
    );
  values.set(value, made);
  return made;
}
