// SPDX-License-Identifier: Apache-2.0
import type { Evaluate, Meanings, OpCall } from "./op_call.ts";
import { at, build, map, type NumericTensor, zip } from "./tensor.ts";

/** Gauss error function by its Maclaurin series, or the continued fraction of its complement far out. */
export function erf(x: number): number {
  const size = Math.abs(x);
  if (size > 3) return Math.sign(x) * (1 - complement(size));
  let term = x;
  let total = x;
  for (let n = 1; Math.abs(term) > 1e-18 * Math.abs(total) && n < 200; n++) {
    term *= -x * x / n;
    total += term / (2 * n + 1);
  }
  return 2 / Math.sqrt(Math.PI) * total;
}

function complement(x: number): number {
  let fraction = 0;
  for (let n = 60; n > 0; n--) fraction = n / 2 / (x + fraction);
  return Math.exp(-x * x) / (x + fraction) / Math.sqrt(Math.PI);
}

/** An f32 read as a signed integer. */
const bitsOfF32 = (x: number): number => new Int32Array(Float32Array.of(x).buffer)[0] ?? NaN;

const sigmoid = (x: number): number => 1 / (1 + Math.exp(-x));
const truth = (value: boolean): number => (value ? 1 : 0);
/** Factors of SELU, as f32 holds them. */
const SELU_ALPHA = Math.fround(1.6732632423543772);
const SELU_SCALE = Math.fround(1.0507009873554805);
const tanhGelu = (x: number): number =>
  0.5 * x * (1 + Math.tanh(Math.sqrt(2 / Math.PI) * (x + 0.044715 * x ** 3)));

/** Functions of one number. */
export const UNARY: Readonly<Record<string, (x: number) => number>> = {
  abs: Math.abs,
  acos: Math.acos,
  acosh: Math.acosh,
  asin: Math.asin,
  asinh: Math.asinh,
  atan: Math.atan,
  atanh: Math.atanh,
  bitwise_not: (x) => ~x,
  cbrt: Math.cbrt,
  ceil: Math.ceil,
  cos: Math.cos,
  cosh: Math.cosh,
  erf,
  erfc: (x) => 1 - erf(x),
  exp: Math.exp,
  exp2: (x) => 2 ** x,
  expm1: Math.expm1,
  floor: Math.floor,
  frac: (x) => x - Math.trunc(x),
  hardsigmoid: (x) => Math.min(Math.max(x / 6 + 0.5, 0), 1),
  hardswish: (x) => x * Math.min(Math.max(x / 6 + 0.5, 0), 1),
  isfinite: (x) => truth(Number.isFinite(x)),
  log: Math.log,
  log1p: Math.log1p,
  logical_not: (x) => truth(x === 0),
  mish: (x) => x * Math.tanh(Math.log1p(Math.exp(x))),
  neg: (x) => -x,
  reciprocal: (x) => 1 / x,
  relu: (x) => Math.max(x, 0),
  relu6: (x) => Math.min(Math.max(x, 0), 6),
  // Halves to the even neighbour.
  round: (x) => Math.abs(x % 1) === 0.5 ? 2 * Math.round(x / 2) : Math.round(x),
  rsqrt: (x) => 1 / Math.sqrt(x),
  selu: (x) => SELU_SCALE * (x > 0 ? x : SELU_ALPHA * Math.expm1(x)),
  sigmoid,
  sign: Math.sign,
  signbit: (x) => truth(x < 0 || Object.is(x, -0)),
  silu: (x) => x * sigmoid(x),
  sin: Math.sin,
  sinh: Math.sinh,
  softsign: (x) => x / (1 + Math.abs(x)),
  sqrt: Math.sqrt,
  square: (x) => x * x,
  tan: Math.tan,
  tanh: Math.tanh,
  trunc: Math.trunc,
};

/** Functions of two numbers. */
export const BINARY: Readonly<Record<string, (a: number, b: number) => number>> = {
  add: (a, b) => a + b,
  atan2: Math.atan2,
  bitwise_and: (a, b) => a & b,
  bitwise_or: (a, b) => a | b,
  bitwise_right_shift: (a, b) => a >> b,
  bitwise_xor: (a, b) => a ^ b,
  div: (a, b) => a / b,
  divide: (a, b) => a / b,
  eq: (a, b) => truth(a === b),
  ge: (a, b) => truth(a >= b),
  gt: (a, b) => truth(a > b),
  le: (a, b) => truth(a <= b),
  logical_and: (a, b) => truth(a !== 0 && b !== 0),
  logical_left_shift: (a, b) => a << b,
  logical_or: (a, b) => truth(a !== 0 || b !== 0),
  logical_right_shift: (a, b) => a >>> b,
  logical_xor: (a, b) => truth((a !== 0) !== (b !== 0)),
  lt: (a, b) => truth(a < b),
  maximum: Math.max,
  minimum: Math.min,
  multiply: (a, b) => a * b,
  ne: (a, b) => truth(a !== b),
  pow: Math.pow,
  pow_tensor: Math.pow,
  power: Math.pow,
  // The sign of the divisor, as Python has it.
  remainder: (a, b) => a - b * Math.floor(a / b),
  right_shift: (a, b) => a >> b,
  subtract: (a, b) => a - b,
};

/** Ops that only say where or how a tensor is stored. */
const STORAGE: readonly string[] = [
  ..."ttnn.to_layout ttnn.to_device ttnn.from_device ttnn.to_memory_config ttnn.to_tensor_spec".split(" "),
  ..."ttcore.optimization_barrier ttnn.assign".split(" "),
];

