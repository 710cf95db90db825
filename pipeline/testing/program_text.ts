// SPDX-License-Identifier: Apache-2.0

/** Extents, outermost first. */
export type DrawnShape = readonly number[];

/** A tensor of a program. */
export interface DrawnValue {
  /** With its `%`. */
  readonly name: string;
  readonly shape: DrawnShape;
  /** Values with one origin may be views of each other: a write into one may be read from the others. */
  readonly origin: object;
}

/** Random numbers that select a step's variant and size. */
export interface DrawnChoice {
  readonly how: number;
  readonly size: number;
}

/** `[1 : i32, 2 : i32]`. */
export function i32s(values: DrawnShape): string {
  return `[${values.map((value) => `${value} : i32`).join(", ")}]`;
}

/** `array<i64: 1, 2>`. */
export function dense(values: DrawnShape, type: "i32" | "i64"): string {
  return `array<${type}: ${values.join(", ")}>`;
}

/** One of several items, by index modulo their number. */
export function chosen<Item>(items: readonly Item[], at: number): Item | undefined {
  return items[at % items.length];
}

/** Ops whose result may share the operand's buffer. */
const VIEWS: ReadonlySet<string> = new Set(
  "broadcast concat pad permute repeat reshape slice_static squeeze transpose typecast unsqueeze".split(" "),
);

/** Builds the text of a TTIR program: one function, tensors of one float type. */
export class DrawnProgram {
  readonly element: "f32" | "bf16";
  /** Values that steps may read. */
  values: readonly DrawnValue[] = [];
  readonly #arguments: string[] = [];
  readonly #lines: string[] = [];

  constructor(element: "f32" | "bf16") {
    this.element = element;
  }

  /** An argument, with its role where one is given. */
  argument(shape: DrawnShape, kind?: "input" | "parameter" | "constant"): DrawnValue {
    const value = { name: `%arg${this.#arguments.length}`, shape, origin: {} };
    const role = kind === undefined ? "" : ` {ttcore.argument_type = #ttcore.argument_type<${kind}>}`;
    this.#arguments.push(`${value.name}: ${this.typeOf(shape)}${role}`);
    return value;
  }

  /** Writes an op with one result. */
  op(name: string, operands: readonly DrawnValue[], shape: DrawnShape, properties = ""): DrawnValue {
    const types = operands.map((each) => this.typeOf(each.shape));
    return this.line(name, operands.map((each) => each.name), types, shape, properties, operands[0]);
  }

  /** Writes an op whose operands are of any type. */
  line(
    name: string,
    operands: readonly string[],
    types: readonly string[],
    shape: DrawnShape,
    properties: string,
    source?: DrawnValue,
  ): DrawnValue {
    const origin = source !== undefined && VIEWS.has(name) ? source.origin : {};
    const result = { name: `%${this.#lines.length}`, shape, origin };
    this.#lines.push(
      `${result.name} = "ttir.${name}"(${operands.join(", ")})` +
        `${properties === "" ? "" : ` <{${properties}}>`} : (${types.join(", ")}) -> ${this.typeOf(shape)}`,
    );
    return result;
  }

  reshape(x: DrawnValue, shape: DrawnShape): DrawnValue {
    return this.op("reshape", [x], shape, `shape = ${i32s(shape)}`);
  }

  broadcast(x: DrawnValue, shape: DrawnShape): DrawnValue {
    const factors = shape.map((extent, dim) => x.shape[dim] === extent ? 1 : extent);
    return this.op("broadcast", [x], shape, `broadcast_dimensions = ${dense(factors, "i64")}`);
  }

  slice(x: DrawnValue, begins: DrawnShape, steps: DrawnShape = x.shape.map(() => 1)): DrawnValue {
    const shape = x.shape.map((end, dim) => Math.ceil((end - (begins[dim] ?? 0)) / (steps[dim] ?? 1)));
    const properties = `begins = ${i32s(begins)}, ends = ${i32s(x.shape)}, step = ${i32s(steps)}`;
    return this.op("slice_static", [x], shape, properties);
  }

  matmul(a: DrawnValue, b: DrawnValue, columns: number, isTransposed = false): DrawnValue {
    const properties = `transpose_a = false, transpose_b = ${isTransposed}`;
    return this.op("matmul", [a, b], a.shape.with(-1, columns), properties);
  }

  softmax(x: DrawnValue, dim: number): DrawnValue {
    return this.op("softmax", [x], x.shape, `dimension = ${dim} : si32, numericStable = true`);
  }

  /** A constant of integers; returns its name. */
  integers(values: readonly number[]): { readonly name: string; readonly type: string } {
    const [name, type] = [`%${this.#lines.length}`, `tensor<${values.length}xi32>`];
    this.#lines.push(
      `${name} = "ttir.constant"() <{value = dense<[${values.join(", ")}]> : ${type}}> : () -> ${type}`,
    );
    return { name, type };
  }

  /** A tensor of one number. */
  full(shape: DrawnShape, number: number): DrawnValue {
    const value = `${Number.isInteger(number) ? number.toFixed(1) : number} : f32`;
    return this.op("full", [], shape, `shape = ${dense(shape, "i32")}, fill_value = ${value}`);
  }

  typeOf(shape: DrawnShape): string {
    return `tensor<${[...shape, this.element].join("x")}>`;
  }

  text(returned: readonly DrawnValue[]): string {
    const types = returned.map(({ shape }) => this.typeOf(shape)).join(", ");
    return `module {\n  func.func @main(${this.#arguments.join(", ")}) -> (${types}) {\n    ${
      this.#lines.join("\n    ")
    }\n    return ${returned.map(({ name }) => name).join(", ")} : ${types}\n  }\n}\n`;
  }
}

/** Makes a value of another; `undefined` where the step does not fit it. */
export type DrawnStep = (program: DrawnProgram, x: DrawnValue, choice: DrawnChoice) => DrawnValue | undefined;

/** Steps by name. */
export type DrawnSteps = Readonly<Record<string, DrawnStep>>;
