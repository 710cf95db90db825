// SPDX-License-Identifier: Apache-2.0

/**
 * Writes the figures of docs/optimality.md: how far plans of every policy lie above the lower bound, per chip and per
 * kind of input, and how often L1 is what keeps them there; and the same for models of the zoo at batches and prompts
 * that L1 is short of. Reads the model zoo and a sample of the shared corpus; takes some minutes, and says on the way
 * how far it is.
 *
 * Usage: `deno task optimality [STRIDE] [CHIP,…]`: every STRIDE-th file of up to 700 ops, 48 by default.
 *
 * @module
 */

import { markdownTable, percent } from "../sim/audit/markdown_section.ts";
import { isFaulty } from "../lib/memory/memory_verdict.ts";
import { relative } from "@std/path";
import { type ModuleText, parseModule } from "../lib/ir/mod.ts";
import { DEFAULT_PASS_OPTIONS } from "../lib/passes/pass_options.ts";
import { DEFAULT_POLICY_OPTIONS, type PolicyOptions } from "../lib/policy/options.ts";
import { getPolicy, policies } from "../lib/policy/policies.ts";
import type { Policy } from "../lib/policy/policy.ts";
import { createWorkbench } from "../pipeline/load.ts";
import { lowerBoundOf } from "../pipeline/lower_bound.ts";
import { decidePlan } from "../pipeline/optimize.ts";
import { prepareGraph } from "../pipeline/load_module.ts";
import { getDevice } from "../sim/devices/device_registry.ts";
import { simulateGraph } from "../sim/timeline/simulate.ts";
import { llamaPrefill } from "../testdata/zoo/llama_3_2_1b.ts";
import { resnet50 } from "../testdata/zoo/resnet50.ts";
import { unet } from "../testdata/zoo/unet.ts";
import { vitB } from "../testdata/zoo/vit_b.ts";
import { corpusFiles, filesBelow, sharedPath } from "../testing/corpus.ts";
import { ROOT } from "./steps.ts";

/** Bounds are of layouts, so op configs that are chosen afterwards are left out. */
const LAYOUTS: PolicyOptions = { ...DEFAULT_POLICY_OPTIONS, free: ["layouts"] };

const DOCUMENT = new URL("../docs/optimality.md", import.meta.url);
const [BEGIN, END] = ["<!-- figures: begin -->", "<!-- figures: end -->"] as const;
const MOST_OPS = 700;

/** Distances of one input on one chip above its bound, by policy; `undefined` where the plan does not fit. */
interface MeasuredGap {
  readonly kind: string;
  readonly chip: string;
  readonly above: ReadonlyMap<string, number | undefined>;
  /** Whether `auto` had to take tensors out of L1. */
  readonly spills: boolean;
}

/** Measures one input; `undefined` if it has more than {@linkcode MOST_OPS} ops or takes no time. */
function measure(
  input: ModuleText,
  kind: string,
  chip: string,
  compared: readonly Policy[] = policies,
): MeasuredGap | undefined {
  const device = getDevice(chip);
  const { module } = prepareGraph(input, device, DEFAULT_PASS_OPTIONS);
  const above = new Map<string, number | undefined>();
  let spills = false;
  let bound: number | undefined;
  for (const policy of compared) {
    const workbench = createWorkbench(module, device);
    const { graph } = workbench.binding;
    if (graph.functions.reduce((sum, fn) => sum + fn.ops.length, 0) > MOST_OPS) return undefined;
    if (bound === undefined) {
      // On a workbench of its own: what it has asked would cost the first policy no work.
      const { microseconds } = lowerBoundOf(createWorkbench(module, device), LAYOUTS, "hinted");
      if (microseconds === 0) return undefined;
      bound = microseconds;
    }
    const plan = decidePlan(workbench, policy, LAYOUTS);
    const { inference, verdict } = simulateGraph(graph, plan, workbench);
    above.set(policy.name, isFaulty(verdict) ? undefined : inference.totalUs / bound - 1);
    if (policy.name === "auto") {
      spills = plan.functions.some(({ conversions, decisions }) =>
        conversions.some(({ reason }) => reason === "spill") ||
        decisions.some(({ spilled }) => spilled === true)
      );
    }
  }
  return { kind, chip, above, spills };
}

function quantile(sorted: readonly number[], share: number): number | undefined {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
}

/** Rows of a table: policies, with quantiles of their distances and the share of inputs within 1 % and 5 %. */
function policyRows(measured: readonly MeasuredGap[]): string {
  const rows = policies.map(({ name }) => {
    const all = measured.map(({ above }) => above.get(name));
    const found = all.filter((share) => share !== undefined).toSorted((a, b) => a - b);
    const within = (limit: number): string =>
      `${found.filter((share) => share <= limit).length} of ${found.length}`;
    const shares = [quantile(found, 0.5), quantile(found, 0.9), found.at(-1)].map(percent);
    return [`\`${name}\``, ...shares, within(0.01), within(0.05), all.length - found.length];
  });
  const head = "policy | median: | 90th pct.: | worst: | within 1 %: | within 5 %: | do not fit:";
  return markdownTable(head, rows).join("\n");
}

