// SPDX-License-Identifier: Apache-2.0
import { volume } from "../../layout/extents.ts";
import { isFloat } from "../../layout/data_type.ts";
import { denseList } from "../dense_constant.ts";
import { type FunctionLowering, SI32, splat, U32 } from "../function_lowering.ts";
import { broadcasted, type LazyTensor, permuted, reshaped } from "../lazy_tensor.ts";
import { scalar } from "../../ops/attributes/print_attributes.ts";
import type { LoweringRules } from "../lowering_rule.ts";
import type { TtirOp } from "../ttir_op.ts";
import { sliceAlong } from "./data_movement.ts";
import { lookUp } from "./embedding.ts";
import { scattered } from "./gather.ts";

/**
 * `rows_gather` and `rows_scatter` of autumn 2026: every gather and scatter of StableHLO
 * (tt-mlir:indexed-rows). A batch has a table of rows, numbered along the dimensions `sizes`; index vectors
 * give the begins of windows of `windows` rows. Their kernels belong to tt-mlir's runtime; ttnn ops look rows
 * up, or write them along a dimension.
 */
export const ROWS: LoweringRules = {
  "ttir.rows_gather": { lower: rowsGather, operands: 2 },
  "ttir.rows_scatter": { lower: rowsScatter, operands: 3 },
};

/**
 * Float rows: `embedding` in bf16 (tt-metal:embedding). So are columns of bf16 that are the same in every batch, as rows of
 * the transposed table: `gather` takes a number per element. Other columns and integers: `gather` as they are.
 */
function rowsGather(op: TtirOp, f: FunctionLowering): void {
  if (op.flag("fill_out_of_bounds")) {
    throw op.error("it fills what lies outside, which has no TTNN counterpart");
  }
  const { shape, element } = op.resultType();
  const table = tableOf(op, f);
  const { batch, rows, width, source } = table;
  const places = rowPlaces(op, f, table, true);
  const [own = 1, count = 1] = places.shape;
  if (source.element.dataType === "bf16" && width === 1 && own === 1 && batch > 1) {
    const found = lookUp(f, reshaped(places, [count]), permuted(reshaped(source, [batch, rows]), [1, 0]));
    return f.defineResult(op, reshaped(permuted(found, [1, 0]), shape));
  }
  if (!isFloat(source.element.dataType) || op.flag("column")) {
    const index = broadcasted(reshaped(places, [own, count, 1]), [batch, count, width]);
    const last = width === 1 ? [batch, count] : [batch, count, width];
    const found = f.apply(
      "gather",
      [
        reshaped(source, width === 1 ? [batch, rows] : [batch, rows, width]),
        f.typecast(reshaped(index, last), U32),
      ],
      { shape: last, element: source.element },
      { dim: 1 },
    );
    return f.defineResult(op, reshaped(found, shape));
  }
  const numbers = batch === 1 ? places : withBatches(f, places, table);
  const found = lookUp(f, reshaped(numbers, [batch * count]), reshaped(source, [batch * rows, width]));
  f.defineResult(op, f.typecast(reshaped(found, shape), element));
}

/** StableHLO leaves out windows that are partly outside of the table; so do the kernels with rows outside (tt-metal:scatter). */
function rowsScatter(op: TtirOp, f: FunctionLowering): void {
  const table = tableOf(op, f);
  const { batch, rows, width, source } = table;
  const places = rowPlaces(op, f, table, false);
  const [own = 1, count = 1] = places.shape;
  if (count === 1 && replaces(op) && !op.flag("column") && isFloat(source.element.dataType)) {
    return f.defineResult(op, withRow(f, source, places, f.operand(op, 2)));
  }
  const extents = (extent: number): readonly number[] =>
    width === 1 ? [batch, extent] : [batch, extent, width];
  const written = extents(count);
  const index = broadcasted(reshaped(places, width === 1 ? [own, count] : [own, count, 1]), written);
  const updates = reshaped(f.operand(op, 2), written);
  const result = scattered(f, reshaped(source, extents(rows)), index, updates, {
    dim: 1,
    reduce: op.attributeText("reduce"),
  });
  f.defineResult(op, reshaped(result, op.resultType().shape));
}

/** Whether what is written takes the place of what was there. */
function replaces(op: TtirOp): boolean {
  return op.attributeText("reduce")?.includes("invalid") ?? true;
}

/**
 * One row replaced where a number of `places` is the row's (a cache, what a loop returns): by a selection, as ttnn's
 * `scatter` takes row-major tensors of at most as many dimensions as its indices, of which every element has one.
 */
