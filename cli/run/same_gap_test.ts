// SPDX-License-Identifier: Apache-2.0

/** One answer to one question: how far a plan is from the best one, whoever tells it. */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { COMMANDS } from "../command_table.ts";
import { EXIT } from "../command.ts";
import { runCommandLine } from "../dispatch.ts";
import { createMemoryHost, type MemoryHost } from "../testing/memory_host.ts";

const TENSOR = "tensor<512x512xbf16>";
const INPUT = `func.func @main(%x: ${TENSOR}, %w: ${TENSOR}) -> ${TENSOR} {
  %0 = "ttir.matmul"(%x, %w) : (${TENSOR}, ${TENSOR}) -> ${TENSOR} loc("product")
  %1 = "ttir.softmax"(%0) <{dimension = 1 : si32}> : (${TENSOR}) -> ${TENSOR} loc("weights")
  %2 = "ttir.add"(%1, %x) : (${TENSOR}, ${TENSOR}) -> ${TENSOR} loc("sum")
  return %2 : ${TENSOR}
}
`;

const MNIST = await Deno.readTextFile(new URL("../../testdata/models/mnist.mlir", import.meta.url));

async function said(...args: readonly string[]): Promise<MemoryHost> {
  const host = createMemoryHost({ files: { "input.mlir": INPUT, "mnist.mlir": MNIST }, columns: 400 });
  assertEquals(await runCommandLine(args, host, "0.0.0", COMMANDS), EXIT.ok, host.err());
  return host;
}

/** What a text or a page says behind the word Gap. */
function gapIn(text: string): string {
  const words = text.replaceAll(/<[^>]*>/g, " ").replaceAll(/[^\S\n]+/g, " ");
  return /^\s*Gap (.*\(certificate: \w+\))/m.exec(words)?.[1] ?? `no gap in ${words.slice(0, 500)}`;
}

const FIGURES = [
  "predictedUs",
  "lowerBoundUs",
  "gap",
  "certificate",
  "configsSavedUs",
  "uncheckedOps",
  "withOverrides",
  "freeLowerBoundUs",
  "freeGap",
];

function figuresIn(json: string): readonly unknown[] {
  const { summary } = JSON.parse(json);
  return FIGURES.map((key) => summary[key] ?? "none");
}

const FIXED = ["--override-output-layout", "weights=dram,sum=l1:interleaved"];

for (const policy of ["auto", "optimal", "greedy", "df-sharding-2"]) {
  for (const overrides of [[], FIXED]) {
    const about = overrides.length === 0 ? "" : " with overrides";
    Deno.test(`optimize --gap, explain --gap and the page show the same gap of ${policy}${about}`, async () => {
      const given = ["input.mlir", "--device", "n150", "--policy", policy, ...overrides];
      const gap = gapIn((await said("optimize", ...given, "--gap")).out());
      assertEquals(gapIn((await said("explain", ...given, "--gap")).out()), gap);
      const figures = figuresIn((await said("optimize", ...given, "--gap", "--json")).out());
      assertEquals(figuresIn((await said("explain", ...given, "--gap", "--json")).out()), figures);
      const tellsUnasked = policy === "auto" || policy === "optimal";
      assertEquals(gap.includes("with these overrides"), overrides.length > 0);
      assertEquals(gap.includes("without them"), overrides.length > 0);
      if (!tellsUnasked) return;
      const unasked = gapIn((await said("optimize", ...given)).out());
      assertEquals(unasked.replace(/ \(certificate.*/, ""), gap.replace(/;.*| \(certificate.*/, ""));
      const page = await said("report", ...given, "-o", "page.html");
      const html = page.files.get("page.html");
      assert(html !== undefined);
      assertStringIncludes(html.replaceAll(/<[^>]*>/g, " ").replaceAll(/\s+/g, " "), gap);
    });
  }
}

Deno.test("optimize, its JSON and the page say why the plan is the one it is in the same words", async () => {
  const given = ["input.mlir", "--device", "n150", "--policy", "auto"];
  const { summary: { reasons } } = JSON.parse((await said("optimize", ...given, "--json")).out());
  assertEquals(reasons.length, 2);
  const text = (await said("optimize", ...given)).out();
  const page = (await said("report", ...given, "-o", "page.html")).files.get("page.html") ?? "";
  for (const reason of reasons) {
    assertStringIncludes(text, reason);
    assertStringIncludes(page, reason);
  }
  const greedy = JSON.parse((await said("optimize", ...given.slice(0, -1), "greedy", "--json")).out());
  assertEquals(greedy.summary.reasons, undefined);
});

Deno.test("what a freedom saves of the same plan is one figure, in optimize, explain --gap, advise and on the page", async () => {
  const given = ["mnist.mlir", "--device", "n150", "--policy", "dram"];
  const json = async (command: string, ...more: readonly string[]) =>
    JSON.parse((await said(command, ...given, ...more, "--json")).out());
  const { summary: { advice } } = await json("optimize");
  assert(advice.length > 0);
  assertEquals((await json("explain", "--gap")).advice, advice);
  const advised = await json("advise");
  assertEquals(advised.advice, advice);
  // Decided anew, the same freedom may save another amount: every door says which of the two it tells.
  const told = /about .* with the rest of this plan as it is: --free \+\S+ \(.*\)/.exec(
    (await said("optimize", ...given)).out(),
  )?.[0] ?? "nothing";
  assertStringIncludes((await said("explain", ...given, "--gap")).out(), told);
  const table = (await said("advise", ...given)).out();
  assertStringIncludes(table, told);
  assert(table.indexOf("new decision") < table.indexOf(told));
  const page = (await said("report", ...given, "-o", "page.html")).files.get("page.html") ?? "";
  assertStringIncludes(page, told);
});

for (const policy of ["greedy", "auto", "dram"]) {
  Deno.test(`optimize and explain spell the layout of every op of ${policy} in the same words`, async () => {
    const given = ["mnist.mlir", "--device", "n150", "--policy", policy];
    const { ops } = JSON.parse((await said("optimize", ...given, "--json")).out());
    assert(ops.length > 5);
    for (const { id, after } of ops.filter(({ name }: { name: string }) => name.startsWith("ttnn."))) {
      const story = JSON.parse((await said("explain", ...given, "--op", String(id), "--json")).out());
      assertEquals(story.layouts, after, `op ${id}`);
      const spelled = story.candidates.flatMap((
        { inputs, output }: { inputs: string[]; output: string },
      ) => [...inputs, output]);
      assertEquals(spelled.filter((layout: string) => /interleaved\/\d/.test(layout)), [], `op ${id}`);
    }
  });
}
