// SPDX-License-Identifier: Apache-2.0
import { unary } from "../../op_config/value_kinds.ts";
import { type CallSite, dtypeText, isOnHost } from "../call_site.ts";
import { unaryText } from "../op_configs.ts";
import { type Keywords, pythonCall, pythonFloat, pythonList, type PythonText } from "../python_text.ts";
import { Unsayable } from "../unsayable.ts";
import { callsOf, type CallWriter, type CallWriters } from "../writers.ts";

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

function plain(callee: string, keywords: Keywords = {}): CallWriter {
  return (site) => pythonCall(callee, [site.operand(0)], { ...keywords, memory_config: site.memory });
}

/** `activations = [<op_type = relu>, …]`, and those of the two operands. */
function fusedActivations(site: CallSite): Keywords {
  const keys = ["input_tensor_a_activations", "input_tensor_b_activations", "activations"];
  return Object.fromEntries(keys.map((key) => [key, activationList(site, key)]));
}

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

/** The second operand, or the number that ttnn's own functions take in its place. */
function second(site: CallSite): PythonText {
  const number = site.numberOr("scalar", undefined);
  return number === undefined ? site.operand(1) : pythonFloat(number);
}

const binary: (callee: string) => CallWriter = (callee) => (site) =>
  pythonCall(callee, [site.operand(0), second(site)], {
    dtype: site.dtype,
    memory_config: site.memory,
    ...fusedActivations(site),
  });

const binaryWithoutFormat: (callee: string) => CallWriter = (callee) => (site) =>
  pythonCall(callee, [site.operand(0), second(site)], {
    memory_config: site.memory,
    ...fusedActivations(site),
  });

const typecast: CallWriter = (site) =>
  isOnHost(site.typed(0).type)
    ? pythonCall("ttnn.to_dtype", [site.operand(0), site.dtype])
    : pythonCall("ttnn.typecast", [site.operand(0), site.dtype], { memory_config: site.memory });

/** `quantize`, `dequantize`, `requantize`: scales and zero points are tensors. */
const quantization: (callee: string) => CallWriter = (callee) => (site) => {
  // An attribute of quantize and requantize; the result's type repeats it.
  site.text("output_dtype");
  return pythonCall(callee, site.operands.map(({ text }) => text), {
    axis: site.integerOr("axis", undefined),
    dtype: site.dtype,
    memory_config: site.memory,
  });
};

/** A bound as the text spells it: for a float, ttnn casts tensors of whole numbers to f32 (ttnn:backend-0-81-1). */
function bound(site: CallSite, key: "min" | "max"): PythonText {
  const value = site.number(key);
  return site.attribute(key)?.kind === "integer" ? `${value}` : pythonFloat(value);
}

export const ELTWISE_CALLS: CallWriters = {
  ...callsOf(PLAIN, plain),
  // ttnn's own defaults differ here from what tt-mlir's runtime passes.
  gelu: plain("ttnn.gelu", { fast_and_approximate_mode: "False" }),
  sigmoid: plain("ttnn.sigmoid", { vector_mode: 4 }),
  leaky_relu: (site) =>
    pythonCall("ttnn.leaky_relu", [site.operand(0), pythonFloat(site.number("parameter"))], {
      memory_config: site.memory,
    }),
  softplus: (site) =>
    pythonCall("ttnn.softplus", [site.operand(0)], {
      ...Object.fromEntries(["beta", "threshold"].map((key) => {
        const value = site.numberOr(key, undefined);
        return [key, value === undefined ? undefined : pythonFloat(value)];
      })),
      memory_config: site.memory,
    }),
  elu: (site) =>
    pythonCall("ttnn.elu", [site.operand(0)], {
      alpha: pythonFloat(site.numberOr("alpha", 1)),
      memory_config: site.memory,
    }),
  clamp_scalar: (site) =>
    pythonCall("ttnn.clamp", [
      site.operand(0),
      bound(site, "min"),
      bound(site, "max"),
    ], { memory_config: site.memory }),
  clamp_tensor: (site) =>
    pythonCall("ttnn.clamp", [site.operand(0), site.operand(1), site.operand(2)], {
      memory_config: site.memory,
    }),
  pow_scalar: (site) =>
    pythonCall("ttnn.pow", [site.operand(0), pythonFloat(site.number("rhs"))], {
      memory_config: site.memory,
    }),
  pow_tensor: binaryWithoutFormat("ttnn.pow"),
  bitcast_convert: (site) =>
    pythonCall("ttnn.bitcast", [site.operand(0), site.dtype], { memory_config: site.memory }),
  ...callsOf(BINARY, binary),
  ...callsOf(BINARY_WITHOUT_FORMAT, binaryWithoutFormat),
  gelu_bw: (site) => {
    // Its default is `none`; ttnn 0.81 has a name for each (ttnn:backend-0-81-1).
    const isTanh = site.string("approximate") === "tanh";
    return `${
      pythonCall("ttnn.gelu_bw", [site.operand(0), site.operand(1)], {
        variant: isTanh ? "ttnn.GeluVariant.Tanh" : undefined,
        memory_config: site.memory,
      })
    }[0]`;
  },
  dropout: (site) =>
    pythonCall("ttnn.experimental.dropout", [
      site.operand(0),
      pythonFloat(site.number("prob")),
      pythonFloat(site.number("scale")),
      site.integerOr("seed", 0),
    ], { use_per_device_seed: site.flag("use_per_device_seed", true) ? undefined : "False" }),
  ...callsOf(
    "addcdiv addcmul lerp where",
    (callee) => (site) =>
      pythonCall(callee, [site.operand(0), site.operand(1), site.operand(2)], { memory_config: site.memory }),
  ),
  ...callsOf("quantize dequantize requantize", quantization),
  typecast,
  to_dtype: (site) => pythonCall("ttnn.to_dtype", [site.operand(0), dtypeText(site.result.layout.dataType)]),
};
