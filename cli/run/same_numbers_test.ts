// SPDX-License-Identifier: Apache-2.0
import { assert, assertAlmostEquals, assertEquals, assertStringIncludes } from "@std/assert";
import { parse } from "@std/csv/parse";
import { join } from "@std/path";
import { corpusFiles, corpusName, corpusTest, PROJECT_ROOT, someOf } from "../../testing/corpus.ts";
import { COMMANDS } from "../command_table.ts";
import { EXIT } from "../command.ts";
import { runCommandLine } from "../dispatch.ts";
import { formatMicroseconds, formatTime } from "../render/format.ts";
import { pageContents } from "../testing/page_contents.ts";
import { createMemoryHost, type MemoryHost } from "../testing/memory_host.ts";

const INPUT = "input.mlir";

async function said(text: string, ...args: readonly string[]): Promise<MemoryHost> {
  const host = createMemoryHost({ files: { [INPUT]: text }, columns: 400 });
  assertEquals(await runCommandLine(args, host, "0.0.0", COMMANDS), EXIT.ok, host.err());
  return host;
}

interface Step {
  readonly id: number;
  readonly kind: string;
  readonly name: string;
  readonly startUs: number;
  readonly deviceUs: number;
  readonly gapUs: number;
}

interface SimulatedFunction {
  readonly name: string;
  readonly role: string;
  readonly totalUs: number;
  readonly deviceUs: number;
  readonly steps: readonly Step[];
}

/** JSON rounds to picoseconds; sums of many steps are off by as many. */
const ROUNDED_US = 1e-3;

/** The text, the JSON, the trace, the profile and the page of one run of `simulate` tell the same times. */
async function sameEverywhere(text: string, name: string): Promise<void> {
  const emits = ["chrome-trace=t.json", "perf-csv=p.csv", "json=s.json"].flatMap((emit) => ["--emit", emit]);
  const host = await said(text, "simulate", INPUT, "--no-advice", ...emits);
  const document = JSON.parse(host.files.get("s.json") ?? "");
  const inference: readonly SimulatedFunction[] = document.functions
    .filter(({ role }: SimulatedFunction) => role === "inference");
  const { totalUs, deviceUs, gapUs } = document.inference;
  assertAlmostEquals(totalUs, deviceUs + gapUs, ROUNDED_US, name);
  assertEquals(document.summary.predictedUs, totalUs, name);
  assertStringIncludes(host.out(), `Inference  ${formatTime(totalUs)} `, name);
  if (inference.length === 1) assertAlmostEquals(inference[0]?.totalUs ?? 0, totalUs, ROUNDED_US, name);
  const steps = inference.flatMap((fn) => fn.steps).filter((step) => step.deviceUs + step.gapUs > 0);
  assertAlmostEquals(steps.reduce((sum, step) => sum + step.deviceUs, 0), deviceUs, ROUNDED_US, name);
  assertAlmostEquals(steps.reduce((sum, step) => sum + step.gapUs, 0), gapUs, ROUNDED_US, name);

  // Text: the rows of ops in the order of the steps, whole functions as the document has them.
  const ops = inference.flatMap((fn) => fn.steps).filter((step) => step.kind === "op" && step.deviceUs > 0);
  const rows = new Set(
    [...host.out().matchAll(/^ *(\d+) .*? ([\d,]+\.\d) µs/gm)].map(([, id, us]) => `${id} ${us}`),
  );
  for (const { id, deviceUs: us } of ops) {
    const shown = us.toLocaleString("en-US", { minimumFractionDigits: 1, maximumFractionDigits: 1 });
    assert(rows.has(`${id} ${shown}`), `${name}: op ${id} takes ${shown} µs, not so in the table`);
  }

  // Trace: a slice per step, in ns.
  const events: readonly { ph: string; cat?: string; name: string; ts: number; dur: number }[] =
    JSON.parse(host.files.get("t.json") ?? "").traceEvents;
  const slices = events.filter(({ ph, cat }) => ph === "X" && cat !== "gap");
  const sliced = Map.groupBy(slices, (slice) => slice.name);
  for (const step of inference.length === 1 ? inference[0]?.steps ?? [] : []) {
    if (step.deviceUs === 0) continue;
    const isThere = sliced.get(step.name)?.some(({ ts, dur }) =>
      Math.abs(ts - step.startUs) < 2e-3 && Math.abs(dur - step.deviceUs) < 2e-3
    );
    assert(isThere, `${name}: ${step.name} at ${step.startUs} µs is not in the trace`);
  }

  // Profile: whole ns of the kernels.
  const [heads = [], ...profile] = parse(host.files.get("p.csv") ?? "");
  const measured = profile.map((row) => ({
    function: /'function': '([^']*)'/.exec(row[heads.indexOf("ATTRIBUTES")] ?? "")?.[1],
    ns: Number(row[heads.indexOf("DEVICE KERNEL DURATION [ns]")]),
  }));
  for (const fn of inference) {
    const kernels = fn.steps.filter((step) => step.deviceUs > 0).map((step) => step.deviceUs * 1000);
    const own = measured.filter((row) => row.function === fn.name && row.ns > 0).map(({ ns }) => ns);
    assertEquals(own.length, kernels.filter((ns) => Math.round(ns) > 0).length, name);
    own.forEach((ns, index) => assertAlmostEquals(ns, kernels[index] ?? 0, 1, name));
  }

  // Page: times with the gap in front.
  const { html: page } = await pageContents(
    (await said(text, "report", INPUT, "--as-written", "--policies", "dram", "-o", "page.html"))
      .files.get("page.html") ?? "",
  );
  assertStringIncludes(page, `<b>${formatTime(totalUs)}</b>`, name);
  const [largest] = inference.toSorted((a, b) => b.totalUs - a.totalUs);
  const table = /<table id="ops-0".*?<\/table>/s.exec(page)?.[0] ?? "";
  const cells = [...table.matchAll(/<tr[^>]*>(.*?)<\/tr>/gs)]
    .map(([, row = ""]) => [...row.matchAll(/<td[^>]*>(.*?)<\/td>/gs)].map(([, cell = ""]) => cell));
  const shown = cells.filter((row) => (row[5] ?? "") !== "").map((row) => row[5]);
  const expected = largest?.steps.filter((step) => step.deviceUs + step.gapUs > 0)
    .map((step) => formatMicroseconds(step.deviceUs + step.gapUs)) ?? [];
  assertEquals(shown.toSorted(), expected.toSorted(), name);
}

