// SPDX-License-Identifier: Apache-2.0
import { inversePermutation, volume } from "../../layout/extents.ts";
import { type FunctionLowering, SI32, splat, U32 } from "../function_lowering.ts";
import { broadcasted, type LazyTensor, permuted, reshaped } from "../lazy_tensor.ts";
import { constantIntegers } from "../dense_constant.ts";
import type { TtirOp } from "../ttir_op.ts";
import type { LoweringRules } from "../lowering_rule.ts";
import { slice, sliceAlong } from "./data_movement.ts";
import { lookUp } from "./embedding.ts";

/** Gathers, and scatters, their counterparts. */
export const GATHER: LoweringRules = {
  "ttir.gather": { lower: gather, operands: 2 },
  "ttir.gather_dim": { lower: gather, operands: 2 },
  "ttir.scatter": { lower: scatter, operands: 3 },
};

/** Looks elements up along one dimension; vectors become rows (tt-mlir:gather-rank-1); indices are unsigned. */
function gather(op: TtirOp, f: FunctionLowering): void {
  const dim = op.integer("dim");
  if (dim === undefined) return gatherSlices(op, f);
  const given = f.operand(op, 1);
  const indices = given.element.dataType === "u16" ? given : f.typecast(given, U32);
  const { shape, element } = op.resultType();
  const ones = shape.length === 1 ? [1] : [];
  const operands = [f.operand(op, 0), indices].map((operand) =>
    reshaped(operand, [...ones, ...operand.shape])
  );
  const found = f.apply("gather", operands, { shape: [...ones, ...shape], element }, {
    dim: ones.length + op.dimension(dim, shape.length),
  });
  f.defineResult(op, reshaped(found, shape));
}

/**
 * The gather of older generations, `stablehlo.gather`: index vectors select positions along some dimensions of a tensor, and
 * the result has the slices there along the other dimensions. With the selected dimensions first, the tensor is a table of
 * rows, which is looked up.
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
  const taken = slice(op, f, source, { ends });
  const batch = indexed(op, f.operand(op, 1).shape);
  const found = fewRuns(op, f, taken, named, others) ??
    f.typecast(
      rowsOf(op, f, permuted(taken, [...named, ...others]), named.map((dim) => source.shape[dim] ?? 1)),
      element,
    );

  const kept = source.shape.flatMap((_, dim) => (collapsed.has(dim) ? [] : [dim]));
  const looked = reshaped(found, [...batch, ...kept.map((dim) => sizes[dim] ?? 1)]);
  // Where each dimension of the result comes from: the slice's in the places that the op names, the indices' in the rest.
  const offsets = op.integers("offset_dims") ?? [];
  const free = shape.flatMap((_, dim) => (offsets.includes(dim) ? [] : [dim]));
  f.defineResult(op, permuted(looked, inversePermutation([...free, ...offsets])));
}

/** Writes elements along one dimension. */
function scatter(op: TtirOp, f: FunctionLowering): void {
  const dim = op.integer("dim");
  if (dim === undefined) return scatterSlices(op, f);
  const input = f.operand(op, 0);
  const along = {
    dim: op.dimension(dim, input.shape.length),
    reduce: op.attributeText("scatter_reduce_type"),
  };
  f.defineResult(op, scattered(f, input, f.operand(op, 1), f.operand(op, 2), along));
}

/** Where and how updates are written. */
interface ScatterAlong {
  readonly dim: number;
  /** `#ttcore.reduce_type`; by default what is written replaces what was there. */
  readonly reduce: string | undefined;
}

/** Writes updates along one dimension to where the indices say, row-major. */
export function scattered(
  f: FunctionLowering,
  input: LazyTensor,
  indices: LazyTensor,
  updates: LazyTensor,
  { dim, reduce = "#ttcore.reduce_type<invalid>" }: ScatterAlong,
): LazyTensor {
  const operands = [input, f.typecast(indices, SI32), updates].map((operand) => f.rowMajor(operand));
  const properties = { dim, scatter_reduce_type: reduce };
  return f.apply("scatter", operands, input, properties, { place: { rowMajor: true } });
}

/**
 * The scatter of older generations, `stablehlo.scatter`: index vectors select positions along some dimensions of a tensor,
 * whose slices there along the other dimensions are replaced. One selected dimension becomes a scatter along it; with several
 * of them first, the tensor is a table of which rows are replaced.
 */
