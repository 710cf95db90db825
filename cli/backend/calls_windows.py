# SPDX-License-Identifier: Apache-2.0
"""Calls of convolutions and pools."""

from __future__ import annotations

from typing import Any

import ttnn

from call import Call, Thunk, calls, said
from protocol import Tensor, UnaskableQuestion
from values import conv2d_config, conv2d_slice_config, dtype, memory_config, page_layout


def _edges(padding: list[int]) -> list[int]:
    """A pool's top, left, bottom, right as ttnn's top, bottom, left, right, in which convolutions have them."""
    if len(padding) != 4:
        return padding
    top, left, bottom, right = padding
    return [top, bottom, left, right]


def _window(call: Call) -> dict[str, Any]:
    integers = ("in_channels", "out_channels", "batch_size", "input_height", "input_width", "groups")
    lists = ("kernel_size", "stride", "dilation", "padding")
    window: dict[str, Any] = {name: call.attributes.integer(name) for name in integers}
    window.update({name: call.attributes.integers(name) for name in lists})
    return window


class _Convolution:
    """Weights and bias as the prepare ops give them, for the activation of a question."""

    def __init__(self, call: Call, transposed: bool) -> None:
        self.call = call
        self.transposed = transposed
        self.window = _window(call)
        #: The bias is prepared without it.
        self.output_padding: dict[str, Any] = (
            {"output_padding": call.attributes.integers("output_padding")} if transposed else {}
        )
        self.config_text = call.question.config_text("conv2dConfig", "conv2d_config")
        self.slices = conv2d_slice_config(call.question.attribute_texts.get("conv2d_slice_config"))
        self.compute = call.compute_config()
        self.activation, self.weight, *bias = call.question.operands
        self.bias: Tensor | None = bias[0] if bias else None

    def _preparation(self) -> dict[str, Any]:
        layout = self.activation.placed
        memory = memory_config(layout)
        return dict(
            input_memory_config=ttnn.L1_MEMORY_CONFIG
            if self._read_whole() and layout.buffer == "dram"
            else memory,
            input_layout=page_layout(layout),
            device=self.call.device,
            input_dtype=dtype(layout.dtype),
            compute_config=self.compute,
            **self.window,
        )

    def _slices(self) -> dict[str, Any]:
        if self._read_whole():
            return {}
        return {"dram_slice_config" if self.transposed else "slice_config": self.slices}

    def _read_whole(self) -> bool:
        """Whether weights are prepared for an activation in L1 without slices, as plans have it of transposed ones."""
        return self.transposed and self.slices is not None and self.slices.slice_type == ttnn.Conv2dL1Full

    def prepared(self) -> tuple[Any, Any | None]:
        """Weights and bias on the device. Those that a plan holds ready are made anew from plain ones."""
        function = ttnn.prepare_conv_transpose2d_weights if self.transposed else ttnn.prepare_conv_weights
        plain = self._plain(self.weight, self._weight_shape())
        weight = function(
            weight_tensor=plain,
            weights_format="IOHW" if self.transposed else "OIHW",
            has_bias=self.bias is not None,
            output_dtype=self.call.result_dtype,
            conv_config=conv2d_config(self.config_text),
            **self.output_padding,
            **self._slices(),
            **self._preparation(),
        )
        bias = None
        if self.bias is not None:
            function = ttnn.prepare_conv_transpose2d_bias if self.transposed else ttnn.prepare_conv_bias
            bias = function(
                bias_tensor=self._plain(self.bias, (1, 1, 1, self.window["out_channels"])),
                output_dtype=self.call.result_dtype,
                conv_config=conv2d_config(self.config_text, weight.dtype),
                **self._slices(),
                **self._preparation(),
            )
        return self._on_device(weight), self._on_device(bias)

    def _weight_shape(self) -> tuple[int, ...]:
        given = self.window
        inner, outer = given["in_channels"], given["out_channels"]
        rows, columns = (*given["kernel_size"], *given["kernel_size"])[:2]
        if self.transposed:
            return (inner, outer // given["groups"], rows, columns)
        return (outer, inner // given["groups"], rows, columns)

    def _plain(self, tensor: Tensor, shape: tuple[int, ...]) -> Any:
        layout = tensor.placed
        # Block formats exist in tiles only: plain weights of them are bf16.
        return self.call.tensors.on_host(shape, "f32" if layout.dtype == "f32" else "bf16")

    def _on_device(self, tensor: Any | None) -> Any | None:
        if tensor is None or tensor.storage_type() == ttnn.StorageType.DEVICE:
            return tensor
        return ttnn.to_device(tensor, self.call.device)


@calls("conv2d", "conv_transpose2d")
def _convolution(call: Call) -> Thunk:
    transposed = call.question.op == "conv_transpose2d"
    convolution = _Convolution(call, transposed)
    weight, bias = convolution.prepared()
    activation = call.tensors.make(convolution.activation)
    arguments = dict(
        input_tensor=activation,
        weight_tensor=weight,
        bias_tensor=bias,
        device=call.device,
        dtype=call.output_dtype,
        compute_config=convolution.compute,
        **convolution.window,
        **convolution.output_padding,
        **call.memory,
    )
    config = conv2d_config(convolution.config_text)
    if transposed:
        return lambda: ttnn.conv_transpose2d(
            conv_config=config, dram_slice_config=convolution.slices, **arguments
        )
    return lambda: ttnn.conv2d(conv_config=config, slice_config=convolution.slices, **arguments)


_POOL = """=batch_size:integer input_h=input_height:integer input_w=input_width:integer =channels:integer
  =kernel_size:integers =stride:integers padding=edges =ceil_mode:flag deallocate_input=False
  =reallocate_halo_output:flag?True config_tensor_in_dram=config_tensors_in_dram:flag?! memory"""

said(
    f"""
conv1d: ttnn.* input_tensor=0 weight_tensor=1 bias_tensor=2? =device dtype=output_dtype =padding:integers
  conv_config=convolution compute_config=compute slice_config=slices =in_channels:integer =out_channels:integer
  =batch_size:integer =input_length:integer =kernel_size:integer =stride:integer =dilation:integer =groups:integer
  memory
max_pool2d: ttnn.* 0 =dilation:integers {_POOL}
max_pool2d_with_indices: ttnn.max_pool2d 0 =dilation:integers return_indices=True {_POOL}
avg_pool2d: ttnn.* 0 =count_include_pad:flag?True {_POOL}
global_avg_pool2d: ttnn.* 0 dtype=result_dtype memory
""",
    {
        "convolution": lambda call: conv2d_config(call.question.config_text("conv2dConfig", "conv2d_config")),
        "slices": lambda call: conv2d_slice_config(call.question.attribute_texts.get("conv2d_slice_config")),
        "edges": lambda call: _edges(call.attributes.integers("padding")),
    },
)


@calls("upsample")
def _upsample(call: Call) -> Thunk:
    [tensor] = call.operands()
    factors = call.attributes.integers("scale_factor")
    if not factors:
        raise UnaskableQuestion("upsample without a factor")
    factor: Any = factors if len(factors) > 1 else factors[0]
    mode = call.attributes.word("mode") or "nearest"
    return lambda: ttnn.upsample(tensor, factor, mode=mode, **call.memory)
