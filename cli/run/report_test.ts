// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { PROJECT_ROOT } from "../../testing/corpus.ts";
import { COMMANDS } from "../command_table.ts";
import { runCommandLine } from "../dispatch.ts";
import { formatMicroseconds } from "../render/format.ts";
import { pageContents } from "../testing/page_contents.ts";
import { createProjectHost } from "../testing/project_host.ts";

async function pageOf(file: string, text: string | undefined, ...options: string[]): Promise<string> {
  const host = createProjectHost(text === undefined ? {} : { files: { [file]: text } });
  const code = await runCommandLine(["report", file, "-o", "out.html", ...options], host, "0.0.0", COMMANDS);
  assertEquals(code, 0, host.err());
  return host.files.get("out.html") ?? "";
}

Deno.test("report writes one page that names nothing outside of itself, the same on every run", async () => {
  const first = await pageOf("testdata/models/mnist.mlir", undefined);
  assertEquals(await pageOf("testdata/models/mnist.mlir", undefined), first);
  assertEquals(
    first.match(/(?:src|href)="(?!#|data:,)[^"]*"|url\((?!"#)|@import|https?:\/\/(?!www\.w3\.org)/g),
    null,
  );
  for (
    const part of [
      "Policies side by side",
      "L1 of one core",
      "Timeline",
      "Op by op",
      "What changed against dram",
    ]
  ) {
    assertStringIncludes(first, part);
  }
});

Deno.test("report begins with times by kind of op and by bottleneck, and the slowest ops, as in simulate", async () => {
  const host = createProjectHost();
  const args = ["testdata/models/mnist.mlir", "--device", "n150"];
  await runCommandLine(["report", ...args, "--as-written", "-o", "page.html"], host, "0.0.0", COMMANDS);
  const page = host.files.get("page.html") ?? "";
  assert(page.indexOf('id="time"') < page.indexOf('id="advice"'));
  for (const by of ["op", "bound"]) {
    const simulated = createProjectHost();
    await runCommandLine(["simulate", ...args, "--group-by", by, "--json"], simulated, "0.0.0", COMMANDS);
    const table = new RegExp(`<table id="time-${by}".*?</table>`, "s").exec(page)?.[0] ?? "";
    for (const { name, ops, us } of JSON.parse(simulated.out()).groups) {
      assertStringIncludes(table, `<td>${name}</td><td class="n" data-s="${ops}">${ops}</td>`);
      assertStringIncludes(table, `>${formatMicroseconds(us)}</td>`);
    }
  }
  const slowest = /<table id="slowest".*?<\/table>/s.exec(page)?.[0] ?? "";
  const timesOf = [
    ...slowest.matchAll(/>relu 128x512<\/span><\/td>.*?data-s="[\d.]+">([\d.]+)<\/td><td[^>]*>(\d)</g),
  ];
  // A head, and seven ops of which two are equal.
  assertEquals(slowest.match(/<tr>/g)?.length, 1 + 6);
  assertEquals(timesOf.map(([, us, ops]) => [us, ops]), [["3.44", "2"]]);
});

Deno.test("report shows clashes of a program that does not fit, and escapes the input's text", async () => {
  const layout = "#ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <8x8>, " +
    "memref<16x64x!ttcore.tile<32x32, bf16>, #ttnn.buffer_type<l1>>, <interleaved>>";
  const tensor = `tensor<4096x16384xbf16, ${layout}>`;
  const text = `func.func @main(%x: ${tensor}) -> ${tensor} {
    %0 = "ttnn.relu"(%x) : (${tensor}) -> ${tensor} loc("</script><b>")
    return %0 : ${tensor}
  }`;
  const page = await pageOf("full.mlir", text, "--as-written");
  const { html, functions } = await pageContents(page);
  assert(functions[0]?.l1.clashes.length === 1);
  assertStringIncludes(html, "does not fit");
  assertEquals(html.includes("</script><b>"), false);
});

