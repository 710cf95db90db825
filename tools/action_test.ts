// SPDX-License-Identifier: Apache-2.0
import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { PERMISSIONS, V8_FLAGS } from "../cli/restart.ts";
import { toolTest } from "../testing/corpus.ts";
import { ROOT, withTempDir } from "./steps.ts";

/** The script of the action, as GitHub runs it, with the Deno of this test instead of the one that npm fetches. */
async function script(): Promise<string> {
  const action = await Deno.readTextFile(join(ROOT, "action.yml"));
  const lines = action.slice(action.indexOf("run: |\n") + "run: |\n".length).split("\n");
  return lines.map((line) => line.slice(8)).join("\n").replace(/npx -y deno@\S+/, Deno.execPath());
}

toolTest("bash", "the action decides, saves, sums up, annotates and fails as it is told", async (bash) => {
  const asked = (await script()).replaceAll("'", "").match(/--(?:allow|v8)-\S+/g);
  assertEquals(asked, [`--v8-flags=${V8_FLAGS}`, ...PERMISSIONS]);
  await withTempDir(async (cwd) => {
    const run = async (inputs: Readonly<Record<string, string>>): Promise<{ code: number; out: string }> => {
      const env = {
        MODELS: "models/*.mlir",
        TILEWRIGHT_POLICIES: "dram",
        TILEWRIGHT_DEVICE: "",
        TILEWRIGHT_AGAINST: "",
        TILEWRIGHT_THRESHOLD: "",
        TILEWRIGHT_SHARD: "1/1",
        SAVE: "results.json",
        FAIL_ON: "worse,lost-sharding,unfit",
        TOOL: ROOT,
        GITHUB_STEP_SUMMARY: join(cwd, "summary.md"),
        ...inputs,
      };
      const args = ["--noprofile", "--norc", "-eo", "pipefail", "-c", await script()];
      const { code, stdout, stderr } = await new Deno.Command(bash, { args, cwd, env }).output();
      const decoder = new TextDecoder();
      return { code, out: decoder.decode(stdout) + decoder.decode(stderr) };
    };
    await Deno.mkdir(join(cwd, "models"));
    await Deno.copyFile(join(ROOT, "testdata/models/mnist.mlir"), join(cwd, "models/mnist.mlir"));
    const first = await run({ SAVE: "before.json" });
    assertEquals(first.code, 0, first.out);
    const before = JSON.parse(await Deno.readTextFile(join(cwd, "before.json")));
    const [{ summary, ops }] = before.results;
    summary.predictedUs /= 2;
    ops[1].us /= 2;
    summary.predictedBand = { lowerUs: summary.predictedUs, upperUs: summary.predictedUs };
    await Deno.writeTextFile(join(cwd, "before.json"), JSON.stringify(before));
    const second = await run({ TILEWRIGHT_AGAINST: "before.json" });
    assertEquals(second.code, 1, second.out);
    assertStringIncludes(second.out, "::error file=models/mnist.mlir,title=worse with dram::");
    const summed = await Deno.readTextFile(join(cwd, "summary.md"));
    assertStringIncludes(summed, "| models/mnist.mlir | dram | worse |");
    assertMatch(
      summed,
      /^- slower: models\/mnist.mlir, dram: op 1 linear.*: `tilewright explain models\/mnist.mlir .* --op @forward:1`$/m,
    );
  });
});
