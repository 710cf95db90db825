# SPDX-License-Identifier: Apache-2.0
"""Calls of elementwise ops, products, normalizations and reductions."""

from __future__ import annotations

import ttnn

from call import Call, Thunk, calls
from mlir_text import Value, parse, struct_of
from protocol import UnaskableQuestion
from values import matmul_program_config, unary_with_param

#: Unary ops that tt-mlir calls with `fast_and_approximate_mode`.
_APPROXIMATE = ("sqrt", "log", "mish", "log1p", "rsqrt", "erf", "exp", "gelu")


@calls(*_APPROXIMATE)
def _approximate(call: Call) -> Thunk:
    function = getattr(ttnn, call.question.op)
    [tensor] = call.operands()
    return lambda: function(tensor, fast_and_approximate_mode=True, **call.memory)


@calls(
    "relu",
    "relu6",
    "hardsigmoid",
    "hardswish",
    "sin",
    "cos",
    "abs",
    "ceil",
    "sign",
    "floor",
    "round",
    "trunc",
    "frac",
    "isfinite",
    "logical_not",
    "neg",
    "tan",
    "atan",
    "asin",
    "asinh",
    "acos",
    "acosh",
    "atanh",
    "sinh",
    "cosh",
    "reciprocal",
    "cbrt",
    "bitwise_not",
    "silu",
    "tanh",
    "expm1",
    "erfc",
    "erfinv",
    "softsign",
    "selu",
    "celu",
    "softplus",
)
def _unary(call: Call) -> Thunk:
    function = getattr(ttnn, call.question.op)
    [tensor] = call.operands()
    return lambda: function(tensor, **call.memory)


@calls("sigmoid")
def _sigmoid(call: Call) -> Thunk:
    [tensor] = call.operands()
    return lambda: ttnn.sigmoid(tensor, vector_mode=4, mode=ttnn.SigmoidMode.Accurate, **call.memory)


@calls("leaky_relu")
def _leaky_relu(call: Call) -> Thunk:
    [tensor] = call.operands()
    return lambda: ttnn.leaky_relu(tensor, call.attributes.number("parameter"), **call.memory)


@calls("elu")
def _elu(call: Call) -> Thunk:
    [tensor] = call.operands()
    return lambda: ttnn.elu(tensor, alpha=call.attributes.number("alpha", 1.0), **call.memory)


@calls("clamp_scalar")
def _clamp_scalar(call: Call) -> Thunk:
    [tensor] = call.operands()
    bounds = (call.attributes.scalar("min"), call.attributes.scalar("max"))
    return lambda: ttnn.clamp(tensor, *bounds, **call.memory)


@calls("clamp_tensor")
def _clamp_tensor(call: Call) -> Thunk:
    tensor, low, high = call.operands()
    return lambda: ttnn.clamp(tensor, low, high, **call.memory)


@calls("pow_scalar")
def _pow_scalar(call: Call) -> Thunk:
    [tensor] = call.operands()
    return lambda: ttnn.pow(tensor, call.attributes.number("rhs"), **call.memory)


@calls("bitcast_convert")
def _bitcast(call: Call) -> Thunk:
    [tensor] = call.operands()
    return lambda: ttnn.bitcast(tensor, call.result_dtype, **call.memory)


def _activations(value: Value) -> list[object]:
    if not isinstance(value, list):
        raise UnaskableQuestion(f"activations {value!r}")
    return [unary_with_param(entry) for entry in value]


@calls(
    "add",
    "multiply",
    "subtract",
    "divide",
    "eq",
    "ne",
    "ge",
    "gt",
    "le",
    "lt",
    "logical_and",
    "logical_or",
    "logical_xor",
    "maximum",
    "minimum",
)
def _binary(call: Call) -> Thunk:
    function = getattr(ttnn, call.question.op)
    left, right = call.operands()
    fused = {
        name: _activations(parse(call.question.attribute_texts[name]))
        for name in ("activations", "input_tensor_a_activations", "input_tensor_b_activations")
        if call.attributes.has(name)
    }
    return lambda: function(left, right, dtype=call.result_dtype, **fused, **call.memory)


_TENSOR_PAIR = {"pow_tensor": "pow"}


@calls(
    "bitwise_and",
    "bitwise_or",
    "bitwise_xor",
    "remainder",
    "atan2",
    "logical_left_shift",
    "logical_right_shift",
    "bitwise_right_shift",
    *_TENSOR_PAIR,
)
def _binary_without_dtype(call: Call) -> Thunk:
    function = getattr(ttnn, _TENSOR_PAIR.get(call.question.op, call.question.op))
    left, right = call.operands()
    return lambda: function(left, right, **call.memory)


@calls("where")
def _where(call: Call) -> Thunk:
    condition, left, right = call.operands()
    return lambda: ttnn.where(condition, left, right, **call.memory)


