// SPDX-License-Identifier: Apache-2.0
import { inBoth } from "./elementwise.ts";
import type { Meanings, OpCall } from "./op_call.ts";
import { at, build, type NumericTensor, permute, reshape } from "./tensor.ts";

/** Ops that move elements. */
export const DATA_MOVEMENT: Meanings = inBoth([
  ["reshape", (call) => reshape(call.operand(0), call.resultShape())],
  ["squeeze", (call) => reshape(call.operand(0), call.resultShape())],
  ["unsqueeze", (call) => reshape(call.operand(0), call.resultShape())],
  ["permute", permutation],
  ["rearrange", rearrange],
  ["transpose", transpose],
  ["broadcast", repeat],
  ["repeat", repeat],
  ["repeat_interleave", repeatInterleave],
  ["concat", concat],
  ["slice_static", slice],
  ["slice", slice],
  ["slice_dynamic", sliceDynamic],
  ["index", indexOne],
  ["index_select", indexSelect],
  ["select", indexSelect],
  ["reverse", reverse],
  ["pad", pad],
  ["gather", gather],
  ["embedding", embedding],
  ["convert_to_hwc", convertToHwc],
]);

/** Channels of `[1, batch, channels, pixels]` come last, behind the pixels of all pictures. */
function convertToHwc(call: OpCall): NumericTensor {
  const pixels = call.operand(0).shape[3] ?? 1;
  return build(
    call.resultShape(),
    ([, , row = 0, channel = 0]) => at(call.operand(0), [0, Math.floor(row / pixels), channel, row % pixels]),
  );
}

function permutation(call: OpCall): NumericTensor {
  const rank = call.operand(0).shape.length;
  return permute(
    call.operand(0),
    call.requiredIntegers("permutation").map((dim) => call.dimension(dim, rank)),
  );
}

/** Each element goes where its named extents say, groups counted with the last name fastest. */
function rearrange(call: OpCall): NumericTensor {
  const input = call.operand(0);
  const [from = "", to = ""] = call.text("pattern").split("->");
  const names = from.trim().split(/\s+/);
  const groups = [...to.matchAll(/\(([^)]*)\)|(\w+)/g)].map(([, group, name]) =>
    (group ?? name ?? "").split(/\s+/).filter((part) => part !== "" && part !== "1")
  );
  const extent = (name: string): number => input.shape[names.indexOf(name)] ?? 1;
  return build(call.resultShape(), (index) => {
    const place = new Map<string, number>();
    groups.forEach((group, dim) => {
      let rest = index[dim] ?? 0;
      for (const name of group.toReversed()) {
        place.set(name, rest % extent(name));
        rest = Math.floor(rest / extent(name));
      }
    });
    return at(input, names.map((name) => place.get(name) ?? 0));
  });
}

function transpose(call: OpCall): NumericTensor {
  const rank = call.operand(0).shape.length;
  const [a, b] = [call.dimension(call.integer("dim0"), rank), call.dimension(call.integer("dim1"), rank)];
  return permute(
    call.operand(0),
    call.operand(0).shape.map((_, dim) => (dim === a ? b : dim === b ? a : dim)),
  );
}

/** The whole tensor again and again, up to the result's shape. */
function repeat(call: OpCall): NumericTensor {
  const input = call.operand(0);
  const shape = call.resultShape();
  const skipped = shape.length - input.shape.length;
  return build(
    shape,
    (index) => at(input, input.shape.map((extent, dim) => (index[dim + skipped] ?? 0) % extent)),
  );
}

function repeatInterleave(call: OpCall): NumericTensor {
  const dim = call.dimension(call.integer("dim"), call.operand(0).shape.length);
  const repeats = call.integer("repeats");
  const shape = call.operand(0).shape.map((extent, own) => (own === dim ? extent * repeats : extent));
  return build(
    shape,
    (index) => at(call.operand(0), index.with(dim, Math.floor((index[dim] ?? 0) / repeats))),
  );
}

function concat(call: OpCall): NumericTensor {
  const dim = call.dimension(call.integer("dim"), call.operand(0).shape.length);
  return join(call.operands, dim);
}

function join(parts: readonly NumericTensor[], dim: number): NumericTensor {
  const total = parts.reduce((sum, part) => sum + (part.shape[dim] ?? 0), 0);
  const shape = (parts[0]?.shape ?? []).with(dim, total);
  return build(shape, (index) => {
    let position = index[dim] ?? 0;
    for (const part of parts) {
      const extent = part.shape[dim] ?? 0;
      if (position < extent) return at(part, index.with(dim, position));
      position -= extent;
    }
    throw new RangeError("concat: position behind all operands");
  });
}

