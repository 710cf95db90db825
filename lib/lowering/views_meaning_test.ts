// SPDX-License-Identifier: Apache-2.0
import fc from "fast-check";
import { volume } from "../layout/extents.ts";
import { dims32, i32s, i64s, keepsMeaning, shapes, type } from "./testing/keeps_meaning.ts";
import { ttirFunction } from "./testing/lowered_body.ts";

interface Known {
  readonly name: string;
  readonly shape: readonly number[];
}

/** Lines of a function under construction; values other than arguments are `%0`, `%1`, … */
class Lines {
  readonly lines: string[] = [];

  op(name: string, operands: readonly Known[], shape: readonly number[], properties: string = ""): Known {
    const result = { name: `%${this.lines.length}`, shape };
    const extra = properties === "" ? "" : ` <{${properties}}>`;
    this.lines.push(
      `${result.name} = "ttir.${name}"(${operands.map((each) => each.name).join(", ")})${extra} : ` +
        `(${operands.map((each) => type(each.shape)).join(", ")}) -> ${type(shape)}`,
    );
    return result;
  }
}

/** A way from one value to the next; numbers choose what it does. */
type Step = (lines: Lines, values: readonly Known[], pick: (count: number) => number) => Known;

const last = (values: readonly Known[]): Known => values.at(-1) ?? { name: "%a", shape: [1] };

function reshapeStep(lines: Lines, values: readonly Known[], pick: (count: number) => number): Known {
  const input = last(values);
  const { shape } = input;
  const dim = pick(shape.length);
  const own = shape[dim] ?? 1;
  const options = [
    shape.toSpliced(dim, 0, 1),
    [volume(shape)],
    own % 2 === 0 ? shape.toSpliced(dim, 1, own / 2, 2) : [...shape, 1],
    dim + 1 < shape.length ? shape.toSpliced(dim, 2, own * (shape[dim + 1] ?? 1)) : [1, ...shape],
  ].filter((option) => option.length <= 6);
  const target = options[pick(options.length)] ?? shape;
  return lines.op("reshape", [input], target, `shape = ${i32s(target)}`);
}

function permuteStep(lines: Lines, values: readonly Known[], pick: (count: number) => number): Known {
  const input = last(values);
  const order: number[] = [];
  const left = input.shape.map((_, dim) => dim);
  while (left.length > 0) order.push(...left.splice(pick(left.length), 1));
  return lines.op(
    "permute",
    [input],
    order.map((dim) => input.shape[dim] ?? 1),
    `permutation = ${i64s(order)}`,
  );
}

function transposeStep(lines: Lines, values: readonly Known[], pick: (count: number) => number): Known {
  const input = last(values);
  const rank = input.shape.length;
  const [a, b] = [pick(rank), pick(rank)];
  const shape = input.shape.map((own, dim) => input.shape[dim === a ? b : dim === b ? a : dim] ?? own);
  return lines.op("transpose", [input], shape, `dim0 = ${a} : si32, dim1 = ${b - rank} : si32`);
}

function broadcastStep(lines: Lines, values: readonly Known[], pick: (count: number) => number): Known {
  const input = last(values);
  const factors = input.shape.map((own) => (own === 1 && volume(input.shape) < 40 ? 1 + pick(3) : 1));
  const shape = input.shape.map((own, dim) => own * (factors[dim] ?? 1));
  return lines.op("broadcast", [input], shape, `broadcast_dimensions = ${i64s(factors)}`);
}

function repeatStep(lines: Lines, values: readonly Known[], pick: (count: number) => number): Known {
  const input = last(values);
  const dim = pick(input.shape.length);
  const factors = input.shape.map((_, own) => (own === dim && volume(input.shape) < 40 ? 2 : 1));
  const shape = input.shape.map((own, at) => own * (factors[at] ?? 1));
  if (pick(2) === 0) return lines.op("repeat", [input], shape, `repeat_dimensions = ${i64s(factors)}`);
  const repeats = factors[dim] ?? 1;
  return lines.op("repeat_interleave", [input], shape, `dim = ${dim} : si32, repeats = ${repeats} : ui32`);
}

function sliceStep(lines: Lines, values: readonly Known[], pick: (count: number) => number): Known {
  const input = last(values);
  const begins = input.shape.map((own) => pick(own));
  const ends = input.shape.map((own, dim) => (begins[dim] ?? 0) + 1 + pick(own - (begins[dim] ?? 0)));
  const step = input.shape.map(() => 1 + pick(2));
  const shape = input.shape.map((_, dim) =>
    Math.ceil(((ends[dim] ?? 1) - (begins[dim] ?? 0)) / (step[dim] ?? 1))
  );
  const properties = `begins = ${i32s(begins)}, ends = ${i32s(ends)}, step = ${i32s(step)}`;
  return lines.op("slice_static", [input], shape, properties);
}

