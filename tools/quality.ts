// SPDX-License-Identifier: Apache-2.0

/**
 * Writes docs/quality.md: how near the graphs that TTIR becomes are to those of upstream's compiler, and how fast they
 * are predicted to run, family by family, then network by network against the compiler of October 2026. Reads the shared
 * corpus; takes minutes.
 *
 * Usage: `deno task quality [--only upstream] [POLICY]`; with `--only upstream` the rest of the page stays.
 *
 * @module
 */

import { parseArgs } from "@std/cli/parse-args";
import { basename, join } from "@std/path";
import { POLICY } from "../cli/commands/policy_options.ts";
import { type ModuleText, parseModule } from "../lib/ir/mod.ts";
import { DEFAULT_PASS_OPTIONS, type PassSelection } from "../lib/passes/pass_options.ts";
import { getPolicy } from "../lib/policy/policies.ts";
import { DEFAULT_POLICY_OPTIONS } from "../lib/policy/options.ts";
import { createWorkbench } from "../pipeline/load.ts";
import { decidePlan } from "../pipeline/optimize.ts";
import { prepareGraph } from "../pipeline/load_module.ts";
import type { Device } from "../sim/devices/device.ts";
import { replaceSection } from "../sim/audit/markdown_section.ts";
import { getDevice } from "../sim/devices/device_registry.ts";
import { simulateGraph } from "../sim/timeline/simulate.ts";
import { corpusFiles, sharedPath } from "../testing/corpus.ts";
import { type ComparedQuality, type Graphs, qualityDocument } from "./quality_document.ts";
import { moduleOps } from "./op_multiset.ts";
import { installedBackend } from "./confirm_text.ts";
import { upstreamMade } from "./upstream_made.ts";
import { UPSTREAM_HEADING, upstreamNetworks, upstreamSection } from "./upstream_quality.ts";
import { ROOT } from "./steps.ts";

/** Families by the names that models have. */
const FAMILIES = "bert gemma llama mnist phi qwen resnet segformer".split(" ");

const { only, _: [named] } = parseArgs(Deno.args, { string: ["only"] });

/** What decides: the policy of the command line, else the default one. */
const policy = getPolicy(String(named ?? POLICY.default));

const device = getDevice("n150");
const [lowered, level2] = ["lowered/models", "upstream-level2/models"].map((folder) => corpusFiles(folder));

function read(path: string): ModuleText {
  return parseModule(Deno.readTextFileSync(path), basename(path));
}

/** Predicted time of one inference, µs, with a policy or as the text decides; `undefined` where an op's is not known. */
function predictedUs(module: ModuleText, decides: boolean, device: Device): number | undefined {
  const workbench = createWorkbench(module, device);
  const plan = decides ? decidePlan(workbench, policy, DEFAULT_POLICY_OPTIONS) : undefined;
  const { inference, unpriced } = simulateGraph(workbench.binding.graph, plan, workbench, {});
  return unpriced.length > 0 ? undefined : inference.totalUs;
}

function graphs(ours: () => ModuleText, theirs: ModuleText | undefined): Graphs | undefined {
  if (theirs === undefined) return undefined;
  return { ours: moduleOps(ours()).forward, theirs: moduleOps(theirs).forward };
}

function compared(path: string): ComparedQuality {
  const input = read(path);
  const made = (selection: PassSelection): ModuleText =>
    prepareGraph(input, device, { ...DEFAULT_PASS_OPTIONS, selection }).module;
  const ours = made("all");
  const [theirs0, theirs2] = [lowered, level2].map((files) => upstreamMade(input, path, files ?? []));
  // Some of what upstream wrote in August does not run on today's backend.
  const [fromTtir, upstream] = theirs2 === undefined
    ? []
    : [predictedUs(ours, true, device), predictedUs(theirs2, false, device)];
  const us = fromTtir === undefined || upstream === undefined ? undefined : {
    fromTtir,
    upstream,
    fromLevel0: theirs0 === undefined
      ? undefined
      : predictedUs(prepareGraph(theirs0, device, DEFAULT_PASS_OPTIONS).module, true, device),
  };
  return {
    name: basename(path),
    family: FAMILIES.find((family) => basename(path).includes(family)) ?? "others",
    level0: graphs(() => made("upstream-level-0"), theirs0),
    level2: graphs(() => made("upstream"), theirs2),
    all: graphs(() => ours, theirs2),
    us,
  };
}

/** The page without the section about the compiler of October 2026. */
function corpusPage(): string {
  const models = corpusFiles("models/ttir");
  if (models.length === 0) throw new Error("Cannot measure: no shared corpus beside the project");
  const rows = models.map((path) => {
    const row = compared(path);
    console.error(
      `${row.name} ${row.us?.fromTtir.toFixed(1) ?? "-"} ${row.us?.fromLevel0?.toFixed(1) ?? "-"} ${
        row.us?.upstream.toFixed(1) ?? "-"
      }`,
    );
    return row;
  });
  return qualityDocument(rows, policy.name);
}

const page = join(ROOT, "docs/quality.md");
const text = only === "upstream" ? Deno.readTextFileSync(page) : corpusPage();
const networks = await upstreamNetworks(
  sharedPath("data", "upstream-2026-10"),
  policy,
  await installedBackend(),
);
Deno.writeTextFileSync(
  page,
  replaceSection(text, UPSTREAM_HEADING, upstreamSection(networks, policy.name)),
);
new Deno.Command(Deno.execPath(), { args: ["fmt", "--quiet", page] }).outputSync();
