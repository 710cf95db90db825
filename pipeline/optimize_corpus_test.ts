// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import { DEFAULT_POLICY_OPTIONS } from "../lib/policy/policy.ts";
import { findPolicy } from "../lib/policy/policies.ts";
import { parseModule, printGeneric } from "../lib/ir/mod.ts";
import { eraseLayouts } from "../lib/rewrite/testing/erase_layouts.ts";
import { corpusFiles, corpusName, corpusTest, systemTool } from "../testing/corpus.ts";
import { createWorkbench } from "./load.ts";
import { optimizeModule } from "./optimize.ts";
import { targetOfModule } from "./target.ts";

/** Every n-th file in the quick run; all of them with TILEWRIGHT_SWEEP=full. */
const EVERY = Deno.env.get("TILEWRIGHT_SWEEP") === "full" ? 1 : 12;

/** Feeds text to mlir-opt; its first complaint, or `undefined` when it accepts the text. */
async function judge(tool: string, text: string): Promise<string | undefined> {
  const child = new Deno.Command(tool, {
    args: ["--allow-unregistered-dialect", "-o", "/dev/null", "-"],
    stdin: "piped",
    stdout: "null",
    stderr: "piped",
  }).spawn();
  const writer = child.stdin.getWriter();
  await writer.write(new TextEncoder().encode(text));
  await writer.close();
  const { success, stderr } = await child.output();
  return success ? undefined : new TextDecoder().decode(stderr).split("\n")[0] ?? "rejected";
}

corpusTest("optimizeModule() keeps the meaning, fits and prints valid IR on real files", async (t) => {
  const policy = findPolicy("greedy");
  if (policy === undefined) throw new Error("the greedy policy is not registered");
  const mlirOpt = systemTool("mlir-opt-22");
  const files = [...corpusFiles("dumps/ttnn"), ...corpusFiles("lowered/models")]
    .filter((_, index) => index % EVERY === 0);
  for (const file of files) {
    await t.step(corpusName(file), async () => {
      const text = Deno.readTextFileSync(file);
      const module = parseModule(text, corpusName(file));
      const { device } = targetOfModule(module);
      const workbench = createWorkbench(module, device);
      const optimized = optimizeModule(workbench, policy, DEFAULT_POLICY_OPTIONS);
      assertEquals(optimized.l1.problems.filter((problem) => problem.severity === "error"), []);
      assertEquals(optimized.l1.fits, true);
      const again = parseModule(optimized.text, "optimized");
      const before = workbench.binding.graph.functions.map(eraseLayouts);
      assertEquals(createWorkbench(again, device).binding.graph.functions.map(eraseLayouts), before);
      if (mlirOpt !== undefined) assertEquals(await judge(mlirOpt, printGeneric(again)), undefined);
    });
  }
});
