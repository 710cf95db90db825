// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import type { Browser, Page } from "playwright-core";
import { sharedText, toolTest } from "../../testing/corpus.ts";
import { COMMANDS } from "../command_table.ts";
import { runCommandLine } from "../dispatch.ts";
import { pageContents } from "../testing/page_contents.ts";
import { createProjectHost } from "../testing/project_host.ts";

async function pageOf(file: string, text: string | undefined, ...options: string[]): Promise<string> {
  const host = createProjectHost(text === undefined ? {} : { files: { [file]: text } });
  const code = await runCommandLine(["report", file, "-o", "out.html", ...options], host, "0.0.0", COMMANDS);
  assertEquals(code, 0, host.err());
  return host.files.get("out.html") ?? "";
}

/**
 * A browser whose pages are opened offline; anything on their consoles and every request besides themselves is a failure.
 */
async function withBrowser(
  chromium: string,
  use: (open: (html: string, colorScheme: "light" | "dark") => Promise<Page>) => Promise<void>,
): Promise<void> {
  const { chromium: launcher } = await import("playwright-core");
  const dir = await Deno.makeTempDir({ prefix: "tilewright_" });
  const browser: Browser = await launcher.launch({
    executablePath: chromium,
    args: ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"],
  });
  const complaints: string[] = [];
  try {
    await use(async (html, colorScheme) => {
      const page = await browser.newPage({ colorScheme, viewport: { width: 1440, height: 900 } });
      page.on("console", (message) => complaints.push(message.text()));
      page.on("pageerror", (error) => complaints.push(error.message));
      page.on("request", (request) => {
        if (!/^(?:file|data|blob):/.test(request.url())) complaints.push(request.url());
      });
      const file = join(dir, "report.html");
      await Deno.writeTextFile(file, html);
      await page.goto(`file://${file}`);
      await page.waitForSelector("html[data-ready]");
      return page;
    });
    assertEquals(complaints, []);
  } finally {
    await browser.close();
    await Deno.remove(dir, { recursive: true });
  }
}

/** Where to keep the pictures that the tests take; nowhere by default. */
const PICTURES = Deno.env.get("TILEWRIGHT_PICTURES");

/** Widths of a page in each colour scheme; who looks at the pictures gets all of them. */
const WIDTHS = PICTURES === undefined
  ? { light: [1440], dark: [800] }
  : { light: [1440, 800], dark: [1440, 800] };

/** Takes pictures of a page, wide and narrow, light and dark: nothing sticks out, and something is drawn. */
async function photograph(
  open: (html: string, colorScheme: "light" | "dark") => Promise<Page>,
  html: string,
  name: string,
): Promise<void> {
  for (const scheme of ["light", "dark"] as const) {
    const page = await open(html, scheme);
    for (const width of WIDTHS[scheme]) {
      await page.setViewportSize({ width, height: 900 });
      assert(
        Number(await page.evaluate("document.documentElement.scrollWidth")) <= width,
        `${name} at ${width}`,
      );
      // Narrow screens scroll tables of figures; reasons stay in sight.
      const whole = width < 1440 ? "[id^=edges-], #change-table" : "table";
      // Rows of ops are made when they come into sight.
      await page.locator("#ops-0").scrollIntoViewIfNeeded();
      await page.waitForSelector("#ops-0 tbody tr");
      const cut = await page.evaluate(`[...document.querySelectorAll("${whole}")]
        .filter(({ parentElement: frame }) => frame.scrollWidth > frame.clientWidth).map(({ id }) => id)`);
      assertEquals(cut, [], `${name} at ${width}: tables that stick out of their frames`);
      for (const part of ["h1", "#graph-0", "#l1-0"]) {
        await page.locator(part).first().scrollIntoViewIfNeeded();
        const picture = await page.screenshot();
        assert(picture.length > 15_000, `${name}: ${part} at ${width} is blank`);
        if (PICTURES === undefined) continue;
        await Deno.writeFile(
          join(PICTURES, `${name}-${part.replace("#", "")}-${width}-${scheme}.png`),
          picture,
        );
      }
    }
    assertEquals(
      await page.evaluate(FAINT),
      [],
      `${name}, ${scheme}: words hardly darker or lighter than their bars`,
    );
    await page.close();
  }
}

