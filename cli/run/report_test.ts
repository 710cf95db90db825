// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import type { Browser, Page } from "playwright-core";
import { corpusFiles, PROJECT_ROOT, toolTest } from "../../testing/corpus.ts";
import { COMMANDS } from "../command_table.ts";
import { runCommandLine } from "../dispatch.ts";
import { formatMicroseconds } from "../render/format.ts";
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

Deno.test("report opens with where the time goes: by kind of op, by bound, and the slowest, as simulate says it", async () => {
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
  assertEquals(/<table id="slowest".*?<\/table>/s.exec(page)?.[0].match(/<tr>/g)?.length, 8);
});

Deno.test("report shows clashes of a program that does not fit, and escapes what the input says", async () => {
  const layout = "#ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <8x8>, " +
    "memref<16x64x!ttcore.tile<32x32, bf16>, #ttnn.buffer_type<l1>>, <interleaved>>";
  const tensor = `tensor<4096x16384xbf16, ${layout}>`;
  const text = `func.func @main(%x: ${tensor}) -> ${tensor} {
    %0 = "ttnn.relu"(%x) : (${tensor}) -> ${tensor} loc("</script><b>")
    return %0 : ${tensor}
  }`;
  const page = await pageOf("full.mlir", text, "--as-written");
  assertStringIncludes(page, 'class="clash"');
  assertStringIncludes(page, "does not fit");
  assertEquals(page.includes("</script><b>"), false);
});

/** Opens a page offline and hands it over; anything on its console and every request besides itself is a failure. */
async function withPage(
  chromium: string,
  html: string,
  colorScheme: "light" | "dark",
  use: (page: Page, openedMs: number) => Promise<void>,
): Promise<void> {
  const { chromium: launcher } = await import("playwright-core");
  const dir = await Deno.makeTempDir({ prefix: "tilewright_" });
  const file = join(dir, "report.html");
  await Deno.writeTextFile(file, html);
  const browser: Browser = await launcher.launch({
    executablePath: chromium,
    args: ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"],
  });
  try {
    const page = await browser.newPage({ colorScheme, viewport: { width: 1300, height: 900 } });
    const complaints: string[] = [];
    page.on("console", (message) => complaints.push(message.text()));
    page.on("pageerror", (error) => complaints.push(error.message));
    page.on("request", (request) => {
      if (!request.url().startsWith("file:") && !request.url().startsWith("data:")) {
        complaints.push(request.url());
      }
    });
    const started = performance.now();
    await page.goto(`file://${file}`);
    await page.waitForSelector("html[data-ready]");
    await use(page, performance.now() - started);
    assertEquals(complaints, []);
  } finally {
    await browser.close();
    await Deno.remove(dir, { recursive: true });
  }
}

toolTest("chromium", "report page sorts, filters and selects, by mouse and by keyboard", async (chromium) => {
  const html = await pageOf("testdata/models/mnist.mlir", undefined);
  await withPage(chromium, html, "light", async (page) => {
    const names = () => page.locator("#ops-0 tbody tr:not([hidden]) td:nth-child(2)").allTextContents();
    const before = await names();
    await page.fill('input[data-filter="ops-0"]', "linear");
    assertEquals(new Set(await names()), new Set(["linear"]));
    await page.fill('input[data-filter="ops-0"]', "");
    assertEquals(await names(), before);
    const time = page.locator("#ops-0 thead button", { hasText: "µs" });
    await time.click();
    await time.focus();
    await page.keyboard.press("Enter");
    assertEquals(await page.locator('#ops-0 th[aria-sort="descending"]').textContent(), "µs");
    const cells = await page.locator("#ops-0 tbody tr td:nth-child(6)").all();
    const times = await Promise.all(cells.map(async (cell) => Number(await cell.getAttribute("data-s"))));
    assertEquals(times, [...times].sort((a, b) => b - a));
    const row = page.locator("#ops-0 tbody tr").first();
    await row.focus();
    await page.keyboard.press("Enter");
    assertEquals(await row.getAttribute("aria-selected"), "true");
    assertStringIncludes(await page.locator("#detail-0").innerText(), "L1");
    await page.locator("#time-0").focus();
    await page.keyboard.press("ArrowRight");
    assert((await page.locator("#noc-0 svg").count()) >= 1);
  });
});

