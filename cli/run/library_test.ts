// SPDX-License-Identifier: Apache-2.0
import { assertEquals, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import {
  DEFAULT_POLICY_OPTIONS,
  getPolicy,
  loadModule,
  optimizeModule,
  planDocument,
  planToJson,
} from "../../mod.ts";
import { PROJECT_ROOT } from "../../testing/corpus.ts";
import { COMMANDS } from "../command_table.ts";
import { EXIT } from "../command.ts";
import { runCommandLine } from "../dispatch.ts";
import config from "../../deno.json" with { type: "json" };
import { createProjectHost } from "../testing/project_host.ts";

/** The document of `optimize --json` and the text of `-o`, by two doors. Times of deciding differ between runs. */
const withoutWallMs = (json: string): string => json.replace(/"wallMs": \d+/, '"wallMs": 0');

// Both dialects; graph passes change each of them.
const CASES: readonly (readonly [file: string, policy: string, device: string])[] = [
  ["testdata/models/mnist.mlir", "auto", "n150"],
  ["testdata/models/resnet50.mlir", "dram", "n150"],
  ["testdata/models/segformer_block.mlir", "greedy", "n150"],
  ["testdata/models/llama_3_2_1b_decode.mlir", "greedy", "n150"],
  ["testdata/ttir/text_encoder.mlir", "greedy", "p150"],
];

for (const [file, policy, device] of CASES) {
  Deno.test(`the library decides ${file} with ${policy} as the command line does, to the byte`, async () => {
    const host = createProjectHost();
    const line = ["optimize", file, "--policy", policy, "--device", device, "--json", "-o", "out.mlir"];
    assertEquals(await runCommandLine(line, host, config.version, COMMANDS), EXIT.ok, host.err());
    const module = loadModule(await Deno.readTextFile(join(PROJECT_ROOT, file)), { device, fileName: file });
    const optimized = optimizeModule(module, getPolicy(policy), DEFAULT_POLICY_OPTIONS);
    assertEquals(optimized.text, host.files.get("out.mlir"));
    const document = planDocument(optimized, { input: file, version: config.version, wallMs: 0 });
    assertEquals(`${planToJson(document)}\n`, withoutWallMs(host.out()));
    assertStringIncludes(host.out(), '"graphChanges"');
  });
}

Deno.test("the library simulates a program as written like 'simulate'", async () => {
  const file = "testdata/models/mnist.mlir";
  const host = createProjectHost();
  assertEquals(await runCommandLine(["simulate", file, "--json"], host, config.version, COMMANDS), EXIT.ok);
  const { predictedUs } = JSON.parse(host.out()).summary;
  const module = loadModule(await Deno.readTextFile(join(PROJECT_ROOT, file)), { fileName: file });
  const { asWritten } = optimizeModule(module, getPolicy("dram"), DEFAULT_POLICY_OPTIONS);
  assertEquals(asWritten?.inference.totalUs.toFixed(3), predictedUs.toFixed(3));
});
