// SPDX-License-Identifier: Apache-2.0
import { isPlainFloat } from "../../../layout/data_type.ts";
import type { Properties, TtnnOp } from "../../../ttnn/op.ts";
import { sameShape, sameType, type TensorValue } from "../../../ttnn/value.ts";
import type { PassContext } from "../../graph_pass.ts";
import { type PassBuilder, replacing, type RewritePattern } from "../../rewrite_pattern.ts";
import { ACTIVATION_FUNCTIONS, type ScalarFunction } from "../../../ops/scalar_functions.ts";
import { scalarFunctionOf } from "../../scalar_functions.ts";
import { constantOf, isAbout, isPlain, roundedConstant } from "../matching.ts";

/** The numbers of gelu's approximation `0.5 x (1 + tanh(√(2/π) (x + 0.044715 x³)))`. */
const [ROOT, CUBIC] = [Math.sqrt(2 / Math.PI), 0.044715];

/**
 * Replaces an elementwise formula of one tensor by the activation with equal values, for any spelling: `1 / (1 + exp(−x))`,
 * gelu by `tanh` or with `erf` as polynomials (XLA's expansion of `chlo.erf` and `chlo.erfc`, about 60 ops), activations
 * computed in a wider type, softplus with its guards in a `mish`. Formula and activation are compared over the whole
 * range of floats. Where the formula divides another tensor, that is multiplied by the activation. For upstream's graph
 * only the formulas that upstream fuses, {@linkcode OF_UPSTREAM}.
 */
export const fuseFunction: RewritePattern = replacing({
  name: "fuse-function",
  upstream: "level-0",
  roots: "add clamp_scalar divide maximum minimum multiply reciprocal subtract typecast where".split(" ")
    .map((name) => `ttnn.${name}`),
  replace: (op, site, result) => {
    const whole = functionOf(op, site, (y) => y);
    const [dividend, divisor] = op.tensorOperands;
    if (whole !== undefined || op.name !== "ttnn.divide" || dividend === undefined) return whole;
    const root = divisor?.producer;
    const gate = root === undefined ? undefined : functionOf(root, site, (y) => 1 / y);
    return gate && site.op("ttnn.multiply", [dividend, gate], result.type);
  },
});

/** Most ops of a formula; XLA's exact gelu has 75. */
const MOST_OPS = 128;

/** The activations, and the most ops of their formulas, that upstream fuses (tt-mlir:ttnn-fusing). */
const OF_UPSTREAM = {
  mostOps: 16,
  names: new Set(
    "gelu hardsigmoid mish relu relu6 sigmoid silu".split(" ").map((name) => `ttnn.${name}`),
  ),
} as const;

/**
 * The result of an op by an activation, of the tensor farthest from it that has one; `undefined` if none has its values,
 * `adapted`.
 */
function functionOf(
  root: TtnnOp,
  site: PassBuilder,
  adapted: (y: number) => number,
): TensorValue | undefined {
  const { selection = "all" } = site.context.options;
  const { mostOps, names } = selection === "all" ? { mostOps: MOST_OPS, names: undefined } : OF_UPSTREAM;
  const result = root.tensorResult;
  const tolerance = result && TOLERANCES[result.type.dataType];
  if (result === undefined || tolerance === undefined) return undefined;
  let found: (Activation & { readonly source: TensorValue }) | undefined;
  for (const { source, evaluate } of formulasOf(root, mostOps, site.context)) {
    // What only converts, or is converted again, stays in the narrow type.
    const mayWiden = found === undefined && root.name !== "ttnn.typecast" &&
      result.onlyUser?.name !== "ttnn.typecast" &&
      result.type.dataType === "f32" && isPlain(source.type) && isPlain(result.type);
    if (!mayWiden && !sameType(source.type, result.type)) continue;
    const activation = activationOf((x) => adapted(evaluate(x)), tolerance);
    if (activation === undefined || names?.has(activation.name) === false) continue;
    const { name } = activation;
    const question = { name, operands: [result.type], results: [result.type], attributes: new Map() };
    if (site.context.isLegal(question)) found = { ...activation, source };
  }
  if (found === undefined) return undefined;
  const input = site.typecast(found.source, result.type.dataType);
  const operand = found.isOfNegative === true ? site.unary("neg", input) : input;
  return site.op(found.name, [operand], result.type, found.properties ?? {});
}

