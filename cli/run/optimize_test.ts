// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { COMMANDS } from "../command_table.ts";
import { EXIT } from "../command.ts";
import { runCommandLine } from "../dispatch.ts";
import type { MemoryHost } from "../testing/memory_host.ts";
import { createProjectHost } from "../testing/project_host.ts";

const MNIST = "testdata/models/mnist.mlir";

const SLOW_MEMORY = JSON.stringify({
  schema: "tilewright.device/1",
  name: "slow_memory",
  architecture: "wormhole_b0",
  summary: "n150 with a twentieth of the DRAM bandwidth",
  extends: "n150",
  constants: {
    dram: { peakBandwidth: { value: 14.4, unit: "GB/s", source: "a test of ours", kind: "guess" } },
  },
});

async function tilewright(
  args: readonly string[],
  files: Readonly<Record<string, string>> = {},
): Promise<{ code: number; host: MemoryHost }> {
  const host = createProjectHost({ files, columns: 120 });
  return { code: await runCommandLine(args, host, "0.0.0", COMMANDS), host };
}

Deno.test("optimize compares devices side by side, files of the user's own among them", async () => {
  const { code, host } = await tilewright(
    ["optimize", MNIST, "--policy", "dram", "--device", "n150,./slow_memory.json", "--json"],
    { "./slow_memory.json": SLOW_MEMORY },
  );
  assertEquals(code, EXIT.ok, host.err());
  const { devices } = JSON.parse(host.out());
  assertEquals(devices.map(({ device }: { device: string }) => device), ["n150", "slow_memory"]);
  const [usual, slow] = devices.map(({ summary }: { summary: { predictedUs: number } }) =>
    summary.predictedUs
  );
  assert(slow > usual);
});

Deno.test("optimize -o - puts only IR on standard output, which lint accepts", async () => {
  const { code, host } = await tilewright(["optimize", MNIST, "--policy", "greedy", "-o", "-"]);
  assertEquals(code, EXIT.ok);
  assertStringIncludes(host.err(), "Predicted");
  assertEquals((await tilewright(["lint", "out.mlir"], { "out.mlir": host.out() })).code, EXIT.ok);
});

Deno.test("optimize takes the options of a pasted pipeline string, flags being stronger", async () => {
  const pipeline = "--ttir-to-ttnn-runtime-pipeline=optimization-level=0 enable-d2m-fusing-pass=true";
  const { host } = await tilewright(["optimize", MNIST, "--json", pipeline]);
  assertEquals(JSON.parse(host.out()).policy, "dram");
  assertStringIncludes(host.err(), "'enable-d2m-fusing-pass' is not known here and has no effect");
  const flagged = await tilewright(["optimize", MNIST, "--json", "--optimization-level=2", pipeline]);
  assertEquals(JSON.parse(flagged.host.out()).policy, "beam-cost");
});

Deno.test("optimize --spill exact and --score change what decides, not what fits", async () => {
  const { code, host } = await tilewright(
    ["optimize", MNIST, "--policy", "beam", "--score", "runtime", "--spill", "exact", "--json"],
  );
  assertEquals(code, EXIT.ok, host.err());
  assertEquals(JSON.parse(host.out()).summary.verdict.status, "fits");
});

Deno.test("diff --threshold finds something only when the total changes by more", async () => {
  const compare = async (threshold: string): Promise<number> =>
    (await tilewright([
      "diff",
      MNIST,
      "--policy-a",
      "dram",
      "--policy-b",
      "beam-cost",
      "--threshold",
      threshold,
    ]))
      .code;
  assertEquals(await compare("0.1%"), EXIT.finding);
  assertEquals(await compare("99%"), EXIT.ok);
  assertEquals(await compare("lots"), EXIT.usage);
});
