// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals } from "@std/assert";
import { corpusFiles, corpusTest } from "../testing/corpus.ts";
import { foreignText } from "./foreign_text.ts";

/** Kind of a text, and the line and column at which its error points. */
function kindOf(text: string): string | undefined {
  const found = foreignText(text, "a")?.diagnostics[0];
  return found === undefined ? undefined : `${found.code} ${found.location?.line}:${found.location?.column}`;
}

const OP_LIST = '[\n  {\n    "name": "ttnn.matmul",\n    "input_shapes": ["tensor<[1,64,1,f32]>"]}]\n';

Deno.test("files that people have beside programs are told apart", () => {
  for (
    const [text, kind] of [
      ["# x\nimport torch\n", "python 2:1"],
      ["def f(x):\n    from ttnn import add\n", "python 2:5"],
      ['// x\n#include "ttnn-precompiled.hpp"\nttnn::Tensor f();\n', "cpp 2:1"],
      ["namespace NAMESPACE {\nvoid MAIN {}\n}\n", "cpp 1:1"],
      ["OP CODE,OP TYPE,DEVICE KERNEL DURATION [ns]\nMatmul,x,1\n", "profile 1:1"],
      ["\uFEFFID;Op Code;Device Time\n1;Matmul;2\n", "profile 1:1"],
      [OP_LIST, "op-list 3:5"],
      ['[{"counter": 0, "node_type": "capture_start", "params": {}}]', "capture 1:1"],
      ["HloModule jit_f\nENTRY %m {\n  %a = f32[2]{0} parameter(0)\n}\n", "hlo 1:1"],
      [",Total Allocatable Size (B)\nDRAM,1\n", "memory-report 1:1"],
      ['{\n "system_desc": {"chip_descs": []}}', "system-desc 1:2"],
      ["arch:\n  0: Wormhole\nethernet_connections: []\n", "cluster 3:1"],
      ["  {\n}\n", "json 1:3"],
      ["\n2026-01-02 ERROR it failed\n", "no-mlir 2:1"],
      ['Traceback (most recent call last):\n  File "x/module.py", line 1\n', "no-mlir 1:1"],
    ] as const
  ) assertEquals(kindOf(text), `input/${kind}`, text);
});

Deno.test("what holds an op, or may be meant as a program, is none of them", () => {
  const op = '%0 = "ttnn.relu"(%x) : (tensor<1xf32>) -> tensor<1xf32>\n';
  for (const text of ["import ttnn\n", "#include <x>\n", "Op Code,b\n", OP_LIST, "{}\n", "it failed\n"]) {
    assert(kindOf(text) !== undefined, text);
    assertEquals(kindOf(text + op), undefined, text);
  }
  for (const text of ["module {\n", "func.func @f() {\n", "#a = loc(unknown)\n", "x -> tensor<1xf32>\n"]) {
    assertEquals(kindOf(text), undefined, text);
  }
});

corpusTest("no file of the corpus is of another kind", () => {
  for (const path of corpusFiles()) assertEquals(kindOf(Deno.readTextFileSync(path)), undefined, path);
});