Deno.test("report reads another file as diff does: with the L1 cap, and with the graph passes that are asked for", async () => {
  const layout = "#ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <8x8>, " +
    "memref<4x4x!ttcore.tile<32x32, bf16>, #ttnn.buffer_type<l1>>, <interleaved>>";
  const tensor = `tensor<1024x1024xbf16, ${layout}>`;
  const full = `func.func @main(%x: ${tensor}) -> ${tensor} {
    %0 = "ttnn.relu"(%x) : (${tensor}) -> ${tensor}
    return %0 : ${tensor}
  }`;
  const plain = "tensor<64x64xbf16>";
  const fused = `func.func @main(%x: ${plain}, %y: ${plain}) -> ${plain} {
    %0 = "ttir.add"(%x, %y) : (${plain}, ${plain}) -> ${plain}
    %1 = "ttir.relu"(%0) : (${plain}) -> ${plain}
    return %1 : ${plain}
  }`;
  const options = ["--as-written", "--baseline", "b.mlir", "-o", "out.html"];
  const pageOfBoth = async (text: string, ...more: string[]): Promise<string> => {
    const host = createProjectHost({ files: { "a.mlir": text, "b.mlir": text } });
    await runCommandLine(["report", "a.mlir", ...options, ...more], host, "0.0.0", COMMANDS);
    return host.files.get("out.html") ?? host.err();
  };
  const { functions } = await pageContents(await pageOfBoth(full, "--tensor-l1-usage-cap", "0.01"));
  const misfits = functions.map(({ graph, beside }) =>
    [graph, beside?.drawn?.graph ?? ""].map((each) => JSON.stringify(each).split("misfit").length)
  );
  assertEquals(misfits, [[2, 2]]);
  assertStringIncludes(await pageOfBoth(fused, "--keep-graph"), "No difference.");
});

Deno.test("report page shows the gap and the unmeasured share, with the figures of the text", async () => {
  const path = "testdata/models/segformer_block.mlir";
  const page = await pageOf(path, undefined, "--policies", "dram");
  const words = (html: string): string => html.replaceAll(/<[^>]*>/g, " ").replaceAll(/\s+/g, " ");
  const host = createProjectHost({ columns: 500 });
  assertEquals(await runCommandLine(["explain", path, "--gap", "--top", "0"], host, "0.0.0", COMMANDS), 0);
  const section = words(/<h2 id="gap">(.*?)<h2/s.exec(page)?.[1] ?? "");
  const told = host.out().split("\n").filter((line) =>
    /^(?:Predicted|Gap|Network|Slack|Layouts) /.test(line)
  );
  assert(told.length >= 2);
  for (const line of told) assertStringIncludes(section, words(line));
  const simulated = createProjectHost({ columns: 500 });
  assertEquals(await runCommandLine(["simulate", path], simulated, "0.0.0", COMMANDS), 0);
  const share = /; [\d.]+ % extrapolated/.exec(simulated.out())?.[0] ?? "-";
  assertStringIncludes(words(await pageOf(path, undefined, "--as-written", "--policies", "dram")), share);
});

Deno.test("report is consistent per op, counts the input's own reshards, and shows the file name without its path", async () => {
  const path = "testdata/models/llama_3_2_1b_decode.mlir";
  const { html: page, functions } = await pageContents(await pageOf(path, undefined));
  assertStringIncludes(page, "<title>llama_3_2_1b_decode.mlir on n150");
  assertEquals(page.includes("testdata/models"), false);
  assertEquals(page.includes(">load_cached</td>"), false);
  for (const { facts } of functions[0]?.steps ?? []) {
    // Why says how it was found; cores stand in Time alone.
    assertEquals(/\d cores/.test(facts.Why ?? ""), false, facts.Why);
  }
  const written = await pageOf(path, undefined, "--as-written");
  const moves = [
    ...(await Deno.readTextFile(join(PROJECT_ROOT, path))).matchAll(/"ttnn\.to_memory_config"/g),
  ];
  assertStringIncludes(written, `<b>${moves.length} / 0</b><span class="dim">reshards / spills</span>`);
});