/** Ops that put convolution weights into the order of a kernel, which the numbers here keep as it was. */
const PREPARE: readonly string[] = ["conv2d", "conv_transpose2d"].flatMap((name) => [
  `ttnn.prepare_${name}_weights`,
  `ttnn.prepare_${name}_bias`,
]);

/** The functions that an attribute of a binary op names, one after the other. */
function applied(call: OpCall, key: string): (x: number) => number {
  const functions = call.texts(key).map((text) => activation(/op_type\s*=\s*(\w+)/.exec(text)?.[1] ?? text));
  return (x) => functions.reduce((value, f) => f(value), x);
}

/** Elementwise ops and typecasts. */
export const ELEMENTWISE: Meanings = {
  ...inBoth(Object.entries(UNARY).map(([name, f]) => [name, ({ operands: [x] }) => map(x ?? missing(), f)])),
  ...inBoth(
    Object.entries(BINARY).map(([name, f]) => [
      name,
      (call) => {
        const ofA = applied(call, "input_tensor_a_activations");
        const ofB = applied(call, "input_tensor_b_activations");
        const ofResult = applied(call, "activations");
        return zip([call.operand(0), call.operand(1)], (a = NaN, b = NaN) => ofResult(f(ofA(a), ofB(b))));
      },
    ]),
  ),
  ...inBoth([
    ["where", (call) => zip(call.operands, (test = NaN, yes = NaN, no = NaN) => (test === 0 ? no : yes))],
    ["gelu", (call) => map(call.operand(0), (x) => 0.5 * x * (1 + erf(x / Math.SQRT2)))],
    ["pow_scalar", (call) => map(call.operand(0), (x) => x ** call.number("rhs"))],
    ["leaky_relu", (call) => map(call.operand(0), (x) => (x < 0 ? x * call.number("parameter") : x))],
    ["clamp_scalar", clampScalar],
    ["clamp", clampScalar],
    [
      "clamp_tensor",
      (call) => zip(call.operands, (x = NaN, low = NaN, high = NaN) => Math.min(Math.max(x, low), high)),
    ],
    ["typecast", typecast],
    [
      "mulhi",
      (call) =>
        zip([call.operand(0), call.operand(1)], (a = NaN, b = NaN) => Number((BigInt(a) * BigInt(b)) >> 32n)),
    ],
    // Formats keep every value here.
    ["reduce_precision", (call) => copyOf(call.operand(0))],
    ["gated_activation", gatedActivation],
    ["bitcast_convert", (call) => map(call.operand(0), bitsOfF32)],
  ]),
  "ttir.div": quotient,
  ...Object.fromEntries(STORAGE.map((name) => [name, (call: OpCall) => copyOf(call.operand(0))])),
  ...Object.fromEntries(
    PREPARE.map((name) => [name, (call: OpCall) => ({ ...call.operand(0), prepared: true })]),
  ),
};

/** Meanings of ops that both dialects have. */
export function inBoth(meanings: readonly (readonly [string, Evaluate])[]): Meanings {
  return Object.fromEntries(
    meanings.flatMap(([name, evaluate]) => [[`ttir.${name}`, evaluate], [`ttnn.${name}`, evaluate]]),
  );
}

/** Activations by the name that configs give them. @throws {RangeError} for an unknown one */
export function activation(name: string): (x: number) => number {
  if (name === "gelu_tanh") return tanhGelu;
  const f = name === "gelu" ? (x: number): number => 0.5 * x * (1 + erf(x / Math.SQRT2)) : UNARY[name];
  if (f === undefined) throw new RangeError(`no activation '${name}'`);
  return f;
}

/** Integers cut the fraction off, as StableHLO has it. */
function quotient(call: OpCall): NumericTensor {
  const exact = zip([call.operand(0), call.operand(1)], (a = NaN, b = NaN) => a / b);
  return integral(call.resultElement()) ? map(exact, Math.trunc) : exact;
}

function integral(element: string): boolean {
  return /^[su]?i\d+$/.test(element);
}

/** Floats keep their value; integers cut the fraction off, booleans are zero or one. */
function typecast(call: OpCall): NumericTensor {
  const [from, to] = [call.operandElement(0), call.resultElement()];
  if (/^[su]?i1$/.test(to)) return map(call.operand(0), (x) => truth(x !== 0));
  return integral(to) && !integral(from) ? map(call.operand(0), Math.trunc) : map(call.operand(0), (x) => x);
}

/** The activations that open the second half of a tensor for the first. */
const GATES: Readonly<Record<string, string>> = {
  glu: "sigmoid",
  swiglu: "silu",
  geglu: "gelu",
  reglu: "relu",
};

function gatedActivation(call: OpCall): NumericTensor {
  const shape = call.resultShape();
  const dim = call.dimension(call.integer("dim", -1), shape.length);
  const open = activation(GATES[call.text("activation")] ?? "");
  return build(shape, (index) => {
    const gate = at(call.operand(0), index.with(dim, (index[dim] ?? 0) + (shape[dim] ?? 0)));
    return at(call.operand(0), index) * open(gate);
  });
}

function copyOf(tensor: NumericTensor): NumericTensor {
  return { ...tensor, data: tensor.data.slice() };
}

function missing(): NumericTensor {
  throw new RangeError("an elementwise op without operand");
}

function clampScalar(call: OpCall): NumericTensor {
  return map(call.operand(0), (x) => Math.min(Math.max(x, call.number("min")), call.number("max")));
}