toolTest("chromium", "report page draws the graph; a click tells the story of an op", async (chromium) => {
  const html = await pageOf(
    "testdata/models/bert_base.mlir",
    undefined,
    "--policy",
    "greedy",
    "--policies",
    "dram",
  );
  for (const colours of ["light", "dark"] as const) {
    await withPage(chromium, html, colours, async (page) => {
      const graph = page.locator("#graph-0 .folded");
      assert(await graph.isVisible());
      // Equal layers are folded: far fewer boxes than the 188 ops, and all of them are accounted for.
      const stacks = await graph.locator(".k-layers .about").allTextContents();
      const folded = stacks.map((text) => Number(/([\d,]+) ops/.exec(text)?.[1]?.replaceAll(",", "") ?? 0));
      const drawn = await graph.locator(".k-op").count();
      const constants = new Set(
        (await graph.locator(".k-constant").allTextContents()).map((text) => text.split(" ")[0]),
      );
      assert(drawn < 100, `${drawn}`);
      // Memory ops of the input are rows of the table as well; they are drawn as marks.
      const rows = await page.locator("#ops-0 tbody tr:not(.sub)", { hasNotText: "get_device" }).count();
      assertEquals(drawn + constants.size + folded.reduce((sum, ops) => sum + ops, 0), rows);
      assert((await graph.locator(".k-move").count()) > 0);
      const op = graph.locator(".k-op", { hasText: "layer_norm" }).first();
      await op.click();
      const title = (await op.locator("title").textContent()) ?? "";
      assertStringIncludes(await page.locator("#detail-0").innerText(), title.split(":")[0]?.trim() ?? "-");
      assert(await op.evaluate((node) => node.classList.contains("chosen")));
      assert(await page.locator("#detail-0").isVisible());
      await page.locator("#detail-0 .close").click();
      // Folded layers open where they are.
      const firstFolded = await graph.locator(".k-layers").first().getAttribute("data-step");
      await graph.locator(".k-layers").first().click();
      const open = page.locator("#graph-0 .open");
      assert(await open.isVisible() && !await graph.isVisible());
      assertEquals(await open.locator(".k-layers").count(), 0);
      assertEquals(await open.locator(".k-op").count() + constants.size, rows);
      assertEquals(await open.locator(".chosen").getAttribute("data-step"), firstFolded);
      // Arrow keys go from op to op, and tell the story of each.
      await page.locator("#graph-0").focus();
      await page.keyboard.press("ArrowDown");
      const next = await open.locator(".chosen title").textContent() ?? "";
      assert(Number(await open.locator(".chosen").getAttribute("data-step")) > Number(firstFolded));
      assertStringIncludes(
        await page.locator("#detail-0").innerText(),
        /^op \d+ \w+/.exec(next)?.[0] ?? next.split(":")[0] ?? "-",
      );
      await page.keyboard.press("ArrowUp");
      assertEquals(await open.locator(".chosen").getAttribute("data-step"), firstFolded);
      // Words of a box stay inside of it, and no two boxes overlap.
      const overlaps: unknown = await page.evaluate(`(() => {
        const boxes = [...document.querySelectorAll("#graph-0 .open .node")].map((node) => ({
          rect: node.querySelector("rect").getBoundingClientRect(),
          texts: [...node.querySelectorAll("text")].map((text) => text.getBoundingClientRect()),
          name: node.textContent,
        }));
        const out = boxes.filter(({ rect, texts }) =>
          texts.some((text) => text.left < rect.left - 1 || text.right > rect.right + 1));
        const crossing = boxes.filter((a, index) => boxes.slice(index + 1).some((b) =>
          a.rect.left < b.rect.right && b.rect.left < a.rect.right &&
          a.rect.top < b.rect.bottom && b.rect.top < a.rect.bottom));
        return [...out, ...crossing].map(({ name }) => name);
      })()`);
      assertEquals(overlaps, []);
    });
  }
});

