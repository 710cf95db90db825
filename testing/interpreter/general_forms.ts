// SPDX-License-Identifier: Apache-2.0
import { gather as gatherAlong } from "./data_movement.ts";
import type { Meanings, OpCall } from "./op_call.ts";
import { meetingOf, scatter as scatterAlong } from "./ordering.ts";
import { at, build, type Index, type NumericTensor, offsetOf, positions, sum } from "./tensor.ts";

/** Ops of older TTIR that spell StableHLO's general forms out, taken word by word from its specification. */
export const GENERAL_FORMS: Meanings = {
  "ttir.convolution": convolution,
  "ttir.pooling": pooling,
  "ttir.gather": (call) => call.integers("start_index_map") === undefined ? gatherAlong(call) : gather(call),
  "ttir.scatter": (call) =>
    call.integers("scatter_dims_to_operand_dims") === undefined ? scatterAlong(call) : scatter(call),
  "ttir.rows_gather": rowsGather,
  "ttnn.rows_gather": rowsGather,
  "ttir.rows_scatter": rowsScatter,
  "ttnn.rows_scatter": rowsScatter,
};

function roles(call: OpCall, name: string): readonly number[] {
  const found = new RegExp(`\\b${name} = (\\d+(?:x\\d+)*)`).exec(call.text("convolution_layout"))?.[1];
  if (found === undefined) throw call.fail(`no '${name}'`);
  return found.split("x").map(Number);
}

/** Every output element is a sum over a window of the padded and dilated input. */
function convolution(call: OpCall): NumericTensor {
  const [input, kernel] = [call.operand(0), call.operand(1)];
  const role = (name: string): number => roles(call, name)[0] ?? 0;
  const spatial = ["input", "kernel", "output"].map((name) => roles(call, `${name}_spatial_dimensions`));
  const [inputAxes = [], kernelAxes = [], outputAxes = []] = spatial;
  const list = (name: string, axis: number, fallback = 1): number => call.integers(name)?.[axis] ?? fallback;
  const outputs = kernel.shape[role("kernel_output_feature")] ?? 1;
  const perGroup = kernel.shape[role("kernel_input_feature")] ?? 1;
  const featureGroups = call.integer("feature_group_count", 1);
  const batchGroups = call.integer("batch_group_count", 1);
  const batch = (input.shape[role("input_batch")] ?? 1) / batchGroups;
  return build(call.resultShape(), (index) => {
    const feature = index[role("output_feature")] ?? 0;
    const n = (index[role("output_batch")] ?? 0) +
      batch * Math.floor(feature / (outputs / batchGroups));
    const group = Math.floor(feature / (outputs / featureGroups));
    const window = kernelAxes.map((axis) => kernel.shape[axis] ?? 1);
    let total = 0;
    for (const [c = 0, ...taps] of positions([perGroup, ...window])) {
      const from = kernel.shape.map(() => 0);
      from[role("input_batch")] = n;
      from[role("input_feature")] = group * perGroup + c;
      const tap = kernel.shape.map(() => 0);
      tap[role("kernel_output_feature")] = feature;
      tap[role("kernel_input_feature")] = c;
      let isInside = true;
      taps.forEach((own, axis) => {
        const place = (index[outputAxes[axis] ?? 0] ?? 0) * list("window_strides", axis) +
          own * list("weight_dilation", axis) - list("padding", 2 * axis, 0);
        const pixel = place / list("input_dilation", axis);
        isInside &&= Number.isInteger(pixel) && pixel >= 0 &&
          pixel < (input.shape[inputAxes[axis] ?? 0] ?? 0);
        from[inputAxes[axis] ?? 0] = pixel;
        const isReversed = list("window_reversal", axis, 0) !== 0;
        tap[kernelAxes[axis] ?? 0] = isReversed ? (window[axis] ?? 1) - 1 - own : own;
      });
      if (isInside) total += at(input, from) * at(kernel, tap);
    }
    return total;
  });
}

/** Windows over every dimension; sums and averages count the padding as zeros. */
function pooling(call: OpCall): NumericTensor {
  const input = call.operand(0);
  const window = call.requiredIntegers("window_dimensions");
  const method = call.text("pooling_method");
  const list = (name: string, dim: number, fallback: number): number =>
    call.integers(name)?.[dim] ?? fallback;
  return build(call.resultShape(), (index) => {
    const seen = Array.from(positions(window), (tap) => {
      const from = tap.map((own, dim) =>
        (index[dim] ?? 0) * list("window_strides", dim, 1) + own * list("window_dilations", dim, 1) -
        list("padding", 2 * dim, 0)
      );
      const isInside = from.every((own, dim) => own >= 0 && own < (input.shape[dim] ?? 0));
      return isInside ? at(input, from) : method === "Max" ? -Infinity : 0;
    });
    if (method === "Max") return Math.max(...seen);
    return method === "Sum" ? sum(seen) : sum(seen) / seen.length;
  });
}

