# SPDX-License-Identifier: Apache-2.0
"""Hand-written models on a mock device, captured as ttnn captures any.

    PYTHONPATH=cli/backend PYTHON testdata/captures/model.py FOLDER

PYTHON has ttnn (cli/backend/README.md). Writes `model.json`, `image.json` and `decoder.json`, and beside each what Python
passed (`model.python_io.json`).
"""

import os
import sys
from pathlib import Path

from mock_device import mock_device_variables

FOLDER = Path(sys.argv[1])
WORK = FOLDER / "work"
WORK.mkdir(parents=True, exist_ok=True)
os.environ.update(mock_device_variables(WORK, "n150"))

import numpy  # noqa: E402
import ttnn  # noqa: E402

# What decorates ttnn's calls asks which arguments are tensors of torch, and asks no more of it.
sys.modules.setdefault("torch", type(sys)("torch")).Tensor = type("Tensor", (), {})

DEVICE = ttnn.open_device(device_id=0, l1_small_size=1 << 16)


def tensor(*shape):
    return ttnn.empty(shape, dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=DEVICE)


x, weight, bias, scale = tensor(1, 1, 256, 512), tensor(1, 1, 512, 512), tensor(1, 1, 1, 512), tensor(1, 1, 1, 512)

ttnn.graph.begin_graph_capture(ttnn.graph.RunMode.NORMAL)
normed = ttnn.rms_norm(x, weight=scale, epsilon=1e-5)
config = ttnn.WormholeComputeKernelConfig(math_fidelity=ttnn.MathFidelity.HiFi4)
product = ttnn.linear(
    normed, weight, bias=bias, memory_config=ttnn.L1_MEMORY_CONFIG, compute_kernel_config=config
)
blocks = ttnn.create_sharded_memory_config((1, 1, 256, 512), ttnn.CoreGrid(y=8, x=8), ttnn.ShardStrategy.BLOCK)
sharded = ttnn.relu(ttnn.to_memory_config(product, blocks))
half = ttnn.multiply(ttnn.to_memory_config(sharded, ttnn.DRAM_MEMORY_CONFIG), 0.5)
left = ttnn.slice(half, (0, 0, 0, 0), (1, 1, 256, 256))
heads = ttnn.permute(ttnn.reshape(ttnn.concat([left, left], dim=-1), (1, 256, 8, 64)), (0, 2, 1, 3))
mean = ttnn.mean(heads, dim=-1, keepdim=True)
result = ttnn.softmax(ttnn.typecast(heads, ttnn.bfloat8_b), dim=-1)
ttnn.graph.end_graph_capture_to_file(str(FOLDER / "model.json"))

# An image, attention heads, and a function in place.
image = tensor(1, 1, 1024, 64)
filters = ttnn.Tensor(numpy.zeros((128, 64, 3, 3), dtype="float32"), ttnn.bfloat16)
offsets = ttnn.Tensor(numpy.zeros((1, 1, 1, 128), dtype="float32"), ttnn.bfloat16)
options = ttnn.Conv2dConfig(
    weights_dtype=ttnn.bfloat16, activation=ttnn.UnaryWithParam(ttnn.UnaryOpType.RELU), enable_act_double_buffer=True
)
tokens = tensor(2, 64, 768)

ttnn.graph.begin_graph_capture(ttnn.graph.RunMode.NORMAL)
made, _ = ttnn.conv2d(
    input_tensor=image,
    weight_tensor=filters,
    device=DEVICE,
    in_channels=64,
    out_channels=128,
    batch_size=1,
    input_height=32,
    input_width=32,
    kernel_size=(3, 3),
    padding=(1, 1),
    bias_tensor=offsets,
    conv_config=options,
    return_output_dim=True,
)
pooled = ttnn.max_pool2d(made, 1, 32, 32, 128, [3, 3], [2, 2], [1, 1], [1, 1])
ttnn.avg_pool2d(
    input_tensor=pooled,
    batch_size=1,
    input_h=16,
    input_w=16,
    channels=128,
    kernel_size=[2, 2],
    stride=[2, 2],
    padding=[0, 0],
    ceil_mode=False,
)
query, key, value = ttnn.transformer.split_query_key_value_and_split_heads(tokens, num_heads=4, transpose_key=False)
ttnn.relu(query, output_tensor=query)
ttnn.add_(query, value)
ttnn.exp(query)
ttnn.graph.end_graph_capture_to_file(str(FOLDER / "image.json"))

# A block of a decoder: heads, rotation, a cache, experts, and calls that are several ops, or none that TTNN has words for.
hidden, fused, output = tensor(1, 1, 128, 512), tensor(1, 1, 512, 1024), tensor(1, 1, 512, 512)
cosines, sines, turned = tensor(1, 1, 128, 64), tensor(1, 1, 128, 64), tensor(1, 1, 32, 32)
cache, gate = tensor(8, 4, 256, 64), tensor(1, 1, 512, 64)
step = ttnn.empty((8,), dtype=ttnn.int32, layout=ttnn.ROW_MAJOR_LAYOUT, device=DEVICE)
users = ttnn.create_sharded_memory_config(
    (32, 64), ttnn.CoreGrid(y=1, x=8), ttnn.ShardStrategy.HEIGHT, use_height_and_width_as_shard_shape=True
)
rows = ttnn.empty((1, 8, 4, 64), dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=DEVICE, memory_config=users)
program = ttnn.MatmulMultiCoreReuseMultiCast1DProgramConfig(
    compute_with_storage_grid_size=(8, 4),
    in0_block_w=2,
    out_subblock_h=1,
    out_subblock_w=1,
    per_core_M=4,
    per_core_N=1,
    fuse_batch=True,
    fused_activation=None,
    mcast_in0=True,
)

ttnn.graph.begin_graph_capture(ttnn.graph.RunMode.NORMAL)
qkv = ttnn.linear(hidden, fused, program_config=program, core_grid=None)
queries, keys, values = ttnn.experimental.nlp_create_qkv_heads(
    qkv, num_heads=8, num_kv_heads=4, transpose_k_heads=False, memory_config=ttnn.DRAM_MEMORY_CONFIG
)
queries = ttnn.experimental.rotary_embedding_llama(queries, cosines, sines, turned, is_decode_mode=False)
attended = ttnn.transformer.scaled_dot_product_attention(queries, keys, values, is_causal=True, scale=0.125)
merged = ttnn.linear(ttnn.experimental.nlp_concat_heads(attended), output)
ttnn.experimental.paged_update_cache(cache, rows, update_idxs_tensor=step)
scores, chosen = ttnn.topk(ttnn.linear(merged, gate), k=32, dim=-1)
left, right = ttnn.split(merged, 256, dim=3)
gated = ttnn.mul(left, right, input_tensor_a_activations=[ttnn.UnaryOpType.SILU])
pair = ttnn.stack([gated, 1.0 - left], dim=0)
spread = ttnn.std(merged[:, :, :32, :], dim=-1, keepdim=True)
ttnn.graph.end_graph_capture_to_file(str(FOLDER / "decoder.json"))
