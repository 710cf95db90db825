# SPDX-License-Identifier: Apache-2.0
"""Small networks of our own in plain JAX, on which decisions of tt-mlir's compiler are recorded (tools/record_upstream.ts).

Each entry of NETS returns (function, weights, inputs): trees of shapes, no values. Weights are parameters.
"""
import jax
import jax.numpy as jnp
from jax import lax, nn

BF16, F32 = jnp.bfloat16, jnp.float32


def shape(*extents, t=BF16):
    return jax.ShapeDtypeStruct(extents, t)


def dense(inner, outer, t=BF16):
    return {"w": shape(inner, outer, t=t), "b": shape(outer, t=t)}


def linear(x, p):
    return x @ p["w"] + p["b"]


def layer_norm(x, p):
    mean = jnp.mean(x, -1, keepdims=True)
    variance = jnp.mean(jnp.square(x - mean), -1, keepdims=True)
    return (x - mean) * lax.rsqrt(variance + 1e-5) * p["w"] + p["b"]


def norm(width, t=BF16):
    return {"w": shape(width, t=t), "b": shape(width, t=t)}


def split_heads(x, heads):
    batch, tokens, width = x.shape
    return x.reshape(batch, tokens, heads, width // heads).transpose(0, 2, 1, 3)


def join_heads(x):
    batch, heads, tokens, width = x.shape
    return x.transpose(0, 2, 1, 3).reshape(batch, tokens, heads * width)


def attention(x, p, heads, mask=None):
    q, k, v = (split_heads(linear(x, p[name]), heads) for name in "qkv")
    scores = (q @ k.transpose(0, 1, 3, 2)) * jnp.asarray(q.shape[-1] ** -0.5, x.dtype)
    if mask is not None:
        scores = jnp.where(mask, scores, jnp.asarray(-1e9, scores.dtype))
    return linear(join_heads(nn.softmax(scores, -1) @ v), p["o"])


def block_weights(width, hidden):
    return {
        "a": {name: dense(width, width) for name in "qkvo"},
        "n1": norm(width),
        "n2": norm(width),
        "up": dense(width, hidden),
        "down": dense(hidden, width),
    }


def block(x, p, heads, mask=None):
    x = x + attention(layer_norm(x, p["n1"]), p["a"], heads, mask)
    return x + linear(nn.relu(linear(layer_norm(x, p["n2"]), p["up"])), p["down"])


IMAGE = ("NHWC", "HWIO", "NHWC")


def conv(x, kernel, stride=1, groups=1):
    return lax.conv_general_dilated(
        x, kernel, (stride, stride), "SAME", dimension_numbers=IMAGE, feature_group_count=groups)


def scaled(x, p):
    return x * p["s"] + p["t"]


def kernel(side, inner, outer):
    return {"k": shape(side, side, inner, outer), "s": shape(outer), "t": shape(outer)}


def conv_block(x, p, stride=1, groups=1):
    return nn.relu(scaled(conv(x, p["k"], stride, groups), p))


def max_pool(x):
    low = jnp.asarray(-jnp.inf, x.dtype)
    return lax.reduce_window(
        x, low, lax.max, (1, 3, 3, 1), (1, 2, 2, 1), ((0, 0), (1, 1), (1, 1), (0, 0)))


def regression():
    """Layers of f32 with norms between them."""
    def f(w, x):
        for p in w["layers"]:
            x = jnp.tanh(layer_norm(linear(x, p), w["norm"]))
        return linear(x, w["out"])
    width = 512
    return f, {"layers": [dense(width, width, F32)] * 2, "norm": norm(width, F32), "out": dense(width, 4, F32)}, [
        shape(256, width, t=F32)]


def patches():
    """A vision transformer on 197 tokens, which do not fill their tiles."""
    def f(w, x):
        tokens = conv(x, w["patch"], 16)[:, ::1].reshape(x.shape[0], 196, 192)
        first = jnp.broadcast_to(w["first"], (x.shape[0], 1, 192))
        tokens = jnp.concatenate([first, tokens], 1) + w["place"]
        return linear(layer_norm(block(tokens, w["block"], 3), w["norm"])[:, 0], w["out"])
    return f, {
        "patch": shape(16, 16, 3, 192), "first": shape(1, 1, 192), "place": shape(1, 197, 192),
        "block": block_weights(192, 768), "norm": norm(192), "out": dense(192, 100)}, [shape(2, 224, 224, 3)]


def causal():
    """A block of a decoder over 256 tokens."""
    def f(w, x):
        return block(x, w, 8, jnp.tril(jnp.ones((256, 256), bool)))
    return f, block_weights(512, 2048), [shape(1, 256, 512)]


def encoder_batch():
    """A block of an encoder over 16 sequences."""
    return (lambda w, x: block(x, w, 8)), block_weights(512, 1024), [shape(16, 64, 512)]


def rotate(x, cosine, sine):
    a, b = jnp.split(x, 2, -1)
    return x * cosine + jnp.concatenate([-b, a], -1) * sine


def rms_norm(x, w):
    y = x.astype(F32)
    return (y * lax.rsqrt(jnp.mean(jnp.square(y), -1, keepdims=True) + 1e-5)).astype(x.dtype) * w


def grouped_query():
    """Attention with fewer keys than queries, rotated, and norms in f32."""
    def f(w, x, cosine, sine):
        y = rms_norm(x, w["n"])
        q = rotate(split_heads(y @ w["q"], 16), cosine, sine)
        k = jnp.repeat(rotate(split_heads(y @ w["k"], 4), cosine, sine), 4, 1)
        v = jnp.repeat(split_heads(y @ w["v"], 4), 4, 1)
        scores = (q @ k.transpose(0, 1, 3, 2)).astype(F32) * 0.125
        return x + join_heads(nn.softmax(scores, -1).astype(x.dtype) @ v) @ w["o"]
    return f, {
        "n": shape(1024), "q": shape(1024, 1024), "k": shape(1024, 256), "v": shape(1024, 256),
        "o": shape(1024, 1024)}, [shape(1, 128, 1024), shape(128, 64), shape(128, 64)]


def gated_step():
    """One token per sequence through a gated layer."""
    def f(w, x):
        y = rms_norm(x, w["n"])
        return x + (nn.silu(y @ w["g"]) * (y @ w["u"])) @ w["d"]
    return f, {"n": shape(1024), "g": shape(1024, 2816), "u": shape(1024, 2816), "d": shape(2816, 1024)}, [
        shape(32, 1, 1024)]


def recurrent():
    """Two steps of a gated recurrent unit."""
    def step(w, h, x):
        z = nn.sigmoid(linear(x, w["zx"]) + h @ w["zh"])
        r = nn.sigmoid(linear(x, w["rx"]) + h @ w["rh"])
        n = jnp.tanh(linear(x, w["nx"]) + (r * h) @ w["nh"])
        return (1 - z) * n + z * h
    def f(w, h, x):
        return step(w, step(w, h, x[:, 0]), x[:, 1])
    w = {f"{name}x": dense(512, 512) for name in "zrn"} | {f"{name}h": shape(512, 512) for name in "zrn"}
    return f, w, [shape(64, 512), shape(64, 2, 512)]


def residual():
    """Convolutions with a pool, a stride and two residuals."""
    def f(w, x):
        x = max_pool(conv_block(x, w["stem"], 2))
        x = nn.relu(x + scaled(conv(conv_block(x, w["a"]), w["b"]["k"]), w["b"]))
        y = conv_block(x, w["c"], 2)
        return nn.relu(scaled(conv(x, w["skip"]["k"], 2), w["skip"]) + scaled(conv(y, w["d"]["k"]), w["d"]))
    return f, {
        "stem": kernel(7, 3, 64), "a": kernel(3, 64, 64), "b": kernel(3, 64, 64), "c": kernel(3, 64, 128),
        "d": kernel(3, 128, 128), "skip": kernel(1, 64, 128)}, [shape(2, 112, 112, 3)]


def separable():
    """Depthwise convolutions between pointwise ones, and a classifier."""
    def f(w, x):
        x = conv_block(x, w["stem"], 2)
        for p, stride in zip(w["layers"], (1, 2)):
            x = conv_block(conv_block(x, p["d"], stride, x.shape[-1]), p["p"])
        return linear(jnp.mean(x, (1, 2)), w["out"])
    def layer(inner, outer):
        return {"d": kernel(3, 1, inner), "p": kernel(1, inner, outer)}
    return f, {"stem": kernel(3, 3, 32), "layers": [layer(32, 64), layer(64, 128)], "out": dense(128, 1000)}, [
        shape(1, 112, 112, 3)]


def decoder_of_images():
    """A small U: down, up by repetition, a skip."""
    def f(w, x):
        top = conv_block(x, w["a"])
        low = conv_block(max_pool(top), w["b"])
        up = jnp.repeat(jnp.repeat(low, 2, 1), 2, 2)
        return conv(conv_block(jnp.concatenate([top, up], -1), w["c"]), w["out"])
    return f, {"a": kernel(3, 32, 32), "b": kernel(3, 32, 64), "c": kernel(3, 96, 32), "out": shape(1, 1, 32, 32)}, [
        shape(1, 64, 64, 32)]


def statistics():
    """Reductions over rows, columns and both, with and without the dimension."""
    def f(w, x):
        y = x * w
        rows = jnp.max(y, 1)
        columns = jnp.sum(y, 0, keepdims=True)
        spread = jnp.sqrt(jnp.mean(jnp.square(y - jnp.mean(y, 0)), 0))
        return nn.softmax(rows), columns + spread, jnp.sum(y.astype(F32))
    return f, shape(1024), [shape(512, 1024)]


def retrieval():
    """Rows of a table, their mean, scores against all rows."""
    def f(w, i):
        x = jnp.mean(w["table"][i], 1)
        x = layer_norm(linear(x, w["up"]), w["norm"])
        scores = x @ w["table"].T
        return jnp.argmax(scores, -1), nn.log_softmax(scores, -1)
    return f, {"table": shape(2048, 256), "up": dense(256, 256), "norm": norm(256)}, [shape(32, 64, t=jnp.int32)]


def sound():
    """Convolutions along a line whose strides leave rows of cores without a shard."""
    def f(w, x):
        for kernel, bias, stride in zip(w["k"], w["b"], (1, 2, 2)):
            x = nn.relu(lax.conv_general_dilated(
                x, kernel, (stride,), ((1, 1),), dimension_numbers=("NWC", "WIO", "NWC")) + bias)
        return x
    return f, {
        "k": [shape(3, 80, 384), shape(3, 384, 384), shape(3, 384, 384)], "b": [shape(384)] * 3}, [shape(1, 1500, 80)]


NETS = {f.__name__: f for f in [
    regression, patches, causal, encoder_batch, grouped_query, gated_step, recurrent, residual, separable,
    decoder_of_images, statistics, retrieval, sound]}