/** Words over the bars of plots that are drawn in nearly the same brightness as what is below them. */
const FAINT = `(() => {
  const brightness = (colour) => {
    const [red, green, blue] = colour.match(/[\\d.]+/g).map((part) => {
      const share = Number(part) / 255;
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue + 0.05;
  };
  return [...document.querySelectorAll(".axes .inside")].flatMap((words) => {
    words.scrollIntoView({ block: "center" });
    const { left, top, height } = words.getBoundingClientRect();
    const below = document.elementFromPoint(left + 2, top + height / 2);
    if (below?.tagName !== "rect") return [];
    const [one, other] = [words, below].map((node) => brightness(getComputedStyle(node).fill));
    return Math.max(one, other) / Math.min(one, other) < 4 ? [words.textContent] : [];
  });
})()`;

function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = (colour.match(/[\d.]+/g) ?? []).map(Number);
  return (0.2126 * red + 0.7152 * green + 0.0722 * blue) / 255;
}

toolTest("chromium", "report page in a browser", async (chromium, t) => {
  await withBrowser(chromium, async (open) => {
    const options = ["--policy", "greedy", "--policies", "dram"];
    const mnist = await pageOf("testdata/models/mnist.mlir", undefined, ...options);

    await t.step("opens on where the time goes, and sorts and filters its tables", async () => {
      const page = await open(mnist, "light");
      const first = page.locator("h2").first();
      assertEquals(await first.textContent(), "Where the time goes");
      assert(((await first.boundingBox())?.y ?? Infinity) < 900, "without scrolling");
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
    });

    await t.step("finds ops by every word, and goes from one to the next", async () => {
      const page = await open(mnist, "light");
      await page.fill('[data-part="find"]', "linear 512");
      const found = Number.parseInt(await page.locator('[data-part="found"]').textContent() ?? "");
      assert(found > 0);
      assert(await page.locator("#graph-0 .marks .found").count() > 0);
      await page.press('[data-part="find"]', "Enter");
      assertEquals(await page.locator('[data-part="found"]').textContent(), `1 of ${found}`);
      assertStringIncludes(await page.locator("#detail-0").innerText(), "linear");
      assertEquals(await page.locator("#graph-0 > .graph > .marks .chosen").count(), 1);
      await page.fill('[data-part="find"]', "no such op");
      assertEquals(await page.locator('[data-part="found"]').textContent(), "0 found");
    });

    await t.step("follows a tensor through L1, graph and timeline", async () => {
      const page = await open(mnist, "light");
      const { functions: [fn] } = await pageContents(mnist);
      const [tensor] = fn?.l1.rectangles.flatMap(({ tensor }) => tensor ?? []) ?? [];
      assert(fn !== undefined && tensor !== undefined);
      await page.locator(`#l1-0 [data-tensor="${tensor}"]`).first().dispatchEvent("click");
      const own = fn.l1.rectangles.filter((rectangle) =>
        rectangle.tensor !== undefined && fn.tensors[rectangle.tensor]?.name === fn.tensors[tensor]?.name
      );
      assertEquals(await page.locator("#l1-0 rect.followed").count(), own.length);
      assert(await page.locator("#graph-0 .marks .followed").count() > 0);
      assert(await page.locator("#time-0 .mark.followed").count() > 0);
      const told = page.locator('[data-part="followed"]');
      assertStringIncludes(await told.innerText(), fn.tensors[tensor]?.name ?? "-");
      await told.locator(".close").click();
      assertEquals(await page.locator("#fn-0 .followed").count(), 1, "the empty place alone");
    });

    await t.step("tells L1 before and now, and why an op is as it is, as explain does", async () => {
      const page = await open(mnist, "light");
      const row = page.locator("#ops-0 tbody tr", { hasText: "linear" }).first();
      await row.focus();
      await page.keyboard.press("Enter");
      assertEquals(await row.getAttribute("aria-selected"), "true");
      const detail = page.locator("#detail-0");
      assertEquals(await detail.locator(".bar").count(), 2);
      const op = /op (\d+)/.exec(await detail.innerText())?.[1] ?? "";
      const host = createProjectHost();
      const args = ["explain", "testdata/models/mnist.mlir", "--op", op, "--policy", "greedy", "--json"];
      assertEquals(await runCommandLine(args, host, "0.0.0", COMMANDS), 0, host.err());
      const { candidates, reasons } = JSON.parse(host.out());
      const told = await detail.innerText();
      for (const { output } of candidates.slice(0, 6)) assertStringIncludes(told, output);
      for (const reason of reasons) assertStringIncludes(told, reason);
      assert(candidates.length > 0);
      await page.locator("#time-0").focus();
      await page.keyboard.press("ArrowRight");
      assert((await page.locator('[data-part="network"] svg').count()) >= 1);
    });

    await t.step(
      "draws the other plan beside this one: both show and mark the same op, and what differs",
      async () => {
        for (const [width, scheme] of [[1440, "light"], [800, "dark"]] as const) {
          const page = await open(mnist, scheme);
          await page.setViewportSize({ width, height: 900 });
          const { functions: [fn] } = await pageContents(mnist);
          const drawn = fn?.beside?.drawn;
          assert(drawn !== undefined && drawn.changed.own.length > 0);
          await page.locator('[data-part="compare"]').check();
          const left = await page.locator("#graph-0").boundingBox();
          const right = await page.locator("#other-0").boundingBox();
          assert(left !== null && right !== null && left.y === right.y && left.x + left.width < right.x);
          assert(right.x + right.width <= width, `${right.x + right.width}`);
          const marks = (box: string, name: string) =>
            page.locator(`${box} > .graph > .marks .${name}`).count();
          assertEquals(await marks("#graph-0", "changed"), new Set(drawn.changed.own).size);
          assertEquals(await marks("#other-0", "changed"), new Set(drawn.changed.other).size);
          const [own, other] = drawn.pairs[drawn.pairs.length >> 1] ?? [];
          await page.locator(`#other-0 [data-step="${other}"]`).first().dispatchEvent("click");
          assertEquals([await marks("#graph-0", "chosen"), await marks("#other-0", "chosen")], [1, 1]);
          assertStringIncludes(
            await page.locator("#detail-0").innerText(),
            fn?.steps[own ?? -1]?.title ?? "-",
          );
          // Near enough, the chosen op is at the same height on both sides, whichever of them moves.
          const middle = async (box: string): Promise<number> => {
            const mark = await page.locator(`${box} > .graph > .marks .chosen`).boundingBox();
            return mark === null ? NaN : mark.y + mark.height / 2;
          };
          for (const key of ["+", "+", "+", "+", "ArrowUp"]) await page.locator("#graph-0").press(key);
          for (const key of ["-", "+"]) {
            await page.locator("#other-0").press(key);
            const apart = Math.abs(await middle("#graph-0") - await middle("#other-0"));
            assert(apart < 5, `${apart} pixels at ${width}`);
          }
          await page.locator('[data-part="compare"]').uncheck();
          assertEquals(await marks("#graph-0", "changed"), 0);
          assert(!await page.locator("#other-0").isVisible());
        }
      },
    );

    await t.step("looks right in every form", () => photograph(open, mnist, "small"));

    await t.step("is readable in the dark, fits 800 pixels, and a sheet of paper", async () => {
      const page = await open(mnist, "dark");
      const style = "getComputedStyle(document.body)";
      const colours: unknown = await page.evaluate(`[${style}.backgroundColor, ${style}.color]`);
      const [ground, ink] = Array.isArray(colours) ? colours.map(String) : [];
      assert(luminance(ink ?? "") - luminance(ground ?? "") > 0.6, `${ink} on ${ground}`);
      await page.setViewportSize({ width: 800, height: 900 });
      assert(Number(await page.evaluate("document.documentElement.scrollWidth")) <= 800);
      // A4 across, less its margins, in CSS pixels.
      await page.setViewportSize({ width: 1046, height: 718 });
      await page.emulateMedia({ media: "print" });
      const ends: unknown = await page.evaluate(
        "[...document.querySelectorAll('table, .plot, .figures')].map((node) => node.getBoundingClientRect().right)",
      );
      for (const right of Array.isArray(ends) ? ends.map(Number) : []) assert(right <= 1046, `${right}`);
      const strip = await page.locator(".graphpaper svg").first().boundingBox();
      assert((strip?.height ?? 0) > 100 && (strip?.width ?? 0) > 100, "the graph is on paper");
      assert((await page.pdf({ preferCSSPageSize: true })).length > 10_000);
    });

    await t.step(
      "draws the graph: layers folded and opened, no op lost, words inside of their boxes",
      async () => {
        const html = await pageOf("testdata/models/bert_base.mlir", undefined, ...options);
        const page = await open(html, "light");
        const { functions: [fn] } = await pageContents(html);
        // Equal layers are folded: far fewer boxes than the 188 ops, and all of them are accounted for.
        const boxes = fn?.graph.sections.flatMap((section) => section.boxes) ?? [];
        const of = (kind: string) => boxes.filter(({ classes }) => classes.split(" ").includes(`k-${kind}`));
        const folded = of("layers").reduce(
          (sum, { lines }) => sum + Number(/([\d,]+) ops/.exec(lines.join(" "))?.[1]?.replaceAll(",", "")),
          0,
        );
        const constants = new Set(of("constant").map(({ step }) => step)).size;
        const rows = await page.locator("#ops-0 tbody tr:not(.sub)", { hasNotText: "get_device" }).count();
        assert(of("op").length < 100 && of("move").length > 0);
        assertEquals(of("op").length + constants + folded, rows);
        await page.locator("#graph-0 .k-op", { hasText: "layer_norm" }).first().dispatchEvent("click");
        assertStringIncludes(await page.locator("#detail-0").innerText(), "layer_norm");
        await page.locator("#graph-0 .k-layers").first().dispatchEvent("click");
        assert(await page.locator('[data-part="unfold"]').isChecked());
        await page.locator("#graph-0").evaluate(
          "(box) => box.style.cssText = 'height: 20000px; max-height: none'",
        );
        await page.waitForFunction("document.querySelectorAll('#graph-0 .k-op').length > 100");
        assertEquals(await page.locator("#graph-0 .k-op").count() + constants, rows);
        const wrong: unknown = await page.evaluate(`(() => {
        const boxes = [...document.querySelectorAll("#graph-0 .node")].map((node) => ({
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
        assertEquals(wrong, []);
      },
    );
  });
});

/** A result that the host reads. */
const READ_BY_HOST = (() => {
  const type = (memory: string) =>
    "tensor<1024x1024xbf16, #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, " +
    `memref<32x32x!ttcore.tile<32x32, bf16>, #ttnn.buffer_type<${memory}>>>>`;
  const [device, host] = [type("dram").replace(/>>$/, ", <interleaved>>>"), type("system_memory")];
  return `func.func @main(%x: ${device}) -> ${host} {
  %0 = "ttnn.relu"(%x) : (${device}) -> ${device}
  %1 = "ttnn.from_device"(%0) : (${device}) -> ${host}
  return %1 : ${host}
}
`;
})();

toolTest(
  "chromium",
  "report page draws waits for the host on the timeline, where they are most of the time",
  async (chromium) => {
    const html = await pageOf("host.mlir", READ_BY_HOST, "--as-written", "--policies", "as-written");
    await withBrowser(chromium, async (open) => {
      const page = await open(html, "light");
      const [bars, whole] = [page.locator("#time-0 rect.bar"), page.locator("#time-0 rect.b-HOST")];
      assertEquals([await bars.count(), await whole.count()], [2, 1]);
      const [relu, host] = [await bars.first().boundingBox(), await whole.boundingBox()];
      assert(
        relu !== null && host !== null && host.width > 2 * relu.width && host.x >= relu.x + relu.width - 1,
      );
    });
  },
);

toolTest(
  "chromium",
  "report page of 7,000 lines is small, opens quickly, and draws only what can be seen",
  async (chromium) => {
    const text = sharedText("corpus", "lowered", "ops", "dump__llama.ttir.mlir");
    const html = await pageOf("large.mlir", text, "--as-written", "--policies", "as-written");
    assert(html.length < 5 * 1024 * 1024, `${html.length} bytes`);
    await withBrowser(chromium, async (open) => {
      const page = await open(html, "light");
      const session = await page.context().newCDPSession(page);
      await session.send("Performance.enable", { timeDomain: "threadTicks" });
      await page.reload();
      await page.waitForSelector("html[data-ready]");
      const { metrics } = await session.send("Performance.getMetrics");
      const seconds = metrics.find(({ name }) => name === "TaskDuration")?.value ?? Infinity;
      assert(seconds < 5, `${seconds} s of processor time`);
      await page.locator('[data-part="unfold"]').check();
      // From afar a section is one path per colour; near enough to be read, only what is in sight is drawn.
      const elements = () => page.locator("#graph-0 > .graph *").count();
      const button = (name: string) => page.locator('[data-part="graph-zoom"] button', { hasText: name });
      await button("Fit").click();
      assert(await elements() < 500);
      for (let times = 0; times < 8; times++) await button("+").click();
      const near = await elements();
      assert(near > 500 && near < 8000, `${near}`);
      await page.fill('[data-part="find"]', "softmax");
      assertEquals(await page.locator('[data-part="found"]').textContent(), "28 found");
      await page.close();
      await photograph(open, html, "large");
    });
  },
  { corpus: true },
);