/** Relative tolerance per type: one rounding; f32 kernels are not more exact than this. */
const TOLERANCES: Partial<Readonly<Record<string, number>>> = { bf16: 2 ** -8, f16: 2 ** -11, f32: 2 ** -18 };

/**
 * Ops that yield rational functions. No activation is rational over the whole range of floats, so a formula
 * needs another op; this skips the evaluation of long polynomial chains.
 */
const RATIONAL: ReadonlySet<string> = new Set(
  "add divide multiply neg reciprocal subtract typecast".split(" ").map((name) => `ttnn.${name}`),
);

/** A tensor as an elementwise function of another. */
interface Formula {
  readonly source: TensorValue;
  readonly evaluate: (x: number) => number;
}

/** The tensors of which an op's result is an elementwise function, nearest first. */
function* formulasOf(root: TtnnOp, mostOps: number, context: PassContext): Generator<Formula> {
  const ops: TtnnOp[] = [];
  /** What the result depends on: values without a producer, and others in the order of theirs. */
  const given = new Set<TensorValue>();
  const made: TensorValue[] = [];
  let isRational = true;
  for (
    let step: TtnnOp | undefined = root;
    step !== undefined && ops.length < mostOps;
    step = made.at(-1)?.producer
  ) {
    if (!isStep(step, root, context)) return;
    ops.push(step);
    isRational &&= RATIONAL.has(step.name);
    made.pop();
    for (const operand of step.tensorOperands) {
      if (constantOf(operand, context) !== undefined) continue;
      if (operand.producer === undefined) given.add(operand);
      else insertByProducer(made, operand, operand.producer);
    }
    const size = given.size + made.length;
    const source = made[0] ?? given.values().next().value;
    if (source !== undefined && size === 1 && !isRational && spares(ops)) {
      yield { source, evaluate: composed(ops.toReversed(), source, context) };
    }
    // Each op takes at most one tensor away, and the last value cannot be a function of the others' sources alone.
    if (size > 1 + mostOps - ops.length || given.size > 1) return;
  }
}

/** Inserts a value, unless it is there, before those whose producers come later. */
function insertByProducer(values: TensorValue[], value: TensorValue, { order }: TtnnOp): void {
  let at = values.length;
  while (at > 0 && (values[at - 1]?.producer?.order ?? order) > order) at--;
  if (values[at - 1] !== value) values.splice(at, 0, value);
}

/** Whether more ops than the root, which is the first, have no other readers: otherwise nothing is saved. */
function spares(ops: readonly TtnnOp[]): boolean {
  const spared = new Set<TtnnOp>();
  for (const op of ops) {
    if (spared.size === 0 || op.result.uses.keys().every((user) => spared.has(user))) spared.add(op);
  }
  return ops.length === 1 || spared.size > 1;
}

/** Whether an op computes floats of the root's shape elementwise from operands or constants. */
function isStep(op: TtnnOp, root: TtnnOp, context: PassContext): boolean {
  const [result, whole] = [op.tensorResult, root.tensorResult];
  if (result === undefined || whole === undefined || !sameShape(result, whole)) return false;
  return isPlainFloat(result.type.dataType) && scalarFunctionOf(op) !== undefined &&
    op.tensorOperands.every((operand) =>
      isPlainFloat(operand.type.dataType) &&
      (sameShape(operand, whole) || constantOf(operand, context) !== undefined)
    );
}

