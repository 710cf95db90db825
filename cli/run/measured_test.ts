// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import schema from "../../docs/schema/tilewright.simulation-1.json" with { type: "json" };
import { validateJson } from "../../testing/json_schema.ts";
import { EXIT } from "../command.ts";
import { COMMANDS } from "../command_table.ts";
import { runCommandLine } from "../dispatch.ts";
import type { MemoryHost } from "../testing/memory_host.ts";
import { pageContents } from "../testing/page_contents.ts";
import { createProjectHost } from "../testing/project_host.ts";

const MNIST = "testdata/models/mnist.mlir";

async function run(files: Readonly<Record<string, string>>, ...args: string[]) {
  const host: MemoryHost = createProjectHost({ files });
  return { code: await runCommandLine(args, host, "0.0.0", COMMANDS), host };
}

/** The profile that the tool itself writes. */
async function ownProfile(): Promise<string> {
  const { code, host } = await run({}, "simulate", MNIST, "--emit", "perf-csv=run.csv");
  assertEquals(code, EXIT.ok);
  return host.files.get("run.csv") ?? "";
}

/** Kernel times of a profile multiplied. */
function slower(csv: string, factor: number): string {
  const [header = "", ...rows] = csv.trimEnd().split("\n");
  const at = header.split(",").indexOf("DEVICE KERNEL DURATION [ns]");
  return [
    header,
    ...rows.map((row) => {
      const cells = row.split(/,(?=(?:[^"]*"[^"]*")*[^"]*$)/);
      const time = Number(cells[at]);
      return cells.map((cell, index) => index === at && time > 0 ? String(time * factor) : cell).join(",");
    }),
  ].join("\n");
}

Deno.test("diff MODEL run.csv: the tool's own profile reads back with error 0, as in audit run", async () => {
  const csv = await ownProfile();
  const { code, host } = await run({ "run.csv": csv }, "diff", MNIST, "run.csv", "--json");
  assertEquals(code, EXIT.ok, host.err());
  const { schema, summary, ops, extra, missing } = JSON.parse(host.out());
  assertEquals([schema, extra, missing, summary.mape], ["tilewright.run-audit/1", [], [], 0]);
  assert(ops.length > 0 && ops.every(({ error }: { error: number }) => error === 0));
  const audited = await run({ "run.csv": csv }, "audit", "run", MNIST, "--profile", "run.csv", "--json");
  assertEquals(audited.host.out(), host.out());
});

Deno.test("simulate --json --profile has the figures of audit run", async () => {
  const files = { "slow.csv": slower(await ownProfile(), 1.5) };
  const { code, host } = await run(files, "simulate", MNIST, "--profile", "slow.csv", "--json");
  assertEquals(code, EXIT.ok, host.err());
  const document = JSON.parse(host.out());
  assertEquals(validateJson(document, schema), []);
  const audited = await run(files, "audit", "run", MNIST, "--profile", "slow.csv", "--json");
  const { summary, ops, classes, extra, missing } = JSON.parse(audited.host.out());
  assertEquals(document.measured, { summary, ops, classes, extra, missing });
  assert(ops.length > 0);
});

Deno.test("diff MODEL run.csv finds slower runs, and lists ops that only one side has", async () => {
  const csv = await ownProfile();
  const files = {
    "slow.csv": slower(csv, 1.5),
    "less.csv": csv.trimEnd().split("\n").slice(0, -1).join("\n"),
  };
  assertEquals((await run(files, "diff", MNIST, "slow.csv", "--threshold", "60%")).code, EXIT.ok);
  assertEquals((await run(files, "diff", MNIST, "slow.csv", "--threshold", "40%")).code, EXIT.finding);
  assertEquals((await run(files, "diff", MNIST, "slow.csv", "--fail-on", "worse")).code, EXIT.finding);
  assertEquals((await run(files, "diff", MNIST, "less.csv", "--fail-on", "worse")).code, EXIT.ok);
  const less = await run(files, "diff", MNIST, "less.csv");
  assertEquals(less.code, EXIT.finding);
  assertStringIncludes(less.host.out(), "Predicted, but not measured: 1 op");
  const shown = await run(files, "simulate", MNIST, "--profile", "less.csv", "--no-advice");
  assertMatch(
    shown.host.out().replaceAll(/\s+/g, " "),
    /1 op predicted, but not measured \(\w+, [\d.]+ µs, @\w+ op 6\)/,
  );
  for (
    const args of [["diff", MNIST, "slow.csv", "--policy-b", "dram"], ["diff", "slow.csv", "slow.csv"]]
  ) assertEquals((await run(files, ...args)).code, EXIT.usage);
});

Deno.test("simulate and report show a run in columns, with the figures of diff", async () => {
  const files = { "slow.csv": slower(await ownProfile(), 2) };
  const { host: diff } = await run(files, "diff", MNIST, "slow.csv", "--json");
  const { ops, summary } = JSON.parse(diff.out());
  const { host } = await run(files, "simulate", MNIST, "--profile", "slow.csv", "--no-advice");
  const [, head = "", , first = ""] = host.out().split("\n\n")[1]?.split("\n") ?? [];
  assertStringIncludes(head, "Measured");
  assertStringIncludes(first, `${ops[0].measuredUs.toFixed(1)} µs  -50.0 %`);
  const page = await run(
    files,
    ...["report", MNIST, "--as-written", "--policies", "dram", "--profile", "slow.csv", "-o", "out.html"],
  );
  assertEquals(page.code, EXIT.ok, page.host.err());
  const { html } = await pageContents(page.host.files.get("out.html") ?? "");
  assertStringIncludes(html, "Measured beside predicted");
  assertStringIncludes(html, `measured ${summary.pairedMeasuredUs.toFixed(1)} µs, predicted`);
  for (const { measuredUs } of ops) {
    assertStringIncludes(html, `data-s="${Math.round(measuredUs * 1000) / 1000}"`);
  }
});
