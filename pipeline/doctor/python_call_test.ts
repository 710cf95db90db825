// SPDX-License-Identifier: Apache-2.0
import { assertEquals, assertStringIncludes } from "@std/assert";
import { refusedCallIn } from "./python_call.ts";
import { failuresIn, said } from "./testing/answers.ts";

const TENSOR = "ttnn._ttnn.deprecated.tensor.Tensor";

const SUPPORTED = "incompatible function arguments. The following argument types are supported:";

/** As nanobind writes it, of an op by its name. */
const TYPES = `TypeError: __call__(): ${SUPPORTED}
    1. __call__(self, input_tensor: ttnn._ttnn.tensor.Tensor, dim: int, *, memory_config: ttnn._ttnn.tensor.MemoryConfig | None = None) -> ttnn._ttnn.tensor.Tensor

Invoked with types: ttnn._ttnn.operations.reduction.cumsum_t, torch.Tensor, kwargs = { dim: float }
`;

/** As pybind11 writes it, with values. */
const VALUES = `E       TypeError: __call__(): ${SUPPORTED}
E           1. (self: ttnn._ttnn.operations.data_movement.clone_t, input_tensor: ${TENSOR}, *, memory_config: Optional[ttnn._ttnn.deprecated.tensor.MemoryConfig] = None, dtype: Optional[ttnn._ttnn.deprecated.tensor.DataType] = None, queue_id: int = 0) -> ${TENSOR}
E       
E       Invoked with: <ttnn._ttnn.operations.data_movement.clone_t object at 0x7fec66225d70>, ttnn.Tensor([[ 0.07422,  ...,  0.00000],
E                    [ 0.00000,  ...,  0.00000]], shape=Shape([4[32], 4[32]]), dtype=DataType::BFLOAT16), MemoryConfig(memory_layout=TensorMemoryLayout::INTERLEAVED,shard_spec=std::nullopt), <DataType.BFLOAT16: 0>
E       
E       Did you forget to \`#include <pybind11/stl.h>\`?
`;

/** As pytest prints the frame of the call, cut within the second signature. */
const FRAME =
  `self = FastOperation(python_fully_qualified_name='ttnn.linspace', function=<ttnn._ttnn.operations.creation.linspace_t object at 0...>, is_cpp_operation=True)
function_args = (4,), function_kwargs = {'device': <ttnn._ttnn.deprecated.device.Device object at 0x7fcf58757970>, 'end': 100, 'step': 3}

    def __call__(self, *function_args, **function_kwargs):
>       return self.function(*function_args, **function_kwargs)
E       TypeError: __call__(): ${SUPPORTED}
E           1. (self: ttnn._ttnn.operations.creation.linspace_t, stop: int, dtype: ttnn._ttnn.deprecated.tensor.DataType = <DataType.BFLOAT16: 0>) -> ${TENSOR}
E           2. (self: ttnn._ttnn.operations.creation.linspace_t, start: int, stop: int, step: int = 1, dtype: ttnn._ttnn.deprecated.tensor.DataType = <DataType.BFLOAT16: 0>, device: Optional[ttnn._ttnn.deprecated.devic`;

/** As ttnn itself writes it. */
function calledWith(call: string, ...signatures: readonly string[]): string {
  const name = /^\w+/.exec(call)?.[0] ?? "";
  return `TypeError: \nttnn.${name}(): incompatible function arguments.\n\nCalled with:\n  ${call}\n\nAvailable signatures:\n${
    signatures.map((one) => `  ${name}(${one})\n`).join("")
  }`;
}

const A_AND = "input_tensor_a: ttnn.Tensor, input_tensor_b:";

Deno.test("a call that no signature takes names what to pass instead, in each form of the message", () => {
  for (
    const [text, op, ...remedies] of [
      [TYPES, "ttnn.cumsum", "ttnn.from_torch(input_tensor, dtype=…", "int(dim) for dim"],
      [VALUES, "ttnn.clone", "memory_config=…", "dtype=…"],
      [FRAME, "ttnn.linspace", "stop in place of end"],
      [
        calledWith(
          "softmax(ttnn.Tensor, axis=1)",
          "input_tensor: ttnn.Tensor, dim: int = -1, *, stable: bool = True",
        ),
        "ttnn.softmax",
        "dim in place of axis",
      ],
      [
        calledWith("rms_norm(ttnn.Tensor, eps=0.5)", "input_tensor: ttnn.Tensor, *, epsilon: float = 1e-12"),
        "ttnn.rms_norm",
        "epsilon in place of eps",
      ],
      [
        calledWith(
          "add(numpy.ndarray, ttnn.Tensor)",
          `${A_AND} int | float, *, dtype: ttnn.DataType | None = None`,
          `${A_AND} ttnn.Tensor, *, dtype: ttnn.DataType | None = None`,
        ),
        "ttnn.add",
        "ttnn.from_torch(torch.from_numpy(input_tensor_a)",
      ],
      [
        calledWith("matmul(ttnn.Tensor)", `${A_AND} ttnn.Tensor`),
        "ttnn.matmul",
        "pass input_tensor_b (ttnn.Tensor)",
      ],
      [
        calledWith(
          "permute(NoneType, tuple)",
          "input_tensor: ttnn.Tensor, dims: collections.abc.Sequence[int]",
        ),
        "ttnn.permute",
        "a value for input_tensor: it must not be None",
      ],
      [
        calledWith("concat(ttnn.Tensor)", "tensors: collections.abc.Sequence[ttnn.Tensor], dim: int = 0"),
        "ttnn.concat",
        "[tensors]",
      ],
      [
        calledWith(
          "relu(ttnn.Tensor, fast=False)",
          "input_tensor: ttnn.Tensor, *, queue_id: int | None = None",
        ),
        "ttnn.relu",
        "leave fast out",
      ],
    ] as const
  ) {
    const [failure] = failuresIn(text);
    assertEquals(failure?.ops, [op], text);
    for (const remedy of remedies) assertStringIncludes(said(text), remedy);
  }
});

Deno.test("what fails behind a refused call is no part of it", () => {
  const text =
    `${TYPES}RuntimeError: TT_FATAL @ /x/ttnn/cpp/ttnn/operations/pool/pool.cpp:3: a.dtype() == DataType::BFLOAT16`;
  assertEquals(failuresIn(text).length, 2);
});

Deno.test("what a signature converts or does not tell is no fault", () => {
  const call = refusedCallIn(
    calledWith(
      "pad(ttnn.Tensor, list, value=1, mode=None)",
      "x: ttnn.Tensor, padding: ttnn._ttnn.types.Shape, value: float, *, mode: str | None = None, other: int",
    ).replaceAll(/\s+/g, " "),
  );
  assertEquals(call?.faults.map(({ why }) => why), ["other is missing"]);
});

Deno.test("the message in one form reads as it was", () => {
  for (const text of [TYPES, VALUES, FRAME]) {
    const told = refusedCallIn(text.replaceAll(/^E/gm, "").replaceAll(/\s+/g, " "));
    assertEquals(refusedCallIn(told?.words ?? "")?.faults, told?.faults);
  }
});
