// SPDX-License-Identifier: Apache-2.0
import { isPlainFloat } from "../../../layout/data_type.ts";
import type { TtnnOp } from "../../../ttnn/op.ts";
import { sameShape, sameType, type TensorValue } from "../../../ttnn/value.ts";
import type { PassContext } from "../../graph_pass.ts";
import { replacing, type RewritePattern } from "../../rewrite_pattern.ts";
import { ACTIVATION_FUNCTIONS, type ScalarFunction, scalarFunctionOf } from "../../scalar_functions.ts";
import { constantOf } from "../matching.ts";

/**
 * Replaces an elementwise formula of one tensor by the activation with equal values, for any spelling: exact
 * gelu with `erf` as polynomials (XLA's expansion of `chlo.erf` and `chlo.erfc`, about 60 ops), activations
 * computed in a wider type, softplus with its guards in a `mish`. Formula and activation are compared over
 * the whole range of floats.
 */
export const fuseFunction: RewritePattern = replacing({
  name: "fuse-function",
  upstream: "none",
  roots: ["add", "divide", "maximum", "minimum", "multiply", "subtract", "typecast", "where"].map((name) =>
    `ttnn.${name}`
  ),
  replace: (op, site, result) => {
    const tolerance = TOLERANCES[result.type.dataType];
    if (tolerance === undefined) return undefined;
    for (const { source, evaluate } of formulasOf(op, site.context)) {
      if (!sameType(source.type, result.type)) continue;
      const name = activationOf(evaluate, tolerance);
      const question = {
        name: name ?? "",
        operands: [source.type],
        results: [result.type],
        attributes: new Map(),
      };
      if (name === undefined || !site.context.isLegal(question)) continue;
      return site.op(name, [source], result.type);
    }
    return undefined;
  },
});

/** Relative tolerance per type: one rounding; f32 kernels are not more exact than this. */
const TOLERANCES: Partial<Readonly<Record<string, number>>> = { bf16: 2 ** -8, f16: 2 ** -11, f32: 2 ** -18 };

/** Most ops of a formula; XLA's exact gelu has 75. */
const MOST_OPS = 128;

/** Fewest ops of a formula worth replacing. */
const LEAST_OPS = 2;

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
function* formulasOf(root: TtnnOp, context: PassContext): Generator<Formula> {
  const ops: TtnnOp[] = [];
  const frontier = new Set<TensorValue>();
  let isRational = true;
  for (let next: TtnnOp | undefined = root; next !== undefined && ops.length < MOST_OPS;) {
    const step = next;
    if (!isStep(step, root, context)) return;
    ops.push(step);
    isRational &&= RATIONAL.has(step.name);
    if (step.tensorResult !== undefined) frontier.delete(step.tensorResult);
    for (const operand of step.tensorOperands) {
      if (constantOf(operand, context) === undefined) frontier.add(operand);
    }
    const [source] = frontier;
    if (source !== undefined && frontier.size === 1 && ops.length >= LEAST_OPS && !isRational) {
      yield { source, evaluate: composed(ops.toReversed(), source, context) };
    }
    // Each op takes at most one tensor away.
    if (frontier.size > 1 + MOST_OPS - ops.length) return;
    // The last value cannot be a function of the others' sources alone. A value without a producer stays a source.
    let sources = 0;
    next = undefined;
    for (const { producer } of frontier) {
      if (producer === undefined) sources++;
      else if (next === undefined || producer.order >= next.order) next = producer;
    }
    if (sources > 1) return;
  }
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
      return place ?? -constants.push(constantOf(operand, context) ?? NaN);
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

/** The activation whose values a function has. */
function activationOf(evaluate: (x: number) => number, tolerance: number): string | undefined {
  const probes = PROBES.map((x) => ({ x, y: evaluate(x) }));
  const [name] =
    [...ACTIVATION_FUNCTIONS].find(([, activation]) =>
      probes.every(({ x, y }) => isNear(y, activation(x), x, tolerance)) &&
      SAMPLES.every((x) => isNear(evaluate(x), activation(x), x, tolerance))
    ) ?? [];
  return name;
}

/**
 * Whether a value is within the tolerance of the expected one, relative to that or to `tolerance * x`, whichever is
 * larger.
 */
function isNear(found: number, wanted: number, x: number, tolerance: number): boolean {
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
