// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { COMMANDS } from "../command_table.ts";
import { runCommandLine } from "../dispatch.ts";
import { createProjectHost, shellWords } from "../testing/project_host.ts";

const MNIST = "testdata/models/mnist.mlir";

async function minimise(words: string, files: Readonly<Record<string, string>> = {}) {
  const host = createProjectHost({ files });
  const code = await runCommandLine(["minimise", ...shellWords(words)], host, "0.0.0", COMMANDS);
  return { code, out: host.out(), err: host.err(), files: host.files };
}

Deno.test("minimise prints a module, and on standard error how small it became", async () => {
  const { code, out, err } = await minimise(
    `${MNIST} --keeps 'doctor finds a misfit' --tensor-l1-usage-cap 0.01`,
  );
  assertEquals(code, 0, err);
  assertStringIncludes(out, "func.func @");
  assertMatch(err, /^kept \d+ of \d+ ops? of @\w+ after \d+ tries\n$/);
});

Deno.test("minimise writes a file and equal data", async () => {
  const { code, out, files } = await minimise(
    `${MNIST} --keeps 'diff dram beam-cost > 5%' -o small.mlir --json`,
  );
  assertEquals(code, 0);
  const { schema, keeps, text, summary: { opsAfter, opsBefore } } = JSON.parse(out);
  assertEquals([schema, keeps], ["tilewright.minimal/1", "diff dram beam-cost > 5%"]);
  assertEquals(files.get("small.mlir"), text);
  assert(opsAfter < opsBefore);
});

Deno.test("minimise ends with a finding when nothing shows the condition, and with 2 for words", async () => {
  const finding = await minimise(`${MNIST} --keeps 'fails with thunder'`);
  assertEquals([finding.code, finding.out], [1, ""]);
  assertStringIncludes(finding.err, "does not show the condition");
  for (
    const [words, reason] of [
      [MNIST, "give --keeps"],
      [`${MNIST} --keeps nonsense`, "is not a condition"],
      [`${MNIST} --keeps 'diff dram greddy > 1%'`, "Unknown policy 'greddy'"],
    ] as const
  ) {
    const { code, err } = await minimise(words);
    assertEquals(code, 2);
    assertStringIncludes(err, reason);
  }
});

Deno.test("minimise reports an input that cannot be evaluated, unless that is the condition", async () => {
  const text = `func.func @main(%x: tensor<64x64xbf16>) -> tensor<64x64xbf16> {
  %s = arith.constant 0 : index
  %0 = "foreign.loop"(%x, %s) : (tensor<64x64xbf16>, index) -> tensor<64x64xbf16>
  %1 = "ttir.relu"(%0) : (tensor<64x64xbf16>) -> tensor<64x64xbf16>
  return %1 : tensor<64x64xbf16>
}`;
  const files = { "loop.mlir": text };
  const unreadable = await minimise("loop.mlir --keeps 'diff dram beam-cost > 5%'", files);
  assertEquals([unreadable.code, unreadable.out], [3, ""]);
  assertStringIncludes(unreadable.err, "loop.mlir:2:");
  const failing = await minimise("loop.mlir --keeps 'fails with not a tensor'", files);
  assertEquals(failing.code, 0);
});
