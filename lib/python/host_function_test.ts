// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { DiagnosticError } from "../diagnostics/diagnostic.ts";
import { functionsOf, parseModule } from "../ir/mod.ts";
import { hostFunction } from "./host_function.ts";
import { type PythonProgram, pythonProgram } from "./program.ts";

const WORKER_GRID = { rows: 8, columns: 8 };

/** A program whose function calls one on the host with its argument's rows. */
function calling(body: string): PythonProgram {
  const rows = "tensor<2x3xf32, #host>";
  const module = parseModule(
    `#host = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<2x3xf32, #ttnn.buffer_type<system_memory>>>
module {
  ttcore.device_module {
    builtin.module {
      func.func @main(%arg0: ${rows}) -> ${rows} attributes {tt.function_type = "forward_device"} {
        %0 = call @cpu_hoisted_1(%arg0) {ttir.cpu_hoist_call} : (${rows}) -> ${rows}
        return %0 : ${rows}
      }
      func.func private @cpu_hoisted_1(${rows}) -> ${rows} attributes {tt.function_type = "forward_cpu_declaration"}
    }
  }
  ttcore.cpu_module {
    builtin.module {
      ${body}
    }
  }
}`,
    "test.mlir",
  );
  return pythonProgram(module, { workerGrid: WORKER_GRID, title: "test", mesh: [] });
}

const SCALED =
  `func.func @cpu_hoisted_1(%arg0: tensor<2x3xf32>) -> tensor<2x3xf32> attributes {tt.function_type = "forward_cpu"} {
        %0 = "ttir.full"() <{fill_value = 2.0 : f32, shape = array<i32: 1, 3>}> : () -> tensor<1x3xf32>
        %1 = "ttir.multiply"(%arg0, %0) : (tensor<2x3xf32>, tensor<1x3xf32>) -> tensor<2x3xf32>
        return %1 : tensor<2x3xf32>
      }`;

Deno.test("what tt-mlir leaves to the host is a function of arrays, called with the tensors of each chip", () => {
  const { text, ops, functions } = calling(SCALED);
  assertStringIncludes(
    text,
    `def cpu_hoisted_1(arg0):
    """Runs on the host, on arrays."""
    full_0 = numpy.full((1, 3), 2.0, numpy.float32)  # 1x3
    multiply_1 = numpy.multiply(arg0, full_0)  # 2x3
    return [multiply_1]
`,
  );
  assertStringIncludes(text, "    [call_0] = on_host(device, cpu_hoisted_1, arg0)  # 2x3\n");
  assertStringIncludes(text, "\ndef on_host(device, function, *tensors):");
  // The call is judged as an op; what it calls is nothing that a device is asked about.
  assertEquals(ops.map(({ operation: { name }, unsayable }) => [name, unsayable]), [[
    "func.call",
    undefined,
  ]]);
  assertEquals(functions, ["main"]);
});

Deno.test("a call is named with the op of its function that numpy has no words for, or with what is missing", () => {
  assertThrows(
    () => calling(SCALED.replace(`"ttir.multiply"`, `"ttir.erf"`)),
    DiagnosticError,
    "the function cpu_hoisted_1, which runs on the host, has a ttir.erf",
  );
  assertThrows(
    () => calling(SCALED.replace(`{fill_value = 2.0 : f32,`, `{fill_value = 2.0 : f32, kept = 1 : i32,`)),
    DiagnosticError,
    "has its property kept",
  );
  assertThrows(() => calling(""), DiagnosticError, "the function cpu_hoisted_1 has no body");
});

/** `%0` of one op, as the function on the host says it. */
function said(op: string, args: string, type: string): string | undefined {
  const names = args.split(", ").map((_, index) => `%arg${index}`);
  const module = parseModule(
    `func.func @f(${
      args.split(", ").map((one, index) => `%arg${index}: tensor<${one}>`).join(", ")
    }) -> tensor<${type}> {
  %0 = "ttir.${op.replace("(", `"(`).replace("ARGS", names.join(", "))} : (${
      args.split(", ").map((one) => `tensor<${one}>`).join(", ")
    }) -> tensor<${type}>
  return %0 : tensor<${type}>
}`,
    "test.mlir",
  );
  const [view] = functionsOf(module);
  assert(view !== undefined);
  const { unsayable, statements } = hostFunction(module, view, "f", WORKER_GRID);
  return unsayable ?? statements[0]?.text.replace(/^\w+ = /, "");
}

Deno.test("ops of TTIR in numpy's words", () => {
  assertEquals(
    [
      said("permute(ARGS) <{permutation = array<i64: 1, 0>}>", "2x3xf32", "3x2xf32"),
      said("reshape(ARGS) <{shape = [6 : i32]}>", "2x3xf32", "6xf32"),
      said("broadcast(ARGS) <{broadcast_dimensions = array<i64: 4, 1>}>", "1x3xf32", "4x3xf32"),
      said("repeat(ARGS) <{repeat_dimensions = array<i64: 2, 1>}>", "2x3xf32", "4x3xf32"),
      said("concat(ARGS) <{dim = 1 : si32}>", "2x3xf32, 2x1xf32", "2x4xf32"),
      said(
        "slice_static(ARGS) <{begins = [0 : i32, 1 : i32], ends = [2 : i32, 3 : i32], step = [1 : i32, 2 : i32]}>",
        "2x3xf32",
        "2x1xf32",
      ),
      said("embedding(ARGS)", "4xi32, 9x3xf32", "4x3xf32"),
      said("embedding(ARGS)", "4xf32, 9x3xf32", "4x3xf32"),
      said("typecast(ARGS) <{conservative_folding = false}>", "4xi32", "4xf32"),
      said("typecast(ARGS) <{conservative_folding = false}>", "4xf32", "4xf32"),
      said("eq(ARGS)", "4x1xi32, 1x4xi32", "4x4xf32"),
      said("where(ARGS)", "4xf32, 1xf32, 1xf32", "4xf32"),
      said("matmul(ARGS) <{transpose_a = false, transpose_b = true}>", "2x3xf32, 4x3xf32", "2x4xf32"),
      said("rsqrt(ARGS)", "4xf32", "4xf32"),
      said("div(ARGS)", "4xi32, 4xi32", "4xi32"),
    ],
    [
      "numpy.transpose(arg0, [1, 0])",
      "numpy.reshape(arg0, (6,))",
      "numpy.broadcast_to(arg0, (4, 3))",
      "numpy.tile(arg0, (2, 1))",
      "numpy.concatenate([arg0, arg1], axis=1)",
      "arg0[0:2, 1:3:2]",
      "arg1[arg0]",
      "arg1[arg0.astype(numpy.int64)]",
      "arg0.astype(numpy.float32)",
      "arg0",
      "numpy.equal(arg0, arg1).astype(numpy.float32)",
      "numpy.where(arg0 != 0, arg1, arg2)",
      "numpy.matmul(arg0, arg1.swapaxes(-1, -2))",
      "numpy.reciprocal(numpy.sqrt(arg0))",
      // numpy would make floats of integers.
      "it makes si32",
    ],
  );
});
