// SPDX-License-Identifier: Apache-2.0
import { chosen, dense, type DrawnProgram, type DrawnSteps, type DrawnValue, i32s } from "./program_text.ts";

const UNARY = ["relu", "tanh", "sigmoid", "neg", "gelu", "silu", "abs", "cos", "relu6"];
/** Numbers that bf16 holds. */
const SCALARS = [0.5, 2, 1, 0, 3];
const BINARY = ["add", "multiply", "subtract", "maximum", "minimum"];

function swapped(program: DrawnProgram, x: DrawnValue, first: number, second: number): DrawnValue {
  const order = x.shape.map((_, dim) => dim === first ? second : dim === second ? first : dim);
  const shape = order.map((dim) => x.shape[dim] ?? 1);
  return program.op("permute", [x], shape, `permutation = ${dense(order, "i64")}`);
}

/** Steps on tensors of any shape. */
export const TENSOR_STEPS: DrawnSteps = {
  unary: (program, x, { how }) => program.op(chosen(UNARY, how) ?? "relu", [x], x.shape),
  together: (program, x, { how, size }) => {
    const others = program.values.filter(({ shape }) => shape.join() === x.shape.join());
    return program.op(chosen(BINARY, how) ?? "add", [x, chosen(others, size) ?? x], x.shape);
  },
  parameter: (program, x, { how, size }) => {
    const shape = x.shape.map((extent, dim) => size >> dim & 1 ? 1 : extent);
    const wide = program.broadcast(program.argument(shape, "parameter"), x.shape);
    return program.op(chosen(BINARY, how) ?? "add", how % 2 === 0 ? [x, wide] : [wide, x], x.shape);
  },
  swap: (program, x, { how, size }) =>
    x.shape.length < 2 ? undefined : swapped(program, x, how % x.shape.length, size % x.shape.length),
  transposed: (program, x, { how }) => {
    const [rows, columns] = x.shape.slice(-2);
    if (rows === undefined || rows !== columns) return undefined;
    const permuted = swapped(program, x, x.shape.length - 2, x.shape.length - 1);
    return program.op(chosen(BINARY, how) ?? "add", [permuted, x], x.shape);
  },
  split: (program, x, { how }) => {
    const dim = how % x.shape.length;
    const extent = x.shape[dim] ?? 1;
    if (extent % 2 !== 0 || x.shape.length > 4) return undefined;
    return program.reshape(x, x.shape.toSpliced(dim, 1, 2, extent / 2));
  },
  merge: (program, x, { how }) => {
    if (x.shape.length < 2) return undefined;
    const dim = how % (x.shape.length - 1);
    return program.reshape(x, x.shape.toSpliced(dim, 2, (x.shape[dim] ?? 1) * (x.shape[dim + 1] ?? 1)));
  },
  product: (program, x, { how, size }) => {
    const depth = x.shape.at(-1);
    if (x.shape.length < 2 || depth === undefined || depth === 0) return undefined;
    const columns = 1 + size % 5;
    const weight = program.argument(how % 2 === 0 ? [depth, columns] : [columns, depth], "parameter");
    return program.matmul(x, weight, columns, how % 2 !== 0);
  },
  softmax: (program, x, { how }) => program.softmax(x, how % x.shape.length),
  reduce: (program, x, { how, size }) => {
    const dim = how % x.shape.length;
    const keep = size % 2 === 0;
    const shape = keep ? x.shape.with(dim, 1) : x.shape.toSpliced(dim, 1);
    const properties = `dim_arg = ${i32s([dim])}, keep_dim = ${keep}`;
    return shape.length === 0
      ? undefined
      : program.op(chosen(["sum", "max", "mean"], size) ?? "sum", [x], shape, properties);
  },
  slice: (program, x, { how, size }) => {
    const dim = how % x.shape.length;
    const extent = x.shape[dim] ?? 1;
    const begin = extent === 0 ? 0 : size % extent;
    return program.slice(x, x.shape.map((_, own) => own === dim ? begin : 0));
  },
  join: (program, x, { how }) => {
    const dim = how % x.shape.length;
    const shape = x.shape.with(dim, 2 * (x.shape[dim] ?? 1));
    const other = program.op(chosen(UNARY, how) ?? "relu", [x], x.shape);
    return program.op("concat", [x, other], shape, `dim = ${dim} : si32`);
  },
  // The last rows, as for the last positions' logits.
  rows: (program, x, { size }) => {
    const width = x.shape.at(-1) ?? 1;
    const count = x.shape.slice(0, -1).reduce((product, extent) => product * extent, 1);
    if (x.shape.length < 2 || count < 2) return undefined;
    const flat = program.reshape(x, [count, width]);
    return program.slice(flat, [count - 1 - size % Math.min(count - 1, 4), 0]);
  },
  // Every second or third row.
  strided: (program, x, { how, size }) => {
    const dim = how % x.shape.length;
    const extent = x.shape[dim] ?? 1;
    const [begin, step] = [size % 2, 2 + size % 2];
    if (extent <= begin) return undefined;
    const along = (value: number, others: number) => x.shape.map((_, at) => at === dim ? value : others);
    return program.slice(x, along(begin, 0), along(step, 1));
  },
  pad: (program, x, { how, size }) => {
    const sides = x.shape.flatMap((_, dim) => dim === how % x.shape.length ? [size % 3, size % 2] : [0, 0]);
    const shape = x.shape.map((extent, dim) => extent + (sides[2 * dim] ?? 0) + (sides[2 * dim + 1] ?? 0));
    const value = chosen(["0.000000e+00", "1.500000e+00"], how) ?? "0.000000e+00";
    return program.op("pad", [x], shape, `padding = ${dense(sides, "i32")}, value = ${value} : f32`);
  },
  interleave: (program, x, { how, size }) => {
    const dim = how % x.shape.length;
    const repeats = 2 + size % 2;
    return program.op(
      "repeat_interleave",
      [x],
      x.shape.with(dim, (x.shape[dim] ?? 1) * repeats),
      `repeats = ${repeats} : ui32, dim = ${dim} : si32`,
    );
  },
  unit: (program, x, { how }) => {
    const dim = how % (x.shape.length + 1);
    const shape = x.shape.toSpliced(dim, 0, 1);
    return shape.length > 5 ? undefined : program.op("unsqueeze", [x], shape, `dim = ${dim} : si32`);
  },
  clamp: (program, x) =>
    program.op("clamp_scalar", [x], x.shape, "min = -5.000000e-01 : f32, max = 2.500000e-01 : f32"),
  scalar: (program, x, { how, size }) => {
    const number = program.full(size % 2 === 0 ? x.shape : x.shape.map(() => 1), chosen(SCALARS, size) ?? 1);
    return program.op(chosen(BINARY, how) ?? "add", how % 2 === 0 ? [x, number] : [number, x], x.shape);
  },
  // A mean over the count, or one more or less; for large counts, upstream's tolerance and bf16 do not distinguish these.
  averaged: (program, x, { how, size }) => {
    const dim = how % x.shape.length;
    const extent = x.shape[dim] ?? 1;
    const shape = x.shape.with(dim, 1);
    const sum = program.op("sum", [x], shape, `dim_arg = ${i32s([dim])}, keep_dim = true`);
    const divisor = extent > 120 ? extent : chosen([extent, extent - 1, extent + 1], size) ?? extent;
    return program.op("div", [sum, program.full(shape, divisor === 0 ? 1 : divisor)], shape);
  },
  normalized: (program, x, { how }) => {
    const width = x.shape.at(-1);
    if (width === undefined || width === 0) return undefined;
    const isLayer = how % 2 === 0;
    const parameters = Array.from({ length: isLayer ? 2 : 1 }, () => program.argument([width], "parameter"));
    return program.op(
      isLayer ? "layer_norm" : "rms_norm",
      [x, ...parameters],
      x.shape,
      `normalized_shape = ${dense([width], "i64")}, epsilon = 1.000000e-05 : f32, ` +
        `operandSegmentSizes = ${dense(isLayer ? [1, 1, 1] : [1, 1, 0], "i32")}`,
    );
  },
  // Both factors are inputs of the inference.
  attended: (program, x, { how }) => {
    if (x.shape.length < 2) return undefined;
    const rows = x.shape.at(-2) ?? 1;
    const permuted = swapped(program, x, x.shape.length - 1, x.shape.length - 2);
    const scores = program.matmul(x, permuted, rows);
    const weights = how % 2 === 0 ? scores : program.softmax(scores, x.shape.length - 1);
    return program.matmul(weights, x, x.shape.at(-1) ?? 1);
  },
  // Heads that share one of keys and values, looking back only or everywhere.
  heads: (program, x, { how }) => {
    if (x.shape.length !== 4 || x.shape.includes(0)) return undefined;
    const [key, value] = [0, 1].map(() => program.argument(x.shape.with(1, 1), "input"));
    if (key === undefined || value === undefined) return undefined;
    const segments = dense([1, 1, 1, 0, 0], "i32");
    return program.op(
      "scaled_dot_product_attention",
      [x, key, value],
      x.shape,
      `is_causal = ${how % 2 === 0}, scale = 2.500000e-01 : f32, operandSegmentSizes = ${segments}`,
    );
  },
};