toolTest(
  "chromium",
  "report page tells L1 before and now by name and address, and why an op is as it is",
  async (chromium) => {
    const html = await pageOf(
      "testdata/models/mnist.mlir",
      undefined,
      "--policy",
      "greedy",
      "--policies",
      "dram",
    );
    await withPage(chromium, html, "light", async (page) => {
      await page.locator("#graph-0 .k-op", { hasText: "3 linear" }).first().click();
      const detail = page.locator("#detail-0");
      assertEquals(await detail.locator(".bar").count(), 2);
      const data = JSON.parse(await page.locator("#data").textContent() ?? "{}").functions[0];
      const [row] = await detail.locator(".l1story tbody tr").allTextContents();
      const step = data.steps.findIndex(({ title }: { title: string }) => title.startsWith("op 3 linear"));
      const rectangles: readonly { address: number; from: number; to: number; label: string }[] =
        data.l1.rectangles;
      const highest = rectangles.filter(({ from, to }) => from <= step && step - 1 <= to)
        .sort((a, b) => b.address - a.address)[0];
      assertStringIncludes(row ?? "", highest?.label ?? "-");
      assertStringIncludes(row ?? "", (highest?.address ?? -1).toLocaleString("en-US"));
      const part = detail.locator(".bar span.tensor").last();
      assertStringIncludes(await part.getAttribute("title") ?? "", "made by");
      const width = async () => (await detail.locator(".bar").first().boundingBox())?.width ?? 0;
      const before = await width();
      await detail.locator(".l1zoom").fill("1000");
      assert(await width() > before * 9, "zoom makes the map wider");
      // As explain tells it.
      const host = createProjectHost();
      const args = ["explain", "testdata/models/mnist.mlir", "--op", "3", "--policy", "greedy", "--json"];
      assertEquals(await runCommandLine(args, host, "0.0.0", COMMANDS), 0, host.err());
      const { candidates, reasons } = JSON.parse(host.out());
      const told = await detail.innerText();
      for (const { output } of candidates.slice(0, 6)) assertStringIncludes(told, output);
      for (const reason of reasons) assertStringIncludes(told, reason);
      assert(candidates.length > 0 && reasons.length > 0);
    });
  },
);

Deno.test("report page says where the gap is and what was not measured, in the figures of the text", async () => {
  const path = "testdata/models/segformer_block.mlir";
  const page = await pageOf(path, undefined, "--policies", "dram");
  const words = (html: string): string => html.replaceAll(/<[^>]*>/g, " ").replaceAll(/\s+/g, " ");
  const host = createProjectHost({ columns: 500 });
  assertEquals(await runCommandLine(["explain", path, "--gap", "--top", "0"], host, "0.0.0", COMMANDS), 0);
  const section = words(/<h2 id="gap">(.*?)<h2/s.exec(page)?.[1] ?? "");
  const told = host.out().split("\n").filter((line) =>
    /^(?:Predicted|Gap|Network|Slack|Layouts) /.test(line)
  );
  assertEquals(told.length, 5);
  for (const line of told) assertStringIncludes(section, words(line));
  const simulated = createProjectHost({ columns: 500 });
  assertEquals(await runCommandLine(["simulate", path], simulated, "0.0.0", COMMANDS), 0);
  const share = /; [\d.]+ % extrapolated/.exec(simulated.out())?.[0] ?? "-";
  assertStringIncludes(words(await pageOf(path, undefined, "--as-written", "--policies", "dram")), share);
});