@calls("typecast")
def _typecast(call: Call) -> Thunk:
    [tensor] = call.operands()
    return lambda: ttnn.typecast(tensor, call.result_dtype, **call.memory)


@calls("quantize", "dequantize")
def _quantize(call: Call) -> Thunk:
    function = getattr(ttnn, call.question.op)
    tensor, scale, zero_point = call.operands()
    axis = call.attributes.optional_integer("axis")
    return lambda: function(tensor, scale, zero_point, axis=axis, dtype=call.result_dtype, **call.memory)


@calls("requantize")
def _requantize(call: Call) -> Thunk:
    made = call.operands()
    axis = call.attributes.optional_integer("axis")
    return lambda: ttnn.requantize(*made, axis=axis, dtype=call.result_dtype, **call.memory)


@calls("matmul", "linear")
def _product(call: Call) -> Thunk:
    left, right, *bias = call.operands()
    config_text = call.question.config_text("matmulProgramConfig", "matmul_program_config")
    fused = config_text is not None and "fused_activation" in struct_of(config_text).fields
    arguments = dict(
        transpose_a=call.attributes.flag("transpose_a"),
        transpose_b=call.attributes.flag("transpose_b"),
        dtype=call.output_dtype,
        program_config=matmul_program_config(config_text),
        # The config's activation is the op's; giving both would apply it twice.
        activation=None if fused else call.attributes.word("activation"),
        compute_kernel_config=call.compute_config("computeKernelConfig"),
        **call.memory,
    )
    if call.question.op == "matmul":
        return lambda: ttnn.matmul(left, right, **arguments)
    return lambda: ttnn.linear(left, right, bias=bias[0] if bias else None, **arguments)


@calls("softmax")
def _softmax(call: Call) -> Thunk:
    [tensor] = call.operands()
    return lambda: ttnn.softmax(
        tensor,
        call.attributes.integer("dimension"),
        numeric_stable=call.attributes.flag("numericStable"),
        compute_kernel_config=call.compute_config(),
        **call.memory,
    )


@calls("layer_norm", "rms_norm")
def _norm(call: Call) -> Thunk:
    function = getattr(ttnn, call.question.op)
    tensor, weight, bias = call.by_segment(3)[:3]
    config = call.compute_config()
    extra = {} if config is None else {"compute_kernel_config": config}
    return lambda: function(
        tensor, epsilon=call.attributes.number("epsilon"), weight=weight, bias=bias, **extra, **call.memory
    )


@calls("batch_norm_inference", "batch_norm_training")
def _batch_norm(call: Call) -> Thunk:
    tensor, mean, variance, weight, bias = call.by_segment(5)[:5]
    trains = call.question.op == "batch_norm_training"
    momentum = {"momentum": call.attributes.number("momentum")} if trains else {}
    return lambda: ttnn.batch_norm(
        tensor,
        running_mean=mean,
        running_var=variance,
        training=trains,
        **momentum,
        eps=call.attributes.number("epsilon"),
        weight=weight,
        bias=bias,
        **call.memory,
    )


@calls("sum", "mean", "max", "min")
def _reduce(call: Call) -> Thunk:
    function = getattr(ttnn, call.question.op)
    [tensor] = call.operands()
    return lambda: function(
        tensor,
        call.attributes.optional_integers("dim_arg"),
        call.attributes.flag("keep_dim"),
        compute_kernel_config=call.compute_config(),
        **call.memory,
    )


@calls("prod")
def _prod(call: Call) -> Thunk:
    [tensor] = call.operands()
    dimension = call.attributes.optional_integer("dim_arg")
    return lambda: ttnn.prod(tensor, dim=dimension, keepdim=call.attributes.flag("keep_dim"), **call.memory)


@calls("argmax")
def _argmax(call: Call) -> Thunk:
    [tensor] = call.operands()
    return lambda: ttnn.argmax(
        tensor,
        dim=call.attributes.optional_integer("dim"),
        keepdim=call.attributes.flag("keep_dim"),
        **call.memory,
    )


@calls("cumsum", "cumprod", "moreh_cumsum")
def _cumulative(call: Call) -> Thunk:
    function = getattr(ttnn, call.question.op)
    [tensor] = call.operands()
    return lambda: function(tensor, call.attributes.integer("dim"), **call.memory)


@calls("sort")
def _sort(call: Call) -> Thunk:
    [tensor] = call.operands()
    flags = {name: call.attributes.flag(name) for name in ("descending", "stable")}
    return lambda: ttnn.sort(tensor, call.attributes.integer("dim"), **flags, **call.memory)


@calls("topk")
def _topk(call: Call) -> Thunk:
    [tensor] = call.operands()
    return lambda: ttnn.topk(
        tensor,
        call.attributes.integer("k"),
        call.attributes.integer("dim"),
        call.attributes.flag("largest", True),
        call.attributes.flag("sorted", True),
        **call.memory,
    )
