// SPDX-License-Identifier: Apache-2.0
import { scalar } from "../../ops/attributes/print_attributes.ts";
import type { Value } from "../../ir/mod.ts";
import { isFloat } from "../../layout/data_type.ts";
import { sameExtents } from "../../layout/extents.ts";
import { BF16, type FunctionLowering, splat } from "../function_lowering.ts";
import type { LazyTensor } from "../lazy_tensor.ts";
import { ELTWISE, type EltwiseFamily } from "../../ops/eltwise.ts";
import { becomes, type LoweringRule, type LoweringRules } from "../lowering_rule.ts";
import type { TtirOp } from "../ttir_op.ts";

/** Families whose ops have the same name and meaning in TTIR, except those with a rule below. */
const SAME: ReadonlySet<EltwiseFamily> = new Set(["unary", "binary"]);

/** TTNN ops of these families that TTIR calls otherwise: `div`, `pow`, `right_shift`. */
const RENAMED = /^ttnn\.(?:divide|pow_tensor|bitwise_right_shift)$/;

/** Bits of f32 and bf16. */
const FLOAT_EXPONENT = 8;
const F32_MANTISSA = 23;
const BF16_MANTISSA = 7;

export const ELEMENTWISE: LoweringRules = {
  ...Object.fromEntries(
    ELTWISE.filter(({ name, family, hasParameters }) =>
      SAME.has(family) && !hasParameters && !RENAMED.test(name)
    )
      .map(({ name, minOperands }) => {
        const bare = name.replace("ttnn.", "");
        return [`ttir.${bare}`, same(bare, minOperands)];
      }),
  ),
  "ttir.div": same("divide", 2),
  "ttir.right_shift": same("bitwise_right_shift", 2),
  "ttir.reduce_precision": { lower: reducePrecision, operands: 1 },
  "ttir.where": { lower: where, operands: 3 },
  "ttir.pow": { lower: pow, operands: 2 },
  "ttir.power": { lower: pow, operands: 2 },
  "ttir.pow_scalar": { lower: powScalar, operands: 1 },
  "ttir.round": { lower: round, operands: 1 },
  "ttir.square": { lower: square, operands: 1 },
  "ttir.leaky_relu": { lower: leakyRelu, operands: 1 },
  "ttir.clamp_scalar": { lower: clampScalar, operands: 1 },
  "ttir.clamp": { lower: clampScalar, operands: 1 },
  "ttir.clamp_tensor": { lower: clampTensor, operands: 3 },
  "ttir.typecast": { lower: typecast, operands: 1 },
  "ttir.bitcast_convert": becomes("bitcast_convert", 1),
  "ttir.gelu_bw": becomes(
    "gelu_bw",
    2,
    (op) => ({ approximate: op.attributeText("approximate") ?? '"none"' }),
  ),
};

function same(name: string, operands: number): LoweringRule {
  return { operands, lower: (op, f) => f.replaceElementwise(op, name) };
}

/** The kernel needs a predicate of the data's type. */
function where(op: TtirOp, f: FunctionLowering): void {
  const predicate = f.typecast(f.operand(op, 0), op.resultType().element);
  f.replaceElementwise(op, "where", [predicate, ...f.operandsFrom(op, 1)]);
}

function pow(op: TtirOp, f: FunctionLowering): void {
  const [base, exponent] = [f.operand(op, 0), f.operand(op, 1)];
  const value = splatValue(exponent);
  if (value === undefined || !(value >= 0)) return f.replaceElementwise(op, "pow_tensor");
  f.replaceElementwise(op, "pow_scalar", [base], { rhs: scalar(value, exponent.element.dataType) });
}

/** An exponent that is a property, which has had two names. */
function powScalar(op: TtirOp, f: FunctionLowering): void {
  const rhs = op.attributeText("rhs") ?? op.attributeText("exponent");
  if (rhs === undefined) throw op.error("attribute 'rhs' is missing", "attribute");
  f.replaceElementwise(op, "pow_scalar", [f.operand(op, 0)], { rhs });
}

/** To whole numbers, or to decimals in older generations. */
function round(op: TtirOp, f: FunctionLowering): void {
  const decimals = op.integer("decimals") ?? 0;
  f.replaceElementwise(op, "round", [f.operand(op, 0)], decimals === 0 ? {} : { decimals });
}

