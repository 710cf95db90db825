# SPDX-License-Identifier: Apache-2.0
"""Turns what a question says into values of ttnn: formats, memory configs, program and compute configs."""

from __future__ import annotations

import re
import sys
import types
from typing import Any

import ttnn

from mlir_text import Struct, Value, integers_of, struct_of, word_of
from protocol import CoreRange, Layout, Tensor, UnaskableQuestion

# ttnn asks whether an argument is a torch tensor; torch itself is not needed.
_torch: Any = types.ModuleType("torch")
_torch.Tensor = type("Tensor", (), {})
sys.modules.setdefault("torch", _torch)

DTYPES: dict[str, Any] = {
    "f32": ttnn.float32,
    "bf16": ttnn.bfloat16,
    "bfp_bf8": ttnn.bfloat8_b,
    "bfp_bf4": ttnn.bfloat4_b,
    "u32": ttnn.uint32,
    "ui32": ttnn.uint32,
    "u16": ttnn.uint16,
    "ui16": ttnn.uint16,
    "u8": ttnn.uint8,
    "ui8": ttnn.uint8,
    "si32": ttnn.int32,
    "i32": ttnn.int32,
}
DTYPE_NAMES: dict[str, str] = {
    "FLOAT32": "f32",
    "BFLOAT16": "bf16",
    "BFLOAT8_B": "bfp_bf8",
    "BFLOAT4_B": "bfp_bf4",
    "UINT32": "u32",
    "UINT16": "u16",
    "UINT8": "u8",
    "INT32": "si32",
}
MEMORIES: dict[str, Any] = {
    "interleaved": ttnn.TensorMemoryLayout.INTERLEAVED,
    "height_sharded": ttnn.TensorMemoryLayout.HEIGHT_SHARDED,
    "width_sharded": ttnn.TensorMemoryLayout.WIDTH_SHARDED,
    "block_sharded": ttnn.TensorMemoryLayout.BLOCK_SHARDED,
}
BUFFERS: dict[str, Any] = {
    "dram": ttnn.BufferType.DRAM,
    "l1": ttnn.BufferType.L1,
    "l1_small": ttnn.BufferType.L1_SMALL,
}
_FIDELITIES: dict[str, Any] = {
    "lofi": ttnn.MathFidelity.LoFi,
    "hifi2": ttnn.MathFidelity.HiFi2,
    "hifi3": ttnn.MathFidelity.HiFi3,
    "hifi4": ttnn.MathFidelity.HiFi4,
}


def dtype(name: str) -> Any:
    """A format of ttnn by the dialect's name."""
    if name not in DTYPES:
        raise UnaskableQuestion(f"the backend has no format {name}")
    return DTYPES[name]


def core_range_set(ranges: tuple[CoreRange, ...]) -> Any:
    """Cores of ttnn."""
    return ttnn.CoreRangeSet(
        [ttnn.CoreRange(ttnn.CoreCoord(x0, y0), ttnn.CoreCoord(x1, y1)) for x0, y0, x1, y1 in ranges]
    )


def memory_config(layout: Layout | None) -> Any:
    """The memory config of a layout; without a shard spec where the backend is to choose it."""
    if layout is None:
        return None
    if layout.memory not in MEMORIES:
        raise UnaskableQuestion(f"memory layout {layout.memory}")
    if layout.buffer not in BUFFERS:
        raise UnaskableQuestion(f"a result in {layout.buffer}")
    memory, buffer = MEMORIES[layout.memory], BUFFERS[layout.buffer]
    if layout.shard is None:
        return ttnn.MemoryConfig(memory, buffer)
    orientation = ttnn.ShardOrientation.ROW_MAJOR
    return ttnn.MemoryConfig(
        memory, buffer, ttnn.ShardSpec(core_range_set(layout.cores), list(layout.shard), orientation)
    )


def page_layout(layout: Layout) -> Any:
    """Tiles or rows."""
    return ttnn.TILE_LAYOUT if layout.tiled else ttnn.ROW_MAJOR_LAYOUT


class Tensors:
    """Makes the operands of questions on one device."""

    def __init__(self, device: Any) -> None:
        self.device = device
        self._host: dict[tuple[tuple[int, ...], str], Any] = {}

    def make(self, tensor: Tensor) -> Any:
        """A tensor on the device. Raises RuntimeError if its shards lie outside of the grid."""
        layout = tensor.placed
        if layout.on_host:
            return self.on_host(tensor.shape, layout.dtype)
        config = memory_config(layout)
        if config.shard_spec is not None:
            grid = (
                self.device.compute_with_storage_grid_size()
                if layout.buffer == "l1"
                else self.device.dram_grid_size()
            )
            end = config.shard_spec.grid.bounding_box().end
            if end.x >= grid.x or end.y >= grid.y:
                raise RuntimeError(
                    f"shards end at ({end.x},{end.y}), outside of the grid of {grid.x}x{grid.y}"
                )
        return ttnn.allocate_tensor_on_device(
            ttnn.Shape(list(tensor.shape)), dtype(layout.dtype), page_layout(layout), self.device, config
        )

    def on_host(self, shape: tuple[int, ...], dtype_name: str) -> Any:
        """A row-major tensor of zeros in host memory, the same one for equal questions."""
        key = (shape, dtype_name)
        if key not in self._host:
            self._host[key] = ttnn.zeros(list(shape), dtype=dtype(dtype_name), layout=ttnn.ROW_MAJOR_LAYOUT)
        return self._host[key]