function sliceOf(
  input: NumericTensor,
  begins: readonly number[],
  ends: readonly number[],
  steps: readonly number[],
): NumericTensor {
  const bound = (value: number, dim: number): number => (value < 0 ? value + (input.shape[dim] ?? 0) : value);
  const from = input.shape.map((_, dim) => bound(begins[dim] ?? 0, dim));
  const shape = input.shape.map((extent, dim) =>
    Math.ceil((bound(ends[dim] ?? extent, dim) - (from[dim] ?? 0)) / (steps[dim] ?? 1))
  );
  return build(
    shape,
    (index) => at(input, index.map((own, dim) => (from[dim] ?? 0) + own * (steps[dim] ?? 1))),
  );
}

function slice(call: OpCall): NumericTensor {
  const [begins, ends] = [call.requiredIntegers("begins"), call.requiredIntegers("ends")];
  return sliceOf(call.operand(0), begins, ends, call.integers("step") ?? begins.map(() => 1));
}

function sliceDynamic(call: OpCall): NumericTensor {
  const [input, begins, ends] = [call.operand(0), call.operand(1), call.operand(2)];
  return sliceOf(input, [...begins.data], [...ends.data], call.integers("step") ?? input.shape.map(() => 1));
}

function indexOne(call: OpCall): NumericTensor {
  const input = call.operand(0);
  const dim = call.dimension(call.integer("dim"), input.shape.length);
  const along = (value: number, others: readonly number[]): readonly number[] => others.with(dim, value);
  const zeros = input.shape.map(() => 0);
  const ones = input.shape.map(() => 1);
  return sliceOf(
    input,
    along(call.integer("begin"), zeros),
    along(call.integer("end"), input.shape),
    along(call.integer("step"), ones),
  );
}

function indexSelect(call: OpCall): NumericTensor {
  const input = call.operand(0);
  const dim = call.dimension(call.integer("dim"), input.shape.length);
  const extent = input.shape[dim] ?? 1;
  const [begin, length] = [call.integer("begin"), call.integer("length")];
  const [end, stride] = [call.integer("end", extent), call.integer("stride")];
  const taken: number[] = [];
  for (let from = begin; from < end; from += stride) {
    for (let i = from; i < Math.min(from + length, extent); i++) taken.push(i);
  }
  return build(
    input.shape.with(dim, taken.length),
    (index) => at(input, index.with(dim, taken[index[dim] ?? 0] ?? -1)),
  );
}

function reverse(call: OpCall): NumericTensor {
  const { shape } = call.operand(0);
  const dims = call.requiredIntegers("dimensions").map((dim) => call.dimension(dim, shape.length));
  return build(
    shape,
    (index) =>
      at(call.operand(0), index.map((own, dim) => (dims.includes(dim) ? (shape[dim] ?? 1) - 1 - own : own))),
  );
}

/** Low and high padding of every dimension in turn; negative padding cuts off. */
function pad(call: OpCall): NumericTensor {
  const input = call.operand(0);
  const padding = call.requiredIntegers("padding");
  const value = call.number("value", 0);
  const shape = input.shape.map((extent, dim) =>
    extent + (padding[2 * dim] ?? 0) + (padding[2 * dim + 1] ?? 0)
  );
  return build(shape, (index) => {
    const from = index.map((own, dim) => own - (padding[2 * dim] ?? 0));
    const inside = from.every((own, dim) => own >= 0 && own < (input.shape[dim] ?? 0));
    return inside ? at(input, from) : value;
  });
}

/** Looks elements up along one dimension, as torch's `gather`. */
export function gather(call: OpCall): NumericTensor {
  const [input, indices] = [call.operand(0), call.operand(1)];
  const dim = call.dimension(call.integer("dim"), input.shape.length);
  return build(indices.shape, (index) => at(input, index.with(dim, at(indices, index))));
}

/** Rows of a table by index; its leading dimensions count as rows. */
function embedding(call: OpCall): NumericTensor {
  const [indices, given] = [call.operand(0), call.operand(1)];
  const width = given.shape.at(-1) ?? 1;
  const table = reshape(given, [given.data.length / width, width]);
  const rows = build(
    [...indices.shape, width],
    (index) => at(table, [at(indices, index.slice(0, -1)), index.at(-1) ?? 0]),
  );
  return reshape(rows, call.resultShape());
}
