// SPDX-License-Identifier: Apache-2.0

/** Holds figures that pages of `docs/` state against what the project computes now. */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { parseModule } from "../lib/ir/mod.ts";
import { auditOpModel } from "../lib/opmodel/audit/audit.ts";
import { readExpectationRows } from "../lib/opmodel/audit/expectation_row.ts";
import { DEFAULT_L1_CAP } from "../lib/device/chip_description.ts";
import { checkMemory } from "../pipeline/check_memory.ts";
import { loadModule } from "../pipeline/load_module.ts";
import { chipDescription } from "../sim/devices/device.ts";
import { getDevice } from "../sim/devices/device_registry.ts";
import { corpusFiles, corpusTest, sharedData, sharedText } from "../testing/corpus.ts";
import { readGraph } from "../lib/graph/read_graph.ts";
import { isBookkeeping } from "../lib/ops/bookkeeping.ts";
import { ROOT } from "./steps.ts";
import { comparePlacements, shareText } from "./upstream_shardings.ts";

async function page(name: string): Promise<string> {
  return await Deno.readTextFile(join(ROOT, "docs", name));
}

/** Cells of the rows below the table head that begins so. */
function tableRows(text: string, head: string): string[][] {
  const lines = text.slice(text.indexOf(`| ${head} `)).split("\n");
  assert(text.includes(`| ${head} `), `no table '${head}'`);
  const end = lines.findIndex((line) => !line.startsWith("|"));
  return lines.slice(2, end).map((line) => line.split("|").slice(1, -1).map((cell) => cell.trim()));
}

corpusTest("docs/op-model.md: figures of the audit of recorded answers", async () => {
  const file = "op-model-expectations.json";
  const report = auditOpModel(
    readExpectationRows(file, sharedData(file)),
    chipDescription(getDevice("n150")),
  );
  const text = await page("op-model.md");
  assertStringIncludes(text, `On the rows at hand (${report.rows}):`);
  const scores = tableRows(text, "figure").map((
    [figure, exact, rows],
  ) => [figure, Number(exact), Number(rows)]);
  assertEquals(scores, [
    ["validity", report.validAgree, report.rows],
    ["circular buffers", report.cb.exact, report.cb.rows],
    ["tensor L1 peak", report.l1Peak.exact, report.l1Peak.rows],
    ["output bytes", report.output.exact, report.output.rows],
    ["peak of both", report.totalPeak.exact, report.totalPeak.rows],
  ]);
  const ours = new Map(tableRows(text, "row").map(([row, , , value]) => [row, value]));
  const answered = (op: string, figure: string) =>
    report.misses.filter((miss) => miss.op === op && miss.figure === figure).map((miss) =>
      String(miss.actual)
    );
  const [move] = answered("ToMemoryConfig", "l1PeakBytes");
  assertEquals(ours.get("`ToMemoryConfig` L1 → height sharded"), move);
  for (const convolution of answered("Conv2d", "l1PeakBytes")) {
    assertEquals(ours.get("`Conv2dInterface`, `…NullOutput`"), convolution);
  }
  assertEquals([ours.get("`ConvTranspose2dInterfaceConfigs`")], answered("ConvTranspose2d", "outputBytes"));
  const documented = ["ToMemoryConfig", "BitwiseNot", "Conv2d", "ConvTranspose2d"];
  assertEquals([...new Set(report.misses.map(({ op }) => op))], documented);
});

corpusTest("docs/simulate.md: how many compiled programs fit", async () => {
  const verdicts = corpusFiles("dumps/ttnn").map((file) => {
    const module = loadModule(Deno.readTextFileSync(file), { fileName: file, isAsWritten: true });
    return checkMemory(module, DEFAULT_L1_CAP).verdict.status;
  });
  const count = (status: string) => verdicts.filter((verdict) => verdict === status).length;
  assertEquals(count("unchecked"), 0);
  assertStringIncludes(
    (await page("simulate.md")).replaceAll("\n", " "),
    `Of the ${verdicts.length} compiled programs of the corpus ${count("fits")} fit and ${
      count("does_not_fit")
    } do not`,
  );
});

corpusTest("docs/chains.md: placements beside upstream's own", async () => {
  const dumps = new Map([
    ["CLIP vision, level 2 (Nov. 2025)", "clipvision_opt2_b2_irs_ttnn_1764348539196.mlir"],
    ["ResNet-50, batch 8", "resnet50_ttxla_python_ttxla_frontend_bs8_irs_ttnn.mlir"],
  ]);
  const documented = tableRows(await page("chains.md"), "dump");
  const computed = [...dumps].flatMap(([dump, file]) =>
    comparePlacements(sharedText("corpus", "dumps", "ttnn", file), file, [
      "df-sharding",
      "df-sharding-2",
      "greedy",
    ])
      .map((row, index) => [
        index === 0 ? dump : "",
        `\`${row.policy}\``,
        String(row.compared),
        shareText(row.sameBuffer, row.compared),
        shareText(row.sameLayout, row.compared),
        shareText(row.bothSharded, row.upstreamSharded),
      ])
  );
  assertEquals(documented, computed);
});

Deno.test("docs/lowering.md: ops of the models of the zoo", async () => {
  const documented = new Map(
    tableRows(await page("lowering.md"), "file").map(([file, , ops]) => [file, Number(ops)]),
  );
  const folder = join(ROOT, "testdata", "models");
  const computed = new Map<string, number>();
  for (const { name } of Deno.readDirSync(folder)) {
    const module = parseModule(Deno.readTextFileSync(join(folder, name)), name);
    const { graph } = readGraph(module, chipDescription(getDevice("n150")).workerGrid);
    const main = graph.functions.find(({ kind }) => kind === "forward_device");
    const ops = main?.ops.filter((op) => op.name !== "ttnn.get_device" && !isBookkeeping(op)) ?? [];
    computed.set(`\`${name}\``, ops.length);
  }
  assertEquals(new Map([...computed].toSorted()), new Map([...documented].toSorted()));
});

Deno.test("docs/machines.md: constants of links", async () => {
  const { ethernet: wormhole } = getDevice("n150");
  const { ethernet: blackhole } = getDevice("p150");
  const keys = [
    "linkBandwidth",
    "linePacket",
    "ringPacket",
    "packetOverhead",
    "hopLatency",
    "stepLatency",
  ] as const;
  const cells = tableRows(await page("machines.md"), "constant");
  assertEquals(
    cells.map(([, first = "", second = ""]) => [parseFloat(first), parseFloat(second)]),
    keys.map((key) => [wormhole[key], blackhole[key]].map((value) => Number(value.toPrecision(3)))),
  );
});
