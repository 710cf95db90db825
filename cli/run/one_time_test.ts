// SPDX-License-Identifier: Apache-2.0
import { assertAlmostEquals, assertEquals, assertNotEquals, assertStringIncludes } from "@std/assert";
import { COMMANDS } from "../command_table.ts";
import { runCommandLine } from "../dispatch.ts";
import { formatMicroseconds } from "../render/format.ts";
import { createProjectHost } from "../testing/project_host.ts";

/** Level 0 of tt-mlir: graph passes take the fidelity away that it writes everywhere. */
const MNIST = "testdata/models/mnist.mlir";
const POLICY = "greedy";

async function said(...args: readonly string[]) {
  const host = createProjectHost({ columns: 140 });
  await runCommandLine(args, host, "0.0.0", COMMANDS);
  assertEquals(/^error/m.test(host.err()), false, host.err());
  return { host, json: () => JSON.parse(host.out()) };
}

/** What every command that decides says about the same policy, µs. */
async function times(...graph: readonly string[]) {
  const plan = (await said("optimize", MNIST, "--policy", POLICY, "--json", ...graph)).json();
  const diff = (await said("diff", MNIST, "--policy-a", POLICY, "--policy-b", "dram", "--json", ...graph))
    .json();
  const bench = (await said("bench", MNIST, "--policies", `dram,${POLICY}`, "--json", ...graph)).json();
  const page = (await said("report", MNIST, "--policy", POLICY, "-o", "out.html", ...graph)).host.files
    .get("out.html") ?? "";
  const story = (await said("explain", MNIST, "--policy", POLICY, "--op", "3", "--json", ...graph)).json();
  return { plan, diff, bench, page, story };
}

for (const graph of [[], ["--keep-graph"]]) {
  Deno.test(`a policy has one predicted time in every command ${graph.join("")}`, async () => {
    const { plan, diff, bench, page, story } = await times(...graph);
    const { predictedUs, baselineUs } = plan.summary;
    assertEquals(diff.summary.predictedUs, { a: predictedUs, b: baselineUs });
    const byPolicy = bench.results.map((
      { policy, summary }: { policy: string; summary: { predictedUs: number } },
    ) => [policy, summary.predictedUs]);
    assertEquals(byPolicy, [["dram", baselineUs], [POLICY, predictedUs]]);
    assertStringIncludes(page, formatMicroseconds(predictedUs));
    const op = plan.ops.find(({ id }: { id: number }) => id === 3);
    assertEquals([story.name, story.layouts], [op.name, op.after]);
  });
}

Deno.test("price of an op alone equals its time in a plan", async () => {
  const plan = (await said("optimize", MNIST, "--policy", "dram", "--json")).json();
  const op = plan.ops.find(({ name }: { name: string }) => name === "ttnn.relu");
  const priced = (await said(
    ...["price", "relu", "128x512", "--in0", "dram/interleaved", "--out", "dram/interleaved", "--json"],
  )).json();
  const [impl] = priced.devices[0].ways;
  // Where the clock of a whole run takes the difference of two times.
  assertAlmostEquals(impl.predicted.us, op.us, 1e-9);
});

Deno.test("graph passes change decided graphs, and not those judged as written", async () => {
  const { plan } = await times();
  const kept = await times("--keep-graph");
  assertNotEquals(plan.summary.predictedUs, kept.plan.summary.predictedUs);
  const written = (await said("simulate", MNIST, "--json")).json().summary.predictedUs;
  const sides = (await said("diff", MNIST, "--policy-b", POLICY, "--json")).json().summary.predictedUs;
  // simulate writes whole picoseconds.
  assertAlmostEquals(sides.a, written, 1e-6);
  assertEquals(sides.b, plan.summary.predictedUs);
});