function gather(call: OpCall): NumericTensor {
  const [source, indices] = [call.operand(0), call.operand(1)];
  const vectorDim = call.integer("index_vector_dim");
  const named = call.requiredIntegers("start_index_map");
  const collapsed = call.integers("collapsed_slice_dims") ?? [];
  const offsets = call.integers("offset_dims") ?? [];
  const kept = source.shape.flatMap((_, dim) => (collapsed.includes(dim) ? [] : [dim]));
  return build(call.resultShape(), (index) => {
    const batch = index.filter((_, dim) => !offsets.includes(dim));
    const from = source.shape.map(() => 0);
    kept.forEach((dim, position) => from[dim] = index[offsets[position] ?? 0] ?? 0);
    addPlaces(indices, named, vectorDim, batch, from);
    return at(source, from);
  });
}

/** Adds what an index vector says to a place. */
function addPlaces(
  indices: NumericTensor,
  named: readonly number[],
  vectorDim: number,
  batch: Index,
  place: number[],
): void {
  named.forEach((dim, component) => {
    const own = vectorDim < indices.shape.length ? batch.toSpliced(vectorDim, 0, component) : batch;
    place[dim] = (place[dim] ?? 0) + at(indices, own);
  });
}

function scatter(call: OpCall): NumericTensor {
  const [input, indices, updates] = [call.operand(0), call.operand(1), call.operand(2)];
  const windows = call.integers("update_window_dims") ?? [];
  const inserted = call.integers("inserted_window_dims") ?? [];
  const kept = input.shape.flatMap((_, dim) => (inserted.includes(dim) ? [] : [dim]));
  const result = { shape: input.shape, data: input.data.slice() };
  for (const index of positions(updates.shape)) {
    const to = input.shape.map(() => 0);
    kept.forEach((dim, position) => to[dim] = index[windows[position] ?? 0] ?? 0);
    const batch = index.filter((_, dim) => !windows.includes(dim));
    const named = call.requiredIntegers("scatter_dims_to_operand_dims");
    addPlaces(indices, named, call.integer("index_vector_dim"), batch, to);
    result.data[offsetOf(input, to)] = at(updates, index);
  }
  return result;
}

/** The rows of one window, in order; `undefined` for one that lies partly outside and is not moved inside. */
function windowRows(
  call: OpCall,
  batch: number,
  place: number,
  moves: boolean,
): readonly number[] | undefined {
  const indices = call.operand(1);
  const [sizes, windows] = [call.requiredIntegers("sizes"), call.requiredIntegers("windows")];
  const own = indices.shape[0] === 1 ? 0 : batch;
  const starts = sizes.map((size, dim) => {
    const named = at(indices, [own, dim, place]);
    return moves ? Math.min(Math.max(named, 0), size - (windows[dim] ?? 1)) : named;
  });
  const isInside = starts.every((start, dim) =>
    start >= 0 && start + (windows[dim] ?? 1) <= (sizes[dim] ?? 1)
  );
  if (!isInside) return undefined;
  return [...positions(windows)].map((offset) =>
    sizes.reduce((row, size, dim) => row * size + (starts[dim] ?? 0) + (offset[dim] ?? 0), 0)
  );
}

/** Where an element of a row lies; with `column` rows are the elements of all dimensions behind the batch. */
function rowPlace(call: OpCall, batch: number, row: number, columns: Index): Index {
  if (!call.flag("column")) return [batch, row, ...columns];
  let rest = row;
  const behind = call.operand(0).shape.slice(1).toReversed().map((extent, at, { length }) => {
    const own = at === length - 1 ? rest : rest % extent;
    rest = (rest - own) / extent;
    return own;
  });
  return [batch, ...behind.toReversed()];
}

/** Windows of rows by index vectors; those that lie partly outside begin where they lie inside. */
function rowsGather(call: OpCall): NumericTensor {
  const table = call.operand(0);
  const lines = call.integers("windows")?.reduce((product, window) => product * window, 1) ?? 1;
  return build(call.resultShape(), ([batch = 0, row = 0, ...columns]) => {
    const rows = windowRows(call, batch, Math.floor(row / lines), true);
    return at(table, rowPlace(call, batch, rows?.[row % lines] ?? NaN, columns));
  });
}

/** Windows of rows are written, or combined with what is there; those that lie partly outside are left out. */
function rowsScatter(call: OpCall): NumericTensor {
  const [table, indices, updates] = [call.operand(0), call.operand(1), call.operand(2)];
  const meet = meetingOf(call, "reduce");
  const result = { shape: table.shape, data: table.data.slice() };
  for (const [batch = 0, place = 0] of positions([table.shape[0] ?? 1, indices.shape[2] ?? 1])) {
    const rows = windowRows(call, batch, place, false) ?? [];
    for (const [line, row] of rows.entries()) {
      const source = place * rows.length + line;
      for (const columns of positions(call.flag("column") ? [] : table.shape.slice(2))) {
        const target = offsetOf(table, rowPlace(call, batch, row, columns));
        const written = at(updates, [batch, source, ...columns]);
        result.data[target] = meet(result.data[target] ?? NaN, written);
      }
    }
  }
  return result;
}
