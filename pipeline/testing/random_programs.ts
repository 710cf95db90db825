// SPDX-License-Identifier: Apache-2.0

/** Random TTIR programs of the kinds of steps that front ends write, small enough for the reference interpreter. */

import fc from "fast-check";
import { volume } from "../../lib/layout/extents.ts";
import { windowPositions } from "../../lib/layout/window_positions.ts";

type Shape = readonly number[];

interface Value {
  readonly name: string;
  readonly shape: Shape;
}

/** Numbers that say which of the values a step works on, and how. */
interface Choice {
  readonly value: number;
  readonly how: number;
  readonly size: number;
}

/** Most elements of a tensor. */
const MOST_ELEMENTS = 600;

const typeOf = (shape: Shape): string => `tensor<${[...shape, "f32"].join("x")}>`;
const i32s = (values: Shape): string => `[${values.map((value) => `${value} : i32`).join(", ")}]`;
const dense = (values: Shape, type: "i32" | "i64"): string => `array<${type}: ${values.join(", ")}>`;

/** The text of a program as it grows. */
class Program {
  readonly values: Value[] = [];
  readonly #arguments: string[] = [];
  readonly #lines: string[] = [];

  argument(shape: Shape, kind: "input" | "parameter"): Value {
    const value = { name: `%arg${this.#arguments.length}`, shape };
    this.#arguments.push(
      `${value.name}: ${typeOf(shape)} {ttcore.argument_type = #ttcore.argument_type<${kind}>}`,
    );
    return value;
  }

  op(name: string, operands: readonly Value[], shape: Shape, properties = ""): Value {
    const result = { name: `%${this.#lines.length}`, shape };
    this.#lines.push(
      `${result.name} = "ttir.${name}"(${operands.map((each) => each.name).join(", ")})` +
        `${properties === "" ? "" : ` <{${properties}}>`} : ` +
        `(${operands.map((each) => typeOf(each.shape)).join(", ")}) -> ${typeOf(shape)}`,
    );
    return result;
  }

  text(returned: Value): string {
    const type = typeOf(returned.shape);
    return `module {\n  func.func @main(${this.#arguments.join(", ")}) -> ${type} {\n    ${
      this.#lines.join("\n    ")
    }\n    return ${returned.name} : ${type}\n  }\n}\n`;
  }
}

/** Makes a value of another; `undefined` where the step does not fit it. */
type Step = (program: Program, x: Value, choice: Choice) => Value | undefined;

const UNARY = ["relu", "tanh", "sigmoid", "neg", "gelu", "silu"];
const BINARY = ["add", "multiply", "subtract", "maximum"];

const chosen = <Item>(items: readonly Item[], at: number): Item | undefined => items[at % items.length];

function swapped(program: Program, x: Value, first: number, second: number): Value {
  const order = x.shape.map((_, dim) => dim === first ? second : dim === second ? first : dim);
  const shape = order.map((dim) => x.shape[dim] ?? 1);
  return program.op("permute", [x], shape, `permutation = ${dense(order, "i64")}`);
}

function perChannel(program: Program, op: string, image: Value, rank: number): Value {
  const channels = image.shape[1] ?? 1;
  const parameter = program.argument(
    rank === 1 ? [channels] : new Array<number>(rank).fill(1).with(-3, channels),
    "parameter",
  );
  const row = rank === 4
    ? parameter
    : program.op("reshape", [parameter], [1, channels, 1, 1], `shape = ${i32s([1, channels, 1, 1])}`);
  const factors = image.shape.map((extent, dim) => dim === 1 ? 1 : extent);
  const wide = program.op("broadcast", [row], image.shape, `broadcast_dimensions = ${dense(factors, "i64")}`);
  return program.op(op, [image, wide], image.shape);
}

