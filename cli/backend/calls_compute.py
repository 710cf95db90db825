# SPDX-License-Identifier: Apache-2.0
"""Calls of elementwise ops, products, normalizations and reductions."""

from __future__ import annotations

import ttnn

from call import Call, Thunk, calls, said
from mlir_text import Value, parse, struct_of
from protocol import UnaskableQuestion
from values import matmul_program_config, unary_with_param

# Where tt-mlir asks for `fast_and_approximate_mode`, these do too.
said("""
sqrt log mish log1p rsqrt erf exp gelu: ttnn.* 0 fast_and_approximate_mode=True memory
relu relu6 hardsigmoid hardswish sin cos abs ceil sign floor round trunc frac isfinite logical_not neg tan atan
  asin asinh acos acosh atanh sinh cosh reciprocal cbrt bitwise_not silu tanh expm1 erfc erfinv softsign selu celu
  softplus: ttnn.* 0 memory
leaky_relu: ttnn.* 0 parameter:number memory
elu: ttnn.* 0 =alpha:number?1.0 memory
clamp_scalar: ttnn.clamp 0 min:scalar max:scalar memory
clamp_tensor: ttnn.clamp 0 1 2 memory
pow_scalar: ttnn.pow 0 rhs:number memory
bitcast_convert: ttnn.bitcast 0 result_dtype memory
bitwise_and bitwise_or bitwise_xor remainder atan2 logical_left_shift logical_right_shift bitwise_right_shift:
  ttnn.* 0 1 memory
pow_tensor: ttnn.pow 0 1 memory
where: ttnn.* 0 1 2 memory
typecast: ttnn.* 0 result_dtype memory
quantize dequantize: ttnn.* 0 1 2 =axis:integer? dtype=result_dtype memory
requantize: ttnn.* operands =axis:integer? dtype=result_dtype memory
softmax: ttnn.* 0 dimension:integer numeric_stable=numericStable:flag compute_kernel_config=compute memory
layer_norm rms_norm: ttnn.* @0 =epsilon:number weight=@1 bias=@2 compute_kernel_config=compute! memory
batch_norm_inference: ttnn.batch_norm @0 running_mean=@1 running_var=@2 training=False eps=epsilon:number
  weight=@3 bias=@4 memory
batch_norm_training: ttnn.batch_norm @0 running_mean=@1 running_var=@2 training=True =momentum:number
  eps=epsilon:number weight=@3 bias=@4 memory
sum mean max min: ttnn.* 0 dim_arg:integers? keep_dim:flag compute_kernel_config=compute memory
prod: ttnn.* 0 dim=dim_arg:integer? keepdim=keep_dim:flag memory
argmax: ttnn.* 0 =dim:integer? keepdim=keep_dim:flag memory
cumsum cumprod moreh_cumsum: ttnn.* 0 dim:integer memory
sort: ttnn.* 0 dim:integer =descending:flag =stable:flag memory
topk: ttnn.* 0 k:integer dim:integer largest:flag?True sorted:flag?True memory
""")


@calls("sigmoid")
def _sigmoid(call: Call) -> Thunk:
    [tensor] = call.operands()
    return lambda: ttnn.sigmoid(tensor, vector_mode=4, mode=ttnn.SigmoidMode.Accurate, **call.memory)


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