function scatterSlices(op: TtirOp, f: FunctionLowering): void {
  const [input, updates] = [f.operand(op, 0), f.operand(op, 2)];
  const named = op.requiredIntegers("scatter_dims_to_operand_dims");
  const inserted = new Set(op.integers("inserted_window_dims") ?? []);
  const windows = op.integers("update_window_dims") ?? [];
  if ((op.integers("input_batching_dims") ?? []).length > 0) {
    throw op.error("a scatter with batching dimensions has no TTNN counterpart");
  }
  const others = input.shape.flatMap((_, dim) => (named.includes(dim) ? [] : [dim]));
  const whole = others.length === windows.length &&
    others.every((dim, at) => input.shape[dim] === updates.shape[windows[at] ?? -1]);
  if (!whole || inserted.size !== named.length || named.some((dim) => !inserted.has(dim))) {
    throw op.error(
      `only windows of one position along dimension ${
        named.join(", ")
      } and whole along the others have a TTNN ` +
        "counterpart; a part of the tensor is replaced by slices of the rest, joined with what is new",
    );
  }
  const rows = named.map((dim) => input.shape[dim] ?? 1);
  const numbers = rowNumbers(op, f, rows);
  const count = volume(numbers.shape);
  const batch = updates.shape.flatMap((_, dim) => (windows.includes(dim) ? [] : [dim]));
  // One dimension keeps its place, several lead as one.
  const [one, ...more] = named;
  const at = more.length === 0 ? one ?? 0 : 0;
  const order = more.length === 0 ? input.shape.map((_, dim) => dim) : [...named, ...others];
  const rest = others.map((dim) => input.shape[dim] ?? 1);
  const table = reshaped(permuted(input, order), rest.toSpliced(at, 0, volume(rows)));
  const written = reshaped(
    permuted(updates, windows.toSpliced(at, 0, ...batch)),
    rest.toSpliced(at, 0, count),
  );
  const places = reshaped(numbers, table.shape.map((_, dim) => (dim === at ? count : 1)));
  const result = scattered(f, table, broadcasted(places, written.shape), written, {
    dim: at,
    reduce: op.attributeText("scatter_reduce_type"),
  });
  f.defineResult(
    op,
    permuted(reshaped(result, order.map((dim) => input.shape[dim] ?? 1)), inversePermutation(order)),
  );
}

/** Extents of the indices without the dimension of the index vectors. */
function indexed(op: TtirOp, shape: readonly number[]): readonly number[] {
  const vectorDim = op.integer("index_vector_dim") ?? shape.length;
  return vectorDim < shape.length ? shape.toSpliced(vectorDim, 1) : shape;
}

/** Looks rows up in a table, of which some dimensions lead. */
function rowsOf(
  op: TtirOp,
  f: FunctionLowering,
  front: LazyTensor,
  extents: readonly number[],
): LazyTensor {
  const rows = volume(extents);
  const table = reshaped(front, [rows, volume(front.shape) / rows]);
  const places = rowNumbers(op, f, extents);
  const few = places.shape.length > 2 ? reshaped(places, [volume(places.shape)]) : places;
  return lookUp(f, few, table);
}

/** Most runs of constant positions that are sliced and repeated, as replicated padding needs. */
const MOST_RUNS = 3;

/**
 * Constant places along one dimension that are few runs, each of neighbours or of one place again and again, are slices
 * that are repeated and joined (tt-mlir `StableHLOGatherToSliceRepeatConcatPattern`). The dimension leads the result.
 */
function fewRuns(
  op: TtirOp,
  f: FunctionLowering,
  taken: LazyTensor,
  [dim, ...more]: readonly number[],
  others: readonly number[],
): LazyTensor | undefined {
  const indices = f.operand(op, 1);
  const constant = indices.form.kind === "reshape" ? indices.form.source : indices;
  const places = constantIntegers(constant.form, constant.element);
  if (dim === undefined || more.length > 0 || places === undefined) return undefined;
  const last = (taken.shape[dim] ?? 1) - 1;
  const runs = runsOf(places.map((place) => Math.min(Math.max(place, 0), last)));
  if (runs.length > MOST_RUNS) return undefined;
  const parts = runs.map(({ from, to, times }) => {
    const part = sliceAlong(op, f, taken, dim, from, to);
    return times === 1 ? part : broadcasted(part, part.shape.with(dim, times));
  });
  const shape = taken.shape.with(dim, places.length);
  const joined = parts.length === 1 ? parts[0] : undefined;
  const along = joined ??
    f.apply("concat", parts, { shape, element: taken.element }, { dim: dim });
  return permuted(along, [dim, ...others]);
}

interface GatherRun {
  readonly from: number;
  readonly to: number;
  /** How often its one place comes; 1 for neighbours. */
  readonly times: number;
}

/**
 * Splits places into runs of neighbours and of one place that is repeated. The last time of a place that neighbours
 * follow is theirs, so that padding leaves its input whole.
 */
function runsOf(places: readonly number[]): readonly GatherRun[] {
  const runs: GatherRun[] = [];
  for (const place of places) {
    const run = runs.at(-1);
    if (run !== undefined && place === run.to) {
      if (run.times > 1) {
        runs.splice(-1, 1, { ...run, times: run.times - 1 }, { ...run, to: place + 1, times: 1 });
      } else runs.splice(-1, 1, { ...run, to: place + 1 });
    } else if (run !== undefined && run.to === run.from + 1 && place === run.from) {
      runs.splice(-1, 1, { ...run, times: run.times + 1 });
    } else runs.push({ from: place, to: place + 1, times: 1 });
  }
  return runs;
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
      "shape",
    );
  }
  const [first, ...more] = extents.map((_, at): LazyTensor => {
    return reshaped(sliceAlong(op, f, indices, vectorDim, at, at + 1), batch);
  });
  if (first === undefined) throw op.error("index vectors are empty", "shape");
  return more.reduce((row, next, at) => {
    const extent = splat(batch, U32, extents[at + 1] ?? 1);
    const scaled = f.elementwise("multiply", [f.typecast(row, U32), extent]);
    return f.elementwise("add", [scaled, f.typecast(next, U32)]);
  }, first);
}