const STEPS: Readonly<Record<string, Step>> = {
  unary: (program, x, { how }) => program.op(chosen(UNARY, how) ?? "relu", [x], x.shape),
  together: (program, x, { how, size }) => {
    const others = program.values.filter(({ shape }) => shape.join() === x.shape.join());
    return program.op(chosen(BINARY, how) ?? "add", [x, chosen(others, size) ?? x], x.shape);
  },
  parameter: (program, x, { how, size }) => {
    const shape = x.shape.map((extent, dim) => size >> dim & 1 ? 1 : extent);
    const factors = x.shape.map((extent, dim) => extent / (shape[dim] ?? 1));
    const wide = program.op(
      "broadcast",
      [program.argument(shape, "parameter")],
      x.shape,
      `broadcast_dimensions = ${dense(factors, "i64")}`,
    );
    return program.op(chosen(BINARY, how) ?? "add", how % 2 === 0 ? [x, wide] : [wide, x], x.shape);
  },
  swap: (program, x, { how, size }) =>
    x.shape.length < 2 ? undefined : swapped(program, x, how % x.shape.length, size % x.shape.length),
  transposed: (program, x, { how }) => {
    const [rows, columns] = x.shape.slice(-2);
    if (rows === undefined || rows !== columns) return undefined;
    const turned = swapped(program, x, x.shape.length - 2, x.shape.length - 1);
    return program.op(chosen(BINARY, how) ?? "add", [turned, x], x.shape);
  },
  split: (program, x, { how }) => {
    const dim = how % x.shape.length;
    const extent = x.shape[dim] ?? 1;
    if (extent % 2 !== 0 || x.shape.length > 4) return undefined;
    const shape = x.shape.toSpliced(dim, 1, 2, extent / 2);
    return program.op("reshape", [x], shape, `shape = ${i32s(shape)}`);
  },
  merge: (program, x, { how }) => {
    if (x.shape.length < 2) return undefined;
    const dim = how % (x.shape.length - 1);
    const shape = x.shape.toSpliced(dim, 2, (x.shape[dim] ?? 1) * (x.shape[dim + 1] ?? 1));
    return program.op("reshape", [x], shape, `shape = ${i32s(shape)}`);
  },
  product: (program, x, { how, size }) => {
    const depth = x.shape.at(-1);
    if (x.shape.length < 2 || depth === undefined) return undefined;
    const columns = 1 + size % 5;
    const weight = program.argument(how % 2 === 0 ? [depth, columns] : [columns, depth], "parameter");
    return program.op(
      "matmul",
      [x, weight],
      x.shape.with(-1, columns),
      `transpose_a = false, transpose_b = ${how % 2 !== 0}`,
    );
  },
  softmax: (program, x, { how }) =>
    program.op("softmax", [x], x.shape, `dimension = ${how % x.shape.length} : si32, numericStable = true`),
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
    const begin = size % extent;
    const shape = x.shape.with(dim, extent - begin);
    const [begins, ends] = [x.shape.map((_, own) => own === dim ? begin : 0), x.shape];
    const step = i32s(x.shape.map(() => 1));
    return program.op(
      "slice_static",
      [x],
      shape,
      `begins = ${i32s(begins)}, ends = ${i32s(ends)}, step = ${step}`,
    );
  },
  join: (program, x, { how }) => {
    const dim = how % x.shape.length;
    const shape = x.shape.with(dim, 2 * (x.shape[dim] ?? 1));
    const other = program.op(chosen(UNARY, how) ?? "relu", [x], x.shape);
    return program.op("concat", [x, other], shape, `dim = ${dim} : si32`);
  },
  convolution: (program, x, { how, size }) => {
    const [batch = 1, channels = 1, height = 1, width = 1] = x.shape;
    const kernel = how % 2 === 0 ? 1 : 2;
    if (x.shape.length !== 4 || height < kernel || width < kernel) return undefined;
    const filters = 2 + size % 3;
    const stride = size % 2 === 0 ? 1 : kernel;
    const positions = (extent: number): number =>
      windowPositions(extent, { kernel, stride, dilation: 1, padding: [0, 0] });
    const weight = program.argument([filters, channels, kernel, kernel], "parameter");
    let image = program.op(
      "conv2d",
      [x, weight],
      [batch, filters, positions(height), positions(width)],
      `batch_dim = 0 : i64, channel_dim = 1 : i64, height_dim = 2 : i64, width_dim = 3 : i64, groups = 1 : i32, ` +
        `dilation = ${dense([1, 1], "i32")}, padding = ${dense([0, 0, 0, 0], "i32")}, ` +
        `stride = ${dense([stride, stride], "i32")}`,
    );
    if (how % 3 === 0) image = perChannel(program, "multiply", image, 4);
    return how % 5 < 3 ? perChannel(program, "add", image, how % 5 === 0 ? 4 : 1) : image;
  },
  pool: (program, x, { how, size }) => {
    const [batch = 1, channels = 1, height = 1, width = 1] = x.shape;
    const kernel = 2 + how % 2;
    if (x.shape.length !== 4 || height < kernel || width < kernel) return undefined;
    const [stride, padding] = [1 + size % 2, how % 2];
    const ceilMode = size % 3 === 0;
    const positions = (extent: number): number =>
      windowPositions(extent, { kernel, stride, dilation: 1, padding: [padding, padding], ceilMode });
    return program.op(
      "max_pool2d",
      [x],
      [batch, channels, positions(height), positions(width)],
      `batch_dim = 0 : i64, channel_dim = 1 : i64, height_dim = 2 : i64, width_dim = 3 : i64, ` +
        `dilation = ${dense([1, 1], "i32")}, kernel = ${dense([kernel, kernel], "i32")}, ` +
        `padding = ${dense([padding, padding, padding, padding], "i32")}, ` +
        `stride = ${dense([stride, stride], "i32")}, ceil_mode = ${ceilMode}`,
    );
  },
};

const natural = fc.nat(255);

/** Programs of up to so many steps, each on one of the last three values. */
export function randomPrograms(maxSteps: number): fc.Arbitrary<string> {
  const steps = fc.array(
    fc.record({ kind: fc.constantFrom(...Object.keys(STEPS)), value: natural, how: natural, size: natural }),
    { minLength: 1, maxLength: maxSteps },
  );
  const extent = fc.integer({ min: 1, max: 4 });
  const shape = fc.oneof(
    fc.array(fc.integer({ min: 1, max: 6 }), { minLength: 1, maxLength: 4 }),
    fc.tuple(fc.constant(1), extent, extent, fc.constant(4)),
  );
  return fc.tuple(shape, steps).map(([first, chain]) => {
    const program = new Program();
    program.values.push(program.argument(first, "input"));
    for (const { kind, ...choice } of chain) {
      const recent = program.values.slice(-3);
      const x = chosen(recent, choice.value);
      const made = x === undefined ? undefined : STEPS[kind]?.(program, x, choice);
      if (made !== undefined && volume(made.shape) <= MOST_ELEMENTS) program.values.push(made);
    }
    // At least one op: a program that returns what it was given is none.
    const last = program.values.at(-1) ?? program.argument([1], "input");
    return program.text(program.op("tanh", [last], last.shape));
  });
}
