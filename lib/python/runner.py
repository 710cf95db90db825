#!/usr/bin/env python3
# TITLE
#
# It needs nothing but `pip install ttnn`. Arguments are read from a folder of NAME.npy files (--inputs), others are made.
# --times CSV writes times per op; --check OTHER.py compares the results with those of another program.
import argparse
import csv
import importlib.util
import os
import sys
import time
import types
import zlib

import numpy
import ttnn

try:
    import torch  # noqa: F401
except ImportError:
    # ttnn asks whether arguments are tensors of torch; nothing else of it is needed.
    sys.modules["torch"] = types.SimpleNamespace(Tensor=type("Tensor", (), {}))
# ---- helpers


def cores(ranges):
    """The cores of rectangles (first x, first y, last x, last y)."""
    return ttnn.CoreRangeSet(
        [ttnn.CoreRange(ttnn.CoreCoord(x0, y0), ttnn.CoreCoord(x1, y1)) for x0, y0, x1, y1 in ranges]
    )


def sharded(layout, ranges, shard, buffer=ttnn.BufferType.L1, orientation=ttnn.ShardOrientation.ROW_MAJOR):
    """The memory config of a tensor whose shards of so many elements lie on these cores."""
    return ttnn.MemoryConfig(layout, buffer, ttnn.ShardSpec(cores(ranges), shard, orientation))


def window(
    batch_size,
    input_height,
    input_width,
    in_channels,
    out_channels,
    kernel_size,
    stride=(1, 1),
    padding=(0, 0, 0, 0),
    dilation=(1, 1),
    groups=1,
):
    """What a convolution and the ops that prepare its weights are told of its window."""
    return dict(locals())


def free(*tensors, force=False):
    """Deallocates tensors on the device, but for buffers that others share."""
    for tensor in tensors:
        if tensor.storage_type() == ttnn.StorageType.DEVICE:
            ttnn.deallocate(tensor, force=force)


def scalar(tensor):
    """The one number that a tensor holds."""
    return int(ttnn.from_device(ttnn.to_layout(tensor, ttnn.ROW_MAJOR_LAYOUT)).to_numpy().reshape(-1)[0])


def on_host(device, function, *tensors):
    """What a function of arrays makes of tensors in host memory; every chip has its own."""
    chips = range(device.get_num_devices())
    shards = [ttnn.get_device_tensors(tensor) for tensor in tensors]
    made = [function(*[parts[chip % len(parts)].to_numpy() for parts in shards]) for chip in chips]
    return [
        ttnn.from_host_shards(
            [ttnn.Tensor(numpy.array(one, order="C"), getattr(ttnn, one.dtype.name)) for one in ones],
            device.shape,
        )
        for ones in zip(*made)
    ]


# ---- main
WHOLE = {ttnn.uint8: "uint8", ttnn.uint16: "uint16", ttnn.uint32: "uint32", ttnn.int32: "int32"}


def made(name, role, shape, dtype):
    """Values that are the same on every run; small ones for weights."""
    if dtype in WHOLE:
        return numpy.zeros(shape, dtype=numpy.int32)
    # A block of prime length repeated: no two rows are alike, and large weights take no time.
    block = numpy.random.default_rng(zlib.crc32(name.encode())).standard_normal(65521, dtype=numpy.float32)
    return numpy.resize(block * (0.02 if role == "weight" else 1.0), shape)


def argument(device, folder, name, role, shape, dtype, layout, memory_config):
    """An argument as the program wants it: from FOLDER/NAME.npy, or made."""
    path = os.path.join(folder, name + ".npy") if folder else None
    values = numpy.load(path) if path and os.path.exists(path) else made(name, role, shape, dtype)
    values = numpy.ascontiguousarray(values.reshape(shape).astype(WHOLE.get(dtype, "float32")))
    if memory_config is None:
        return ttnn.Tensor(values, dtype, layout=layout)
    tensor = ttnn.Tensor(values, dtype, device=device, layout=layout, mem_config=ttnn.DRAM_MEMORY_CONFIG)
    if memory_config == ttnn.DRAM_MEMORY_CONFIG:
        return tensor
    return ttnn.to_memory_config(tensor, memory_config)


def values_of(tensor):
    """A result as an array of floats; of a mesh what each chip has, one behind the other."""
    host = ttnn.to_dtype(ttnn.to_layout(ttnn.from_device(tensor), ttnn.ROW_MAJOR_LAYOUT), ttnn.float32)
    parts = [part.to_numpy().astype(numpy.float64) for part in ttnn.get_device_tensors(host)]
    return parts[0] if len(parts) == 1 else numpy.stack(parts)


def run(device, folder, programs, running=lambda runs: None):
    """The results of every function, as arrays; `running` is told when a function starts and when it has ended."""
    results = []
    for function, prepare, arguments in programs:
        weights, inputs = types.SimpleNamespace(), []
        for name, role, *rest in arguments:
            tensor = argument(device, folder, name, role, *rest)
            if role == "weight":
                setattr(weights, name, tensor)
            else:
                inputs.append(tensor)
        if prepare is not None:
            prepare(device, weights)
        running(True)
        outputs = function(device, weights, *inputs)
        running(False)
        results.append([values_of(output) for output in outputs])
    return results


