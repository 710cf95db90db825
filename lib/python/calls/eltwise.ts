// SPDX-License-Identifier: Apache-2.0
import { unary } from "../../op_config/value_kinds.ts";
import { type CallSite, isOnHost } from "../call_site.ts";
import { unaryText } from "../op_configs.ts";
import { pythonFloat, pythonList, type PythonText, Unsayable } from "../python_text.ts";
import { call, type CallArguments, callsOf, type CallWriter, type CallWriters } from "../writers.ts";

const UNARY = unary("");

/** Ops of one tensor that ttnn calls by the same name. */
const PLAIN =
  "relu relu6 silu neg abs sin cos sqrt rsqrt log hardsigmoid hardswish exp tanh reciprocal erf floor ceil " +
  "round trunc frac sign logical_not bitwise_not log1p expm1 tan atan asin acos asinh acosh atanh sinh cosh isfinite " +
  "cbrt mish erfc erfinv softsign selu celu";

/** Ops of two tensors whose result takes a format. */
const BINARY = "add subtract multiply divide eq ne ge gt le lt logical_and logical_or logical_xor";

/** Ops of two tensors that take no format (tt-mlir:runtime-calls). */
const BINARY_WITHOUT_FORMAT =
  "maximum minimum remainder atan2 bitwise_and bitwise_or bitwise_xor logical_left_shift logical_right_shift " +
  "bitwise_right_shift";

/** `activations = [<op_type = relu>, …]`, and those of the two operands. */
const ACTIVATIONS = ["input_tensor_a_activations", "input_tensor_b_activations", "activations"];

/** What both kinds of binary ops take: their second operand, or the number that ttnn's own functions take in its place. */
const OF_BINARY: CallArguments = {
  second: (site) => {
    const number = site.numberOr("scalar", undefined);
    return number === undefined ? site.operand(1) : pythonFloat(number);
  },
  ...Object.fromEntries(ACTIVATIONS.map((key) => [key, (site: CallSite) => activationList(site, key)])),
};

function activationList(site: CallSite, key: string): PythonText | undefined {
  const attribute = site.attribute(key);
  if (attribute === undefined) return undefined;
  if (attribute.kind !== "array") throw new Unsayable(`${key} is no list`);
  if (attribute.elements.length === 0) return undefined;
  return pythonList(attribute.elements.map((element) => {
    const text = element.kind === "dialect" ? `<${element.body}>` : "text" in element ? element.text : "";
    const read = UNARY.read(text, site.alias);
    if (read === undefined) throw new Unsayable(`${key} has ${text}`);
    return unaryText(read);
  }));
}

const FUSED = ACTIVATIONS.map((key) => `=${key}`).join(" ");

const binaryWithoutFormat = (callee: string): CallWriter =>
  call(`${callee} 0 second memory ${FUSED}`, OF_BINARY);

/** `quantize`, `dequantize`, `requantize`: scales and zero points are tensors; the result's type repeats the format. */
const quantization = (callee: string): CallWriter =>
  call(`${callee} operands =axis:int? =dtype memory -output_dtype`);

/** A bound as the text spells it: for a float, ttnn casts tensors of whole numbers to f32 (ttnn:backend-0-81-1). */
function bound(site: CallSite, key: "min" | "max"): PythonText {
  const value = site.number(key);
  return site.attribute(key)?.kind === "integer" ? `${value}` : pythonFloat(value);
}

const [TYPECAST, TO_DTYPE] = [call("ttnn.typecast 0 dtype memory"), call("ttnn.to_dtype 0 dtype")];

/** Calls of elementwise ops, in the words of {@linkcode call}: `=key` is a property by its own name. */
export const ELTWISE_CALLS: CallWriters = {
  ...callsOf(PLAIN, (callee) => call(`${callee} 0 memory`)),
  // ttnn's own defaults differ here from what tt-mlir's runtime passes.
  gelu: call("ttnn.gelu 0 fast_and_approximate_mode=False memory"),
  sigmoid: call("ttnn.sigmoid 0 vector_mode=four memory", { four: () => 4 }),
  leaky_relu: call("ttnn.leaky_relu 0 parameter:float memory"),
  softplus: call("ttnn.softplus 0 =beta:float? =threshold:float? memory"),
  elu: call("ttnn.elu 0 =alpha:float?1.0 memory"),
  clamp_scalar: call("ttnn.clamp 0 min max memory", {
    min: (site) => bound(site, "min"),
    max: (site) => bound(site, "max"),
  }),
  clamp_tensor: call("ttnn.clamp 0 1 2 memory"),
  pow_scalar: call("ttnn.pow 0 rhs:float memory"),
  pow_tensor: binaryWithoutFormat("ttnn.pow"),
  bitcast_convert: call("ttnn.bitcast 0 dtype memory"),
  ...callsOf(BINARY, (callee) => call(`${callee} 0 second =dtype memory ${FUSED}`, OF_BINARY)),
  ...callsOf(BINARY_WITHOUT_FORMAT, binaryWithoutFormat),
  // Its default is `none`; ttnn 0.81 has a name for each (ttnn:backend-0-81-1).
  gelu_bw: (site) => {
    const variant = site.string("approximate") === "tanh" ? " variant=ttnn.GeluVariant.Tanh" : "";
    return `${call(`ttnn.gelu_bw 0 1${variant} memory`)(site)}[0]`;
  },
  dropout: call(
    "ttnn.experimental.dropout 0 prob:float scale:float seed:int?0 =use_per_device_seed:false?",
  ),
  ...callsOf("addcdiv addcmul lerp where", (callee) => call(`${callee} 0 1 2 memory`)),
  ...callsOf("quantize dequantize requantize", quantization),
  typecast: (site) => (isOnHost(site.typed(0).type) ? TO_DTYPE : TYPECAST)(site),
  to_dtype: TO_DTYPE,
};
