// SPDX-License-Identifier: Apache-2.0

import { assert, assertEquals, assertGreater } from "@std/assert";
import { join } from "@std/path";
import { corpusFiles, corpusName, corpusTest, PROJECT_ROOT, systemTool, toolTest } from "./corpus.ts";

Deno.test("PROJECT_ROOT holds deno.json", () => {
  assert(Deno.statSync(join(PROJECT_ROOT, "deno.json")).isFile);
});

Deno.test("systemTool() finds no program that does not exist", () => {
  assertEquals(systemTool("tilewright-no-such-program"), undefined);
});

corpusTest("corpusFiles() lists the corpus in the order of names", () => {
  const names = corpusFiles().map(corpusName);
  assertGreater(names.length, 1000);
  assert(names.every((name) => name.endsWith(".mlir")));
});

toolTest("mlir-opt-22", "toolTest() hands over a program that runs", async (mlirOpt) => {
  const { code } = await new Deno.Command(mlirOpt, { args: ["--version"], stdout: "null", stderr: "null" })
    .output();
  assertEquals(code, 0);
});