function kindRows(measured: readonly MeasuredGap[]): string {
  const rows = [...Map.groupBy(measured, ({ kind, chip }) => `${kind} | ${chip}`)].map(([key, group]) => {
    const own = group.flatMap(({ above }) => above.get("auto") ?? []).toSorted((a, b) => a - b);
    const dearer = group.filter(({ above }) =>
      [...above.values()].some((share) =>
        share !== undefined &&
        share < (above.get("auto") ?? Infinity) - 1e-9
      )
    ).length;
    const spilled = group.filter(({ spills }) => spills).length;
    return [key, group.length, ...[quantile(own, 0.5), own.at(-1)].map(percent), spilled, dearer];
  });
  const head = "inputs | chip | files: | `auto`, median: | worst: | with spills: | another policy is faster:";
  return markdownTable(head, rows).join("\n");
}

/** Models of the zoo at sizes that L1 is short of. */
const PRESSURE: readonly (readonly [string, () => string])[] = [
  ...[8, 16, 32].map((batch) => [`ResNet-50, batch ${batch}`, () => resnet50(batch)] as const),
  ...[1, 2, 4].map((batch) => [`U-Net, batch ${batch}`, () => unet(batch)] as const),
  ...[8, 16, 32].map((batch) => [`ViT-B/16, batch ${batch}`, () => vitB(12, batch)] as const),
  ...[2048, 4096, 8192].map((tokens) =>
    [`Llama 3.2 1B, a layer, prefill of ${tokens}`, () => llamaPrefill(tokens)] as const
  ),
];

/** Rows of a table: every model under pressure on every chip. */
function pressureRows(chips: readonly string[]): string {
  const compared = ["auto", "beam-cost", "greedy", "dram"];
  const rows = PRESSURE.flatMap(([name, write]) =>
    chips.flatMap((chip) => {
      console.error(`${name} on ${chip}`);
      const found = measure(parseModule(write(), name), "pressure", chip, compared.map(getPolicy));
      if (found === undefined) return [];
      const gaps = compared.map((policy) => {
        const above = found.above.get(policy);
        return above === undefined ? "does not fit" : percent(above);
      });
      return [[name, chip, ...gaps, found.spills ? "yes" : "no"]];
    })
  );
  const heads = ["model", "chip", ...compared.map((policy) => `\`${policy}\`:`), "spills"];
  return markdownTable(heads.join(" | "), rows).join("\n");
}

const [stride = "48", chips = "n150,p150"] = Deno.args;
/** A text of more bytes is skipped unread: it has more ops than are measured. */
const MOST_BYTES = 400_000;
const sample = ["dumps", "models", "lowered", "upstream-level2"].flatMap((kind) =>
  corpusFiles(kind).filter((_, index) => index % Number(stride) === 0)
    .filter((path) => Deno.statSync(path).size <= MOST_BYTES).map((path) => ({ path, kind }))
);
const zoo = filesBelow(`${ROOT}/testdata/models`, ".mlir").map((path) => ({ path, kind: "model zoo" }));
const measured: MeasuredGap[] = [];
const skipped: string[] = [];
for (const { path, kind } of [...zoo, ...sample]) {
  for (const chip of chips.split(",")) {
    console.error(`${measured.length} done; ${path.slice(path.lastIndexOf("/") + 1)} on ${chip}`);
    try {
      const found = measure(parseModule(Deno.readTextFileSync(path), path), kind, chip);
      if (found !== undefined) measured.push(found);
    } catch (error) {
      const name = relative(path.startsWith(ROOT) ? ROOT : sharedPath(), path);
      skipped.push(name);
      console.error(`${name}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
}
const files = sample.length + zoo.length;
const text = `${BEGIN}

Gaps by predicted time, congestion included: ${measured.length} runs, every ${stride}th file of the corpus and the model
zoo (${files} files) on ${
  chips.split(",").join(" and ")
}, without inputs that take no time, have more than ${MOST_OPS} ops
or cannot be read (${new Set(skipped).size}). Written by \`deno task optimality\`.

${policyRows(measured)}

${kindRows(measured)}

Under L1 pressure: zoo models at batch sizes and prompt lengths that do not fit L1 comfortably. Where one op alone
needs more L1 than a core has, no plan fits: the \`max_pool2d\` of ResNet-50 at batch 32 needs 784 KiB of shards plus
812 KiB of halo on n150, and unlike \`conv2d\` it cannot slice its input in DRAM.

${pressureRows(chips.split(","))}

${END}`;
const before = await Deno.readTextFile(DOCUMENT);
await Deno.writeTextFile(
  DOCUMENT,
  `${before.slice(0, before.indexOf(BEGIN))}${text}${before.slice(before.indexOf(END) + END.length)}`,
);