/** Rounding to the bits of a bf16 is a typecast there and back; a format that has no more bits stays as it is. */
function reducePrecision(op: TtirOp, f: FunctionLowering): void {
  const { element } = op.resultType();
  const input = f.operand(op, 0);
  const exponent = op.requiredInteger("exponent_bits");
  const mantissa = op.requiredInteger("mantissa_bits");
  const own = element.dataType === "bf16" ? BF16_MANTISSA : F32_MANTISSA;
  if (exponent >= FLOAT_EXPONENT && mantissa >= own) return f.defineResult(op, input);
  if (exponent === FLOAT_EXPONENT && mantissa === BF16_MANTISSA) {
    return f.defineResult(op, f.typecast(f.typecast(input, BF16), element));
  }
  f.replaceElementwise(op, "reduce_precision", [input], { exponent_bits: exponent, mantissa_bits: mantissa });
}

/** The number a value repeats, seen through views. */
function splatValue(lazy: LazyTensor): number | undefined {
  const { form } = lazy;
  if (form.kind === "splat") return form.value;
  return "source" in form ? splatValue(form.source) : undefined;
}

function square(op: TtirOp, f: FunctionLowering): void {
  const input = f.operand(op, 0);
  f.replaceElementwise(op, "multiply", [input, input]);
}

function leakyRelu(op: TtirOp, f: FunctionLowering): void {
  f.replaceElementwise(op, "leaky_relu", [f.operand(op, 0)], { parameter: op.requiredFloat("parameter") });
}

/** The least number of 32 bits. */
const LEAST_WHOLE = -(2 ** 31);

/** Bounds of whole numbers are cast to these, as every result is. */
function clampScalar(op: TtirOp, f: FunctionLowering): void {
  const { element: { dataType } } = op.resultType();
  const bound = (name: string) => {
    const value = op.requiredFloat(name);
    const whole = Math.trunc(Math.min(Math.max(value, LEAST_WHOLE), -LEAST_WHOLE - 1));
    return scalar(isFloat(dataType) ? value : whole, dataType);
  };
  f.replaceElementwise(op, "clamp_scalar", [f.operand(op, 0)], { max: bound("max"), min: bound("min") });
}

/** The kernel does not broadcast its bounds. */
function clampTensor(op: TtirOp, f: FunctionLowering): void {
  const { shape } = op.resultType();
  const operands = f.operandsFrom(op, 0);
  if (operands.some((operand) => !sameExtents(operand.shape, shape))) {
    throw op.error("operands and result differ in shape; broadcast them first");
  }
  f.replace(op, "clamp_tensor", operands);
}

function typecast(op: TtirOp, f: FunctionLowering): void {
  const { element } = op.resultType();
  const input = f.operand(op, 0);
  const result = op.operation.resultTypes?.[0];
  const source = op.operand(0);
  const toBoolean = result !== undefined && isBoolean(op, result);
  const fromBoolean = source.type !== undefined && isBoolean(op, source.type);
  // Every number except zero is true; a typecast alone would not make it 1.
  if (toBoolean ? !fromBoolean : fromBoolean && isCount(source)) {
    const zero = splat(input.shape, input.element, 0);
    const compared = f.elementwise("ne", [input, zero], BF16);
    return f.defineResult(op, toBoolean ? compared : f.typecast(compared, element));
  }
  f.defineResult(op, f.typecast(input, element));
}

function isBoolean(op: TtirOp, span: { readonly start: number; readonly end: number }): boolean {
  return /xi1\s*>$|<i1\s*>$/.test(op.module.text.slice(span.start, span.end));
}

/** Ops whose result has the same numbers as their operand. */
const VIEWS: ReadonlySet<string> = new Set(
  "reshape squeeze unsqueeze permute transpose broadcast repeat slice_static".split(" ").map((name) =>
    `ttir.${name}`
  ),
);

/** Whether a boolean is lowered as a number of booleans that are true: what `reduce_or` makes, or a view of it. */
function isCount(value: Value): boolean {
  const { source } = value;
  if (source.kind === "argument") return false;
  const { name, operands } = source.operation;
  if (name === "ttir.reduce_or") return true;
  const viewed = operands[0]?.value;
  return VIEWS.has(name) && viewed !== undefined && isCount(viewed);
}
