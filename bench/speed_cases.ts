// SPDX-License-Identifier: Apache-2.0

/**
 * Programs whose shape makes a search slow: many readers of one tensor, a join of thousands, products that no two of
 * which are alike, a long dump, blocks in which every layer reads all before it, and training steps. Each is TTIR text.
 *
 * @module
 */

import { DrawnProgram, type DrawnShape, type DrawnValue } from "../pipeline/testing/program_text.ts";

/** A program in bf16 that does not say what its arguments are. */
class SpeedProgram extends DrawnProgram {
  constructor() {
    super("bf16");
  }

  input(...shape: DrawnShape): DrawnValue {
    return this.argument(shape);
  }

  /** A product with an input of its own. */
  product(a: DrawnValue, columns: number): DrawnValue {
    return this.matmul(a, this.input(a.shape[1] ?? 1, columns), columns);
  }

  concat(values: readonly DrawnValue[]): DrawnValue {
    const columns = values.reduce((sum, { shape: [, width = 1] }) => sum + width, 0);
    return this.op("concat", values, [values[0]?.shape[0] ?? 1, columns], "dim = 1 : si32");
  }
}

/** One tensor that many ops read, whose results are added up. */
function readers(count: number): string {
  const program = new SpeedProgram();
  const read = program.op("relu", [program.input(256, 256)], [256, 256]);
  const all = Array.from(
    { length: count },
    () => program.op("multiply", [read, program.input(256, 256)], read.shape),
  );
  return program.text([all.reduce((sum, next) => program.op("add", [sum, next], read.shape))]);
}

function join(count: number): string {
  const program = new SpeedProgram();
  const parts = Array.from(
    { length: count },
    () => program.op("relu", [program.input(32, 32)], [32, 32]),
  );
  return program.text([program.op("relu", [program.concat(parts)], [32, 32 * count])]);
}

/** A chain of products, every one of another width. */
function products(count: number): string {
  const program = new SpeedProgram();
  let value = program.input(512, 512);
  for (let index = 0; index < count; index++) value = program.product(value, 32 * (8 + index * 7 % count));
  return program.text([value]);
}

/** Layers of a product, a bias, an activation and a residual, as in a dump. */
export function dump(ops: number): string {
  const program = new SpeedProgram();
  let value = program.input(512, 1024);
  for (let op = 0; op < ops; op += 5) {
    const widths = [1024, 2048, 4096];
    const made = program.product(value, widths[op / 5 % widths.length] ?? 1024);
    const biased = program.op("add", [made, program.input(1, made.shape[1] ?? 1)], made.shape);
    const active = program.op("gelu", [biased], made.shape);
    value = program.op("add", [program.product(active, 1024), value], value.shape);
  }
  return program.text([value]);
}

/** A dense block: every layer reads the results of all before it. */
function dense(layers: number): string {
  const program = new SpeedProgram();
  const made = [program.op("relu", [program.input(3136, 64)], [3136, 64])];
  for (let layer = 0; layer < layers; layer++) {
    const all = made.length === 1 ? made[0] : program.concat(made);
    if (all === undefined) continue;
    made.push(program.op("relu", [program.product(all, 32)], [3136, 32]));
  }
  return program.text([program.concat(made)]);
}

/** A training step: every layer's activations wait for the backward pass, which returns a gradient per weight. */
export function trainingStep(layers: number): string {
  const program = new SpeedProgram();
  const [rows, width] = [1024, 768];
  const transposed = (value: DrawnValue): DrawnValue => {
    const [height = 1, breadth = 1] = value.shape;
    return program.op("transpose", [value], [breadth, height], "dim0 = 0 : si32, dim1 = 1 : si32");
  };
  let value = program.input(rows, width);
  const forward = Array.from({ length: layers }, () => {
    const [read, weight] = [value, program.input(width, width)];
    const made = program.matmul(read, weight, width);
    value = program.op("relu", [made], made.shape);
    return { read, weight, made };
  });
  let gradient = program.op("subtract", [value, program.input(rows, width)], value.shape);
  const gradients = forward.reverse().map(({ read, weight, made }) => {
    const isPositive = program.op("gt", [made, program.input(1, 1)], made.shape);
    const local = program.op("multiply", [gradient, isPositive], made.shape);
    gradient = program.matmul(local, transposed(weight), width);
    return program.matmul(transposed(read), local, width);
  });
  return program.text(gradients);
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
