// SPDX-License-Identifier: Apache-2.0

/**
 * Programs whose shape makes a search slow: many readers of one tensor, a join of thousands, products that no two of
 * which are alike, a long dump, blocks in which every layer reads all before it, and training steps. Each is TTIR text.
 *
 * @module
 */

/** Writes TTIR one op per line. */
class SpeedProgram {
  readonly #lines: string[] = [];
  readonly #arguments: string[] = [];
  #count = 0;

  argument(...shape: readonly number[]): SpeedValue {
    const value = { name: `%arg${this.#arguments.length}`, shape };
    this.#arguments.push(`${value.name}: ${typeOf(value)}`);
    return value;
  }

  op(name: string, operands: readonly SpeedValue[], shape: readonly number[], attributes = ""): SpeedValue {
    const value = { name: `%${this.#count++}`, shape };
    this.#lines.push(
      `  ${value.name} = "ttir.${name}"(${
        operands.map((operand) => operand.name).join(", ")
      })${attributes} : (${operands.map(typeOf).join(", ")}) -> ${typeOf(value)}`,
    );
    return value;
  }

  matmul(a: SpeedValue, columns: number): SpeedValue {
    const [rows = 1, inner = 1] = a.shape;
    return this.op("matmul", [a, this.argument(inner, columns)], [rows, columns]);
  }

  concat(values: readonly SpeedValue[]): SpeedValue {
    const columns = values.reduce((sum, { shape: [, width = 1] }) => sum + width, 0);
    return this.op("concat", values, [values[0]?.shape[0] ?? 1, columns], " <{dim = 1 : si32}>");
  }

  returning(...values: readonly SpeedValue[]): string {
    const types = values.map(typeOf).join(", ");
    return [
      `func.func @main(${this.#arguments.join(", ")}) -> (${types}) {`,
      ...this.#lines,
      `  return ${values.map(({ name }) => name).join(", ")} : ${types}`,
      "}",
      "",
    ].join("\n");
  }
}

interface SpeedValue {
  readonly name: string;
  readonly shape: readonly number[];
}

function typeOf({ shape }: SpeedValue): string {
  return `tensor<${shape.join("x")}xbf16>`;
}

/** One tensor that many ops read, whose results are added up. */
function readers(count: number): string {
  const program = new SpeedProgram();
  const read = program.op("relu", [program.argument(256, 256)], [256, 256]);
  const all = Array.from(
    { length: count },
    () => program.op("multiply", [read, program.argument(256, 256)], read.shape),
  );
  return program.returning(all.reduce((sum, next) => program.op("add", [sum, next], read.shape)));
}

function join(count: number): string {
  const program = new SpeedProgram();
  const parts = Array.from(
    { length: count },
    () => program.op("relu", [program.argument(32, 32)], [32, 32]),
  );
  return program.returning(program.op("relu", [program.concat(parts)], [32, 32 * count]));
}

/** A chain of products, every one of another width. */
function products(count: number): string {
  const program = new SpeedProgram();
  let value = program.argument(512, 512);
  for (let index = 0; index < count; index++) value = program.matmul(value, 32 * (8 + index * 7 % count));
  return program.returning(value);
}

/** Layers of a product, a bias, an activation and a residual, as in a dump. */
export function dump(ops: number): string {
  const program = new SpeedProgram();
  let value = program.argument(512, 1024);
  for (let op = 0; op < ops; op += 5) {
    const widths = [1024, 2048, 4096];
    const made = program.matmul(value, widths[op / 5 % widths.length] ?? 1024);
    const biased = program.op("add", [made, program.argument(1, made.shape[1] ?? 1)], made.shape);
    const active = program.op("gelu", [biased], made.shape);
    value = program.op("add", [program.matmul(active, 1024), value], value.shape);
  }
  return program.returning(value);
}

/** A dense block: every layer reads the results of all before it. */
function dense(layers: number): string {
  const program = new SpeedProgram();
  const made = [program.op("relu", [program.argument(3136, 64)], [3136, 64])];
  for (let layer = 0; layer < layers; layer++) {
    const all = made.length === 1 ? made[0] : program.concat(made);
    if (all === undefined) continue;
    made.push(program.op("relu", [program.matmul(all, 32)], [3136, 32]));
  }
  return program.returning(program.concat(made));
}

/** A training step: every layer's activations wait for the backward pass, which returns a gradient per weight. */
export function trainingStep(layers: number): string {
  const program = new SpeedProgram();
  const [rows, width] = [1024, 768];
  const transposed = (value: SpeedValue): SpeedValue => {
    const [height = 1, breadth = 1] = value.shape;
    return program.op("transpose", [value], [breadth, height], " <{dim0 = 0 : si32, dim1 = 1 : si32}>");
  };
  let value = program.argument(rows, width);
  const forward = Array.from({ length: layers }, () => {
    const [read, weight] = [value, program.argument(width, width)];
    const made = program.op("matmul", [read, weight], [rows, width]);
    value = program.op("relu", [made], made.shape);
    return { read, weight, made };
  });
  let gradient = program.op("subtract", [value, program.argument(rows, width)], value.shape);
  const gradients = forward.reverse().map(({ read, weight, made }) => {
    const isPositive = program.op("gt", [made, program.argument(1, 1)], made.shape);
    const local = program.op("multiply", [gradient, isPositive], made.shape);
    gradient = program.op("matmul", [local, transposed(weight)], [rows, width]);
    return program.op("matmul", [transposed(read), local], [width, width]);
  });
  return program.returning(...gradients);
}

/** One kind of program, of any size. */
export interface SpeedCase {
  /** What grows with the size. */
  readonly name: string;
  /** The size that must stay within the limits. */
  readonly size: number;
  readonly textOf: (size: number) => string;
}

/** All kinds. */
export const SPEED_CASES: readonly SpeedCase[] = [
  { name: "readers of one tensor", size: 1000, textOf: readers },
  { name: "operands of one concat", size: 2000, textOf: join },
  { name: "distinct matmuls", size: 200, textOf: products },
  { name: "ops of a dump", size: 3000, textOf: dump },
  { name: "layers of a dense block", size: 15, textOf: dense },
  { name: "layers of a training step", size: 100, textOf: trainingStep },
];
