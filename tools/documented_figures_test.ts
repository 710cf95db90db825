// SPDX-License-Identifier: Apache-2.0

/** Holds figures that pages of `docs/` state against what the project computes now. */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { parseModule } from "../lib/ir/mod.ts";
import { DEFAULT_L1_CAP } from "../lib/device/chip_description.ts";
import { checkMemory } from "../pipeline/check_memory.ts";
import { loadModule } from "../pipeline/load_module.ts";
import { chipDescription } from "../sim/devices/device.ts";
import { getDevice } from "../sim/devices/device_registry.ts";
import { corpusFiles, corpusTest, sharedText } from "../testing/corpus.ts";
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
  const rows: readonly unknown[] = JSON.parse(sharedText("data", file));
  const text = (await page("op-model.md")).replaceAll("\n", " ");
  assertStringIncludes(text, `the ${rows.length} answers of tt-mlir's own unit tests`);
  const known: Record<"changed" | "open", readonly { readonly row: number }[]> = JSON.parse(
    await Deno.readTextFile(join(ROOT, "testdata", "backend", "answers_2025.json")),
  );
  const rowsOf = (list: readonly { readonly row: number }[]) => new Set(list.map(({ row }) => row)).size;
  assertStringIncludes(text, `0.81.1 itself gives ${rowsOf(known.changed)} of the latter otherwise`);
  assertStringIncludes(text, `and ${rowsOf(known.open)} in which the rule book agrees with neither`);
});

corpusTest("docs/simulate.md: how many compiled programs and lowered models fit", async () => {
  const countIn = (folder: string) => {
    const verdicts = corpusFiles(folder).map((file) => {
      const module = loadModule(Deno.readTextFileSync(file), { fileName: file, isAsWritten: true });
      return checkMemory(module, DEFAULT_L1_CAP).verdict.status;
    });
    return { all: verdicts.length, of: (status: string) => verdicts.filter((at) => at === status).length };
  };
  const [compiled, lowered] = [countIn("dumps/ttnn"), countIn("lowered/models")];
  assertEquals([compiled, lowered].map(({ of }) => of("unchecked")), [0, 0]);
  assertEquals(lowered.of("does_not_run"), 0);
  const text = (await page("simulate.md")).replaceAll("\n", " ");
  assertStringIncludes(
    text,
    `Of the ${compiled.all} compiled programs of the corpus ${compiled.of("fits")} fit, ${
      compiled.of("does_not_fit")
    } does not fit and ${compiled.of("does_not_run")} does not run`,
  );
  assertStringIncludes(
    text,
    `Of the ${lowered.all} lowered models ${lowered.of("does_not_fit")} does not fit`,
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

Deno.test("docs/tutorial.md: what takes the time of ResNet-50 as written, and what bounds it", async () => {
  const text = await Deno.readTextFile(join(ROOT, "testdata", "models", "resnet50.mlir"));
  const { binding: { graph }, asWritten } = loadModule(text, { fileName: "resnet50.mlir" });
  const [fn] = graph.functions;
  const [timeline] = asWritten?.().timeline.functions ?? [];
  assert(fn !== undefined && timeline !== undefined);
  const slowest = timeline.steps.toSorted((a, b) => b.deviceUs - a.deviceUs).slice(0, 5);
  const said = slowest.map(({ name, shape }) => `${name.replace("ttnn.", "")} ${shape}`);
  assertEquals(said.toSorted(), [
    // The stem, a halving convolution, and the shortcuts of two stages.
    "conv2d 100352 x 147 x 64",
    "conv2d 1568 x 512 x 1024",
    "conv2d 6272 x 1152 x 128",
    "conv2d 6272 x 256 x 512",
    "permute 8x224x224x3",
  ]);
  const [first] = timeline.steps.filter(({ name }) => name === "ttnn.conv2d");
  assertEquals(first?.shape, "100352 x 147 x 64");
  const moved = timeline.steps.filter(({ bound }) => bound === "NOC").reduce(
    (us, step) => us + step.deviceUs,
    0,
  );
  assert(moved > timeline.deviceUs / 2, `${moved} of ${timeline.deviceUs} µs`);
});