def unary_with_param(value: Value) -> Any:
    """An activation: `gelu`, or `#ttnn.unary_with_param<op_type = <gelu>, params = [1.0 : f32]>`."""
    parameters: Value = []
    if isinstance(value, Struct) and "op_type" in value.fields:
        parameters = value.fields.get("params", [])
        value = value.fields["op_type"]
    kind = getattr(ttnn.UnaryOpType, word_of(value).upper())
    numbers = (
        [float(entry) for entry in parameters if isinstance(entry, (int, float))]
        if isinstance(parameters, list)
        else []
    )
    return ttnn.UnaryWithParam(kind, numbers[0]) if numbers else ttnn.UnaryWithParam(kind)


def compute_config(text: str | None) -> Any:
    """A `#ttnn.device_compute_kernel_config`; both chips take the same class."""
    if text is None:
        return None
    given = struct_of(text).fields
    arguments: dict[str, Any] = {
        name: given[name]
        for name in ("math_approx_mode", "fp32_dest_acc_en", "packer_l1_acc", "dst_full_sync_en")
        if name in given
    }
    if "math_fidelity" in given:
        arguments["math_fidelity"] = _FIDELITIES[word_of(given["math_fidelity"])]
    return ttnn.WormholeComputeKernelConfig(**arguments)


_SUBBLOCK = ("in0_block_w", "out_subblock_h", "out_subblock_w", "per_core_m", "per_core_n")
_ON_GRID = ("compute_with_storage_grid_size", *_SUBBLOCK)
_MULTICAST = (*_ON_GRID, "out_block_h", "out_block_w", "fused_activation", "fuse_batch")
_OF_1D = ("mcast_in0", "gather_in0", "hop_cores", "num_global_cb_receivers", "untilize_out")
#: Class of ttnn and fields, by the dialect's name without `matmul_multi_core_reuse` and `_program_config`.
_MATMUL_CONFIGS: dict[str, tuple[str, tuple[str, ...]]] = {
    "": ("", _ON_GRID),
    "_multi_cast": ("MultiCast", (*_MULTICAST, "transpose_mcast")),
    "_multi_cast_1d": ("MultiCast1D", (*_MULTICAST, *_OF_1D)),
    "_multi_cast_dram_sharded": (
        "MultiCastDRAMSharded",
        ("in0_block_w", "per_core_m", "per_core_n", "fused_activation"),
    ),
}


def matmul_program_config(text: str | None) -> Any:
    """One of the dialect's matmul program configs."""
    if text is None:
        return None
    given = struct_of(text)
    reuse = re.fullmatch(r"matmul_multi_core_reuse(\w*)_program_config", given.name)
    if reuse is None or reuse[1] not in _MATMUL_CONFIGS:
        raise UnaskableQuestion(f"program config {given.name}")
    kind, fields = _MATMUL_CONFIGS[reuse[1]]
    arguments: dict[str, Any] = {}
    for name in fields:
        if name not in given.fields:
            continue
        value = given.fields[name]
        if name == "compute_with_storage_grid_size":
            x, y = integers_of(value)
            arguments[name] = ttnn.CoreCoord(x, y)
        elif name == "fused_activation":
            arguments[name] = unary_with_param(value)
        elif name == "hop_cores":
            cores = integers_of(value)
            if cores:
                raise UnaskableQuestion("hop cores")
            arguments[name] = ttnn.CoreRangeSet([])
        else:
            arguments[{"per_core_m": "per_core_M", "per_core_n": "per_core_N"}.get(name, name)] = value
    return getattr(ttnn, f"MatmulMultiCoreReuse{kind}ProgramConfig")(**arguments)


def conv2d_config(text: str | None, weights_dtype: Any = None) -> Any:
    """A `#ttnn.conv2d_config`; `weights_dtype` stands in for one that the text does not name."""
    if text is None and weights_dtype is None:
        return None
    given = {} if text is None else dict(struct_of(text).fields)
    arguments: dict[str, Any] = {} if weights_dtype is None else {"weights_dtype": weights_dtype}
    for name, value in given.items():
        if name == "weights_dtype":
            arguments[name] = dtype(word_of(value))
        elif name == "activation":
            arguments[name] = unary_with_param(value)
        elif name == "shard_layout":
            arguments[name] = MEMORIES[word_of(value)]
        elif name == "output_layout":
            arguments[name] = ttnn.TILE_LAYOUT if word_of(value) == "tile" else ttnn.ROW_MAJOR_LAYOUT
        elif name == "core_grid":
            raise UnaskableQuestion("a core grid in a conv2d config")
        else:
            arguments[name] = value
    return ttnn.Conv2dConfig(**arguments)


def conv2d_slice_config(text: str | None) -> Any:
    """A `#ttnn.conv2d_slice_config<l1_full, 0>`."""
    if text is None:
        return None
    kind, count = struct_of(text).positional
    kinds = {
        "l1_full": ttnn.Conv2dL1Full,
        "dram_height": ttnn.Conv2dDRAMSliceHeight,
        "dram_width": ttnn.Conv2dDRAMSliceWidth,
    }
    return ttnn.Conv2dSliceConfig(slice_type=kinds[word_of(kind)], num_slices=count)
