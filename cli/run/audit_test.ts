// SPDX-License-Identifier: Apache-2.0
import { assertEquals, assertStringIncludes } from "@std/assert";
import { audit } from "../commands/audit.ts";
import { EXIT } from "../command.ts";
import { runCommandLine } from "../dispatch.ts";
import { createMemoryHost, type MemoryHost } from "../testing/memory_host.ts";

const TENSOR = {
  shape: [64, 1024],
  dtype: "bf16",
  layout: "TILE",
  buffer: "L1",
  memory: "Interleaved",
  grid: [8, 8],
};
const ROWS = JSON.stringify([
  {
    source: "Suite::Relu",
    op: "Relu",
    inputs: [TENSOR],
    output: TENSOR,
    config: [],
    expect: { valid: true, cbBytes: 8192, l1PeakBytes: 2048, outputBytes: 2048 },
  },
  {
    source: "Suite::Add",
    op: "Add",
    inputs: [TENSOR, TENSOR],
    output: null,
    config: [],
    expect: { valid: true, cbBytes: 12_288, l1PeakBytes: 1, outputBytes: null },
  },
]);

async function runAudit(...args: string[]): Promise<{ code: number; host: MemoryHost }> {
  const host = createMemoryHost({ files: { "rows.json": ROWS, "text.json": "{", "object.json": "{}" } });
  return { code: await runCommandLine(["audit", ...args], host, "1.2.3", [audit]), host };
}

Deno.test("audit op-model reads rows of tests as well: one report, misses with their tests", async () => {
  const { code, host } = await runAudit("op-model", "--data", "rows.json", "--misses", "--json");
  assertEquals(code, EXIT.ok);
  const { schema, summary, misses } = JSON.parse(host.out());
  assertEquals(schema, "tilewright.backend-agreement/1");
  assertEquals([summary.questions, summary.valid, summary.figures.outputs], [
    2,
    { equal: 2, of: 2 },
    { equal: 1, of: 1 },
  ]);
  assertEquals(misses, [
    { family: "binary", figure: "tensors", backend: "1", ours: "2048", reason: null, row: "Suite::Add (1)" },
  ]);
});

Deno.test("audit refuses unknown subjects, missing and broken data", async () => {
  assertEquals((await runAudit("weather", "--data", "rows.json")).code, EXIT.usage);
  assertEquals((await runAudit("op-model")).code, EXIT.usage);
  for (const file of ["nothing.json", "text.json", "object.json"]) {
    const { code, host } = await runAudit("op-model", "--data", file);
    assertEquals(code, EXIT.badInput);
    assertStringIncludes(host.err(), `Cannot read ${file}`);
    assertEquals(host.out(), "");
  }
});

const ANSWERS = JSON.stringify({
  d: "n150",
  o: "relu",
  i: ["64x1024 bf16 l1"],
  r: ["64x1024 bf16 dram"],
  h: "64x1024 bf16 l1",
  p: ["Unary 4096@0,0-7,7 4096"],
  e: "l2048 p",
  m: [8192, 4096, 12288],
  l: ["bf16 l1"],
});

Deno.test("audit op-model reads recorded answers: agreement by family, misses with their questions", async () => {
  const host = createMemoryHost({
    files: { "relu.jsonl": ANSWERS, "none.jsonl": `{"d":"n150"}` },
    columns: 120,
  });
  const run = (...args: string[]) => runCommandLine(["audit", "op-model", ...args], host, "1.2.3", [audit]);
  assertEquals(await run("--data", "relu.jsonl", "--data", "relu.jsonl", "--misses"), EXIT.ok);
  for (const part of ["unary   2    100.0", "unary tensors  backend 4096  op model 2048", ANSWERS]) {
    assertStringIncludes(host.out(), part);
  }
  assertEquals(await run("--data", "relu.jsonl", "--family", "softmax"), EXIT.usage);
  assertEquals(await run("--data", "none.jsonl"), EXIT.badInput);
  assertStringIncludes(host.err(), "Cannot read none.jsonl:1");
});

Deno.test("audit cost-model refuses a report folder that is not there before it reads or fits", async () => {
  const { code, host } = await runAudit(
    ...["cost-model", "--data", "missing.json", "--folds", "5", "--report", "nowhere"],
  );
  assertEquals(code, EXIT.badInput);
  assertStringIncludes(host.err(), "nowhere");
});
