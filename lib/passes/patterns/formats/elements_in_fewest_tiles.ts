// SPDX-License-Identifier: Apache-2.0
import { volume } from "../../../layout/extents.ts";
import { TILE, tileCount } from "../../../layout/tile_shape.ts";
import type { TtnnOp } from "../../../ttnn/op.ts";
import type { TensorValue } from "../../../ttnn/value.ts";
import type { PassContext } from "../../graph_pass.ts";
import { type PassBuilder, replacing, type RewritePattern } from "../../rewrite_pattern.ts";
import { ELEMENTWISE_OPS } from "../elementwise_ops.ts";
import { constantOf, isFasterBeyondError, isPlain, tilizedRows } from "../matching.ts";

/**
 * Elements that come from rows and go to rows, with elementwise ops between, are worked on in the shape of the fewest tiles:
 * a row of 1024 indices, whose negative ones JAX counts from the end, pads 32 tiles, of 32x32 it fills one. Rows of another
 * width are copied once on each side.
 */
export const elementsInFewestTiles: RewritePattern = replacing({
  name: "elements-in-fewest-tiles",
  upstream: "none",
  roots: ["ttnn.to_layout"],
  pays: isFasterBeyondError,
  replace: (op, site, result) => {
    const made = op.tensorOperand(0);
    if (made === undefined || result.type.layout.tile !== undefined || !isPlain(made.type)) return undefined;
    const count = volume(made.type.shape);
    const shape = fewestTiles(count);
    if (shape === undefined || tileCount(shape) >= tileCount(made.type.shape)) return undefined;
    const region = regionOf(made, count, site.context);
    if (region === undefined) return undefined;
    const replaced = new Map<TensorValue, TensorValue>();
    const values = new Map<TensorValue, TensorValue>();
    for (const [value, tilizing] of region.tilized) {
      const before = site.at(tilizing);
      const elements = before.tiled(before.rowMajorReshape(tilizing.tensorOperands[0] ?? value, shape));
      values.set(value, elements);
      for (const view of viewsBeside(value, region.ops)) {
        const made = view.tensorResultAt(0);
        replaced.set(made, site.at(view).reshape(elements, made.type.shape));
      }
    }
    const elements = inShape(made, { region, shape, site, values });
    return replaced.set(result, site.rowMajorReshape(elements, result.type.shape));
  },
});

/** Reshapes of a tilized tensor that are no part of the region: they can read its other form. */
function viewsBeside(value: TensorValue, region: ReadonlySet<TtnnOp>): readonly TtnnOp[] {
  return [...value.uses.keys()].filter((user) =>
    user.name === "ttnn.reshape" && !region.has(user) && isPlain(user.tensorResult?.type)
  );
}

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
    if (tilizedRows(value) !== undefined) {
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
  const { region: { numbers }, shape, site, values } = copy;
  const known = values.get(value);
  if (known !== undefined) return known;
  const { dataType } = value.type;
  const number = numbers.get(value);
  const op = value.producer;
  const made = number !== undefined
    ? site.full(shape, dataType, number)
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
