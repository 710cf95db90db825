// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { COMMANDS } from "../command_table.ts";
import { runCommandLine } from "../dispatch.ts";
import { createProjectHost, shellWords } from "../testing/project_host.ts";

const MNIST = "testdata/models/mnist.mlir";

async function minimise(words: string) {
  const host = createProjectHost();
  const code = await runCommandLine(["minimise", ...shellWords(words)], host, "0.0.0", COMMANDS);
  return { code, out: host.out(), err: host.err(), files: host.files };
}

Deno.test("minimise prints a module, and on standard error how small it became", async () => {
  const { code, out, err } = await minimise(
    `${MNIST} --keeps 'doctor finds a misfit' --tensor-l1-usage-cap 0.01`,
  );
  assertEquals(code, 0, err);
  assertStringIncludes(out, "func.func @");
  assertMatch(err, /^\d+ ops? of @\w+'s \d+, \d+ tries\n$/);
});

Deno.test("minimise writes a file and says the same as data", async () => {
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
  assertStringIncludes(finding.err, "does not show it");
  for (
    const [words, reason] of [
      [MNIST, "give --keeps"],
      [`${MNIST} --keeps nonsense`, "is no condition"],
      [`${MNIST} --keeps 'diff dram greddy > 1%'`, "Unknown policy 'greddy'"],
    ] as const
  ) {
    const { code, err } = await minimise(words);
    assertEquals(code, 2);
    assertStringIncludes(err, reason);
  }
});
