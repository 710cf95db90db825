// SPDX-License-Identifier: Apache-2.0
import { type DataType, isPlainFloat } from "../../../layout/data_type.ts";
import { sameType, type TensorValue } from "../../../ttnn/value.ts";
import type { TtnnOp } from "../../../ttnn/op.ts";
import { type PassBuilder, replacing, type RewritePattern } from "../../rewrite_pattern.ts";
import { constantOf, isPlain, madeBy } from "../matching.ts";

/** Types that represent every value of a type exactly. */
const WIDER: ReadonlyMap<DataType, readonly DataType[]> = new Map([
  ["bf16", ["f32"]],
  ["f16", ["f32"]],
  ["bfp_bf8", ["bf16", "f32"]],
  ["bfp_bf4", ["bfp_bf8", "bf16", "f32"]],
  ["u8", ["u16", "u32", "si32", "f32"]],
  ["u16", ["u32", "si32", "f32"]],
]);

/**
 * Removes identity typecasts, and makes a typecast after a lossless one read that one's operand (tt-mlir: folders of
 * `TypecastOp`).
 */
export const foldTypecasts: RewritePattern = {
  name: "fold-typecasts",
  upstream: "level-0",
  roots: ["ttnn.typecast"],
  rewrite: (op, body) => {
    const [input, result] = [op.tensorOperand(0), op.tensorResult];
    if (input === undefined || result === undefined) return false;
    if (sameType(input.type, result.type)) {
      body.replaceAllUses(result, input);
      return true;
    }
    const source = losslessSource(input);
    if (source !== undefined && sameStorage(source, result)) {
      if (sameType(source.type, result.type)) body.replaceAllUses(result, source);
      else body.setOperand(op, 0, source);
      return true;
    }
    return false;
  },
};

/** Merges two float typecasts even if the first one rounds, like upstream's folder. */
export const foldRoundingTypecasts: RewritePattern = {
  name: "fold-rounding-typecasts",
  upstream: "only-upstream",
  roots: ["ttnn.typecast"],
  rewrite: (op, body) => {
    const [input, result] = [op.tensorOperand(0), op.tensorResult];
    const source = madeBy(input, "typecast")?.tensorOperand(0);
    if (input === undefined || source === undefined || result === undefined) return false;
    const areFloats = [source, input, result].every(({ type }) => isPlainFloat(type.dataType));
    if (!areFloats || !sameStorage(source, result)) return false;
    body.setOperand(op, 0, source);
    return true;
  },
};

/** Moves views and selections between two inverse typecasts to the narrow type. */
export const narrowBetweenTypecasts: RewritePattern = replacing({
  name: "narrow-between-typecasts",
  upstream: "none",
  roots: ["ttnn.typecast"],
  replace: (op, site, result) => {
    const input = op.tensorOperand(0);
    return input && (narrowViews(site, input, result) ?? narrowSelection(site, input, result));
  },
});

/** The operand of the lossless typecast that makes a value; `undefined` if none does. */
export function losslessSource(value: TensorValue): TensorValue | undefined {
  const source = madeBy(value, "typecast")?.tensorOperand(0);
  if (source === undefined) return undefined;
  return WIDER.get(source.type.dataType)?.includes(value.type.dataType) === true ? source : undefined;
}

/** Whether two tensors differ at most in element type. */
function sameStorage({ type: a }: TensorValue, { type: b }: TensorValue): boolean {
  return a.layout.bufferType === b.layout.bufferType && a.layout.memoryLayout === b.layout.memoryLayout &&
    (a.layout.tile === undefined) === (b.layout.tile === undefined);
}

/** A tensor before its widening typecast, and the views after that. */
interface Widened {
  readonly source: TensorValue;
  /** In order from the source. */
  readonly views: readonly TtnnOp[];
}

/** The value before a widening typecast, through views with a single user. */
function widened(value: TensorValue, reader: TtnnOp): Widened | undefined {
  const views: TtnnOp[] = [];
  for (let [current, user] = [value, reader]; views.length < FARTHEST;) {
    const source = losslessSource(current);
    if (source !== undefined) return { source, views: views.toReversed() };
    const view = madeBy(current, "reshape", "permute");
    const below = view?.tensorOperand(0);
    if (view === undefined || below === undefined || current.onlyUser !== user) return undefined;
    views.push(view);
    [current, user] = [below, view];
  }
  return undefined;
}

/** The views applied to the narrow tensor. */
function viewed(site: PassBuilder, { source, views }: Widened): TensorValue {
  return views.reduce((value, view) => {
    const shape = view.tensorResult?.type.shape ?? [];
    return site.tensor(
      view.name,
      [value],
      { shape, dataType: value.type.dataType },
      view.properties,
    );
  }, source);
}

function narrowViews(site: PassBuilder, input: TensorValue, result: TensorValue): TensorValue | undefined {
  const found = widened(input, site.anchor);
  const isNarrow = found !== undefined && found.views.length > 0 && fitsInto(found.source, result);
  return isNarrow ? viewed(site, found) : undefined;
}

function fitsInto({ type }: TensorValue, result: TensorValue): boolean {
  return type.dataType === result.type.dataType && isPlain(type) && isPlain(result.type);
}

/** Consecutive views that are followed. */
const FARTHEST = 8;

/** A `where` between a scalar and a widened tensor, narrowed. */
function narrowSelection(
  site: PassBuilder,
  input: TensorValue,
  result: TensorValue,
): TensorValue | undefined {
  const where = madeBy(input, "where");
  const [test, chosen, other] = where?.tensorOperands ?? [];
  if (where === undefined || test === undefined || chosen === undefined || other === undefined) {
    return undefined;
  }
  const found = widened(other, where);
  if (found === undefined || input.onlyUser !== site.anchor || !fitsInto(found.source, result)) {
    return undefined;
  }
  if (constantOf(chosen, site.context) === undefined) return undefined;
  const { shape, dataType } = result.type;
  const operands = [site.typecast(test, dataType), site.typecast(chosen, dataType), viewed(site, found)];
  return site.tensor("ttnn.where", operands, { shape, dataType });
}