def check(device, folder, other):
    """Compares the results with those of another program on the same arguments; whether they agree."""
    spec = importlib.util.spec_from_file_location("other_program", other)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    pairs = zip(run(device, folder, PROGRAMS), module.run(device, folder, module.PROGRAMS))
    agree = True
    for (function, _, _), (ours, theirs) in zip(PROGRAMS, pairs):
        for index, (a, b) in enumerate(zip(ours, theirs)):
            a, b = a.reshape(-1), b.reshape(-1)
            scale = numpy.linalg.norm(b)
            error = numpy.linalg.norm(a - b) / scale if scale > 0 else numpy.linalg.norm(a)
            constant = a.std() == 0 or b.std() == 0
            correlation = float(numpy.allclose(a, b)) if constant else numpy.corrcoef(a, b)[0, 1]
            print(
                f"{function.__name__} result {index}: relative error {error:.3g}, correlation {correlation:.6f}"
            )
            agree = agree and correlation > 0.99
    return agree


def open_mesh(shape):
    """A mesh of chips. Wormhole chips of one dispatch from Ethernet cores, so that all rows of workers compute."""
    ttnn.set_fabric_config(ttnn.FabricConfig.FABRIC_1D)
    ethernet = "wormhole" in ttnn.get_arch_name().lower()
    kind = ttnn.DispatchCoreType.ETH if ethernet else ttnn.DispatchCoreType.WORKER
    return ttnn.open_mesh_device(
        ttnn.MeshShape(*shape), l1_small_size=65536, dispatch_core_config=ttnn.DispatchCoreConfig(kind)
    )


class Observed:
    """Stands in for ttnn; every op of a program goes through `around`, which runs it and notes something."""

    def __init__(self, inner, around):
        self.inner, self.around = inner, around

    def __getattr__(self, name):
        found = getattr(self.inner, name)
        if hasattr(found, "python_fully_qualified_name"):
            return lambda *args, **kwargs: self.around(lambda: found(*args, **kwargs))
        return Observed(found, self.around) if isinstance(found, types.ModuleType) else found


def observed_run(device, folder, around):
    """Runs the programs; their ops, not those of their weights, go through `around`."""
    plain, observed = ttnn, Observed(ttnn, around)
    try:
        run(device, folder, PROGRAMS, lambda runs: globals().update(ttnn=observed if runs else plain))
    finally:
        globals()["ttnn"] = plain


def write_times(device, folder, path):
    """Writes the time of every op in the columns of tt-metal's profiler; returns their number.

    First every op is run once, for its kernels and for the names of the device operations that it launches. Then it is
    timed between two moments at which the device is idle: the time that the profiler of a Tracy build tells, and a launch.
    """
    plain, codes, times = ttnn, [], []

    def name(operation):
        plain.graph.begin_graph_capture(plain.graph.RunMode.NORMAL)
        result = operation()
        nodes = plain.graph.end_graph_capture()
        starts = [node["params"]["name"] for node in nodes if node["node_type"] == "function_start"]
        codes.append([start for start in starts if start.endswith("DeviceOperation")])
        return result

    def timed(operation):
        plain.synchronize_device(device)
        start = time.perf_counter_ns()
        result = operation()
        plain.synchronize_device(device)
        times.append(time.perf_counter_ns() - start)
        return result

    observed_run(device, folder, name)
    observed_run(device, folder, timed)
    rows = [(launched[-1], took) for launched, took in zip(codes, times) if launched]
    with open(path, "w", newline="") as file:
        table = csv.writer(file)
        table.writerow(["OP CODE", "OP TYPE", "DEVICE ID", "DEVICE KERNEL DURATION [ns]"])
        table.writerows([code, "tt_dnn_device", 0, took] for code, took in rows)
    return len(rows)


def command_line():
    parser = argparse.ArgumentParser(description="Runs the program on the first device.")
    parser.add_argument(
        "--inputs", metavar="DIR", help="folder of NAME.npy files; arguments without one are made"
    )
    parser.add_argument("--times", metavar="CSV", help="write times per op to this file")
    parser.add_argument(
        "--check", metavar="OTHER.py", help="compare the results with those of another program"
    )
    options = parser.parse_args()
    if len(MESH) > 0:
        device = open_mesh(MESH)
    else:
        device = ttnn.open_device(device_id=0, l1_small_size=65536)
    try:
        if options.check:
            return 0 if check(device, options.inputs, options.check) else 1
        if options.times:
            print(f"{write_times(device, options.inputs, options.times)} ops in {options.times}")
            return 0
        for outputs in run(device, options.inputs, PROGRAMS):
            for output in outputs:
                print("x".join(map(str, output.shape)), output.reshape(-1)[:8])
        return 0
    finally:
        ttnn.close_device(device) if len(MESH) == 0 else ttnn.close_mesh_device(device)


if __name__ == "__main__":
    sys.exit(command_line())