toolTest("chromium", "report page is readable in dark mode", async (chromium) => {
  const html = await pageOf("testdata/models/mnist.mlir", undefined);
  await withPage(chromium, html, "dark", async (page) => {
    const style = "getComputedStyle(document.body)";
    const colours: unknown = await page.evaluate(`[${style}.backgroundColor, ${style}.color]`);
    const [ground, ink] = Array.isArray(colours) ? colours.map(String) : [];
    assert(luminance(ink ?? "") - luminance(ground ?? "") > 0.6, `${ink} on ${ground}`);
  });
});

toolTest(
  "chromium",
  "report page fits 800 columns of pixels and a sheet of paper, with nothing cut or empty",
  async (chromium) => {
    const html = await pageOf("testdata/models/segformer_block.mlir", undefined);
    await withPage(chromium, html, "light", async (page) => {
      const widths = async (): Promise<number[]> => {
        const found: unknown = await page.evaluate(
          "[...document.querySelectorAll('table, svg, .figures')].map((node) => node.getBoundingClientRect().right)",
        );
        return Array.isArray(found) ? found.map(Number) : [];
      };
      await page.setViewportSize({ width: 800, height: 900 });
      assert(Number(await page.evaluate("document.documentElement.scrollWidth")) <= 800);
      // A4 across, less its margins, in CSS pixels.
      await page.setViewportSize({ width: 1046, height: 718 });
      await page.emulateMedia({ media: "print" });
      for (const right of await widths()) assert(right <= 1046, `${right}`);
      const strip = await page.locator(".graphpaper svg").first().boundingBox();
      assert((strip?.height ?? 0) > 100 && (strip?.width ?? 0) > 100, "the graph is on paper");
      const rows = page.locator("#ops-0 tbody tr");
      const last = await rows.last().boundingBox();
      assert((last?.height ?? 0) > 0 && (last?.width ?? 0) > 500);
      assert((await page.pdf({ preferCSSPageSize: true })).length > 10_000);
    });
  },
);

Deno.test("report tells one truth per op, counts the input's own reshards, and names the file alone", async () => {
  const path = "testdata/models/llama_3_2_1b_decode.mlir";
  const page = await pageOf(path, undefined);
  assertStringIncludes(page, "<title>llama_3_2_1b_decode.mlir on n150");
  assertEquals(page.includes("testdata/models"), false);
  assertEquals(page.includes(">load_cached</td>"), false);
  const data = JSON.parse(
    /<script type="application\/json" id="data">(.*?)<\/script>/s.exec(page)?.[1] ?? "{}",
  );
  for (const { facts } of data.functions[0].steps) {
    // Why says how it was found; cores stand in Time alone.
    assertEquals(/\d cores/.test(facts.Why ?? ""), false, facts.Why);
  }
  const written = await pageOf(path, undefined, "--as-written");
  const moves = [
    ...(await Deno.readTextFile(join(PROJECT_ROOT, path))).matchAll(/"ttnn\.to_memory_config"/g),
  ];
  assertStringIncludes(written, `<b>${moves.length} / 0</b><span class="dim">reshards / spills</span>`);
});

function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = (colour.match(/[\d.]+/g) ?? []).map(Number);
  return (0.2126 * red + 0.7152 * green + 0.0722 * blue) / 255;
}

toolTest("chromium", "report page of the largest dump is small and opens quickly", async (chromium) => {
  const largest = corpusFiles("dumps/ttnn")
    .map((path) => ({ path, size: Deno.statSync(path).size }))
    .sort((a, b) => b.size - a.size)[0];
  assert(largest !== undefined);
  const text = await Deno.readTextFile(largest.path);
  const html = await pageOf("largest.mlir", text, "--as-written", "--policies", "dram");
  assert(html.length < 10 * 1024 * 1024, `${html.length} bytes`);
  await withPage(chromium, html, "light", (_page, openedMs) => {
    assert(openedMs < 3000, `${openedMs} ms`);
    return Promise.resolve();
  });
}, { corpus: true });
