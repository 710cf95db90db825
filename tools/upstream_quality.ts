// SPDX-License-Identifier: Apache-2.0

/**
 * Networks that the real compiler of October 2026 compiled, against what we make of the same TTIR: predicted times, what
 * runs on the backend, how alike `greedy` decides. A section of docs/quality.md.
 *
 * @module
 */

import { join } from "@std/path";
import type { BackendPlace } from "../cli/backend/environment.ts";
import { parseModule } from "../lib/ir/mod.ts";
import { DEFAULT_PASS_OPTIONS } from "../lib/passes/pass_options.ts";
import { DEFAULT_POLICY_OPTIONS } from "../lib/policy/options.ts";
import type { Policy } from "../lib/policy/policy.ts";
import { loadModule } from "../pipeline/load_module.ts";
import { optimizeModule } from "../pipeline/optimize.ts";
import { markdownTable } from "../sim/audit/markdown_section.ts";
import { simulateGraph } from "../sim/timeline/simulate.ts";
import { faultOf } from "./confirm_text.ts";
import { moduleOps, total } from "./op_multiset.ts";
import { agreementOf, greedyDecisions, writtenDecisions } from "./upstream_decisions.ts";

const DEVICES = ["n150", "p150"] as const;

/** One network on one board. */
export interface UpstreamNetwork {
  readonly name: string;
  readonly device: (typeof DEVICES)[number];
  /** Device ops of the graph in which layouts are decided. */
  readonly ops: { readonly ours: number; readonly upstream: number };
  /** Predicted time of one inference, µs, by level of upstream; `undefined` where its text is not at hand. */
  readonly upstreamUs: readonly (number | undefined)[];
  readonly oursUs: number;
  /** Wall time from TTIR to the written plan, seconds. */
  readonly seconds: number;
  /** Whether upstream's level 2 and our plan run to the end as declared; `undefined` where nobody was asked. */
  readonly runs: { readonly ours: boolean; readonly upstream: boolean } | undefined;
  /** Results whose layout `greedy` decides like upstream, on upstream's graph. */
  readonly agreement: { readonly results: number; readonly ops: number };
}

/** Measures every network in a folder. @param place the backend, where it is at hand */
export async function upstreamNetworks(
  folder: string,
  policy: Policy,
  place: BackendPlace | undefined,
): Promise<readonly UpstreamNetwork[]> {
  const made: UpstreamNetwork[] = [];
  for (const device of DEVICES) {
    const names = [...Deno.readDirSync(join(folder, device))]
      .flatMap(({ name }) => /^(\w+)\.before\.mlir$/.exec(name)?.[1] ?? []).toSorted();
    for (const name of names) made.push(await network(folder, { name, device }, policy, place));
  }
  return made;
}

async function network(
  folder: string,
  { name, device }: Pick<UpstreamNetwork, "name" | "device">,
  policy: Policy,
  place: BackendPlace | undefined,
): Promise<UpstreamNetwork> {
  const read = (kind: string): string | undefined => readText(join(folder, device, `${name}.${kind}.mlir`));
  const input = read("ttir") ?? Deno.readTextFileSync(join(folder, "n150", `${name}.ttir.mlir`));
  const start = performance.now();
  const workbench = loadModule(input, { device, fileName: name, passes: DEFAULT_PASS_OPTIONS });
  const { text, timeline } = optimizeModule(workbench, policy, DEFAULT_POLICY_OPTIONS);
  const seconds = (performance.now() - start) / 1000;
  const [before, level2] = [read("before") ?? "", read("ttnn") ?? ""];
  const runs = async (text: string): Promise<boolean> => {
    const fault = place === undefined ? undefined : await faultOf(place, { name, text, device });
    if (fault !== undefined) console.log(`${name}, ${device}: ${fault}`);
    return fault === undefined;
  };
  const { results, ops } = agreementOf(
    greedyDecisions(before, name).decisions,
    writtenDecisions(level2, name),
  );
  return {
    name,
    device,
    seconds,
    ops: {
      ours: total(moduleOps(workbench.module).forward),
      upstream: total(moduleOps(parseModule(before, name)).forward),
    },
    upstreamUs: [read("level0.ttnn"), read("level1.ttnn"), level2].map((text) =>
      text === undefined ? undefined : predictedUs(text, device)
    ),
    oursUs: timeline.inference.totalUs,
    runs: place === undefined ? undefined : { ours: await runs(text), upstream: await runs(level2) },
    agreement: { results, ops },
  };
}

function readText(path: string): string | undefined {
  try {
    return Deno.readTextFileSync(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}

function predictedUs(text: string, device: string): number {
  const workbench = loadModule(text, { device });
  return simulateGraph(workbench.binding.graph, undefined, workbench, {}).inference.totalUs;
}

/** Heading of the section. */
export const UPSTREAM_HEADING = "## The compiler of October 2026";

/** The section as lines of Markdown. */
export function upstreamSection(networks: readonly UpstreamNetwork[], policy: string): readonly string[] {
  const ratio = ({ oursUs, upstreamUs }: UpstreamNetwork): number => oursUs / (upstreamUs[2] ?? NaN);
  const us = (time: number | undefined): string => time === undefined ? "–" : String(Math.round(time));
  const summary = DEVICES.map((device) => {
    const ratios = networks.filter((each) => each.device === device).map(ratio);
    const mean = Math.exp(ratios.reduce((sum, each) => sum + Math.log(each), 0) / ratios.length);
    return `${device}: ${mean.toFixed(2)} over ${ratios.length} networks, worst ${
      Math.max(...ratios).toFixed(2)
    }`;
  });
  const seconds = networks.map((each) => each.seconds);
  const asked = networks.flatMap(({ runs }) => runs ?? []);
  const run = asked.length === 0
    ? "The backend was not asked."
    : `On the backend ${asked.filter(({ ours }) => ours).length} of our ${asked.length} plans and ${
      asked.filter(({ upstream }) => upstream).length
    } of upstream's level 2 run to the end as declared.`;
  return [
    UPSTREAM_HEADING,
    "",
    "Networks in plain JAX that PyPI's `jax-tt-plugin` 0.1.3 compiled on a mock device ([how](from-model.md)), against what",
    `\`${policy}\` makes of the same TTIR. Times are predicted, µs per inference. Ratio of ours to level 2, geometric mean:`,
    `${summary.join("; ")}. ${run} Ours takes ${Math.min(...seconds).toFixed(1)} to ${
      Math.max(...seconds).toFixed(1)
    } s from TTIR to`,
    "the written plan, upstream 6 s at level 0 and 6 to 200 s at level 2, as its plugin took when it wrote these networks.",
    "",
    "Ops are device ops of the graph in which layouts are decided; [lowering.md](lowering.md#ops-beside-upstreams) says where",
    "ours has more. _Alike_ are results that `greedy` lays out as upstream's optimizer, on upstream's graph.",
    "",
    ...markdownTable(
      "network | device | ops: upstream | ours | level 0 | level 1 | level 2 | ours | ratio | alike",
      networks.map((each) => [
        `\`${each.name}\``,
        each.device,
        each.ops.upstream,
        each.ops.ours,
        ...each.upstreamUs.map(us),
        us(each.oursUs),
        ratio(each).toFixed(2),
        `${each.agreement.results} of ${each.agreement.ops}`,
      ]),
    ),
  ];
}