function concatStep(lines: Lines, values: readonly Known[], pick: (count: number) => number): Known {
  const input = last(values);
  const same = values.filter((each) => each.shape.join() === input.shape.join());
  const other = same[pick(same.length)] ?? input;
  const dim = pick(input.shape.length);
  const shape = input.shape.with(dim, 2 * (input.shape[dim] ?? 1));
  if (volume(shape) > 200) return input;
  return lines.op("concat", [other, input], shape, `dim = ${dim - input.shape.length} : si32`);
}

function padStep(lines: Lines, values: readonly Known[], pick: (count: number) => number): Known {
  const input = last(values);
  const padding = input.shape.flatMap((own) => [pick(2), own > 1 ? pick(3) - 1 : 0]);
  const shape = input.shape.map((own, dim) => own + (padding[2 * dim] ?? 0) + (padding[2 * dim + 1] ?? 0));
  if (volume(shape) > 200) return input;
  return lines.op("pad", [input], shape, `padding = ${dims32(padding)}, value = 5.000000e-01 : f32`);
}

function reverseStep(lines: Lines, values: readonly Known[], pick: (count: number) => number): Known {
  const input = last(values);
  const first = pick(input.shape.length);
  const dimensions = input.shape.map((_, dim) => dim).filter((dim) => dim === first || pick(2) === 1);
  return lines.op("reverse", [input], input.shape, `dimensions = ${i64s(dimensions.toReversed())}`);
}

function combineStep(lines: Lines, values: readonly Known[], pick: (count: number) => number): Known {
  const input = last(values);
  const same = values.filter((each) => each.shape.join() === input.shape.join());
  const other = same[pick(same.length)] ?? input;
  const name = ["add", "multiply", "subtract", "maximum"][pick(4)] ?? "add";
  return lines.op(name, [other, input], input.shape);
}

function unaryStep(lines: Lines, values: readonly Known[], pick: (count: number) => number): Known {
  const input = last(values);
  return lines.op(["tanh", "neg", "sigmoid", "abs"][pick(4)] ?? "neg", [input], input.shape);
}

function constantStep(lines: Lines, values: readonly Known[], pick: (count: number) => number): Known {
  const input = last(values);
  const value = ["1.000000e+00", "0.000000e+00", "2.500000e+00"][pick(3)];
  const splat = lines.op("constant", [], input.shape, `value = dense<${value}> : ${type(input.shape)}`);
  return lines.op(["add", "multiply", "maximum"][pick(3)] ?? "add", [input, splat], input.shape);
}

function reduceStep(lines: Lines, values: readonly Known[], pick: (count: number) => number): Known {
  const input = last(values);
  const dim = pick(input.shape.length);
  const name = ["sum", "mean", "max"][pick(3)] ?? "sum";
  const properties = `dim_arg = ${i32s([dim])}, keep_dim = true`;
  return lines.op(name, [input], input.shape.with(dim, 1), properties);
}

const STEPS: readonly Step[] = [
  reshapeStep,
  permuteStep,
  transposeStep,
  broadcastStep,
  broadcastStep,
  repeatStep,
  sliceStep,
  concatStep,
  padStep,
  reverseStep,
  combineStep,
  combineStep,
  unaryStep,
  constantStep,
  reduceStep,
];

keepsMeaning(
  "chains of views, broadcasts and elementwise ops",
  fc.record({
    shape: shapes(1, 4),
    steps: fc.array(fc.tuple(fc.constantFrom(...STEPS), fc.nat(1 << 24)), { minLength: 1, maxLength: 10 }),
  }).map(({ shape, steps }) => {
    const lines = new Lines();
    const values: Known[] = [{ name: "%a", shape }, { name: "%b", shape }];
    for (const [step, choice] of steps) {
      let rest = choice;
      values.push(step(lines, values, (count) => {
        const picked = rest % count;
        rest = Math.floor(rest / count);
        return picked;
      }));
    }
    const result = last(values);
    return {
      text: ttirFunction(`(%a: ${type(shape)}, %b: ${type(shape)}) -> ${type(result.shape)}`, [
        ...lines.lines,
        `return ${result.name} : ${type(result.shape)}`,
      ]),
    };
  }),
  600,
);