for (const model of ["mnist", "segformer_block", "resnet50", "llama_3_2_1b_decode"]) {
  Deno.test(`simulate and report show the same times of ${model} everywhere`, async () => {
    const path = join(PROJECT_ROOT, "testdata", "models", `${model}.mlir`);
    await sameEverywhere(await Deno.readTextFile(path), model);
  });
}

Deno.test("a decided plan has one time per op: table, document, page, and the text simulated anew", async () => {
  const text = await Deno.readTextFile(join(PROJECT_ROOT, "testdata", "models", "mnist.mlir"));
  const decided = ["--policy", "greedy"];
  const plan = JSON.parse((await said(text, "optimize", INPUT, ...decided, "--json")).out());
  const host = await said(text, "optimize", INPUT, ...decided, "-o", "out.mlir");
  const { html: page } = await pageContents(
    (await said(text, "report", INPUT, ...decided, "--policies", "dram", "-o", "page.html"))
      .files.get("page.html") ?? "",
  );
  const total = formatTime(plan.summary.predictedUs);
  assertStringIncludes(host.out(), `Predicted  ${total} `);
  assertStringIncludes(page, `<b>${total}</b>`);
  for (const { id, us } of plan.ops.filter((op: { us: number }) => op.us > 0)) {
    assert(new RegExp(`^ *${id} .* ${formatMicroseconds(us)} µs$`, "m").test(host.out()), `op ${id}: ${us}`);
    assertStringIncludes(page, `>${formatMicroseconds(us)}</td>`);
  }
  // Queries of this policy alone, although the page asks the same op model for others, which has a few answers then.
  const [, queries] = /As tt-mlir.*data-s="(\d+)">[\d,]+<\/td><\/tr>/.exec(page) ?? [];
  assertAlmostEquals(Number(queries), plan.summary.opModelQueries, 0.03 * plan.summary.opModelQueries);
  const written = (await said(host.files.get("out.mlir") ?? "", "simulate", INPUT, "--json")).out();
  assertAlmostEquals(JSON.parse(written).summary.predictedUs, plan.summary.predictedUs, ROUNDED_US);
});

corpusTest("simulate and report tell the same times of real programs everywhere", async () => {
  const files = someOf(corpusFiles("dumps/ttnn").filter((path) => Deno.statSync(path).size < 400_000));
  const step = Math.max(1, Math.floor(files.length / 8));
  for (let index = 3; index < files.length; index += step) {
    const path = files[index];
    if (path !== undefined) await sameEverywhere(await Deno.readTextFile(path), corpusName(path));
  }
});
