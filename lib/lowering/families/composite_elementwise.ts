// SPDX-License-Identifier: Apache-2.0
import { isFloat } from "../../layout/data_type.ts";
import { sameExtents } from "../../layout/extents.ts";
import { BF16, F32, type FunctionLowering, SI32, splat } from "../function_lowering.ts";
import type { LazyTensor } from "../lazy_tensor.ts";
import type { LoweringRules } from "../lowering_rule.ts";
import type { TtirOp } from "../ttir_op.ts";
import { sliceAlong } from "./data_movement.ts";

/** Factors of SELU: with them mean 0 and variance 1 are a fixed point of normalised networks. */
const SELU_ALPHA = 1.6732632423543772;
const SELU_SCALE = 1.0507009873554805;

/** Elementwise ops without a TTNN op, composed of existing ones. */
export const COMPOSITE_ELEMENTWISE: LoweringRules = {
  "ttir.exp2": composite((x, { binary, number }) => binary("pow_tensor", number(2), x)),
  "ttir.trunc": composite((x, steps) => truncated(x, steps)),
  "ttir.frac": composite((x, steps) => steps.binary("subtract", x, truncated(x, steps))),
  "ttir.selu": composite(selu, [SELU_ALPHA, SELU_SCALE]),
  "ttir.signbit": { lower: signBit, operands: 1 },
  "ttir.gated_activation": { lower: gatedActivation, operands: 1 },
};

/** The function that each gated activation applies to its gate. */
const GATES: ReadonlyMap<string, string> = new Map([
  ["glu", "sigmoid"],
  ["swiglu", "silu"],
  ["geglu", "gelu"],
  ["reglu", "relu"],
]);

/** Steps on tensors of the shape and element of a result. */
interface Steps {
  unary(name: string, x: LazyTensor): LazyTensor;
  binary(name: string, a: LazyTensor, b: LazyTensor): LazyTensor;
  /** The same number everywhere. */
  number(value: number): LazyTensor;
}

/**
 * @param factors numbers of the formula: a fractional one makes tensors of integers f32 throughout. Without one, only single ops
 * that refuse integers are computed in f32
 */
function composite(
  make: (x: LazyTensor, steps: Steps) => LazyTensor,
  factors: readonly number[] = [],
): LoweringRules[string] {
  return {
    operands: 1,
    lower: (op, f) => {
      const { shape, element: declared } = op.resultType();
      const element = isFloat(declared.dataType) || factors.every(Number.isInteger) ? declared : F32;
      const operand = f.operand(op, 0);
      const made = make(element === declared ? operand : f.typecast(operand, element), {
        unary: (name, x) => f.elementwise(name, [x], element),
        binary: (name, a, b) => f.elementwise(name, [a, b], element),
        number: (value) => splat(shape, element, value),
      });
      f.defineResult(op, f.typecast(made, declared));
    },
  };
}

/** The first half of a dimension times an activation of the second one, as tt-metal's composite op computes it. */
function gatedActivation(op: TtirOp, f: FunctionLowering): void {
  const { shape, element } = op.resultType();
  const input = f.operand(op, 0);
  const dim = op.dimension(op.integer("dim") ?? -1, shape.length);
  const activation = op.attribute("activation");
  const name = activation?.kind === "string" ? activation.value : "";
  const gate = GATES.get(name);
  if (gate === undefined) {
    throw op.error(`activation '${name}' is not one of ${[...GATES.keys()].join(", ")}`);
  }
  const half = shape[dim] ?? 1;
  if (!sameExtents(input.shape, shape.with(dim, 2 * half))) {
    throw op.error("its result is not half of its operand", "shape");
  }
  const part = (begin: number): LazyTensor => sliceAlong(op, f, input, dim, begin, begin + half);
  f.replaceElementwise(op, "multiply", [part(0), f.elementwise(gate, [part(half)], element)]);
}

/** Towards zero: rounded down without its sign. */
function truncated(x: LazyTensor, { unary, binary }: Steps): LazyTensor {
  return binary("multiply", unary("sign", x), unary("floor", unary("abs", x)));
}

/** Each half is zero where the other one applies. */
function selu(x: LazyTensor, { unary, binary, number }: Steps): LazyTensor {
  const below = binary("multiply", unary("expm1", x), number(SELU_ALPHA));
  const both = binary("add", unary("relu", x), binary("minimum", below, number(0)));
  return binary("multiply", both, number(SELU_SCALE));
}

/** The bits of an f32 as an integer keep its sign, that of a negative zero included. */
function signBit(op: TtirOp, f: FunctionLowering): void {
  const { shape, element } = op.resultType();
  const bits = f.elementwise("bitcast_convert", [f.typecast(f.operand(op, 0), F32)], SI32);
  const negative = f.elementwise("lt", [bits, splat(shape, SI32, 0)], BF16);
  f.defineResult(op, f.typecast(negative, element));
}
