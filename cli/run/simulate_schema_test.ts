// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import { join } from "@std/path";
import { corpusFiles, corpusTest, PROJECT_ROOT } from "../../testing/corpus.ts";
import { validateJson } from "../../testing/json_schema.ts";
import schema from "../../docs/schema/tilewright.simulation-1.json" with { type: "json" };
import { COMMANDS } from "../command_table.ts";
import { runCommandLine } from "../dispatch.ts";
import { createMemoryHost } from "../testing/memory_host.ts";

async function findings(path: string, ...options: string[]): Promise<string[]> {
  const host = createMemoryHost({ files: { "input.mlir": Deno.readTextFileSync(path) } });
  const code = await runCommandLine(
    ["simulate", "input.mlir", "--json", ...options],
    host,
    "0.0.0",
    COMMANDS,
  );
  assertEquals(code, 0, host.err());
  return validateJson(JSON.parse(host.out()), schema).slice(0, 5);
}

Deno.test("simulate --json follows its published schema", async () => {
  for (const name of ["mnist", "llama_3_2_1b_decode", "resnet50"]) {
    const path = join(PROJECT_ROOT, "testdata", "models", `${name}.mlir`);
    assertEquals(await findings(path), [], name);
    assertEquals(await findings(path, "--no-trace", "--no-advice", "--device", "p150"), [], name);
  }
});

corpusTest("simulate --json of real programs follows its published schema", async () => {
  for (const path of corpusFiles("dumps/ttnn").slice(0, 5)) assertEquals(await findings(path), [], path);
});
