// SPDX-License-Identifier: Apache-2.0
import { sameExtents, volume } from "../../../layout/extents.ts";
import { SCATTER } from "../../../ops/attributes/movement.ts";
import { CLAMP } from "../../../ops/attributes/elementwise.ts";
import type { TensorValue } from "../../../ttnn/value.ts";
import type { PassContext } from "../../graph_pass.ts";
import { type PassBuilder, replacing, type RewritePattern } from "../../rewrite_pattern.ts";
import { dimensionOf, isFasterBeyondError, isPlain, madeBy } from "../matching.ts";
import { knownNumbers, spreadOver } from "./known_numbers.ts";

/**
 * Writes one row in each of equal blocks of a table by a selection, not a scatter, where that is faster: the caches of
 * `cache.at[users, heads, positions].set(rows)`, of which users and heads are counted and only positions are unknown.
 * A position outside of its block writes nothing, as StableHLO has it.
 */
export const selectScatteredRows: RewritePattern = replacing({
  name: "select-scattered-rows",
  upstream: "none",
  roots: ["ttnn.scatter"],
  pays: isFasterBeyondError,
  replace: (op, site, result) => {
    const [table, index, updates] = [op.tensorOperand(0), op.tensorOperand(1), op.tensorOperand(2)];
    if (table === undefined || index === undefined || updates === undefined) return undefined;
    const [batch, rows = 1, width = 1] = table.type.shape;
    const replaces = op.read(SCATTER).scatter_reduce_type?.includes("invalid") ?? true;
    const [, count = 1] = updates.type.shape;
    const isTable = table.type.shape.length === 3 && batch === 1 &&
      dimensionOf(op, op.read(SCATTER).dim) === 1 &&
      sameExtents(updates.type.shape, [1, count, width]) && rows % count === 0 && count > 1;
    if (!replaces || !isTable) return undefined;
    const numbers = rowNumbersOf(index);
    const block = rows / count;
    const parts = numbers === undefined ? undefined : partsOf(numbers, block, site.context);
    if (parts?.free === undefined || !parts.known.every((number, at) => number === at * block)) {
      return undefined;
    }
    const { dataType } = table.type;
    const blocks = site.type([count, block, width], dataType);
    const mask = site.type([count, block, 1], dataType);
    const places = site.typecast(site.reshape(parts.free(site), [count, 1, 1]), "si32");
    const counted = site.tensor("ttnn.arange", [site.device()], { shape: [block], dataType: "si32" }, {
      start: 0,
      end: block,
      step: 1,
    });
    const isRow = site.op("ttnn.eq", [site.reshape(counted, [1, block, 1]), places], mask);
    const chosen = site.op("ttnn.where", [
      isRow,
      site.reshape(tilesOf(site, updates), [count, 1, width]),
      site.reshape(tilesOf(site, table), [count, block, width]),
    ], blocks);
    const tiles = site.reshape(chosen, table.type.shape);
    return result.type.layout.tile === undefined ? site.op("ttnn.to_layout", [tiles], result.type) : tiles;
  },
});

/** The tensor before it was untilized, in tiles. */
function tilesOf(site: PassBuilder, value: TensorValue): TensorValue {
  const source = madeBy(value, "to_layout")?.tensorOperand(0);
  return source !== undefined && isPlain(source.type) ? source : site.tiled(value);
}

/** The number of every row, of which each element of it has a copy. */
function rowNumbersOf(index: TensorValue): TensorValue | undefined {
  const tiles = madeBy(index, "to_layout")?.tensorOperand(0) ?? index;
  const numbers = madeBy(tiles, "repeat")?.tensorOperand(0) ?? tiles;
  return numbers.type.shape.at(-1) === 1 && volume(numbers.type.shape.slice(0, -2)) === 1
    ? numbers
    : undefined;
}

/** Numbers as a sum: of a known one for each, and of one that is computed in the inference. */
interface RowNumberParts {
  readonly known: readonly number[];
  /** Makes the second, in the shape of the whole; missing if all are known. */
  readonly free: ((site: PassBuilder) => TensorValue) | undefined;
}

function partsOf(value: TensorValue, block: number, context: PassContext): RowNumberParts {
  const known = knownNumbers(value, context);
  if (known !== undefined) return { known, free: undefined };
  const { shape } = value.type;
  const place = placeIn(value, block);
  const whole: RowNumberParts = { known: Array.from({ length: volume(shape) }, () => 0), free: () => place };
  const [a, b] = [value.producer?.tensorOperand(0), value.producer?.tensorOperand(1)];
  if (madeBy(value, "reshape") !== undefined && a !== undefined) {
    const { known, free } = partsOf(a, block, context);
    return free === undefined ? whole : { known, free: (site) => site.reshape(free(site), shape) };
  }
  if (madeBy(value, "add") === undefined || a === undefined || b === undefined) return whole;
  const sides = [a, b].map((side) => ({ shape: side.type.shape, parts: partsOf(side, block, context) }));
  const frees = sides.flatMap(({ parts, shape: own }) =>
    parts.free === undefined ? [] : [{ free: parts.free, own }]
  );
  const [only] = frees;
  if (only === undefined || frees.length > 1 || only.own.length !== shape.length) return whole;
  const [first = [], second = []] = sides.map(({ parts, shape: own }) => spreadOver(parts.known, own, shape));
  return {
    known: first.map((number, at) => number + (second[at] ?? NaN)),
    free: (site) => site.repeat(only.free(site), shape),
  };
}

/** A place in a block, of which something takes the place where it lies outside: there it chooses no row either. */
function placeIn(value: TensorValue, block: number): TensorValue {
  const where = madeBy(value, "where");
  const [test, place] = [madeBy(where?.operands[0], "eq"), where?.tensorOperand(1)];
  const clamp = madeBy(test?.operands[1], "clamp_scalar");
  const bounds = clamp?.read(CLAMP);
  const isPlace = place !== undefined && test?.operands[0] === place && clamp?.operands[0] === place;
  return isPlace && bounds?.min === 0 && bounds.max === block - 1 ? place : value;
}