/** The ops, in order, as one function. */
function composed(
  ops: readonly TtnnOp[],
  source: TensorValue,
  context: PassContext,
): (x: number) => number {
  const places = new Map<TensorValue, number>([[source, 0]]);
  const steps: { readonly compute: ScalarFunction; readonly operands: readonly number[] }[] = [];
  const constants: number[] = [];
  for (const op of ops) {
    const operands = op.tensorOperands.map((operand) => {
      const place = places.get(operand);
      // Negative indices refer to constants.
      return place ?? -constants.push(numberOf(operand, context));
    });
    steps.push({ compute: scalarFunctionOf(op) ?? (() => NaN), operands });
    if (op.tensorResult !== undefined) places.set(op.tensorResult, steps.length);
  }
  return (x) => {
    const numbers = [x];
    for (const { compute, operands } of steps) {
      numbers.push(
        compute(...operands.map((place) => (place < 0 ? constants[-1 - place] : numbers[place]) ?? NaN)),
      );
    }
    return numbers.at(-1) ?? NaN;
  };
}

/** Numbers of formulas that no float is; a constant that is one of them, rounded, counts as that. */
const IRRATIONAL: readonly number[] = [Math.SQRT1_2, Math.SQRT2, ROOT, CUBIC, ROOT * CUBIC, 1 / 6]
  .flatMap((number) => [number, -number]);

function numberOf(operand: TensorValue, context: PassContext): number {
  const found = roundedConstant(operand, context);
  return found === undefined ? NaN : IRRATIONAL.find((number) => isAbout(found, number)) ?? found.number;
}

/** An activation, or a function that one stands for. */
interface Activation {
  readonly name: string;
  readonly compute: (x: number) => number;
  /** Whether the activation is applied to −x. */
  readonly isOfNegative?: true;
  readonly properties?: Properties;
}

/** The activations that a function may be. */
function* activationsFor(evaluate: (x: number) => number): Generator<Activation> {
  for (const [name, compute] of ACTIVATION_FUNCTIONS) yield { name, compute };
  // Differs from gelu by less than 0.001 (tt-mlir: `GeluFusionPattern`).
  yield {
    name: "ttnn.gelu",
    compute: (x) => 0.5 * x * (1 + Math.tanh(ROOT * (x + CUBIC * x ** 3))),
  };
  yield { name: "ttnn.sigmoid", compute: (x) => 1 / (1 + Math.exp(x)), isOfNegative: true };
  const parameter = -evaluate(-1);
  yield {
    name: "ttnn.leaky_relu",
    compute: (x) => (x < 0 ? parameter * x : x),
    properties: { parameter },
  };
}

/** The activation whose values a function has. */
function activationOf(evaluate: (x: number) => number, tolerance: number): Activation | undefined {
  const probes = PROBES.map((x) => ({ x, y: evaluate(x) }));
  return activationsFor(evaluate).find(({ compute }) =>
    probes.every(({ x, y }) => isNear(y, compute(x), x, tolerance)) &&
    SAMPLES.every((x) => isNear(evaluate(x), compute(x), x, tolerance))
  );
}

/** From here on the exponential exceeds f32: a formula with it, such as `exp(x) / (1 + exp(x))`, has no number there. */
const OVERFLOWS = 88;

/**
 * Whether a value is within the tolerance of the expected one, relative to that or to `tolerance * x`, whichever is
 * larger.
 */
function isNear(found: number, wanted: number, x: number, tolerance: number): boolean {
  if (Number.isNaN(found)) return Math.abs(x) > OVERFLOWS;
  return Math.abs(found - wanted) <= tolerance * Math.max(Math.abs(wanted), tolerance * Math.abs(x));
}

/** A few inputs that distinguish most functions. */
const PROBES: readonly number[] = [-1.3, 0.7, 7.5];

/**
 * Inputs of both signs, zero, and powers from the smallest bf16 on: dense where activations bend, several per
 * power of two elsewhere.
 */
const SAMPLES: readonly number[] = [
  0,
  ...Array.from({ length: 254 }, (_, index) => index - 126).flatMap((exponent) => {
    const steps = exponent >= -6 && exponent <= 7 ? 32 : 2;
    return Array.from({ length: steps }, (_, step) => 2 ** exponent * (1 + step / steps));
  }).flatMap((x) => [x, -x]),
];
