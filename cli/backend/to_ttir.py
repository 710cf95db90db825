# SPDX-License-Identifier: Apache-2.0
"""Takes a JAX function or StableHLO text to TTIR with the real compiler, on a mock device.

    python to_ttir.py network.py:block -o block.ttir.mlir
    python to_ttir.py network.stablehlo.mlir -o network.ttir.mlir

`block` takes nothing and returns `(function, weights, *inputs)`: trees of arrays, or of `jax.ShapeDtypeStruct` where the
numbers do not matter. `function(weights, *inputs)` is compiled, with the leaves of `weights` marked as parameters by
their path. Needs Python 3.12 with the packages of `requirements-jax.txt`: tt-xla's plugin holds tt-mlir and tt-metal, and
opens the mock device itself. Its compiler of kernels is not run (`mock_device.py` says what stands in for it).
"""

from __future__ import annotations

import argparse
import ctypes
import logging
import os
import re
import runpy
import shutil
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from devices import BOARDS, cluster_description
from mock_device import lay_standin_compiler

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

#: Where the plugin unpacks what tt-metal reads, in the folder for temporary files.
_ASSETS: Final = "libtt-tt-metal-runtime-assets-*"

#: The library of the plugin, and the architecture whose link scripts it has.
_LIBRARY: Final = "jax_plugins.libtt"
_LINKED: Final = "blackhole"


def open_plugin(folder: Path, device: str) -> None:
    """Lets the plugin open a mock device of a board, with everything that it writes in a folder."""
    spec = find_spec(_LIBRARY) if find_spec(_LIBRARY.partition(".")[0]) else None
    if spec is None or spec.origin is None:
        raise ModuleNotFoundError(f"No module named '{_LIBRARY}': install requirements-jax.txt")
    description = folder / "cluster.yaml"
    description.write_text(cluster_description(device))
    os.environ.update(
        TMPDIR=str(folder),
        TT_METAL_CACHE=str(folder / "kernels"),
        TT_METAL_MOCK_CLUSTER_DESC_PATH=str(description),
        TT_LOGGER_LEVEL=os.environ.get("TT_LOGGER_LEVEL", "fatal"),
        JAX_PLATFORMS="tt",
    )
    # Loading it unpacks its files; the device is opened later, by `jax.devices`.
    ctypes.CDLL(str(Path(spec.origin).with_name("libtt.so")))
    for assets in folder.glob(_ASSETS):
        compiler = assets / "runtime" / "sfpi" / "compiler"
        shutil.rmtree(compiler / "bin")
        lay_standin_compiler(compiler)
        # Link scripts of other architectures are only hashed.
        scripts = assets / "runtime" / "hw" / "toolchain"
        for board in BOARDS.values():
            place = scripts / board.architecture.removesuffix("_b0")
            if not place.exists():
                place.symlink_to(scripts / _LINKED)


def compile_function(make: Callable[[], Sequence[Any]], options: dict[str, str | int]) -> None:
    """Compiles what a function of the user's returns."""
    import jax
    from jax.extend.core import Primitive
    from jax.extend.mlir import ir
    from jax.interpreters import mlir

    function, weights, *inputs = make()
    # The call that tt-xla's own packages mark arguments with.
    mark = Primitive("mark_parameter")
    mark.def_abstract_eval(lambda value, *, name: value)

    def lower(context: Any, value: Any, *, name: str) -> Any:
        said = {"ttcore.argument_type": "parameter", "ttir.name": name}
        attributes = ir.DictAttr.get({key: ir.StringAttr.get(text) for key, text in said.items()})
        call = jax.ffi.ffi_lowering(
            "tt.mark_argument", extra_attributes={"mhlo.frontend_attributes": attributes}
        )
        return call(context, value)

    mlir.register_lowering(mark, lower)

    def marked(weights: Any, *inputs: Any) -> Any:
        leaves = jax.tree_util.tree_map_with_path(
            lambda path, leaf: mark.bind(leaf, name=parameter_name(jax.tree_util.keystr(path))), weights
        )
        return function(leaves, *inputs)

    marked.__name__ = getattr(make, "__name__", "main")
    jax.jit(marked).lower(weights, *inputs).compile(compiler_options=options)


def parameter_name(path: str) -> str:
    """A path in a tree, `['layers'][0]['w']`, as the name of an argument: `layers_0_w`."""
    return "_".join(re.findall(r"\w+", path)) or "weights"


def compile_text(text: str, options: dict[str, str | int]) -> None:
    """Compiles StableHLO; what its arguments are is said by `optimize --argument-types`."""
    from jax._src import compiler
    from jax._src.interpreters import mlir
    from jax._src.lib import xla_client
    from jax.extend.backend import get_backend
    from jax.extend.mlir import ir

    backend = get_backend()
    given = compiler.get_compile_options(num_replicas=1, num_partitions=1, env_options_overrides=options)
    with mlir.make_ir_context():
        module = mlir.module_to_bytecode(ir.Module.parse(text))
        devices = xla_client.DeviceList(tuple(backend.devices()[:1]))
        backend.compile_and_load(module, devices, given)


def to_ttir(source: str, device: str, options: dict[str, str | int], folder: Path) -> dict[str, str]:
    """The texts that the compiler exports of a program: `ttir`, and `ttnn` as it compiled it."""
    path, _, name = source.rpartition(":")
    open_plugin(folder, device)
    # It says of every plugin that it is experimental.
    logging.getLogger("jax").setLevel(logging.ERROR)
    import jax

    # Opens the device, which leaves descriptions of it behind, and loads MLIR before anything waits for that.
    here = Path.cwd()
    os.chdir(folder)
    jax.devices()
    os.chdir(here)
    exported = {**options, "export_path": str(folder), "export_model_name": "m"}
    if path.endswith(".py"):
        make = runpy.run_path(path).get(name)
        if not callable(make):
            raise ValueError(f"{path} has no function {name}")
        compile_function(make, exported)
    else:
        compile_text(Path(source).read_text(), exported)
    found = {kind: sorted((folder / "irs").glob(f"{kind}_m_g0_*.mlir")) for kind in ("ttir", "ttnn")}
    return {kind: files[0].read_text() for kind, files in found.items() if files}


def read_option(text: str) -> tuple[str, str]:
    """A compile option of tt-xla, `key=value`."""
    key, equals, value = text.partition("=")
    if not equals:
        raise argparse.ArgumentTypeError(f"{text} is no KEY=VALUE")
    return key, value


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("source", help="FILE.py:FUNCTION, or a file of StableHLO text")
    parser.add_argument("-o", "--output", type=Path, required=True, help="file for the TTIR")
    parser.add_argument("--ttnn", type=Path, help="file for what the compiler made of it")
    parser.add_argument("--optimization-level", type=int, choices=(0, 1, 2), default=0)
    parser.add_argument("--device", choices=sorted(BOARDS), default="n150")
    parser.add_argument("--option", type=read_option, action="append", default=[], metavar="KEY=VALUE")
    given = parser.parse_args()
    options: dict[str, str | int] = {
        **dict(given.option),
        "optimization_level": given.optimization_level,
    }
    with tempfile.TemporaryDirectory() as folder:
        try:
            texts = to_ttir(given.source, given.device, options, Path(folder))
        except (ModuleNotFoundError, OSError, ValueError) as error:
            sys.exit(str(error))
        given.output.write_text(texts["ttir"])
        if given.ttnn is not None:
            given.ttnn.write_text(texts["ttnn"])


if __name__ == "__main__":
    main()