function withRow(f: FunctionLowering, source: LazyTensor, places: LazyTensor, row: LazyTensor): LazyTensor {
  const { shape, element } = source;
  const ones = shape.slice(2).map(() => 1);
  const [own = 1, rows = 1] = [places.shape[0], shape[1]];
  const numbers = denseList([1, rows, ...ones], SI32, Array.from({ length: rows }, (_, at) => at));
  const isRow = f.elementwise("eq", [numbers, reshaped(places, [own, 1, ...ones])], element);
  return f.elementwise("where", [isRow, row, source], element);
}

/** A table of rows per batch. */
interface RowTable {
  readonly source: LazyTensor;
  readonly batch: number;
  readonly rows: number;
  /** Elements of a row, of all its dimensions. */
  readonly width: number;
}

/** The table of the first operand; with `column`, a row is one element of the last dimension. */
function tableOf(op: TtirOp, f: FunctionLowering): RowTable {
  const source = f.operand(op, 0);
  const rows = volume(op.requiredIntegers("sizes"));
  const [batch = 1, ...others] = source.shape;
  const width = op.flag("column") ? 1 : volume(others.slice(1));
  if (source.shape.length < 3 || volume(others) !== rows * width) {
    throw op.error(`rows of ${source.shape.join("x")} are not ${rows}`, "shape");
  }
  return { source, batch, rows, width };
}

/** A row number behind every table, also in sums of a few, or with numbers of rows subtracted. */
const OUTSIDE = 2 ** 28;

/** Row numbers of the indexed windows, `[batches of the indices, rows]`, in `si32`. */
function rowPlaces(op: TtirOp, f: FunctionLowering, { batch }: RowTable, clamps: boolean): LazyTensor {
  const indices = f.operand(op, 1);
  const sizes = op.requiredIntegers("sizes");
  const windows = op.requiredIntegers("windows");
  const [own = 1, named, count = 1] = indices.shape;
  if (
    indices.shape.length !== 3 || named !== sizes.length || windows.length !== sizes.length ||
    (own !== 1 && own !== batch)
  ) {
    throw op.error(`indices of ${indices.shape.join("x")} do not name rows`, "shape");
  }
  let first: LazyTensor | undefined;
  for (const [at, size] of sizes.entries()) {
    const part = reshaped(sliceAlong(op, f, indices, 1, at, at + 1), [own, count]);
    const whole = f.typecast(part, SI32);
    const bounds = { max: scalar(size - (windows[at] ?? 1), "si32"), min: scalar(0, "si32") };
    const clamped = (): LazyTensor => f.elementwise("clamp_scalar", [whole], SI32, bounds);
    const steps = scaledBy(f, clamps ? clamped() : whole, volume(sizes.slice(at + 1)));
    // A row number behind the table for what is left out; one behind the first dimension is behind the table.
    const outside = splat(whole.shape, SI32, OUTSIDE);
    const scaled = clamps || (at === 0 && windows[at] === 1)
      ? steps
      : f.elementwise("where", [f.elementwise("eq", [whole, clamped()]), steps, outside]);
    first = first === undefined ? scaled : f.elementwise("add", [first, scaled]);
  }
  const starts = first ?? splat([own, count], SI32, 0);
  const offsets = windowOffsets(sizes, windows);
  if (offsets.length === 1) return starts;
  const steps = denseList([1, 1, offsets.length], SI32, offsets);
  const moved = f.elementwise("add", [reshaped(starts, [own, count, 1]), steps]);
  return reshaped(moved, [own, count * offsets.length]);
}

/** Numbers of rows in the table of all batches. */
function withBatches(f: FunctionLowering, places: LazyTensor, { batch, rows }: RowTable): LazyTensor {
  const shape = [batch, places.shape[1] ?? 1];
  const begins = denseList([batch, 1], SI32, Array.from({ length: batch }, (_, at) => at * rows));
  return f.elementwise("add", [broadcasted(places, shape), begins]);
}

/** Row offsets within a window. */
function windowOffsets(sizes: readonly number[], windows: readonly number[]): readonly number[] {
  return windows.reduce<readonly number[]>((offsets, window, at) => {
    const step = volume(sizes.slice(at + 1));
    return offsets.flatMap((offset) => Array.from({ length: window }, (_, place) => offset + place * step));
  }, [0]);
}

function scaledBy(f: FunctionLowering, input: LazyTensor, factor: number): LazyTensor {
  if (factor === 1) return input;
  return f.elementwise("multiply", [input, splat(input.shape, SI32, factor)]);
}
