// SPDX-License-Identifier: Apache-2.0
import { inversePermutation, volume } from "../../layout/extents.ts";
import { type FunctionLowering, splat, U32 } from "../function_lowering.ts";
import { type LazyTensor, permuted, reshaped } from "../lazy_tensor.ts";
import type { TtirOp } from "../ttir_op.ts";
import { integerText } from "../../dialect/printed_attributes.ts";
import type { LoweringRules } from "../lowering_rule.ts";
import { slice } from "./data_movement.ts";
import { lookUp } from "./embedding.ts";

/** Gathers. */
export const GATHER: LoweringRules = {
  "ttir.gather": { lower: gather, operands: 2 },
};

/** Looks elements up along one dimension; indices are unsigned. */
function gather(op: TtirOp, f: FunctionLowering): void {
  const dim = op.integer("dim");
  if (dim === undefined) return gatherSlices(op, f);
  const given = f.operand(op, 1);
  const indices = given.element.dataType === "u16" ? given : f.typecast(given, U32);
  f.replace(op, "gather", [f.operand(op, 0), indices], {
    dim: integerText(op.dimension(dim, op.resultType().shape.length), "si32"),
  });
}

/**
 * The gather of older generations, `stablehlo.gather`: index vectors name positions along some dimensions of a tensor, and
 * what lies there along the others is taken. The named dimensions lead the rows of a table, which is looked up.
 */
function gatherSlices(op: TtirOp, f: FunctionLowering): void {
  const { shape, element } = op.resultType();
  const source = f.operand(op, 0);
  const rank = source.shape.length;
  const named = op.requiredIntegers("start_index_map");
  const sizes = op.requiredIntegers("slice_sizes");
  const collapsed = new Set(op.integers("collapsed_slice_dims") ?? []);
  if ((op.integers("operand_batching_dims") ?? []).length > 0) {
    throw op.error("a gather with batching dimensions has no TTNN counterpart");
  }
  if (sizes.length !== rank || named.some((dim) => sizes[dim] !== 1)) {
    throw op.error("only single positions along the indexed dimensions have a TTNN counterpart");
  }
  const others = source.shape.flatMap((_, dim) => (named.includes(dim) ? [] : [dim]));
  const ends = source.shape.map((extent, dim) => (named.includes(dim) ? extent : sizes[dim] ?? extent));
  const zeros = source.shape.map(() => 0);
  const taken = slice(op, f, source, { begins: zeros, ends, step: source.shape.map(() => 1) });
  const front = permuted(taken, [...named, ...others]);
  const rows = volume(named.map((dim) => source.shape[dim] ?? 1));
  const table = reshaped(front, [rows, volume(front.shape) / rows]);

  const places = rowNumbers(op, f, named.map((dim) => source.shape[dim] ?? 1));
  const few = places.shape.length > 2 ? reshaped(places, [volume(places.shape)]) : places;
  const found = f.typecast(lookUp(f, few, table), element);

  const kept = source.shape.flatMap((_, dim) => (collapsed.has(dim) ? [] : [dim]));
  const looked = reshaped(found, [...places.shape, ...kept.map((dim) => sizes[dim] ?? 1)]);
  // Where each dimension of the result comes from: the slice's in the places that the op names, the indices' in the rest.
  const offsets = op.integers("offset_dims") ?? [];
  const free = shape.flatMap((_, dim) => (offsets.includes(dim) ? [] : [dim]));
  f.defineResult(op, permuted(looked, inversePermutation([...free, ...offsets])));
}

/** Numbers of rows that index vectors name in a table of these extents. */
function rowNumbers(op: TtirOp, f: FunctionLowering, extents: readonly number[]): LazyTensor {
  const indices = f.operand(op, 1);
  const rank = indices.shape.length;
  const vectorDim = op.integer("index_vector_dim") ?? rank;
  if (vectorDim >= rank) return indices;
  const batch = indices.shape.toSpliced(vectorDim, 1);
  if (extents.length !== indices.shape[vectorDim]) {
    throw op.error(
      `index vectors have ${indices.shape[vectorDim]} numbers for ${extents.length} dimensions`,
      "lowering/shape",
    );
  }
  const [first, ...more] = extents.map((_, at): LazyTensor => {
    const begins = indices.shape.map((_, dim) => (dim === vectorDim ? at : 0));
    const ends = indices.shape.map((extent, dim) => (dim === vectorDim ? at + 1 : extent));
    return reshaped(slice(op, f, indices, { begins, ends, step: indices.shape.map(() => 1) }), batch);
  });
  if (first === undefined) throw op.error("index vectors are empty", "lowering/shape");
  return more.reduce((row, next, at) => {
    const extent = splat(batch, U32, extents[at + 1] ?? 1);
    const scaled = f.elementwise("multiply", [f.typecast(row, U32), extent], batch, U32);
    return f.elementwise("add", [scaled, f.typecast(next, U32)], batch, U32);
  }, first);
}
